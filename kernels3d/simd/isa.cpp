#include "kernels3d/simd/isa.h"

#include <voxcc/error.h>

#include <atomic>

namespace voxcc {
namespace {

std::atomic<Isa>& stored_default() {
    static std::atomic<Isa> isa = best_isa();
    return isa;
}

}  // namespace

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

Isa best_isa() noexcept {
    static const Isa best = supports(Isa::avx512) ? Isa::avx512 : supports(Isa::avx2) ? Isa::avx2 : Isa::portable;
    return best;
}

Isa default_isa() noexcept { return stored_default(); }

void set_default_isa(Isa isa) {
    if (!supports(isa)) {
        std::string choices;
        for (const Isa other : all_isas)
            if (supports(other)) choices += (choices.empty() ? "" : ", ") + std::string(name_of(other));
        throw Error(ErrorKind::no_device, std::string("isa ") + name_of(isa), "this processor does not support the instruction set",
                    choices);
    }
    stored_default() = isa;
}

}  // namespace voxcc
