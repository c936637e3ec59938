// Counts the contacts between the components of a labelling, and between the labels of a file.
#pragma once
#include <voxcc/contacts.h>
#include <voxcc/label.h>
#include "io/io.h"
#include "src/options/options.h"

#include <optional>
#include <vector>

namespace voxcc {

/// The connectivity by which contacts are counted. Neighbours in different components of Rule::foreground are only those that the
/// connectivity of the labelling leaves out, so all 26 neighbours (8 in slices) are counted. For other rules it is the connectivity itself.
// foreground, c6 -> c26; equal_values, c6 -> c6
Connectivity contact_connectivity(Rule rule, Connectivity connectivity);

/// A labelling, and how its final numbers are painted.
struct PaintableLabels {
    Labelling& labelling;
    Extent stored;  // extent of the stored volume
    Axis slices;    // axis across the slices, see VolumeBits
    const Selection& selection;
    RowSource::Access access;  // in_order for a labelling that is streamed
};

/// @return one entry per pair of final numbers, in ascending order. The faces are by the stored axes
/// @param memory limit for the pairs; null: none
std::vector<LabelContact> contacts_of(const PaintableLabels& labels, Connectivity connectivity, ThreadPool& pool, MemoryLimit* memory);

/// @param labels must be at row 0
/// @return one entry per pair of labels, in ascending order; signed labels are compared as signed integers
/// @throw Error invalid_file if a label is not a whole number; the exceptions of the reader
std::vector<LabelContact> contacts_of(io::VolumeReader& labels, Connectivity connectivity);

/// Memory of contacts_of() per thread, in bytes. @param per_slice axis of --per-slice
std::int64_t bytes_of_contacts(const Extent& stored, const std::optional<Axis>& per_slice);

}  // namespace voxcc
