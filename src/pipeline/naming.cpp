#include "src/pipeline/naming.h"

#include "io/files/pipe_input.h"
#include "io/format_names.h"
#include "src/errors/program_error.h"
#include "src/options/path_options.h"
#include "src/options/test_volume_options.h"
#include "src/pipeline/bids.h"
#include "src/pipeline/selector.h"
#include "src/pipeline/volume_outputs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>

namespace voxcc {
namespace {

/// Whether a text can be a word in braces: a letter, then letters, digits, "_" and "-". The letters may be letters outside ASCII.
bool is_word(std::string_view text) {
    const auto is_letter = [](unsigned char c) { return std::isalpha(c) || c >= 0x80; };
    return !text.empty() && is_letter(static_cast<unsigned char>(text.front())) &&
           std::ranges::all_of(text, [&](unsigned char c) { return is_letter(c) || std::isdigit(c) || c == '_' || c == '-'; });
}

/// Calls f(text, word) for each part of a path: a text, and the word in braces that follows it; empty at the end.
// "a{stem}b" -> ("a", "stem"), ("b", "")
template <class F>
void for_each_part(std::string_view path, const F& f) {
    std::size_t begin = 0;
    for (std::size_t open = path.find('{'); open != std::string_view::npos; open = path.find('{', open + 1)) {
        const std::size_t close = path.find('}', open);
        if (close == std::string_view::npos) break;
        const std::string_view word = path.substr(open + 1, close - open - 1);
        if (!is_word(word)) continue;
        f(path.substr(begin, open - begin), word);
        begin = close + 1;
    }
    f(path.substr(begin), std::string_view());
}

std::vector<std::string> words_in(std::string_view path) {
    std::vector<std::string> words;
    for_each_part(path, [&](std::string_view, std::string_view word) {
        if (!word.empty()) words.emplace_back(word);
    });
    return words;
}

/// The folder of an input; "." for stdin and computed volumes.
std::filesystem::path folder_of(const std::string& input) {
    if (io::is_stdin(input) || is_generated(input)) return ".";
    std::filesystem::path path = divide_input(input).path;
    if (!path.has_filename()) path = path.parent_path();
    return path.has_parent_path() ? path.parent_path() : ".";
}

/// What a word stands for. @param path the name that contains it, for messages
std::string value_of(const std::string& word, const std::string& path, const BatchInput& in, std::optional<std::int64_t> volume) {
    const std::string& input = in.name;
    if (const std::string* cell = find_text(in.cells, word)) {
        if (!cell->empty()) return *cell;
        throw ProgramError(ErrorKind::invalid_argument, input,
                           "has an empty cell in the column '" + word + "' of the list, but '" + path + "' contains {" + word + "}",
                           "fill the cell, or leave the word out");
    }
    if (word == "stem") return stem_of(input);
    if (word == "dir") return folder_of(input).string();
    if (word == "parent") return std::filesystem::absolute(folder_of(input) / "").lexically_normal().parent_path().filename().string();
    if (word == "bids") return bids_stem(input);
    if (word == "volume") return std::to_string(volume.value());
    check_words({path, path, NamedFile::Of::volume});
    const std::vector<BidsEntity> entities = entities_in(input);
    const auto entity = std::ranges::find(entities, word, &BidsEntity::key);
    if (entity == entities.end() || entity->value.empty())
        throw ProgramError(ErrorKind::invalid_argument, input,
                           std::string(entity == entities.end() ? "has no" : "has two values of the") + " entity '" + word + "', but '" +
                               path + "' contains {" + word + "}",
                           "use {stem}, {dir} or {parent}, or rename the input");
    return entity->value;
}

/// The names of the files that are read beside an input.
std::vector<NamedFile> names_beside(const LabelOptions& o) {
    std::vector<NamedFile> files{{"--mask", o.mask}};
    for (const IntensityImage& image : o.intensity.images) files.push_back({"--intensity", image.path});
    files.push_back({"--preview-image", o.preview_image});
    return files;
}

}  // namespace

std::string stem_of(const std::string& input) {
    if (io::is_stdin(input)) return "stdin";
    if (is_generated(input)) return name_of_selector(input);
    if (const SelectedFile file = divide_input(input); !file.selector.empty()) return stem_of(file.path) + name_of_selector(file.selector);
    const auto leads_elsewhere = [](const std::string& name) { return name.empty() || name == "." || name == ".."; };
    std::filesystem::path path(input);
    if (!path.has_filename()) path = path.parent_path();
    if (leads_elsewhere(path.filename().string())) path = std::filesystem::absolute(path / "").lexically_normal().parent_path();
    const std::string file = path.filename().string();
    std::string name = io::without_volume_extension(file);
    const std::size_t percent = name.find('%'), d = name.find('d', percent);
    if (percent != std::string::npos && d != std::string::npos) name.erase(percent, d - percent + 1);
    if (!leads_elsewhere(name)) return name;
    return file.empty() ? "root" : "_" + file;
}

std::vector<NamedFile> output_names(const LabelOptions& o) {
    std::vector<NamedFile> outputs;
    for (const auto& [option, path] : outputs_per_volume(o)) outputs.push_back({option, path, NamedFile::Of::volume});
    outputs.insert(outputs.end(), {{"--stats", o.stats},
                                   {"--summary", o.summary},
                                   {"--contacts", o.contacts},
                                   {"--local-maxima", o.intensity.local_maxima},
                                   {"--json", o.json},
                                   {"--lut", o.lut}});
    return outputs;
}

bool is_word_of_input(std::string_view word) {
    constexpr std::array words{"stem", "dir", "parent", "volume", "bids"};
    return std::ranges::find(words, word) != words.end();
}

void check_words(const NamedFile& file, const std::vector<std::string>& columns) {
    for (const std::string& word : words_in(file.name)) {
        const bool is_column = std::ranges::find(columns, word) != columns.end();
        if (!is_column && !is_word_of_input(word) && !is_bids_entity(word))
            throw ProgramError(ErrorKind::invalid_argument, file.option, "'{" + word + "}' in '" + file.name + "' is not a known word",
                               "use {stem}, {dir}, {parent}, {volume}, " + std::string(columns.empty() ? "" : "a column of the list, ") +
                                   "or an entity of BIDS such as {sub}");
        if (word == "volume" && file.of == NamedFile::Of::input)
            throw ProgramError(ErrorKind::invalid_argument, file.option,
                               "'{volume}' in '" + file.name + "' has no value, because this file is for all volumes of an input",
                               "leave it out, or use {stem}");
    }
}

void check_words(const LabelOptions& options) {
    for (const auto& files : {output_names(options), names_beside(options)})
        for (const NamedFile& file : files) check_words(file, options.list_columns);
}

bool has_words(const std::string& path) { return !words_in(path).empty(); }

bool names_each_input(const std::string& path) {
    return std::ranges::any_of(words_in(path), [](const std::string& word) { return word != "volume"; });
}

bool has_several_inputs(const LabelOptions& options) { return options.inputs.size() > 1 || !options.list.empty(); }

bool is_common_output(const std::string& path, const LabelOptions& options) {
    return has_several_inputs(options) && !names_each_input(path);
}

std::string expand(const std::string& path, const BatchInput& input, std::optional<std::int64_t> volume) {
    std::string out;
    for_each_part(path, [&](std::string_view text, std::string_view word) {
        out += text;
        if (word == "volume" && !volume) out += "{volume}";
        else if (!word.empty()) out += value_of(std::string(word), path, input, volume);
    });
    return out;
}

std::vector<std::string> FilesBeside::paths() const {
    std::vector<std::string> all;
    for (const IntensityImage& image : images) all.push_back(image.path);
    for (const std::string& path : {mask, preview_image})
        if (!path.empty()) all.push_back(path);
    return all;
}

FilesBeside files_beside(const LabelOptions& options, const BatchInput& input) {
    FilesBeside beside{expand(options.mask, input, std::nullopt), options.intensity.images,
                       expand(options.preview_image, input, std::nullopt)};
    for (IntensityImage& image : beside.images) image.path = expand(image.path, input, std::nullopt);
    return beside;
}

LabelOptions options_for(LabelOptions options, const BatchInput& input) {
    for (const PathOption& option : path_options) option.path(options) = expand(option.path(options), input, std::nullopt);
    for (IntensityImage& image : options.intensity.images) image.path = expand(image.path, input, std::nullopt);
    return options;
}

StatsOptions without_words(StatsOptions options) {
    const auto replace = [&](const std::string& option, std::string& name) {
        check_words({option, name});
        name = expand(name, {options.labels}, std::nullopt);
    };
    for (IntensityImage& image : options.intensity.images) replace("--intensity", image.path);
    replace("--output", options.output), replace("--summary", options.summary), replace("--contacts", options.contacts);
    replace("--local-maxima", options.intensity.local_maxima);
    return options;
}

void check_names(const LabelOptions& options) {
    const std::vector<BatchInput>& inputs = options.inputs;
    if (inputs.size() > 1 && options.companions == LabelOptions::Companions::of_each_input)
        for (const auto& [option, path, of] : names_beside(options))
            if (!path.empty() && !names_each_input(path))
                throw ProgramError(ErrorKind::invalid_argument, option,
                                   "'" + path + "' is one file, but there are " + std::to_string(inputs.size()) + " inputs",
                                   "write a word for each input, as in " + option + " '{dir}/" +
                                       std::filesystem::path(divide_input(path).path).filename().string() + "', or add --shared");
    const std::vector<NamedFile> outputs = output_names(options);
    std::map<std::string, const std::string*> input_of;  // by output
    for (const BatchInput& input : inputs) {
        files_beside(options, input);
        for (const auto& [option, path, of] : outputs) {
            const std::string output = expand(path, input, 0);
            if (!names_each_input(path)) continue;
            const std::string place = std::filesystem::absolute(output).lexically_normal().string();
            const auto [known, is_new] = input_of.emplace(place, &input.name);
            if (!is_new)
                throw ProgramError(ErrorKind::invalid_argument, input.name,
                                   "would write '" + output + "', as '" + *known->second + "' does",
                                   options.list_columns.empty()
                                       ? "use words that tell the inputs apart, such as {parent} or {sub}, in " + option
                                       : "write another name into the list, or use words that tell the inputs apart, in " + option);
        }
    }
}

}  // namespace voxcc
