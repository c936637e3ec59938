// Tables that describe each connectivity: the cross-section of a block-row, and its contacts with the block-rows before it.
//
// A cross-section is 2 x 2 rows (26), two rows in y (18 and 8), or one row (6 and 4). Each voxel of a cross-section touches all its other
// voxels in the same column and in the two adjacent columns. Each run of set bits in the OR of the bit rows of a block-row is therefore
// connected. Such a run is a block-run.
//
//      z-1:  DB D DA        O own block-row, B before (y-1), A after (y+1);
//      z  :   B O  .        D below (z-1), DB below and before, DA below and after. B, D, DB and DA precede O in raster order.
#pragma once
#include <voxcc/connectivity.h>

namespace voxcc::block_runs {

/// A voxel in the rows `own` may touch a voxel in the rows `other` of the neighbouring block-row. Both are bit masks: bit r stands for
/// the row at y = r % rows_y, z = r / rows_y of the cross-section.
/// 26, block-row before: own = 0b0101 (rows with y = 0), other = 0b1010 (rows with y = 1)
struct Contact {
    /// Whether voxels touch in the same column only, or also in adjacent columns.
    enum class Reach : std::uint8_t { same_column, next_column_too };
    unsigned own = 0, other = 0;
    Reach reach = Reach::same_column;
};
using Contacts = std::array<Contact, 4>;  // unused entries have own = 0
/// A table in which every entry is stored, also the unused ones: g++ 13.3 fails to read entries that an initialiser leaves out.
constexpr Contacts contacts(Contact a = {}, Contact b = {}, Contact c = {}, Contact d = {}) { return {a, b, c, d}; }

/// The cross-section of a block-row, and its contacts with each of the four block-rows before it.
struct Links {
    int rows_y = 1, rows_z = 1;
    Contacts before = contacts(), below = contacts(), below_before = contacts(), below_after = contacts();
    constexpr int rows() const { return rows_y * rows_z; }
    constexpr bool has_below() const { return below[0].own != 0; }
    constexpr bool has_diagonals() const { return below_before[0].own != 0; }
};

constexpr auto upright = Contact::Reach::same_column;
constexpr auto slanted = Contact::Reach::next_column_too;

/// The cross-section and the contacts of a connectivity. The table entries give {own, other, reach}.
template <Connectivity>
inline constexpr Links links_of{};
template <>
inline constexpr Links links_of<Connectivity::c26>{2,
                                                   2,
                                                   contacts({0b0101, 0b1010, slanted}),
                                                   contacts({0b0011, 0b1100, slanted}),
                                                   contacts({0b0001, 0b1000, slanted}),
                                                   contacts({0b0010, 0b0100, slanted})};
template <>
inline constexpr Links links_of<Connectivity::c18>{
    2,
    1,
    contacts({0b01, 0b10, slanted}),
    contacts({0b01, 0b01, slanted}, {0b10, 0b10, slanted}, {0b01, 0b10, upright}, {0b10, 0b01, upright}),
    contacts({0b01, 0b10, upright}),
    contacts({0b10, 0b01, upright})};
template <>
inline constexpr Links links_of<Connectivity::c6>{1, 1, contacts({1, 1, upright}), contacts({1, 1, upright})};
template <>
inline constexpr Links links_of<Connectivity::c8>{2, 1, contacts({0b01, 0b10, slanted})};
template <>
inline constexpr Links links_of<Connectivity::c4>{1, 1, contacts({1, 1, upright})};

}  // namespace voxcc::block_runs
