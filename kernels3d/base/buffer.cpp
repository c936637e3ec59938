// Allocates blocks of memory, and keeps large mappings for the next volume.
#include "kernels3d/base/buffer.h"

#include <voxcc/error.h>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace voxcc {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20, most_front = 4096;
constexpr std::size_t worth_keeping = std::size_t{64} << 10;  // bytes; smaller blocks come from the heap

/// Mappings that no Block uses at the moment. Their touched pages stay resident. Thread-safe.
class Kept {
public:
    ~Kept() { release(); }
    /// For fork(): no other thread uses the list between the two calls, so the child receives a list that it can use.
    void hold() { mutex_.lock(); }
    void let_go() { mutex_.unlock(); }
    void release() {
        std::vector<Mapping> released;
        {
            std::lock_guard lock(mutex_);
            released.swap(free_);
        }
        for (const Mapping& m : released) munmap(m.base, m.bytes);
    }
    /// A kept mapping of exactly this size, or a new mapping; null if mmap() fails.
    void* take(std::size_t bytes) {
        {
            std::lock_guard lock(mutex_);
            const auto found = std::find_if(free_.begin(), free_.end(), [bytes](const Mapping& m) { return m.bytes == bytes; });
            if (found != free_.end()) {
                void* const base = found->base;
                free_.erase(found);  // keeps the order by age
                return base;
            }
        }
        void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) return nullptr;
        if (bytes >= huge_page) madvise(base, bytes, MADV_HUGEPAGE);  // only a hint, so the result is ignored
        return base;
    }
    void give(void* base, std::size_t bytes) {
        Mapping oldest{nullptr, 0};
        {
            std::lock_guard lock(mutex_);
            if (free_.size() == most) {  // the oldest mapping fits volumes of another shape
                oldest = free_.front();
                free_.erase(free_.begin());
            }
            free_.push_back({base, bytes});
        }
        if (oldest.base) munmap(oldest.base, oldest.bytes);
    }

private:
    static constexpr std::size_t most = 8;  // one labelling uses six
    struct Mapping {
        void* base;
        std::size_t bytes;
    };
    std::mutex mutex_;
    std::vector<Mapping> free_;
};

Kept& kept() {
    static Kept k;
    [[maybe_unused]] static const int registered = pthread_atfork([] { kept().hold(); }, [] { kept().let_go(); }, [] { kept().let_go(); });
    return k;
}

/// The number of bytes before the data of a mapping. It varies: arrays at the same offset in a page compete for the same cache set when
/// they are read in parallel. On some processors, this sometimes takes ten times as long.
std::size_t next_front(std::size_t guard) {
    static std::atomic<std::size_t> mappings = 0;
    return guard + mappings++ % 7 * (most_front / 7 / 64 * 64);
}

}  // namespace

void release_kept_memory() { kept().release(); }

Block::Block(std::size_t bytes) {
    const auto fail = [bytes] {
        throw Error(ErrorKind::out_of_memory, "memory",
                    "cannot allocate " + std::to_string((bytes >> 20) + 1) + " MiB; label a smaller volume");
    };
    if (bytes > std::size_t{1} << 47) fail();
    front_ = guard;
    bytes_ = bytes + 2 * guard;
    if (bytes_ < worth_keeping) {
        base_ = static_cast<std::byte*>(std::aligned_alloc(guard, (bytes_ + guard - 1) & ~(guard - 1)));
    } else {
        front_ = next_front(guard);
        bytes_ += most_front;
        const std::size_t unit = bytes_ < huge_page ? worth_keeping : huge_page;
        const std::size_t last = bytes_ % unit;
        bytes_ = (bytes_ + unit - 1) & ~(unit - 1);
        base_ = static_cast<std::byte*>(kept().take(bytes_));
        if (!base_) fail();
        if (last > 0 && last < unit / 2) use_small_pages(bytes_ - unit, unit);  // less than half of the last huge page would be used
    }
    if (!base_) fail();
}

Block::~Block() {
    if (bytes_ < worth_keeping) std::free(base_);
    else kept().give(base_, bytes_);
}

void Block::use_small_pages(std::size_t first, std::size_t bytes) {
    if (bytes_ < huge_page) return;
    const auto page = std::size_t(sysconf(_SC_PAGESIZE)), begin = (front_ + first) / page * page;
    madvise(base_ + begin, std::min(bytes_ - begin, bytes), MADV_NOHUGEPAGE);  // only a hint
}

}  // namespace voxcc
