// The labelling algorithms of this build: one explicit table, from which --algorithm, `voxcc algorithms`, tests and bench follow.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/device.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace voxcc {

namespace exec {
class CpuExecutor;
class CudaExecutor;
}  // namespace exec
namespace block_runs {
class Labelling;
class RowSource;
struct Request;
}  // namespace block_runs
class ThreadPool;
namespace algorithms {
struct Problem;
struct Result;
}  // namespace algorithms

struct AlgorithmRow {
    std::string_view name;
    std::span<const Connectivity> connectivities;
    std::span<const Rule> rules;
    std::string_view source;  // the publication; "voxcc: ..." for our own algorithms
    /// Null where this build or the algorithm does not know the device. block-runs: null on the CPU, where it is no function over an
    /// executor; on CUDA its labelling of voxels that are on the device, for the bench.
    algorithms::Result (*run_cpu)(exec::CpuExecutor&, const algorithms::Problem&) = nullptr;
    algorithms::Result (*run_cuda)(exec::CudaExecutor&, const algorithms::Problem&) = nullptr;
    /// block-runs, in a build with CUDA, on devices of these numbers; published algorithms run on one.
    std::unique_ptr<block_runs::Labelling> (*label_cuda)(const block_runs::Request&, block_runs::RowSource&, ThreadPool&,
                                                         std::span<const int>) = nullptr;
    bool computes_early = false;  // published algorithms: whether properties can be carried along (algorithms/early.h)

    bool is_published() const { return run_cpu != nullptr; }
    bool runs_on(Device::Kind device) const { return device == Device::Kind::cpu || run_cuda || label_cuda; }
};

/// The default comes first.
std::span<const AlgorithmRow> algorithm_rows();

/// @return null if there is no such row
const AlgorithmRow* find_algorithm(std::string_view name);

bool supports(const AlgorithmRow& row, Connectivity connectivity);
bool supports(const AlgorithmRow& row, Rule rule);

/// @throw Error unsupported_by_algorithm naming the rows for this kind of device that do follow the rule, if this one does not
void require_rule(const AlgorithmRow& row, Rule rule, Device::Kind device);

/// As block_runs::label(), with any algorithm on any device. Published algorithms need 5 bytes per voxel: 1 for the voxel, 4 for the label.
/// Rules that compare values need 8 bytes per voxel more.
/// @param row the algorithm
/// @param device must be a result of present()
/// @throw Error unsupported_by_algorithm if the algorithm does not support the request (rule, connectivity, periodic axes, more than 2^31 -
/// 1 voxels, several
///              devices); no_device; out_of_memory (host or device); what the source throws
std::unique_ptr<block_runs::Labelling> label(const AlgorithmRow& row, const Device& device, const block_runs::Request& request,
                                             block_runs::RowSource& source, ThreadPool& pool);

/// Devices of this build on which the row runs, separated by spaces: "cpu cuda".
std::string devices_of(const AlgorithmRow& row);

}  // namespace voxcc
