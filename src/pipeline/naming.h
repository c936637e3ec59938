// The names of the inputs and outputs of a batch.
#pragma once
#include "src/options/options.h"

namespace voxcc {

/// The name of an input without folders, known extensions and the number of a template.
/// It is never empty, "." or "..", and never contains "/", so that {stem} in the name of an output does not lead to another folder.
// "a/b.nii.gz" -> "b", "-" -> "stdin", "b.nii[3]" -> "b_3", "s%04d.tif" -> "s", "folder/" -> "folder", "a/.." -> the name of the current
// folder, "...nii" -> "_...nii"
std::string stem_of(const std::string& input);

/// The name of a file that an option states.
struct NamedFile {
    std::string option, name;
    enum class Of : std::uint8_t { input, volume } of = Of::input;  // whether there is a file per input, or per volume of an input
};

/// The names of all outputs of a run, which may be empty or contain words.
std::vector<NamedFile> output_names(const LabelOptions& options);

/// Whether a word stands for a part of each input: stem, dir, parent, volume or bids.
bool is_word_of_input(std::string_view word);

/// Checks the words in braces of a name: words of is_word_of_input(), but {volume} only for Of::volume, entities of BIDS such as {sub}, and
/// columns of the list of inputs. @throw Error invalid_argument for another word
// {"--output", "out/{subject}.nii"} -> Error
void check_words(const NamedFile& file, const std::vector<std::string>& columns = {});

/// Same, for the names of all files of a run.
void check_words(const LabelOptions& options);

/// Whether a name contains words in braces, known or not.
bool has_words(const std::string& path);

/// Whether a name contains a word other than {volume}, so that each input has its own file.
bool names_each_input(const std::string& path);

/// Whether a run can have several inputs: more than one name, or a list.
bool has_several_inputs(const LabelOptions& options);

/// @return whether a run writes one file `path` for all its inputs together: it has several inputs, and names_each_input() is false
bool is_common_output(const std::string& path, const LabelOptions& options);

/// Replaces the words in braces:
///   {stem}     stem_of() the input
///   {dir}      the folder of the input
///   {parent}   the name of this folder
///   {volume}   the number of the volume
///   {bids}     bids_stem()
///   {sub} ...  the value of an entity of BIDS in the path of the input
///   {COLUMN}   the cell of the input in a column of the list of inputs
/// @param volume of a list of volumes; empty: {volume} stays as it is
/// @throw Error invalid_argument if the input does not have what a word stands for, if the cell is empty, and for unknown words
// "out/{stem}_{volume}.nii", "a/b.nii.gz", 3 -> "out/b_3.nii"
// "{dir}/FLAIR.nii.gz", "ds/sub-01/anat/lesions.nii.gz" -> "ds/sub-01/anat/FLAIR.nii.gz"
std::string expand(const std::string& path, const BatchInput& input, std::optional<std::int64_t> volume);

/// The files that are read beside an input, without words in their names.
struct FilesBeside {
    std::string mask;  // empty: none
    std::vector<IntensityImage> images;
    std::string preview_image;  // empty: none
    /// All paths that are not empty: the images, the mask and the image of the preview. settle_grid() must get them in this order.
    std::vector<std::string> paths() const;
};

/// @throw the exceptions of expand()
// mask "{dir}/m.nii", input "s/a.nii" -> {.mask = "s/m.nii"}
FilesBeside files_beside(const LabelOptions& options, const BatchInput& input);

/// The options of one input: the names of its files without words, except {volume}. In a run of many inputs, leave out `inputs` first.
/// @throw the exceptions of expand()
LabelOptions options_for(LabelOptions options, const BatchInput& input);

/// The options of `voxcc stats` without words in the names of files. @throw the exceptions of check_words() and expand()
StatsOptions without_words(StatsOptions options);

/// Checks the names of a run with several inputs: each input has what the words stand for, and no two inputs have the same output. A mask
/// or an intensity image without words needs Companions::shared.
/// @throw Error invalid_argument
void check_names(const LabelOptions& options);

}  // namespace voxcc
