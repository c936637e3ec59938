// `voxcc verify`: reads all data of files, and so checks all lengths and checksums.
#include <voxcc/threads.h>
#include "io/kept_files.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/options/test_volume_options.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/input.h"

namespace voxcc {
namespace {

/// Reads all volumes of one file, and prints its warnings.
class Verification {
public:
    Verification(const std::string& path, const Reporter& reporter, ProgressBar& progress)
        : path_(path), reporter_(reporter), progress_(progress) {}

    void read_file(InputOptions input) {
        if (input.volume == "all") input.volume.clear();  // without a choice, all volumes of all datasets are read
        const ChosenVolumes chosen = choose_volumes(path_, input);
        reads_one_ = chosen.volumes.size() == 1;
        for (const ChosenVolume& volume : chosen.volumes) read_datasets(volume);
        for (const auto& [path, text] : kept_->decoders.verify_rest()) reporter_.warning(path_ + ": " + text);
        const ChosenVolume& first = chosen.volumes.front();
        if (is_generated(first.path)) return;
        for (const std::string& text : io::verify_metadata(first.path, first.open)) reporter_.warning(text);
    }

private:
    void read_datasets(ChosenVolume volume) {
        const io::VolumeInfo info = describe(volume);
        // The chosen dataset of an OME-Zarr image is its first level. Without a choice of the user, all levels and labels are read.
        const auto* zarr = std::get_if<io::ZarrDetails>(&info.details);
        const bool is_image = zarr && !zarr->levels.empty();
        const bool is_chosen = !info.dataset.empty() && (!is_image || !volume.open.dataset.empty());
        if (is_chosen || info.datasets.empty()) return read_volumes(volume);
        const auto is_volume = [](const io::Dataset& dataset) { return dataset.shape.size() >= 2; };
        // If no dataset is a volume, read_volumes() throws the error with the reason.
        if (std::none_of(info.datasets.begin(), info.datasets.end(), is_volume)) return read_volumes(volume);
        for (const io::Dataset& dataset : info.datasets) {
            if (!is_volume(dataset)) continue;
            volume.open.dataset = dataset.path;
            read_volumes(volume);
        }
    }

    void read_volumes(ChosenVolume volume) {
        if (volume.open.volume) return read_volume(volume);
        const std::int64_t volumes = describe(volume).volumes;
        reads_one_ = reads_one_ && volumes == 1;
        for (std::int64_t number = 0; number < volumes; ++number) {
            volume.open.volume = number;
            read_volume(volume);
        }
    }

    void read_volume(ChosenVolume volume) {
        if (!reads_one_) volume.open.kept = kept_;
        const auto reader = open(volume);
        if (reads_one_) reader->read_once();
        reader->use_threads(available_threads());
        for_each_row_buffer(*reader, [&](RowRange rows, auto) { progress_.update("verify", rows.end(), reader->info().extent.rows()); });
        warnings_.report(path_, reader->info(), reporter_);
    }

    const std::string& path_;
    const Reporter& reporter_;
    ProgressBar& progress_;
    FileWarnings warnings_;
    const std::shared_ptr<io::KeptFiles> kept_ = std::make_shared<io::KeptFiles>();
    bool reads_one_ = true;  // only one volume of the file is read
};

}  // namespace

int run_verify(const VerifyOptions& options) {
    const Reporter reporter(options.messages);
    ProgressBar progress(options.messages);
    bool all_whole = true;
    for (const std::string& path : options.paths) {
        try {
            Verification(path, reporter, progress).read_file(options.input);
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
