// The components of all thresholds of a profile: its maxima with their persistence, and its threshold-free cluster enhancement.
#include <voxcc/tree.h>

#include <cstdio>
#include <vector>

int main() {
    const std::vector<float> values{3, 1, 2, 0, 2};
    const voxcc::VolumeView view = voxcc::view(values.data(), {5, 1, 1});

    const voxcc::ComponentTree tree = voxcc::component_tree(view, {});
    for (const voxcc::Branch& branch : voxcc::branches_of(tree)) {
        std::printf("maximum %g at voxel %d, %d voxels", branch.birth, int(tree.voxel(branch.node)), int(branch.voxels));
        if (const auto persistence = branch.persistence()) std::printf(", persistence %g", *persistence);
        std::printf("\n");
    }

    std::vector<float> enhanced(values.size());
    voxcc::write_tfce(voxcc::component_tree(view, {.values = voxcc::TreeRule::Values::above_zero}), {}, std::span<float>(enhanced));
    for (const float value : enhanced) std::printf("%g ", value);
    std::printf("\n");
}
