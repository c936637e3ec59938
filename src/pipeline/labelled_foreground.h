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
/// they depend on each other. Result of label_foreground().
struct LabelledForeground {
    MemoryPlan plan;
    std::unique_ptr<ForegroundPacker> packer;
    std::unique_ptr<SampledValues> samples;  // null: values are not examined
    std::unique_ptr<ReaderSource> source;
    LabelledComponents components;         // their MemoryLimit must outlive the members below
    std::unique_ptr<FilledSource> filled;  // null: no holes are filled slab by slab
    std::optional<HoleKeys> hole_keys;     // if holes are filled and the rule compares values
    std::unique_ptr<Labelling> labelling;

    /// Counts memory for a table of components. @throw MemoryLimitReached
    void take_memory(std::uint64_t count, std::size_t bytes_per_component) const {
        if (components.memory) components.memory->take(std::int64_t(count * bytes_per_component));
    }
    /// Paints labels of a type. @param extent of the volume @param final_numbers, pool must outlive the result
    Painter painter(const Extent& extent, ScalarType type, const std::vector<std::uint64_t>& final_numbers, ThreadPool& pool) const {
        return {*labelling, extent, components.engine_slices, type, final_numbers, pool};
    }
};

/// Labels a volume, and measures its sums and shapes. If it has more runs and components than the plan expects, starts again with thinner
/// slabs. Reads the inputs of `volume`, which must outlive the result.
/// @throw Error of any kind; MemoryLimitReached
LabelledForeground label_foreground(OpenedVolume& volume, const MemoryPlan& plan, RunContext& context);

}  // namespace voxcc
