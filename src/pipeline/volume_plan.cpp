#include "src/pipeline/volume_plan.h"

#include "src/pipeline/input.h"
#include "src/pipeline/plan.h"
#include "src/pipeline/request.h"
#include "src/pipeline/series_files.h"
#include "src/pipeline/size_limits.h"

namespace voxcc {
namespace {

/// The passes of a first labelling, which only measures the volume: see label_volumes().
std::int64_t passes_to_measure(const LabelOptions& options, const VolumeJob& job, const MemoryPlan& memory) {
    if (job.series.empty() || types_are_known(job.series, options)) return 0;
    return memory.slabs > 1 && options.holes == LabelOptions::Holes::fill ? 3 : 1;
}

}  // namespace

VolumePlan plan(const LabelOptions& options, const Choice& choice, const VolumeJob& job, int threads, int volumes) {
    const auto reader = open(job.image);
    const auto mask = open_companion(options.mask, options.input, job.image);
    std::vector<std::unique_ptr<io::VolumeReader>> intensities;
    VolumeReaders readers{*reader, mask.get(), {}};
    for (const IntensityImage& image : options.intensity.images) {
        intensities.push_back(open_companion(image.path, options.input, job.image));
        readers.intensities.push_back(intensities.back().get());
    }
    const auto preview_image = open_companion(options.preview_image, options.input, job.image);
    readers.preview_image = preview_image.get();
    const io::VolumeInfo& info = reader->info();
    check_sizes(options, info);
    const MemoryPlan memory = plan_memory(options, choice, readers, threads, volumes);
    const VolumePaths files = job.all_volumes();
    const auto labels = files.find(io::Content::labels);
    auto images = nlohmann::ordered_json::array();
    for (const IntensityImage& image : options.intensity.images) images.push_back(image.path);
    nlohmann::ordered_json json{{"input", job.input},
                                {"mask", options.mask.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(options.mask)},
                                {"intensity", images},
                                {"volume", job.volume ? nlohmann::ordered_json(*job.volume) : nlohmann::ordered_json()},
                                {"format", info.format},
                                {"shape", {info.extent.nx, info.extent.ny, info.extent.nz}},
                                {"type", info.stored_type},
                                {"connectivity", number_of(connectivity_for(options, info))},
                                {"output", labels == files.end() ? nlohmann::ordered_json() : nlohmann::ordered_json(labels->second)},
                                {"slabs", memory.slabs},
                                {"slices_a_slab", memory.slices_per_stream_slab},
                                {"passes", memory.passes + passes_to_measure(options, job, memory)},
                                {"bytes",
                                 {{"bits", memory.bytes.bits},
                                  {"index", memory.bytes.index},
                                  {"held", memory.bytes.held},
                                  {"streams", memory.bytes.streams},
                                  {"runs_smooth", memory.bytes.runs_smooth},
                                  {"runs_most", memory.bytes.runs_most}}},
                                {"memory_bytes", memory.bytes.smooth()},
                                {"memory_bytes_most", memory.bytes.most()},
                                {"memory_limit", memory.limit ? nlohmann::ordered_json(*memory.limit) : nlohmann::ordered_json()},
                                {"fits", memory.fits()}};
    return {std::move(json), refusal_of(memory, options, info)};
}

}  // namespace voxcc
