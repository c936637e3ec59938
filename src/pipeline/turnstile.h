// Serialises numbered tasks: they pass one at a time, in the order of their numbers.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace voxcc {

/// Task n must call enter(n) and, if the result is true, pass() or fail(). A task that fails earlier must call fail(). Numbers start at 0.
/// Thread-safe.
// enter(2) waits until the tasks 0 and 1 have called pass()
class Turnstile {
public:
    /// Waits until all tasks before `number` have passed.
    /// @return false if a task has called fail(); the caller must then not call pass()
    bool enter(std::int64_t number) {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return next_ == number || failed_; });
        return !failed_;
    }
    /// Ends the turn of the current task. The task with the next number may enter.
    void pass() {
        change([this] { ++next_; });
    }
    /// Ends all waiting calls of enter() with the result false. Later calls also return false.
    void fail() {
        change([this] { failed_ = true; });
    }

private:
    template <class Change>
    void change(const Change& c) {
        {
            std::lock_guard lock(mutex_);
            c();
        }
        turn_.notify_all();
    }
    std::mutex mutex_;
    std::condition_variable turn_;
    std::int64_t next_ = 0;
    bool failed_ = false;
};

}  // namespace voxcc
