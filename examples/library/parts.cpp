// Labels a volume in parts, each on its own, and merges them. A cluster would label the parts in different jobs.
#include <voxcc/parts.h>
#include <voxcc/voxcc.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

namespace {

/// The states of all parts, in memory. Jobs of a cluster would store them in files.
class States : public voxcc::parts::PartStates {
public:
    std::map<std::int64_t, voxcc::parts::PartState> by_part;
    std::vector<std::uint32_t> row_counts(std::int64_t part) override { return by_part.at(part).row_counts; }
    std::vector<std::uint32_t> face(std::int64_t part, int face) override { return by_part.at(part).faces[std::size_t(face)]; }
    voxcc::parts::FaceComponents face_components(std::int64_t part) override { return voxcc::parts::face_components(by_part.at(part)); }
    std::vector<std::uint64_t> sizes(std::int64_t part) override {
        const voxcc::SumTable& sums = by_part.at(part).sums;
        std::vector<std::uint64_t> sizes;
        for (std::size_t row = 0; row < sums.size(); ++row) sizes.push_back(sums.voxels(row));
        return sizes;
    }
};

/// The merge needs no scratch memory unless components are selected or sorted by size.
class NoScratch : public voxcc::parts::Scratch {
public:
    std::uint64_t append(std::span<const std::byte>) override { return 0; }
    void write(std::uint64_t, std::span<const std::byte>) override {}
    void read(std::uint64_t, std::span<std::byte>) override {}
};

}  // namespace

int main() {
    // A bar along x that crosses both parts, and a voxel in the second part.
    const voxcc::Extent extent{8, 3, 1};
    std::vector<std::uint8_t> voxels(std::size_t(extent.voxels()), 0);
    for (std::size_t x = 1; x < 7; ++x) voxels[x] = 1;
    voxels[2 * 8 + 6] = 1;

    const voxcc::parts::Rules rules{{.connectivity = voxcc::Connectivity::c8}, voxcc::parts::Grid(extent, {4, 3, 1}), {}, extent};
    voxcc::ThreadPool pool(1);
    const voxcc::ForegroundPacker nonzero(voxcc::ScalarType::u8, {});
    States states;
    for (std::int64_t part = 0; part < rules.grid.parts(); ++part) {
        const voxcc::parts::Box box = rules.grid.box(part);
        voxcc::StridedSource source(voxcc::view(voxels.data() + box.first[0], box.extent(), {1, extent.nx, extent.nx * extent.ny}),
                                    nonzero);
        states.by_part[part] = voxcc::parts::LabelledPart(rules, part, source, pool).take_state();
    }
    NoScratch scratch;
    const auto print = [&](std::int64_t part, const voxcc::parts::PartNumbers& numbers) {
        std::printf("part %d:", int(part));
        for (const std::uint64_t number : voxcc::parts::numbers_of_part(numbers, states.by_part.at(part).row_counts))
            std::printf(" component %d", int(number));
        std::printf("\n");
    };
    const voxcc::parts::Merged merged = voxcc::parts::merge_parts(rules, states, scratch, print);
    std::printf("%d components\n", int(merged.components));
}
