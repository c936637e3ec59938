#include "src/parts/table_rows.h"

#include <algorithm>

namespace voxcc::parts {

TableRows::TableRows(const Plan& plan, std::string folder, const MergedFile& merged, Content content)
    : plan_(plan), folder_(std::move(folder)), merged_(merged), content_(content) {}

TableRow TableRows::at(std::size_t row) const {
    const std::lock_guard lock(*mutex_);
    return placed(row).row;
}

std::vector<ImageValues> TableRows::image_values(std::size_t row, std::span<const LinearScale> scales,
                                                 const std::optional<World>& world) const {
    const std::lock_guard lock(*mutex_);
    const Placed& at = placed(row);
    std::vector<ImageValues> values;
    for (std::size_t image = 0; image < scales.size(); ++image)
        values.push_back({images_[at.part][image].properties(at.component, scales[image], world), {}});
    return values;
}

std::vector<std::uint64_t> TableRows::nan_voxels(std::size_t row) const {
    const std::lock_guard lock(*mutex_);
    const Placed& at = placed(row);
    std::vector<std::uint64_t> nan;
    for (const IntensitySums& image : images_[at.part]) {
        const std::uint64_t measured = image.stored_range(at.component).voxels;
        if (measured > at.row.sums.n)
            throw Error(ErrorKind::corrupt_file, folder_, "has more intensities than voxels; paint all parts again");
        nan.push_back(at.row.sums.n - measured);
    }
    return nan;
}

const TableRows::Placed& TableRows::placed(std::size_t row) const {
    if (row < first_) next_part_ = 0, rows_.clear(), first_ = 0;
    while (row >= first_ + rows_.size()) load_layer();
    return rows_[row - first_];
}

void TableRows::load_layer() const {
    const auto counts = plan_.rules.grid.counts();
    const bool by_size = plan_.rules.criteria.numbering == Numbering::by_size;
    const std::int64_t end = by_size ? plan_.rules.grid.parts() : next_part_ + counts[0] * counts[1];
    if (next_part_ == plan_.rules.grid.parts())
        throw Error(ErrorKind::corrupt_file, folder_, "has fewer rows of the table than components; paint all parts again");
    first_ += rows_.size();
    rows_.clear(), images_.clear();
    for (; next_part_ < end; ++next_part_) {
        const auto file = open_painted(plan_, folder_, next_part_, merged_);
        std::uint64_t component = 0;
        for (const TableRow& row : read_rows(plan_, *file, next_part_)) rows_.push_back({row, images_.size(), ++component});
        images_.emplace_back();
        if (content_ == Content::sums_and_intensities) images_.back() = read_row_intensities(plan_, *file, next_part_, component);
    }
    std::ranges::sort(rows_, {}, [](const Placed& placed) { return placed.row.number; });
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (rows_[i].row.number != first_ + i + 1 || rows_[i].row.sums.n == 0)
            throw Error(ErrorKind::corrupt_file, folder_, "has a wrong number in its table; paint all parts again");
}

}  // namespace voxcc::parts
