// Tools for threads that read pieces of an input one at a time and process the pieces in parallel.
#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace voxcc {

/// Gives the numbers 0, 1, ... to threads that read the numbered pieces of a sequential input. Thread-safe.
class Reading {
public:
    /// Calls read(n) with the next number n, on one thread at a time.
    /// @return n; nullopt if an earlier call of read() has thrown, after which no thread may continue
    /// @throw what read() throws
    template <class Read>
    std::optional<std::int64_t> next(const Read& read) {
        const std::lock_guard lock(mutex_);
        if (failed_) return std::nullopt;
        failed_ = true;  // stays set if read() throws
        read(next_);
        failed_ = false;
        return next_++;
    }

private:
    std::mutex mutex_;
    std::int64_t next_ = 0;
    bool failed_ = false;
};

/// A pool of objects that threads need temporarily, such as read buffers. It makes a new object only if all others are in use. Thread-safe.
template <class T>
class Spares {
public:
    /// Calls use(T&) with an object that no other thread uses during the call.
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
