// A limit on memory whose need is known only while a volume is labelled: the number of runs and components depends on the shapes.
#pragma once
#include <voxcc/error.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace voxcc {

/// Thrown if a labelling needs more than its MemoryLimit.
class MemoryLimitReached : public Error {
public:
    /// The data that needs too much memory: of a volume in memory or of one slab, which may fit in thinner slabs, or of all slabs together.
    enum class Data : std::uint8_t { of_slab, of_all_slabs };
    explicit MemoryLimitReached(Data data = Data::of_slab)
        : Error(ErrorKind::out_of_memory, "volume", "its runs and components need more memory than the limit"), data_(data) {}
    Data data() const { return data_; }

private:
    Data data_;
};

/// The bytes that one labelling may use for its runs and components. Counts the bytes in use; allocates nothing. Thread-safe.
// MemoryLimit limit(1000); limit.take(600) succeeds; another limit.take(600) throws, and 600 bytes are still in use
class MemoryLimit {
public:
    explicit MemoryLimit(std::int64_t bytes) : bytes_(bytes) {}
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;
    /// Counts bytes before they are used for the first time. @throw MemoryLimitReached; the bytes are not counted then
    void take(std::int64_t bytes) {
        if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_) return;
        give_back(bytes);
        throw MemoryLimitReached();
    }
    void give_back(std::int64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
    std::int64_t used() const { return used_.load(std::memory_order_relaxed); }
    std::int64_t bytes() const { return bytes_; }

private:
    const std::int64_t bytes_;
    std::atomic<std::int64_t> used_{0};
};

/// Bytes taken from a limit. The destructor gives them back. take() is thread-safe; the other functions are not.
class TakenMemory {
public:
    /// @param limit null: nothing is counted. Must outlive this object
    explicit TakenMemory(MemoryLimit* limit) : limit_(limit) {}
    TakenMemory(const TakenMemory&) = delete;
    TakenMemory& operator=(const TakenMemory&) = delete;
    ~TakenMemory() { give_back(); }
    /// @throw MemoryLimitReached
    void take(std::int64_t bytes) {
        if (!limit_) return;
        limit_->take(bytes);
        taken_.fetch_add(bytes, std::memory_order_relaxed);
    }
    std::int64_t taken() const { return taken_.load(std::memory_order_relaxed); }
    void give_back() {
        if (limit_) limit_->give_back(taken_.exchange(0, std::memory_order_relaxed));
    }

private:
    MemoryLimit* limit_;
    std::atomic<std::int64_t> taken_{0};
};

}  // namespace voxcc
