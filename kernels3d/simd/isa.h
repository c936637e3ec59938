// Instruction sets, chosen at run time. run_on() inlines generic code into one function per set, so that it is compiled three times.
// Packing, comparing, painting and sums have hand-written versions for some sets.
#pragma once
#include <cstdint>

#define VOXCC_INLINE [[gnu::always_inline]] inline

namespace voxcc::block_runs {

enum class Isa : std::uint8_t { portable, avx2, avx512 };

constexpr const char* name_of(Isa isa) { return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable"; }

#if defined(__x86_64__)
#define VOXCC_X86 1
#define VOXCC_AVX2 gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")
#define VOXCC_AVX512 gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,avx512vbmi,avx512bitalg,avx2,bmi,bmi2,lzcnt,popcnt")

inline bool supports(Isa isa) {
    switch (isa) {
        case Isa::avx512:
            return __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg") &&
                   __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq");
        case Isa::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
        default: return true;
    }
}
template <class Body>
[[VOXCC_AVX512, gnu::flatten, gnu::noinline]] void run_avx512(const Body& body) {
    body();
}
template <class Body>
[[VOXCC_AVX2, gnu::flatten, gnu::noinline]] void run_avx2(const Body& body) {
    body();
}
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/// Sanitizers look at the text, which is the same for all sets: compiled once, it takes them half the time.
template <class Body>
void run_on(Isa, const Body& body) {
    body();
}
#else
template <class Body>
void run_on(Isa isa, const Body& body) {
    if (isa == Isa::avx512) run_avx512(body);
    else if (isa == Isa::avx2) run_avx2(body);
    else body();
}
#endif
#else
inline bool supports(Isa isa) { return isa == Isa::portable; }
template <class Body>
void run_on(Isa, const Body& body) {
    body();
}
#endif

inline Isa best_isa() { return supports(Isa::avx512) ? Isa::avx512 : supports(Isa::avx2) ? Isa::avx2 : Isa::portable; }

}  // namespace voxcc::block_runs
