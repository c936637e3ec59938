// Opening of a file in the format that it has: by its options and its place, then by its content, then by its name.
#include "io/files/pipe_input.h"
#include "io/format.h"
#include "io/format_names.h"
#include "io/formats/hdf5/hdf5_lock.h"
#include "io/formats/itk/compared_reader.h"
#include "io/formats/raw/raw.h"
#include "io/formats/slices/slices.h"
#include "io/orientation.h"
#include "io/unreadable.h"

#include <algorithm>
#include <filesystem>

namespace voxcc::io {
namespace {

const Format raw{.name = "raw", .extensions = {}, .read = {.open = open_raw, .describe = describe_raw}};

constexpr std::size_t start_of_pipe = 348, start_of_file = 1024;  // bytes that the longest recognition needs

PathKind kind_of(const std::string& path) {
    std::error_code ignored;
    if (pipe_identity(path)) return PathKind::pipe;
    if (std::filesystem::is_directory(path, ignored)) return PathKind::folder;
    return is_slice_template(path) && !std::filesystem::exists(path, ignored) ? PathKind::template_of_slices : PathKind::file;
}

/// The formats whose voxels can be read in the order of their bytes.
const Format& recognise_in_pipe(const std::string& path) {
    DecodedFile file(path, Pipes::read);
    std::vector<std::byte> start(start_of_pipe);
    start.resize(file.read_some(0, start));
    for (const Format& format : formats())
        if (format.read.pipes == Pipes::read && format.read.is_content && format.read.is_content({file, start})) return format;
    throw Error(ErrorKind::unsupported_file, path,
                "is a pipe, and its bytes are not " + formats_of_pipes() + "; write the data to a file, and give its name");
}

/// The first row that recognises the content; null if none does.
const Format* format_of_content(const UnknownFile& file, Recognition recognition) {
    for (const Format& format : formats())
        if (format.read.recognition == recognition && format.read.is_content && format.read.is_content(file)) return &format;
    return nullptr;
}

const Format& recognise_file(const std::string& path) {
    DecodedFile file(path);
    std::vector<std::byte> start(start_of_file);
    start.resize(file.read_some(0, start));
    const UnknownFile unknown{file, start};
    if (const Format* format = format_of_content(unknown, Recognition::before_name)) return *format;
    // The name only selects the reader that reports the error: a file without a magic number is never accepted by its name alone.
    const Format* named = format_of_name(path);
    if (named && named->read.wrong_start == WrongStart::reported) return *named;
    if (const Format* format = format_of_content(unknown, Recognition::after_name)) return *format;
    refuse_unknown_format(path);
}

const Format& recognise(const std::string& path, const OpenOptions& options) {
    if (options.raw) return raw;
    const PathKind kind = kind_of(path);
    for (const Format& format : formats())
        if (format.read.is_path && format.read.is_path({path, kind})) return format;
    return kind == PathKind::pipe ? recognise_in_pipe(path) : recognise_file(path);
}

// ITK uses the HDF5 library of this process in its child process. The lock ensures that no call is active during the fork.
std::optional<hdf5::Lock> lock_for(ItkFormat format) {
    if (format == ItkFormat::hdf5) return std::make_optional<hdf5::Lock>();
    return std::nullopt;
}

void refuse_itk_for_pipe(const std::string& path) {
    if (pipe_identity(path)) throw Error(ErrorKind::unsupported_by_reader, path, "ITK does not read from a pipe", "voxcc");
}

/// Completes the description by a reader: the size of the voxels that the caller states, or the findings about the size in the file.
void complete(VolumeInfo& info, const OpenOptions& options) {
    if (options.size) {
        info.geometry = with_size(std::move(info.geometry), *options.size);
        info.native.reset();  // it states another size, so a writer must not copy it
        return;
    }
    info.geometry = without_default_size(std::move(info.geometry));
    for (const std::string& note : info.geometry.notes) info.warnings.push_back(note);
}

std::unique_ptr<VolumeReader> open_by_format(const std::string& path, const OpenOptions& options) {
    const Reading& read = recognise(path, options).read;
    if (options.reader != ReaderChoice::itk || !read.by_itk) return read.open(path, options);
    refuse_itk_for_pipe(path);
    const auto lock = lock_for(*read.by_itk);
    return open_compared(path, *read.by_itk, options, [&](const OpenOptions& of_own) { return read.open(path, of_own); });
}

VolumeInfo describe_by_format(const std::string& path, const OpenOptions& options) {
    const Reading& read = recognise(path, options).read;
    if (options.reader != ReaderChoice::itk || !read.by_itk) return read.describe(path, options);
    refuse_itk_for_pipe(path);
    const auto lock = lock_for(*read.by_itk);
    return describe_compared(path, *read.by_itk, options, [&](const OpenOptions& of_own) { return read.describe(path, of_own); });
}

}  // namespace

bool is_volume_path(const std::string& path) {
    std::error_code unknown;
    return is_stdin(path) || std::filesystem::exists(path, unknown) || (is_slice_template(path) && !path.ends_with(']'));
}

std::unique_ptr<VolumeReader> open_volume(const std::string& name, const OpenOptions& options) {
    auto reader = open_by_format(path_to_open(name), options);
    complete(reader->info_, options);
    return reader;
}

VolumeInfo describe_volume(const std::string& name, const OpenOptions& options) {
    VolumeInfo info = describe_by_format(path_to_open(name), options);
    complete(info, options);
    return info;
}

std::vector<std::string> verify_metadata(const std::string& name, const OpenOptions& options) {
    const std::string& path = path_to_open(name);
    if (pipe_identity(path)) return {};
    const Reading& read = recognise(path, options).read;
    return read.verify ? read.verify(path, options) : std::vector<std::string>();
}

std::vector<std::string> files_of_volume(const std::string& name, const OpenOptions& options) {
    const std::string& path = path_to_open(name);
    std::vector<std::string> files{path};
    if (pipe_identity(path)) return files;
    try {
        if (const Reading& read = recognise(path, options).read; read.files) files = read.files(path, options);
    } catch (const Error&) {
        return files;  // open_volume() reports the error
    }
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

}  // namespace voxcc::io
