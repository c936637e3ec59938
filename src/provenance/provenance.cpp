#include "src/provenance/provenance.h"

#include "io/json_numbers.h"
#include "src/options/result_options.h"
#include "src/pipeline/input.h"
#include "src/provenance/version.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>

namespace voxcc {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const StageSeconds& seconds) {
    ordered_json json = ordered_json::object();
    for (const Stage& stage : stages) json[std::string(stage.name)] = seconds.*stage.seconds;
    return json;
}

/// A bound as a number if JSON readers read the same bound, or as a text. Integers that a double does not represent stay exact.
// 2.5 -> 2.5; 9007199254740993 -> 9007199254740993; 9007199254740993.5 -> "9007199254740993.5"; infinity -> "inf"
ordered_json json_of_bound(const Bound& bound) {
    if (std::isfinite(bound.real) && Bound(bound.real) == bound) return bound.real;
    if (bound == Bound(std::int64_t(bound.whole))) return std::int64_t(bound.whole);
    if (bound == Bound(std::uint64_t(bound.whole))) return std::uint64_t(bound.whole);
    return text_of(bound);
}

ordered_json json_of(const ForegroundRule& r) {
    using Kind = ForegroundRule::Kind;
    const auto one = [](const char* rule, const char* name, const Bound& bound) {
        return ordered_json{{"rule", rule}, {name, json_of_bound(bound)}};
    };
    const auto list = [&](const char* rule) {
        ordered_json values = ordered_json::array();
        for (const Bound& value : r.values) values.push_back(json_of_bound(value));
        return ordered_json{{"rule", rule}, {"values", values}};
    };
    ordered_json json;
    switch (r.kind) {
        case Kind::nonzero: json["rule"] = "nonzero"; break;
        case Kind::above: json = one(">", "low", r.low); break;
        case Kind::at_least: json = one(">=", "low", r.low); break;
        case Kind::below: json = one("<", "high", r.high); break;
        case Kind::at_most: json = one("<=", "high", r.high); break;
        case Kind::abs_above: json = one("abs>", "low", r.low); break;
        case Kind::abs_at_least: json = one("abs>=", "low", r.low); break;
        case Kind::one_of: json = list("=="); break;
        case Kind::none_of: json = list("!="); break;
        case Kind::range: json = {{"rule", "range"}, {"low", json_of_bound(r.low)}, {"high", json_of_bound(r.high)}}; break;
    }
    json["invert"] = r.take == ForegroundRule::Take::complement;
    return json;
}

ordered_json joined_by(const LabelOptions& options) {
    const bool by_sign = options.signs == LabelOptions::Signs::split;
    ordered_json json{{"rule", by_sign ? "equal signs" : name_of(rule_of(options))}};
    if (options.gradient) json["at_most"] = json_of_bound(*options.gradient);
    if (options.colour) json["at_most"] = *options.colour;
    return json;
}

ordered_json json_of(const FileRecord& r) { return {{"path", r.path}, {"bytes", r.bytes}, {"sha256", r.sha256}}; }

std::uint64_t nan_voxels_of(const std::vector<MeasuredImage>& images) {
    std::uint64_t voxels = 0;
    for (const MeasuredImage& image : images) voxels += image.sums.nan_voxels();
    return voxels;
}

std::string working_directory() {
    std::error_code unknown;
    std::string folder = std::filesystem::current_path(unknown).string();
    if (unknown == std::errc::not_enough_memory) throw std::bad_alloc();
    return folder;
}

ordered_json paths_of(const std::vector<IntensityImage>& images) {
    ordered_json paths = ordered_json::array();
    for (const IntensityImage& image : images) paths.push_back(image.path);
    return paths;
}

ordered_json text_or_null(const std::string& text) { return text.empty() ? ordered_json() : ordered_json(text); }

}  // namespace

ordered_json json_of(const std::vector<ListedCell>& row) {
    ordered_json json = ordered_json::object();
    for (const ListedCell& cell : row) json[cell.column] = cell.text;
    return json;
}

std::uint64_t LabelledInput::largest_label() const {
    std::uint64_t largest = 0;
    for (const LabelledVolume& volume : volumes) largest = std::max(largest, std::uint64_t(volume.selection.count));
    return largest;
}

Provenance::Provenance(const LabelOptions& options, const Choice& choice, int threads) {
    summary_ = {{"program", "voxcc"},
                {"version", version()},
                {"argv", options.arguments},
                {"working_directory", working_directory()},
                {"options", ordered_json::object()},
                {"device", name_of(choice.device)},
                {"algorithm", choice.algorithm->name},
                {"instructions", name_of(default_isa())},
                {"threads", threads},
                {"joined_by", joined_by(options)},
                {"count", 0},
                {"inputs", ordered_json::array()},
                {"outputs", ordered_json::array()},
                {"volumes", ordered_json::array()},
                {"failed", ordered_json::array()},
                {"seconds", ordered_json::object()}};
    for (const auto& [name, value] : result_options(options)) summary_["options"][name] = value;
}

void Provenance::add(const LabelledInput& input) {
    for (const FileRecord& record : input.read) summary_["inputs"].push_back(json_of(record));
    for (const FileRecord& record : input.written) add_output(record);
    for (const LabelledVolume& volume : input.volumes) add(volume);
}

void Provenance::add_output(const FileRecord& record) { summary_["outputs"].push_back(json_of(record)); }

void Provenance::add(const LabelledVolume& v) {
    const VolumePaths volumes = v.job.all_volumes();
    const bool has_labels = volumes.contains(io::Content::labels);
    ordered_json others = ordered_json::object();
    for (const auto& [content, path] : volumes)
        if (content != io::Content::labels)
            others[option_of(content).substr(2)] = {{"path", path}, {"dtype", name_of(v.written.types.at(content))}};
    const DescribedVolume& described = v.described;
    const Extent& extent = described.info.extent;
    const std::string slices = described.slices ? std::string(1, "xyz"[std::size_t(*described.slices)]) : "";
    summary_["count"] = summary_["count"].get<std::uint64_t>() + v.selection.count;
    summary_["volumes"].push_back({{"input", v.job.input},
                                   {"mask", text_or_null(v.job.beside.mask)},
                                   {"intensity", paths_of(v.job.beside.images)},
                                   {"row", json_of(v.job.cells)},
                                   {"volume", v.job.volume ? ordered_json(*v.job.volume) : ordered_json()},
                                   {"dataset", text_or_null(described.info.dataset)},
                                   {"format", described.info.format},
                                   {"shape", {extent.nx, extent.ny, extent.nz}},
                                   {"type", described.info.stored_type},
                                   {"units", name_of(described.units)},
                                   {"connectivity", number_of(described.connectivity)},
                                   {"per_slice", text_or_null(slices)},
                                   {"foreground", json_of(v.labelled.rule)},
                                   {"foreground_voxels", v.labelled.foreground},
                                   {"nan_voxels", v.labelled.nan_voxels},
                                   {"nan_voxels_of_mask", v.labelled.nan_voxels_of_mask},
                                   {"nan_voxels_of_components", nan_voxels_of(v.measured.images)},
                                   {"components", v.labelled.count()},
                                   {"count", v.selection.count},
                                   {"output", has_labels ? ordered_json(volumes.at(io::Content::labels)) : ordered_json()},
                                   {"dtype", has_labels ? ordered_json(name_of(v.written.types.at(io::Content::labels))) : ordered_json()},
                                   {"other_volumes", others},
                                   {"warnings", v.labelled.warnings},
                                   {"seconds", json_of(v.seconds)}});
}

void Provenance::add(const Failure& failure) {
    summary_["failed"].push_back({{"input", failure.input}, {"error", failure.error}, {"exit", int(failure.code)}});
}

std::string Provenance::text(const StageTimes& times) const {
    ordered_json summary = summary_;
    summary["seconds"] = json_of(times.seconds);
    summary["wall_seconds"] = times.elapsed;
    return io::with_written_numbers(std::move(summary)).dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace voxcc
