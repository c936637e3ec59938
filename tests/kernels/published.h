// Selects the published algorithms to test, and checks one of them: its labels must be equal to the oracle's, 1..K by first voxel.
#pragma once
#include "device.h"
#include "kernels/oracle.h"
#include "kernels/sanitized.h"
#include "kernels3d/api/algorithm_functions.h"
#include "lab/algorithms/label_published.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace published {

using namespace voxcc;

inline constexpr std::array all_connectivities{Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26};

inline ThreadPool& pool() {
    static ThreadPool three(3);
    return three;
}

inline bool on_gpu() { return test_device().kind == Device::Kind::cuda; }

/// Whether tests that take minutes on the CPU use all their volumes: on a GPU, and with --long.
inline bool all_volumes() { return on_gpu() || test_long(); }

/// The algorithms that --algorithms names (all by default) and that run on the device of --device.
inline std::vector<Algorithm> algorithms() {
    for (const std::string& name : test_algorithms()) REQUIRE_MESSAGE(find_algorithm(name), name);
    std::vector<Algorithm> found;
    for (const Algorithm& algorithm : all_algorithms()) {
        const bool wanted = test_algorithms().empty() ||
                            std::find(test_algorithms().begin(), test_algorithms().end(), algorithm.name) != test_algorithms().end();
        if (wanted && algorithm.is_published() && (!on_gpu() || algorithm.functions->run_cuda)) found.push_back(algorithm);
    }
    return found;
}

/// Labels into memory that contains a fill pattern. @return whether the labels and their number equal the oracle's
inline bool equal(const Algorithm& algorithm, Connectivity c, const std::vector<std::uint8_t>& v, oracle::Shape s,
                  const oracle::Labels& want) {
    std::vector<std::uint32_t> labels(v.size(), 0xdeadbeef);
    const auto run = run_published(algorithm, test_device(), {s.nx, s.ny, s.nz}, c, v.data(), labels.data(), pool());
    return run.components == want.count && std::equal(labels.begin(), labels.end(), want.of.begin());
}

/// Whether algorithms that walk along paths are tested. For them, a long Hilbert curve takes tens of thousands of passes.
enum class Paths { any, too_long_to_walk };

/// Checks all algorithms that support this connectivity.
inline void check_rows(const std::vector<std::uint8_t>& v, oracle::Shape s, Connectivity c, const oracle::Labels& want,
                       Paths paths = Paths::any) {
    for (const Algorithm& algorithm : algorithms()) {
        if (paths == Paths::too_long_to_walk && algorithm.functions->walks_paths) continue;
        if (!supports(algorithm, reduced(c, {s.nx, s.ny, s.nz}))) continue;
        INFO(algorithm.name << " " << s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c));
        CHECK(equal(algorithm, c, v, s, want));
    }
}

/// Checks all algorithms with all connectivities, except connectivities that are reduced to others in an image.
inline void check_all(const std::vector<std::uint8_t>& v, oracle::Shape s, Paths paths = Paths::any) {
    for (const Connectivity c : all_connectivities)
        if (reduced(c, {s.nx, s.ny, s.nz}) == c) check_rows(v, s, c, oracle::flood_fill(v, s, number_of(c)), paths);
}

}  // namespace published
