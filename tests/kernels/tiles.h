// Labels with the tile engine and checks the result.
#pragma once
#include "kernels/published.h"
#include "kernels/sums.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/tiles/label.h"
#include "kernels3d/exec/cpu_executor.h"

namespace tiles_tests {

using namespace voxcc;
using oracle::equal;
using oracle::sums_of;
using published::on_gpu;
using published::pool;

inline exec::Grid grid_of(oracle::Shape s) { return {std::uint32_t(s.nx), std::uint32_t(s.ny), std::uint32_t(s.nz)}; }
inline Extent extent_of(oracle::Shape s) { return {s.nx, s.ny, s.nz}; }

/// The length of the lists of pairs in the phases.
enum class Lists { as_they_are, too_short };

/// Paints rows and compares them with the oracle's labels.
/// @param numbers final numbers, as for prepare_paint()
template <class T>
bool paints(Labelling& labelling, oracle::Shape s, const oracle::Labels& want, RowRange rows,
            const std::vector<std::uint64_t>& numbers = {}, Stores stores = Stores::cached) {
    std::vector<T> out(std::size_t(rows.count * s.nx), T(77));
    labelling.prepare_paint(scalar_type_of<T>(), numbers);
    labelling.paint(rows, reinterpret_cast<std::byte*>(out.data()), stores);
    for (long i = 0; i < rows.count * s.nx; ++i) {
        const std::uint64_t number = want.of[rows.first * s.nx + i];
        if (out[i] != T(number == 0 || numbers.empty() ? number : numbers[number - 1])) return false;
    }
    return true;
}

/// Checks labels of all types, parts of the volume, final numbers and sums.
/// @return 0 if all are equal to the oracle's, else the number of the first check that failed
inline int failed_for_host(Labelling& got, oracle::Shape s, const oracle::Labels& want) {
    const RowRange all{0, s.ny * s.nz};
    if (got.count() != want.count) return 3;
    if (!paints<std::uint32_t>(got, s, want, all)) return 4;
    if (!paints<std::uint16_t>(got, s, want, all)) return 5;
    if (!paints<std::uint8_t>(got, s, want, all)) return 6;
    std::vector<std::uint64_t> numbers(want.count);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k % 3 == 0 ? 0 : numbers.size() - k;
    if (!paints<std::uint8_t>(got, s, want, {all.count / 3, all.count - all.count / 3}, numbers)) return 7;
    if (!paints<std::uint64_t>(got, s, want, {all.count / 2, 1}, numbers)) return 8;
    for (const std::uint64_t least : {1u << 16, 1u << 24}) {  // labels of three and four bytes in the transfer
        for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = least + k * 7919;
        if (!paints<std::uint32_t>(got, s, want, {all.count / 4, all.count - all.count / 4}, numbers, Stores::streaming)) return 11;
        if (!paints<std::uint64_t>(got, s, want, {0, 1}, numbers, Stores::streaming)) return 12;
    }
    return equal(got.measure(), sums_of(want, s)) ? 0 : 9;
}

/// Labels a volume on a GPU through the registry, or on the CPU executor with the same class. Defined in engines.cpp.
std::unique_ptr<Labelling> labelled(const block_runs::Request& request, RowSource& source);

/// Labels and sums of a volume by tiles_on_voxels.h, on a GPU or on the CPU executor. Defined in engines.cpp.
PublishedRun labelled_with_sums(const Extent& extent, Connectivity c, const std::uint8_t* voxels, std::uint32_t* labels);

/// Checks labels and sums of labelled_with_sums().
/// @return 0 if all are equal to the oracle's, else the number of the first check that failed
inline int failed_with_sums(const std::vector<std::uint8_t>& v, oracle::Shape s, Connectivity c, const oracle::Labels& want) {
    std::vector<std::uint32_t> labels(v.size(), 0xdeadbeef);
    const PublishedRun run = labelled_with_sums(extent_of(s), c, v.data(), labels.data());
    if (run.components != want.count) return 20;
    if (!std::equal(labels.begin(), labels.end(), want.of.begin(), want.of.end())) return 21;
    return equal(sum_table(run), sums_of(want, s)) ? 0 : 22;
}

inline block_runs::Request request_for(oracle::Shape s, Connectivity c) {
    block_runs::Request request;
    request.extent = extent_of(s);
    request.connectivity = c;
    return request;
}

}  // namespace tiles_tests
