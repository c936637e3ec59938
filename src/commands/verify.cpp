// `voxcc verify`: reads all data of files, and so checks all lengths and checksums.
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/pipeline/input.h"

namespace voxcc {
namespace {

void read_whole(const std::string& path, const io::OpenOptions& options, ProgressBar& progress) {
    const auto reader = io::open_volume(path, options);
    for_each_row_buffer(*reader, [&](RowRange rows, auto) { progress.update("verify", rows.end(), reader->info().extent.rows()); });
}

void verify_volumes(const std::string& path, io::OpenOptions options, ProgressBar& progress) {
    if (options.volume) return read_whole(path, options, progress);
    const std::int64_t volumes = io::describe_volume(path, options).volumes;
    for (std::int64_t volume = 0; volume < volumes; ++volume) {
        options.volume = volume;
        read_whole(path, options, progress);
    }
}

void verify_file(const std::string& path, io::OpenOptions options, ProgressBar& progress) {
    const io::VolumeInfo info = io::describe_volume(path, options);
    if (!info.dataset.empty() || info.datasets.empty()) return verify_volumes(path, options, progress);
    const auto is_volume = [](const io::Dataset& dataset) { return dataset.shape.size() >= 2; };
    // If no dataset is a volume, verify_volumes() throws the error with the reason.
    if (std::none_of(info.datasets.begin(), info.datasets.end(), is_volume)) return verify_volumes(path, options, progress);
    for (const io::Dataset& dataset : info.datasets) {
        if (!is_volume(dataset)) continue;
        options.dataset = dataset.path;
        verify_volumes(path, options, progress);
    }
}

}  // namespace

int run_verify(const VerifyOptions& options) {
    ProgressBar progress(options.messages);
    bool all_whole = true;
    for (const std::string& path : options.paths) {
        try {
            verify_file(path, open_options(options.input), progress);
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
