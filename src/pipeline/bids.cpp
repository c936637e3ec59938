#include "src/pipeline/bids.h"

#include "io/format_names.h"
#include "src/errors/program_error.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/selector.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

namespace voxcc {
namespace {

struct Entity {
    std::string key, value;
};

// The order in which BIDS 1.10 writes entities. Unknown entities may be anywhere, because later versions add some.
constexpr std::array<std::string_view, 33> order_of_entities{
    "sub",   "ses",   "sample",    "task",  "tracksys", "acq",  "nuc",   "voi", "ce",   "trc",   "stain",
    "rec",   "dir",   "run",       "mod",   "echo",     "flip", "inv",   "mt",  "part", "proc",  "hemi",
    "space", "split", "recording", "chunk", "atlas",    "seg",  "scale", "res", "den",  "label", "desc"};

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)); }
bool is_word(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_alphanumeric); }
/// Whether the text is a value of an entity: letters, digits and '+'.
bool is_value(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '+'; });
}

[[noreturn]] void refuse_bids(const std::string& input, const std::string& cause, const std::string& remedy) {
    throw ProgramError(ErrorKind::invalid_argument, input, cause, remedy);
}

[[noreturn]] void refuse_name(const std::string& input, const std::string& cause) {
    refuse_bids(input, "does not have a name of BIDS: " + cause, "name the file as in sub-01_ses-2_T1w.nii.gz");
}

/// The parts of a name without extension. The last one is the suffix.
// "sub-01_T1w" -> {"sub-01", "T1w"}
std::vector<std::string_view> parts_of(std::string_view name) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at != std::string_view::npos;) {
        const std::size_t end = name.find('_', at);
        parts.push_back(name.substr(at, end - at));
        at = end == std::string_view::npos ? end : end + 1;
    }
    return parts;
}

Entity parse_entity(std::string_view part, const std::string& input) {
    const std::size_t dash = part.find('-');
    Entity entity{std::string(part.substr(0, dash)), dash == std::string_view::npos ? "" : std::string(part.substr(dash + 1))};
    if (!is_word(entity.key) || !is_value(entity.value)) refuse_name(input, "'" + std::string(part) + "' is not an entity such as run-1");
    return entity;
}

/// The last known entity of a name must come last in the order of BIDS.
void check_order(const std::vector<Entity>& entities, const std::string& input) {
    auto least = order_of_entities.begin();
    const Entity* before = nullptr;
    for (const Entity& entity : entities) {
        if (std::ranges::count(entities, entity.key, &Entity::key) > 1) refuse_name(input, "it has two entities '" + entity.key + "'");
        const auto place = std::ranges::find(order_of_entities, entity.key);
        if (place == order_of_entities.end()) continue;
        if (before && place < least) refuse_name(input, "'" + entity.key + "' must come before '" + before->key + "'");
        least = place;
        before = &entity;
    }
}

struct Name {
    std::vector<Entity> entities;
    std::string suffix;
    /// The text of an entity, or empty.
    // "ses" -> "ses-2"
    std::string text_of(std::string_view key) const {
        const auto found = std::ranges::find(entities, key, &Entity::key);
        return found == entities.end() ? "" : found->key + "-" + found->value;
    }
};

Name parse_name(const std::string& file, const std::string& input) {
    std::string name = io::without_volume_extension(file);
    if (name == file) refuse_name(input, "it does not end with the extension of a volume");
    if (constexpr std::string_view ome = ".ome"; name.ends_with(ome)) name.resize(name.size() - ome.size());
    std::vector<std::string_view> parts = parts_of(name);
    Name parsed{{}, std::string(parts.back())};
    parts.pop_back();
    if (parts.empty() || !parts.front().starts_with("sub-")) refuse_name(input, "it does not begin with an entity such as sub-01");
    if (!is_word(parsed.suffix)) refuse_name(input, "it does not end with a suffix such as T1w");
    for (const std::string_view part : parts) parsed.entities.push_back(parse_entity(part, input));
    check_order(parsed.entities, input);
    return parsed;
}

/// The folder for a kind of data, if no folder of the input states it.
std::string usual_datatype(const Name& name) {
    if (!name.text_of("task").empty()) return "func";
    return name.suffix == "dwi" ? "dwi" : "anat";
}

/// The folders that BIDS wants above the file: from the dataset to the subject and the session.
std::filesystem::path folders_of(const Name& name) { return std::filesystem::path(name.text_of("sub")) / name.text_of("ses"); }

/// The folder of the dataset, if `folder` is a folder of BIDS such as ROOT/sub-01/ses-2/anat.
std::optional<std::filesystem::path> root_above(const std::filesystem::path& folder, const Name& name, const std::string& input) {
    const std::filesystem::path datatype = folder.filename(), parent = folder.parent_path();
    const bool in_session = parent.filename().string().starts_with("ses-");
    const std::filesystem::path subject = in_session ? parent.parent_path() : parent;
    if (!subject.filename().string().starts_with("sub-") || !is_word(datatype.string())) return std::nullopt;
    const std::filesystem::path stated = subject.filename() / (in_session ? parent.filename() : "");
    if (stated != folders_of(name))
        refuse_bids(input, "is in the folder " + (stated / "").string() + ", but its name states " + folders_of(name).string(),
                    "move or rename the file");
    return subject.parent_path();
}

}  // namespace

bool BidsFile::has(const std::string& entity) const { return ("_" + entities).find("_" + entity + "-") != std::string::npos; }

BidsFile bids_file(const std::string& input) {
    std::error_code unknown;  // absolute() fails for the empty name, and if the current folder was removed
    std::filesystem::path path = std::filesystem::absolute(divide_input(input).path, unknown).lexically_normal();
    if (unknown) path = input;
    const Name name = parse_name(path.filename().string(), input);
    const std::filesystem::path folder = path.parent_path();
    const auto root = root_above(folder, name, input);
    BidsFile file;
    file.root = root.value_or(folder);
    file.path = path.lexically_relative(file.root).string();
    file.folder = (folders_of(name) / (root ? folder.filename().string() : usual_datatype(name))).string();
    for (const Entity& entity : name.entities) file.entities += (file.entities.empty() ? "" : "_") + entity.key + "-" + entity.value;
    return file;
}

std::string bids_stem(const std::string& input) {
    const BidsFile file = bids_file(input);
    return file.folder + "/" + file.entities;
}

bool is_bids_entity(std::string_view key) { return std::ranges::find(order_of_entities, key) != order_of_entities.end(); }

std::vector<std::string> known_entities() { return {order_of_entities.begin(), order_of_entities.end()}; }

std::vector<BidsEntity> entities_in(const std::string& input) {
    std::vector<BidsEntity> found;
    const std::filesystem::path path = divide_input(input).path;
    for (const std::filesystem::path& folder : path) {
        const std::string name = io::without_volume_extension(folder.string());
        for (const std::string_view part : parts_of(name)) {
            const std::size_t dash = part.find('-');
            const std::string_view key = part.substr(0, dash);
            const std::string_view value = dash == std::string_view::npos ? std::string_view() : part.substr(dash + 1);
            if (!is_bids_entity(key) || !is_value(value)) continue;
            const auto known = std::ranges::find(found, key, &BidsEntity::key);
            if (known == found.end()) found.push_back({std::string(key), std::string(value)});
            else if (known->value != value) known->value.clear();
        }
    }
    const auto place = [](const BidsEntity& entity) { return std::ranges::find(order_of_entities, entity.key); };
    std::ranges::stable_sort(found, {}, place);
    return found;
}

std::vector<std::string> subject_entities(const std::vector<std::string>& inputs) {
    std::vector<std::string> keys;
    for (const std::string& input : inputs) {
        const std::vector<BidsEntity> entities = entities_in(input);
        if (std::ranges::find(entities, "sub", &BidsEntity::key) == entities.end()) continue;
        for (const BidsEntity& entity : entities)
            if (std::ranges::find(keys, entity.key) == keys.end()) keys.push_back(entity.key);
    }
    std::ranges::stable_sort(keys, {}, [](const std::string& key) { return std::ranges::find(order_of_entities, key); });
    return keys;
}

std::string entity_column(const std::string& key) { return key == "label" ? "entity_label" : key; }

std::vector<std::optional<std::string>> entity_values(const std::string& input, const std::vector<std::string>& keys) {
    const std::vector<BidsEntity> entities = keys.empty() ? std::vector<BidsEntity>() : entities_in(input);
    std::vector<std::optional<std::string>> values;
    for (const std::string& key : keys) {
        const auto found = std::ranges::find(entities, key, &BidsEntity::key);
        values.push_back(found == entities.end() || found->value.empty() ? std::nullopt : std::optional(found->value));
    }
    return values;
}

std::string uri_path(const std::string& path) {
    constexpr std::string_view others = "-._~+/", digits = "0123456789ABCDEF";
    std::string uri;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && (is_alphanumeric(c) || others.find(c) != std::string_view::npos)) uri += c;
        else uri += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return uri;
}

}  // namespace voxcc
