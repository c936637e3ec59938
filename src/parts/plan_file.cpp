#include "src/parts/plan_file.h"

#include "src/errors/program_error.h"
#include "src/messages/file_record.h"
#include "src/messages/summary_file.h"
#include "src/options/numbers.h"
#include "src/options/raw_layout.h"
#include "src/options/test_volume_options.h"
#include "src/options/threshold.h"
#include "src/parts/planned_inputs.h"
#include "src/parts/unsupported.h"
#include "src/pipeline/device.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/level.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/request.h"
#include "src/pipeline/selection.h"
#include "src/pipeline/size_limits.h"
#include "src/pipeline/table_form.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace voxcc::parts {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t most_plan_bytes = 1 << 20;
constexpr int plan_version = 7;

[[noreturn]] void fail(const std::string& path, const std::string& cause) {
    throw ProgramError(ErrorKind::invalid_file, path, cause, "make it again with 'voxcc split'");
}

Json json_of(const PlannedFile& file) {
    return {
        {"path", file.path}, {"type", name_of(file.type)}, {"bytes", file.bytes}, {"modified_ns", file.modified_ns}, {"files", file.files}};
}

constexpr std::array all_types{ScalarType::u8,  ScalarType::i8,  ScalarType::u16, ScalarType::i16, ScalarType::u32,
                               ScalarType::i32, ScalarType::u64, ScalarType::i64, ScalarType::f32, ScalarType::f64};
constexpr std::array all_readers{std::pair("auto", io::ReaderChoice::automatic), std::pair("voxcc", io::ReaderChoice::voxcc),
                                 std::pair("itk", io::ReaderChoice::itk)};

/// The member of a list with a name. @throw std::out_of_range
template <class List>
auto named(const List& list, const std::string& name) {
    const auto found = std::ranges::find(list, name, [](const auto& element) { return std::string(name_of(element)); });
    if (found == list.end()) throw std::out_of_range(name);
    return *found;
}

PlannedFile file_in(const Json& json) {
    return {json.at("path").get<std::string>(), named(all_types, json.at("type").get<std::string>()), json.at("bytes").get<std::int64_t>(),
            json.at("modified_ns").get<std::int64_t>(), json.at("files").get<std::string>()};
}

/// A limit that may be missing: null.
template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

/// The name of a unit of length; empty without a unit.
std::string name_of(const std::optional<io::LengthUnit>& unit) { return unit ? std::string(io::name_of(*unit)) : ""; }

Json json_of(const std::optional<io::VoxelSize>& size) {
    return size ? Json{{"steps", size->steps}, {"unit", io::name_of(size->unit)}} : Json();
}

io::VoxelSize size_in(const Json& json) {
    const auto steps = json.at("steps").get<std::array<double, 3>>();
    if (!std::ranges::all_of(steps, [](double step) { return step > 0; })) throw std::out_of_range("steps");
    return {steps, io::length_unit(json.at("unit").get<std::string>()).value()};
}

Json json_of(const GridTolerance& tolerance) {
    if (tolerance.compare == GridTolerance::Compare::nothing) return "ignore";
    return {{"amount", tolerance.amount}, {"unit", name_of(tolerance.unit)}};
}

GridTolerance tolerance_in(const Json& json) {
    if (json == "ignore") return {.compare = GridTolerance::Compare::nothing};
    if (!(json.at("amount").get<double>() >= 0)) throw std::out_of_range("amount");
    return {.amount = json.at("amount").get<double>(), .unit = io::length_unit(json.at("unit").get<std::string>())};
}

Json json_of(const InputOptions& input) {
    const auto reader = std::ranges::find(all_readers, input.reader, [](const auto& choice) { return choice.second; });
    return {{"dataset", input.dataset},
            {"volume", input.volume},
            {"spacing", json_of(input.spacing)},
            {"geometry_tolerance", json_of(input.tolerance)},
            {"allow_external", input.external == io::ExternalFiles::allow},
            {"missing_chunks", input.missing_chunks == io::MissingChunks::refuse ? "error" : "fill"},
            {"reader", reader->first},
            {"raw", input.raw ? voxcc::text_of(*input.raw) : ""}};
}

InputOptions input_in(const Json& json) {
    InputOptions input;
    input.dataset = json.at("dataset").get<std::string>();
    input.volume = json.at("volume").get<std::string>();
    if (!json.at("spacing").is_null()) input.spacing = size_in(json.at("spacing"));
    input.tolerance = tolerance_in(json.at("geometry_tolerance"));
    if (json.at("allow_external").get<bool>()) input.external = io::ExternalFiles::allow;
    if (json.at("missing_chunks") == "error") input.missing_chunks = io::MissingChunks::refuse;
    for (const auto& [name, reader] : all_readers)
        if (json.at("reader") == name) input.reader = reader;
    if (const std::string raw = json.at("raw").get<std::string>(); !raw.empty()) input.raw = parse_raw(raw);
    return input;
}

Json json_of(const Rules& rules) {
    const Extent &e = rules.grid.volume(), &b = rules.border;
    const Criteria& c = rules.criteria;
    return {{"extent", {e.nx, e.ny, e.nz}},
            {"part_size", rules.grid.part_size()},
            {"connectivity", number_of(rules.connectivity)},
            {"equal_values", rules.rule == Rule::equal_values},
            {"periodic", rules.periodic.axes},
            {"faces_of", {b.nx, b.ny, b.nz}},
            {"min_voxels", c.min_voxels},
            {"max_voxels", c.max_voxels},
            {"keep_largest", or_null(c.keep_largest)},
            {"clear_border", c.border == Criteria::Border::clear},
            {"by_size", c.numbering == Numbering::by_size}};
}

Extent extent_in(const Json& json) {
    const auto [nx, ny, nz] = json.get<std::array<std::int64_t, 3>>();
    checked_bytes({nx, ny, nz}, 8, "plan");
    for (const std::int64_t n : {nx, ny, nz})
        if (n > std::numeric_limits<std::uint32_t>::max()) throw std::out_of_range("extent");
    return {nx, ny, nz};
}

Rules rules_in(const Json& json) {
    const auto part = json.at("part_size").get<std::array<std::int64_t, 3>>();
    checked_bytes({part[0], part[1], part[2]}, 1, "plan");
    Rules rules{{}, Grid(extent_in(json.at("extent")), part)};
    rules.connectivity = connectivity_of(json.at("connectivity").get<int>()).value();
    if (json.at("equal_values").get<bool>()) rules.rule = Rule::equal_values;
    rules.periodic.axes = json.at("periodic").get<std::array<bool, 3>>();
    rules.border = extent_in(json.at("faces_of"));
    Criteria& c = rules.criteria;
    c.min_voxels = json.at("min_voxels").get<std::uint64_t>();
    c.max_voxels = json.at("max_voxels").get<std::uint64_t>();
    if (!json.at("keep_largest").is_null()) c.keep_largest = json.at("keep_largest").get<std::uint64_t>();
    if (json.at("clear_border").get<bool>()) c.border = Criteria::Border::clear;
    if (json.at("by_size").get<bool>()) c.numbering = Numbering::by_size;
    return rules;
}

/// Checks what the steps rely on. @throw std::out_of_range
void check_grid(const Rules& rules) {
    const auto& [x, y, z] = rules.grid.counts();
    if (x > most_parts || y > most_parts || z > most_parts || x * y > most_parts || x * y * z > most_parts)
        throw std::out_of_range("parts");
    if (rules.grid.box(0).extent().voxels() > std::numeric_limits<std::uint32_t>::max()) throw std::out_of_range("part_size");
    const Extent &volume = rules.grid.volume(), &faces = rules.border;
    const auto& wraps = rules.periodic.axes;
    const auto has_faces = [](std::int64_t of, std::int64_t n, bool wraps_around) { return of == (wraps_around ? 1 : n); };
    if (!has_faces(faces.nx, volume.nx, wraps[0]) || !has_faces(faces.ny, volume.ny, wraps[1]) || !has_faces(faces.nz, volume.nz, wraps[2]))
        throw std::out_of_range("faces_of");
    if (rules.criteria.keep_largest == 0U) throw std::out_of_range("keep_largest");
    const bool flat = rules.connectivity == Connectivity::c4 || rules.connectivity == Connectivity::c8;
    if (flat && rules.grid.volume().nz > 1) throw std::out_of_range("connectivity");
}

Json intensities_of(const Plan& plan) {
    Json images = Json::array();
    for (std::size_t i = 0; i < plan.intensities.size(); ++i) {
        images.push_back(json_of(plan.intensities[i]));
        images.back()["name"] = plan.options.intensity.images[i].name;
    }
    return images;
}

World world_in(const Json& json) {
    World world;
    world.affine = json.get<decltype(world.affine)>();
    for (const auto& row : world.affine)
        for (const double element : row)
            if (!std::isfinite(element)) throw std::out_of_range("world");
    return world;
}

Json json_of(const Plan& plan) {
    const LabelOptions& o = plan.options;
    return {{"program", "voxcc"},
            {"content", "plan"},
            {"version", plan_version},
            {"parts", plan.rules.grid.parts()},
            {"image", json_of(plan.image)},
            {"mask", plan.mask ? json_of(*plan.mask) : Json()},
            {"intensities", intensities_of(plan)},
            {"input", json_of(o.input)},
            {"threshold", o.threshold},
            {"invert", o.polarity == Polarity::background},
            {"units", o.units ? Json(name_of(*o.units)) : Json()},
            {"connectivity", o.connectivity},
            {"contacts", !o.contacts.empty()},
            {"shape", o.shape == Shape::measure},
            {"max_hole", or_null(plan.max_hole)},
            {"world", plan.world ? Json(plan.world->affine) : Json()},
            {"rules", json_of(plan.rules)}};
}

Plan plan_in(const Json& json) {
    Plan plan{.image = file_in(json.at("image")),
              .mask = {},
              .intensities = {},
              .options = {},
              .rules = rules_in(json.at("rules")),
              .round = PartRound::foreground,
              .max_hole = {},
              .world = {},
              .identity = {}};
    check_grid(plan.rules);
    if (!json.at("mask").is_null()) plan.mask = file_in(json.at("mask"));
    LabelOptions& o = plan.options;
    o.input = input_in(json.at("input"));
    o.inputs = {{plan.image.path}};
    if (plan.mask) o.mask = plan.mask->path;
    for (const Json& image : json.at("intensities")) {
        plan.intensities.push_back(file_in(image));
        o.intensity.images.push_back({image.at("name").get<std::string>(), plan.intensities.back().path});
    }
    o.threshold = json.at("threshold").get<std::string>();
    if (const ThresholdRule rule = parse_threshold(o.threshold); rule.level || voxcc::text_of(rule) != o.threshold)
        throw std::out_of_range("threshold");
    if (json.at("invert").get<bool>()) o.polarity = Polarity::background;
    if (plan.rules.rule == Rule::equal_values) o.mode = LabelOptions::Mode::multilabel;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (plan.rules.periodic.axes[axis]) o.periodic += "xyz"[axis];
    o.units.reset();
    if (!json.at("units").is_null()) o.units = named(all_units, json.at("units").get<std::string>());
    o.connectivity = json.at("connectivity").get<int>();
    if (o.connectivity != 0) connectivity_of(o.connectivity).value();
    if (json.at("contacts").get<bool>()) o.contacts = table_named_later;
    if (json.at("shape").get<bool>()) o.shape = Shape::measure;
    if (!json.at("max_hole").is_null()) plan.max_hole = json.at("max_hole").get<std::uint64_t>();
    if (!json.at("world").is_null()) plan.world = world_in(json.at("world"));
    plan.identity = sha256_of(json.dump());
    return plan;
}

}  // namespace

std::array<std::int64_t, 3> part_size(const Extent& volume, const SplitOptions& options) {
    constexpr std::int64_t edge = 1024;
    const std::int64_t size = options.part_size.value_or(edge);
    if (options.shape == PartShape::slabs) return {volume.nx, volume.ny, std::min(volume.nz, size)};
    return {std::min(volume.nx, size), std::min(volume.ny, size), std::min(volume.nz, size)};
}

Plan background_plan(const Plan& plan) {
    Plan background = plan;
    background.round = PartRound::background;
    background.rules = background_rules(plan.rules, plan.max_hole.value());
    background.intensities.clear();
    background.options.intensity.images.clear();
    return background;
}

Plan make_plan(const SplitOptions& options, const Reporter& reporter) {
    refuse_unsupported(options);
    LabelOptions o = options_for(options.label, options.label.inputs.front());
    const PlannedInputs in = open_files(o);
    const io::VolumeInfo& info = in.image->info();
    check_sizes(o, info);
    if (threshold_of(o).level) {
        ThresholdRule threshold = fixed_threshold(o);
        threshold.rule.low = level_of(threshold, {*in.image, in.mask.get()});
        threshold.level.reset();
        o.threshold = voxcc::text_of(threshold);
        o.threshold_from.clear();
    }
    o.threshold = voxcc::text_of(threshold_of(o));
    const Question question = question_for(o, info);
    for (const std::string& note : in.notes) reporter.note(note);
    Plan plan{.image = planned(o.inputs.front().name, o.input, info),
              .mask = {},
              .intensities = {},
              .options = std::move(o),
              .rules = {question, Grid(info.extent, part_size(info.extent, options))},
              .round = PartRound::foreground,
              .max_hole = {},
              .world = {},
              .identity = {}};
    if (in.mask) plan.mask = planned(plan.options.mask, without_raw(plan.options.input), in.mask->info());
    for (std::size_t i = 0; i < in.intensities.size(); ++i)
        plan.intensities.push_back(
            planned(plan.options.intensity.images[i].path, without_raw(plan.options.input), in.intensities[i]->info()));
    if (plan.options.shape == Shape::measure) plan.world = world_of(info, units_for(plan.options.units, info));
    Rules& rules = plan.rules;
    rules.connectivity = reduced(question.connectivity, info.extent);
    rules.criteria = criteria_for(plan.options, info);
    rules.border = faces_of(plan.options, info.extent);
    if (plan.options.holes == LabelOptions::Holes::fill) plan.max_hole = max_hole_of(plan.options, info);
    try {
        check_grid(rules);
    } catch (const std::out_of_range&) {
        throw ProgramError(ErrorKind::invalid_argument, "--part-size",
                           "gives " + std::to_string(rules.grid.parts()) + " parts of " +
                               std::to_string(rules.grid.box(0).extent().voxels()) +
                               " voxels; at most 1000000 parts and 4294967295 voxels "
                               "are possible",
                           "choose another size");
    }
    plan.identity = sha256_of(json_of(plan).dump());
    return plan;
}

std::string text_of(const Plan& plan) {
    Json json = json_of(plan);
    json["identity"] = plan.identity;
    return json.dump(2) + "\n";
}

Plan read_plan(const std::string& path) {
    std::optional<Json> json = read_json_object(path, most_plan_bytes);
    if (!json || text_in(*json, "program") != "voxcc" || text_in(*json, "content") != "plan") fail(path, "is not a plan of 'voxcc split'");
    if (member(*json, "version") != plan_version) fail(path, "is a plan of another version of voxcc");
    const std::string identity = text_in(*json, "identity");
    json->erase("identity");
    if (identity != sha256_of(json->dump())) fail(path, "was changed after it was made");
    try {
        Plan plan = plan_in(*json);
        // A value that the plan does not have in the same form was converted or left out.
        if (json_of(plan).dump() == json->dump()) return plan;
    } catch (const std::exception&) {  // the message below says the same of all values
    }
    fail(path, "has a value that a plan cannot have");
}

}  // namespace voxcc::parts
