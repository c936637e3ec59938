// Decoding with the codecs of libtiff for CCITT, JPEG and LERC in a child process.
//
// These codecs and their libraries have had faults with hostile data. libtiff also accepts damaged strips: it reports a warning, or
// nothing, and leaves pixels out. The child process therefore treats warnings as errors.
//
//   this process                           child
//   first strip or tile       -- fork -->  opens the same file with libtiff
//   page, number of the strip -- Request -> decodes, checks
//   the strip                 <-- bytes --
#pragma once
#include "io/formats/tiff/tiff_page.h"
#include "io/process/child_process.h"

#include <memory>
#include <span>

namespace voxcc::io {

/// Decodes strips and tiles of one file. The child process starts with the first of them. Not thread-safe.
class TiffCodecProcess {
public:
    /// Decodes a strip or tile of the current directory of `tiff`, which must be `page`. `tiff` must be the same object in all calls.
    /// @param to receives all rows, page.chunk_row_bytes() per row. Samples are in host byte order
    /// @throw Error about the content if the data are corrupt or shorter than `to`, or if the codec crashed or took too long;
    /// out_of_memory; io_error
    void decode(const TiffHandle& tiff, const TiffPage& page, std::int64_t chunk, std::span<std::byte> to);

private:
    std::unique_ptr<ChildProcess> child_;
};

}  // namespace voxcc::io
