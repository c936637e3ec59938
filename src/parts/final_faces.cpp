#include "src/parts/final_faces.h"

#include "src/errors/program_error.h"

#include <algorithm>

namespace voxcc::parts {

void require_merged_state(StateFiles& states, const std::string& merged_folder, std::int64_t part, const MergedFile& merged) {
    if (states.checksum(part) != merged.state_checksums[std::size_t(part)])
        throw ProgramError(ErrorKind::changed_file, states.path(part), "has changed since the merge",
                           "remove '" + merged_folder + "', and run " + step_of(files_of(states.plan()).merged, part) + " again");
}

std::vector<std::uint64_t> final_numbers(const Plan& plan, const PartNumbers& numbers, std::span<const std::uint32_t> row_counts,
                                         const std::string& folder, std::int64_t part, const MergedFile& merged) {
    const FileKind kind = files_of(plan).numbers;
    std::vector<std::uint64_t> known = numbers_of_part(numbers, row_counts);
    reading(kind, part, [&] {
        if (std::ranges::any_of(known, [&](std::uint64_t number) { return number > merged.components; }))
            throw Error(ErrorKind::corrupt_file, path_of(kind, folder, part), "has a number above the last component");
        if (!numbers.moved.empty() && numbers.moved.back() > known.size())
            throw Error(ErrorKind::corrupt_file, path_of(kind, folder, part), "moves a component that the part does not have");
    });
    return known;
}

std::vector<std::uint64_t> final_face(const Plan& plan, const std::string& state_folder, const std::string& merged_folder,
                                      const MergedFile& merged, std::int64_t part, int face) {
    StateFiles states(plan, state_folder);
    require_merged_state(states, merged_folder, part, merged);
    const std::vector<std::uint64_t> known =
        final_numbers(plan, read_numbers(plan, merged_folder, part), states.row_counts(part), merged_folder, part, merged);
    const std::vector<std::uint32_t> on_face = states.face(part, face);
    std::vector<std::uint64_t> finals(on_face.size());
    reading(files_of(plan).state, part, [&] {
        for (std::size_t i = 0; i < on_face.size(); ++i) {
            if (on_face[i] > known.size())
                throw Error(ErrorKind::corrupt_file, states.path(part), "has a number on a face that is not a component");
            if (on_face[i] > 0) finals[i] = known[on_face[i] - 1];
        }
    });
    return finals;
}

}  // namespace voxcc::parts
