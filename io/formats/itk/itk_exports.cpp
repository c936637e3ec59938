// The only exported symbol of the module; itk_module.cpp looks it up.
#include "io/formats/itk/itk.h"

extern "C" [[gnu::visibility("default")]] const voxcc::io::ItkModule voxcc_itk{voxcc::io::open_itk_image, voxcc::io::open_dicom_series,
                                                                               voxcc::io::decode_dicom_frame};
