#include "python/src/block.h"

#include <algorithm>

namespace voxcc::python {
namespace {

constexpr int column_bits = 32;

/// A row of the engine in a block.
struct Row {
    std::int64_t y, z;
    std::span<const std::uint64_t> labels;
};

/// Finds first voxels and faces row by row.
class OutlineFinder {
public:
    OutlineFinder(Labelled& block, const Place& place, unsigned faces) : axes_(block.axes()), place_(place), faces_(faces) {
        if (block.compares_values()) values_ = block.value_bits();
        outline_.pieces.reserve(std::size_t(block.count()));
    }
    void add(const Row& row) {
        find_first_voxels(row);
        for (int face = 0; face < 6; ++face)
            if (faces_ >> face & 1) add_to_face(face, row);
    }
    Outline take() { return std::move(outline_); }

private:
    /// The index along an axis of the complete array.
    std::uint64_t index(int axis, std::int64_t x, const Row& row) const {
        const int e = axes_.engine_axis(axis);
        return std::uint64_t(place_.origin[std::size_t(axis)] + (e < 0 ? 0 : std::array{x, row.y, row.z}[std::size_t(e)]));
    }
    std::uint64_t id(std::int64_t x, const Row& row) const {
        std::uint64_t id = 0;
        for (int axis = 0; axis < 3; ++axis) id = id * std::uint64_t(place_.shape[std::size_t(axis)]) + index(axis, x, row);
        return id;
    }
    /// Components are numbered in the order of their first voxels, so the first voxel with a new label has the greatest label so far.
    void find_first_voxels(const Row& row) {
        std::uint64_t found = outline_.pieces.size();
        for (std::size_t x = 0; x < row.labels.size(); ++x) {
            if (row.labels[x] <= found) continue;
            outline_.pieces.push_back(id(std::int64_t(x), row));
            ++found;
        }
    }
    void add_to_face(int face, const Row& row) {
        const int axis = face / 2, e = axes_.engine_axis(axis);
        const std::array<std::int64_t, 3> last{axes_.extent.nx - 1, axes_.extent.ny - 1, axes_.extent.nz - 1};
        const std::int64_t here = e < 0 || face % 2 == 0 ? 0 : last[std::size_t(e)];
        if (e == 0) return add_run(face, here, here + 1, row);
        if ((e == 1 && row.y != here) || (e == 2 && row.z != here)) return;
        for (std::int64_t x = 0; x <= last[0];) {
            const std::uint64_t label = row.labels[std::size_t(x)];
            std::int64_t end = x + 1;
            while (end <= last[0] && row.labels[std::size_t(end)] == label) ++end;
            add_run(face, x, end, row);
            x = end;
        }
    }
    /// Adds the voxels [x, end) of a row, which have the same label.
    void add_run(int face, std::int64_t x, std::int64_t end, const Row& row) {
        const std::uint64_t label = row.labels[std::size_t(x)];
        if (label == 0) return;
        const int axis = face / 2, row_axis = axis == 0 ? 1 : 0, column_axis = axis == 2 ? 1 : 2;
        const bool along_columns = axes_.array_axis[0] == column_axis;
        for (const std::int64_t step = along_columns ? end - x : 1; x < end; x += step)
            append(outline_.faces[std::size_t(face)],
                   {index(row_axis, x, row) << column_bits | index(column_axis, x, row), std::uint64_t(step),
                    outline_.pieces[std::size_t(label - 1)], values_.empty() ? 0 : values_[std::size_t(label - 1)]});
    }
    static void append(std::vector<FaceRun>& runs, const FaceRun& run) {
        if (!runs.empty() && runs.back().piece == run.piece && runs.back().position + runs.back().length == run.position)
            runs.back().length += run.length;
        else runs.push_back(run);
    }

    const Axes& axes_;
    const Place& place_;
    unsigned faces_;
    std::vector<std::uint64_t> values_;
    Outline outline_;
};

void append_words(const WideSums& s, std::vector<std::uint64_t>& words) {
    words.insert(words.end(), {s.n, s.x, s.y, s.z});
    for (const uint128 sum : {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz})
        words.insert(words.end(), {std::uint64_t(sum), std::uint64_t(sum >> 64)});
    for (const auto& [low, high] : {std::pair{s.x0, s.x1}, std::pair{s.y0, s.y1}, std::pair{s.z0, s.z1}})
        words.push_back(low | std::uint64_t(high) << 32);
}

WideSums sums_of(const std::uint64_t* w) {
    const auto wide = [&](std::size_t i) { return uint128(w[i]) | uint128(w[i + 1]) << 64; };
    const auto low = [&](std::size_t i) { return std::uint32_t(w[i]); };
    const auto high = [&](std::size_t i) { return std::uint32_t(w[i] >> 32); };
    return {{w[0], w[1], w[2], w[3], wide(4), wide(10), wide(14), wide(6), wide(8), wide(12)},
            low(16),
            low(17),
            low(18),
            high(16),
            high(17),
            high(18)};
}

/// Calls use(a, b) for each run a of `low` and b of `high` that share a column after run a is moved by `rows` rows and widened by `wider`
/// columns at both ends.
template <class Use>
void for_each_overlap(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high, std::size_t columns, std::int64_t rows,
                      std::int64_t wider, const Use& use) {
    std::size_t first = 0;  // the first run of `high` that can overlap
    for (std::size_t a = 0; a < low.size(); a += columns) {
        const std::int64_t begin = std::int64_t(low[a]) + (rows << column_bits), end = begin + std::int64_t(low[a + 1]);
        while (first < high.size() && std::int64_t(high[first] + high[first + 1]) <= begin - wider) first += columns;
        for (std::size_t b = first; b < high.size() && std::int64_t(high[b]) < end + wider; b += columns) use(a, b);
    }
}

}  // namespace

Outline outline(Labelled& block, const Place& place, unsigned faces) {
    if (block.axes().numbering != Axes::Numbering::straight)
        throw Error(ErrorKind::invalid_argument, "block", "its last axis must be the fastest in memory");
    OutlineFinder finder(block, place, faces);
    block.for_each_row([&](std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels) { finder.add({y, z, labels}); });
    return finder.take();
}

std::vector<std::uint64_t> sums_of_pieces(Labelled& block, const std::array<std::int64_t, 3>& origin) {
    const SumTable& table = block.sums();
    const Axes& axes = block.axes();
    const std::array<int, 3> from{axes.engine_axis(0), axes.engine_axis(1), axes.engine_axis(2)};
    const auto [dx, dy, dz] = origin;
    std::vector<std::uint64_t> words;
    words.reserve(table.size() * words_per_sum);
    for (std::uint64_t number = 1; number <= block.count(); ++number) {
        const WideSums s = permuted(table[block.row_of(number)], from);
        const auto moved = s.as<uint128>().shifted(uint128(dx), uint128(dy), uint128(dz)).as<std::uint64_t, uint128>();
        const auto x = std::uint32_t(dx), y = std::uint32_t(dy), z = std::uint32_t(dz);
        append_words({moved, s.x0 + x, s.y0 + y, s.z0 + z, s.x1 + x, s.y1 + y, s.z1 + z}, words);
    }
    return words;
}

std::vector<std::array<std::uint64_t, 2>> touching(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high,
                                                   std::size_t columns, Connectivity connectivity) {
    const bool edges = connectivity != Connectivity::c4 && connectivity != Connectivity::c6;
    const bool corners = connectivity == Connectivity::c26;
    std::vector<std::array<std::uint64_t, 2>> pairs;
    const auto add = [&](std::size_t a, std::size_t b) {
        const std::array<std::uint64_t, 2> pair{low[a + 2], high[b + 2]};
        if (columns > 3 && low[a + 3] != high[b + 3]) return;
        if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
    };
    for_each_overlap(low, high, columns, 0, edges ? 1 : 0, add);
    for (const std::int64_t rows : {-1, 1})
        if (edges) for_each_overlap(low, high, columns, rows, corners ? 1 : 0, add);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

void MergedSums::add(std::span<const std::uint64_t> rows, std::span<const std::uint64_t> numbers, std::span<const std::uint64_t> moved) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] == 0) continue;
        const WideSums sums = sums_of(&rows[i * words_per_sum]);
        if (moved.empty()) {
            sums_[numbers[i] - 1].add(sums);
            continue;
        }
        const auto by = moved.subspan(3 * i, 3);
        sums_[numbers[i] - 1].add(voxcc::moved(sums, {std::int64_t(by[0]), std::int64_t(by[1]), std::int64_t(by[2])}));
    }
}

nb::dict MergedSums::table(const std::vector<Py_ssize_t>& shape, unsigned periodic, const Spacing& spacing,
                           std::span<const std::uint64_t> wraps) const {
    const Axes axes(shape, Order::c, Axes::none);
    const int dimensions = int(shape.size());
    std::array<int, 3> from = axes.array_axis;
    for (int& axis : from) axis = axis == Axes::none ? Axes::none : axis + 3 - dimensions;
    Options options;
    options.periodic = periodic;
    Columns columns(sums_.size(), threads_of_call(0, std::int64_t(sums_.size() * sizeof(Properties))));
    const std::array<std::int64_t, 3> period = period_of(axes, options);
    add_component_columns(
        columns,
        [&](std::size_t row) {
            MeasuredComponent component{permuted(sums_[row], from), {period, {}}};
            for (std::size_t e = 0; e < 3; ++e)
                component.wrapping.wraps.axes[e] = from[e] >= 0 && !wraps.empty() && wraps[3 * row + std::size_t(from[e])] != 0;
            return component;
        },
        axes, options, dimensions, spacing);
    return columns.dict();
}

}  // namespace voxcc::python
