#include "src/pipeline/sidecar.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace voxcc;

TEST_CASE("the sidecar has the name of the table") {
    CHECK(sidecar_path("out/t.csv") == "out/t.json");
    CHECK(sidecar_path("out.d/sub-01_dseg.tsv") == "out.d/sub-01_dseg.json");
    CHECK(sidecar_path("t.v2.CSV") == "t.v2.json");
    CHECK(sidecar_path("{stem}.csv") == "{stem}.json");
    CHECK(sidecar_path("t.json") == "t.columns.json");
    CHECK(sidecar_path("t.JSON") == "t.columns.json");
}

TEST_CASE("the sidecar describes each column, in the order of the table") {
    const ExtraColumns all{.source_label = true, .file = true, .volume = true, .slice = true, .images = {"", "ct"}, .percentiles = {50}};
    const auto columns = table_columns(all);
    const auto json = nlohmann::ordered_json::parse(sidecar_text(sidecar_entries(columns)));
    std::vector<std::string> names;
    for (const auto& [name, column] : json.items()) {
        CAPTURE(name);
        names.push_back(name);
        const std::string description = column.at("Description");
        CHECK(!std::islower(description.front()));  // or a digit
        CHECK(description.back() == '.');
        CHECK(description.find('`') == std::string::npos);
        CHECK(std::isupper(column.at("LongName").get<std::string>().front()));
        // A name ends in its unit.
        const std::string unit = column.value("Units", "");
        for (const auto& [end, written] : {std::pair("_mm", "mm"), {"_mm2", "mm^2"}, {"_mm3", "mm^3"}})
            CHECK(name.ends_with(end) == (unit == written));
    }
    CHECK(names == names_of(columns));
    CHECK(json.at("volume_mm3").at("Formula") == "N |det A3|");
    CHECK(json.at("centroid_j").at("LongName") == "Centroid, j");
    CHECK(json.at("voxels").at("Units") == "voxel");
    CHECK(!json.at("elongation").contains("Units"));
    CHECK(json.at("axis1_mm").at("Description").get<std::string>().find("Standard deviation") == 0);
}

TEST_CASE("two columns do not have the same name") {
    const ExtraColumns all{.source_label = true, .file = true, .volume = true, .slice = true, .images = {"", "ct"}, .percentiles = {50}};
    auto names = names_of(table_columns(all));
    std::ranges::sort(names);
    CHECK(std::ranges::adjacent_find(names) == names.end());
}
