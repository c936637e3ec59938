#include "src/plan.h"

#include "src/geometry.h"
#include "src/input.h"

namespace voxcc {

MemoryPlan plan_memory(const LabelOptions& options, const AlgorithmRow& row, const io::VolumeInfo& info, int threads) {
    const Extent& e = info.extent;
    const Connectivity c = reduced(connectivity_for(options, info), e);
    const bool multilabel = options.mode == LabelOptions::Mode::multilabel;
    const Axis slices = options.per_slice.value_or(Axis::z);
    const std::int64_t rows_y = multilabel || c == Connectivity::c6 || c == Connectivity::c4 ? 1 : 2;
    const std::int64_t rows_z = !multilabel && c == Connectivity::c26 ? 2 : 1;
    const std::int64_t block_rows = (e.ny + rows_y - 1) / rows_y * ((e.nz + rows_z - 1) / rows_z), words = (e.nx + 63) / 64;
    const std::int64_t a_run = multilabel ? 16 : 8, most_runs = block_rows * (multilabel ? e.nx : (e.nx + 1) / 2);
    constexpr std::int64_t a_component = 104, a_slab = 4 << 20;

    MemoryPlan plan;
    plan.bits = block_rows * rows_y * rows_z * words * 8;
    plan.index = block_rows * words * 12;
    if (slices != Axis::z || options.holes == LabelOptions::Holes::fill)
        plan.held = e.rows() * words * 8 + (rule_of(options) != Rule::foreground ? e.voxels() * size_of(info.type) : 0);
    if (slices == Axis::x && !options.output.empty()) plan.held += e.voxels() * (options.dtype ? size_of(*options.dtype) : 4);
    if (row.is_published()) {  // no bits and runs, but a byte and a label for each voxel, and its value where the rule looks at it
        plan.bits = plan.index = 0;
        plan.held += e.voxels() * (rule_of(options) == Rule::foreground ? 5 : 13);
    }
    plan.streams = (threads + 1) * a_slab;
    plan.runs_smooth = block_rows * words * a_run;
    plan.runs_most = most_runs * (a_run + a_component / (c == Connectivity::c26 && !multilabel ? 4 : 1));
    return plan;
}

nlohmann::ordered_json plan(const LabelOptions& options, const AlgorithmRow& row, const VolumeJob& job, int threads) {
    io::OpenOptions open = open_options(options.input);
    if (job.volume) open.volume = job.volume;
    const auto reader = io::open_volume(job.input, open);
    const io::VolumeInfo& info = reader->info();
    const MemoryPlan memory = plan_memory(options, row, info, threads);
    return {{"input", job.input},
            {"volume", job.volume ? nlohmann::ordered_json(*job.volume) : nlohmann::ordered_json()},
            {"format", info.format},
            {"shape", {info.extent.nx, info.extent.ny, info.extent.nz}},
            {"type", info.stored_type},
            {"connectivity", number_of(connectivity_for(options, info))},
            {"output", job.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(job.output)},
            {"bytes",
             {{"bits", memory.bits},
              {"index", memory.index},
              {"held", memory.held},
              {"streams", memory.streams},
              {"runs_smooth", memory.runs_smooth},
              {"runs_most", memory.runs_most}}},
            {"memory_bytes", memory.smooth()},
            {"memory_bytes_most", memory.most()}};
}

void check_memory(const LabelOptions& options, const AlgorithmRow& row, const io::VolumeInfo& info, int threads) {
    if (!options.max_memory) return;
    const std::int64_t needed = plan_memory(options, row, info, threads).smooth();
    if (needed > *options.max_memory)
        throw Error(
            ExitCode::out_of_memory, info.path,
            "needs at least " + std::to_string(needed) + " bytes of memory, and --max-memory allows " + std::to_string(*options.max_memory),
            "allow more, or use fewer threads");
}

}  // namespace voxcc
