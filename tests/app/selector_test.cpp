#include "src/pipeline/selector.h"

#include <doctest/doctest.h>
#include <voxcc/error.h>

#include <filesystem>
#include <fstream>

using namespace voxcc;

namespace {

/// An empty folder, which becomes the current folder.
class Folder {
public:
    Folder() {
        std::filesystem::create_directory(path_);
        std::filesystem::current_path(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::current_path(before_, ignored);
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

private:
    std::filesystem::path before_ = std::filesystem::current_path(), path_ = before_ / "selector_test_files";
};

void make_file(const std::string& name) { std::ofstream(name) << "x"; }

std::pair<std::string, std::string> parts(const std::string& input) {
    const SelectedFile file = divide_input(input);
    return {file.path, file.selector};
}

Selector parsed(const std::string& text) { return parse_selector(text, "a.h5" + text); }

using Parts = std::pair<std::string, std::string>;

}  // namespace

TEST_CASE("selector: an input is divided at the longest part that is a file") {
    const Folder folder;
    make_file("a.nii.gz");
    make_file("a.nii.gz[1]");
    make_file("odd[2");
    make_file("a.h5");
    std::filesystem::create_directory("slices");
    std::filesystem::create_directory("x[1]");
    make_file("x[1]/b.nii");
    CHECK(parts("a.nii.gz") == Parts("a.nii.gz", ""));
    CHECK(parts("a.nii.gz[3]") == Parts("a.nii.gz", "[3]"));
    CHECK(parts("a.nii.gz[1]") == Parts("a.nii.gz[1]", ""));
    CHECK(parts("a.nii.gz[1][2]") == Parts("a.nii.gz[1]", "[2]"));
    CHECK(parts("a.nii.gz[2][1]") == Parts("a.nii.gz", "[2][1]"));
    CHECK(parts("odd[2") == Parts("odd[2", ""));
    CHECK(parts("odd[2[0]") == Parts("odd[2", "[0]"));
    CHECK(parts("a.h5:/seg/mask") == Parts("a.h5", ":/seg/mask"));
    CHECK(parts("a.h5:/seg/x[1]") == Parts("a.h5", ":/seg/x[1]"));
    CHECK(parts("a.h5:/x:/y") == Parts("a.h5", ":/x:/y"));
    CHECK(parts("a.h5:raw") == Parts("a.h5", ":raw"));
    CHECK(parts("slices[0]") == Parts("slices", "[0]"));
    CHECK(parts("slices/") == Parts("slices/", ""));
    CHECK(parts("s%04d.tif[c=1]") == Parts("s%04d.tif", "[c=1]"));
    CHECK(parts("x[1]/b.nii") == Parts("x[1]/b.nii", ""));
    CHECK(parts("x[1]/b.nii[4]") == Parts("x[1]/b.nii", "[4]"));
    CHECK(parts("x[1]/none.nii") == Parts("x[1]/none.nii", ""));
    CHECK(parts("a.nii.gz[") == Parts("a.nii.gz", "["));
    CHECK(parts("a.nii.gz[c=CD3/CD4]") == Parts("a.nii.gz", "[c=CD3/CD4]"));
    CHECK(parts("a.nii.gz[c=A[1]]") == Parts("a.nii.gz", "[c=A[1]]"));
    CHECK(parts("a.nii.gz[c=\"x:/y\"]") == Parts("a.nii.gz", "[c=\"x:/y\"]"));
    CHECK(parts("a.nii.gz[c") == Parts("a.nii.gz", "[c"));
}

TEST_CASE("selector: a missing file ends at the extension of a volume") {
    const Folder folder;
    CHECK(parts("none.nii.gz[3]") == Parts("none.nii.gz", "[3]"));
    CHECK(parts("d/none.h5:/raw[1]") == Parts("d/none.h5", ":/raw[1]"));
    CHECK(parts("none[3]") == Parts("none[3]", ""));
    CHECK(parts("[3]") == Parts("[3]", ""));
    CHECK(parts("./[3]") == Parts("./[3]", ""));
    CHECK(parts(":/x") == Parts(":/x", ""));
    CHECK(parts("") == Parts("", ""));
}

TEST_CASE("selector: valid texts") {
    CHECK(parsed("") == Selector{});
    CHECK(parsed("[3]") == Selector{"", NumberRange{3, {}}, {}});
    CHECK(parsed("[007]") == Selector{"", NumberRange{7, {}}, {}});
    CHECK(parsed("[0..4]") == Selector{"", NumberRange{0, 4}, {}});
    CHECK(parsed("[2..2]") == Selector{"", NumberRange{2, 2}, {}});
    CHECK(parsed("[9223372036854775807]") == Selector{"", NumberRange{9223372036854775807, {}}, {}});
    CHECK(parsed("[c=1]") == Selector{"", {}, {{'C', {1, {}}}}});
    CHECK(parsed("[T=0..2,c=1]") == Selector{"", {}, {{'T', {0, 2}}, {'C', {1, {}}}}});
    CHECK(parsed(":/raw") == Selector{"/raw", {}, {}});
    CHECK(parsed(":/seg/mask[3]") == Selector{"/seg/mask", NumberRange{3, {}}, {}});
    CHECK(parsed(":/a[1]/b") == Selector{"/a[1]/b", {}, {}});
    CHECK(parsed(":/a[") == Selector{"/a[", {}, {}});
    CHECK(parsed("[1..2]").has_range());
    CHECK(parsed("[c=0..1]").has_range());
    CHECK_FALSE(parsed("[c=0]").has_range());
    CHECK_FALSE(parsed(":/x").chooses_volumes());
}

TEST_CASE("selector: names and all positions") {
    using By = AxisPositions::By;
    const auto named = [](const std::string& text) {
        const Selector selector = parsed(text);
        return selector.axes.at(0).by == By::name ? selector.axes[0].name : "";
    };
    CHECK(named("[c=DAPI]") == "DAPI");
    CHECK(named("[C=CD45-PE (2)]") == "CD45-PE (2)");
    CHECK(named("[c=488nm]") == "488nm");
    CHECK(named("[c=CD3/CD4]") == "CD3/CD4");
    CHECK(named("[c=A]]") == "A]");
    CHECK(named("[c=A,t=3]") == "A");
    CHECK(named("[c=\"488\"]") == "488");
    CHECK(named("[c=\"*\"]") == "*");
    CHECK(named("[c=\"A, B=C]\",t=0]") == "A, B=C]");
    CHECK(named("[c=\"say \"\"A\"\"\"]") == "say \"A\"");
    CHECK(parsed("[c=*]").axes[0].by == By::all);
    CHECK(parsed("[c=*]").has_range());
    CHECK(parsed("[t=0,c=*]").has_range());
    CHECK_FALSE(parsed("[c=DAPI]").has_range());
    CHECK(parsed("[c=1]").axes[0].by == By::number);
}

TEST_CASE("selector: the text of a selector leads to the same selector") {
    for (const char* text : {"", "[3]", "[0..4]", "[c=1]", "[c=1,t=0..4]", "[c=*,t=0]", "[c=DAPI]", "[c=\"488\"]", "[c=\"*\"]",
                             "[c=\"A,B\",t=1]", "[c=\"say \"\"A\"\"\"]", ":/raw", ":/raw[c=DAPI]", "[c=\"0..1\"]", "[c=\"a=b\"]"}) {
        CAPTURE(text);
        CHECK(text_of(parsed(text)) == text);
    }
    CHECK(text_of(parsed("[C=\"DAPI\"]")) == "[c=DAPI]");
}

TEST_CASE("selector: texts that are not valid") {
    for (const char* text : {"[",
                             "]",
                             "[]",
                             "[-1]",
                             "[+1]",
                             "[ 1]",
                             "[1 ]",
                             "[1.5]",
                             "[1e3]",
                             "[0x1]",
                             "[99999999999999999999]",
                             "[0..]",
                             "[..4]",
                             "[..]",
                             "[0...4]",
                             "[0..4..8]",
                             "[4..0]",
                             "[0..99999999999999999999]",
                             "[1,2]",
                             "[all]",
                             "[$]",
                             "[c]",
                             "[c=]",
                             "[c=-1]",
                             "[c=1,]",
                             "[,c=1]",
                             "[c=1,c=2]",
                             "[c=1,C=1]",
                             "[c=1,3]",
                             "[3,c=1]",
                             "[x=1]",
                             "[y=0]",
                             "[z=0]",
                             "[cc=1]",
                             "[1=1]",
                             "[c==1]",
                             "[c=1.5]",
                             "[c=0..]",
                             "[c=\"]",
                             "[c=\"\"]",
                             "[c=\"A]",
                             "[c=\"A\"B]",
                             "[c=\"A\"\"]",
                             "[c=A\"B]",
                             "[c=A,B]",
                             "[c=A,]",
                             "[c=A,,t=1]",
                             "[*]",
                             "[c=1;t=0]",
                             "[1][2]",
                             "[[1]]",
                             "[1]]",
                             "[1\n]",
                             "[\x1b]",
                             "[\xff]",
                             ":",
                             ":raw",
                             ":/",
                             "://",
                             ":/raw[]",
                             ":/raw[1][x]",
                             ":/[1]",
                             ":/raw[x=1]"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parsed(text), Error);
        try {
            parsed(text);
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::invalid_argument);
            CHECK(error.subject() == "a.h5" + std::string(text));
        }
    }
}

TEST_CASE("selector: parts of names of outputs") {
    CHECK(name_of_selector("") == "");
    CHECK(name_of_selector("[3]") == "_3");
    CHECK(name_of_selector("[0..4]") == "_0-4");
    CHECK(name_of_selector("[c=1,t=0]") == "_c1_t0");
    CHECK(name_of_selector("[c=1,t=0..2]") == "_c1_t0-2");
    CHECK(name_of_selector("[c=DAPI]") == "_cDAPI");
    CHECK(name_of_selector("[c=\"CD45-PE, 2/3\"]") == "_cCD45-PE__2_3");
    CHECK(name_of_selector("[c=*]") == "_c-all");
    CHECK(name_of_selector(":/raw") == "_raw");
    CHECK(name_of_selector(":/seg/mask[3]") == "_seg_mask_3");
    CHECK(name_of_selector(":/s\xc3\xa9g%04d {stem}\n") == "_s\xc3\xa9g_04d__stem__");
}
