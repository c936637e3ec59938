// A pool of threads that run numbered tasks.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

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

}  // namespace voxcc
