// Passes over a volume until one changes nothing.
//
// Within a pass a load may give an older value. In a pass that stores nothing there are none: what it reads are the values that the passes
// before have left, so that a pass without a change is a proof that the labels are final.
#pragma once
#include "kernels3d/exec/atomic.h"
#include "kernels3d/exec/memory.h"
#include "kernels3d/exec/pointer.h"

#include <cstdint>

namespace voxcc::algorithms {

/// A pass calls it when it changes a word. The number of the pass is stored, so that the flag need not be reset between passes.
struct Changed {
    exec::Pointer<std::uint32_t> last;
    std::uint32_t pass;
    VOXCC_HD void operator()() const { exec::store(last, pass); }
};

/// pass(Changed), again and again, at least once.
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
