// Threads that share numbered tasks.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

namespace voxcc {

/// Threads that are started once. A program that has threads of its own derives a class that overrides size() and for_each(), and hands
/// it to label(). One labelling uses a pool at a time; labellings with different pools may run at the same time.
class ThreadPool {
public:
    /// Starts threads - 1 threads; the calling thread is the last one. Where the system refuses a thread (limits on processes or memory),
    /// the pool works with the threads that were started: see size().
    explicit ThreadPool(int threads);
    virtual ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    /// Threads that run tasks at the same time, the calling thread included; at least 1.
    virtual int size() const;
    /// Calls task(0), ..., task(count - 1) and returns when all calls have returned. Tasks must start in ascending order, and at most
    /// size() of them may run at the same time; a task may wait for a task with a smaller number. Must not be called from within a task.
    /// The first exception of a task stops the start of further tasks and is thrown again here.
    virtual void for_each(std::int64_t count, const std::function<void(std::int64_t)>& task);

protected:
    /// For derived classes: starts no thread.
    ThreadPool();

private:
    class Workers;
    std::unique_ptr<Workers> workers_;
};

}  // namespace voxcc
