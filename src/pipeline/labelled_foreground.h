// The second stage of a volume: reads its foreground, labels it, and adds up the sums of its components.
#pragma once
#include "src/pipeline/labelled_holes.h"
#include "src/pipeline/opened_volume.h"
#include "src/pipeline/sampled_values.h"
#include "src/pipeline/sources.h"

#include <memory>
#include <optional>

namespace voxcc {

/// The labels of a volume, and what they need. A labelling may read its source again to paint, so the members are in the order in which
/// they depend on each other.
struct LabelledForeground {
    MemoryPlan plan;
    std::unique_ptr<ForegroundPacker> packer;
    std::unique_ptr<SampledValues> samples;  // null: values are not examined
    std::unique_ptr<ReaderSource> source;
    std::shared_ptr<MemoryLimit> memory;   // LabelledVolume::memory
    std::unique_ptr<FilledSource> filled;  // null: no holes are filled slab by slab
    std::optional<HoleKeys> hole_keys;     // if holes are filled and the rule compares values
    std::unique_ptr<Labelling> labelling;

    /// Counts memory for a table of components. @throw MemoryLimitReached
    void take_memory(std::uint64_t components, std::size_t bytes_per_component) const {
        if (memory) memory->take(std::int64_t(components * bytes_per_component));
    }
};

/// Labels a volume, and measures its sums and shapes. If it has more runs and components than the plan expects, starts again with thinner
/// slabs. Sets the members of volume.v that follow from the labels before selection.
/// @throw Error of any kind; MemoryLimitReached
LabelledForeground label_foreground(OpenedVolume& volume, const MemoryPlan& plan, RunContext& context);

}  // namespace voxcc
