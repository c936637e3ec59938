// Parts of an AnnData file: groups, attributes and datasets that grow by rows. Every call needs the lock of hdf5_lock.h.
#pragma once
#include "io/formats/hdf5/hdf5_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace voxcc::io::hdf5 {

/// The type of a text: UTF-8 of variable length.
Id text_type(const File& file);

/// Writes an attribute with one text. @param object group or dataset
void put_text_attribute(const File& file, hid_t object, const char* name, const std::string& text);
/// Writes an attribute with a list of texts, which can be empty.
void put_text_list_attribute(const File& file, hid_t object, const char* name, const std::vector<std::string>& texts);
/// Writes the two attributes with which each object of AnnData states its kind.
void put_encoding(const File& file, hid_t object, const std::string& type, const std::string& version);

/// Creates a group with its encoding.
Id make_group(const File& file, const std::string& path, const std::string& encoding, const std::string& version);

/// The values of a dataset of AnnData.
enum class AnnDataType : std::uint8_t { i64, u64, f64, text };

/// A dataset of values, or of rows of values, with its encoding. One append() with all rows gives a contiguous dataset, which needs only
/// the bytes of its values. Several calls give chunks.
class GrowingDataset {
public:
    /// @param width values per row; empty: one value, and the dataset has one dimension
    /// @param rows_per_append of each call of append() except the last
    GrowingDataset(std::string path, AnnDataType type, std::optional<std::uint64_t> width, std::uint64_t rows_per_append)
        : path_(std::move(path)), type_(type), width_(width), rows_per_append_(rows_per_append) {}
    const std::string& path() const { return path_; }
    std::uint64_t rows() const { return rows_; }
    /// Whether more rows may follow a call of append().
    enum class Rows : std::uint8_t { all, some };
    /// Appends rows. @param values rows * width values; const char* for texts
    void append(const File& file, const void* values, std::uint64_t rows, Rows which);
    /// Reads rows of a dataset with one dimension. @param values must hold `rows` values. Must not be called for texts
    void read(const File& file, std::uint64_t first, std::uint64_t rows, void* values) const;
    /// Closes the dataset. Must be called before the file is closed.
    void close() { id_ = Id(); }
    /// Deletes the dataset in the file.
    void remove(const File& file);
    /// Renames it in the file.
    void rename(const File& file, const std::string& path);

private:
    void create(const File& file, std::uint64_t rows, Rows which);
    std::vector<hsize_t> shape(std::uint64_t rows) const;
    std::string path_;
    AnnDataType type_;
    std::optional<std::uint64_t> width_;
    std::uint64_t rows_per_append_, rows_ = 0;
    Id id_;
};

}  // namespace voxcc::io::hdf5
