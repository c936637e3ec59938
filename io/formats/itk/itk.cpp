#include "io/formats/itk/itk.h"

#include "io/formats/itk/itk_reader.h"
#include "io/process/isolated_reader.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace voxcc::io {
namespace {

// @throw Error unsupported_by_reader if only own readers may be used
void require_itk(const std::string& path, const OpenOptions& options) {
    if (options.reader == ReaderChoice::voxcc) throw Error(ErrorKind::unsupported_by_reader, path, "only ITK reads this format", "itk");
}

// Opens a file without the check of the choice of a volume.
std::unique_ptr<VolumeReader> open_checked(const std::string& path, const ItkOnly& only, const OpenOptions& options) {
    require_itk(path, options);
    only.check(InputFile(path));
    // Loaded before the fork: a stack of a thousand pictures forks once per picture.
    const ItkModule& itk = itk_module(path);
    return open_itk_isolated(path, limits_of_itk({path}), {.readable = {path}}, copies_in_itk,
                             [&itk, path, format = only.format, options] { return itk.open_image(path, format, options); });
}

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

std::unique_ptr<VolumeReader> open_with_itk(const std::string& path, const ItkOnly& format, const OpenOptions& options) {
    auto reader = open_checked(path, format, options);
    chosen_volume(reader->info(), options);
    return reader;
}

VolumeInfo describe_with_itk(const std::string& path, const ItkOnly& format, const OpenOptions& options) {
    return open_checked(path, format, options)->info();
}

void require_bytes(const InputFile& file, std::int64_t header, std::int64_t voxels) {
    const std::int64_t rest = file.size() - header;
    if (rest < 0 || rest < voxels)
        throw Error(ErrorKind::wrong_size, file.path(),
                    "the header claims " + std::to_string(voxels) + " bytes of voxels, but the file has " +
                        std::to_string(std::max<std::int64_t>(0, rest)));
}

}  // namespace voxcc::io
