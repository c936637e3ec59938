// The files of the steps of a labelling in parts. Each is written completely or not at all, and states the plan and the part.
//
//   STATE/K.part       label     counts per row, faces, sums, foreground and intensities of part K
//   MERGED/K.numbers   merge     the final numbers of part K
//   MERGED/merged      merge     the number of components; written last
//   MERGED/K.measures  relabel   the counts of shape and contacts of part K; only if the plan has them
//   MERGED/K.painted   relabel   the labels of part K, and its rows of the table
//
// If the plan fills holes, the background has its own states and its own merge before the first step:
//   STATE/K.background  label --background   as K.part, of the background; the foreground with its holes
//   MERGED/K.holes      merge --background   as K.numbers: the numbers of the holes
//   MERGED/holes        merge --background   as merged: the number of holes
//
// `voxcc map` in parts has no plan, and one file per part:
//   STATE/K.mapped      map --part           the new numbers of part K: see mapped_file.h
#pragma once
#include "io/decoded/section_file.h"
#include "src/parts/plan_file.h"
#include "src/pipeline/sources.h"

#include <functional>
#include <memory>

namespace voxcc::parts {

/// filled: a state whose holes are filled.
enum class FileKind : std::uint32_t {
    state = 1,
    numbers = 2,
    merged = 3,
    painted = 4,
    measures = 5,
    filled = 6,
    background = 7,
    holes = 8,
    merged_holes = 9,
    mapped = 10
};

/// The folders of the steps. `merged` is empty for the step label.
struct Folders {
    std::string state, merged;
};

/// The kinds of the states, of the final numbers and of the result of the merge.
struct RoundFiles {
    FileKind state, numbers, merged;
};
RoundFiles files_of(const Plan& plan);

/// The command that writes a file, in quotes.
std::string step_of(FileKind kind, std::int64_t part);

/// The path of a file in the folder of a step. @param part not used for FileKind::merged and merged_holes
std::string path_of(FileKind kind, const std::string& folder, std::int64_t part);

/// Opens a file, and checks what it states of itself, except for its identity. @throw as open_part_file()
std::unique_ptr<io::SectionFile> open_step_file(FileKind kind, const std::string& folder, std::int64_t part);

/// Opens a file of the plan. @throw ProgramError missing_file, invalid_file, truncated_file or corrupt_file, which names the file and the
/// step that writes it
std::unique_ptr<io::SectionFile> open_part_file(const Plan& plan, FileKind kind, const std::string& folder, std::int64_t part);

/// Whether the file exists. A file that exists and is not of this plan or is damaged is an error. @throw as open_part_file()
bool is_done(const Plan& plan, FileKind kind, const std::string& folder, std::int64_t part);

/// An error about a file that exists, which names the step that writes it. @throw ProgramError of the kind `error`
[[noreturn]] void refuse_file(ErrorKind error, const std::string& path, const std::string& cause, FileKind kind, std::int64_t part);

/// Calls f(), and adds the step that writes the file to errors about its content. @throw ProgramError, other exceptions of f()
void reading(FileKind kind, std::int64_t part, const std::function<void()>& f);
template <class F>
auto result_of_reading(FileKind kind, std::int64_t part, const F& f) {
    std::optional<decltype(f())> result;
    reading(kind, part, [&] { result.emplace(f()); });
    return std::move(*result);
}

/// @param identity 64 characters @throw Error io_error, disk_full, cannot_create
void write_step_file(const std::string& identity, FileKind kind, const std::string& folder, std::int64_t part,
                     std::span<const io::PackedSection> sections);
/// The same, with the identity of a plan.
void write_part_file(const Plan& plan, FileKind kind, const std::string& folder, std::int64_t part,
                     std::span<const io::PackedSection> sections);

/// The sums of components as 19 words each.
std::vector<std::uint64_t> words_of_sums(std::span<const WideSums> sums);
/// Appends the 19 words of the sums of one component.
void append_sums(const WideSums& sums, std::vector<std::uint64_t>& words);
std::vector<WideSums> sums_of_words(std::span<const std::uint64_t> words);
constexpr std::uint64_t words_per_sums = 19;

/// Reads sections of sums of intensities, one per image of the plan.
/// @param first the section of the first image @throw Error corrupt_file
std::vector<IntensitySums> read_intensities(const Plan& plan, const io::SectionFile& file, std::size_t first, std::uint64_t components);
/// The sections for read_intensities(). @param images may be empty: components without sums
std::vector<io::PackedSection> sections_of_intensities(const Plan& plan, const std::vector<IntensitySums>& images,
                                                       std::uint64_t components);

/// The content of a file STATE/K.part or STATE/K.background.
struct HeldState {
    PartState state;
    VolumeBits voxels;  // of the foreground
};
void write_state(const Plan& plan, const std::string& folder, std::int64_t part, const HeldState& held);

/// The files of all states of files_of(plan), for the merge and for painting.
class StateFiles : public PartStates {
public:
    StateFiles(const Plan& plan, std::string folder) : plan_(plan), folder_(std::move(folder)) {}
    std::vector<std::uint32_t> row_counts(std::int64_t part) override;
    std::vector<std::uint32_t> face(std::int64_t part, int face) override;
    FaceComponents face_components(std::int64_t part) override;
    std::vector<std::uint64_t> sizes(std::int64_t part) override;
    std::vector<IntensitySums> face_intensities(std::int64_t part) override;
    /// The sums of intensities of all components.
    std::vector<IntensitySums> intensities(std::int64_t part);
    VolumeBits voxels(std::int64_t part);
    std::string path(std::int64_t part) const { return path_of(files_of(plan_).state, folder_, part); }
    const Plan& plan() const { return plan_; }
    /// The checksum of the file of a part: see io::SectionFile::checksum().
    std::uint32_t checksum(std::int64_t part);

private:
    io::SectionFile& file(std::int64_t part);
    /// Calls f() as reading(), for the state of a part.
    template <class F>
    auto reading_state(std::int64_t part, const F& f) const {
        return result_of_reading(files_of(plan_).state, part, f);
    }
    const Plan& plan_;
    std::string folder_;
    std::int64_t open_part_ = -1;
    std::unique_ptr<io::SectionFile> open_;  // of open_part_
};

void write_numbers(const Plan& plan, const std::string& folder, std::int64_t part, const PartNumbers& numbers);
/// @throw as open_part_file()
PartNumbers read_numbers(const Plan& plan, const std::string& folder, std::int64_t part);

/// The content of MERGED/merged or MERGED/holes.
struct MergedFile {
    std::uint64_t components = 0;
    std::vector<std::uint32_t> state_checksums;  // by part
    std::uint32_t checksum = 0;                  // of the file itself; 0 before it is written
};
void write_merged(const Plan& plan, const std::string& folder, const MergedFile& merged);
MergedFile read_merged(const Plan& plan, const std::string& folder);

}  // namespace voxcc::parts
