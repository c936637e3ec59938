// Lets numbered tasks pass one at a time, in the order of their numbers.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace voxcc {

/// Thread-safe. A task n calls enter(n), then pass() or fail(). Numbers start at 0.
class Turnstile {
public:
    /// Waits until all tasks before `number` have passed.
    /// @return false if a task has failed; the caller must not continue then
    bool enter(std::int64_t number) {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return next_ == number || failed_; });
        return !failed_;
    }
    /// Lets the next task enter.
    void pass() {
        change([this] { ++next_; });
    }
    /// Releases all waiting tasks with the result false.
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
