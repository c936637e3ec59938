// What a run uses of the machine: threads, memory, time, and the instruction set of the processor.
#pragma once
#include <voxcc/error.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace voxcc {

/// Threads that are started once. A program with its own threads may derive a class that overrides size() and for_each(), and pass it to
/// label(). Only one labelling at a time may use a pool. Labellings with different pools may run at the same time.
class ThreadPool {
public:
    /// Starts threads - 1 threads. The thread that calls for_each() also runs tasks. If the system cannot start a thread (limit on
    /// processes or memory), the pool uses the threads that were started; see size().
    explicit ThreadPool(int threads);
    virtual ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    /// The number of threads that run tasks at the same time, including the calling thread; at least 1.
    virtual int size() const;
    /// Calls task(0), ..., task(count - 1), and returns when all calls have returned. An override must start the tasks in ascending order,
    /// because a task may wait for a task with a smaller number. At most size() tasks may run at the same time. Must not be called from a
    /// task, nor by two threads at the same time. After the first exception of a task, no further tasks start. @throw that exception
    // size() 2, count 5: one thread may run the tasks 0, 2, 3, the other the tasks 1, 4
    virtual void for_each(std::int64_t count, const std::function<void(std::int64_t)>& task);

protected:
    /// For derived classes: starts no threads.
    ThreadPool();

private:
    class Workers;
    std::unique_ptr<Workers> workers_;
};

/// Bytes that a run can allocate: the smaller of MemAvailable in /proc/meminfo and the memory that the cgroups of this process still allow
/// besides the pages of the program (the third number of /proc/self/statm).
/// Nothing if the system states neither.
/// @param root folder that contains proc and sys: "/", or a folder that a test has made
// MemAvailable 8 GiB, cgroup limit 2 GiB of which 0.5 GiB is used, program of 10 MiB -> 1526 MiB
std::optional<std::int64_t> memory_below(const std::filesystem::path& root);

/// memory_below("/") at the time of the first call. Later calls return the same value, so that volumes that are processed at the same time
/// do not subtract the memory of each other.
std::optional<std::int64_t> machine_memory();

/// The number of threads to start, at least 1: the smaller of the number of CPUs in the affinity mask and the CPU quota of the cgroups,
/// rounded up.
/// @param root as for memory_below()
// 8 CPUs, quota 2.5 CPUs -> 3
int available_threads(const std::filesystem::path& root = "/");

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

enum class Isa : std::uint8_t { portable, avx2, avx512 };  // portable: for every processor

/// "portable", "avx2", "avx512"
constexpr const char* name_of(Isa isa) { return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable"; }

/// All instruction sets, each wider than the one before it.
inline constexpr std::array all_isas{Isa::portable, Isa::avx2, Isa::avx512};

/// Whether this build and this processor support the instruction set.
bool supports(Isa isa);

/// The widest instruction set that this build and this processor support.
Isa best_isa() noexcept;

/// The instruction set of all calls that do not state one: best_isa(), until set_default_isa() sets another. Thread-safe.
Isa default_isa() noexcept;

/// Sets default_isa() for the process. Must not be called while a volume is labelled.
/// @throw Error no_device if this build or this processor does not support the instruction set
void set_default_isa(Isa isa);

/// How painted rows are written. cached: the rows are read again soon, for example to be compressed. streaming: the rows are written to
/// memory without going through the caches.
enum class Stores : std::uint8_t { cached, streaming };

/// Seconds of a clock that never goes back. Only differences have a meaning.
inline double clock_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Measures one lap after the other. The first lap starts with the stopwatch.
class Stopwatch {
public:
    /// Seconds since the last call, or since the start.
    double lap() {
        const double now = clock_seconds(), passed = now - last_;
        last_ = now;
        return passed;
    }

private:
    double last_ = clock_seconds();
};

}  // namespace voxcc
