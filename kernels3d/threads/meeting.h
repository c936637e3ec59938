// A barrier for host threads. Threads usually arrive within microseconds of each other, so a waiting thread polls for a while before it
// sleeps.
#pragma once
#include <atomic>

namespace voxcc {

/// A barrier for a fixed number of threads, which may be used many times. Thread-safe.
class Meeting {
public:
    explicit Meeting(int threads) : threads_(threads) {}

    /// Waits until all threads have called meet() as often as this thread. The last thread to arrive calls act() before any thread
    /// continues.
    /// @return false if a thread has called fail(); the caller must not continue then
    template <class Act>
    [[nodiscard]] bool meet(const Act& act) {
        const unsigned round = round_;
        if (++arrived_ == threads_) {
            arrived_ = 0;
            act();
            next_round();
        } else {
            for (int looks = 0; looks < 20'000 && round_ == round && !failed_; ++looks) {
            }
            while (round_ == round && !failed_) round_.wait(round);
        }
        return !failed_;
    }
    /// Same, without an action.
    [[nodiscard]] bool meet() {
        return meet([] {});
    }
    /// Releases all waiting threads with the result false. A thread that cannot reach the next meet() must call it.
    void fail() {
        failed_ = true;
        next_round();
    }

private:
    void next_round() {
        ++round_;
        round_.notify_all();
    }
    const int threads_;
    std::atomic<int> arrived_ = 0;
    std::atomic<unsigned> round_ = 0;
    std::atomic<bool> failed_ = false;
};

}  // namespace voxcc
