#include "src/pipeline/component_table.h"

#include <doctest/doctest.h>

using namespace voxcc;

namespace {

Properties properties() {
    Properties p;
    p.voxels = 9;
    p.centroid = {1.5, 2, 3};
    p.box = {0, 3, 1, 3, 2, 4};
    p.covariance = {1, 2, 3, 4, 5, 6};
    p.has_world = true;
    p.volume_mm3 = 18;
    p.centroid_mm = {-1, -2, -3};
    p.covariance_mm2 = {10, 20, 30, 40, 50, 60};
    p.axes_mm = {3, 2, 1};
    p.elongation = 0.75, p.flatness = 0.25;
    p.touches_border = true;
    return p;
}

io::Cell cell_named(const std::string& name, const std::vector<TableColumn>& columns, const std::vector<io::Cell>& row) {
    REQUIRE(columns.size() == row.size());
    const auto at = std::ranges::find(columns, name, &TableColumn::name);
    REQUIRE(at != columns.end());
    return row[std::size_t(at - columns.begin())];
}

ComponentValues values_of(const io::Cell& label, const Properties& properties) {
    ComponentValues values;
    values.label = label;
    values.properties = properties;
    return values;
}

const ExtraColumns all_extras{.source_label = true, .file = true, .volume = true, .slice = true, .images = {""}, .percentiles = {5, 99.5}};

}  // namespace

TEST_CASE("the columns equal the contract, in the same order") {
    const std::string contract =
        "label, voxels, volume_mm3, centroid_i, centroid_j, centroid_k, centroid_x_mm, centroid_y_mm, centroid_z_mm, "
        "bbox_i_min, bbox_i_max, bbox_j_min, bbox_j_max, bbox_k_min, bbox_k_max, cov_ii, cov_ij, cov_ik, cov_jj, cov_jk, cov_kk, "
        "cov_xx_mm2, cov_xy_mm2, cov_xz_mm2, cov_yy_mm2, cov_yz_mm2, cov_zz_mm2, axis1_mm, axis2_mm, axis3_mm, elongation, flatness, "
        "touches_border";
    std::string joined;
    for (const std::string& column : names_of(table_columns({}))) joined += (joined.empty() ? "" : ", ") + column;
    CHECK(joined == contract);
    const auto columns = names_of(table_columns(all_extras));
    const std::vector<std::string> extras(columns.begin() + 33, columns.end());
    CHECK(extras == std::vector<std::string>{"source_label",
                                             "intensity_mean",
                                             "intensity_std",
                                             "intensity_min",
                                             "intensity_max",
                                             "intensity_sum",
                                             "weighted_centroid_i",
                                             "weighted_centroid_j",
                                             "weighted_centroid_k",
                                             "weighted_centroid_x_mm",
                                             "weighted_centroid_y_mm",
                                             "weighted_centroid_z_mm",
                                             "peak_i",
                                             "peak_j",
                                             "peak_k",
                                             "peak_x_mm",
                                             "peak_y_mm",
                                             "peak_z_mm",
                                             "minimum_i",
                                             "minimum_j",
                                             "minimum_k",
                                             "minimum_x_mm",
                                             "minimum_y_mm",
                                             "minimum_z_mm",
                                             "skewness",
                                             "kurtosis",
                                             "intensity_p5",
                                             "intensity_p99.5",
                                             "file",
                                             "volume",
                                             "slice"});
    const auto two = names_of(table_columns({.images = {"ct", "pet"}, .percentiles = {50}}));
    CHECK(two.size() == 33 + 2 * 26);
    for (const char* name : {"ct_mean", "ct_weighted_centroid_i", "ct_peak_x_mm", "ct_skewness", "ct_p50", "pet_mean", "pet_p50"})
        CHECK(std::ranges::find(two, name) != two.end());
}

TEST_CASE("the names have the unit of the table") {
    const auto names = names_of(table_columns({.images = {""}, .shape = true, .form = {.units = Units::um}}));
    for (const char* name : {"volume_um3", "centroid_z_um", "cov_xy_um2", "axis3_um", "peak_x_um", "surface_um2", "feret_um"})
        CHECK(std::ranges::find(names, name) != names.end());
    for (const Units units : {Units::um, Units::nm, Units::voxel})
        for (const std::string& name : names_of(table_columns({.images = {""}, .shape = true, .form = {.units = units}})))
            CHECK(name.find("_mm") == std::string::npos);
}

TEST_CASE("an area takes the place of the volume in 2D") {
    const auto names = [](Spaces spaces) { return names_of(table_columns({.shape = true, .form = {.spaces = spaces}})); };
    const auto planes = names({.planes = true, .volumes = false}), both = names({.planes = true, .volumes = true});
    CHECK(planes[2] == "area_mm2");
    CHECK(planes[3] == "centroid_i");
    CHECK((both[2] == "volume_mm3" && both[3] == "area_mm2"));
    CHECK(std::ranges::find(planes, "surface_mm2") == planes.end());
    for (const char* name : {"surface_mm2", "perimeter_mm"}) CHECK(std::ranges::find(both, name) != both.end());
}

TEST_CASE("every value is in its column") {
    const auto columns = table_columns({});
    const auto row = component_row(columns, values_of(std::uint64_t{7}, properties()));
    const std::vector<std::pair<std::string, io::Cell>> expected{{"label", std::uint64_t{7}},
                                                                 {"voxels", std::uint64_t{9}},
                                                                 {"volume_mm3", 18.},
                                                                 {"centroid_i", 1.5},
                                                                 {"centroid_k", 3.},
                                                                 {"centroid_x_mm", -1.},
                                                                 {"bbox_i_min", std::int64_t{0}},
                                                                 {"bbox_i_max", std::int64_t{3}},
                                                                 {"bbox_k_max", std::int64_t{4}},
                                                                 {"cov_ij", 2.},
                                                                 {"cov_zz_mm2", 60.},
                                                                 {"cov_yy_mm2", 40.},
                                                                 {"axis1_mm", 3.},
                                                                 {"elongation", 0.75},
                                                                 {"flatness", 0.25},
                                                                 {"touches_border", std::uint64_t{1}}};
    for (const auto& [name, value] : expected) {
        CAPTURE(name);
        CHECK((cell_named(name, columns, row) == value));
    }
}

TEST_CASE("without world coordinates, exactly the columns that depend on them are n/a") {
    Properties p = properties();
    p.has_world = false;
    const auto columns = table_columns({});
    const auto row = component_row(columns, values_of(std::int64_t{-1}, p));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string& name = columns[i].name;
        CAPTURE(name);
        const bool in_mm = name.find("_mm") != std::string::npos || name == "elongation" || name == "flatness";
        CHECK(std::holds_alternative<std::monostate>(row[i]) == in_mm);
    }
}

TEST_CASE("extra columns follow; missing cells are n/a") {
    const auto columns = table_columns(all_extras);
    IntensityProperties intensity;
    intensity.mean = 4, intensity.sum = 36;
    intensity.peak = {1, 2, 3};
    ComponentValues values = values_of(std::uint64_t{1}, properties());
    const auto without = component_row(columns, values);
    values.source_label = std::int64_t{-5};
    values.images = {{intensity, {7}}};
    values.file = std::string("a.nii");
    values.slice = std::int64_t{3};
    const auto row = component_row(columns, values);
    CHECK((cell_named("source_label", columns, row) == io::Cell(std::int64_t{-5})));
    CHECK((cell_named("intensity_mean", columns, row) == io::Cell(4.)));
    CHECK((cell_named("intensity_sum", columns, row) == io::Cell(36.)));
    CHECK((cell_named("file", columns, row) == io::Cell(std::string("a.nii"))));
    CHECK((cell_named("volume", columns, row) == io::Cell()));
    CHECK((cell_named("intensity_p5", columns, row) == io::Cell(7.)));
    CHECK((cell_named("intensity_p99.5", columns, row) == io::Cell()));
    CHECK((cell_named("peak_j", columns, row) == io::Cell(std::int64_t{2})));
    CHECK((cell_named("minimum_i", columns, row) == io::Cell()));
    CHECK((cell_named("slice", columns, row) == io::Cell(std::int64_t{3})));
    for (const char* name : {"source_label", "intensity_mean", "weighted_centroid_x_mm", "file", "slice"})
        CHECK((cell_named(name, columns, without) == io::Cell()));
}
