// A target for the writers: a label volume that is written and read back must have the same voxels.
#include "io/io.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"
#include "tests/io/label_files.h"

#include <fuzzer/FuzzedDataProvider.h>
#include <filesystem>

namespace voxcc::fuzz {
namespace {

constexpr std::array<const char*, 12> names{"w.nii", "w.nii.gz", "w.tif",  "w.h5",    "w.nrrd",    "w.mha",
                                            "w.mhd", "w.tiff",   "w.hdf5", "slices/", "s%03d.tif", "w.npy"};
constexpr std::array<ScalarType, 6> types{ScalarType::u8,  ScalarType::i16, ScalarType::u16,
                                          ScalarType::i32, ScalarType::u32, ScalarType::u64};

double drawn_number(FuzzedDataProvider& draws) {
    return draws.ConsumeBool() ? draws.ConsumeFloatingPoint<double>() : draws.ConsumeIntegralInRange(-9, 9) / 4.0;
}

io::Geometry drawn_geometry(FuzzedDataProvider& draws) {
    io::Geometry geometry;
    if (draws.ConsumeBool()) geometry.unit = io::LengthUnit(draws.ConsumeIntegralInRange<int>(0, int(io::LengthUnit::mil)));
    if (draws.ConsumeBool()) geometry.spacing = {drawn_number(draws), drawn_number(draws), drawn_number(draws)};
    if (draws.ConsumeBool()) {
        geometry.affine.emplace();
        for (auto& row : *geometry.affine)
            for (double& value : row) value = drawn_number(draws);
    }
    return geometry;
}

// Labels in runs, as label volumes have them.
std::vector<std::uint8_t> drawn_labels(FuzzedDataProvider& draws, ScalarType type, std::int64_t count) {
    const auto size = std::size_t(size_of(type));
    const std::uint64_t largest =
        visit_scalar(type, []<class T>(std::type_identity<T>) { return std::uint64_t(std::numeric_limits<T>::max()); });
    std::vector<std::uint8_t> labels(std::size_t(count) * size);
    for (std::size_t i = 0; i < labels.size();) {
        const auto label = draws.ConsumeIntegralInRange<std::uint64_t>(0, largest);
        const std::size_t end = std::min(labels.size(), i + size * draws.ConsumeIntegralInRange<std::size_t>(1, 300));
        for (; i < end; i += size) std::memcpy(&labels[i], &label, size);
    }
    return labels;
}

bool reads_back(const io::VolumeReader& reader, std::span<const std::byte> got, ScalarType type, std::span<const std::uint8_t> labels) {
    return visit_scalar(reader.info().type, [&]<class Got>(std::type_identity<Got>) {
        return visit_scalar(type, [&]<class Put>(std::type_identity<Put>) {
            const std::size_t count = labels.size() / sizeof(Put);
            if (got.size() != count * sizeof(Got)) return false;
            for (std::size_t i = 0; i < count; ++i) {
                Got read;
                Put written;
                std::memcpy(&read, got.data() + i * sizeof(Got), sizeof(Got));
                std::memcpy(&written, labels.data() + i * sizeof(Put), sizeof(Put));
                if (std::uint64_t(read) != std::uint64_t(written)) return false;
            }
            return true;
        });
    });
}

void run_writers(Input input) {
    FuzzedDataProvider draws(input.data(), input.size());
    const std::string path = scratch(names[draws.ConsumeIntegralInRange<std::size_t>(0, names.size() - 1)]);
    const ScalarType type = types[draws.ConsumeIntegralInRange<std::size_t>(0, types.size() - 1)];
    io::VolumeInfo like =
        test::volume_of({draws.ConsumeIntegralInRange(1, 90), draws.ConsumeIntegralInRange(1, 30), draws.ConsumeIntegralInRange(1, 6)});
    like.dimensions = like.extent.nz == 1 ? 2 : 3;
    like.geometry = drawn_geometry(draws);
    const int compress = draws.ConsumeIntegralInRange(0, 9);
    const std::vector<std::uint8_t> labels = drawn_labels(draws, type, like.extent.voxels());
    accepts([&] {
        std::filesystem::remove_all(scratch("slices"));
        for (const std::string& old : path.find('%') == path.npos ? std::vector<std::string>() : io::files_of_label_volume(path, compress))
            std::filesystem::remove(old);
        test::write_labels({path, type, &like, compress}, labels);
        const auto reader = io::open_volume(path);
        if (reader->info().extent != like.extent) fault("the extent that is read is not the one that was written");
        const auto got = test::read_all(*reader, draws.ConsumeIntegralInRange(1, 40));
        if (!reads_back(*reader, got, type, labels)) fault("the labels that are read are not the ones that were written");
    });
}

const Registered writers({.name = "writers", .run = run_writers, .longest = 1024});

}  // namespace
}  // namespace voxcc::fuzz
