// Instruction sets, chosen at run time. run_on() inlines generic code into one function per set, so the code is compiled three times.
// run_on_avx2() is for code that is not faster with AVX-512; it is compiled twice.
// Packing, comparing, painting and sums also have hand-written versions for some sets.
#pragma once
#include <voxcc/threads.h>

#define VOXCC_INLINE [[gnu::always_inline]] inline

namespace voxcc::block_runs {

#if defined(__x86_64__)
#define VOXCC_X86 1
#define VOXCC_AVX2 gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")
#define VOXCC_AVX512 gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,avx512vbmi,avx512bitalg,avx2,bmi,bmi2,lzcnt,popcnt")

/// Calls body() in a function that is compiled for AVX-512. All calls inside it are inlined. The processor must support Isa::avx512.
template <class Body>
[[VOXCC_AVX512, gnu::flatten, gnu::noinline]] void run_avx512(const Body& body) {
    body();
}
/// Calls body() in a function that is compiled for AVX2. All calls inside it are inlined. The processor must support Isa::avx2.
template <class Body>
[[VOXCC_AVX2, gnu::flatten, gnu::noinline]] void run_avx2(const Body& body) {
    body();
}
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/// Sanitizer builds compile the code once for all sets. The sanitizers check the same source either way, and the build takes half the
/// time.
template <class Body>
void run_on(Isa, const Body& body) {
    body();
}
template <class Body>
void run_on_avx2(Isa, const Body& body) {
    body();
}
#else
/// Calls body(), compiled for `isa`. The processor must support `isa`.
template <class Body>
void run_on(Isa isa, const Body& body) {
    if (isa == Isa::avx512) run_avx512(body);
    else if (isa == Isa::avx2) run_avx2(body);
    else body();
}
/// Calls body(), compiled for AVX2 if `isa` is AVX2 or AVX-512. The processor must support `isa`.
template <class Body>
void run_on_avx2(Isa isa, const Body& body) {
    if (isa == Isa::portable) body();
    else run_avx2(body);
}
#endif
#else
template <class Body>
void run_on(Isa, const Body& body) {
    body();
}
template <class Body>
void run_on_avx2(Isa, const Body& body) {
    body();
}
#endif

}  // namespace voxcc::block_runs
