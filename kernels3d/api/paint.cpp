#include <voxcc/label.h>

#include "kernels3d/base/abilities.h"
#include "kernels3d/base/resident_memory.h"
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <cstring>
#include <optional>

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
void stream_rows(const Labelling& labelling, RowRange rows, std::int64_t row_bytes, std::byte* out) {
    if ((reinterpret_cast<std::uintptr_t>(out) | std::uintptr_t(row_bytes)) % 64 == 0) return labelling.paint(rows, out, Stores::streaming);
    constexpr std::int64_t buffer_bytes = std::int64_t{1} << 14;
    const std::int64_t at_once = std::clamp<std::int64_t>(buffer_bytes / row_bytes, 1, rows.count);
    std::vector<std::byte> buffer(std::size_t(at_once * row_bytes));
    for (std::int64_t row = rows.first; row < rows.end(); row += at_once) {
        const std::int64_t count = std::min(at_once, rows.end() - row);
        labelling.paint({row, count}, buffer.data(), Stores::cached);
        block_runs::stream_copy(buffer.data(), count * row_bytes, out);
        out += count * row_bytes;
    }
}

/// Paints rows whose labels do not lie side by side. Many rows are painted into a buffer at a time, so that the labels of a column are
/// written together: they lie near each other if the rows are along the axis with the smallest stride.
class ScatteredRows {
public:
    ScatteredRows(const Labelling& labelling, const Extent& extent, const LabelView& labels)
        : labelling_(labelling), extent_(extent), labels_(labels), size_(size_of(labels.type)) {
        const bool any_order = dynamic_cast<const PaintsInAnyOrder*>(&labelling) != nullptr;
        along_z_ = any_order && std::abs(labels.strides[2]) < std::abs(labels.strides[1]);
        // An odd number of cache lines: with a power of two, the labels of a column would share few places of the cache.
        pitch_ = ((extent.nx * size_ + 63) / 64 | 1) * 64;
        most_rows_ = std::clamp<std::int64_t>(most_buffer_bytes / pitch_, 1, 64);
    }
    std::int64_t tiles() const { return (along() + most_rows_ - 1) / most_rows_ * across(); }

    /// The rows of a tile are side by side along y, or along z.
    void paint(std::int64_t tile) const {
        const std::int64_t per_slice = (along() + most_rows_ - 1) / most_rows_;
        const std::int64_t first = (along_z_ ? tile / across() : tile % per_slice) * most_rows_;
        const std::int64_t other = along_z_ ? tile % across() : tile / per_slice;
        const std::int64_t rows = std::min(most_rows_, along() - first);
        std::vector<std::byte> buffer(std::size_t(rows * pitch_));
        for (std::int64_t i = 0; i < rows; ++i) {
            const std::int64_t y = along_z_ ? other : first + i, z = along_z_ ? first + i : other;
            labelling_.paint({z * extent_.ny + y, 1}, buffer.data() + i * pitch_, Stores::cached);
        }
        std::byte* const to = labels_.labels + first * labels_.strides[along_z_ ? 2 : 1] + other * labels_.strides[along_z_ ? 1 : 2];
        visit_scalar(labels_.type, [&]<class T>(std::type_identity<T>) { scatter<T>(buffer.data(), rows, to); });
    }

private:
    static constexpr std::int64_t most_buffer_bytes = std::int64_t{1} << 18;

    std::int64_t along() const { return along_z_ ? extent_.nz : extent_.ny; }
    std::int64_t across() const { return along_z_ ? extent_.ny : extent_.nz; }

    /// Copies the labels of the buffer, one column of rows after the other.
    template <class T>
    void scatter(const std::byte* from, std::int64_t rows, std::byte* to) const {
        const std::int64_t stride = labels_.strides[along_z_ ? 2 : 1];
        for (std::int64_t x = 0; x < extent_.nx; ++x, from += sizeof(T), to += labels_.strides[0])
            for (std::int64_t i = 0; i < rows; ++i) std::memcpy(to + i * stride, from + i * pitch_, sizeof(T));
    }

    const Labelling& labelling_;
    const Extent& extent_;
    const LabelView& labels_;
    std::int64_t size_, pitch_, most_rows_;
    bool along_z_;
};

}  // namespace

void paint(Labelling& labelling, const Extent& extent, const LabelView& labels, std::span<const std::uint64_t> final_numbers,
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
    labelling.prepare_paint(labels.type, final_numbers);
    if (!in_place) {
        const ScatteredRows scattered(labelling, extent, labels);
        return pool.for_each(scattered.tiles(), [&](std::int64_t tile) {
            before_rows();
            scattered.paint(tile);
        });
    }
    // Pages that the kernel clears at the first access are in the caches already, so stores past the caches would make painting slower.
    std::optional<ResidentMemory> memory;
    if (rows_follow && rows * row_bytes >= least_streamed_bytes) memory.emplace(std::span(labels.labels, std::size_t(rows * row_bytes)));
    const std::int64_t rows_per_task = std::max(least_rows, least_bytes / row_bytes);
    pool.for_each((rows + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
        before_rows();
        const RowRange range{task * rows_per_task, std::min(rows_per_task, rows - task * rows_per_task)};
        if (memory && memory->is_resident(std::size_t(range.first * row_bytes)))
            return stream_rows(labelling, range, row_bytes, row_at(range.first));
        if (rows_follow) return labelling.paint(range, row_at(range.first), Stores::cached);
        for (std::int64_t row = range.first; row < range.end(); ++row) labelling.paint({row, 1}, row_at(row), Stores::cached);
    });
}

void Labelling::paint(const LabelView& labels, std::span<const std::uint64_t> final_numbers) {
    voxcc::paint(*this, owned_.extent, labels, final_numbers, *owned_.pool);
}

}  // namespace voxcc
