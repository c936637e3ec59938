// The volumes of a bench: generated volumes by name, and the sets and families of the papers.
#pragma once
#include <voxcc/source.h>
#include "lab/interface/bench_io.h"

#include <string>
#include <vector>

namespace voxcc::bench {

/// The volume of a recipe.
Volume volume_of(std::string name, std::string parameters, const TestVolumeRecipe& recipe);

/// How many random volumes a name with `*` or with a seed stands for.
struct Sampling {
    int density_step = 10;  // distance of densities and probabilities, in percent, in [1, 100]
    int images = 1;         // volumes per name, with the seeds 1, 2, ...; several form a data set
};

/// The volumes that a name stands for. A name has one of these forms; each # is a whole number:
///   random-DENSITY-gGRANULARITY, random-DENSITY-gGRANULARITY-mt19937, blobs-DENSITY, hilbert-ORDER, dry-earth,
///   spiral, zigzag-spiral, checkerboard, solid,
///   leveling-LEVEL, scaling-LEVEL-FACTOR, subdivision-LEVEL-SUBDIVISIONS, random-instancing-LEVEL-SUBDIVISIONS-PROBABILITY,
///   random-merging-LEVEL-SUBDIVISIONS-PROBABILITY,
///   random-TYPE-VALUES-gGRANULARITY and smooth-TYPE-SCALE (value_images.h), where TYPE is grey, rgb or rgba
/// Densities, factors and probabilities are in percent. `*` in place of a number stands for all its values: densities, factors and
/// probabilities in steps, granularities 1 to 16, and the orders (up to 6), levels and subdivisions that fit into the extent. Numbers of
/// values and scales must be given.
/// @throw Error invalid_argument if the name does not have one of these forms, or a number is out of range
// "random-*-g4", {16, 16, 1}, {.density_step = 50}  ->  random-0-g4, random-50-g4, random-100-g4
std::vector<Volume> named_volumes(const std::string& name, const Extent& extent, const Sampling& sampling = {});

/// A percentage as a share: 30  ->  "0.3".
std::string share_text(int percent);

/// Random volumes of 10, 50 and 90 %, blobs, and a Hilbert curve (only in cubes); images have a spiral in place of the curve.
std::vector<Volume> default_set(const Extent& extent);

/// The six families of images, with the parameters of figures 7 and 8. Five have the names of `voxcc generate ridge --family`; the sixth is
/// "spiral".
/// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, sections IV-C and V-C. The paper does not name the
/// members of the families scaling, random-instancing, random-merging and spiral. Here they have 0, 10, ... 100 % of the parameter.
/// @param edge of the images, in voxels; must be a power of two and at least 16
std::vector<Volume> families(std::int64_t edge);

}  // namespace voxcc::bench
