// One after the other reads, several go on with what they have read.
#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace voxcc {

/// Hands out 0, 1, .. to threads that read numbered pieces of something that has one place to read at.
class Reading {
public:
    /// Calls read(n) with the next number, one thread at a time. @return n; nothing if a call before has thrown and nobody is to go on
    template <class Read>
    std::optional<std::int64_t> next(const Read& read) {
        const std::lock_guard lock(mutex_);
        if (failed_) return std::nullopt;
        failed_ = true;  // unless read() returns
        read(next_);
        failed_ = false;
        return next_++;
    }

private:
    std::mutex mutex_;
    std::int64_t next_ = 0;
    bool failed_ = false;
};

/// What threads need for a while, such as memory to read into: as many as are used at once, each made once.
template <class T>
class Spares {
public:
    /// Calls use(a T that nobody else uses meanwhile).
    template <class Use>
    void with_one(const Use& use) {
        T one = take();
        use(one);
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(one));
    }

private:
    T take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return T{};
        T one = std::move(idle_.back());
        idle_.pop_back();
        return one;
    }
    std::mutex mutex_;
    std::vector<T> idle_;
};

}  // namespace voxcc
