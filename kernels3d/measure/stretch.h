// Stretches of voxels with equal component numbers in a row.
#pragma once
#include <voxcc/threads.h>

#include "kernels3d/simd/compare.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc {

/// Where the stretches of equal component numbers in a part of a row end. Found with vectors, 64 voxels at a time.
class Stretches {
public:
    static constexpr std::size_t most = 1024;  // voxels of a part
    /// @param components component number of each voxel; 1 to `most` voxels
    template <class Index>
    Stretches(Isa isa, std::span<const Index> components) : voxels_(components.size()) {
        static constexpr std::array<std::uint64_t, words> all = [] {
            std::array<std::uint64_t, words> bits;
            bits.fill(~std::uint64_t{0});
            return bits;
        }();
        const std::size_t last = voxels_ - 1;
        const block_runs::Comparison<Index> with_next{components.data() + 1, all.data(), std::int64_t(last), ends_.data()};
        block_runs::equal_rows<Index>(isa, components.data(), all.data(), {&with_next, 1});
        for (std::size_t w = 0; w <= last / 64; ++w) ends_[w] = w * 64 < last ? ~ends_[w] : ~std::uint64_t{0};
    }
    /// Calls f(first, end) for each stretch in ascending order: voxels `first` to end - 1 have one component number.
    // components {7, 7, 0, 3}  ->  f(0, 2), f(2, 3), f(3, 4)
    template <class F>
    [[gnu::always_inline]] void for_each(F&& f) const {
        std::size_t first = 0;
        for (std::size_t w = 0; w * 64 < voxels_; ++w) {
            for (std::uint64_t rest = ends_[w]; rest != 0; rest &= rest - 1) {
                const std::size_t end = std::min(w * 64 + std::size_t(std::countr_zero(rest)) + 1, voxels_);
                f(first, end), first = end;
                if (first == voxels_) return;
            }
        }
    }

private:
    static constexpr std::size_t words = most / 64;
    std::size_t voxels_;
    std::array<std::uint64_t, words> ends_;  // bit i: voxel i is the last one of its stretch. All bits after the last voxel are set
};

/// Calls f(first, part) for the parts of a row, each of at most Stretches::most voxels, in ascending order.
/// @param f called with the number of the first voxel of the part, and the components of the part
template <class Index, class F>
void for_each_part(std::span<const Index> components, const F& f) {
    for (std::size_t first = 0; first < components.size(); first += Stretches::most)
        f(first, components.subspan(first, std::min(Stretches::most, components.size() - first)));
}

}  // namespace voxcc
