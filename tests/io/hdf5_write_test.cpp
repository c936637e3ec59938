// Writing HDF5 label volumes.
#include "hdf5_files.h"
#include "io/files/checked_file.h"

#include <sys/resource.h>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

// Label i % modulus at voxel i; 5000 of each 15000 voxels are zero.
std::vector<std::byte> labels_of(const LabelVolume& volume, std::uint64_t modulus) {
    std::vector<std::byte> bytes;
    visit_scalar(volume.type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::vector<T> labels(std::size_t(volume.like->extent.voxels()));
        for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i / 5000 % 3 == 1 ? T(0) : T(i % modulus);
        bytes.resize(labels.size() * sizeof(T));
        std::memcpy(bytes.data(), labels.data(), bytes.size());
    });
    return bytes;
}

void write_labels(const LabelVolume& volume, const std::vector<std::byte>& labels) {
    OutputFiles outputs(Overwrite::allow, {});
    const auto writer = create_hdf5(volume, outputs);
    const std::int64_t row_bytes = volume.like->extent.nx * size_of(volume.type);
    for (std::int64_t block = 0; block < writer->blocks(); ++block) {
        const RowRange rows = writer->rows_of(block);
        const auto raw = std::span(labels).subspan(std::size_t(rows.first * row_bytes), std::size_t(rows.count * row_bytes));
        writer->append(block, writer->encode(block, raw));
    }
    writer->finish();
    outputs.publish();
}

}  // namespace

TEST_CASE("HDF5: written labels are read back unchanged") {
    const TemporaryFolder folder;
    VolumeInfo like;
    like.geometry = {.spacing = std::array{0.25, 0.5, 2.0}, .unit = LengthUnit::mm};
    like.geometry.affine = Affine{{{0.25, 0, 0, 1}, {0, 0.5, 0, 2}, {0, 0, 2, 3}}};
    for (const Extent& extent : {Extent{70, 65, 33}, Extent{1, 1, 1}, Extent{300, 700, 1}, Extent{3, 1, 40}, Extent{2100, 2100, 3}})
        for (const ScalarType type : {ScalarType::u8, ScalarType::u16, ScalarType::u32, ScalarType::u64})
            for (const int compress : {0, 1, 9}) {
                if (extent.nx > 2000 && (compress != 1 || type != ScalarType::u64)) continue;
                CAPTURE(extent.nx);
                CAPTURE(size_of(type));
                CAPTURE(compress);
                like.extent = extent;
                like.dimensions = extent.nz == 1 ? 2 : 3;
                const std::string path = folder / "labels.h5";
                const LabelVolume volume{path, type, &like, compress};
                const std::vector<std::byte> labels = labels_of(volume, 251);
                write_labels(volume, labels);
                const auto reader = open_hdf5(path, {});
                CHECK(reader->info().extent == extent);
                CHECK(reader->info().dimensions == like.dimensions);
                REQUIRE(reader->info().type == type);
                CHECK(reader->info().geometry.spacing == like.geometry.spacing);
                CHECK(reader->info().geometry.affine == like.geometry.affine);
                std::vector<std::byte> read(labels.size());
                reader->read_rows({0, extent.rows()}, read.data());
                CHECK(read == labels);
                const std::string once = test::content_of(path);
                write_labels(volume, labels);
                CHECK(test::content_of(path) == once);
                CHECK(folder.entries() == 1);
            }
}

TEST_CASE("HDF5: a full disk is an error and leaves no files") {
    const TemporaryFolder folder;
    VolumeInfo like;
    like.extent = {100, 100, 64};
    const LabelVolume volume{folder / "labels.h5", ScalarType::u32, &like, 0};
    const std::vector<std::byte> labels = labels_of(volume, 1u << 30);
    for (const rlim_t limit : {0, 100, 1000, 2100, 5000, 300000, 1000000, 2000000}) {
        CAPTURE(limit);
        CHECK(run_apart([&] {
                  const rlimit most{limit, limit};
                  ::setrlimit(RLIMIT_FSIZE, &most);
                  write_labels(volume, labels);
              }) == status_of(ErrorKind::disk_full));
        CHECK(folder.entries() == 0);
    }
}
