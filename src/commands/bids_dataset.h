// The BIDS dataset that `voxcc label --bids` writes: its description, and what the label volumes state about their sources.
//
// The dataset belongs to one other dataset, which holds all inputs. The description links to it under the name "source", so that
// "bids:source:sub-01/anat/sub-01_T1w.nii.gz" is an input.
#pragma once
#include "io/files/checked_file.h"
#include "src/pipeline/pipeline.h"
#include "src/pipeline/sidecar.h"

namespace voxcc {

/// The path of dataset_description.json. Empty without --bids.
// "out" -> "out/dataset_description.json"
std::string bids_description(const LabelOptions& options);

/// Checks the names of all inputs before a file is written. Does nothing without --bids.
/// @throw Error invalid_argument if an input does not have a name of BIDS or chooses several volumes; if two inputs have the same output;
/// if the inputs are in different datasets, or in the dataset that is written
/// @throw Error exists if the description of the dataset is damaged, by another program, or about another source
void check_bids_dataset(const LabelOptions& options);

/// Writes the description of the dataset into `outputs` (not published), unless it exists. An existing description is never changed.
/// @param options must have passed check_bids_dataset()
/// @throw Error as check_bids_dataset() and io::OutputFiles::create()
void write_bids_description(const LabelOptions& options, io::OutputFiles& outputs);

/// What the sidecar states about the label volume. Empty without --bids.
LabelVolumeEntry bids_entry(const LabelledVolume& volume, const LabelOptions& options);

}  // namespace voxcc
