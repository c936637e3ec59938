#include "kernels3d/simd/isa.h"

namespace voxcc::block_runs {

bool supports(Isa isa) {
    switch (isa) {
#ifdef VOXCC_X86
        case Isa::avx512:
            return __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg") &&
                   __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq");
        case Isa::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#endif
        default: return isa == Isa::portable;
    }
}

Isa best_isa() {
    static const Isa best = supports(Isa::avx512) ? Isa::avx512 : supports(Isa::avx2) ? Isa::avx2 : Isa::portable;
    return best;
}

}  // namespace voxcc::block_runs
