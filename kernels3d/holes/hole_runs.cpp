#include <voxcc/holes.h>

#include <algorithm>

namespace voxcc {
namespace {

/// Appends the runs of equal numbers other than 0. @param numbers of the voxels of a row; a hole has its index + 1
template <class Number>
void list_runs(std::span<const Number> numbers, std::vector<HoleRun>& runs) {
    constexpr std::size_t at_once = 16;  // most voxels are not in holes
    for (std::size_t x = 0; x < numbers.size();) {
        if (x + at_once <= numbers.size()) {
            Number any = 0;
            for (std::size_t i = 0; i < at_once; ++i) any |= numbers[x + i];
            if (any == 0) {
                x += at_once;
                continue;
            }
        }
        const Number number = numbers[x];
        std::size_t end = x + 1;
        while (end < numbers.size() && numbers[end] == number) ++end;
        if (number != 0) runs.push_back({std::uint32_t(x), std::uint32_t(end), number - 1});
        x = end;
    }
}

/// The numbers with which the background is painted: hole h has the number h + 1. @return the number of holes
std::uint64_t number_holes(std::vector<std::uint64_t>& is_hole) {
    std::uint64_t holes = 0;
    for (std::uint64_t& number : is_hole)
        if (number) number = ++holes;
    return holes;
}

}  // namespace

HoleRuns::HoleRuns(Holes& holes, const Extent& extent, ThreadPool& pool, MemoryLimit* memory)
    : taken_(memory), blocks_(std::size_t((extent.rows() + rows_per_block - 1) / rows_per_block)) {
    if (holes.in_row.empty()) return;
    const bool is_wide = number_holes(holes.is_hole) > ~std::uint32_t{0};
    const auto list = [&]<class Number>(std::type_identity<Number>) {
        holes.background->prepare_paint(scalar_type_of<Number>(), holes.is_hole);
        pool.for_each(std::int64_t(blocks_.size()), [&](std::int64_t b) {
            thread_local std::vector<Number> numbers;
            numbers.resize(std::size_t(extent.nx));
            Block& block = blocks_[std::size_t(b)];
            const std::int64_t first = b * rows_per_block, rows = std::min(rows_per_block, extent.rows() - first);
            for (std::int64_t row = 0; row < rows; ++row) {
                block.begins.push_back(std::uint32_t(block.runs.size()));
                if (!holes.in_row[std::size_t(first + row)]) continue;
                holes.background->paint({first + row, 1}, reinterpret_cast<std::byte*>(numbers.data()), Stores::cached);
                list_runs<Number>(numbers, block.runs);
            }
            block.begins.push_back(std::uint32_t(block.runs.size()));
            if (block.runs.empty()) block.begins = {};
            block.runs.shrink_to_fit();
            try {
                taken_.take(std::int64_t(block.runs.size() * sizeof(HoleRun)));
            } catch (const MemoryLimitReached&) {
                throw MemoryLimitReached(MemoryLimitReached::Data::of_all_slabs);
            }
        });
    };
    if (is_wide) list(std::type_identity<std::uint64_t>{});
    else list(std::type_identity<std::uint32_t>{});
}

std::span<const HoleRun> HoleRuns::operator[](std::int64_t row) const {
    const Block& block = blocks_[std::size_t(row / rows_per_block)];
    if (block.begins.empty()) return {};
    const auto at = std::size_t(row % rows_per_block);
    return std::span(block.runs).subspan(block.begins[at], block.begins[at + 1] - block.begins[at]);
}

}  // namespace voxcc
