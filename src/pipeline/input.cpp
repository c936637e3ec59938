#include "src/pipeline/input.h"

#include "io/pipe_input.h"
#include "src/cli/numbers.h"
#include "src/messages/program_error.h"
#include "src/pipeline/pipeline.h"

#include <set>

namespace voxcc {

io::OpenOptions open_options(const InputOptions& input) {
    return {.dataset = input.dataset,
            .volume = number_in<std::int64_t>(input.volume),  // empty for "" and "all"
            .spacing = input.spacing,
            .external = input.external,
            .colours = input.colours,
            .reader = input.reader,
            .raw = input.raw};
}

std::unique_ptr<io::VolumeReader> open_job(const VolumeJob& job, const InputOptions& input) {
    io::OpenOptions open = open_options(input);
    if (job.volume) open.volume = job.volume;
    return io::open_volume(job.input, open);
}

std::unique_ptr<io::VolumeReader> open_companion(const std::string& path, const InputOptions& input) {
    if (path.empty()) return nullptr;
    try {
        return io::open_volume(path, {.spacing = input.spacing, .external = input.external, .reader = input.reader});
    } catch (const Error& error) {
        // --volume and --dataset choose in the labelled image only.
        if (error.kind() == ErrorKind::several_volumes)
            throw ProgramError(error.kind(), error.subject(), error.cause(), "extract one volume first, for example with fslroi");
        if (error.kind() == ErrorKind::several_datasets)
            throw ProgramError(error.kind(), error.subject(), error.cause(), "copy one dataset to a file of its own with h5copy");
        throw;
    }
}

void refuse_shared_pipes(const std::vector<std::string>& volumes) {
    std::set<io::FileIdentity> pipes;
    for (const std::string& path : volumes) {
        const auto pipe = io::pipe_identity(path);
        if (pipe && !pipes.insert(*pipe).second)
            throw ProgramError(ErrorKind::invalid_argument, path, "is named twice, but the data of a pipe can be used for one input only",
                               "write the data to a file, and give its name");
    }
}

std::shared_ptr<const io::FileSet> files_read(const std::vector<std::string>& volumes, const std::vector<std::string>& others,
                                              const InputOptions& input) {
    refuse_shared_pipes(volumes);
    const auto files = std::make_shared<io::FileSet>();
    for (const std::string& path : volumes) {
        if (path.empty()) continue;
        // --raw applies to the labelled image only, and other volumes can consist of several files.
        io::OpenOptions open = open_options(input);
        for (const std::string& file : io::files_of_volume(path, open)) files->add(file);
        if (!std::exchange(open.raw, std::nullopt)) continue;
        for (const std::string& file : io::files_of_volume(path, open)) files->add(file);
    }
    for (const std::string& path : others)
        if (!path.empty()) files->add(path);
    return files;
}

}  // namespace voxcc
