#include "io/itk/itk.h"

#include "io/formats.h"
#include "io/itk/compared_reader.h"
#include "io/itk/dicom_guard.h"
#include "io/process/isolated_reader.h"
#include "io/text/metaimage_header.h"
#include "io/text/nrrd_header.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace voxcc::io {
namespace {

constexpr int no_time_limit = 0;

// Parses NRRD and MetaImage; @return empty for files that ITK must read
std::optional<StoredVolume> parse_stored(const std::string& path, const OpenOptions& options) {
    if (std::filesystem::is_directory(path)) return std::nullopt;
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
    if (std::filesystem::is_directory(path)) {
        require_itk(path, options);
        const ItkModule& itk = itk_module(path);
        return open_itk_isolated(path, no_time_limit, [&itk, path, options] { return itk.open_dicom_series(path, options); });
    }
    const ItkFormat format = recognise_for_itk(path);
    require_itk(path, options);
    check_whole(path, format);
    // Loaded before the fork: a stack of a thousand pictures forks once per picture.
    const ItkModule& itk = itk_module(path);
    return open_itk_isolated(path, no_time_limit, [&itk, path, format, options] { return itk.open_image(path, format, options); });
}

ItkFormat format_of(const StoredVolume& stored) { return stored.info.format == "NRRD" ? ItkFormat::nrrd : ItkFormat::metaimage; }

}  // namespace

std::unique_ptr<VolumeReader> open_itk_isolated(const std::string& path, int processor_seconds,
                                                std::function<std::unique_ptr<VolumeReader>()> open) {
    // Memory is limited only by the machine, because ITK loads complete volumes of some formats.
    constexpr std::int64_t no_limit = std::int64_t{1} << 46;
    return open_isolated(path, {.memory = no_limit, .processor_seconds = processor_seconds}, [open = std::move(open)] {
        ::unsetenv("ITK_AUTOLOAD_PATH");  // names a folder from which ITK loads every library
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
    if (std::filesystem::is_directory(path)) {
        for (const auto& entry : std::filesystem::directory_iterator(path))
            if (is_dicom_file(entry)) files.push_back(entry.path().string());
        return files;
    }
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
