#include "src/report/volume_files.h"

#include "src/errors/program_error.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/same_grid.h"

#include <filesystem>
#include <map>

namespace voxcc::report {
namespace {

/// The number of the volume to read from a file. With {volume} in the name, each volume has its own file.
std::optional<std::int64_t> volume_to_read(const NamedFile& named, const TableVolume& volume) {
    return named.name.find("{volume}") != std::string::npos ? std::nullopt : volume.volume;
}

/// Opens the file of a volume. The file may have a selector. @param input for volumes without a number @return null without a name
std::unique_ptr<io::VolumeReader> open_file(const NamedFile& named, const TableVolume& volume, InputOptions input) {
    if (named.name.empty()) return nullptr;
    const std::string file = file_of(named, volume);
    if (const auto number = volume_to_read(named, volume)) return open(choose_number(file, input, *number));
    if (volume.volume) input.volume.clear();
    return open(choose_volume(file, input));
}

/// The options that also apply to label volumes.
InputOptions input_of_labels(const InputOptions& of_image) {
    InputOptions input;
    input.external = of_image.external;
    input.missing_chunks = of_image.missing_chunks;
    input.reader = of_image.reader;
    return input;
}

/// The file or the table of a volume, with the number of the volume of a 4D file.
std::string source_of(const TableVolume& volume) {
    return volume.file.value_or(volume.table) + (volume.volume ? ", volume " + std::to_string(*volume.volume) : "");
}

void require_inside(const TableVolume& volume, const io::VolumeInfo& info) {
    const std::array<std::int64_t, 3> extent{info.extent.nx, info.extent.ny, info.extent.nz};
    const std::string end = column_of(volume, "wraps") ? "_min" : "_max";  // in periodic volumes, boxes may end outside of the volume
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto column = column_of(volume, "bbox_" + std::string(1, "ijk"[axis]) + end);
        if (!column) continue;
        for (const auto& row : volume.rows)
            if (number_in(row[*column]) >= double(extent[axis]))
                throw ProgramError(ErrorKind::invalid_file, volume.table,
                                   "contains a component outside of the " + text_of(info.extent) + " voxels of " + info.path,
                                   "give the table and the volumes of the same run");
    }
}

}  // namespace

std::vector<NamedFile> named_volumes(const ReportOptions& options) {
    std::vector<NamedFile> names{{"--images", options.images}, {"--labels", options.labels}, {"--beside", options.beside}};
    std::erase_if(names, [](const NamedFile& named) { return named.name.empty(); });
    return names;
}

std::string file_of(const NamedFile& named, const TableVolume& volume) {
    constexpr std::string_view placeholder = "{file}";
    const std::string input = volume.file.value_or(std::filesystem::path(volume.table).replace_extension().string());
    std::string path;
    std::size_t at = 0;
    for (std::size_t found; (found = named.name.find(placeholder, at)) != std::string::npos; at = found + placeholder.size()) {
        if (!volume.file)
            throw ProgramError(ErrorKind::invalid_argument, named.option,
                               "contains {file}, but " + volume.table + " does not have a column 'file'", "use {stem}");
        path += expand(named.name.substr(at, found - at), {input}, volume.volume) + *volume.file;
    }
    return path + expand(named.name.substr(at), {input}, volume.volume);
}

void require_own_files(const std::vector<TableVolume>& volumes, const ReportOptions& options) {
    for (const NamedFile& named : named_volumes(options)) {
        std::map<std::pair<std::string, std::optional<std::int64_t>>, const TableVolume*> users;
        for (const TableVolume& volume : volumes) {
            const std::string path = file_of(named, volume);
            const auto [at, is_new] = users.emplace(std::pair(path, volume_to_read(named, volume)), &volume);
            if (is_new) continue;
            throw ProgramError(ErrorKind::invalid_argument, named.option,
                               "'" + path + "' would be used for " + source_of(*at->second) + " and for " + source_of(volume),
                               "use {stem}, as in 'out/{stem}.nii.gz', or {file}");
        }
    }
}

PictureFiles open_files(const TableVolume& volume, const ReportOptions& options) {
    const InputOptions of_labels = input_of_labels(options.input);
    PictureFiles files{open_file({"--images", options.images}, volume, options.input),
                       open_file({"--labels", options.labels}, volume, of_labels),
                       open_file({"--beside", options.beside}, volume, of_labels),
                       {}};
    for (const auto& [first, second] : {std::pair(&files.image, &files.labels), std::pair(&files.labels, &files.beside)}) {
        if (!*first || !*second) continue;
        const std::string note = require_same_grid((*first)->info(), (*second)->info(), options.input.tolerance);
        if (!note.empty()) files.notes.push_back(note);
    }
    require_inside(volume, files.info());
    return files;
}

PictureComponents picture_components(const TableVolume& volume) {
    PictureComponents components;
    if (volume.rows.empty()) return components;
    const std::size_t label = *column_of(volume, "label"), voxels = *column_of(volume, "voxels");
    for (const auto& row : volume.rows) {
        const auto* positive = std::get_if<std::uint64_t>(&row[label]);
        const auto* negative = std::get_if<std::int64_t>(&row[label]);
        if (!positive && !negative)
            throw ProgramError(ErrorKind::invalid_file, volume.table, "has a row whose label is not a whole number");
        components.rows.emplace(positive ? LabelBits(*positive) : LabelBits(*negative), std::uint32_t(components.sizes.size()));
        components.sizes.push_back(number_in(row[voxels]));
    }
    return components;
}

void warn_of_files(const Picture& picture, const TableVolume& volume, const PictureFiles& files, const Reporter& reporter) {
    for (const auto* reader : {&files.image, &files.labels, &files.beside}) {
        if (!*reader) continue;
        for (const std::string& warning : (*reader)->info().warnings) reporter.warning((*reader)->info().path + ": " + warning);
    }
    for (const std::string& note : files.notes) reporter.note(note);
    if (!files.labels) return;
    const std::string& path = picture.labels.path;
    const bool has_all_rows = volume.rows.size() == volume.sizes.size();
    if (has_all_rows && picture.labels.unknown > 0)
        reporter.warning(path + ": the table " + volume.table + " lacks " + counted(picture.labels.unknown, "label") + " of this volume");
    if (picture.labels.missing > 0)
        reporter.warning(path + ": this volume lacks " + counted(picture.labels.missing, "label") + " of the table " + volume.table);
}

}  // namespace voxcc::report
