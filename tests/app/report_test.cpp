// Parts of `voxcc report` that need no files. tests/python/test_report.py tests the pages.
#include <doctest/doctest.h>
#include "src/report/page.h"
#include "src/report/page_data.h"
#include "src/report/picture_reduction.h"
#include "src/report/run_volumes.h"
#include "src/report/volume_files.h"

#include <numeric>

using namespace voxcc;
using namespace voxcc::report;

namespace {

TableVolume volume_of_sizes(const std::vector<std::uint64_t>& sizes) {
    TableVolume volume;
    volume.table = "folder/t.csv";
    volume.columns = {"label", "voxels"};
    for (const std::uint64_t size : sizes) {
        volume.rows.push_back({std::uint64_t(volume.rows.size() + 1), size});
        volume.sizes.push_back(double(size));
    }
    return volume;
}

std::vector<double> labels_in(const TableVolume& volume) {
    std::vector<double> labels;
    for (const auto& row : volume.rows) labels.push_back(number_in(row[0]));
    return labels;
}

}  // namespace

TEST_CASE("report: histograms") {
    const Histogram logarithmic = logarithmic_histogram({1, 3, 3, 8});
    CHECK(logarithmic.edges == std::vector<double>{1, 2, 4, 8, 16});
    CHECK(logarithmic.counts == std::vector<std::uint64_t>{1, 2, 0, 1});
    const Histogram linear = linear_histogram({1, 3, 3, 8}, 4);
    CHECK(linear.edges == std::vector<double>{1, 3, 5, 7, 9});
    CHECK(linear.counts == std::vector<std::uint64_t>{1, 2, 0, 1});
    CHECK(linear_histogram({7}, 40).counts == std::vector<std::uint64_t>{1});
    CHECK(logarithmic_histogram({0x1p53}).edges == std::vector<double>{0x1p53, 0x1p54});
    CHECK(logarithmic_histogram({}).counts.empty());
    CHECK(linear_histogram({}, 40).counts.empty());
}

TEST_CASE("report: median and robust z-scores") {
    CHECK(median({}) == 0);
    CHECK(median({5, 1, 3}) == 3);
    CHECK(median({4, 1, 3, 2}) == 2.5);
    // The median is 3, the distances are 2 1 0 1 97, and their median is 1.
    const std::vector<double> scores = robust_z({1, 2, 3, 4, 100});
    CHECK(scores[4] == doctest::Approx(0.6745 * 97));
    CHECK(scores[0] == doctest::Approx(0.6745 * -2));
    // More than half of the values are equal: the mean distance is 10 / 5.
    CHECK(robust_z({7, 7, 17, 7, 7})[2] == doctest::Approx(10 / (1.2533 * 2)));
    CHECK(robust_z({7, 7, 7, 7, 7}) == std::vector<double>(5, 0));
    CHECK(robust_z({1, 2, 3, 100}) == std::vector<double>(4, 0));
}

TEST_CASE("report: the largest components are kept in the order of the table") {
    TableVolume volume = volume_of_sizes({5, 9, 5, 1, 7, 5});
    keep_largest(volume, 4);
    CHECK(labels_in(volume) == std::vector<double>{1, 2, 3, 5});
    CHECK(volume.sizes.size() == 6);
    keep_largest(volume, 10);
    CHECK(volume.rows.size() == 4);
}

TEST_CASE("report: volumes share the cells of a page") {
    const std::vector<TableVolume> volumes{volume_of_sizes(std::vector<std::uint64_t>(100, 1)), volume_of_sizes({1}),
                                           volume_of_sizes(std::vector<std::uint64_t>(100, 1))};
    CHECK(shared_rows(volumes, 42) == std::vector<std::size_t>{10, 1, 10});
    CHECK(shared_rows(volumes, 1000) == std::vector<std::size_t>{100, 1, 100});
    CHECK(shared_rows({}, 10).empty());
}

TEST_CASE("report: steps of a picture") {
    using Steps = std::array<std::int64_t, 3>;
    CHECK(steps_for({10, 10, 10}, 1000) == Steps{1, 1, 1});
    CHECK(steps_for({512, 512, 10}, 700000) == Steps{2, 2, 1});
    CHECK(steps_for({5, 1, 1}, 1) == Steps{5, 1, 1});
    CHECK(steps_for({3, 3, 3}, 0) == Steps{3, 3, 3});
}

TEST_CASE("report: axes of an oblique affine") {
    // i runs mostly to the front, j to the left, k to the bottom.
    const io::Affine affine{{{0.2, -1.9, 0, 5}, {1, 0.3, 0.4, 6}, {0.1, 0, -3, 7}}};
    const auto axes = patient_axes(affine);
    CHECK(axes[0].stored == 1);
    CHECK(axes[0].reverse);
    CHECK(axes[1].stored == 0);
    CHECK_FALSE(axes[1].reverse);
    CHECK(axes[2].stored == 2);
    CHECK(axes[2].reverse);
}

TEST_CASE("report: names of the files of a volume") {
    TableVolume volume = volume_of_sizes({});
    CHECK(file_of({"--labels", "out/{stem}.nii"}, volume) == "out/t.nii");
    CHECK_THROWS_WITH_AS(file_of({"--images", "{file}"}, volume),
                         "--images: contains {file}, but folder/t.csv does not have a column 'file'", Error);
    volume.file = "scans/a{stem}.nii.gz";
    volume.volume = 3;
    CHECK(file_of({"--images", "{file}"}, volume) == "scans/a{stem}.nii.gz");
    CHECK(file_of({"--images", "x/{stem}_{volume}.nii"}, volume) == "x/a{stem}_3.nii");
    CHECK(file_of({"--images", ""}, volume).empty());
    CHECK(names_of({volume})[0].name == "a{stem}.nii.gz, volume 3");
}

TEST_CASE("report: folders distinguish files of one name") {
    std::vector<TableVolume> volumes(3);
    volumes[0].file = "ds/sub-1/scan.nii.gz";
    volumes[1].file = "ds/sub-2/scan.nii.gz";
    volumes[2].file = "ds/sub-2/scan.nii.gz";
    volumes[2].volume = 4;
    const std::vector<VolumeName> names = names_of(volumes);
    CHECK(names[0].anchor == "sub-1/scan");
    CHECK(names[1].anchor == "sub-2/scan");
    CHECK(names[2].anchor == "sub-2/scan_4");
    CHECK(names[2].name == "sub-2/scan.nii.gz, volume 4");
    volumes[1].file = volumes[0].file;
    CHECK(names_of(volumes)[0].anchor == "scan");
    CHECK(names_of(volumes)[1].anchor == "scan-2");
    CHECK(names_of({}).empty());
}

TEST_CASE("report: volumes without rows are inserted in the order of the run") {
    std::vector<TableVolume> volumes;
    for (const char* file : {"b", "d"}) {
        volumes.push_back(volume_of_sizes({2}));
        volumes.back().file = file;
    }
    const auto entry = [](const char* file, std::uint64_t components) { return RunVolume{file, {}, components, 7, 9}; };
    insert_volumes_without_rows({entry("a", 0), entry("b", 1), entry("c", 0), entry("other", 3), entry("d", 1), entry("e", 0)}, volumes);
    std::string files;
    for (const TableVolume& volume : volumes) files += *volume.file;
    CHECK(files == "abcde");
    CHECK(volumes[2].voxels_in_volume == 9);
    add_counts({entry("b", 2)}, volumes[1]);
    CHECK_FALSE(volumes[1].foreground);
    add_counts({entry("b", 1)}, volumes[1]);
    CHECK(volumes[1].foreground == 7);
}

TEST_CASE("report: a picture is reduced further") {
    Picture picture;
    picture.extent = {10, 2, 1};
    picture.reduced = {5, 2, 1};
    picture.step = {2, 1, 1};
    picture.image = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90};
    picture.labels.numbers = {0, 1, 2, 0, 3, 0, 0, 1, 0, 0};
    picture.beside.numbers = {3, 1, 0, 2, 0, 1, 3, 0, 0, 0};
    const Picture half = reduced(picture, {{}, {9, 4}}, 6);  // number 3 stands for labels without a row
    CHECK(half.reduced.nx == 3);
    CHECK(half.step[0] == 4);
    CHECK(half.image == std::vector<std::uint8_t>{5, 25, 40, 55, 75, 90});
    CHECK(half.labels.numbers == std::vector<std::uint32_t>{1, 2, 3, 0, 1, 0});
    CHECK(half.beside.numbers == std::vector<std::uint32_t>{1, 2, 0, 1, 0, 0});
    CHECK(reduced(picture, {{}, {9, 4}}, 1).labels.numbers == std::vector<std::uint32_t>{2});
    picture.beside = {};
    CHECK(reduced(picture, {{}, {9, 4}}, 1).beside.numbers.empty());
}

TEST_CASE("report: the data has both label volumes") {
    Picture picture;
    picture.labels = {"a.nii", {0, 1}, 0, 0};
    const Json single = json_of(picture, 1);
    CHECK(single["beside"].is_null());
    picture.beside = {"b.nii", {2, 1}, 0, 0};
    const Json pair = json_of(picture, 1);
    CHECK(pair["labels"] == single["labels"]);
    CHECK(pair["beside"].is_string());
    CHECK(pair["beside"] != pair["labels"]);
    CHECK(pair["beside_file"] == "b.nii");
}

TEST_CASE("report: options that name volumes") {
    ReportOptions options;
    CHECK(named_volumes(options).empty());
    options.labels = "a.nii";
    options.beside = "b.nii";
    REQUIRE(named_volumes(options).size() == 2);
    CHECK(named_volumes(options)[1].option == "--beside");
    CHECK(named_volumes(options)[1].name == "b.nii");
}

TEST_CASE("report: texts cannot end an element or an attribute") {
    CHECK(html_text("<a b='c' d=\"e\">&") == "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;");
    const std::string text = script_text(Json{{"</script>", "<!-- \xff \xe2\x80\xa8"}});
    CHECK(text.find('<') == std::string::npos);
    CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
    CHECK(Json::parse(text).contains("</script>"));
}

TEST_CASE("report: texts of the data are not searched for placeholders") {
    const std::string html = page("{{data}}", R"({"a": "{{scripts}}"})");
    CHECK(html.find("<title>{{data}}</title>") != std::string::npos);
    CHECK(html.find(R"({"a": "{{scripts}}"})") != std::string::npos);
}
