// Whether a CUDA driver is present, without starting it.
#pragma once

namespace voxcc {

/// Whether this build can use CUDA and the machine has a CUDA driver. Takes microseconds, where why_no_cuda() takes 0.1 s for the first
/// call of a process. A driver may be present although no device can be used.
bool has_cuda_driver();

}  // namespace voxcc
