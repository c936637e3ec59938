#include "src/options/result_options.h"

#include "src/options/numbers.h"
#include "src/options/raw_layout.h"
#include "src/options/threshold.h"

#include <array>

namespace voxcc {
namespace {

std::string yes_if(bool condition) { return condition ? "yes" : "no"; }

std::string text_of(const std::optional<SizeLimit>& limit) { return limit ? voxcc::text_of(*limit) : "none"; }

std::string text_of(const std::optional<double>& value) { return value ? shortest_text(*value) : "none"; }

std::string connectivity(const LabelOptions& o) { return o.connectivity ? std::to_string(o.connectivity) : "auto"; }

std::string per_slice(const LabelOptions& o) { return o.per_slice ? std::string(1, "xyz"[std::size_t(*o.per_slice)]) : "none"; }

std::string threshold(const LabelOptions& o) { return text_of(threshold_of(o)); }

std::string seed_threshold(const LabelOptions& o) { return o.seed_threshold.empty() ? "none" : text_of(parse_threshold(o.seed_threshold)); }

std::string columns(const LabelOptions& o) {
    std::string text;
    for (const std::string& name : o.table.columns) text += (text.empty() ? "" : ",") + name;
    return text.empty() ? "all" : text;
}

std::string intensity(const LabelOptions& o) {
    std::string text;
    for (const IntensityImage& image : o.intensity.images)
        text += (text.empty() ? "" : "; ") + (image.name.empty() ? "" : image.name + "=") + image.path;
    return text;
}

std::string text_of(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ",") + shortest_text(value);
    return text;
}

std::string spacing(const LabelOptions& o) {
    if (!o.input.spacing) return "of the file";
    const auto& [x, y, z] = o.input.spacing->steps;
    return shortest_text(x) + "," + shortest_text(y) + "," + shortest_text(z) + std::string(io::name_of(o.input.spacing->unit));
}

std::string tolerance(const LabelOptions& o) {
    const GridTolerance& t = o.input.tolerance;
    if (t.compare == GridTolerance::Compare::nothing) return "ignore";
    return shortest_text(t.amount) + (t.unit ? std::string(io::name_of(*t.unit)) : "");
}

std::string reader(const LabelOptions& o) {
    switch (o.input.reader) {
        case io::ReaderChoice::automatic: return "auto";
        case io::ReaderChoice::voxcc: return "voxcc";
        case io::ReaderChoice::itk: return "itk";
    }
    return "auto";
}

std::string ngff(const io::ZarrForm& form) {
    switch (form.ngff) {
        case io::ZarrForm::Ngff::automatic: return "auto";
        case io::ZarrForm::Ngff::v0_4: return "0.4";
        case io::ZarrForm::Ngff::v0_5: return "0.5";
        case io::ZarrForm::Ngff::none: return "none";
    }
    return "auto";
}

std::string pyramid(const io::ZarrForm& form) {
    switch (form.pyramid) {
        case io::ZarrForm::Pyramid::automatic: return "auto";
        case io::ZarrForm::Pyramid::mode: return "mode";
        case io::ZarrForm::Pyramid::nearest: return "nearest";
        case io::ZarrForm::Pyramid::none: return "none";
    }
    return "auto";
}

// Files with the same contents under other names count as other files: the names are in the summary.
constexpr std::array decisions{
    // These options change the contents of the label volume, the table or the preview.
    OptionDecision{"connectivity", connectivity},
    OptionDecision{"per-slice", per_slice},
    OptionDecision{"threshold", threshold},
    OptionDecision{"threshold-from", [](const LabelOptions& o) { return o.threshold_from; }},
    OptionDecision{"invert", [](const LabelOptions& o) { return yes_if(o.polarity == Polarity::background); }},
    OptionDecision{"multilabel", [](const LabelOptions& o) { return yes_if(o.mode == LabelOptions::Mode::multilabel); }},
    OptionDecision{"split-signs", [](const LabelOptions& o) { return yes_if(o.signs == LabelOptions::Signs::split); }},
    OptionDecision{"delta", [](const LabelOptions& o) { return o.gradient ? voxcc::text_of(*o.gradient) : "none"; }},
    OptionDecision{"colour", [](const LabelOptions& o) { return text_of(o.colour); }},
    OptionDecision{"mask", [](const LabelOptions& o) { return o.mask; }},
    OptionDecision{"intensity", intensity},
    OptionDecision{"preview-image", [](const LabelOptions& o) { return o.preview_image; }},
    OptionDecision{"peak-distance", [](const LabelOptions& o) { return voxcc::text_of(o.intensity.peak_distance); }},
    OptionDecision{"percentiles", [](const LabelOptions& o) { return text_of(o.intensity.percentiles); }},
    OptionDecision{"shape", [](const LabelOptions& o) { return yes_if(o.shape == Shape::measure); }},
    OptionDecision{"inside", [](const LabelOptions& o) { return yes_if(o.inside == Inside::find); }},
    OptionDecision{"units", [](const LabelOptions& o) { return o.units ? std::string(name_of(*o.units)) : "auto"; }},
    OptionDecision{"min-size", [](const LabelOptions& o) { return text_of(o.min_size); }},
    OptionDecision{"max-size", [](const LabelOptions& o) { return text_of(o.max_size); }},
    OptionDecision{"keep-largest", [](const LabelOptions& o) { return o.keep_largest ? std::to_string(*o.keep_largest) : "all"; }},
    OptionDecision{"keep", [](const LabelOptions& o) { return o.keep; }},
    OptionDecision{"per-value", [](const LabelOptions& o) { return yes_if(o.largest == LabelOptions::Largest::of_each_value); }},
    OptionDecision{"seed-threshold", seed_threshold},
    OptionDecision{"columns", columns},
    OptionDecision{"digits", [](const LabelOptions& o) { return std::to_string(o.table.digits); }},
    OptionDecision{"sort", [](const LabelOptions& o) { return std::string(o.sort == SortOrder::size ? "size" : "raster"); }},
    OptionDecision{"fill-holes", [](const LabelOptions& o) { return yes_if(o.holes == LabelOptions::Holes::fill); }},
    OptionDecision{"max-hole", [](const LabelOptions& o) { return text_of(o.max_hole); }},
    OptionDecision{"clear-border", [](const LabelOptions& o) { return yes_if(o.border == LabelOptions::Border::clear); }},
    OptionDecision{"clear-mask-border", [](const LabelOptions& o) { return yes_if(o.mask_border == LabelOptions::Border::clear); }},
    OptionDecision{"periodic", [](const LabelOptions& o) { return o.periodic; }},
    OptionDecision{"dtype", [](const LabelOptions& o) { return o.dtype ? std::string(name_of(*o.dtype)) : "auto"; }},
    OptionDecision{"colour-table", [](const LabelOptions& o) { return yes_if(o.colour_table == LabelOptions::ColourTable::store); }},
    OptionDecision{"ngff", [](const LabelOptions& o) { return ngff(o.zarr); }},
    OptionDecision{"pyramid", [](const LabelOptions& o) { return pyramid(o.zarr); }},
    OptionDecision{"compress", [](const LabelOptions& o) { return std::to_string(o.compress); }},
    OptionDecision{"dataset", [](const LabelOptions& o) { return o.input.dataset; }},
    OptionDecision{"volume", [](const LabelOptions& o) { return o.input.volume; }},
    OptionDecision{"raw", [](const LabelOptions& o) { return o.input.raw ? voxcc::text_of(*o.input.raw) : std::string(); }},
    OptionDecision{"spacing", spacing},
    OptionDecision{"geometry-tolerance", tolerance},
    OptionDecision{"reader", reader},
    OptionDecision{"bids", [](const LabelOptions& o) { return yes_if(o.bids == LabelOptions::Bids::write); }},
    // Without this option, a file that leads to other files is an error. Such a run must not be skipped.
    OptionDecision{"allow-external", [](const LabelOptions& o) { return yes_if(o.input.external == io::ExternalFiles::allow); }},
    // Such a run stops at a missing chunk, so it must not be skipped.
    OptionDecision{"missing-chunks", [](const LabelOptions& o) { return yes_if(o.input.missing_chunks == io::MissingChunks::fill); }},
    // The names of the outputs. They are compared with the names in the summary.
    OptionDecision{"output"},
    OptionDecision{"masked-output"},
    OptionDecision{"size-output"},
    OptionDecision{"mask-output"},
    OptionDecision{"stats"},
    OptionDecision{"summary"},
    OptionDecision{"contacts"},
    OptionDecision{"local-maxima"},
    OptionDecision{"preview"},
    OptionDecision{"lut"},
    OptionDecision{"json"},
    OptionDecision{"sidecar"},
    // These options set other options or name inputs. The result of setting them is compared.
    OptionDecision{"config"},
    OptionDecision{"list"},
    OptionDecision{"shared"},
    // With these options, the command writes states of parts and no outputs.
    OptionDecision{"plan"},
    OptionDecision{"part"},
    OptionDecision{"background"},
    OptionDecision{"holes"},
    // The outputs have the same bytes for any value of these options.
    OptionDecision{"device"},
    OptionDecision{"algorithm"},
    OptionDecision{"isa"},
    OptionDecision{"threads"},
    OptionDecision{"max-memory"},
    OptionDecision{"allow-unsandboxed"},
    OptionDecision{"jobs"},
    // These options change whether outputs are written, and the messages.
    OptionDecision{"force"},
    OptionDecision{"failed"},
    OptionDecision{"mkdir"},
    OptionDecision{"dry-run"},
    OptionDecision{"skip-existing"},
    OptionDecision{"progress"},
    OptionDecision{"quiet"},
    OptionDecision{"verbose"},
    OptionDecision{"log-format"},
    OptionDecision{"help"},
};

}  // namespace

std::span<const OptionDecision> option_decisions() { return decisions; }

std::vector<std::pair<std::string, std::string>> result_options(const LabelOptions& options) {
    std::vector<std::pair<std::string, std::string>> values;
    for (const OptionDecision& decision : decisions)
        if (decision.value) values.emplace_back(decision.name, decision.value(options));
    return values;
}

}  // namespace voxcc
