// What is measured on: volumes of zeros and ones by name, and the sets and families of the papers.
#pragma once
#include <voxcc/volume.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace voxcc::bench {

struct Volume {
    std::string name, parameters;  // "random-50-g1", "density=50 granularity=1"
    Extent extent;
    std::function<std::vector<std::uint8_t>()> voxels;  // [z][y][x], 0 is background
    /// path: one way through all of it. Algorithms that carry labels from voxel to voxel need as many passes as it has voxels, or turns.
    enum class Form { any, path } form = Form::any;
};

/// @param name random-DENSITY-gGRANULARITY, blobs-DENSITY (in percent), hilbert-ORDER, spiral, checkerboard or solid
/// @throw Error usage for another name, or a recipe that cannot be made
Volume named_volume(const std::string& name, const Extent& extent);

/// For a volume random 10, 50 and 90 %, blobs and a Hilbert curve; for an image a spiral instead of that.
std::vector<Volume> default_set(const Extent& extent);

/// Random volumes of 0 to 100 % in steps of 10, for each granularity. Source: Allegretti, Bolelli, Grana 2019, section 6.1.3.
std::vector<Volume> random_grid(const Extent& extent, std::span<const int> granularities);

/// The six families of images, with the parameters of figures 7 and 8. Their names are those of `voxcc generate ridge --family`, and
/// spiral. Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, sections IV-C and V-C; which members of
/// scaling, the random families and spirals they took is not said: here 0, 10, ... 100 % of the parameter.
/// @param edge of the images: a power of two, 16 at least
std::vector<Volume> families(std::int64_t edge);

}  // namespace voxcc::bench
