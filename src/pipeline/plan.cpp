#include "src/pipeline/plan.h"

#include <voxcc/label.h>
#include <voxcc/measure.h>
#include <voxcc/source.h>
#include <voxcc/threads.h>
#include "src/pipeline/contacts.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/holes.h"
#include "src/pipeline/labelled_holes.h"
#include "src/pipeline/mask_border.h"
#include "src/pipeline/preview.h"
#include "src/pipeline/request.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/signed_source.h"
#include "src/pipeline/volume_writing.h"

#include <array>

namespace voxcc {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t bytes_per_thread = 8 * mebibyte;  // stack, compressor, and what malloc keeps for the thread

/// The memory that a volume needs under given options: in the library, in src and in io.
class Estimate {
public:
    Estimate(const LabelOptions& options, const Algorithm& algorithm, const VolumeReaders& readers, int threads)
        : options_(options), readers_(readers), info_(readers.image.info()), question_(question_for(options, info_)) {
        conditions_.algorithm = algorithm.name;
        conditions_.threads = threads;
        conditions_.access = RowSource::Access::in_order;
        const bool marks =
            options.inside == Inside::find || options.mask_border == LabelOptions::Border::clear || !options.seed_threshold.empty();
        if (marks || !options.intensity.images.empty() || !options.preview.empty()) conditions_.label_type = ScalarType::u64;
    }

    std::int64_t slices_per_layer() const { return slices_across() == Axis::z ? voxcc::slices_per_layer(info_.extent, question_) : 1; }

    MemoryBytes in_memory() const {
        MemoryBytes bytes = labelled(info_.extent, question_, conditions_);
        bytes.held += held_volume() + held_labels();
        return bytes;
    }

    MemoryBytes slab(std::int64_t slices) const {
        const MemoryBytes bytes = labelled_slab(question_, slices);
        if (options_.holes == LabelOptions::Holes::keep) return bytes;
        // The background is labelled first, and its labelling ends before the foreground is labelled.
        const HoleRule rule{question_, info_.extent};
        const MemoryBytes background = labelled_slab(background_question(info_.extent, rule), slices);
        return background.smooth() > bytes.smooth() ? background : bytes;
    }

private:
    Axis slices_across() const { return slices_of(options_); }

    MemoryBytes labelled_slab(const Question& question, std::int64_t slices) const {
        MemoryConditions conditions = conditions_;
        if (slices_across() == Axis::z) {
            conditions.slices_per_slab = slices;
            return labelled(info_.extent, question, conditions);
        }
        const Extent slab{info_.extent.nx, info_.extent.ny, slices};
        MemoryBytes bytes = labelled(exchanged(slab, slices_across()), question, conditions);
        bytes.held += slab_bytes_of_slices(slab, slices_across(), conditions.label_type, question.rule, value_type());
        bytes.held += bytes_at_ends(info_.extent, question, slices_across());
        bytes.streams += volume_writing_bytes(options_, readers_.image, conditions.threads, slices * info_.extent.ny) -
                         volume_writing_bytes(options_, readers_.image, conditions.threads, 0);
        return bytes;
    }

    ScalarType value_type() const { return options_.signs == LabelOptions::Signs::split ? ScalarType::i8 : info_.type; }

    MemoryBytes labelled(const Extent& extent, const Question& question, const MemoryConditions& conditions) const {
        const MemoryNeeds needs = memory_bytes(extent, question, conditions);
        return {.bits = needs.bits,
                .index = needs.index,
                .held = needs.voxels,
                .streams = needs.faces + streams(conditions),
                .runs_smooth = needs.runs_smooth,
                .runs_most = needs.runs_most};
    }

    /// VolumeBits, if axes are exchanged or holes are filled.
    std::int64_t held_volume() const {
        if (!holds_foreground(options_)) return 0;
        const Extent& e = info_.extent;
        const bool fills = options_.holes == LabelOptions::Holes::fill;
        const std::int64_t bits = e.rows() * words_of(e.nx) * 8, masks = fills && readers_.mask ? 1 : 0;
        std::int64_t values = question_.rule == Rule::foreground ? 0 : size_of(value_type());
        if (values > 0 && fills) values += size_of(key_type(e));
        return (1 + masks) * bits + values * e.voxels();
    }

    /// The labels that Painter holds for Axis::x. Only one painter exists at a time.
    std::int64_t held_labels() const {
        if (options_.per_slice != Axis::x) return 0;
        const bool by_number = options_.inside == Inside::find || options_.mask_border == LabelOptions::Border::clear ||
                               !options_.preview.empty() || !options_.intensity.images.empty();
        if (!by_number && volume_paths(options_).empty()) return 0;
        return info_.extent.voxels() * size_of(by_number ? ScalarType::u64 : options_.dtype.value_or(ScalarType::u32));
    }

    /// Buffers for reading and compression.
    std::int64_t streams(const MemoryConditions& conditions) const {
        const int threads = conditions.threads;
        const ForegroundRows::Costs source = options_.signs == LabelOptions::Signs::split
                                                 ? SignedSource::costs(readers_.image, readers_.mask)
                                                 : ReaderSource::costs(readers_.image, readers_.mask, keep_for(question_.rule));
        const std::int64_t fetched = most_rows_fetched(info_.extent, question_, conditions, source.rows_per_fetch);
        std::int64_t bytes = 4 * mebibyte + source.held_bytes + threads * (fetched * source.row_bytes + bytes_per_thread);
        for (const io::VolumeReader* reader : readers_.intensities) {
            bytes += bytes_per_row_buffer(*reader);
            const int lists = options_.intensity.local_maxima.empty() ? 0 : options_.signs == LabelOptions::Signs::split ? 2 : 1;
            bytes += lists * LocalMaxima::slice_bytes(reader->info().type, info_.extent);
        }
        if (options_.shape == Shape::measure)
            bytes += ShapeTable::buffer_bytes(shape_request(question_, info_, options_.per_slice.value_or(Axis::z), Units::unit), threads);
        if (!options_.contacts.empty())
            bytes += (conditions.slices_per_slab > 0 ? 1 : threads) * bytes_of_contacts(info_.extent, options_.per_slice);
        if (options_.mask_border == LabelOptions::Border::clear)
            bytes += MaskBorder::bytes(info_.extent) + bytes_per_row_buffer(*readers_.mask);
        if (!options_.preview.empty()) bytes += preview::memory_bytes(readers_.image, readers_.background());
        return bytes + volume_writing_bytes(options_, readers_.image, threads, conditions.slices_per_slab * info_.extent.ny);
    }

    const LabelOptions& options_;
    const VolumeReaders& readers_;
    const io::VolumeInfo& info_;
    Question question_;
    MemoryConditions conditions_;
};

/// Why a volume must be labelled in one piece; empty if it may be cut into stream slabs.
std::string why_one_piece(const LabelOptions& options, const Choice& choice) {
    if (choice.algorithm->is_published()) return "for --algorithm " + std::string(choice.algorithm->name);
    if (choice.device.kind == Device::Kind::cuda) return "for --device " + name_of(choice.device);
    if (options.holes == LabelOptions::Holes::fill && rule_of(options) != Rule::foreground)
        return std::string("for --fill-holes with ") + (options.gradient ? "--delta" : "--multilabel");
    if (options.per_slice.value_or(Axis::z) != Axis::z && (options.shape == Shape::measure || !options.contacts.empty()))
        return std::string("for --per-slice ") + "xyz"[std::size_t(*options.per_slice)] + " with " +
               (options.contacts.empty() ? "--shape" : "--contacts");
    return {};
}

/// The passes of a streamed run for the preview. Over a background, the first pass finds the planes.
std::int64_t passes_of_preview(const LabelOptions& options) { return options.preview.empty() ? 0 : background_of(options).empty() ? 1 : 2; }

/// The passes of a streamed run after the first.
std::int64_t passes_of_slabs(const LabelOptions& options) {
    const int to_find_holes = options.holes == LabelOptions::Holes::fill ? 2 : 0;
    const int to_find =
        (options.inside == Inside::find) + (options.mask_border == LabelOptions::Border::clear) + !options.seed_threshold.empty();
    return to_find_holes + to_find + !options.intensity.images.empty() + !options.intensity.percentiles.empty() +
           !volume_paths(options).empty() + passes_of_preview(options) + (options.shape == Shape::measure) + !options.contacts.empty();
}

/// Bytes as text. The needed bytes are rounded up and the allowed bytes are rounded down, so that the texts differ if the bytes differ.
// 25392768 -> "26 MB" (up), "25 MB" (down)
enum class Rounding { up, down };
std::string rounded_bytes(std::int64_t bytes, Rounding rounding) {
    constexpr std::array<std::pair<std::int64_t, const char*>, 3> units{{{1'000'000'000, " GB"}, {1'000'000, " MB"}, {1'000, " kB"}}};
    for (const auto& [unit, name] : units)
        if (bytes >= 10 * unit || (unit == 1'000 && bytes >= unit))
            return std::to_string((bytes + (rounding == Rounding::up ? unit - 1 : 0)) / unit) + name;
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// @param needs what the volume needs, as a clause without a subject
ProgramError out_of_memory(const std::string& needs, const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info) {
    const std::string source = options.max_memory ? "--max-memory allows " : "the machine and its control groups (cgroups) allow ";
    return {ErrorKind::out_of_memory, info.path, needs + source + rounded_bytes(*plan.limit, Rounding::down),
            "allow more with --max-memory, as in --max-memory 8GB, or use fewer threads (-t)"};
}

MemoryPlan plan_slabs(const LabelOptions& options, const Choice& choice, const VolumeReaders& readers, int threads, int volumes) {
    const Estimate estimate(options, *choice.algorithm, readers, threads);
    const std::int64_t nz = readers.image.info().extent.nz;
    MemoryPlan plan;
    // The memory of the machine does not limit a run on a GPU; --max-memory does.
    plan.limit = options.max_memory || choice.device.kind == Device::Kind::cuda ? options.max_memory : machine_memory();
    if (plan.limit) *plan.limit /= volumes;
    plan.bytes = estimate.in_memory();
    plan.slices_per_stream_slab = nz;
    const bool projects = !options.preview.empty() && background_of(options).empty();
    plan.passes += projects + !options.masked_output.empty() + !options.seed_threshold.empty();  // for the values
    if (plan.fits()) return plan;
    plan.one_piece_for = why_one_piece(options, choice);
    if (!plan.one_piece_for.empty()) return plan;
    const std::int64_t layer = estimate.slices_per_layer(), layers = (nz + layer - 1) / layer;
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
    plan.slices_per_stream_slab = slices;
    plan.passes += passes_of_slabs(options);
    return plan;
}

std::int64_t bytes_for_threads(const VolumeReaders& readers, int threads) {
    std::int64_t bytes = 0;
    readers.for_each([&](const io::VolumeReader& reader) { bytes += reader.bytes_for_threads(threads); });
    return bytes;
}

}  // namespace

MemoryPlan plan_memory(const LabelOptions& options, const Choice& choice, const VolumeReaders& readers, int threads, int volumes) {
    MemoryPlan plan = plan_slabs(options, choice, readers, threads, volumes);
    for (; threads > 1; threads /= 2) {
        const std::int64_t bytes = bytes_for_threads(readers, threads);
        if (plan.limit && plan.bytes.smooth() + bytes > *plan.limit) continue;
        plan.reading_threads = threads;
        plan.bytes.streams += bytes;
        return plan;
    }
    return plan;
}

std::optional<MemoryPlan> thinner_slabs(const MemoryPlan& plan, const LabelOptions& options, const Choice& choice,
                                        const VolumeReaders& readers, int threads) {
    if (!why_one_piece(options, choice).empty()) return std::nullopt;
    const Estimate estimate(options, *choice.algorithm, readers, threads);
    const std::int64_t nz = readers.image.info().extent.nz, layer = estimate.slices_per_layer();
    const std::int64_t layers = (plan.slices_per_stream_slab + layer - 1) / layer, slices = layers / 2 * layer;
    if (slices == 0) return std::nullopt;
    MemoryPlan thinner = plan;
    thinner.bytes = estimate.slab(slices);
    if (plan.reading_threads > 1) thinner.bytes.streams += bytes_for_threads(readers, plan.reading_threads);
    thinner.slabs = (nz + slices - 1) / slices;
    thinner.slices_per_stream_slab = slices;
    if (plan.slabs == 1) thinner.passes += passes_of_slabs(options);
    return thinner;
}

std::optional<ProgramError> refusal_of(const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info) {
    if (plan.fits()) return std::nullopt;
    const std::string in_one_piece = plan.one_piece_for.empty() ? "" : " in one piece " + plan.one_piece_for;
    return out_of_memory("needs at least " + rounded_bytes(plan.bytes.smooth(), Rounding::up) + " of memory" + in_one_piece + ", and ",
                         plan, options, info);
}

void require_memory(const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info) {
    if (const auto refusal = refusal_of(plan, options, info)) throw *refusal;
}

ProgramError too_many_components(const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info) {
    return out_of_memory("has too many components for the memory: ", plan, options, info);
}

}  // namespace voxcc
