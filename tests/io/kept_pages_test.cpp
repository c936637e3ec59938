#include "io/formats/tiff/tiff.h"
#include "io/formats/tiff/tiff_pages.h"
#include "io/kept_files.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"
#include "tests/io/tiff_images.h"

#include <filesystem>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

/// Four volumes of three pages. @param first the value of page 0; each further page has the next value
void put_volumes(const std::string& path, std::uint8_t first) {
    const TiffRecipe recipe = numbered_pages(12, "ImageJ=1.53c\nimages=12\nslices=3\nframes=4\nhyperstack=true\n");
    std::vector<std::uint8_t> voxels;
    for (std::uint32_t page = 0; page < recipe.pages; ++page)
        voxels.insert(voxels.end(), recipe.row_bytes() * recipe.ny, std::uint8_t(first + page));
    write_tiff(path, recipe, voxels);
}

/// The first voxel of a volume.
int first_voxel(const std::string& path, std::int64_t volume, const std::shared_ptr<KeptFiles>& kept) {
    OpenOptions options;
    options.volume = volume;
    options.kept = kept;
    return int(read_all(*open_tiff(path, options), 1).front());
}

}  // namespace

TEST_CASE("kept pages: the directories of a file are read once") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    put_volumes(path, 0);
    KeptPages kept;
    TiffHandle first(path), second(path);
    const auto pages = kept.of(first, ExternalFiles::refuse);
    CHECK(pages->files.front().directories.size() == 12);
    CHECK(kept.of(second, ExternalFiles::refuse) == pages);
    CHECK(TIFFCurrentDirOffset(second.get()) == pages->files.front().directories.front());
}

TEST_CASE("kept pages: volumes are read in any order") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif", other = folder / "b.tif";
    put_volumes(path, 0);
    put_volumes(other, 100);
    const auto kept = std::make_shared<KeptFiles>();
    for (const std::int64_t volume : {0, 1, 2, 3, 3, 1, 0}) {
        CHECK(first_voxel(path, volume, kept) == 3 * volume);
        CHECK(first_voxel(other, volume, kept) == 100 + 3 * volume);
    }
    OpenOptions options;
    options.kept = kept;
    CHECK(describe_tiff(path, options).volumes == 4);
}

TEST_CASE("kept pages: a file that was replaced is read again, and errors are not kept") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    put_volumes(path, 0);
    const auto kept = std::make_shared<KeptFiles>();
    CHECK(first_voxel(path, 1, kept) == 3);
    const std::string content = content_of(path);
    put_file(folder / "b", content.substr(0, content.size() / 2));
    std::filesystem::rename(folder / "b", path);
    for (int again = 0; again < 2; ++again) CHECK(about_content(kind_of([&] { first_voxel(path, 1, kept); })));
    put_volumes(folder / "b", 50);
    std::filesystem::rename(folder / "b", path);
    CHECK(first_voxel(path, 1, kept) == 53);
}
