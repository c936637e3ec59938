// The values of the kept components of a labelled volume, from which the cells of rows are computed.
#pragma once
#include "src/pipeline/component_table.h"
#include "src/pipeline/pipeline.h"

namespace voxcc {

/// The results of the stages of a volume: the members of LabelledVolume.
struct StageResults {
    const VolumeJob& job;
    const DescribedVolume& described;
    const LabelledComponents& labelled;
    const Selection& selection;
    const MeasuredComponents& measured;
};

/// Not thread-safe.
class LabelledValues {
public:
    /// @param results, options must outlive this object
    LabelledValues(const StageResults& results, const LabelOptions& options);
    /// Sets the cells of the columns that tell where a row comes from. @param file the cell of the column `file`
    void set_origin(const std::string& file, const std::vector<TableColumn>& columns);
    /// The values of a component. Valid until the next call. @param label final number
    const ComponentValues& of(std::uint64_t label);

private:
    StageResults results_;
    const LabelOptions& options_;
    std::optional<World> world_;
    std::optional<ShapeValues> shapes_;
    std::optional<double> pixel_;
    ComponentValues values_;
};

}  // namespace voxcc
