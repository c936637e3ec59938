#include "src/pipeline/finished_labels.h"

#include <voxcc/threads.h>
#include "src/messages/progress.h"
#include "src/pipeline/label_bits.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace voxcc {
namespace {

constexpr std::size_t number_of_members = 11;

double& member_of(IntensityProperties& p, std::size_t member) {
    switch (member) {
        case 0: return p.mean;
        case 1: return p.standard_deviation;
        case 2: return p.min;
        case 3: return p.max;
        case 4: return p.sum;
        case 5:
        case 6:
        case 7: return p.weighted_centroid[member - 5];
        default: return p.weighted_centroid_mm[member - 8];
    }
}

/// The member that a column shows; nothing if it shows another value.
std::optional<std::size_t> member_of(const TableColumn& column) {
    for (std::size_t member = 0; member < number_of_members; ++member) {
        ImageValues values;
        member_of(values.properties, member) = 1;
        if (column.family->image_cell(values, column.member) == io::Cell(1.0)) return member;
    }
    return std::nullopt;
}

/// Gives small numbers to the labels between their first and their last row. A number is used again for a later label.
class OpenLabels {
public:
    /// The labels of some consecutive rows.
    struct Block {
        std::int64_t first_row = 0;
        std::vector<std::uint32_t> numbers;  // of the voxels; 0 is background
        struct Finished {
            std::uint32_t number;
            std::size_t row;  // of LabelSums
        };
        std::vector<Finished> finished;  // labels that have no voxels after this block
    };

    OpenLabels(io::VolumeReader& labels, const LabelSums& sums)
        : path_(labels.info().path),
          info_(labels.info()),
          sums_(sums),
          rows_(labels),
          again_(info_.extent),
          bits_(std::size_t(info_.extent.nx)) {
        const std::vector<LabelBits>& all = sums.labels();
        row_of_.reserve(all.size());
        for (std::size_t row = 0; row < all.size(); ++row) {
            row_of_.emplace(all[row], row);
            const WideSums of_label = sums[row];
            // In a volume, the last slice is exact, and the last row of this slice is not after y1.
            finished_at_.push_back(std::int64_t(of_label.z1) * info_.extent.ny + of_label.y1);
        }
        open_.resize(all.size());
    }
    /// Reads the next rows.
    void read(std::int64_t rows, Block& block) {
        block.first_row = next_row_;
        block.numbers.resize(std::size_t(rows) * bits_.size());
        block.finished.clear();
        for (std::int64_t i = 0; i < rows; ++i, ++next_row_) {
            to_label_bits(rows_.next(), info_, bits_);
            add_row(std::span(block.numbers).subspan(std::size_t(i) * bits_.size(), bits_.size()));
        }
        for (std::size_t at = 0; at < active_.size();) {
            const std::size_t row = active_[at];
            if (finished_at_[row] < next_row_) {
                block.finished.push_back({open_[row], row});
                active_[at] = active_.back();
                active_.pop_back();
            } else {
                ++at;
            }
        }
    }
    /// Makes the numbers of finished labels free. Must be called when their sums are no longer needed.
    void release(const Block& block) {
        for (const Block::Finished& label : block.finished) free_.push_back(label.number), open_[label.row] = closed;
    }
    /// Must be called after the last row. Checks that all labels have the same voxels as before, as far as their sums show it.
    void check_end() const {
        if (again_.labels().size() != row_of_.size()) refuse();
        for (std::size_t number = 0; number < rows_by_number_.size(); ++number)
            if (again_[number] != sums_[rows_by_number_[number]]) refuse();
    }

private:
    [[noreturn]] void refuse() const { throw Error(ErrorKind::changed_file, path_, "has changed while it was read"); }
    /// @param numbers receive the numbers of a row
    void add_row(std::span<std::uint32_t> numbers) {
        again_.add_row(next_row_ % info_.extent.ny, next_row_ / info_.extent.ny, bits_, numbers);
        for (; rows_by_number_.size() < again_.labels().size();) {
            const auto found = row_of_.find(again_.labels()[rows_by_number_.size()]);
            if (found == row_of_.end()) refuse();
            rows_by_number_.push_back(found->second);
            open(found->second);
        }
        std::uint32_t known = 0, number = 0;
        for (std::uint32_t& voxel : numbers) {
            if (voxel == 0) continue;
            if (voxel != known) {
                known = voxel, number = open_[rows_by_number_[voxel - 1]];
                if (number == closed) refuse();
            }
            voxel = number;
        }
    }
    void open(std::size_t row) {
        if (free_.empty()) free_.push_back(++largest_);
        open_[row] = free_.back();
        free_.pop_back();
        active_.push_back(row);
    }

    static constexpr std::uint32_t closed = 0;
    std::string path_;
    const io::VolumeInfo& info_;
    const LabelSums& sums_;  // of the first pass
    RowStream rows_;
    LabelSums again_;  // gives numbers to the labels in the order of their first voxels
    std::vector<LabelBits> bits_;
    std::int64_t next_row_ = 0;
    std::unordered_map<LabelBits, std::size_t> row_of_;  // [label] row of LabelSums
    std::vector<std::size_t> rows_by_number_;            // [number - 1 in again_]
    std::vector<std::int64_t> finished_at_;              // [row] the label has no voxels in later rows of the volume
    std::vector<std::uint32_t> open_;                    // [row] the number of an open label
    std::vector<std::size_t> active_;                    // rows of the open labels
    std::vector<std::uint32_t> free_;
    std::uint32_t largest_ = 0;
};

}  // namespace

std::optional<BriefMembers> brief_members(const std::vector<TableColumn>& columns) {
    BriefMembers members;
    for (const TableColumn& column : columns) {
        if (!column.family->image_cell) continue;
        const std::optional<std::size_t> member = member_of(column);
        if (!member) return std::nullopt;
        if (std::ranges::find(members, *member) == members.end()) members.push_back(*member);
    }
    return members;
}

void BriefValues::set(std::size_t row, std::size_t image, IntensityProperties properties) {
    for (std::size_t at = 0; at < members_.size(); ++at) values_[first(row, image) + at] = member_of(properties, members_[at]);
}

std::vector<ImageValues> BriefValues::of(std::size_t row) const {
    std::vector<ImageValues> values(images_);
    for (std::size_t image = 0; image < images_; ++image)
        for (std::size_t at = 0; at < members_.size(); ++at)
            member_of(values[image].properties, members_[at]) = values_[first(row, image) + at];
    return values;
}

BriefValues measure_finished_labels(io::VolumeReader& labels, const LabelSums& sums, std::vector<OpenImage>& images,
                                    const BriefMembers& members, const std::optional<World>& world, const Reporter& reporter,
                                    ProgressBar& progress) {
    const auto is_of_values = [](std::size_t member) { return member == 0 || (member >= 2 && member <= 4); };  // without squares
    const Powers powers = std::ranges::all_of(members, is_of_values) ? Powers::one : Powers::two;
    struct Image {
        RowStream rows;
        IntensitySums sums;
        LinearScale scale;
    };
    std::vector<Image> open_images;
    for (const OpenImage& image : images) {
        const io::VolumeInfo& info = image.reader->info();
        open_images.push_back({RowStream(*image.reader), IntensitySums(info.type, powers), {info.scaling.slope, info.scaling.intercept}});
    }
    constexpr std::int64_t voxels_of_block = 1 << 18;
    const Extent& extent = labels.info().extent;
    const std::int64_t rows_of_block = std::max<std::int64_t>(1, voxels_of_block / extent.nx);
    BriefValues values(members, images.size(), sums.labels().size());
    OpenLabels open(labels, sums);
    OpenLabels::Block block;
    ThreadPool pool(std::min<int>(available_threads(), int(images.size())));
    for (std::int64_t first = 0; first < extent.rows(); first += rows_of_block) {
        const std::int64_t rows = std::min(rows_of_block, extent.rows() - first);
        open.read(rows, block);
        pool.for_each(std::int64_t(images.size()), [&](std::int64_t at) {
            Image& image = open_images[std::size_t(at)];
            for (std::int64_t i = 0; i < rows; ++i)
                image.sums.add_row<std::uint32_t>(
                    (first + i) % extent.ny, (first + i) / extent.ny,
                    std::span<const std::uint32_t>(block.numbers).subspan(std::size_t(i * extent.nx), std::size_t(extent.nx)),
                    image.rows.next());
            for (const OpenLabels::Block::Finished& label : block.finished) {
                values.set(label.row, std::size_t(at), image.sums.properties(label.number, image.scale, world));
                image.sums.clear(label.number);
            }
        });
        open.release(block);
        progress.update("measure", first + rows, extent.rows());
    }
    open.check_end();
    for (std::size_t i = 0; i < images.size(); ++i) report_image(images[i], open_images[i].sums.nan_voxels(), "labels", reporter);
    return values;
}

}  // namespace voxcc
