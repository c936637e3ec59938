// The first stage of a volume: opens its files, and plans its memory.
#pragma once
#include "src/pipeline/device_shares.h"
#include "src/pipeline/plan.h"
#include "src/pipeline/volume_inputs.h"

namespace voxcc {

/// A volume before it is labelled. Result of open_volume().
struct OpenedVolume {
    const VolumeJob& job;
    VolumeInputs in;
    DescribedVolume described;
    DeviceShares::Share share;
    Choice choice;  // with the devices of the share
    VolumeReaders readers() const;
};

/// Opens the files of a volume, and checks its sizes and outputs.
/// @param job must outlive the result
/// @throw Error of any kind
OpenedVolume open_volume(const VolumeJob& job, RunContext& context);

/// Plans the memory of a volume, and lets its readers use the threads of the plan.
/// @throw Error out_of_memory if no plan fits
MemoryPlan plan_volume(OpenedVolume& volume, RunContext& context);

/// Opens the image again, because a streamed labelling reads it with the first reader when labels are painted.
/// @throw Error changed_file
std::unique_ptr<io::VolumeReader> open_image_again(const OpenedVolume& volume);

/// The slabs of a plan, as text.
// "4 slabs of 16 slices"
std::string slabs_of(const MemoryPlan& plan);

}  // namespace voxcc
