#include "src/pipeline/volume_objects.h"

#include "src/pipeline/painted_labels.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/sources.h"

namespace voxcc {

VolumeObjects::VolumeObjects(io::VolumeReader& reader, const MatchOptions& options, ThreadPool& pool,
                             const std::function<void(std::int64_t)>& on_rows)
    : extent_(reader.info().extent) {
    if (options.objects == MatchOptions::Objects::labels) {
        source_ = std::make_unique<FileLabels>(reader, on_rows);
        return;
    }
    const Question question = shape_request(options.connectivity, reader.info(), Units::voxel);
    const ForegroundPacker packer(reader.info().type, rule_of_mask(reader.info()));
    ReaderSource voxels(reader, packer, nullptr, default_isa(), Keep::bits, on_rows);
    labelling_ = label(voxels, extent_, question, {.pool = &pool});
    nan_voxels_ = voxels.nan_voxels();
    const PaintableLabels labels{*labelling_, extent_, Axis::z, selection_, RowSource::Access::concurrent};
    source_ = std::make_unique<PaintedLabels>(labels, labelling_->count() <= ~std::uint32_t{0} ? ScalarType::u32 : ScalarType::u64);
}

}  // namespace voxcc
