// A row of the table of formats: what the program knows about one format. All lists of formats follow from the rows: recognition, outputs,
// {stem}, help, errors and docs/reference/formats.md. The rows are in io/formats/table.cpp.
#pragma once
#include "io/decoded/decoded_file.h"
#include "io/io.h"

#include <algorithm>
#include <string_view>

namespace voxcc::io {

/// The kind of a path that names an input.
enum class PathKind : std::uint8_t { pipe, folder, template_of_slices, file };

/// A path whose format is not known yet.
struct UnknownPath {
    const std::string& path;
    PathKind kind = PathKind::file;
};

/// A file or pipe whose format is not known yet.
struct UnknownFile {
    DecodedFile& file;
    std::span<const std::byte> start;  // decoded bytes: 1024 of a file, 348 of a pipe, or fewer if it is shorter
    bool starts_with(std::string_view magic) const {
        return start.size() >= magic.size() && std::equal(magic.begin(), magic.end(), reinterpret_cast<const char*>(start.data()));
    }
    bool is_plain() const { return !file.is_compressed(); }
};

enum class ItkFormat;  // io/formats/itk/itk_format.h

/// What open() says about a file that has the name of the format, but not its content. reported: what is wrong. unknown: nothing that
/// helps, so the file has another format or is refused as a file of an unknown format.
enum class WrongStart : std::uint8_t { reported, unknown };

/// When is_content() is called. before_name: the name of the file does not count. after_name: not for names of formats with
/// WrongStart::reported, because files of these formats can start with the same bytes (the voxels of an .img file with 3 bytes of JPEG).
enum class Recognition : std::uint8_t { before_name, after_name };

/// How files of a format are read. A null function means that the format does not need it.
struct Reading {
    bool (*is_path)(const UnknownPath& path) = nullptr;     // recognises folders, templates and archives; asked first
    bool (*is_content)(const UnknownFile& file) = nullptr;  // recognises the first bytes; asked in the order of the rows
    Recognition recognition = Recognition::before_name;
    /// Opens a reader of one 3D volume. @throw Error several_volumes, several_datasets if the file holds several of them and the options
    /// choose none
    std::unique_ptr<VolumeReader> (*open)(const std::string& path, const OpenOptions& options) = nullptr;
    /// Reads headers only, and does not need a choice. `extent` is the extent of one volume, `volumes` their number.
    VolumeInfo (*describe)(const std::string& path, const OpenOptions& options) = nullptr;
    /// Lists `path` and all files that would be read; duplicates are allowed. Null: `path` only. @throw Error if the header cannot be read
    std::vector<std::string> (*files)(const std::string& path, const OpenOptions& options) = nullptr;
    std::optional<ItkFormat> by_itk = {};  // how ITK reads it; empty for formats whose own functions obey OpenOptions::reader
    std::vector<std::string> (*verify)(const std::string& path, const OpenOptions& options) = nullptr;  // as verify_metadata()
    WrongStart wrong_start = WrongStart::reported;
    Pipes pipes = Pipes::refuse;  // read: the voxels can be read in the order of their bytes
};

/// The colours that a label volume can store beside its labels.
enum class ColourTables : std::uint8_t { none, stored };
/// The volumes that one output can hold.
enum class VolumesOfOutput : std::uint8_t { one, several };

/// How label volumes are written in a format. A null function means that the format does not need it.
struct Writing {
    std::vector<std::string_view> extensions;          // of names of outputs, in lower case
    bool (*takes)(const std::string& path) = nullptr;  // other names: folders and templates of slices, Zarr stores; asked first
    /// Opens a writer. create_label_volume() has already checked that the format supports the type.
    std::unique_ptr<LabelWriter> (*create)(const LabelVolume& volume, OutputFiles& outputs) = nullptr;
    std::int64_t (*rows_per_block)(const LabelVolume& volume) = nullptr;
    /// The types that smallest_label_type() chooses from, smallest first. @throw Error unknown_format if this build does not write them
    std::vector<ScalarType> (*types)(const std::string& path) = nullptr;
    std::vector<ScalarType> more_types = {};  // accepted with an explicit --dtype
    VolumesOfOutput volumes = VolumesOfOutput::several;
    ColourTables colours = ColourTables::none;
    bool (*stores_scaling)(const Scaling& scaling) = nullptr;                   // null: the identity only
    bool (*stores_values)(const std::string& path, ScalarType type) = nullptr;  // null: all types
    /// As files_of_label_volume(); null: `path` only.
    std::vector<std::string> (*files)(const std::string& path, int compress, Content content) = nullptr;
    /// As check_label_output(); null: the files and their folder are checked.
    void (*check)(const std::string& path, int compress, const OutputFiles& outputs, Content content) = nullptr;
    /// As check_label_files(); null: there is nothing to check.
    void (*check_extent)(const std::string& path, const Extent& extent, const OutputFiles& outputs, Content content) = nullptr;
};

struct Format {
    std::string_view name;                            // in help and messages: "NIfTI"
    std::vector<std::string_view> extensions;         // of names of inputs, in lower case: ".nii". Their longest match is used
    std::vector<std::string_view> compressions = {};  // that may follow an extension: ".gz"
    /// Further extensions that programs use for other files as well. The name alone does not choose this format.
    std::vector<std::string_view> ambiguous_extensions = {};
    Reading read = {};
    std::optional<Writing> write = {};
    std::vector<std::string_view> slice_extensions = {};  // of images that can be the slices of a folder
    bool (*is_in_build)() = nullptr;                      // null: in every build
    bool is_available() const { return !is_in_build || is_in_build(); }
};

/// All formats. The first rows are the most common ones.
std::span<const Format> formats();

}  // namespace voxcc::io
