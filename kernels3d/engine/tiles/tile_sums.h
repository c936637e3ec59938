// Sums per key in shared memory: a hash table of a tile, which collects additions before they go to global memory.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/exec/atomic.h"

namespace voxcc::block_runs::tiles {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

VOXCC_HD inline uint32_t hash_of(uint32_t key) { return key * 2654435761u; }
VOXCC_HD inline uint32_t hash_of(uint64_t key) {
    key = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
    return uint32_t(key >> 32);
}

/// Sets words of global memory to 0.
struct ClearWords {
    uint64_t* words;
    VOXCC_HD void operator()(std::int64_t i) const { words[i] = 0; }
};

/// @tparam Words number of sums per key
/// @tparam Slots number of keys for which there is room; a power of two
template <class Key, int Words, int Slots>
struct TileSums {
    static constexpr int probes = 8;  // slots that are searched for a key
    Key key[Slots];                   // 0: free
    uint32_t sum[Words][Slots];
    uint32_t used;         // number of keys
    uint16_t slot[Slots];  // of the keys, in any order

    VOXCC_HD void clear(int lane, int lanes) {
        if (lane == 0) used = 0;
        for (int s = lane; s < Slots; s += lanes) {
            key[s] = 0;
            VOXCC_UNROLL
            for (int w = 0; w < Words; ++w) sum[w][s] = 0;
        }
    }
    /// Adds the words to the sums of a key, which must not be 0.
    /// @return false if the table has no room for the key; then nothing has been added
    VOXCC_HD bool add(Key wanted, const uint32_t (&words)[Words]) {
        uint32_t at = hash_of(wanted) / (~uint32_t{0} / Slots + 1);
        for (int i = 0; i < probes; ++i, at = (at + 1) % Slots) {
            Key there = key[at];
            if (there == 0) {
                there = exec::exchange_if(key + at, 0, wanted);
                if (there == 0) slot[exec::fetch_add(&used, 1)] = uint16_t(at);
            }
            if (there != 0 && there != wanted) continue;
            VOXCC_UNROLL
            for (int w = 0; w < Words; ++w)
                if (words[w] != 0) exec::fetch_add(&sum[w][at], words[w]);
            return true;
        }
        return false;
    }
};

}  // namespace voxcc::block_runs::tiles
