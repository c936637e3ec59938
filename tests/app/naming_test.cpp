#include "src/pipeline/naming.h"

#include <doctest/doctest.h>

#include <filesystem>

using namespace voxcc;

TEST_CASE("naming: stems") {
    CHECK(stem_of("a/b.nii.gz") == "b");
    CHECK(stem_of("s%04d.tif") == "s");
    CHECK(stem_of("folder/") == "folder");
    CHECK(stem_of("a/b.txt") == "b.txt");
    CHECK(stem_of(".nii") == ".nii");
    CHECK(stem_of("a/b.nii.gz[3]") == "b_3");
    CHECK(stem_of("a/b.tif[c=1,t=0]") == "b_c1_t0");
    CHECK(stem_of("a/b.h5:/seg/mask") == "b_seg_mask");
    CHECK(stem_of("a/b.zarr") == "b");
    CHECK(stem_of("a/b.ome.zarr/") == "b");
    CHECK(stem_of("a/b.ome.zarr:/labels/c") == "b_labels_c");
    CHECK(stem_of("b.zarr.zip") == "b");
    CHECK(stem_of("b.ozx") == "b");
    CHECK(stem_of("s%04d.tif[2]") == "s_2");
    CHECK(stem_of("b.h5:/../c") == "b_-_c");
}

TEST_CASE("naming: a stem never leads to another folder") {
    const std::string here = std::filesystem::current_path().filename().string();
    const std::string above = std::filesystem::current_path().parent_path().filename().string();
    CHECK(stem_of(".") == here);
    CHECK(stem_of("./") == here);
    CHECK(stem_of("..") == above);
    CHECK(stem_of("../") == above);
    CHECK(stem_of("a/b/..") == "a");
    CHECK(stem_of("/") == "root");
    CHECK(stem_of("..nii") == "_..nii");
    CHECK(stem_of("a/...nii.gz") == "_...nii.gz");
    CHECK(stem_of("%04d") == "_%04d");
    for (const char* input : {".", "..", "/", "/..", "a/..", "..nii", "...nii", "....nii", "%d", ".%d", "..%d", "a/./"}) {
        CAPTURE(input);
        const std::string stem = stem_of(input);
        CHECK(!stem.empty());
        CHECK(stem != ".");
        CHECK(stem != "..");
        CHECK(stem.find('/') == std::string::npos);
    }
}
