// The values of many images in each label of a label volume. The sums of a label exist only from its first to its last row.
#pragma once
#include <voxcc/measure.h>
#include "src/pipeline/component_table.h"
#include "src/pipeline/image_values.h"

#include <optional>
#include <vector>

namespace voxcc {

/// Members of IntensityProperties that sums of two powers give, as positions in this list: mean, standard deviation, min, max, sum,
/// weighted_centroid i j k, weighted_centroid_mm x y z.
using BriefMembers = std::vector<std::size_t>;

/// The members from which the columns of images are computed. Nothing if one of the columns needs more than these members.
// {label, ct_mean, ct_max} -> {0, 3}; {ct_kurtosis} -> nothing
std::optional<BriefMembers> brief_members(const std::vector<TableColumn>& columns);

/// The members of all images, by the row of LabelSums. Memory: 8 bytes per member, image and label.
class BriefValues {
public:
    BriefValues(BriefMembers members, std::size_t images, std::size_t labels)
        : members_(std::move(members)), images_(images), values_(images * labels * members_.size()) {}
    void set(std::size_t row, std::size_t image, IntensityProperties properties);
    /// The properties of one label in all images. The other members are NaN or empty.
    std::vector<ImageValues> of(std::size_t row) const;

private:
    std::size_t first(std::size_t row, std::size_t image) const { return (row * images_ + image) * members_.size(); }
    BriefMembers members_;
    std::size_t images_;
    std::vector<double> values_;
};

/// Reads the label volume and the images once, several images at the same time.
/// @param labels at row 0 @param sums of `labels` @param world of the tables
/// @throw Error changed_file if the labels are not the labels of `sums`
BriefValues measure_finished_labels(io::VolumeReader& labels, const LabelSums& sums, std::vector<OpenImage>& images,
                                    const BriefMembers& members, const std::optional<World>& world, const Reporter& reporter,
                                    ProgressBar& progress);

}  // namespace voxcc
