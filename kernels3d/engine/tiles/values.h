// For Rule::equal_values and Rule::gradient: the values of voxels, and comparisons of two rows. Rows are equal in a column if the rule
// connects the two values.
//
// Voxels of two rows can touch in the same column and, if the connectivity has this step, in adjacent columns:
//      other:  a b      same: b = d; other_left: a = d; own_left: b = c. Column 0 of a tile has no column to the left:
//      own:    c d      join_values.h handles the contacts across x.
// If values are equal, `same` in a column or to its left already joins the two runs of a slanted contact. So a slanted contact counts only
// where one run has ended and the other run starts. If values are near, a slanted contact is a contact in the column in which one of the
// two runs goes on.
#pragma once
#include <voxcc/source.h>
#include "kernels3d/base/near_values.h"
#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/engine/tiles/contacts.h"
#include "kernels3d/engine/tiles/source.h"

namespace voxcc::block_runs::tiles {

/// The unsigned type as wide as T.
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, uint64_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, std::uint8_t>>>;

/// Rule::equal_values: two values have equal bits exactly if they are equal (value_bits.h).
template <class Value>
struct EqualWords {
    /// Whether a value that is connected to two values also connects these to each other.
    static constexpr bool transitive = true;
    VOXCC_HD bool connect(Value a, Value b) const { return a == b; }
};

/// Rule::gradient: the difference of two values is at most a limit. See is_near().
template <class Value>
struct NearWords {
    static constexpr bool transitive = false;
    enum class Kind : std::uint8_t { integer, real } kind = Kind::integer;
    Value flipped = 0;     // of signed integers, the sign bit: without it they ascend as unsigned integers
    Value most = 0;        // of integers
    double most_real = 0;  // of floats

    /// @param type of the stored values; Value may be wider than the type of integers
    static NearWords of(ScalarType type, const Bound& most) {
        NearWords near;
        visit_scalar(type, [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_floating_point_v<T>) near.kind = Kind::real;
            else if constexpr (std::is_signed_v<T>) near.flipped = Value(Value{1} << (8 * sizeof(Value) - 1));
        });
        near.most = whole_limit<Value>(most);
        near.most_real = most.real;
        return near;
    }
    /// The same rule for the results of wide().
    NearWords<uint64_t> for_wide() const {
        using Wide = NearWords<uint64_t>;
        return {kind == Kind::real ? Wide::Kind::real : Wide::Kind::integer, 0, most, most_real};
    }
    /// A value as a word of 64 bits: an unsigned integer, or a double.
    VOXCC_HD uint64_t wide(Value v) const {
        if constexpr (sizeof(Value) == 4)
            if (kind == Kind::real) return same_bits<uint64_t>(double(same_bits<float>(v)));
        return Value(v ^ flipped);
    }
    VOXCC_HD bool connect(Value a, Value b) const {
        if constexpr (sizeof(Value) >= 4) {
            using Real = std::conditional_t<sizeof(Value) == 8, double, float>;
            if (kind == Kind::real) return is_near(double(same_bits<Real>(a)), double(same_bits<Real>(b)), most_real);
        }
        return is_near(Value(a ^ flipped), Value(b ^ flipped), most);
    }
};

/// The values of a volume as bits, and the rule that connects them. Values of background voxels are not used.
/// @tparam V WordOf<the stored type>
/// @tparam Joins EqualWords or NearWords
template <class V, class J = EqualWords<V>>
struct ValueRows {
    using Value = V;
    using Joins = J;
    exec::Grid size;
    const uint64_t* bits;  // [row][ceil(nx / 64)] foreground; bits past the extent must be zero
    const Value* values;   // [z][y][x]
    Joins joins = {};

    VOXCC_HD uint64_t row_at(uint32_t y, uint32_t z) const { return uint64_t(z) * size.y + y; }
    /// Foreground of the 64 columns of a tile in row (y, z).
    VOXCC_HD uint64_t columns_at(uint32_t tile_x, uint32_t y, uint32_t z) const { return bits[row_at(y, z) * words_of(size.x) + tile_x]; }
    /// Address of the value of voxel (x, y, z).
    VOXCC_HD const Value* at(uint32_t x, uint32_t y, uint32_t z) const { return values + row_at(y, z) * size.x + x; }
};

/// Number of values of Before for which adjacent columns touch, too. These are the first ones.
template <Connectivity K>
inline constexpr int slanted_relations = [] {
    int n = 0;
    for (const Before which : {Before::before, Before::below, Before::below_before, Before::below_after})
        n += is_neighbour(K, 1, step_y(which), step_z(which));
    return n;
}();

/// Compares the voxels of one column in two rows.
/// @param left 1, or 0 if the tile has no column to the left
/// @return bit 0: same, bit 1: other_left, bit 2: own_left
template <class Joins, class Value>
VOXCC_HD inline uint32_t compare(const Joins& joins, const Value* own, const Value* other, int left) {
    const Value o = *own, there = *other;
    return uint32_t(joins.connect(o, there)) | uint32_t(joins.connect(o, other[-left])) << 1 |
           uint32_t(joins.connect(own[-left], there)) << 2;
}

/// The foreground of two rows, and the columns in which their runs start.
struct TwoRows {
    uint64_t own, other, own_starts, other_starts;
};

/// Columns in which two rows are equal, in the three ways of the drawing above.
struct EqualColumns {
    uint64_t same, other_left, own_left;

    /// The same, without columns in which one of the voxels is background.
    VOXCC_HD EqualColumns of_foreground(uint64_t own, uint64_t other) const {
        return {same & own & other, other_left & own & (other << 1), own_left & (own << 1) & other};
    }
};

/// Columns at which runs of two rows must be united: one event per pair of runs.
struct ValueEvents {
    uint64_t same, other_left, own_left;

    /// @tparam Joins the rule that connects values
    /// @param bridged columns in which other contacts already join the two runs
    template <class Joins>
    VOXCC_HD static ValueEvents of(const EqualColumns& equal, uint64_t bridged, const TwoRows& rows) {
        const uint64_t starts = rows.own_starts | rows.other_starts;
        if constexpr (Joins::transitive) {
            const uint64_t apart = ~(equal.same | equal.same << 1);
            return {pair_events(equal.same, bridged, starts), equal.other_left & apart, equal.own_left & apart};
        } else {
            const uint64_t own_goes_on = rows.own & ~rows.own_starts, other_goes_on = rows.other & ~rows.other_starts;
            const uint64_t here = (equal.other_left & other_goes_on) | (equal.own_left & own_goes_on);
            const uint64_t to_the_left =
                (equal.other_left & ~other_goes_on & own_goes_on) | (equal.own_left & ~own_goes_on & other_goes_on);
            const uint64_t neither = ~(own_goes_on | other_goes_on);
            return {pair_events(equal.same | here | to_the_left >> 1, bridged, starts), equal.other_left & neither,
                    equal.own_left & neither};
        }
    }
    VOXCC_HD uint32_t count() const { return uint32_t(count_bits(same) + count_bits(other_left) + count_bits(own_left)); }
    /// Calls use(i, own run, other run) for events i = 0, 1, ..
    template <class Use>
    VOXCC_HD void for_each(const RunsOfTwo& runs, const Use& use) const {
        for_each_pair(same, runs, use);
        if ((other_left | own_left) == 0) return;
        const uint32_t before = uint32_t(count_bits(same)), before_own = before + uint32_t(count_bits(other_left));
        for_each_pair(other_left, {runs.starts_a, runs.starts_b << 1, runs.first_a, runs.first_b},
                      [&](uint32_t i, uint32_t a, uint32_t b) { use(before + i, a, b); });
        for_each_pair(own_left, {runs.starts_a << 1, runs.starts_b, runs.first_a, runs.first_b},
                      [&](uint32_t i, uint32_t a, uint32_t b) { use(before_own + i, a, b); });
    }
};

/// Phase "values": out[k - 1] becomes the value of the first voxel of component k. Each lane handles one stretch of voxels.
template <class Value>
struct FirstValues {
    TileArrays arrays;
    const Value* values;
    uint64_t* out;
    VOXCC_HD void operator()(int64_t i) const {
        uint32_t k = arrays.before[i];
        for (uint32_t w = 0; w < 8; ++w)
            for (uint32_t marks = arrays.marks[i].words[w]; marks; marks &= marks - 1) {
                const uint32_t word = uint32_t(i) * 8 + w, row = word / 2 / arrays.tiles.x, tile_x = word / 2 % arrays.tiles.x;
                out[k++] = values[row * arrays.size.x + tile_x * columns + word % 2 * 32 + uint32_t(lowest_bit(marks))];
            }
    }
};

}  // namespace voxcc::block_runs::tiles
