// The choice of volumes: the selector of an input, combined with --dataset and --volume.
#pragma once
#include "src/options/options.h"

#include <memory>

namespace voxcc {

/// A file, and the choice of a dataset and a volume in it.
struct ChosenVolume {
    std::string input;                                                    // as on the command line
    std::string path;                                                     // of the file, without the selector
    io::OpenOptions open;                                                 // without a volume if the file must hold only one
    enum class By : std::uint8_t { options, selector } by = By::options;  // how another choice is made, for remedies
};

struct ChosenVolumes {
    std::vector<ChosenVolume> volumes;  // at least one
    /// list: for --volume all and for ranges, also if they choose one volume. Each volume then has a number.
    enum class Form : std::uint8_t { one, list } form = Form::one;
    /// Of the volumes in the file; 0 for the only one.
    std::vector<std::int64_t> numbers() const {
        std::vector<std::int64_t> numbers;
        for (const ChosenVolume& volume : volumes) numbers.push_back(volume.open.volume.value_or(0));
        return numbers;
    }
};

/// Whether choose_volumes() returns a list. Depends on the text only; false for a text that is not valid.
bool chooses_list(const std::string& input, const InputOptions& options);

/// @throw Error invalid_argument if the selector is not valid, or if an option chooses, too; no_such_volume, several_volumes; the
/// exceptions of io::describe_volume()
ChosenVolumes choose_volumes(const std::string& input, const InputOptions& options);

/// The same, for one volume. --volume all is ignored. @throw also Error several_volumes if the selector has a range
ChosenVolume choose_volume(const std::string& input, const InputOptions& options);

/// The volume with a number, of an input that chooses a list of volumes or does not choose. --volume is ignored.
/// @throw Error invalid_argument also if the selector chooses one volume
ChosenVolume choose_number(const std::string& input, const InputOptions& options, std::int64_t number);

/// The options for opening a mask or an intensity image, to which some options of the input do not apply.
InputOptions options_of_companion(InputOptions options);

/// The choice in a mask or an intensity image, to which --dataset and --volume do not apply. Without a selector, the file of `image` has
/// the choice of `image`. A file with as many volumes as the file of `image` has the volume of the same number.
// labels.nii[2] of 5 volumes, image.nii of 5 volumes  ->  image.nii[2]
ChosenVolume choose_companion(const std::string& input, const InputOptions& options, const ChosenVolume& image);

/// @throw the exceptions of io::open_volume(); Error invalid_argument if a dataset is chosen and the file is not an HDF5 file
std::unique_ptr<io::VolumeReader> open(const ChosenVolume& volume);

/// Describes the file, for the chosen dataset. @throw the exceptions of open() except several_volumes
io::VolumeInfo describe(const ChosenVolume& volume);

/// Describes an input without a choice of a volume. @throw the exceptions of describe() and choose_volume()
io::VolumeInfo describe_input(const std::string& input, const InputOptions& options);

/// The files that a run reads for an input: see io::files_of_volume().
std::vector<std::string> files_of_input(const std::string& input, const InputOptions& options);

}  // namespace voxcc
