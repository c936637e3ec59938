#include "src/pipeline/plan.h"

#include <voxcc/machine.h>
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/sources.h"

#include <array>

namespace voxcc {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t a_thread = 8 * mebibyte;  // its stack and compressor, and what malloc keeps for it

/// What an extent needs under given options.
class Estimate {
public:
    Estimate(const LabelOptions& options, const AlgorithmRow& row, const VolumeReaders& readers, int threads)
        : options_(options),
          row_(row),
          readers_(readers),
          info_(readers.image.info()),
          connectivity_(reduced(connectivity_for(options, info_), info_.extent)),
          multilabel_(options.mode == LabelOptions::Mode::multilabel),
          threads_(threads) {}

    /// Slices of a layer of block-rows, which slabs do not cut.
    std::int64_t layer() const { return !multilabel_ && connectivity_ == Connectivity::c26 ? 2 : 1; }
    bool crosses_slices() const { return connectivity_ != Connectivity::c4 && connectivity_ != Connectivity::c8; }

    MemoryBytes whole() const {
        const Extent& e = info_.extent;
        const Axis slices = options_.per_slice.value_or(Axis::z);
        MemoryBytes bytes = labelled(e);
        const std::int64_t bits = e.rows() * words() * 8;
        if (slices != Axis::z || options_.holes == LabelOptions::Holes::fill)
            bytes.held = bits + (rule_of(options_) != Rule::foreground ? e.voxels() * size_of(info_.type) : 0);
        if (slices == Axis::x && !options_.output.empty()) bytes.held += e.voxels() * (options_.dtype ? size_of(*options_.dtype) : 4);
        if (row_.is_published()) {  // no bits and runs, but a byte and a label for each voxel, and its value where the rule looks at it
            bytes.bits = bytes.index = 0;
            bytes.held += e.voxels() * (rule_of(options_) == Rule::foreground ? 5 : 13);
        }
        return bytes;
    }

    MemoryBytes slab(std::int64_t slices) const {
        const Extent& e = info_.extent;
        MemoryBytes bytes = labelled({e.nx, e.ny, slices});
        if (crosses_slices()) bytes.streams += 2 * e.nx * e.ny * 4;  // numbers in the slices on both sides of the cut
        return bytes;
    }

private:
    std::int64_t words() const { return (info_.extent.nx + 63) / 64; }

    MemoryBytes labelled(const Extent& e) const {
        const std::int64_t rows_y = multilabel_ || connectivity_ == Connectivity::c6 || connectivity_ == Connectivity::c4 ? 1 : 2;
        const std::int64_t rows_z = layer(), layers = (e.nz + rows_z - 1) / rows_z;
        const std::int64_t block_rows = (e.ny + rows_y - 1) / rows_y * layers;
        const std::int64_t id = std::uint64_t(e.voxels()) < ~std::uint32_t{0} - 64 ? 4 : 8;
        const std::int64_t label = options_.intensity.empty() && options_.preview.empty() ? 4 : 8;  // as painted
        const std::int64_t a_run = 2 * id + label + (multilabel_ ? 8 : 0), arrays = multilabel_ ? 4 : 3;
        const std::int64_t most_runs = block_rows * (multilabel_ ? e.nx : (e.nx + 1) / 2);
        const std::int64_t a_component = row_.is_published() ? 104 : 32;
        constexpr std::int64_t small_page = 4096, huge_page = 2 * mebibyte;

        MemoryBytes bytes;
        bytes.bits = block_rows * rows_y * rows_z * words() * 8;
        bytes.index = block_rows * words() * (8 + id);
        bytes.streams = streams(e);
        // The first 2 MiB of a part's array lie on small pages, the others on huge ones.
        const std::int64_t smooth = block_rows * words() * a_run, page = smooth / (parts() * arrays) < huge_page ? small_page : huge_page;
        bytes.runs_smooth = std::min(smooth + parts() * arrays * page, most_runs * a_run);
        bytes.runs_most = most_runs * (a_run + a_component / (rows_z == 2 ? 4 : 1));
        return bytes;
    }

    /// Into which the engine cuts what it labels, for its threads, at most: half as many where rows come in any order.
    std::int64_t parts() const { return threads_ == 1 ? 1 : 4 * threads_; }

    std::int64_t streams(const Extent& e) const {
        const ForegroundRows::Costs source = ReaderSource::costs(readers_.image, readers_.mask, keep_for(rule_of(options_)));
        const std::int64_t fetched = std::min(source.rows_per_fetch, e.rows() / parts() + e.ny);
        std::int64_t bytes = 4 * mebibyte + source.held_bytes + threads_ * (fetched * source.row_bytes + a_thread);
        if (readers_.intensity)
            bytes += (rows_per_slab(*readers_.intensity) + readers_.intensity->rows_per_read()) * row_of(*readers_.intensity);
        if (!options_.output.empty()) {
            const io::LabelVolume volume{options_.output, options_.dtype.value_or(ScalarType::u32), &info_, options_.compress};
            bytes += threads_ * 2 * io::label_block_bytes(volume);
        }
        return bytes;
    }
    static std::int64_t row_of(const io::VolumeReader& reader) { return reader.info().extent.nx * size_of(reader.info().type); }

    const LabelOptions& options_;
    const AlgorithmRow& row_;
    const VolumeReaders& readers_;
    const io::VolumeInfo& info_;
    Connectivity connectivity_;
    bool multilabel_;
    int threads_;
};

/// Why a volume has to be labelled in one piece; empty where it may be cut into slabs.
std::string why_whole(const LabelOptions& options, const Choice& choice) {
    if (choice.row->is_published()) return "for --algorithm " + std::string(choice.row->name);
    if (choice.device.kind == Device::Kind::cuda) return "for --device " + name_of(choice.device);
    if (options.holes == LabelOptions::Holes::fill) return "for --fill-holes";
    if (options.per_slice.value_or(Axis::z) != Axis::z) return std::string("for --per-slice ") + "xyz"[std::size_t(*options.per_slice)];
    return {};
}

std::int64_t passes_to_paint(const LabelOptions& options) {
    return !options.intensity.empty() + !options.output.empty() + !options.preview.empty();
}

/// "26 MB": rounded up for what is needed, down for what is allowed, so that both numbers differ if the bytes do.
enum class Rounding { up, down };
std::string rounded_bytes(std::int64_t bytes, Rounding rounding) {
    constexpr std::array<std::pair<std::int64_t, const char*>, 3> units{{{1'000'000'000, " GB"}, {1'000'000, " MB"}, {1'000, " kB"}}};
    for (const auto& [unit, name] : units)
        if (bytes >= 10 * unit || unit == 1'000) return std::to_string((bytes + (rounding == Rounding::up ? unit - 1 : 0)) / unit) + name;
    return {};
}

std::optional<ProgramError> refusal_of(const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info) {
    if (plan.fits()) return std::nullopt;
    const std::string in_one_piece = plan.whole_for.empty() ? "" : " in one piece " + plan.whole_for;
    const std::string source = options.max_memory ? "--max-memory allows " : "the machine and its control groups (cgroups) allow ";
    return ProgramError(ErrorKind::out_of_memory, info.path,
                        "needs at least " + rounded_bytes(plan.bytes.smooth(), Rounding::up) + " of memory" + in_one_piece + ", and " +
                            source + rounded_bytes(*plan.limit, Rounding::down),
                        "allow more with --max-memory, or use fewer threads (-t)");
}

}  // namespace

MemoryPlan plan_memory(const LabelOptions& options, const Choice& choice, const VolumeReaders& readers, int threads, int volumes) {
    const Estimate estimate(options, *choice.row, readers, threads);
    const std::int64_t nz = readers.image.info().extent.nz;
    MemoryPlan plan;
    // A GPU's memory is not the machine's: there only what is said counts.
    plan.limit = options.max_memory || choice.device.kind == Device::Kind::cuda ? options.max_memory : machine_memory();
    if (plan.limit) *plan.limit /= volumes;
    plan.bytes = estimate.whole();
    plan.slices_per_slab = nz;
    if (plan.fits()) return plan;
    plan.whole_for = why_whole(options, choice);
    if (!plan.whole_for.empty()) return plan;
    const std::int64_t layer = estimate.layer(), layers = (nz + layer - 1) / layer;
    std::int64_t fit = 1;  // layers; memory grows with them
    for (std::int64_t too_many = layers; too_many - fit > 1;) {
        const std::int64_t middle = fit + (too_many - fit) / 2;
        (estimate.slab(middle * layer).smooth() <= *plan.limit ? fit : too_many) = middle;
    }
    const std::int64_t slabs = (layers + fit - 1) / fit, slices = (layers + slabs - 1) / slabs * layer;
    const MemoryBytes streamed = estimate.slab(std::min(slices, nz));
    if (slices >= nz || streamed.smooth() >= plan.bytes.smooth()) return plan;
    plan.bytes = streamed;
    plan.slabs = (nz + slices - 1) / slices;
    plan.slices_per_slab = slices;
    plan.passes += passes_to_paint(options);
    return plan;
}

VolumePlan plan(const LabelOptions& options, const Choice& choice, const VolumeJob& job, int threads, int volumes) {
    io::OpenOptions open = open_options(options.input);
    if (job.volume) open.volume = job.volume;
    const auto reader = io::open_volume(job.input, open);
    const auto open_other = [&](const std::string& path) {
        return path.empty() ? nullptr : io::open_volume(path, {.spacing = options.input.spacing, .external = options.input.external});
    };
    const auto mask = open_other(options.mask), intensity = open_other(options.intensity);
    const io::VolumeInfo& info = reader->info();
    const MemoryPlan memory = plan_memory(options, choice, {*reader, mask.get(), intensity.get()}, threads, volumes);
    nlohmann::ordered_json json{{"input", job.input},
                                {"volume", job.volume ? nlohmann::ordered_json(*job.volume) : nlohmann::ordered_json()},
                                {"format", info.format},
                                {"shape", {info.extent.nx, info.extent.ny, info.extent.nz}},
                                {"type", info.stored_type},
                                {"connectivity", number_of(connectivity_for(options, info))},
                                {"output", job.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(job.output)},
                                {"slabs", memory.slabs},
                                {"slices_a_slab", memory.slices_per_slab},
                                {"passes", memory.passes},
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

void require_memory(const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info) {
    if (const auto refusal = refusal_of(plan, options, info)) throw *refusal;
}

}  // namespace voxcc
