#include "src/pipeline/component_table.h"

namespace voxcc {

std::vector<std::string> component_columns(const ExtraColumns& extras) {
    std::vector<std::string> columns{"label",         "voxels",        "volume_mm3",    "centroid_i", "centroid_j", "centroid_k",
                                     "centroid_x_mm", "centroid_y_mm", "centroid_z_mm", "bbox_i_min", "bbox_i_max", "bbox_j_min",
                                     "bbox_j_max",    "bbox_k_min",    "bbox_k_max",                                               //
                                     "cov_ii",        "cov_ij",        "cov_ik",        "cov_jj",     "cov_jk",     "cov_kk",      //
                                     "cov_xx_mm2",    "cov_xy_mm2",    "cov_xz_mm2",    "cov_yy_mm2", "cov_yz_mm2", "cov_zz_mm2",  //
                                     "axis1_mm",      "axis2_mm",      "axis3_mm",      "elongation", "flatness",   "touches_border"};
    const auto add = [&](std::initializer_list<const char*> names) { columns.insert(columns.end(), names.begin(), names.end()); };
    if (extras.source_label) add({"source_label"});
    if (extras.intensity)
        add({"intensity_mean", "intensity_std", "intensity_min", "intensity_max", "intensity_sum", "weighted_centroid_i",
             "weighted_centroid_j", "weighted_centroid_k", "weighted_centroid_x_mm", "weighted_centroid_y_mm", "weighted_centroid_z_mm"});
    if (extras.file) add({"file"});
    if (extras.volume) add({"volume"});
    if (extras.slice) add({"slice"});
    return columns;
}

std::vector<io::Cell> component_row(const io::Cell& label, const Properties& p, const ExtraColumns& extras, const ExtraCells& cells) {
    std::vector<io::Cell> row;
    row.reserve(64);
    const auto add = [&](const auto& values) { row.insert(row.end(), values.begin(), values.end()); };
    const auto in_world = [&](double value) { return p.has_world ? io::Cell(value) : io::Cell(); };
    const auto add_in_world = [&](const auto& values) {
        for (const double value : values) row.push_back(in_world(value));
    };
    row.push_back(label);
    row.push_back(p.voxels);
    row.push_back(in_world(p.volume_mm3));
    add(p.centroid);
    add_in_world(p.centroid_mm);
    add(p.box);
    add(p.covariance);
    add_in_world(p.covariance_mm2);
    add_in_world(p.axes_mm);
    add_in_world(std::array{p.elongation, p.flatness});
    row.push_back(std::uint64_t(p.touches_border));
    if (extras.source_label) row.push_back(cells.source_label);
    if (extras.intensity) {
        const IntensityProperties i = cells.intensity.value_or(IntensityProperties{});
        add(std::array{i.mean, i.standard_deviation, i.min, i.max, i.sum});
        add(i.weighted_centroid);
        add(i.weighted_centroid_mm);
    }
    if (extras.file) row.push_back(cells.file);
    if (extras.volume) row.push_back(cells.volume);
    if (extras.slice) row.push_back(cells.slice);
    return row;
}

}  // namespace voxcc
