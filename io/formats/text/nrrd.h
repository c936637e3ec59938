// Writing of NRRD: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<LabelWriter> create_nrrd(const LabelVolume& volume, OutputFiles& outputs);

}  // namespace voxcc::io
