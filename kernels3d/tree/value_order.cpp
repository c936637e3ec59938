#include "kernels3d/tree/value_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace voxcc::tree {
namespace {

/// Unsigned integers that have the order of the values; of the negated values for minima. -0 has the key of 0.
template <class T, TreeRule::Extrema E>
struct Keys {
    using Key = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
    static constexpr bool is_float = std::is_floating_point_v<T>;
    using Bits = std::conditional_t<is_float, Key, std::make_unsigned_t<std::conditional_t<is_float, int, T>>>;

    static Key of(T value) {
        constexpr Bits sign = Bits(Bits{1} << (8 * sizeof(Bits) - 1));
        Bits bits;
        if constexpr (is_float) {
            bits = std::bit_cast<Bits>(value + T(0));
            bits ^= (bits & sign) ? ~Bits{0} : sign;
        } else {
            bits = Bits(value);
            if constexpr (std::is_signed_v<T>) bits ^= sign;
        }
        return Key(E == TreeRule::Extrema::minima ? Bits(~bits) : bits);
    }
};

/// Whether a voxel is in the tree.
template <class T, TreeRule::Extrema E>
struct Selected {
    Selected(const VolumeView& volume, const TreeRule& rule)
        : values(reinterpret_cast<const T*>(volume.voxels)), mask(rule.mask), bound(bound_of(rule.values)) {}
    bool operator()(std::int64_t i) const { return (is_minima ? values[i] <= bound : values[i] >= bound) && (!mask || mask[i] != 0); }

    const T* values;
    const std::uint8_t* mask;
    T bound;  // the lowest value; for minima, the highest. NaN is not within a bound

private:
    using Limits = std::numeric_limits<T>;
    static constexpr bool is_minima = E == TreeRule::Extrema::minima;
    static T bound_of(TreeRule::Values rule) {
        constexpr bool is_float = std::is_floating_point_v<T>;
        if (rule == TreeRule::Values::above_zero) {
            constexpr T least = is_float ? Limits::denorm_min() : T(1);
            return is_minima ? T(-least) : least;
        }
        if (is_float) return is_minima ? Limits::infinity() : -Limits::infinity();
        return is_minima ? Limits::max() : Limits::lowest();
    }
};

template <class Key>
struct KeyRange {
    Key least = std::numeric_limits<Key>::max(), most = 0;
    void add(Key key, bool is_in) {
        least = std::min(least, is_in ? key : least);
        most = std::max(most, is_in ? key : most);
    }
};

/// A key of 32 bits in the high half, a cell in the low half.
using Pair = std::uint64_t;
constexpr std::uint32_t key_of(Pair pair) { return std::uint32_t(pair >> 32); }

/// Sorts pairs by their keys with least significant digits first; pairs with equal keys keep their order.
Buffer<Pair> radix_sorted(Buffer<Pair> pairs, std::size_t count, const KeyRange<std::uint32_t>& range) {
    constexpr int most_digit_bits = 11;
    const int bits = int(std::bit_width(range.most - range.least)), passes = (bits + most_digit_bits - 1) / most_digit_bits;
    if (passes == 0) return pairs;
    const int digit_bits = (bits + passes - 1) / passes;
    const std::size_t digits = std::size_t{1} << digit_bits;
    std::vector<std::uint32_t> starts(digits * std::size_t(passes));
    const Pair least = Pair(range.least) << 32;
    const auto digit = [&](Pair pair, int pass) { return std::size_t((pair - least) >> (32 + pass * digit_bits)) & (digits - 1); };
    for (std::size_t i = 0; i < count; ++i)
        for (int pass = 0; pass < passes; ++pass) ++starts[std::size_t(pass) * digits + digit(pairs[i], pass)];
    Buffer<Pair> sorted(count);
    for (int pass = 0; pass < passes; ++pass) {
        std::uint32_t* const start = starts.data() + std::size_t(pass) * digits;
        std::uint32_t sum = 0;
        for (std::size_t d = 0; d < digits; ++d) sum += std::exchange(start[d], sum);
        for (std::size_t i = 0; i < count; ++i) sorted[start[digit(pairs[i], pass)]++] = pairs[i];
        std::swap(pairs, sorted);
    }
    return pairs;
}

template <class T, TreeRule::Extrema E>
class Sorter {
public:
    using K = Keys<T, E>;
    using Key = typename K::Key;
    Sorter(const VolumeView& volume, const TreeRule& rule, const BorderedGrid& grid)
        : extent_(volume.extent), selected_(volume, rule), connectivity_(rule.connectivity), grid_(grid) {}

    ValueOrder run(const TreeExecution& execution) {
        const Selected<T, E> selected = selected_;
        std::uint32_t count = 0;
        for (std::int64_t i = 0, voxels = extent_.voxels(); i < voxels; ++i) count += selected(i);
        const std::int64_t bytes = tree_bytes(extent_, connectivity_, count);
        if (execution.most_bytes >= 0 && bytes > execution.most_bytes)
            throw Error(ErrorKind::out_of_memory, std::string(execution.subject),
                        "its component tree needs " + std::to_string((bytes >> 20) + 1) + " MiB of memory");
        ValueOrder order{count, Buffer<std::uint32_t>(count), {}};
        order.levels.resize(count / 64 + 1);
        if (count == 0) return order;
        if constexpr (sizeof(T) <= 2) count_values(order);
        else sort_pairs(order, execution.subject);
        return order;
    }

private:
    template <class F>
    void for_each(const F& f) const {
        std::int64_t i = 0;
        for (std::int64_t z = 0; z < extent_.nz; ++z)
            for (std::int64_t y = 0; y < extent_.ny; ++y) {
                const auto cell = std::uint32_t(grid_.row_cell(y, z));
                for (std::int64_t x = 0; x < extent_.nx; ++x, ++i) f(i, cell + std::uint32_t(x));
            }
    }

    KeyRange<Key> range() const {
        KeyRange<Key> range;
        for (std::int64_t i = 0, n = extent_.voxels(); i < n; ++i) range.add(K::of(selected_.values[i]), selected_(i));
        return range;
    }

    static void refuse_infinity(const KeyRange<Key>& range, std::string_view subject) {
        constexpr T infinity = std::numeric_limits<T>::infinity();
        const Key a = K::of(infinity), b = K::of(-infinity);
        if (range.most >= std::max(a, b) || range.least <= std::min(a, b))
            throw Error(ErrorKind::invalid_file, std::string(subject), "has infinite values, and a component tree needs finite values");
    }

    /// Types of few values: counts the voxels of each value, so that the place of each voxel is known.
    void count_values(ValueOrder& order) const {
        std::vector<std::uint32_t> starts(std::size_t{1} << (8 * sizeof(T)));
        const auto key = [&](std::int64_t i) { return K::of(selected_.values[i]); };
        for_each([&](std::int64_t i, std::uint32_t) {
            if (selected_(i)) ++starts[key(i)];
        });
        std::uint32_t sum = 0;
        for (std::uint32_t& start : starts) {
            if (start > 0) begin_level(order, sum);
            sum += std::exchange(start, sum);
        }
        for_each([&](std::int64_t i, std::uint32_t cell) {
            if (selected_(i)) order.cells[starts[key(i)]++] = cell;
        });
    }

    /// Other types: sorts by the 32 highest bits in which keys differ, and voxels that are equal in these by all bits.
    void sort_pairs(ValueOrder& order, std::string_view subject) const {
        Key base = 0;
        int shift = 0;
        if constexpr (sizeof(Key) > 4) {
            const KeyRange<Key> all = range();
            if constexpr (K::is_float) refuse_infinity(all, subject);
            base = all.least, shift = std::max(0, int(std::bit_width(all.most - all.least)) - 32);
        }
        Buffer<Pair> pairs(order.size + std::size_t{1});
        KeyRange<std::uint32_t> range;
        std::size_t count = 0;
        for_each([&, selected = selected_, to = pairs.data()](std::int64_t i, std::uint32_t cell) {
            const auto key = std::uint32_t((K::of(selected.values[i]) - base) >> shift);
            const bool is_in = selected(i);
            to[count] = Pair(key) << 32 | cell;
            count += is_in;
            range.add(key, is_in);
        });
        if constexpr (K::is_float && sizeof(Key) == 4) refuse_infinity(range, subject);
        pairs = radix_sorted(std::move(pairs), count, range);
        for (std::size_t p = 0; p < count; ++p) {
            order.cells[p] = std::uint32_t(pairs[p]);
            if (p == 0 || key_of(pairs[p]) != key_of(pairs[p - 1])) begin_level(order, std::uint32_t(p));
        }
        if (shift > 0) sort_levels(order);
    }

    void sort_levels(ValueOrder& order) const {
        const auto key = [&](std::uint32_t cell) { return K::of(selected_.values[grid_.voxel(cell)]); };
        for (std::uint32_t first = 0, end; first < order.size; first = end) {
            for (end = first + 1; end < order.size && !order.begins_level(end);) ++end;
            if (end - first == 1) continue;
            std::stable_sort(&order.cells[first], &order.cells[first] + (end - first),
                             [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
            for (std::uint32_t p = first + 1; p < end; ++p)
                if (key(order.cells[p]) != key(order.cells[p - 1])) begin_level(order, p);
        }
    }

    static void begin_level(ValueOrder& order, std::uint32_t p) { order.levels[p / 64] |= std::uint64_t{1} << p % 64; }

    const Extent extent_;
    const Selected<T, E> selected_;
    const Connectivity connectivity_;
    const BorderedGrid& grid_;
};

}  // namespace

ValueOrder sort_voxels(const VolumeView& volume, const TreeRule& rule, const BorderedGrid& grid, const TreeExecution& execution) {
    using enum TreeRule::Extrema;
    return visit_scalar(volume.type, [&]<class T>(std::type_identity<T>) {
        if (std::is_unsigned_v<T> && rule.extrema == minima && rule.values == TreeRule::Values::above_zero) return ValueOrder{0, {}, {0}};
        return rule.extrema == maxima ? Sorter<T, maxima>(volume, rule, grid).run(execution)
                                      : Sorter<T, minima>(volume, rule, grid).run(execution);
    });
}

}  // namespace voxcc::tree
