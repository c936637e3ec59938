// Whether the outputs of a run may replace files that exist.
#pragma once
#include "io/files/checked_file.h"
#include "src/options/options.h"

namespace voxcc {

// -f -> Overwrite::allow
inline io::Overwrite overwrite_of(LabelOptions::Existing existing) {
    return existing == LabelOptions::Existing::overwrite ? io::Overwrite::allow : io::Overwrite::refuse;
}

}  // namespace voxcc
