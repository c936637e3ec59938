// ReaderChoice: ITK and voxcc's own readers.
#include "io/io.h"
#include "io/process/isolated_reader.h"
#include "io/process/landlock.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"
#include "tests/io/sandboxed.h"

#include <sys/mman.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

const OpenOptions by_itk{.reader = ReaderChoice::itk}, by_voxcc{.reader = ReaderChoice::voxcc};
const Extent small{9, 8, 7};

std::vector<std::uint8_t> varied(const Extent& extent) {
    std::vector<std::uint8_t> labels(std::size_t(extent.voxels()));
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = std::uint8_t(i * i % 251);
    return labels;
}

VolumeInfo turned_volume(const Extent& extent) {
    VolumeInfo info = volume_of(extent);
    info.geometry.affine = Affine{{{0, -2, 0, 5}, {3, 0, 0, 6}, {0, 0, 4, 7}}};
    return info;
}

std::vector<std::byte> voxels_of(const std::string& path, const OpenOptions& options) { return read_all(*open_volume(path, options), 7); }

std::optional<ErrorKind> kind_of_reading(const std::string& path, const OpenOptions& options) {
    return kind_of([&] { voxels_of(path, options); });
}

// A MetaImage file of 4 x 3 x 2 bytes.
std::string metaimage(const std::string& fields) {
    return "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementType = MET_UCHAR\n" + fields + "ElementDataFile = LOCAL\n" +
           std::string(24, '\5');
}

// A BioRad file of 2 x 1 x 1 bytes.
std::string biorad() {
    std::string content(76, '\0');
    for (const auto& [offset, number] : {std::pair{0, '\2'}, {2, '\1'}, {4, '\1'}, {14, '\1'}, {54, '\x39'}, {55, '\x30'}})
        content[std::size_t(offset)] = number;
    return content + "\1\2";
}

/// A volume of one voxel whose rows are never read to the end.
class EndlessReader : public VolumeReader {
public:
    EndlessReader() { info_ = volume_of({1, 1, 1}); }
    void read_rows(RowRange, std::byte*) override { spin(); }
    void rewind() override {}
    static void spin() {
        for (volatile int forever = 1; forever != 0;) {
        }
    }
};

/// Crashes of all processes of this test that are still to come, in memory that the processes share.
class SharedCrashes {
public:
    SharedCrashes() {
        void* const page = ::mmap(nullptr, sizeof *left_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        REQUIRE(page != MAP_FAILED);
        left_ = new (page) std::atomic<int>(0);
    }
    ~SharedCrashes() { ::munmap(left_, sizeof *left_); }
    SharedCrashes(const SharedCrashes&) = delete;
    SharedCrashes& operator=(const SharedCrashes&) = delete;
    void expect(int count) { *left_ = count; }
    int left() const { return *left_; }
    void crash_if_expected() {
        if (*left_ > 0) --*left_, std::abort();
    }

private:
    std::atomic<int>* left_ = nullptr;
};

/// A volume of 2 x 1 x 1 voxels; its library crashes while it opens the file, or reads rows.
class CrashingReader : public VolumeReader {
public:
    CrashingReader(SharedCrashes& opening, SharedCrashes& reading, Extent extent) : reading_(reading) {
        opening.crash_if_expected();
        info_ = volume_of(extent);
    }
    void read_rows(RowRange, std::byte* to) override {
        reading_.crash_if_expected();
        std::fill_n(to, info_.extent.nx, std::byte{7});
    }
    void rewind() override {}

private:
    SharedCrashes& reading_;
};

}  // namespace

TEST_CASE("reader: both readers give the same voxels, also in the second pass") {
    for (const Extent extent : {small, Extent{300, 200, 5}}) {
        const VolumeInfo like = turned_volume(extent);
        const auto labels = varied(extent);
        for (const char* name : {"a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.mhd", "a.tif"}) {
            const TemporaryFolder folder;
            CAPTURE(name);
            write_labels({folder / name, ScalarType::u8, &like, 1}, labels);
            const auto own = open_volume(folder / name, by_voxcc), itk = open_volume(folder / name, by_itk);
            CHECK(same_bytes(read_all(*itk, 7), labels));
            CHECK(same_bytes(read_all(*itk, 1000), labels));
            CHECK(same_bytes(read_all(*own, 7), labels));
            CHECK(itk->info().format == own->info().format);
            CHECK(itk->info().compression == own->info().compression);
            CHECK(itk->info().stored_type == own->info().stored_type);
            CHECK(itk->info().extent == extent);
            CHECK(itk->info().native == nullptr);
            CHECK(describe_volume(folder / name, by_itk).geometry.affine == itk->info().geometry.affine);
            CHECK(itk->info().geometry.affine.has_value() == (name != std::string("a.tif")));
        }
    }
}

TEST_CASE("reader: what only ITK reads is refused by the own reader") {
    const TemporaryFolder folder;
    put_file(folder / "a.pic", biorad());
    CHECK(kind_of_reading(folder / "a.pic", by_voxcc) == ErrorKind::unsupported_by_reader);
    CHECK(kind_of([&] { describe_volume(folder / "a.pic", by_voxcc); }) == ErrorKind::unsupported_by_reader);
    CHECK(choices_of([&] { open_volume(folder / "a.pic", by_voxcc); }) == "itk");
    CHECK(voxels_of(folder / "a.pic", {}) == voxels_of(folder / "a.pic", by_itk));
    put_file(folder / "a.txt", "no image");
    CHECK(kind_of_reading(folder / "a.txt", by_voxcc) == ErrorKind::invalid_file);
}

TEST_CASE("reader: truncation at any length is detected before ITK fills the rest with zeros") {
    const VolumeInfo like = turned_volume(small);
    for (const char* name : {"a.nii", "a.nii.gz", "a.nrrd", "a.mha"}) {
        const TemporaryFolder folder;
        write_labels({folder / name, ScalarType::u8, &like, 1}, varied(small));
        const std::string complete = content_of(folder / name);
        CHECK_FALSE(kind_of_reading(folder / name, by_itk));
        for (std::size_t size = 0; size < complete.size(); size += 1 + (complete.size() - size) / 12) {
            CAPTURE(name);
            CAPTURE(size);
            put_file(folder / name, complete.substr(0, size));
            CHECK(about_content(kind_of_reading(folder / name, by_itk)));
        }
    }
}

TEST_CASE("reader: a wrong checksum at the end of the file is the error, not the values of ITK") {
    const TemporaryFolder folder;
    const VolumeInfo like = turned_volume({60, 50, 40});
    for (const char* name : {"a.nii.gz", "a.nrrd", "a.mha"}) {
        CAPTURE(name);
        write_labels({folder / name, ScalarType::u8, &like, 3}, varied(like.extent));
        std::string content = content_of(folder / name);
        content[content.size() / 2] ^= 4;
        put_file(folder / name, content);
        CHECK(about_content(kind_of_reading(folder / name, by_itk)));
    }
}

TEST_CASE("reader: values that ITK reads differently are refused") {
    const TemporaryFolder folder;
    const auto refusal = [&](const std::string& fields) {
        put_file(folder / "a.mha", metaimage(fields));
        CHECK(kind_of_reading(folder / "a.mha", by_itk) == ErrorKind::unsupported_by_reader);
        CHECK(choices_of([&] { voxels_of(folder / "a.mha", by_itk); }) == "voxcc");
        return message_of([&] { voxels_of(folder / "a.mha", by_itk); });
    };
    put_file(folder / "a.mha", metaimage(""));
    CHECK_FALSE(kind_of_reading(folder / "a.mha", by_itk));
    CHECK(refusal("ElementToIntensityFunctionSlope = 2\n").find("ITK reads 5 at voxel (0, 0, 0), voxcc reads 10") != std::string::npos);
    // Names of fields have upper and lower case for ITK only, so that the two readers find the voxels in different files.
    put_file(folder / "other", std::string(24, '\x9'));
    const std::string message = refusal("elementdatafile = LOCAL\nElementDataFile = other\n");
    // With Landlock, ITK cannot open files that the own reader has not found.
    CHECK(message.find(sandboxed && landlock_version() > 0 ? "ITK does not read this file" : "ITK reads 9 at voxel (0, 0, 0)") !=
          std::string::npos);
}

TEST_CASE("reader: of HDF5, ITK reads its own dataset only") {
    const TemporaryFolder folder;
    const VolumeInfo like = volume_of(small);
    write_labels({folder / "a.h5", ScalarType::u8, &like, 1}, varied(small));
    CHECK(message_of([&] { open_volume(folder / "a.h5", by_itk); }).find("does not hold /ITKImage/0/VoxelData") != std::string::npos);
    OpenOptions other = by_itk;
    other.dataset = "labels";
    CHECK(kind_of([&] { describe_volume(folder / "a.h5", other); }) == ErrorKind::unsupported_by_reader);
}

TEST_CASE("reader: a reader that never ends is stopped, in its header and in its rows") {
    const std::string limit = "not understood within 1 s of processor time";
    const auto opening = [] {
        EndlessReader::spin();
        return std::unique_ptr<VolumeReader>();
    };
    CHECK(message_of([&] { open_isolated("a.nii", {.processor_seconds = 1}, {}, 0, opening); }).find(limit) != std::string::npos);
    const auto reader = open_isolated("a.nii", {.processor_seconds = 1}, {}, 0, [] { return std::make_unique<EndlessReader>(); });
    CHECK(message_of([&] { read_all(*reader, 1); }).find(limit) != std::string::npos);
}

TEST_CASE("reader: a request during which the library crashes is repeated once") {
    SharedCrashes opening, reading;
    Extent extent{2, 1, 1};
    const auto open = [&] {
        return open_isolated("a.nii", {.processor_seconds = 1}, {}, 0,
                             [&] { return std::make_unique<CrashingReader>(opening, reading, extent); });
    };
    const std::vector<std::byte> content(2, std::byte{7});
    for (const auto& [at_open, at_read] : {std::pair(0, 0), std::pair(1, 0), std::pair(0, 1)}) {
        opening.expect(at_open), reading.expect(at_read);
        CHECK(read_all(*open(), 1) == content);
        CHECK(opening.left() + reading.left() == 0);
    }
    opening.expect(2);
    CHECK(message_of(open).find("the library that reads this format crashed on it") != std::string::npos);
    opening.expect(1), reading.expect(1);
    CHECK(message_of([&] { read_all(*open(), 1); }).find("crashed on it") != std::string::npos);
    CHECK(opening.left() + reading.left() == 0);
    const auto reader = open();
    extent.nx = 3;
    reading.expect(1);
    CHECK(kind_of([&] { read_all(*reader, 1); }) == ErrorKind::changed_file);
}
