// Computes the memory that a labelling needs.
#include <voxcc/label.h>
#include <voxcc/source.h>

#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/engine/memory.h"
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/rows.h"

namespace voxcc {
namespace {

using block_runs::ids_fit_32_bits;
using block_runs::links_of;
using block_runs::most_runs_per_row;
using block_runs::most_shares;
using block_runs::Request;

constexpr std::int64_t small_page = 4096, huge_page = std::int64_t{2} << 20;
constexpr std::int64_t compact_sums_bytes = 32;  // per component: a row of measure/compact_sums.h

/// Rows of the cross-section of a block-row.
struct CrossSection {
    std::int64_t rows_y = 1, rows_z = 1;
    std::int64_t rows() const { return rows_y * rows_z; }
};

CrossSection cross_section_of(const Request& request) {
    if (request.rule != Rule::foreground) return {};
    return visit_connectivity(reduced(request.connectivity, request.extent), []<Connectivity K>() -> CrossSection {
        return {links_of<K>.rows_y, links_of<K>.rows_z};
    });
}

/// The extent that is labelled at once.
Extent labelled_extent(const Request& request, const MemoryConditions& conditions) {
    const Extent& e = request.extent;
    return {e.nx, e.ny, conditions.slices_per_slab > 0 ? std::min(conditions.slices_per_slab, e.nz) : e.nz};
}

/// Foreground and values in host memory, and u32 labels: lab/algorithms/label_published.cpp.
std::int64_t bytes_per_voxel_of_published(Rule rule) { return rule == Rule::foreground ? 5 : 13; }

/// Bytes per run: parent, label, the label as painted, and the value.
std::int64_t bytes_per_run(const Request& piece, ScalarType label_type) {
    const std::int64_t id = ids_fit_32_bits(piece) ? 4 : 8;
    return 2 * id + size_of(label_type) + (piece.rule == Rule::equal_values ? 8 : 0);
}

}  // namespace

MemoryNeeds block_runs::memory_bytes(const Request& request, const MemoryConditions& conditions) {
    const bool is_published = conditions.algorithm != MemoryConditions().algorithm;
    Request piece = request;
    piece.extent = labelled_extent(request, conditions);
    const Extent& e = piece.extent;
    const CrossSection section = cross_section_of(request);
    const std::int64_t block_rows = (e.ny + section.rows_y - 1) / section.rows_y * ((e.nz + section.rows_z - 1) / section.rows_z);
    const std::int64_t words = block_rows * words_of(e.nx), most_runs = block_rows * most_runs_per_row(request.rule, e.nx);
    const std::int64_t run_bytes = bytes_per_run(piece, conditions.label_type);

    MemoryNeeds needs;
    if (is_published) {
        needs.voxels = e.voxels() * bytes_per_voxel_of_published(request.rule);
    } else {
        needs.bits = words * section.rows() * 8;
        needs.index = words * (8 + (ids_fit_32_bits(piece) ? 4 : 8));
    }
    if (conditions.slices_per_slab > 0 && is_neighbour(reduced(request.connectivity, request.extent), 0, 0, 1))
        needs.faces = 2 * e.nx * e.ny * (4 + (request.rule == Rule::gradient ? 2 * 8 : 0));  // numbers, and stored values of up to 8 bytes
    const int at_ends = 4 + (request.rule == Rule::gradient ? 8 : 0);  // a number, and a stored value of up to 8 bytes
    needs.faces += block_runs::Ends::bytes(request.extent, block_runs::crossed_axes(request), at_ends);
    // The first 2 MiB of each share's part of an array lie on small pages, the others on huge pages: Runs::begin_on_small_pages().
    const std::int64_t parts =
        most_shares(request.rule, conditions.access, conditions.threads) * (request.rule == Rule::equal_values ? 4 : 3);
    const std::int64_t smooth = words * run_bytes, page = smooth / parts < huge_page ? small_page : huge_page;
    needs.runs_smooth = std::min(smooth + parts * page, most_runs * run_bytes);
    // Every run can be a component of its own: single voxels at even x, y and z.
    const std::int64_t sums_bytes = is_published ? std::int64_t(sizeof(Sums<std::uint64_t>)) : compact_sums_bytes;
    needs.runs_most = most_runs * (run_bytes + sums_bytes);
    return needs;
}

MemoryNeeds memory_bytes(const Extent& extent, const Question& question, const MemoryConditions& conditions) {
    return block_runs::memory_bytes(Request(question, extent), conditions);
}

std::int64_t slices_per_layer(const Extent& extent, const Question& question) { return cross_section_of(Request(question, extent)).rows_z; }

std::int64_t most_rows_fetched(const Extent& extent, const Question& question, const MemoryConditions& conditions,
                               std::int64_t rows_per_fetch) {
    const Extent e = labelled_extent(Request(question, extent), conditions);
    return std::min(rows_per_fetch, e.rows() / most_shares(question.rule, conditions.access, conditions.threads) + e.ny);
}

}  // namespace voxcc
