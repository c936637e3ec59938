#include "python/src/shared_pool.h"

#include <voxcc/threads.h>

#include <pthread.h>
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

namespace voxcc::python {
namespace {

struct Shared {
    std::mutex in_use;
    std::unique_ptr<ThreadPool> pool;  // null: no threads yet
};

/// Set by prepare_threads(). Never destroyed: worker threads may exist until the process ends.
Shared* shared = nullptr;
std::atomic<int> wanted_threads = 0;

void forget_threads() {
    // The threads of the parent do not exist in the child, and the mutex may be locked. The old object is left as it is.
    shared = new Shared;
}

}  // namespace

void CallPool::for_each(std::int64_t count, const std::function<void(std::int64_t)>& task) {
    const auto at_once = std::min<std::int64_t>(threads_, count);
    Shared& threads = *shared;
    std::unique_lock<std::mutex> taken;
    if (at_once > 1) taken = std::unique_lock(threads.in_use, std::try_to_lock);
    if (!taken.owns_lock()) {
        for (std::int64_t i = 0; i < count; ++i) task(i);
        return;
    }
    if (!threads.pool || threads.pool->size() < at_once) {
        threads.pool = nullptr;
        threads.pool = std::make_unique<ThreadPool>(int(at_once));
    }
    std::atomic<std::int64_t> next = 0;
    threads.pool->for_each(at_once, [&](std::int64_t) {
        try {
            for (std::int64_t i; (i = next++) < count;) task(i);
        } catch (...) {
            next = count;
            throw;
        }
    });
}

void prepare_threads() {
    shared = new Shared;
    pthread_atfork(nullptr, nullptr, forget_threads);
    default_threads();
}

int default_threads() {
    static const int available = available_threads();
    const int wanted = wanted_threads;
    return wanted > 0 ? wanted : available;
}

void set_default_threads(int threads) { wanted_threads = threads; }

int threads_of_call(int wanted, std::int64_t bytes) {
    constexpr std::int64_t bytes_per_thread = std::int64_t{2} << 20;
    if (wanted > 0) return wanted;
    return int(std::min<std::int64_t>(default_threads(), std::max<std::int64_t>(1, bytes / bytes_per_thread)));
}

}  // namespace voxcc::python
