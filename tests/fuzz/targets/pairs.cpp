// Targets for volumes of several files: pairs of a header and its data, folders of slices, and OME-TIFF sets.
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/read_volume.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

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

/// The files of a folder of the scratch folder, while a target runs.
class FilesInFolder {
public:
    /// Writes the files of an input. The first line of each is its name, without folders.
    FilesInFolder(const std::string& folder, Input input) {
        constexpr int most_files = 8;
        std::filesystem::create_directory(scratch(folder));
        for (int i = 0; i < most_files && !input.empty(); ++i) {
            const Split file = split_at(input, next_file), content = split_at(file.head, "\n");
            input = file.tail;
            std::string name(content.head.begin(), content.head.end());
            if (name.empty() || name == "." || name == ".." || name.size() > 200 || name.find_first_of(std::string("/\0", 2)) != name.npos)
                continue;
            paths_.push_back(put_scratch(folder + "/" + name, content.tail));
        }
    }
    ~FilesInFolder() {
        for (const std::string& path : paths_) std::filesystem::remove(path);
    }
    FilesInFolder(const FilesInFolder&) = delete;
    FilesInFolder& operator=(const FilesInFolder&) = delete;
    const std::vector<std::string>& paths() const { return paths_; }

private:
    std::vector<std::string> paths_;
};

void run_nifti_pair(Input input) { read_pair(input, "p.hdr", "p.img"); }
void run_nrrd_pair(Input input) { read_pair(input, "p.nhdr", "p.raw"); }
void run_metaimage_pair(Input input) { read_pair(input, "p.mhd", "p.raw"); }

void run_slices(Input input) {
    const FilesInFolder files("slices", input);
    accepts([&] { read_as_program(scratch("slices")); });
    accepts([&] { read_as_program(scratch("slices") + "/s%02d.tif"); });
}

void run_ome_set(Input input) {
    const FilesInFolder files("set", input);
    if (files.paths().empty()) return;
    accepts([&] { read_as_program(files.paths().front(), {.volume = 0, .external = io::ExternalFiles::allow}); });
}

const Registered nifti_pair(
    {.name = "nifti_pair", .run = run_nifti_pair, .longest = 2048, .mutate = mutate_fields, .dictionary = "nifti.dict"});
const Registered nrrd_pair({.name = "nrrd_pair", .run = run_nrrd_pair, .longest = 4096, .mutate = mutate_text, .dictionary = "nrrd.dict"});
const Registered metaimage_pair(
    {.name = "metaimage_pair", .run = run_metaimage_pair, .longest = 4096, .mutate = mutate_text, .dictionary = "metaimage.dict"});
const Registered slices({.name = "slices", .run = run_slices, .longest = 8192});
const Registered ome_set({.name = "ome_set", .run = run_ome_set, .longest = 8192, .mutate = mutate_text, .dictionary = "ome.dict"});

}  // namespace
}  // namespace voxcc::fuzz
