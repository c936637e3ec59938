// Adds the measures of all parts, in the order of the tables.
#pragma once
#include <voxcc/threads.h>
#include "src/parts/measures_file.h"

#include <map>

namespace voxcc::parts {

/// The rows of one kind of all parts, in ascending order of their keys. Holds a block of each part whose blocks contain the current key.
class MergedRows {
public:
    /// Opens the files of all parts. @throw as MeasuresFile
    /// @param plan, folder, merged must outlive this object
    MergedRows(const Plan& plan, const std::string& folder, const MergedFile& merged, MeasureRows kind);
    /// Whether there is a row that next() has not returned.
    bool has_next() const { return !queue_.empty(); }
    RowKey next_key() const { return queue_.front().key; }
    /// The words of the next row. They are valid until the next call. There must be a row.
    std::span<const std::uint64_t> next();

private:
    /// A part, and the place of its next row.
    struct Place {
        RowKey key;
        std::int64_t part;
        std::size_t block, row;
        auto operator<=>(const Place&) const = default;
    };
    /// The blocks of a part.
    struct Blocks {
        std::vector<RowKey> keys;
        std::vector<std::uint64_t> words;  // of the block that is read; empty before it is read
    };
    void push(const Place& place);

    const Plan& plan_;
    const std::string& folder_;
    const MergedFile& merged_;
    MeasureRows kind_;
    std::vector<Place> queue_;  // a heap: the smallest first
    std::vector<Blocks> of_part_;
    std::vector<std::uint64_t> row_;
};

/// Reads contacts in the order of the table.
class ContactRows {
public:
    /// @throw as MergedRows
    ContactRows(const Plan& plan, const std::string& folder, const MergedFile& merged)
        : rows_(plan, folder, merged, MeasureRows::contacts) {}
    /// The next pairs of labels, at most `most`; empty after the last one.
    std::vector<LabelContact> next(std::size_t most);

private:
    MergedRows rows_;
};

/// Reads the shapes of components in the order of their numbers. Memory: about 200 bytes per component that is in several parts, and the
/// corners of components that are not complete.
class ShapeRows {
public:
    /// Adds the counts of components that are in several parts. @throw as MergedRows
    ShapeRows(const Plan& plan, const std::string& folder, const MergedFile& merged, ThreadPool& pool);
    /// The shape of a component. @param number must be larger than in the last call @throw Error corrupt_file
    CompleteShape at(std::uint64_t number);

private:
    void add_open(const Plan& plan, const std::string& folder, const MergedFile& merged, ThreadPool& pool);
    std::string folder_;
    MergedRows rows_;
    std::map<std::uint64_t, CompleteShape> joined_;
};

}  // namespace voxcc::parts
