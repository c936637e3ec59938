#include "io/formats/itk/itk.h"

#include "io/formats/itk/compared_reader.h"
#include "io/formats/itk/itk_reader.h"
#include "io/formats/text/metaimage_header.h"
#include "io/formats/text/nrrd_header.h"
#include "io/formats/text/stored_reader.h"
#include "io/process/isolated_reader.h"
#include "io/shared_by_formats.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace voxcc::io {
namespace {

// Parses NRRD and MetaImage; @return empty for files that ITK must read
std::optional<StoredVolume> parse_stored(const std::string& path, const OpenOptions& options) {
    const InputFile file(path, Pipes::read);
    std::optional<StoredVolume> stored;
    if (is_nrrd(file)) stored = parse_nrrd(path, options.external);
    else if (is_metaimage(file)) stored = parse_metaimage(path, options.external);
    return stored;
}

// @throw Error unsupported_by_reader if only own readers may be used
void require_itk(const std::string& path, const OpenOptions& options) {
    if (options.reader == ReaderChoice::voxcc) throw Error(ErrorKind::unsupported_by_reader, path, "only ITK reads this format", "itk");
}

std::unique_ptr<VolumeReader> open_by_itk(const std::string& path, const OpenOptions& options) {
    const ItkFormat format = recognise_for_itk(path);
    require_itk(path, options);
    check_whole(path, format);
    // Loaded before the fork: a stack of a thousand pictures forks once per picture.
    const ItkModule& itk = itk_module(path);
    return open_itk_isolated(path, limits_of_itk({path}), {.readable = {path}}, copies_in_itk,
                             [&itk, path, format, options] { return itk.open_image(path, format, options); });
}

ItkFormat format_of(const StoredVolume& stored) { return stored.info.format == "NRRD" ? ItkFormat::nrrd : ItkFormat::metaimage; }

}  // namespace

ChildLimits limits_of_itk(const std::vector<std::string>& files) {
    constexpr std::int64_t copies_of_file = 4;
    ChildLimits limits;
    for (const std::string& file : files) {
        std::error_code unknown;
        if (const auto bytes = std::filesystem::file_size(file, unknown); !unknown) limits.memory += copies_of_file * std::int64_t(bytes);
    }
    return limits;
}

std::unique_ptr<VolumeReader> open_itk_isolated(const std::string& path, const ChildLimits& limits, const ChildInputs& inputs, int copies,
                                                std::function<std::unique_ptr<VolumeReader>()> open) {
    return open_isolated(path, limits, inputs, copies, [open = std::move(open)] {
        ::unsetenv("ITK_AUTOLOAD_PATH");                // names a folder from which ITK loads every library
        ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);  // the process cannot lock files; this process has locked the file
        return open();
    });
}

std::unique_ptr<VolumeReader> open_itk(const std::string& path, const OpenOptions& options) {
    if (auto stored = parse_stored(path, options)) {
        const ItkFormat format = format_of(*stored);
        auto own = open_stored(std::move(*stored), options);
        if (options.reader != ReaderChoice::itk) return own;
        return open_compared(path, format, options, [&](const OpenOptions&) { return std::move(own); });
    }
    auto reader = open_by_itk(path, options);
    chosen_volume(reader->info(), options);
    return reader;
}

std::vector<std::string> files_of_itk(const std::string& path, const OpenOptions& options) {
    std::vector<std::string> files{path};
    const InputFile file(path);
    if (is_nrrd(file)) std::ranges::move(data_files_of_nrrd(file, options.external), std::back_inserter(files));
    else if (is_metaimage(file)) files.push_back(data_file_of_metaimage(file, options.external));
    return files;
}

VolumeInfo describe_itk(const std::string& path, const OpenOptions& options) {
    if (const auto stored = parse_stored(path, options)) {
        if (options.reader != ReaderChoice::itk) return stored->info;
        return describe_compared(path, format_of(*stored), options, [&](const OpenOptions&) { return stored->info; });
    }
    return open_by_itk(path, options)->info();
}

}  // namespace voxcc::io
