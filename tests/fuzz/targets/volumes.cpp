// Targets that read one volume file as the program does.
#include "tests/fuzz/read_volume.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets/targets.h"

namespace voxcc::fuzz {
namespace {

void read_as(const std::string& name, Input input) {
    const std::string path = put_scratch(name, input);
    accepts([&] { read_as_program(path); });
}

}  // namespace

void run_nifti(Input input) { read_as("x.nii", input); }
void run_nifti_gz(Input input) { read_as("x.nii.gz", input); }
void run_tiff(Input input) { read_as("x.tif", input); }
void run_hdf5(Input input) { read_as("x.h5", input); }
void run_nrrd(Input input) { read_as("x.nrrd", input); }
void run_metaimage(Input input) { read_as("x.mha", input); }
void run_npy(Input input) { read_as("x.npy", input); }

}  // namespace voxcc::fuzz
