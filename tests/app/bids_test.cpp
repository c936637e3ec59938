#include "src/pipeline/bids.h"
#include "src/pipeline/naming.h"

#include <doctest/doctest.h>
#include <voxcc/error.h>

using namespace voxcc;

namespace {

/// The cause of the error for an input.
std::string refusal(const std::string& input) {
    try {
        bids_file(input);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::invalid_argument);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("bids: a file in a dataset") {
    const BidsFile file = bids_file("/ds/sub-01/ses-b/anat/sub-01_ses-b_acq-hi_run-02_space-MNI_res-1_desc-a+b_T1w.nii.gz");
    CHECK(file.root == "/ds");
    CHECK(file.path == "sub-01/ses-b/anat/sub-01_ses-b_acq-hi_run-02_space-MNI_res-1_desc-a+b_T1w.nii.gz");
    CHECK(file.folder == "sub-01/ses-b/anat");
    CHECK(file.entities == "sub-01_ses-b_acq-hi_run-02_space-MNI_res-1_desc-a+b");
    CHECK(file.has("res"));
    CHECK(file.has("sub"));
    CHECK(!file.has("es"));
    CHECK(!file.has("b_acq"));
    CHECK(bids_file("/ds/derivatives/x/sub-01/func/sub-01_task-a_bold.nii[3]").root == "/ds/derivatives/x");
    CHECK(bids_file("/ds/sub-01/micr/sub-01_sample-A_SPIM.ome.tif").entities == "sub-01_sample-A");
}

TEST_CASE("bids: files outside of a dataset get the folders that their names state") {
    CHECK(bids_stem("/scans/sub-1_T1w.nii") == "sub-1/anat/sub-1");
    CHECK(bids_stem("/scans/sub-1_ses-2_task-rest_bold.nii.gz") == "sub-1/ses-2/func/sub-1_ses-2_task-rest");
    CHECK(bids_stem("/scans/sub-1_dir-AP_dwi.nii.gz") == "sub-1/dwi/sub-1_dir-AP");
    CHECK(bids_stem("/scans/sub-1/sub-1_T1w.nii") == "sub-1/anat/sub-1");
    CHECK(bids_file("/scans/sub-1_T1w.nii").root == "/scans");
    CHECK(bids_file("/scans/sub-1_T1w.nii").path == "sub-1_T1w.nii");
    CHECK(bids_file("sub-1_T1w.nii").path == "sub-1_T1w.nii");
    CHECK(bids_stem("sub-1_new-x_T1w.nii") == "sub-1/anat/sub-1_new-x");  // a later version of BIDS can define it
}

TEST_CASE("bids: names that are refused") {
    for (const char* name : {"a.nii",
                             "T1w.nii",
                             "ses-1_sub-1_T1w.nii",
                             "sub_T1w.nii",
                             "sub-_T1w.nii",
                             "sub-a.b_T1w.nii",
                             "sub-1.nii",
                             "sub-1_run-1.nii",
                             "sub-1__T1w.nii",
                             "sub-1_T1w_.nii",
                             "sub-1_T1-w.nii",
                             "sub-1_run_T1w.nii",
                             "sub-1_-1_T1w.nii",
                             "sub-1_T1w",
                             "sub-1_T1w.txt",
                             "sub-1_T1w/",
                             "sub-1_r\xc3\xa9s-1_T1w.nii",
                             "sub-1_run-1_run-2_T1w.nii",
                             "-",
                             "..",
                             "sub-1_run-%04d_T1w.tif",
                             "",
                             "sub-1/../T1w.nii"}) {
        CAPTURE(name);
        CHECK(refusal(name).find("does not have a name of BIDS: ") != std::string::npos);
    }
    CHECK(refusal("sub-1_task-a_ses-1_bold.nii").find("'ses' must come before 'task'") != std::string::npos);
    CHECK(refusal("sub-1_run-1_new-a_acq-b_bold.nii").find("'acq' must come before 'run'") != std::string::npos);
    CHECK(refusal("/ds/sub-2/anat/sub-1_T1w.nii").find("is in the folder sub-2/, but its name states sub-1/") != std::string::npos);
    CHECK(!refusal("/ds/sub-1/ses-1/anat/sub-1_T1w.nii").empty());
    CHECK(!refusal("/ds/sub-1/anat/sub-1_ses-1_T1w.nii").empty());
}

TEST_CASE("bids: names of outputs") {
    CHECK(expand("out/{bids}_dseg.tsv", {"/ds/sub-1/anat/sub-1_T1w.nii.gz[0]"}, 0) == "out/sub-1/anat/sub-1_dseg.tsv");
    CHECK(expand("{stem}-{bids}", {"/ds/sub-1/anat/sub-1_T1w.nii.gz"}, {}) == "sub-1_T1w-sub-1/anat/sub-1");
    CHECK_THROWS_AS(expand("{bids}", {"a.nii"}, {}), Error);
    CHECK(names_each_input("a/{bids}.nii"));
    CHECK(names_each_input("{stem}"));
    CHECK(!names_each_input("{volume}"));
}

TEST_CASE("bids: paths in URIs") {
    CHECK(uri_path("a/b-c_1.nii~+") == "a/b-c_1.nii~+");
    CHECK(uri_path("my ds/\xc3\xa4:%") == "my%20ds/%C3%A4%3A%25");
}
