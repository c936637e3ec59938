// ThreadPool and available_threads().
#include <voxcc/threads.h>

#include "kernels3d/threads/cgroup_limits.h"

#include <sched.h>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace voxcc {

class ThreadPool::Workers {
public:
    explicit Workers(int threads) {
        workers_.reserve(std::size_t(std::max(threads - 1, 0)));
        try {
            for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
        } catch (const std::system_error&) {  // the threads that run take all tasks
        } catch (const std::bad_alloc&) {
        }
#ifdef __SANITIZE_ADDRESS__
        // A thread that starts holds locks of the sanitizer's allocator. If the process forked then, the child would wait for ever.
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return started_ == int(workers_.size()); });
#endif
    }
    ~Workers() {
        {
            std::lock_guard lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }
    int size() const { return int(workers_.size()) + 1; }

    void for_each(std::int64_t count, const std::function<void(std::int64_t)>& task) {
        if (workers_.empty() || count <= 1) {
            for (std::int64_t i = 0; i < count; ++i) task(i);
            return;
        }
        {
            std::lock_guard lock(mutex_);
            task_ = &task;
            next_ = 0;
            count_ = count;
            error_ = nullptr;
            busy_ = int(workers_.size());
            ++round_;
        }
        wake_.notify_all();
        take();
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return busy_ == 0; });
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    void take() {
        for (std::int64_t i; (i = next_++) < count_;) {
            try {
                (*task_)(i);
            } catch (...) {
                std::lock_guard lock(mutex_);
                if (!error_) error_ = std::current_exception();
                next_ = count_;
            }
        }
    }
    void work() {
#ifdef __SANITIZE_ADDRESS__
        {
            std::lock_guard lock(mutex_);
            ++started_;
            done_.notify_one();
        }
#endif
        for (std::uint64_t seen = 0;;) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stop_ || round_ != seen; });
            if (stop_) return;
            seen = round_;
            lock.unlock();
            take();
            lock.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> workers_;
    const std::function<void(std::int64_t)>* task_ = nullptr;
    std::atomic<std::int64_t> next_{0};
    std::int64_t count_ = 0;
    std::exception_ptr error_;
    int busy_ = 0;
    [[maybe_unused]] int started_ = 0;
    std::uint64_t round_ = 0;
    bool stop_ = false;
};

ThreadPool::ThreadPool() = default;
ThreadPool::ThreadPool(int threads) : workers_(std::make_unique<Workers>(threads)) {}
ThreadPool::~ThreadPool() = default;
int ThreadPool::size() const { return workers_ ? workers_->size() : 1; }

void ThreadPool::for_each(std::int64_t count, const std::function<void(std::int64_t)>& task) {
    if (workers_) return workers_->for_each(count, task);
    for (std::int64_t i = 0; i < count; ++i) task(i);
}

int available_threads(const std::filesystem::path& root) {
    int threads = int(std::thread::hardware_concurrency());
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) threads = CPU_COUNT(&set);
    if (const auto cpus = cgroup_limits(root).cpus) threads = int(std::min(double(threads), std::ceil(*cpus)));
    return std::max(threads, 1);
}

}  // namespace voxcc
