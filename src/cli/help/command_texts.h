// The texts of commands, by file.
#pragma once
#include "src/cli/help/texts.h"

namespace voxcc::cli {

/// The texts in volume_texts.cpp. They exist as long as the program.
std::vector<const CommandText*> texts_of_volumes();

}  // namespace voxcc::cli
