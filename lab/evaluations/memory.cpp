// The test "memory": counts the reads and writes per phase. kernels3d/api/measurements.h defines what is counted.
//
// Source: Allegretti, Bolelli, Grana 2019, table 3, which gives the reads of the compression kernel.
#include "kernels3d/api/measurements.h"
#include "lab/evaluations/plan.h"

namespace voxcc::bench {
namespace {

void count(const Bench& bench, const Item& item, const Algorithm& algorithm, const std::vector<std::uint8_t>& voxels,
           std::vector<std::uint32_t>& labels) {
    const double n = double(item.volume.extent.voxels());
    Record record = record_of(Test::memory, algorithm.name, item);
    const auto write = [&](const PhaseAccesses& p, const std::string& phase) {
        record.phase = phase;
        for (const auto& [statistic, value, unit] : {std::tuple("reads", p.reads, "1/voxel"),
                                                     {"writes", p.writes, "1/voxel"},
                                                     {"atomics", p.atomics, "1/voxel"},
                                                     {"bytes read", p.bytes_read, "B/voxel"},
                                                     {"bytes written", p.bytes_written, "B/voxel"}}) {
            record.statistic = statistic, record.value = double(value) / n, record.unit = unit;
            bench.recorder.write(record);
        }
    };
    PhaseAccesses sum{};
    for (const PhaseAccesses& p :
         count_accesses(algorithm.name, item.volume.extent, item.connectivity, voxels.data(), labels.data(), bench.options.relabel)) {
        write(p, step_of(p.phase));
        sum.reads += p.reads, sum.writes += p.writes, sum.atomics += p.atomics;
        sum.bytes_read += p.bytes_read, sum.bytes_written += p.bytes_written;
    }
    write(sum, "labelling");
}

}  // namespace

std::vector<Step> plan_memory(const Bench& bench) {
    std::vector<Step> steps;
    if (!bench.options.tests.contains(Test::memory)) return steps;
    for (Item& item : items_of(bench, {128, 1024}, default_set)) {
        std::erase_if(item.algorithms, [](const Algorithm* algorithm) { return !algorithm->is_published(); });  // block-runs is not counted
        steps.push_back({item.volume.extent.voxels() * std::int64_t(item.algorithms.size()), [&bench, item](const Tick& tick) {
                             const std::vector<std::uint8_t> voxels = item.volume.voxels();
                             std::vector<std::uint32_t> labels(voxels.size());
                             for (const Algorithm* algorithm : item.algorithms) {
                                 count(bench, item, *algorithm, voxels, labels);
                                 tick(item.volume.extent.voxels());
                             }
                         }});
    }
    return steps;
}

}  // namespace voxcc::bench
