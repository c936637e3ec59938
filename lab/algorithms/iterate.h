// Repeats a pass over a volume until the pass changes nothing.
//
// Within a pass, a load may return an older value of a word. In a pass that stores nothing, all loads return the final values of the
// earlier passes. A pass without a change therefore proves that the labels are final.
#pragma once
#include "kernels3d/exec/atomic.h"
#include "kernels3d/exec/memory.h"
#include "kernels3d/exec/pointer.h"

#include <cstdint>

namespace voxcc::algorithms {

/// A flag that a pass must set, by calling it, when the pass changes a word. The call stores the number of the pass. The flag therefore
/// needs no reset between passes. Thread-safe.
struct Changed {
    exec::Pointer<std::uint32_t> last;
    std::uint32_t pass;
    VOXCC_HD void operator()() const { exec::store(last, pass); }
};

/// Calls pass(Changed), with pass numbers 1, 2, ..., until a call does not set the flag.
template <class Executor, class Pass>
void until_stable(Executor& executor, const Pass& pass) {
    exec::Array<std::uint32_t> last(executor.memory(), 1);
    executor.fill("init", last, std::uint32_t{0});
    for (std::uint32_t n = 1;; ++n) {
        pass(Changed{last.data(), n});
        if (executor.fetch(last.data()) != n) return;
    }
}

}  // namespace voxcc::algorithms
