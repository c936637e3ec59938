#include "src/pipeline/labelled_holes.h"

#include <voxcc/source.h>

#include <algorithm>
#include <atomic>

namespace voxcc {
namespace {

constexpr std::int64_t rows_per_task = 64;

/// Calls f(row) for all rows of holes, in several threads.
template <class F>
void for_each_row_of(const Holes& holes, const Extent& extent, ThreadPool& pool, const F& f) {
    pool.for_each((extent.rows() + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
        for (std::int64_t row = task * rows_per_task; row < std::min((task + 1) * rows_per_task, extent.rows()); ++row)
            if (holes.in_row[std::size_t(row)]) f(row);
    });
}

/// The keys of the components: see labelled_holes.h.
struct ComponentKeys {
    std::vector<std::uint64_t> by_number;  // by number - 1
    HoleKeys keys;
};

ComponentKeys keys_of(const Labelling& labelling, Rule rule) {
    ComponentKeys of;
    of.by_number.resize(std::size_t(labelling.count()));
    if (rule != Rule::equal_values) {
        for (std::size_t k = 0; k < of.by_number.size(); ++k) of.by_number[k] = k + 1;
        return of;
    }
    const std::vector<std::uint64_t> values = labelling.source_values();
    of.keys.values = values;
    std::ranges::sort(of.keys.values);
    of.keys.values.erase(std::unique(of.keys.values.begin(), of.keys.values.end()), of.keys.values.end());
    for (std::size_t k = 0; k < values.size(); ++k)
        of.by_number[k] = std::uint64_t(std::ranges::lower_bound(of.keys.values, values[k]) - of.keys.values.begin()) + 1;
    return of;
}

/// Finds the key that the face neighbours of each hole share, and writes it into the hole.
/// @tparam Key type of the keys of a volume
template <class Key>
class HoleFiller {
public:
    HoleFiller(VolumeBits& held, const Question& question, const Holes& holes, ThreadPool& pool)
        : held_(held), extent_(held.extent), holes_(holes), keys_(reinterpret_cast<Key*>(held.values.data())), pool_(pool) {
        const bool crosses_slices = question.connectivity != Connectivity::c4 && question.connectivity != Connectivity::c8;
        const std::array n{extent_.nx, extent_.ny, extent_.nz};
        std::int64_t stride = 1;
        for (std::size_t axis = 0; axis < 3; stride *= n[axis++])
            if (n[axis] > 1 && (axis < 2 || crosses_slices)) axes_.push_back({axis, n[axis], stride, question.periodic.axes[axis]});
    }
    void fill() {
        std::vector<std::uint64_t> numbers(holes_.is_hole.size());
        std::uint64_t count = 0;
        for (std::size_t k = 0; k < numbers.size(); ++k)
            if (holes_.is_hole[k]) numbers[k] = ++count;
        holes_.background->prepare_paint(ScalarType::u64, numbers);
        std::vector<std::atomic<Key>> around(static_cast<std::size_t>(count));
        for_each_row_of(holes_, extent_, pool_, [&](std::int64_t row) { look_around(row, around); });
        for_each_row_of(holes_, extent_, pool_, [&](std::int64_t row) { fill(row, around); });
    }

private:
    static constexpr Key several = Key(~Key{0});
    struct Step {
        std::size_t axis;
        std::int64_t extent, stride;
        bool is_periodic;
    };

    std::span<const std::uint64_t> holes_in(std::int64_t row) const {
        thread_local std::vector<std::uint64_t> numbers;
        numbers.resize(std::size_t(extent_.nx));
        holes_.background->paint({row, 1}, reinterpret_cast<std::byte*>(numbers.data()), Stores::cached);
        return numbers;
    }

    void look_around(std::int64_t row, std::vector<std::atomic<Key>>& around) const {
        const std::span<const std::uint64_t> holes = holes_in(row);
        for (std::int64_t x = 0; x < extent_.nx; ++x)
            if (holes[std::size_t(x)]) look_from(x, row, around[std::size_t(holes[std::size_t(x)] - 1)]);
    }

    void look_from(std::int64_t x, std::int64_t row, std::atomic<Key>& found) const {
        const std::array at{x, row % extent_.ny, row / extent_.ny};
        const Key* const here = keys_ + row * extent_.nx + x;
        for (const Step& step : axes_)
            for (const std::int64_t end : {std::int64_t{0}, step.extent - 1}) {
                const std::int64_t away = end == 0 ? -step.stride : step.stride, around = -away * (step.extent - 1);
                const bool leaves = at[step.axis] == end;
                if (leaves && !step.is_periodic) continue;
                if (const Key key = here[leaves ? around : away]) add(found, key);
            }
    }

    static void add(std::atomic<Key>& found, Key key) {
        Key before = 0;
        if (!found.compare_exchange_strong(before, key) && before != key) found = several;
    }

    void fill(std::int64_t row, const std::vector<std::atomic<Key>>& around) {
        const std::span<const std::uint64_t> holes = holes_in(row);
        for (std::int64_t x = 0; x < extent_.nx; ++x) {
            if (!holes[std::size_t(x)]) continue;
            const Key key = around[std::size_t(holes[std::size_t(x)] - 1)];
            const std::size_t word = std::size_t(row * held_.words + x / 64);
            const std::uint64_t bit = std::uint64_t{1} << x % 64;
            if (key == 0 || key == several || (!held_.mask.empty() && !(held_.mask[word] & bit))) continue;
            held_.bits[word] |= bit;
            keys_[row * extent_.nx + x] = key;
        }
    }

    VolumeBits& held_;
    Extent extent_;
    const Holes& holes_;
    Key* keys_;  // [extent_.voxels()], 0 in the background
    ThreadPool& pool_;
    std::vector<Step> axes_;
};

}  // namespace

std::vector<std::uint64_t> HoleKeys::values_of(std::vector<std::uint64_t> keys) const {
    if (values.empty()) return {};
    for (std::uint64_t& key : keys) key = values[std::size_t(key - 1)];
    return keys;
}

ScalarType key_type(const Extent& extent) { return extent.voxels() < std::int64_t{0xffffffff} ? ScalarType::u32 : ScalarType::u64; }

HoleKeys fill_labelled_holes(VolumeBits& held, const Question& question, const HoleRule& rule, const Execution& execution, ThreadPool& pool,
                             MemoryLimit* memory) {
    ComponentKeys of;
    {
        VolumeBitsSource source(held);
        const auto labelling = label(source, held.extent, question, execution);
        of = keys_of(*labelling, question.rule);
        held.value_type = key_type(held.extent);
        std::vector<std::byte> keys(std::size_t(held.extent.voxels() * size_of(held.value_type)));
        const std::int64_t row_bytes = held.extent.nx * size_of(held.value_type);
        labelling->prepare_paint(held.value_type, of.by_number);
        pool.for_each((held.extent.rows() + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
            const std::int64_t first = task * rows_per_task, count = std::min(rows_per_task, held.extent.rows() - first);
            labelling->paint({first, count}, keys.data() + first * row_bytes, Stores::cached);
        });
        held.values = std::move(keys);
    }
    const Holes holes = find_holes(held, rule, pool, memory);
    if (holes.in_row.empty()) return of.keys;
    if (held.value_type == ScalarType::u32) HoleFiller<std::uint32_t>(held, question, holes, pool).fill();
    else HoleFiller<std::uint64_t>(held, question, holes, pool).fill();
    return of.keys;
}

}  // namespace voxcc
