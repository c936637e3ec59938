// Where host threads wait for each other. They come within microseconds as a rule, so they look around for a while before they sleep.
#pragma once
#include <atomic>

namespace voxcc {

class Meeting {
public:
    explicit Meeting(int threads) : threads_(threads) {}

    /// Waits until all threads have called it as often as this one. The last to come calls act() before any of them goes on.
    /// @return false if one of them failed and nobody is to go on
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
    [[nodiscard]] bool meet() {
        return meet([] {});
    }
    /// To be called by a thread that will not come.
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
