// A tile: a group of lanes that work together. It is a thread block on a GPU and a loop on the CPU. The work of a tile is a sequence of
// steps. All lanes end a step before the next step begins. Values that a lane writes to `shared` in a step are visible to all lanes in the
// next step.
//
//   struct Work {
//       template <class Tile> VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
//           typename Tile::template PerLane<std::uint32_t> mine;
//           tile.each([&](int lane) { mine[lane] = ...; tile.shared.row[lane] = mine[lane]; });
//           tile.each([&](int lane) { ... tile.shared.row[lane ^ 1] ... });
//           while (tile.any([&](int lane) { return ...; })) ...
//       }
//   };
#pragma once
#include "kernels3d/base/host_device.h"

#include <cstdint>

namespace voxcc::exec {

/// Runs the lanes of each step one after the other.
template <int Lanes, class Shared>
class CpuTile {
public:
    static constexpr int lanes = Lanes;
    /// One value per lane that is kept from step to step.
    template <class T>
    class PerLane {
    public:
        T& operator[](int lane) { return values_[lane]; }

    private:
        T values_[Lanes];
    };

    explicit CpuTile(Shared& s) : shared(s) {}
    Shared& shared;

    /// Tells a GPU compiler the range of lanes, for the steps that follow. It then divides by shifts, leaves out loops and uses more
    /// registers. This makes some phases faster and others slower.
    void know_lanes() {}

    /// One step: calls step(lane) for every lane.
    template <class Step>
    void each(const Step& step) {
        for (int lane = 0; lane < Lanes; ++lane) step(lane);
    }
    /// One step of Count rounds: calls step(lane, round) for every lane and every round in [0, Count), in ascending order of rounds per
    /// lane. On a GPU, the lanes of a warp wait for each other after each round. Otherwise lanes with longer loops in one round stay behind
    /// in all later rounds, and the warp executes each round several times with a few active lanes.
    template <int Count, class Step>
    void rounds(const Step& step) {
        for (int round = 0; round < Count; ++round)
            for (int lane = 0; lane < Lanes; ++lane) step(lane, round);
    }
    /// One step: calls step(lane) for every lane. @return whether any call returned true
    template <class Step>
    bool any(const Step& step) {
        bool found = false;
        for (int lane = 0; lane < Lanes; ++lane) found = step(lane) || found;
        return found;
    }
    /// One step: bit i % 32 of words[i / 32] becomes test(i), for i in [0, n). Further bits of the last word become 0.
    template <class Test>
    void test(std::uint32_t n, std::uint32_t* words, const Test& test) {
        for (std::uint32_t first = 0; first < n; first += 32) {
            std::uint32_t word = 0;
            for (std::uint32_t i = first; i < n && i < first + 32; ++i) word |= std::uint32_t(bool(test(i))) << (i - first);
            words[first / 32] = word;
        }
    }
    /// One step: prefix sums of 64 counts. Calls count(i) once for each i in [0, 64), and also(lane) for every lane.
    /// @param sums receives 65 values: sums[i] = count(0) + .. + count(i - 1)
    template <class Count, class Also>
    void scan64(std::uint32_t* sums, const Count& count, const Also& also) {
        std::uint32_t sum = 0;
        for (int i = 0; i < 64; ++i) {
            sums[i] = sum;
            sum += count(i);
        }
        sums[64] = sum;
        each(also);
    }
    /// One step: combines parts of lanes with the same key where this is cheap, and calls use(key, combined part). A key can be used more
    /// than once, from any lane.
    /// @param keys one key per lane; a lane with the key `none` has no part
    /// @param parts Part must have an array word[Part::words]. The first Part::sums words are added, the others combined by bitwise or.
    template <class Part, class Use>
    void combine(PerLane<std::uint32_t>& keys, PerLane<Part>& parts, std::uint32_t none, const Use& use) {
        for (int lane = 0; lane < Lanes; ++lane)
            if (keys[lane] != none) use(keys[lane], parts[lane]);
    }
    /// One step: a vote of each group of 32 lanes. Bit l of votes[k] is step(k / 32 * 32 + l).
    template <class Step>
    void ballot(PerLane<std::uint32_t>& votes, const Step& step) {
        for (int first = 0; first < Lanes; first += 32) {
            std::uint32_t vote = 0;
            for (int l = 0; l < 32 && first + l < Lanes; ++l) vote |= std::uint32_t(bool(step(first + l))) << l;
            for (int l = 0; l < 32 && first + l < Lanes; ++l) votes[first + l] = vote;
        }
    }
    /// One step: transposes a bit matrix per group of 32 lanes. step(lane) returns a row of `Bits` bits. Then lane j < Bits of each group
    /// calls take(lane, column): bit l of `column` is bit j of the row of lane l of the group.
    template <int Bits, class Step, class Take>
    void transpose(const Step& step, const Take& take) {
        static_assert(Bits <= 32 && Lanes % 32 == 0);
        for (int first = 0; first < Lanes; first += 32) {
            std::uint32_t columns[Bits] = {};
            for (int l = 0; l < 32; ++l) {
                const std::uint32_t bits = step(first + l);
                for (int j = 0; j < Bits; ++j) columns[j] |= (bits >> j & 1) << l;
            }
            for (int j = 0; j < Bits; ++j) take(first + j, columns[j]);
        }
    }
};

#ifdef __CUDACC__
/// The lanes are the threads of a block. Lanes must be a multiple of 32. The functions are documented in CpuTile.
template <int Lanes, class Shared>
class CudaTile {
public:
    static constexpr int lanes = Lanes;
    template <class T>
    class PerLane {
    public:
        __device__ T& operator[](int) { return value_; }

    private:
        T value_;
    };

    __device__ explicit CudaTile(Shared& s) : shared(s) {}
    Shared& shared;

    __device__ void know_lanes() {
        const int lane = int(threadIdx.x);
        __builtin_assume(lane >= 0 && lane < Lanes);
    }
    template <class Step>
    __device__ void each(const Step& step) {
        step(int(threadIdx.x));
        __syncthreads();
    }
    template <int Count, class Step>
    __device__ void rounds(const Step& step) {
#pragma unroll 1
        for (int round = 0; round < Count; ++round) {
            step(int(threadIdx.x), round);
            __syncwarp();
        }
        __syncthreads();
    }
    template <class Step>
    __device__ bool any(const Step& step) {
        return __syncthreads_or(step(int(threadIdx.x)));
    }
    template <class Test>
    __device__ void test(std::uint32_t n, std::uint32_t* words, const Test& test) {
        const std::uint32_t lane = threadIdx.x % 32;
        for (std::uint32_t first = threadIdx.x - lane; first < n; first += Lanes) {
            const unsigned word = __ballot_sync(~0u, first + lane < n && test(first + lane));
            if (lane == 0) words[first / 32] = word;
        }
        __syncthreads();
    }
    /// The first warp computes the sums, with two counts per lane.
    template <class Count, class Also>
    __device__ void scan64(std::uint32_t* sums, const Count& count, const Also& also) {
        const int lane = int(threadIdx.x);
        if (lane < 32) {
            const std::uint32_t even = count(2 * lane), odd = count(2 * lane + 1);
            std::uint32_t up_to = even + odd;
            for (int apart = 1; apart < 32; apart *= 2) {
                const std::uint32_t before = __shfl_up_sync(~0u, up_to, apart);
                if (lane >= apart) up_to += before;
            }
            sums[2 * lane] = up_to - odd - even;
            sums[2 * lane + 1] = up_to - odd;
            if (lane == 31) sums[64] = up_to;
        }
        also(lane);
        __syncthreads();
    }
    template <class Part, class Use>
    __device__ void combine(PerLane<std::uint32_t>& keys, PerLane<Part>& parts, std::uint32_t none, const Use& use) {
        const std::uint32_t key = keys[0];
        bool waits = key != none;
#if __CUDA_ARCH__ >= 800
        const int lane = int(threadIdx.x) % 32;
        constexpr int keys_combined = 2;  // keys per warp; the parts of further keys are used without combination
        for (int k = 0; k < keys_combined; ++k) {
            const unsigned waiting = __ballot_sync(~0u, waits);
            if (waiting == 0) break;
            const int leader = __ffs(int(waiting)) - 1;
            const bool same = key == __shfl_sync(~0u, key, leader);
            Part all;
            VOXCC_UNROLL
            for (int w = 0; w < Part::words; ++w) {
                const std::uint32_t word = same ? parts[0].word[w] : 0;
                all.word[w] = w < Part::sums ? __reduce_add_sync(~0u, word) : __reduce_or_sync(~0u, word);
            }
            if (lane == leader) use(key, all);
            if (same) waits = false;
        }
#endif
        if (waits) use(key, parts[0]);
        __syncthreads();
    }
    template <class Step>
    __device__ void ballot(PerLane<std::uint32_t>& votes, const Step& step) {
        votes[0] = __ballot_sync(~0u, step(int(threadIdx.x)));
        __syncthreads();
    }
    template <int Bits, class Step, class Take>
    __device__ void transpose(const Step& step, const Take& take) {
        static_assert(Bits <= 32 && Lanes % 32 == 0);
        const int lane = int(threadIdx.x);
        const std::uint32_t bits = step(lane);
        std::uint32_t mine = 0;
#pragma unroll
        for (int j = 0; j < Bits; ++j) {
            const std::uint32_t column = __ballot_sync(~0u, bits >> j & 1);
            if (lane % 32 == j) mine = column;
        }
        if (lane % 32 < Bits) take(lane, mine);
        __syncthreads();
    }
};
#endif

}  // namespace voxcc::exec
