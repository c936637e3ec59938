#include "src/pipeline/input.h"

#include "io/files/pipe_input.h"
#include "src/errors/program_error.h"
#include "src/options/numbers.h"
#include "src/pipeline/selector.h"

#include <set>

namespace voxcc {

io::OpenOptions open_options(const InputOptions& input) {
    return {.dataset = input.dataset,
            .volume = number_in<std::int64_t>(input.volume),  // empty for "" and "all"
            .size = input.spacing,
            .external = input.external,
            .missing_chunks = input.missing_chunks,
            .colours = input.colours,
            .reader = input.reader,
            .raw = input.raw};
}

std::unique_ptr<io::VolumeReader> open_companion(const std::string& input, const InputOptions& options, const ChosenVolume& image) {
    return input.empty() ? nullptr : open(choose_companion(input, options, image));
}

void refuse_shared_pipes(const std::vector<std::string>& inputs) {
    std::set<io::FileIdentity> pipes;
    for (const std::string& input : inputs) {
        const std::string path = divide_input(input).path;
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
        for (const std::string& file : files_of_input(path, input)) files->add(file);
        if (!input.raw) continue;
        InputOptions without_raw = input;
        without_raw.raw.reset();
        for (const std::string& file : files_of_input(path, without_raw)) files->add(file);
    }
    for (const std::string& path : others)
        if (!path.empty()) files->add(path);
    return files;
}

}  // namespace voxcc
