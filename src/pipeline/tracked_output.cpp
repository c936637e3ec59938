#include "src/pipeline/tracked_output.h"

#include "src/pipeline/label_map.h"
#include "src/pipeline/matched_output.h"
#include "src/pipeline/volume_objects.h"

#include <algorithm>

namespace voxcc {
namespace {

io::LabelVolume description_of(const MatchOptions& options, const io::VolumeInfo& like, std::int64_t frames, std::uint64_t tracks,
                               const WritingContext& context) {
    io::LabelVolume file = numbered_volume(options, like, tracks, "track", context);
    file.volumes = frames;
    return file;
}

}  // namespace

TrackedOutput::TrackedOutput(const MatchOptions& options, const io::VolumeInfo& like, std::int64_t frames, std::uint64_t tracks,
                             const WritingContext& context)
    : options_(options), context_(context), file_(description_of(options, like, frames, tracks, context), context.outputs) {}

void TrackedOutput::write(io::VolumeReader& frame, std::int64_t number, const std::vector<TrackedObject>& objects) {
    if (options_.objects == MatchOptions::Objects::labels) write_labels(frame, number, objects);
    else write_components(frame, number, objects);
}

void TrackedOutput::write_labels(io::VolumeReader& frame, std::int64_t number, const std::vector<TrackedObject>& objects) {
    const ScalarType type = label_type(frame.info());
    NewLabels numbers;
    for (const TrackedObject& object : objects) numbers.add(NewLabels::Label::of_volume(object.label, type), object.track);
    const LabelMap map(numbers, type, MapOptions::Missing::zero);
    FoundLabels found;
    frame.use_threads(context_.pool.size());
    write_one(to_new_labels(frame, {map, file_.description.type}, found, nullptr), nullptr, number);
    std::vector<LabelBits> labels = found.all().sorted(type);
    std::ranges::sort(labels);
    if (!std::ranges::equal(labels, objects, {}, {}, &TrackedObject::label))
        throw Error(ErrorKind::changed_file, options_.a, "has changed while it was read");
}

void TrackedOutput::write_components(io::VolumeReader& frame, std::int64_t number, const std::vector<TrackedObject>& objects) {
    VolumeObjects components(frame, options_, context_.pool, [](std::int64_t) {});
    if (components.components()->count() != objects.size())
        throw Error(ErrorKind::changed_file, options_.a, "has changed while it was read");
    std::vector<std::uint64_t> final_numbers;
    for (const TrackedObject& object : objects) final_numbers.push_back(object.track);
    const Painter painter(*components.components(), frame.info().extent, Axis::z, file_.description.type, final_numbers, context_.pool);
    write_one(nullptr, &painter, number);
}

/// @param painter null with a conversion
void TrackedOutput::write_one(std::unique_ptr<LabelConversion> conversion, const Painter* painter, std::int64_t number) {
    std::vector<VolumeToWrite> volumes;
    volumes.push_back({file_.description, std::move(conversion), &file_});
    write_volumes(volumes, {painter, file_.description.like->extent.rows(), number}, context_);
}

}  // namespace voxcc
