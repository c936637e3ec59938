// `voxcc verify`: reads all data of files, and so checks all lengths and checksums.
#include <voxcc/machine.h>
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/input.h"

namespace voxcc {
namespace {

/// Reads all volumes of one file, and prints its warnings.
class Verification {
public:
    Verification(const std::string& path, const Reporter& reporter, ProgressBar& progress)
        : path_(path), reporter_(reporter), progress_(progress) {}

    void read_file(io::OpenOptions options) {
        const io::VolumeInfo info = io::describe_volume(path_, options);
        if (!info.dataset.empty() || info.datasets.empty()) return read_volumes(options);
        const auto is_volume = [](const io::Dataset& dataset) { return dataset.shape.size() >= 2; };
        // If no dataset is a volume, read_volumes() throws the error with the reason.
        if (std::none_of(info.datasets.begin(), info.datasets.end(), is_volume)) return read_volumes(options);
        for (const io::Dataset& dataset : info.datasets) {
            if (!is_volume(dataset)) continue;
            options.dataset = dataset.path;
            read_volumes(options);
        }
    }

private:
    void read_volumes(io::OpenOptions options) {
        if (options.volume) return read_volume(options);
        const std::int64_t volumes = io::describe_volume(path_, options).volumes;
        for (std::int64_t volume = 0; volume < volumes; ++volume) {
            options.volume = volume;
            read_volume(options, volumes);
        }
    }

    /// @param volumes number of volumes of the file that are read
    void read_volume(const io::OpenOptions& options, std::int64_t volumes = 1) {
        const auto reader = io::open_volume(path_, options);
        if (volumes == 1) reader->read_once();
        reader->use_threads(available_threads());
        for_each_row_buffer(*reader, [&](RowRange rows, auto) { progress_.update("verify", rows.end(), reader->info().extent.rows()); });
        warnings_.report(path_, reader->info(), reporter_);
    }

    const std::string& path_;
    const Reporter& reporter_;
    ProgressBar& progress_;
    FileWarnings warnings_;
};

}  // namespace

int run_verify(const VerifyOptions& options) {
    const Reporter reporter(options.messages);
    ProgressBar progress(options.messages);
    bool all_whole = true;
    for (const std::string& path : options.paths) {
        try {
            Verification(path, reporter, progress).read_file(open_options(options.input));
            print_result(path + ": ok\n");
        } catch (const Error& error) {
            // The error of a single file ends the program. With several files, the error is printed and the next file is checked.
            if (options.paths.size() == 1 || error.subject() == "stdout") throw;
            print_error(message_of(error), options.messages.format);
            all_whole = false;
        }
    }
    return int(all_whole ? ExitCode::ok : ExitCode::differs);
}

}  // namespace voxcc
