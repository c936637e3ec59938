// Rows of the table of a part, in blocks of a limited number of rows. A block can be read without the other blocks.
//
//   row     number less the number before, value, voxels, corner of the bounding box less the corner before, its edges, and the sums
//           relative to the corner if there are several voxels. In periodic volumes, then the axes that the component wraps around: 1 for
//           x, 2 for y, 4 for z
// All numbers have 7 bits per byte, the lowest first; the highest bit of all bytes but the last is 1. Differences alternate between the
// signs: 0, -1, 1, -2, ... Most rows need 10 to 20 bytes.
#pragma once
#include <voxcc/parts.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace voxcc::parts {

/// The row of the table of one component.
struct TableRow {
    std::uint64_t number = 0;  // final
    std::uint64_t value = 0;   // see Labelling::source_values(); 0 unless the rule is equal_values
    WideSums sums;             // in the coordinates of the volume, unwrapped
    AxisSet wraps = {};        // see SumTable::wraps(); empty if no axis is periodic
    bool operator==(const TableRow&) const = default;
};

/// The most rows of a block.
constexpr std::uint64_t rows_per_table_block = 2048;

/// Whether rows contain the axes that their components wrap around.
enum class WrapsOfRows : std::uint8_t { absent, present };

/// Encodes the rows of a block.
class RowEncoder {
public:
    explicit RowEncoder(WrapsOfRows wraps) : wraps_(wraps) {}
    /// @param row its number must be larger than the number before; at least one voxel
    /// @param corner the voxel of the volume that is the origin of its sums
    void add(const TableRow& row, const std::array<std::int64_t, 3>& corner = {});
    std::uint64_t rows() const { return rows_; }
    /// The bytes of all rows since the last call.
    std::vector<std::byte> take();

private:
    void append_edges_and_moments(const WideSums& sums);
    WrapsOfRows wraps_;
    std::vector<std::byte> bytes_;
    std::uint64_t rows_ = 0, last_number_ = 0;
    std::array<std::uint32_t, 3> last_corner_{};  // of the bounding box, in the volume
};

/// Decodes the rows of a block, one after the other.
class RowDecoder {
public:
    /// @param rows their number @param subject of errors
    RowDecoder(std::vector<std::byte> bytes, std::uint64_t rows, WrapsOfRows wraps, std::string subject);
    /// The number of rows that follow.
    std::uint64_t rows_left() const { return rows_left_; }
    /// The next row. There must be one. @throw Error corrupt_file if the bytes are not a row, or if bytes follow the last row
    TableRow next();

private:
    std::uint64_t number();
    uint128 wide_number();
    std::uint32_t moved_by(std::uint32_t last);
    std::uint32_t edge(std::uint32_t low);
    [[noreturn]] void fail() const;
    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;
    std::uint64_t rows_left_;
    WrapsOfRows wraps_;
    std::string subject_;
    TableRow last_{.sums = {{}, 0, 0, 0, 0, 0, 0}};
};

}  // namespace voxcc::parts
