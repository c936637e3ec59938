// Tests which phases a CUDA executor reports, on the device of --device.
#include "kernels3d/exec/cuda_executor.h"

#include <doctest/doctest.h>

#include "device.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace voxcc;
using exec::Array;
using exec::CudaExecutor;

namespace {

struct AddOne {
    std::uint32_t* to;
    VOXCC_HD void operator()(std::int64_t i) const { to[i] += 1; }
};

struct Store {
    std::uint32_t* to;
    VOXCC_HD void operator()(std::int64_t) const { *to = 1; }
};

/// Waits until another thread sets *flag, or for about two seconds.
struct WaitFor {
    const volatile std::uint32_t* flag;
    VOXCC_HD void operator()(std::int64_t) const {
        for (int reads = 0; reads < 1 << 21 && *flag == 0; ++reads) {
        }
    }
};

/// Selects the device of --device. Returns false if it is not a CUDA device.
bool use_test_device() {
    if (test_device().kind != Device::Kind::cuda) return false;
    REQUIRE(cudaSetDevice(test_device().numbers.front()) == cudaSuccess);
    return true;
}

/// "NAME x CALLS" of each phase.
std::vector<std::string> reported(CudaExecutor& executor) {
    std::vector<std::string> all;
    for (const exec::Phase& phase : executor.phases()) {
        CHECK(phase.milliseconds >= 0);
        all.push_back(phase.name + " x " + std::to_string(phase.calls));
    }
    return all;
}

double milliseconds_of(CudaExecutor& executor, const std::string& name) {
    double sum = 0;
    for (const exec::Phase& phase : executor.phases())
        if (phase.name == name) sum += phase.milliseconds;
    return sum;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("cuda phases: work before the first phase comes before it and is not a phase") {
    if (!use_test_device()) return;
    CudaExecutor executor;
    constexpr std::int64_t n = 1 << 20;
    Array<std::uint32_t> values(executor.memory(), n);
    int prepared = 0;
    const auto prepare = [&] {
        ++prepared;
        REQUIRE(cudaMemsetAsync(values.data(), 0xff, n * sizeof(std::uint32_t), executor.stream()) == cudaSuccess);
    };
    executor.timed_from_first_phase("run", prepare, [&] {
        CHECK(prepared == 0);
        executor.for_each("add", n, AddOne{values.data()});
        executor.for_each("add", n, AddOne{values.data()});
        executor.for_each("add again", n, AddOne{values.data()});
        CHECK(executor.fetch(values.data() + n - 1) == 2);
    });
    CHECK(prepared == 1);
    CHECK(reported(executor) == Names{"run x 1", "add x 2", "add again x 1"});
    const double inner = milliseconds_of(executor, "add") + milliseconds_of(executor, "add again");
    CHECK(inner > 0);
    CHECK(milliseconds_of(executor, "run") == doctest::Approx(inner).epsilon(0.2));  // the phases share their events
}

TEST_CASE("cuda phases: a run without phases takes no time") {
    if (!use_test_device()) return;
    CudaExecutor executor;
    int prepared = 0;
    executor.timed_from_first_phase(
        "run", [&] { ++prepared; }, [] {});
    CHECK(prepared == 0);
    CHECK(reported(executor) == Names{"run x 1"});
    CHECK(milliseconds_of(executor, "run") == 0);
}

TEST_CASE("cuda phases: without times of each phase, only the run is reported") {
    if (!use_test_device()) return;
    CudaExecutor executor;
    Array<std::uint32_t> values(executor.memory(), 1000);
    executor.set_timing(Timing::outermost);
    executor.timed_from_first_phase(
        "run", [] {},
        [&] {
            executor.fill("fill", values, std::uint32_t{7});
            CHECK(executor.fetch(values.data() + 999) == 7);
            executor.for_each("add", values.size(), AddOne{values.data()});
        });
    CHECK(executor.fetch(values.data()) == 8);
    CHECK(reported(executor) == Names{"run x 1"});
    CHECK(milliseconds_of(executor, "run") > 0);
}

TEST_CASE("cuda phases: phases inside one phase are reported as one") {
    if (!use_test_device()) return;
    CudaExecutor executor;
    Array<std::uint32_t> values(executor.memory(), 1000);
    executor.in_one_phase("both", [&] {
        executor.fill("fill", values, std::uint32_t{1});
        executor.for_each("add", values.size(), AddOne{values.data()});
    });
    executor.for_each("add", values.size(), AddOne{values.data()});
    CHECK(executor.fetch(values.data() + 500) == 3);
    CHECK(reported(executor) == Names{"both x 1", "add x 1"});
}

TEST_CASE("cuda phases: waiting for a mark does not wait for later phases") {
    if (!use_test_device()) return;
    CudaExecutor executor;
    Array<std::uint32_t> pinned(executor.staging(), 2);  // the host may read and write it while the device does
    std::uint32_t *const value = pinned.data(), *const flag = value + 1;
    *value = *flag = 0;
    executor.for_each("store", 1, Store{value});
    executor.mark();
    executor.for_each("wait", 1, WaitFor{flag});
    executor.wait_for_mark();
    CHECK(*value == 1);
    CHECK(cudaStreamQuery(executor.stream()) == cudaErrorNotReady);
    *const_cast<volatile std::uint32_t*>(flag) = 1;
    executor.wait();
    CHECK(cudaStreamQuery(executor.stream()) == cudaSuccess);
}
