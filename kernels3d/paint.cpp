#include <voxcc/paint.h>

#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <cstring>

namespace voxcc {
namespace {

// A task has at least this many rows and bytes: a task with fewer bytes would take as long to start as to paint.
constexpr std::int64_t least_rows = 64, least_bytes = std::int64_t{1} << 17;

std::uint64_t largest(ScalarType type) {
    return visit_scalar(type, []<class T>(std::type_identity<T>) -> std::uint64_t {
        if constexpr (std::is_integral_v<T>) return std::uint64_t(std::numeric_limits<T>::max());
        else throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
    });
}

// From this many bytes on, labels are not expected to fit in the caches.
constexpr std::int64_t least_streamed_bytes = std::int64_t{32} << 20;

/// Paints rows that follow each other in memory, with stores that bypass the caches. Labels of any address are painted into a small buffer
/// first: such stores must begin at a multiple of 64 bytes, and NumPy arrays do not.
void stream_rows(const block_runs::Labelling& labelling, RowRange rows, std::int64_t row_bytes, std::byte* out) {
    if ((reinterpret_cast<std::uintptr_t>(out) | std::uintptr_t(row_bytes)) % 64 == 0)
        return labelling.paint(rows, out, block_runs::Stores::streaming);
    constexpr std::int64_t buffer_bytes = std::int64_t{1} << 14;
    const std::int64_t at_once = std::clamp<std::int64_t>(buffer_bytes / row_bytes, 1, rows.count);
    std::vector<std::byte> buffer(std::size_t(at_once * row_bytes));
    for (std::int64_t row = rows.first; row < rows.end(); row += at_once) {
        const std::int64_t count = std::min(at_once, rows.end() - row);
        labelling.paint({row, count}, buffer.data(), block_runs::Stores::cached);
        block_runs::stream_copy(buffer.data(), count * row_bytes, out);
        out += count * row_bytes;
    }
}

/// Copies n labels of type T, side by side in `from`, to addresses that are `stride` bytes apart.
template <class T>
void scatter(const std::byte* from, std::int64_t n, std::byte* to, std::int64_t stride) {
    for (std::int64_t x = 0; x < n; ++x, to += stride) std::memcpy(to, from + x * std::int64_t(sizeof(T)), sizeof(T));
}

}  // namespace

void paint(block_runs::Labelling& labelling, const Extent& extent, const LabelView& labels, std::span<const std::uint64_t> final_numbers,
           ThreadPool& pool, const std::function<void()>& before_rows) {
    const std::uint64_t most = final_numbers.empty() ? labelling.count() : *std::max_element(final_numbers.begin(), final_numbers.end());
    if (most > largest(labels.type))
        throw Error(ErrorKind::labels_too_large, "labels",
                    std::to_string(most) + " does not fit " + std::string(name_of(labels.type)) + "; use a wider type");
    const std::int64_t bytes = size_of(labels.type), row_bytes = extent.nx * bytes, rows = extent.rows();
    const auto row_at = [&](std::int64_t row) {
        return labels.labels + row % extent.ny * labels.strides[1] + row / extent.ny * labels.strides[2];
    };
    const bool rows_follow = labels.strides == dense(extent, bytes), in_place = labels.strides[0] == bytes || extent.nx == 1;
    const std::int64_t rows_per_task = std::max(least_rows, least_bytes / row_bytes);
    const bool streamed = rows_follow && rows * row_bytes >= least_streamed_bytes;
    labelling.prepare_paint(labels.type, final_numbers);
    pool.for_each((rows + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
        before_rows();
        const RowRange range{task * rows_per_task, std::min(rows_per_task, rows - task * rows_per_task)};
        if (streamed) return stream_rows(labelling, range, row_bytes, row_at(range.first));
        if (rows_follow) return labelling.paint(range, row_at(range.first), block_runs::Stores::cached);
        std::vector<std::byte> buffer(static_cast<std::size_t>(in_place ? 0 : row_bytes));
        for (std::int64_t row = range.first; row < range.end(); ++row) {
            if (in_place) {
                labelling.paint({row, 1}, row_at(row), block_runs::Stores::cached);
                continue;
            }
            labelling.paint({row, 1}, buffer.data(), block_runs::Stores::cached);
            visit_scalar(labels.type,
                         [&]<class T>(std::type_identity<T>) { scatter<T>(buffer.data(), extent.nx, row_at(row), labels.strides[0]); });
        }
    });
}

}  // namespace voxcc
