// The executor contract: the interface between algorithms and the machine on which they run. Two classes implement it: CpuExecutor
// (cpu_executor.h) and CudaExecutor (cuda_executor.h). An algorithm is a function template over the executor class. Its phases are
// functors, which must be trivially copyable.
//
//   memory()                          the memory of the executor, which holds its arrays
//   for_each(phase, n, f)             call f(i) for i in [0, n), in any order and in parallel
//   for_each(phase, grid, f)          call f(Cell{x, y, z}) for all cells of the grid; neighbours along x run together
//   for_each_tile<Lanes, Shared>(phase, tiles, f)   call f(tile, t) for t in [0, tiles); a tile has Lanes lanes, which run in steps and
//                                     share one Shared object (tile.h)
//   select(phase, n, is_chosen)       return the i in [0, n) with is_chosen(i), ascending
//   exclusive_scan(phase, n, value, sums)   sums[i] = value(0) + .. + value(i - 1) for i in [0, n)
//   sort_by_key(phase, keys, values)  sort both arrays by ascending key; keys must be distinct
//   fill(phase, array, value)         set all elements
//   fetch(pointer)                    return one value from the memory of the executor
//   fetch(array)                      return all values as a std::vector
//   staging()                         host memory with the fastest copies to and from the executor
//   upload(phase, from, array)        fill the array from host memory; `from` may change after the call
//   send(phase, from, array, first, n)   copy n values from host memory to array[first..]; returns before the copy is complete: `from` must
//                                     not change before wait()
//   download(phase, array, n, to)     copy the first n values to host memory
//   receive(phase, array, n, to)      the same, but returns before the copy is complete; `to` must not be read before wait()
//   receive(phase, pointer, n, to)    the same, from an address in the memory of the executor
//   mark()                            later calls of reach() on other executors wait for the phases that were issued before mark()
//   reach(phase, owner, from, copy)   return an address at which phases of this executor can read the array `from` of the executor
//                                     `owner` of the same class, in the state of owner.mark(); `owner` must not change the array until
//                                     these phases are finished; `copy` is used only if the devices have no direct access to each other
//   enter()                           must be the first call by a host thread that did not make the executor, or that has used another
//                                     executor meanwhile; only one thread may use an executor at a time
//   wait()                            return when all phases are finished
//   set_timing(timing)                choose the phases that phases() reports
//   another()                         return an executor of the same device, whose phases may run in parallel with the phases of this one
//   free_bytes()                      return the approximate number of bytes that can still be allocated
//
// Every phase has a name. phases() returns the time per phase since reset_phases(). A phase ends before the next phase begins.
#pragma once
#include <voxcc/host_device.h>
#include <voxcc/phases.h>
#include <voxcc/volume.h>
#include "kernels3d/exec/memory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace voxcc::exec {

/// An element of a Grid, 0-based.
struct Cell {
    std::uint32_t x, y, z;
};

/// Numbers of elements along x, y and z.
struct Grid {
    std::uint32_t x, y, z;
    VOXCC_HD std::int64_t cells() const { return std::int64_t(x) * y * z; }
};

/// The shape of the blocks in which a GPU processes a grid, in lanes. A functor may choose it with a member `static constexpr Lanes lanes`.
/// The default is 32x8x1, which was the fastest for BUF among 32x8x1, 32x4x2, 64x2x2, 16x4x4, 8x8x4, 8x4x4 and 4x4x4. Affects speed only.
struct Lanes {
    unsigned x, y, z;
};

/// The number of tiles that should be resident on a GPU multiprocessor at the same time, which limits the registers per lane. A functor may
/// choose it with a member `static constexpr int resident`; the default is 1. Affects speed only.
template <class F>
constexpr int resident_of() {
    if constexpr (requires { F::resident; }) return F::resident;
    else return 1;
}

using voxcc::Phase;
using voxcc::Timing;

/// Adds one call to the phase of this name, or appends a new phase.
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
