// The formats that the module voxcc_itk reads.
#pragma once

namespace voxcc::io {

/// Each value stands for an ImageIO class of ITK (itk_image.cpp).
enum class ItkFormat { biorad, png, jpeg, bmp, nifti, tiff, hdf5, nrrd, metaimage, mrc, vtk, gipl, dicom };

}  // namespace voxcc::io
