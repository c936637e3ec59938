// The executor contract: the interface between algorithms and the machine on which they run, as concepts.
//
//   MemoryOwner       has memory for arrays                                    NoExecutor (gpu_slabs/plan.h), which runs nothing
//   PhaseExecutor     runs phases; sufficient for the published algorithms     the counting executor (lab/algorithms/count_accesses.cpp)
//   TransferExecutor  also copies to and from host memory, in streams          CpuExecutor, CudaExecutor
//
// An algorithm is a function template over the executor class. Its phases are functors, which must be trivially copyable.
//
// Every phase has a name. A phase ends before the next phase begins.
#pragma once
#include <voxcc/volume.h>
#include "kernels3d/base/host_device.h"
#include "kernels3d/exec/memory.h"
#include "kernels3d/exec/phases.h"

#include <concepts>
#include <cstdint>
#include <memory>
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

/// The number of tiles, or of blocks of cells, that should be resident on a GPU multiprocessor at the same time. This limits the registers
/// per lane. A functor may choose it with a member `static constexpr int resident`; the default is 1. Affects speed only.
template <class F>
constexpr int resident_of() {
    if constexpr (requires { F::resident; }) return F::resident;
    else return 1;
}

/// When a GPU may start the tiles of a phase: early, while the last tiles of the phase before run, or late, after them. Their work never
/// overlaps. A functor may choose it with a member `static constexpr Start start`; the default is early. Affects speed only.
enum class Start : std::uint8_t { early, late };
template <class F>
constexpr Start start_of() {
    if constexpr (requires { F::start; }) return F::start;
    else return Start::early;
}

using voxcc::Phase;
using voxcc::Timing;

/// Adds one call to the phase of this name, or appends a new phase.
inline void add_phase(std::vector<Phase>& phases, const char* name, double milliseconds) {
    for (Phase& phase : phases)
        if (phase.name == name) {
            phase.milliseconds += milliseconds;
            ++phase.calls;
            phase.each.push_back(milliseconds);
            return;
        }
    phases.push_back({name, milliseconds, 1, {milliseconds}});
}

/// Work for the requirements below; never runs.
namespace example {
struct OnIndex {
    void operator()(std::int64_t) const;
};
struct OnCell {
    void operator()(const Cell&) const;
};
struct OnTile {
    template <class Tile>
    void operator()(Tile& tile, std::int64_t t) const;
};
struct IsChosen {
    bool operator()(std::int64_t) const;
};
struct Value {
    std::uint32_t operator()(std::int64_t) const;
};
struct Work {
    void operator()() const;
};
struct Shared {
    std::uint32_t word;
};
}  // namespace example

template <class E>
concept MemoryOwner = requires(E& executor) {
    // The memory of the executor, which holds its arrays.
    { executor.memory() } -> std::same_as<Memory&>;
};

template <class E>
concept PhaseExecutor = MemoryOwner<E> &&
    requires(E& executor, const char* phase, std::int64_t n, const Grid& grid, Array<std::uint32_t>& array, const std::uint32_t* pointer) {
    // Calls f(i) for i in [0, n), in any order and in parallel.
    executor.for_each(phase, n, example::OnIndex{});
    // Calls f(Cell{x, y, z}) for all cells of the grid; neighbours along x run together.
    executor.for_each(phase, grid, example::OnCell{});
    // Calls f(tile, t) for t in [0, n). A tile has Lanes lanes, which run in steps and share one Shared object (tile.h).
    executor.template for_each_tile<32, example::Shared>(phase, n, example::OnTile{});
    // The i in [0, n) with is_chosen(i), ascending.
    { executor.select(phase, n, example::IsChosen{}) } -> std::same_as<Array<std::uint32_t>>;
    // Sorts keys and values by ascending key. Keys must be distinct.
    executor.sort_by_key(phase, array, array);
    // Replaces array[i] by array[0] + .. + array[i] for all i.
    executor.inclusive_scan(phase, array);
    // Sets all elements.
    executor.fill(phase, array, std::uint32_t{});
    // One value from the memory of the executor.
    { executor.fetch(pointer) } -> std::same_as<std::uint32_t>;
    // All values of an array.
    { executor.fetch(array) } -> std::same_as<std::vector<std::uint32_t>>;
};

template <class E>
concept TransferExecutor = PhaseExecutor<E> &&
    requires(E& executor, E& owner, const char* phase, std::int64_t first, std::int64_t n, Array<std::uint32_t>& array,
             const Array<std::uint32_t>& from, const std::uint32_t* pointer, std::uint32_t* to, Timing timing) {
    // sums[i] = value(0) + .. + value(i - 1) for i in [0, n).
    executor.exclusive_scan(phase, n, example::Value{}, array);
    // Host memory with the fastest copies to and from the executor.
    { executor.staging() } -> std::same_as<Memory&>;
    // Fills the array from host memory. The host memory may change after the call.
    executor.upload(phase, pointer, array);
    // Copies n values from host memory to array[first..]. Returns before the copy is complete: the host memory must not change before
    // wait().
    executor.send(phase, pointer, array, first, n);
    // Copies the first n values to host memory.
    executor.download(phase, from, n, to);
    // The same, from an array or an address in the memory of the executor. Returns before the copy is complete: `to` must not be read
    // before wait().
    executor.receive(phase, from, n, to);
    executor.receive(phase, pointer, n, to);
    // Later calls of reach() on other executors wait for the phases that were issued before mark().
    executor.mark();
    // Returns when the phases that were issued before the last mark() are finished. mark() must have been called.
    executor.wait_for_mark();
    // An address at which phases of this executor can read the array `from` of the executor `owner` of the same class, in the state of
    // owner.mark(). `owner` must not change the array until these phases are finished. The last array receives a copy; it is used only if
    // the devices have no direct access to each other.
    { executor.reach(phase, owner, from, array) } -> std::same_as<const std::uint32_t*>;
    // Must be the first call by a host thread that did not make the executor, or that has used another executor meanwhile. Only one
    // thread may use an executor at a time.
    executor.enter();
    // Returns when all phases are finished.
    executor.wait();
    // An executor of the same device, whose phases may run in parallel with the phases of this one.
    { executor.another() } -> std::same_as<std::unique_ptr<E>>;
    // The approximate number of bytes that can still be allocated.
    { executor.free_bytes() } -> std::same_as<std::size_t>;
    // Calls work(), whose phases are reported as one phase.
    executor.in_one_phase(phase, example::Work{});
    // Chooses the phases that phases() reports.
    executor.set_timing(timing);
    // The time per phase since reset_phases().
    { executor.phases() } -> std::same_as<std::vector<Phase>>;
    executor.reset_phases();
};

}  // namespace voxcc::exec
