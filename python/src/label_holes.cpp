#include "python/src/label_holes.h"

#include "python/src/gil.h"
#include "python/src/images.h"
#include "python/src/shared_pool.h"
#include "python/src/signals.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace voxcc::python {
namespace {

/// The bytes of a label as an array stores it.
std::array<std::byte, 8> stored(std::uint64_t label, std::int64_t bytes, Storage storage) {
    std::array<std::byte, 8> stored{};
    std::memcpy(stored.data(), &label, stored.size());
    if (storage == Storage::swapped) std::reverse(stored.begin(), stored.begin() + bytes);
    return stored;
}

/// Writes the labels of the filled holes of some rows.
/// @tparam bytes of a label
template <std::size_t bytes>
void fill_rows(const LabelHoles& holes, LabelHoles::Filling filling, RowRange rows, const Extent& extent, const Strides& strides,
               const Array& to) {
    for (std::int64_t row = rows.first; row < rows.end(); ++row) {
        std::byte* const first = to.data() + row % extent.ny * strides[1] + row / extent.ny * strides[2];
        holes.for_each_run(row, filling, [&](const HoleRun& run, std::uint64_t label) {
            const std::array<std::byte, 8> value = stored(label, bytes, to.storage());
            for (std::int64_t x = run.first; x < run.end; ++x) std::memcpy(first + x * strides[0], value.data(), bytes);
        });
    }
}

}  // namespace

ImageHoles::ImageHoles(const Array& labels, Connectivity connectivity, std::uint64_t most_voxels, int threads)
    : axes_(labels, Order::c, Axes::none), threads_(threads_of_call(threads, labels.bytes())) {
    const WithoutGil no_gil;
    Signals signals;
    const ArrayRows rows({&labels}, axes_, signals);
    CallPool pool(threads_);
    const HoleRule rule{{.connectivity = connectivity}, axes_.extent, most_voxels};
    holes_ = std::make_unique<LabelHoles>(*rows.rows().front(), axes_.extent, rule, Execution{.pool = &pool});
}

std::uint64_t ImageHoles::fill(const Array& to, Filling filling) const {
    constexpr std::int64_t rows_per_task = 64;
    const WithoutGil no_gil;
    CallPool pool(threads_);
    const Strides strides = axes_.strides_of(to);
    const auto fill = size_of(to.type()) == 1   ? fill_rows<1>
                      : size_of(to.type()) == 2 ? fill_rows<2>
                      : size_of(to.type()) == 4 ? fill_rows<4>
                                                : fill_rows<8>;
    const std::int64_t rows = axes_.extent.rows();
    pool.for_each((rows + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
        const std::int64_t first = task * rows_per_task;
        fill(*holes_, filling, {first, std::min(rows_per_task, rows - first)}, axes_.extent, strides, to);
    });
    return holes_->filled(filling).voxels;
}

}  // namespace voxcc::python
