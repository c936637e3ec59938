// The targets of the program `fuzz_readers`. HDF5 files are read in a child process, as in voxcc.
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/targets/targets.h"

#include <array>

namespace voxcc::fuzz {

std::span<const Target> targets() {
    static constexpr std::array all{Target{"nifti", run_nifti, mutate_fields},
                                    Target{"nifti_gz", run_nifti_gz, mutate_gzip},
                                    Target{"nifti_pair", run_nifti_pair, mutate_fields},
                                    Target{"tiff", run_tiff, mutate_tiff},
                                    Target{"hdf5", run_hdf5, mutate_hdf5},
                                    Target{"nrrd", run_nrrd, mutate_text},
                                    Target{"nrrd_pair", run_nrrd_pair, mutate_text},
                                    Target{"metaimage", run_metaimage, mutate_text},
                                    Target{"metaimage_pair", run_metaimage_pair, mutate_text},
                                    Target{"npy", run_npy, mutate_npy},
                                    Target{"npz", run_npz, mutate_fields},
                                    Target{"mgh", run_mgh, mutate_fields},
                                    Target{"mgz", run_mgz, mutate_gzip},
                                    Target{"zstd", run_zstd},
                                    Target{"vtk", run_vtk, mutate_text},
                                    Target{"mrc", run_mrc, mutate_fields},
                                    Target{"mrc_gz", run_mrc_gz, mutate_gzip},
                                    Target{"gipl", run_gipl, mutate_fields},
                                    Target{"raw", run_raw},
                                    Target{"slices", run_slices},
                                    Target{"ome_set", run_ome_set, mutate_text},
                                    Target{"gzip", run_gzip, mutate_gzip},
                                    Target{"deflate", run_deflate},
                                    Target{"hdf5_filters", run_hdf5_filters},
                                    Target{"dicom", run_dicom, mutate_fields},
                                    Target{"itk_headers", run_itk_headers, mutate_fields},
                                    Target{"jpeg2000", run_jpeg2000, mutate_fields},
                                    Target{"csv", run_csv, mutate_text},
                                    Target{"tsv", run_tsv, mutate_text},
                                    Target{"json_table", run_json_table, mutate_text},
                                    Target{"summary", run_summary, mutate_text},
                                    Target{"arguments", run_arguments, mutate_text},
                                    Target{"config", run_config, mutate_text},
                                    Target{"writers", run_writers},
                                    Target{"zarr_metadata", run_zarr_metadata, mutate_text},
                                    Target{"zarr_chunk", run_zarr_chunk},
                                    Target{"zarr_shard", run_zarr_shard},
                                    Target{"zarr_zip", run_zarr_zip, mutate_fields}};
    return all;
}

}  // namespace voxcc::fuzz
