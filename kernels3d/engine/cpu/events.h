// Makes pairs of touching runs from event columns. In an event column, the run of a block-row and the run of a block-row before it touch
// and must be united (contacts.h).
//
// Branches would cost more than the pairs: which words contain events, and how many, cannot be predicted. So the words with events of
// several block-rows are collected first, and then all of their pairs are listed in one loop.
#pragma once
#include "kernels3d/engine/cpu/contacts.h"
#include "kernels3d/engine/cpu/runs.h"

namespace voxcc::block_runs {

/// Ids of two runs that touch.
template <class Id>
struct Pair {
    Id a, b;
};

/// 64 columns of two block-rows, with at least one event.
template <class Id>
struct EventWord {
    uint64_t columns;  // bit x: column x is an event
    Id own, other;     // index of the word in Runs::starts, for the block-row and for the block-row before it
};

/// Number of words with events after which their pairs are listed. With 64 words, blobs (512^3, 50 %, 18 neighbours) took 12.6 ms instead
/// of 12.2 ms (AMD EPYC, Zen 5, 2026-11-23).
inline constexpr int64_t words_per_batch = 256;

/// Appends the words that contain events, without a branch.
/// @param out must have room for 4 words
/// @param own, other index in Runs::starts of the first of the four words, for both block-rows
/// @return one past the last word with events
template <class Id>
VOXCC_INLINE EventWord<Id>* list_events(EventWord<Id>* out, const Columns& events, Id own, Id other) {
    for (Id i = 0; i < 4; ++i) {
        *out = {events[int(i)], own + i, other + i};
        out += events[int(i)] != 0;
    }
    return out;
}

/// Appends the pair of runs at each event column.
/// @param out must have room for one pair per event column, and for one more
/// @return one past the last pair
template <class Id>
VOXCC_INLINE Pair<Id>* list_pairs(Pair<Id>* out, const EventWord<Id>* words, const EventWord<Id>* end, const Runs<Id>& runs, Isa isa) {
    const uint64_t* const starts = runs.starts.data();
    const Id* const before = runs.before.data();
    const bool counts_bits = isa != Isa::portable;  // by an instruction
    for (; words != end; ++words) {
        const uint64_t own_starts = starts[words->own], other_starts = starts[words->other];
        const Id own = before[words->own], other = before[words->other];
        uint64_t rest = words->columns;
        const auto add = [&](int i) __attribute__((always_inline)) {
            const uint64_t up_to_event = rest ^ (rest - 1);
            out[i] = {own + Id(std::popcount(own_starts & up_to_event)), other + Id(std::popcount(other_starts & up_to_event))};
            rest &= rest - 1;
        };
        if (counts_bits) {
            const int count = std::popcount(words->columns);
            add(0), add(1);  // most words have one event or two; if there is one, the next word overwrites the second pair
            for (int i = 2; i < count; ++i) add(i);
            out += count;
        } else {
            while (rest) add(0), ++out;
        }
    }
    return out;
}

}  // namespace voxcc::block_runs
