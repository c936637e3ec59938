# The module voxcc_itk, which the program loads when a file needs ITK (itk.h). Only this module is linked with ITK.
find_package(ITK 5.2 REQUIRED COMPONENTS
  ITKCommon ITKGDCM ITKIOImageBase ITKIOBMP ITKIOBioRad ITKIOGDCM ITKIOGIPL ITKIOHDF5 ITKIOJPEG ITKIOMRC ITKIOMeta ITKIONIFTI ITKIONRRD ITKIOPNG
  ITKIOTIFF ITKIOVTK)
add_library(voxcc_itk MODULE
  formats/itk/dicom_codec.cpp
  formats/itk/dicom_series.cpp
  formats/itk/itk_call.cpp
  formats/itk/itk_exports.cpp
  formats/itk/itk_image.cpp)
set_target_properties(voxcc_itk PROPERTIES
  PREFIX ""
  OUTPUT_NAME voxcc_itk-${PROJECT_VERSION}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}  # the folder of the program
  CXX_VISIBILITY_PRESET hidden)
# The module creates ITK readers by class name, not with ITK factories, so ITK_USE_FILE is not needed.
target_include_directories(voxcc_itk SYSTEM PRIVATE ${ITK_INCLUDE_DIRS})
target_link_libraries(voxcc_itk PRIVATE voxcc_io_shared voxcc_flags ${ITK_LIBRARIES})
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # the headers of ITK 5.2 accept only GCC
  target_compile_options(voxcc_itk PRIVATE -U__clang__ -fgnuc-version=10.2)
endif()
set(itk_version ${ITK_VERSION_MAJOR}.${ITK_VERSION_MINOR}.${ITK_VERSION_PATCH})
set_source_files_properties(formats/itk/itk_module.cpp PROPERTIES
  COMPILE_DEFINITIONS "VOXCC_ITK_VERSION=\"${itk_version}\"")
