// The executor for CPU threads; see executor.h for the contract. It uses plain loops without hand-written vector code. It serves tests,
// comparisons and machines without a GPU.
#pragma once
#include <voxcc/threads.h>
#include "kernels3d/exec/executor.h"
#include "kernels3d/exec/tile.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

namespace voxcc::exec {

class HostMemory : public Memory {
public:
    /// @param limit null: none. Must outlive the memory
    explicit HostMemory(MemoryLimit* limit = nullptr) : limit_(limit) {}

protected:
    void* obtain(std::size_t bytes) override {
        if (limit_) limit_->take(std::int64_t(bytes));
        return ::operator new (bytes, std::align_val_t{256});
    }
    void give_back(void* p, std::size_t bytes) override {
        ::operator delete (p, std::align_val_t{256});
        if (limit_) limit_->give_back(std::int64_t(bytes));
    }

private:
    MemoryLimit* limit_;
};

/// Runs phases on the threads of a pool; the functions are documented in executor.h.
class CpuExecutor {
public:
    template <int Lanes, class Shared>
    using Tile = CpuTile<Lanes, Shared>;

    /// @param limit of the arrays; null: none
    explicit CpuExecutor(ThreadPool& pool, MemoryLimit* limit = nullptr) : pool_(pool), memory_(limit) {}
    Memory& memory() { return memory_; }
    void set_timing(Timing timing) { timing_ = timing; }

    template <class F>
    void for_each(const char* phase, std::int64_t n, const F& f) {
        in_pieces(phase, n, 1 << 14, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
            for (std::int64_t i = begin; i < end; ++i) f(i);
        });
    }
    template <class F>
    void for_each(const char* phase, const Grid& grid, const F& f) {
        const std::int64_t rows = std::int64_t(grid.y) * grid.z;
        in_pieces(phase, rows, std::max<std::int64_t>(1, (1 << 14) / std::max(1u, grid.x)),
                  [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      for (std::int64_t row = begin; row < end; ++row)
                          for (std::uint32_t x = 0; x < grid.x; ++x) f(Cell{x, std::uint32_t(row % grid.y), std::uint32_t(row / grid.y)});
                  });
    }
    template <int Lanes, class Shared, class F>
    void for_each_tile(const char* phase, std::int64_t tiles, const F& f) {
        in_pieces(phase, tiles, 16, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
            const auto shared = std::make_unique<Shared>();
            for (std::int64_t t = begin; t < end; ++t) {
                CpuTile<Lanes, Shared> tile(*shared);
                f(tile, t);
            }
        });
    }
    template <class Chosen>
    Array<std::uint32_t> select(const char* phase, std::int64_t n, const Chosen& is_chosen) {
        constexpr std::int64_t piece = 1 << 14;
        std::vector<std::vector<std::uint32_t>> found(std::size_t((n + piece - 1) / piece));
        in_pieces(phase, n, piece, [&](std::int64_t begin, std::int64_t end, std::int64_t p) {
            for (std::int64_t i = begin; i < end; ++i)
                if (is_chosen(i)) found[std::size_t(p)].push_back(std::uint32_t(i));
        });
        std::int64_t size = 0;
        for (const auto& part : found) size += std::int64_t(part.size());
        Array<std::uint32_t> all(memory_, size);
        std::uint32_t* to = all.data();
        for (const auto& part : found) to = std::copy(part.begin(), part.end(), to);
        return all;
    }
    template <class Value>
    void exclusive_scan(const char* phase, std::int64_t n, const Value& value, Array<std::uint32_t>& sums) {
        timed(phase, [&] {
            std::uint32_t sum = 0;
            for (std::int64_t i = 0; i < n; ++i) {
                sums.data()[i] = sum;
                sum += value(i);
            }
        });
    }
    void inclusive_scan(const char* phase, Array<std::uint32_t>& values) {
        timed(phase, [&] { std::inclusive_scan(values.data(), values.data() + values.size(), values.data()); });
    }
    void sort_by_key(const char* phase, Array<std::uint32_t>& keys, Array<std::uint32_t>& values) {
        timed(phase, [&] {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(std::size_t(keys.size()));
            for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {keys.data()[i], values.data()[i]};
            std::sort(pairs.begin(), pairs.end());
            for (std::size_t i = 0; i < pairs.size(); ++i) std::tie(keys.data()[i], values.data()[i]) = pairs[i];
        });
    }
    template <class T>
    void fill(const char* phase, Array<T>& array, T value) {
        T* const data = array.data();
        for_each(phase, array.size(), [=](std::int64_t i) { data[i] = value; });
    }
    template <class T>
    T fetch(const T* p) {
        return *p;
    }
    template <class T>
    std::vector<T> fetch(const Array<T>& array) {
        return {array.data(), array.data() + array.size()};
    }

    Memory& staging() { return memory_; }
    template <class T>
    void upload(const char* phase, const T* from, Array<T>& to) {
        timed(phase, [&] { std::copy_n(from, to.size(), to.data()); });
    }
    template <class T>
    void send(const char* phase, const T* from, Array<T>& to, std::int64_t first, std::int64_t n) {
        timed(phase, [&] { std::copy_n(from, n, to.data() + first); });
    }
    template <class T>
    void download(const char* phase, const Array<T>& from, std::int64_t n, T* to) {
        timed(phase, [&] { std::copy_n(from.data(), n, to); });
    }
    template <class T>
    void receive(const char* phase, const Array<T>& from, std::int64_t n, T* to) {
        download(phase, from, n, to);
    }
    template <class T>
    void receive(const char* phase, const T* from, std::int64_t n, T* to) {
        timed(phase, [&] { std::copy_n(from, n, to); });
    }
    void mark() {}
    void wait_for_mark() {}
    template <class T>
    const T* reach(const char*, CpuExecutor&, const Array<T>& from, Array<T>&) {
        return from.data();
    }
    void enter() {}
    /// The new executor runs its phases on the calling thread only, because a pool serves one caller at a time.
    std::unique_ptr<CpuExecutor> another() const {
        static ThreadPool alone(1);
        return std::make_unique<CpuExecutor>(alone);
    }
    void wait() {}
    std::size_t free_bytes() { return ~std::size_t{0}; }

    template <class Work>
    void in_one_phase(const char* phase, const Work& work) {
        timed(phase, [&] {
            const bool before = std::exchange(as_one_, true);
            work();
            as_one_ = before;
        });
    }
    std::vector<Phase> phases() { return phases_; }
    void reset_phases() { phases_.clear(); }

private:
    template <class Work>
    void timed(const char* phase, const Work& work) {
        Stopwatch watch;
        work();
        if (timing_ == Timing::none || as_one_) return;
        add_phase(phases_, phase, 1000 * watch.lap());
    }
    /// Calls work(begin, end, index of the piece) for pieces of at most `piece` indices of [0, n), on all threads of the pool.
    template <class Work>
    void in_pieces(const char* phase, std::int64_t n, std::int64_t piece, const Work& work) {
        timed(phase,
              [&] { pool_.for_each((n + piece - 1) / piece, [&](std::int64_t p) { work(p * piece, std::min(n, (p + 1) * piece), p); }); });
    }

    ThreadPool& pool_;
    HostMemory memory_;
    std::vector<Phase> phases_;
    Timing timing_ = Timing::each;
    bool as_one_ = false;  // whether phases are part of another phase
};
static_assert(TransferExecutor<CpuExecutor>);

}  // namespace voxcc::exec
