// Reader of volumes whose voxels alternate with other volumes: NRRD files whose first or middle axis counts volumes.
#pragma once
#include "io/formats/stored/stored_volume.h"

namespace voxcc::io {

/// Reads the stored samples in their order, once per volume, and keeps the samples of one volume.
/// @param volume must have `interleaving` @param index of the volume, in [0, volume.info.volumes)
std::unique_ptr<VolumeReader> open_interleaved(StoredVolume volume, std::int64_t index);

}  // namespace voxcc::io
