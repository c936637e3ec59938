// The portable version of near_row(), and the choice of a version by instruction set.
#include "kernels3d/simd/near.h"

#include "kernels3d/simd/compare_sets.h"
#include "kernels3d/simd/near_limit.h"
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace voxcc::block_runs {
namespace {

template <class T>
void near_row_portable(const T* a, const T* b, const Bound& most, std::int64_t n, std::uint64_t* bits) {
    const auto limit = [&] {
        if constexpr (std::is_integral_v<T>) return whole_limit<T>(most);
        else return most.real;
    }();
    for (std::int64_t first = 0; first < n; first += 64) {
        const std::int64_t count = std::min<std::int64_t>(64, n - first);
        std::uint64_t word = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            if constexpr (std::is_integral_v<T>) word |= std::uint64_t(is_near(a[first + i], b[first + i], limit)) << i;
            else word |= std::uint64_t(is_near(double(a[first + i]), double(b[first + i]), limit)) << i;
        }
        bits[first / 64] = word;
    }
}

}  // namespace

template <class T>
void near_row(Isa isa, const T* a, const T* b, const Bound& most, std::int64_t n, std::uint64_t* bits) {
#ifdef VOXCC_X86
    if (std::is_integral_v<T> || most.real < double(std::numeric_limits<T>::max())) {
        const NearLimit<T> limit(most);
        if (isa == Isa::avx512) return near_row_avx512(a, b, limit, n, bits);
        if (isa == Isa::avx2) return near_row_avx2(a, b, limit, n, bits);
    }
#endif
    (void)isa;
    near_row_portable(a, b, most, n, bits);
}

NearRows::NearRows(Isa isa, ScalarType type, const Bound& most) : isa_(isa), most_(most), value_bytes_(size_of(type)) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        compare_ = [](Isa set, const std::byte* a, const std::byte* b, const Bound& limit, std::int64_t n, std::uint64_t* bits) {
            near_row(set, reinterpret_cast<const T*>(a), reinterpret_cast<const T*>(b), limit, n, bits);
        };
    });
}

#define VOXCC_NEAR(T) template void near_row<T>(Isa, const T*, const T*, const Bound&, std::int64_t, std::uint64_t*);
VOXCC_NEAR(std::uint8_t)
VOXCC_NEAR(std::int8_t)
VOXCC_NEAR(std::uint16_t)
VOXCC_NEAR(std::int16_t)
VOXCC_NEAR(std::uint32_t)
VOXCC_NEAR(std::int32_t)
VOXCC_NEAR(std::uint64_t)
VOXCC_NEAR(std::int64_t)
VOXCC_NEAR(float)
VOXCC_NEAR(double)
#undef VOXCC_NEAR

}  // namespace voxcc::block_runs
