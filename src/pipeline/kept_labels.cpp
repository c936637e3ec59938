#include "src/pipeline/kept_labels.h"

#include <algorithm>
#include <cstring>

namespace voxcc {
namespace {

/// Calls f with a null pointer to the type of the labels, which is an integer type.
template <class F>
void visit_labels(ScalarType type, const F& f) {
    visit_scalar(type, [&]<class T>(std::type_identity<T> of_type) {
        if constexpr (std::is_integral_v<T>) f(of_type);
        else throw Error(ErrorKind::internal, "labels", "labels of a floating-point type");
    });
}

}  // namespace

KeptLabels::KeptLabels(LabelSource& labels, const Extent& extent)
    : LabelSource(labels.value_type(), extent.nx, Access::concurrent), nx_(extent.nx) {
    const std::int64_t rows = extent.rows(), step = labels.rows_per_fetch();
    std::vector<std::byte> buffer;
    rows_.reserve(std::size_t(rows) + 1);
    visit_labels(value_type(), [&]<class T>(std::type_identity<T>) {
        for (std::int64_t first = 0; first < rows; first += step) {
            const RowRange range{first, std::min(step, rows - first)};
            const std::byte* const fetched = labels.fetch(range, buffer);
            for (std::int64_t i = 0; i < range.count; ++i) add_row(reinterpret_cast<const T*>(labels.values(fetched, range, i)));
        }
    });
}

template <class T>
void KeptLabels::add_row(const T* labels) {
    const auto columns = std::uint32_t(nx_);
    for (std::uint32_t first = 0, end = 0; first < columns; first = end) {
        const T label = labels[first];
        for (end = first + 1; end < columns && labels[end] == label;) ++end;
        if (label != 0) runs_.push_back({std::uint64_t(std::int64_t(label)), first, end});
    }
    rows_.push_back(runs_.size());
}

const std::byte* KeptLabels::fetch(RowRange rows, std::vector<std::byte>& buffer) {
    buffer.resize(std::size_t(rows.count * row_bytes()));
    std::memset(buffer.data(), 0, buffer.size());
    visit_labels(value_type(), [&]<class T>(std::type_identity<T>) {
        auto* row = reinterpret_cast<T*>(buffer.data());
        for (std::int64_t i = rows.first; i < rows.end(); ++i, row += nx_)
            for (std::size_t run = rows_[std::size_t(i)]; run < rows_[std::size_t(i) + 1]; ++run)
                std::fill(row + runs_[run].first, row + runs_[run].end, T(runs_[run].label));
    });
    return buffer.data();
}

}  // namespace voxcc
