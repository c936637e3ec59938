// What the published algorithms ask of the machine they run on. Two classes keep this contract: CpuExecutor (cpu_executor.h) and
// CudaExecutor (cuda_executor.h); an algorithm is a function template over them, its phases are trivially copyable functors.
//
//   memory()                          where the executor's arrays live
//   for_each(phase, n, f)             f(i) for i in 0..n-1, in any order, at once
//   for_each(phase, grid, f)          f(Cell{x, y, z}) for all cells of the grid; neighbours along x run together
//   for_each_tile<Lanes, Shared>(phase, tiles, f)   f(tile, t) for t in 0..tiles-1: Lanes lanes that meet and share memory (tile.h)
//   select(phase, n, is_chosen)       the i with is_chosen(i), ascending
//   exclusive_scan(phase, n, value, sums)   sums[i] = value(0) + .. + value(i - 1) for i in 0..n-1
//   sort_by_key(phase, keys, values)  both by ascending key; keys are distinct
//   fill(phase, array, value)
//   fetch(pointer)                    one value from the executor's memory
//   fetch(array)                      all values, as a std::vector
//   staging()                         host memory from and to which copies are fastest
//   upload(phase, from, array)        fills the array from host memory, which may change afterwards
//   send(phase, from, array, first, n)   the array's values from `first` on; returns at once, `from` must stay as it is until wait()
//   download(phase, array, n, to)     the first n values to host memory
//   receive(phase, array, n, to)      the same; returns at once, they are there after wait()
//   receive(phase, pointer, n, to)    the same, from a place in the executor's memory
//   mark()                            what others reach() from now on is what is there when the phases so far are over
//   reach(phase, owner, from, copy)   where the executor's phases can read an array of another executor of the class, as of that one's
//                                     mark(), which must leave it alone until they are over; a copy only where devices do not see each
//                                     other
//   enter()                           to be called first by a host thread other than the one that made the executor, or that has used
//                                     another executor meanwhile; one thread at a time
//   wait()                            returns when all phases are over
//   set_timing(timing)                which phases phases() tells
//   another()                         an executor of the same device, whose phases may run beside this one's
//   free_bytes()                      what arrays can still take, about
//
// Every phase is named; phases() says what each has taken since reset_phases(). A phase is over before the next begins.
#pragma once
#include <voxcc/host_device.h>
#include <voxcc/volume.h>
#include "kernels3d/exec/memory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace voxcc::exec {

struct Cell {
    std::uint32_t x, y, z;
};

struct Grid {
    std::uint32_t x, y, z;
    VOXCC_HD std::int64_t cells() const { return std::int64_t(x) * y * z; }
};

/// How a GPU cuts a grid for a functor that has a member `static constexpr Lanes lanes`; 32x8x1 for the others, which of 32x8x1, 32x4x2,
/// 64x2x2, 16x4x4, 8x8x4, 8x4x4 and 4x4x4 was the fastest for BUF. A speed matter only.
struct Lanes {
    unsigned x, y, z;
};

/// How many blocks of a phase over tiles a GPU's processor shall hold at once, for a functor that has a member `static constexpr int
/// resident`: the compiler limits registers to that. A speed matter only.
template <class F>
constexpr int resident_of() {
    if constexpr (requires { F::resident; }) return F::resident;
    else return 1;
}

struct Phase {
    std::string name;
    double milliseconds = 0;  // all calls of that name together
    int calls = 0;
};

/// Which phases phases() tells: each, only those that lie in no other, or none. On a GPU the events of each are a part of a short run.
enum class Timing : std::uint8_t { each, outermost, none };

inline void add_phase(std::vector<Phase>& phases, const char* name, double milliseconds) {
    for (Phase& phase : phases)
        if (phase.name == name) {
            phase.milliseconds += milliseconds;
            ++phase.calls;
            return;
        }
    phases.push_back({name, milliseconds, 1});
}

}  // namespace voxcc::exec
