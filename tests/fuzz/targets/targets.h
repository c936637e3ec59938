// The functions of all targets, for the lists in readers.cpp and hdf5_in_thread.cpp.
#pragma once
#include "tests/fuzz/target.h"

namespace voxcc::fuzz {

void run_nifti(Input input);
void run_nifti_gz(Input input);
void run_nifti_pair(Input input);
void run_tiff(Input input);
void run_hdf5(Input input);
void run_nrrd(Input input);
void run_nrrd_pair(Input input);
void run_metaimage(Input input);
void run_metaimage_pair(Input input);
void run_npy(Input input);
void run_npz(Input input);
void run_mgh(Input input);
void run_mgz(Input input);
void run_zstd(Input input);
void run_vtk(Input input);
void run_mrc(Input input);
void run_mrc_gz(Input input);
void run_gipl(Input input);
void run_raw(Input input);
void run_slices(Input input);
void run_ome_set(Input input);
void run_gzip(Input input);
void run_deflate(Input input);
void run_hdf5_filters(Input input);
void run_dicom(Input input);
void run_itk_headers(Input input);
void run_jpeg2000(Input input);
void run_csv(Input input);
void run_tsv(Input input);
void run_json_table(Input input);
void run_summary(Input input);
void run_arguments(Input input);
void run_config(Input input);
void run_writers(Input input);
void run_zarr_metadata(Input input);
void run_zarr_chunk(Input input);
void run_zarr_shard(Input input);
void run_zarr_zip(Input input);

}  // namespace voxcc::fuzz
