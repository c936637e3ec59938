// A column of the table in an AnnData file, whose type follows from its cells.
#pragma once
#include "io/formats/hdf5/anndata_dataset.h"
#include "io/table.h"

#include <optional>
#include <string>
#include <vector>

namespace voxcc::io::hdf5 {

/// Replaces bytes that are not UTF-8 by U+FFFD, as tables in JSON do.
std::string in_utf8(const std::string& text);

/// Collects the cells of a column, and writes them when flush() is called. If a later cell needs another type, the rows in the file are
/// converted: whole numbers become real numbers if a cell is missing. See AnnDataWriter for the types.
class AnnDataColumn {
public:
    /// @param file must outlive the column @param path of the dataset @param rows_per_flush of each flush() except the last
    AnnDataColumn(const File& file, std::string path, std::uint64_t rows_per_flush)
        : file_(&file), path_(std::move(path)), rows_per_flush_(rows_per_flush) {}
    /// @throw Error internal for a text after a number, and for a number after a text
    void add(const Cell& cell);
    /// Writes the cells since the last call. @param which all: no cells follow
    void flush(GrowingDataset::Rows which);
    /// Closes the dataset, before the file is closed.
    void close() { stored_.reset(); }

private:
    /// none: all cells so far are missing. They are stored as NaN.
    enum class Kind : std::uint8_t { none, i64, u64, f64, text };
    static Kind kind_of(const Cell& cell);
    Kind joined(Kind of_cell) const;
    void convert(Kind to);
    void convert_stored(Kind to);
    static AnnDataType type_of(Kind kind);
    static std::uint64_t converted(std::uint64_t bits, Kind from, Kind to);

    const File* file_;
    std::string path_;
    std::uint64_t rows_per_flush_;
    Kind kind_ = Kind::none;
    bool has_missing_ = false, has_negative_ = false;
    std::vector<std::uint64_t> bits_;  // the cells since the last flush(), in the bits of their type
    std::vector<std::string> texts_;   // in place of bits_
    std::optional<GrowingDataset> stored_;
};

}  // namespace voxcc::io::hdf5
