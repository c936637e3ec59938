// Serialises numbered tasks: they pass one at a time, in the order of their numbers.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>

namespace voxcc {

/// Task n must call enter(n) and, if the result is true, pass() or fail(). A task that fails earlier must call fail(). Numbers start at 0.
/// If close() is used, each task must call arrive(n) before enter(n). Thread-safe.
// enter(2) waits until the tasks 0 and 1 have called pass()
class Turnstile {
public:
    /// From here on, close() waits for the task. @return false after close(); the task must then not call enter()
    bool arrive(std::int64_t number) {
        const std::lock_guard lock(mutex_);
        if (closed_) return false;
        arrived_.insert(number);
        return true;
    }
    /// Waits until all tasks before `number` have passed. After close(), tasks that have not arrived are left out.
    /// @return false if a task has called fail(); the caller must then not call pass()
    bool enter(std::int64_t number) {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return next_ == number || failed_ || (closed_ && *arrived_.begin() == number); });
        next_ = number;
        return !failed_;
    }
    /// Ends the turn of the current task. The task with the next number may enter.
    void pass() {
        change([this] { arrived_.erase(next_++); });
    }
    /// Ends all waiting calls of enter() with the result false. Later calls also return false.
    void fail() {
        change([this] { failed_ = true; });
    }
    /// Ends the run early: no further task arrives. Waits until the tasks that have arrived have passed, in the order of their numbers.
    /// @return false if a task has called fail()
    bool close() {
        change([this] { closed_ = true; });
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [this] { return arrived_.empty() || failed_; });
        return !failed_;
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
    std::set<std::int64_t> arrived_;  // have not passed
    bool failed_ = false, closed_ = false;
};

}  // namespace voxcc
