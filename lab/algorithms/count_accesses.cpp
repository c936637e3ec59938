// Runs the published algorithms with pointers that count memory accesses.
#include "kernels3d/api/measurements.h"

// Compiles all algorithms a second time, with pointers that count accesses (exec/pointer.h). A separate namespace keeps this version apart
// from the normal version, which is in the same program.
#define VOXCC_COUNT_ACCESSES
#define algorithms counted_algorithms
#include "kernels3d/exec/cpu_executor.h"
#include "lab/algorithms/published.h"
#include "lab/algorithms/run.h"

#include <concepts>
#include <utility>
#include <vector>

namespace voxcc {
namespace {

/// A functor whose work at an index is a walk (forest.h): walk(i).step() until it returns false, if the walk begins().
template <class F, class Index>
concept Walks = requires(const F& f, const Index& i) {
    { f.walk(i).step() } -> std::same_as<bool>;
};

/// Executor (executor.h) that runs phases in one thread and counts the accesses of each phase.
/// A GPU starts work in raster order, but very many lanes run at the same time. Trees therefore grow long before they are flattened. This
/// executor imitates a GPU: it takes groups of `lanes_at_once` indices in raster order, and the indices of a group in scattered order.
/// Walks of a group take turns, one step each, because on a GPU the words that a lane stores shorten the walks of lanes that have begun.
class CountingExecutor {
public:
    static constexpr std::int64_t lanes_at_once = 1 << 18;  // 128 multiprocessors with 2048 lanes each

    exec::Memory& memory() { return cpu_.memory(); }

    template <class F>
    void for_each(const char* phase, std::int64_t n, const F& f) {
        run(phase, n, f, [](std::int64_t i) { return i; });
    }
    template <class F>
    void for_each(const char* phase, const exec::Grid& grid, const F& f) {
        run(phase, grid.cells(), f, [&](std::int64_t i) {
            return exec::Cell{std::uint32_t(i % grid.x), std::uint32_t(i / grid.x % grid.y), std::uint32_t(i / grid.x / grid.y)};
        });
    }
    template <int Lanes, class Shared, class F>
    void for_each_tile(const char* phase, std::int64_t tiles, const F& f) {
        counted(phase, [&] {
            const auto shared = std::make_unique<Shared>();
            in_groups(tiles, lanes_at_once / Lanes, [&](const Group& group) {
                group.each([&](std::int64_t t) {
                    exec::CpuTile<Lanes, Shared> tile(*shared);
                    f(tile, t);
                });
            });
        });
    }
    template <class Chosen>
    exec::Array<std::uint32_t> select(const char* phase, std::int64_t n, const Chosen& is_chosen) {
        exec::Array<std::uint32_t> chosen;
        counted(phase, [&] { chosen = cpu_.select(phase, n, is_chosen); });
        return chosen;
    }
    void sort_by_key(const char* phase, exec::Array<std::uint32_t>& keys, exec::Array<std::uint32_t>& values) {
        cpu_.sort_by_key(phase, keys, values);
    }
    void inclusive_scan(const char* phase, exec::Array<std::uint32_t>& values) { cpu_.inclusive_scan(phase, values); }
    template <class T>
    void fill(const char* phase, exec::Array<T>& array, T value) {
        cpu_.fill(phase, array, value);
    }
    template <class T>
    auto fetch(const T& from) {
        return cpu_.fetch(from);
    }

    const std::vector<PhaseAccesses>& phases() const { return phases_; }

private:
    /// Indices that run at the same time.
    struct Group {
        std::int64_t first, size;
        /// Calls f(i) for all indices, in scattered order.
        template <class F>
        void each(const F& f) const {
            constexpr std::int64_t prime = 2'654'435'761;  // greater than size: k * prime % size gives each number below size once
            for (std::int64_t k = 0; k < size; ++k) f(first + k * prime % size);
        }
    };
    /// Calls f(group) for groups of at most `together` of the indices [0, n), in ascending order.
    template <class F>
    static void in_groups(std::int64_t n, std::int64_t together, const F& f) {
        for (std::int64_t first = 0; first < n; first += together) f(Group{first, std::min(together, n - first)});
    }
    /// Calls f(index_of(i)) for i in [0, n), or its walks.
    template <class F, class IndexOf>
    void run(const char* phase, std::int64_t n, const F& f, const IndexOf& index_of) {
        counted(phase, [&] {
            in_groups(n, lanes_at_once, [&](const Group& group) {
                if constexpr (Walks<F, decltype(index_of(0))>) walk(group, f, index_of);
                else group.each([&](std::int64_t i) { f(index_of(i)); });
            });
        });
    }
    /// Lets the walks of a group take turns until all are at their ends.
    template <class F, class IndexOf>
    static void walk(const Group& group, const F& f, const IndexOf& index_of) {
        using Walk = decltype(f.walk(index_of(0)));
        std::vector<std::pair<std::int64_t, Walk>> walks;  // with their indices
        walks.reserve(std::size_t(group.size));
        group.each([&](std::int64_t i) {
            if (const Walk walk = f.walk(index_of(i)); walk.begins()) walks.emplace_back(i, walk);
        });
        while (!walks.empty()) {
            auto end = walks.begin();  // of the walks that are not at their ends
            for (auto& walk : walks) {
                if (walk.second.step()) *end++ = walk;
                else if constexpr (requires { f.after_walk(index_of(0), walk.second); }) f.after_walk(index_of(walk.first), walk.second);
            }
            walks.erase(end, walks.end());
        }
    }
    template <class Work>
    void counted(const char* phase, const Work& work) {
        exec::accesses = {};
        work();
        const exec::Accesses& a = exec::accesses;
        auto row = std::find_if(phases_.begin(), phases_.end(), [&](const PhaseAccesses& p) { return p.phase == phase; });
        if (row == phases_.end()) row = phases_.insert(row, {phase, 0, 0, 0, 0, 0});
        row->reads += a.reads, row->writes += a.writes, row->atomics += a.atomics;
        row->bytes_read += a.bytes_read, row->bytes_written += a.bytes_written;
    }

    ThreadPool one_thread_{1};
    exec::CpuExecutor cpu_{one_thread_};
    std::vector<PhaseAccesses> phases_;
};
static_assert(exec::PhaseExecutor<CountingExecutor>);

struct CountedAlgorithm {
    std::string_view name;
    algorithms::Result (*run)(CountingExecutor&, const algorithms::Problem&);
};

const auto rows = algorithms::Published::map([]<class Algorithm>(Algorithm) {
    return CountedAlgorithm{Algorithm::name, &algorithms::run<Algorithm, CountingExecutor>};
});

}  // namespace

std::vector<PhaseAccesses> count_accesses(std::string_view name, const Extent& extent, Connectivity connectivity,
                                          const std::uint8_t* voxels, std::uint32_t* labels, Relabel relabel) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const CountedAlgorithm& r) { return r.name == name; });
    if (row == rows.end()) throw Error(ErrorKind::internal, std::string(name), "is not a published algorithm");
    CountingExecutor executor;
    row->run(executor, {.size = {std::uint32_t(extent.nx), std::uint32_t(extent.ny), std::uint32_t(extent.nz)},
                        .connectivity = connectivity,
                        .voxels = voxels,
                        .labels = labels,
                        .relabel = relabel});
    return executor.phases();
}

}  // namespace voxcc
