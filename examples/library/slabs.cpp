// Labels a volume that is never in memory as a whole: rows are computed when they are needed, and the volume is labelled in slabs.
#include <voxcc/connectivity.h>
#include <voxcc/error.h>
#include <voxcc/foreground.h>
#include <voxcc/label.h>
#include <voxcc/source.h>
#include <voxcc/threads.h>
#include <voxcc/volume.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr voxcc::Extent extent{200, 100, 400};

/// Balls with a diameter of 15 voxels, one in each cube of 20 voxels. A program would read a file here.
class Balls : public voxcc::RowSource {
public:
    Access access() const override { return Access::in_order; }
    void rewind() override {}  // rows are computed, so there is nothing to go back in
    std::int64_t rows_per_fetch() const override { return extent.ny; }
    /// The rows as u16: 1000 inside a ball, 0 outside.
    const std::byte* fetch(voxcc::RowRange rows, std::vector<std::byte>& buffer) override {
        buffer.resize(std::size_t(rows.count * extent.nx) * sizeof(std::uint16_t));
        auto* value = reinterpret_cast<std::uint16_t*>(buffer.data());
        for (std::int64_t row = rows.first; row < rows.end(); ++row)
            for (std::int64_t x = 0; x < extent.nx; ++x) *value++ = is_in_ball(x, row % extent.ny, row / extent.ny) ? 1000 : 0;
        return buffer.data();
    }
    void pack(const std::byte* fetched, voxcc::RowRange, std::int64_t index, std::uint64_t* bits) const override {
        packer_.pack(voxcc::default_isa(), values(fetched, {}, index), extent.nx, bits);
    }
    const std::byte* values(const std::byte* fetched, voxcc::RowRange, std::int64_t index) const override {
        return fetched + index * extent.nx * std::int64_t(sizeof(std::uint16_t));
    }
    voxcc::ScalarType value_type() const override { return voxcc::ScalarType::u16; }

private:
    static bool is_in_ball(std::int64_t x, std::int64_t y, std::int64_t z) {
        const auto from_centre = [](std::int64_t a) { return 2 * (a % 20) - 19; };  // in half voxels
        const std::int64_t dx = from_centre(x), dy = from_centre(y), dz = from_centre(z);
        return dx * dx + dy * dy + dz * dz <= 15 * 15;
    }
    const voxcc::ForegroundPacker packer_{voxcc::ScalarType::u16, {.kind = voxcc::ForegroundRule::Kind::above, .low = 500}};
};

}  // namespace

int main() try {
    Balls balls;  // must outlive the labelling, which reads it again to paint
    voxcc::MemoryLimit memory(std::int64_t{64} << 20);
    const auto labelling = voxcc::label(balls, extent, {.connectivity = voxcc::Connectivity::c6},
                                        {.threads = voxcc::available_threads(), .slices_per_slab = 50, .memory = &memory});
    std::printf("%d balls\n", int(labelling->count()));

    // Labels are painted slice by slice, in any unsigned type that holds them.
    std::vector<std::uint16_t> slice(std::size_t(extent.nx * extent.ny));
    std::int64_t labelled = 0;
    labelling->prepare_paint(voxcc::ScalarType::u16, {});
    for (std::int64_t z = 0; z < extent.nz; ++z) {
        labelling->paint({z * extent.ny, extent.ny}, reinterpret_cast<std::byte*>(slice.data()), voxcc::Stores::cached);
        for (const std::uint16_t label : slice) labelled += label != 0;
    }
    std::printf("%d voxels with a label\n", int(labelled));
} catch (const voxcc::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
