// Connectivity as data: the cross-section of a block-row, and which of its rows touch which rows of the block-rows before it.
//
// Voxels of neighbouring columns of a cross-section always touch (26: 2x2 rows, 18 and 8: two rows in y, 6 and 4: one row). So in the OR
// of a block-row's bit rows every run of set bits is one connected piece, a block-run.
//
//      z-1:  DB D DA        O own block-row, B before (y-1), A after (y+1);
//      z  :   B O  .        D below (z-1), DB below and before, DA below and after: all come earlier in raster order.
#pragma once
#include <voxcc/connectivity.h>

namespace voxcc::block_runs {

/// Some voxel in rows `own` may touch some voxel in the neighbour's rows `other` (bit masks; row r lies at y = r % rows_y,
/// z = r / rows_y of the cross-section).
struct Contact {
    enum class Reach : std::uint8_t { same_column, next_column_too };
    unsigned own = 0, other = 0;
    Reach reach = Reach::same_column;
};
using Contacts = std::array<Contact, 4>;  // unused entries have no rows

struct Links {
    int rows_y = 1, rows_z = 1;
    Contacts before{}, below{}, below_before{}, below_after{};
    constexpr int rows() const { return rows_y * rows_z; }
    constexpr bool has_below() const { return below[0].own != 0; }
    constexpr bool has_diagonals() const { return below_before[0].own != 0; }
};

constexpr auto upright = Contact::Reach::same_column;
constexpr auto slanted = Contact::Reach::next_column_too;

template <Connectivity>
inline constexpr Links links_of{};
template <>
inline constexpr Links links_of<Connectivity::c26>{
    2, 2, {{{0b0101, 0b1010, slanted}}}, {{{0b0011, 0b1100, slanted}}}, {{{0b0001, 0b1000, slanted}}}, {{{0b0010, 0b0100, slanted}}}};
template <>
inline constexpr Links links_of<Connectivity::c18>{
    2,
    1,
    {{{0b01, 0b10, slanted}}},
    {{{0b01, 0b01, slanted}, {0b10, 0b10, slanted}, {0b01, 0b10, upright}, {0b10, 0b01, upright}}},
    {{{0b01, 0b10, upright}}},
    {{{0b10, 0b01, upright}}}};
template <>
inline constexpr Links links_of<Connectivity::c6>{1, 1, {{{1, 1, upright}}}, {{{1, 1, upright}}}, {}, {}};
template <>
inline constexpr Links links_of<Connectivity::c8>{2, 1, {{{0b01, 0b10, slanted}}}, {}, {}, {}};
template <>
inline constexpr Links links_of<Connectivity::c4>{1, 1, {{{1, 1, upright}}}, {}, {}, {}};

}  // namespace voxcc::block_runs
