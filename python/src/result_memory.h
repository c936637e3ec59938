// Memory for large results. A new array of 512 MB costs the system 70 ms, because it clears each page at the first access, and labelling
// and painting take 50 ms. So the memory of results that Python has freed is kept for later results.
#pragma once
#include <cstddef>

#include <nanobind/nanobind.h>

namespace voxcc::python {

/// Bytes for a result, in a new or a kept piece of memory. Their values are arbitrary. The memory is given back when Python frees the array
/// and all its views. Thread-safe; works after fork().
///
/// At most two pieces of up to 1 GiB are kept. The system may take their pages for other programs without writing them to disk
/// (MADV_FREE), but it still counts them as memory of this process.
/// @param bytes at least 1
/// @return a one-dimensional NumPy array of uint8; None if the system has not enough memory
nanobind::object result_memory(std::size_t bytes);

/// Returns the kept pieces to the system.
void release_result_memory();

}  // namespace voxcc::python
