// Targets for volumes of several files: pairs of a header and its data, and folders of slices.
#include "tests/fuzz/read_volume.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets/targets.h"

#include <algorithm>
#include <filesystem>
#include <string>

namespace voxcc::fuzz {
namespace {

/// The parts of an input before and after the first `separator`.
struct Split {
    Input head, tail;
};

Split split_at(Input input, std::string_view separator) {
    const auto found = std::search(input.begin(), input.end(), separator.begin(), separator.end(),
                                   [](std::uint8_t a, char b) { return a == std::uint8_t(b); });
    const auto length = std::size_t(found - input.begin());
    return {input.first(length), length == input.size() ? Input() : input.subspan(length + separator.size())};
}

constexpr std::string_view next_file = "\n==next file==\n";

void read_pair(Input input, const char* header, const char* data) {
    const Split files = split_at(input, next_file);
    put_scratch(data, files.tail);
    const std::string path = put_scratch(header, files.head);
    accepts([&] { read_as_program(path); });
}

}  // namespace

void run_nifti_pair(Input input) { read_pair(input, "p.hdr", "p.img"); }
void run_nrrd_pair(Input input) { read_pair(input, "p.nhdr", "p.raw"); }
void run_metaimage_pair(Input input) { read_pair(input, "p.mhd", "p.raw"); }

/// The first line of each file is its name, without folders.
void run_slices(Input input) {
    static const std::string folder = [] {
        const std::string path = scratch("slices");
        std::filesystem::create_directory(path);
        return path;
    }();
    constexpr int most_files = 8;
    std::vector<std::string> written;
    for (int i = 0; i < most_files && !input.empty(); ++i) {
        const Split file = split_at(input, next_file), content = split_at(file.head, "\n");
        input = file.tail;
        std::string name(content.head.begin(), content.head.end());
        if (name.empty() || name == "." || name == ".." || name.size() > 200 || name.find_first_of(std::string("/\0", 2)) != name.npos)
            continue;
        written.push_back(put_scratch("slices/" + name, content.tail));
    }
    accepts([&] { read_as_program(folder); });
    accepts([&] { read_as_program(folder + "/s%02d.tif"); });
    for (const std::string& path : written) std::filesystem::remove(path);
}

}  // namespace voxcc::fuzz
