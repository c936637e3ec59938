// The list of the targets of a program. A target adds itself: a new target is one file.
#pragma once
#include "tests/fuzz/target.h"

namespace voxcc::fuzz {

/// Adds a target before main() starts. Declare one as a constant of the file that has the function of the target.
class Registered {
public:
    explicit Registered(const Target& target);
};

/// The targets of the program that is linked, in the order of their names.
std::span<const Target> targets();

}  // namespace voxcc::fuzz
