// The volumes of a bench: binary volumes by name, and the sets and families of the papers.
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
    /// path: the foreground is one thin path. Algorithms that propagate labels from voxel to voxel need as many passes as the path has
    /// voxels or turns.
    enum class Form { any, path } form = Form::any;
};

/// The volume with a name.
/// @param name random-DENSITY-gGRANULARITY, blobs-DENSITY, hilbert-ORDER, spiral, checkerboard or solid; DENSITY is in percent
/// @throw Error invalid_argument if the name is not one of these, or its parameters are out of range
Volume named_volume(const std::string& name, const Extent& extent);

/// Random volumes of 10, 50 and 90 %, blobs, and a Hilbert curve (only in cubes); images have a spiral in place of the curve.
std::vector<Volume> default_set(const Extent& extent);

/// Random volumes of 0 to 100 % foreground in steps of 10 %, for each granularity. Source: Allegretti, Bolelli, Grana 2019, section 6.1.3.
std::vector<Volume> random_grid(const Extent& extent, std::span<const int> granularities);

/// The six families of images, with the parameters of figures 7 and 8. Five have the names of `voxcc generate ridge --family`; the sixth is
/// "spiral".
/// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, sections IV-C and V-C. The paper does not name the
/// members of the families scaling, random-instancing, random-merging and spiral. Here they have 0, 10, ... 100 % of the parameter.
/// @param edge of the images, in voxels; must be a power of two and at least 16
std::vector<Volume> families(std::int64_t edge);

}  // namespace voxcc::bench
