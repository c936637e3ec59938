// Coverage of the code that runs in child processes.
#pragma once

namespace voxcc::fuzz {

/// Moves the coverage counters into memory that child processes share, so that libFuzzer also sees the code that runs in them. Faults in
/// a child process end it without a report, because they must not end the program.
void share_coverage_with_children();

}  // namespace voxcc::fuzz
