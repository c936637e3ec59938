// Threads that are made once and take numbered tasks.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace voxcc {

/// for_each hands out 0..count-1 in ascending order; the calling thread works too. Not to be called from within a task.
class ThreadPool {
public:
    /// Where the system refuses a thread (limits on processes or memory), the pool works with those that were started: see size().
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    int size() const { return int(workers_.size()) + 1; }
    /// Returns when all tasks are done. The first exception of a task stops the handing out and is thrown again here.
    void for_each(std::int64_t count, const std::function<void(std::int64_t)>& task);

private:
    void take();
    void work();
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> workers_;
    const std::function<void(std::int64_t)>* task_ = nullptr;
    std::atomic<std::int64_t> next_{0};
    std::int64_t count_ = 0;
    std::exception_ptr error_;
    int busy_ = 0;
    std::uint64_t round_ = 0;
    bool stop_ = false;
};

/// Threads worth starting: the CPUs that the affinity mask allows, limited by the CPU quota of the cgroups; at least 1.
/// @param root see cgroup_limits()
int available_threads(const std::filesystem::path& root = "/");

}  // namespace voxcc
