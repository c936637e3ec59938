#include "kernels3d/measure/labelled_slice.h"

#include <voxcc/label.h>

#include <algorithm>
#include <bit>

namespace voxcc {
namespace {

/// A list of the labels of the voxels, with the columns of each label.
void append_list(std::vector<LabelledColumns>& lists, const std::uint32_t* labels, std::uint64_t voxels) {
    const auto begin = std::ptrdiff_t(lists.size());
    for (; voxels; voxels &= voxels - 1) {
        const int x = std::countr_zero(voxels);
        auto at = std::find_if(lists.begin() + begin, lists.end(), [&](const LabelledColumns& part) { return part.label == labels[x]; });
        if (at == lists.end()) at = lists.insert(at, {labels[x], 0});
        at->columns |= std::uint64_t{1} << x;
    }
    lists.push_back({});
}

}  // namespace

void LabelledSlice::set_row(std::int64_t y, const std::uint32_t* labels, std::int64_t nx) {
    for (std::int64_t w = 0; w < words_; ++w) {
        const std::uint32_t* const from = labels + 64 * w;
        const std::int64_t n = std::min<std::int64_t>(64, nx - 64 * w);
        std::uint32_t most = 0;
        for (std::int64_t x = 0; x < n; ++x) most = std::max(most, from[x]);
        std::uint64_t voxels = 0, others = 0;
        if (most != 0) {
            for (std::int64_t x = 0; x < n; ++x) voxels |= std::uint64_t(from[x] != 0) << x;
            for (std::int64_t x = 0; x < n; ++x) others |= std::uint64_t(from[x] != most) << x;
        }
        const auto i = std::size_t(row(y) + w);
        const bool one_label = (voxels & others) == 0;
        bits[i] = voxels;
        label[i] = one_label ? most : several;
        if (one_label) continue;
        list[i] = std::uint32_t(lists.size());
        append_list(lists, from, voxels);
    }
}

void LabelledSlice::copy_row(std::int64_t from, std::int64_t to) {
    const auto copy = [&](auto& array) {
        std::copy_n(array.begin() + std::ptrdiff_t(row(from)), words_, array.begin() + std::ptrdiff_t(row(to)));
    };
    copy(bits), copy(label), copy(list);
}

}  // namespace voxcc
