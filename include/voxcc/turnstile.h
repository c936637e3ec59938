// Lets numbered tasks pass one by one, in the order of their numbers.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace voxcc {

class Turnstile {
public:
    /// Waits until all before `number` have passed. @return false if one of them failed and nobody is to go on
    bool enter(std::int64_t number) {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return next_ == number || failed_; });
        return !failed_;
    }
    void pass() {
        change([this] { ++next_; });
    }
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
