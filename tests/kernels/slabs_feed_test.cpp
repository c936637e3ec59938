// Tests that slabs are labelled while later rows are read, and that errors of the source and of devices reach the caller.
#include "kernels/slabs.h"
#include "kernels/volumes.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/gpu_slabs/slab_labelling.h"

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>

using namespace slabs_tests;
using published::pool;
using tiles_tests::extent_of;
using tiles_tests::failed_for_host;

namespace {

enum class Health : std::uint8_t { good, fails };

/// An executor that signals its first upload of rows, or throws at this upload.
class WatchedExecutor : public exec::CpuExecutor {
public:
    WatchedExecutor(ThreadPool& workers, std::latch& begun, Health health) : exec::CpuExecutor(workers), begun_(begun), health_(health) {}
    template <class T>
    void upload(const char* phase, const T* from, exec::Array<T>& to) {
        if (health_ == Health::fails) throw Error(ErrorKind::out_of_memory, "device", "fails");
        exec::CpuExecutor::upload(phase, from, to);
        if (!counted_) begun_.count_down();
        counted_ = true;
    }

private:
    std::latch& begun_;
    Health health_;
    bool counted_ = false;
};

/// Rows of a volume in memory. Calls before(), which may wait or throw, before it returns rows of the last slice.
template <class Before>
class WatchedSource : public MemorySource {
public:
    WatchedSource(const std::vector<std::uint8_t>& v, const Extent& extent, const ForegroundPacker& packer, Access access, Before before)
        : MemorySource(reinterpret_cast<const std::byte*>(v.data()), extent, packer, best_isa(), access),
          last_slice_(extent.rows() - extent.ny),
          before_(before) {}
    std::int64_t rows_per_fetch() const override { return 3; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        if (rows.end() > last_slice_) before_();
        return MemorySource::fetch(rows, buffer);
    }

private:
    std::int64_t last_slice_;
    Before before_;
};

struct Case {
    std::size_t devices;
    RowSource::Access access;
};
constexpr std::array cases{Case{1, RowSource::Access::in_order}, Case{2, RowSource::Access::concurrent},
                           Case{3, RowSource::Access::in_order}};
const oracle::Shape shape{70, 19, 96};  // at least two slabs per device: each first slab ends before the last slice

/// Labels a volume in slabs of 16 slices.
/// @param begun is counted down once per device, at its first upload
template <class Before>
std::unique_ptr<Labelling> label_watched(const std::vector<std::uint8_t>& v, const Case& c, std::latch& begun, Health health,
                                         const Before& before) {
    static std::array workers{ThreadPool(1), ThreadPool(1), ThreadPool(1)};
    constexpr Connectivity K = Connectivity::c26;
    std::vector<std::unique_ptr<WatchedExecutor>> executors;
    for (std::size_t d = 0; d < c.devices; ++d) executors.push_back(std::make_unique<WatchedExecutor>(workers[d], begun, health));
    const auto request = tiles_tests::request_for(shape, K);
    const ForegroundPacker packer(ScalarType::u8, {});
    WatchedSource<Before> source(v, request.extent, packer, c.access, before);
    Plan plan = plan_slabs<K>(request.extent, std::int64_t(c.devices), ~std::size_t{0}, {16, Residency::kept});
    return std::make_unique<SlabLabelling<K, WatchedExecutor, Rule::foreground>>(std::move(executors), request, std::move(plan), source,
                                                                                 pool());
}

std::vector<std::uint8_t> some_volume() {
    std::mt19937_64 rng(71);
    return volumes::random(shape, 25, 1, 1, rng);
}

}  // namespace

TEST_CASE("slabs: each device starts on its first slab while later rows are read") {
    const auto v = some_volume();
    const oracle::Labels want = oracle::flood_fill(v, shape, 26);
    for (const Case& c : cases) {
        std::latch begun(std::ptrdiff_t(c.devices));
        std::atomic<bool> in_time = true;
        const auto labelling = label_watched(v, c, begun, Health::good, [&] {
            using namespace std::chrono_literals;
            for (int wait = 0; wait < 2000 && !begun.try_wait(); ++wait) std::this_thread::sleep_for(10ms);
            if (!begun.try_wait()) in_time = false;
        });
        CHECK(in_time);
        CHECK(failed_for_host(*labelling, shape, want) == 0);
    }
}

TEST_CASE("slabs: what the source throws comes out, and nobody waits for rows that do not come") {
    for (const Case& c : cases) {
        std::latch begun(std::ptrdiff_t(c.devices));
        CHECK_THROWS_WITH_AS(
            label_watched(some_volume(), c, begun, Health::good, [] { throw Error(ErrorKind::invalid_file, "file", "ends here"); }),
            "file: ends here", Error);
    }
}

TEST_CASE("slabs: what a device throws while rows are read comes out") {
    for (const Case& c : cases) {
        std::latch begun(std::ptrdiff_t(c.devices));
        CHECK_THROWS_WITH_AS(label_watched(some_volume(), c, begun, Health::fails, [] {}), "device: fails", Error);
    }
}
