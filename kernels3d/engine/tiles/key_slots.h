// A hash table of 64-bit keys in the memory of an executor. Its slots number the keys.
#pragma once
#include "kernels3d/engine/tiles/tile_sums.h"
#include "kernels3d/exec/memory.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace voxcc::block_runs::tiles {

/// The table as phases see it. Linear probing; keys stay where they are.
struct KeySlots {
    static constexpr int probes = 64;  // slots that are searched for a key
    static constexpr uint32_t none = ~uint32_t{0};
    uint64_t* keys;     // by slot; 0: free
    uint32_t capacity;  // a power of two
    uint32_t* state;    // the number of keys; then not 0 if a key found no slot

    /// The slot of a key, which must not be 0. A new key gets a slot. `none` if the key found no slot.
    VOXCC_HD uint32_t slot_of(uint64_t key) const {
        uint32_t slot = hash_of(key) & (capacity - 1);
        for (int i = 0; i < probes; ++i, slot = (slot + 1) & (capacity - 1)) {
            uint64_t there = exec::load(keys + slot);
            if (there == 0) {
                there = exec::exchange_if(keys + slot, 0, key);
                if (there == 0) exec::append(state);
            }
            if (there == 0 || there == key) return slot;
        }
        exec::store(state + 1, 1);
        return none;
    }
};

/// An empty table.
class KeyTable {
public:
    static constexpr int64_t least = 1 << 12, most = int64_t{1} << 31;
    /// @param keys the expected number of keys
    /// @param what subject of the error
    /// @throw Error unsupported_by_device if there are more than about 2^29 keys; device_memory
    template <class Executor>
    KeyTable(Executor& executor, uint64_t keys, const char* what)
        : keys_(executor.memory(), capacity_for(keys, what)), state_(executor.memory(), 2) {
        executor.fill(what, keys_, uint64_t{0});
        executor.fill(what, state_, uint32_t{0});
    }
    KeySlots slots() const { return {keys_.data(), uint32_t(keys_.size()), state_.data()}; }
    int64_t capacity() const { return keys_.size(); }
    const exec::Array<uint64_t>& keys() const { return keys_; }

    /// What the phases have done. Waits for the executor.
    struct State {
        uint32_t keys;
        bool is_full;  // whether a key found no slot
    };
    template <class Executor>
    State state(Executor& executor) const {
        const std::vector<uint32_t> words = executor.fetch(state_);
        return {words[0], words[1] != 0};
    }

private:
    static int64_t capacity_for(uint64_t keys, const char* what) {
        if (keys > uint64_t(most) / 4) throw Error(ErrorKind::unsupported_by_device, what, "there are too many different labels");
        return std::max(least, int64_t(std::bit_ceil(4 * keys)));
    }
    exec::Array<uint64_t> keys_;
    exec::Array<uint32_t> state_;
};

}  // namespace voxcc::block_runs::tiles
