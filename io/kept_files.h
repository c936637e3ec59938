// What the readers of several volumes keep for each other, so that the work for a file is done once, and not once per volume.
#pragma once
#include "io/decoded/kept_decoders.h"
#include "io/kept_pages.h"

namespace voxcc::io {

/// For OpenOptions::kept. decoders.verify_rest() must be called after the last reader has ended. Thread-safe.
struct KeptFiles {
    KeptDecoders decoders;
    KeptPages pages;
};

}  // namespace voxcc::io
