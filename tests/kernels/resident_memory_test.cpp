// Tests which parts of an array count as written before, and that labels do not depend on it.
#include <voxcc/label.h>

#include "kernels3d/base/resident_memory.h"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <cstring>
#include <random>
#include <vector>

using namespace voxcc;

namespace {

constexpr std::size_t unit = std::size_t{2} << 20;

/// Address space without memory, from a multiple of 2 MiB on.
class FreshMapping {
public:
    explicit FreshMapping(std::size_t bytes) : bytes_(bytes + unit) {
        base_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        REQUIRE(base_ != MAP_FAILED);
    }
    ~FreshMapping() { munmap(base_, bytes_); }
    FreshMapping(const FreshMapping&) = delete;
    FreshMapping& operator=(const FreshMapping&) = delete;
    std::byte* data() const { return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(base_) + unit - 1) / unit * unit); }

private:
    std::size_t bytes_;
    void* base_;
};

}  // namespace

TEST_CASE("resident memory: only units that were written are resident") {
    const FreshMapping mapping(5 * unit);
    std::byte* const data = mapping.data();
    std::memset(data + unit, 1, unit);
    std::memset(data + 4 * unit, 1, unit / 2);
    const ResidentMemory memory({data, 4 * unit + unit / 4});
    for (const std::size_t offset : {std::size_t{0}, unit - 1, 2 * unit, 4 * unit - 1}) CHECK_FALSE(memory.is_resident(offset));
    for (const std::size_t offset : {unit, 2 * unit - 1, 4 * unit, 4 * unit + unit / 4 - 1}) CHECK(memory.is_resident(offset));

    const ResidentMemory later({data + unit - 16, unit});  // 16 bytes of a unit without memory, and most of the next unit
    CHECK_FALSE(later.is_resident(15));
    CHECK(later.is_resident(16));
}

TEST_CASE("resident memory: labels are the same in memory that was written before and in other memory") {
    const Extent extent{256, 257, 160};  // 40 MiB of labels
    const std::size_t bytes = std::size_t(extent.voxels()) * sizeof(std::uint32_t);
    std::mt19937 random(7);
    std::vector<std::uint8_t> voxels(std::size_t(extent.voxels()));
    for (std::uint8_t& voxel : voxels) voxel = random() % 4 == 0;
    auto labelling = label(view(voxels.data(), extent), {});
    std::vector<std::uint32_t> written(voxels.size(), 7);
    labelling->paint(written.data());
    for (const std::size_t offset : {std::size_t{0}, std::size_t{16}}) {
        const FreshMapping mapping(bytes + offset);
        std::memset(mapping.data() + 3 * unit, 1, 5 * unit);
        labelling->paint(reinterpret_cast<std::uint32_t*>(mapping.data() + offset));
        CHECK(std::memcmp(mapping.data() + offset, written.data(), bytes) == 0);
    }
}
