// Uncompressed label volumes whose blocks several threads write, and uncompressed volumes that several threads read.
#include "tests/io/files.h"
#include "tests/io/label_files.h"

#include <doctest/doctest.h>

#include <thread>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

const Extent extent{1000, 1050, 3};  // 3.15 MB: four blocks, the last shorter
const std::vector<std::pair<const char*, const char*>> files{
    {"a.nii", "a.nii"}, {"a.nrrd", "a.nrrd"}, {"a.mha", "a.mha"}, {"a.mhd", "a.raw"}, {"a.npy", "a.npy"}};

std::vector<std::uint8_t> some_labels() {
    std::vector<std::uint8_t> labels(std::size_t(extent.voxels()));
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = std::uint8_t(i * 7 / 5 + i / 1000);
    return labels;
}

std::span<const std::byte> block_of(const LabelWriter& writer, std::int64_t block, const std::vector<std::uint8_t>& labels) {
    const RowRange rows = writer.rows_of(block);
    return std::as_bytes(std::span(labels).subspan(std::size_t(rows.first * extent.nx), std::size_t(rows.count * extent.nx)));
}

}  // namespace

TEST_CASE("plain labels: the last bytes of the file are the labels, if two threads write blocks in any order") {
    const TemporaryFolder folder;
    const std::vector<std::uint8_t> labels = some_labels();
    const VolumeInfo like = volume_of(extent);
    for (const auto& [name, data] : files) {
        OutputFiles outputs(Overwrite::allow, {});
        const auto writer = create_label_volume({folder / name, ScalarType::u8, &like, 0}, outputs);
        REQUIRE(writer->stores_plain());
        REQUIRE(writer->blocks() == 4);
        const auto write = [&](std::int64_t block) { writer->write_plain(block, block_of(*writer, block, labels)); };
        std::thread other([&] { write(3), write(0); });
        write(2), write(1);
        other.join();
        writer->finish();
        outputs.publish();
        const std::string content = content_of(folder / data);
        REQUIRE(content.size() >= labels.size());
        CHECK(std::memcmp(content.data() + content.size() - labels.size(), labels.data(), labels.size()) == 0);
        const auto reader = open_volume(folder / name);
        CHECK(reader->info().extent == extent);
        CHECK(reader->info().warnings.empty());
    }
}

TEST_CASE("plain labels: a file without one of its blocks is an error") {
    const TemporaryFolder folder;
    const std::vector<std::uint8_t> labels = some_labels();
    const VolumeInfo like = volume_of(extent);
    for (const auto& [name, data] : files) {
        OutputFiles outputs(Overwrite::allow, {});
        const auto writer = create_label_volume({folder / name, ScalarType::u8, &like, 0}, outputs);
        for (const std::int64_t block : {0, 1, 3}) writer->write_plain(block, block_of(*writer, block, labels));
        CHECK_THROWS_AS(writer->finish(), Error);
    }
}

TEST_CASE("plain labels: compressed formats do not store plain blocks") {
    const TemporaryFolder folder;
    const VolumeInfo like = volume_of(extent);
    OutputFiles outputs(Overwrite::allow, {});
    for (const char* name : {"a.nii.gz", "a.nrrd", "a.mha", "a.tif", "a.h5"})
        CHECK_FALSE(create_label_volume({folder / name, ScalarType::u8, &like, 1}, outputs)->stores_plain());
}

TEST_CASE("plain volumes: two threads read rows in any order") {
    const TemporaryFolder folder;
    const std::vector<std::uint8_t> labels = some_labels();
    const VolumeInfo like = volume_of(extent);
    for (const auto& [name, data] : files) {
        write_labels({folder / name, ScalarType::u8, &like, 0}, labels);
        const auto reader = open_volume(folder / name);
        REQUIRE(reader->reads_anywhere());
        std::vector<std::byte> voxels(labels.size());
        const auto read = [&](RowRange rows) { reader->read_rows(rows, voxels.data() + rows.first * extent.nx); };
        std::thread other([&] { read({3149, 1}), read({0, 1500}); });
        read({1500, 1649});
        other.join();
        CHECK(same_bytes(voxels, labels));
    }
    write_labels({folder / "a.nii.gz", ScalarType::u8, &like, 1}, labels);
    CHECK_FALSE(open_volume(folder / "a.nii.gz")->reads_anywhere());
}
