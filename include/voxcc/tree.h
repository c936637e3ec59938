// The components of all thresholds of a volume, as a tree. The component of a threshold t that contains a voxel is all voxels with values
// of at least t that are connected with it. A lower threshold has larger components, so the components form a tree: a max-tree.
//
//   values      3 1 2 0 2        nodes (value: voxels)        0: 5
//                                                            /    \.
//                                                        1: 3      2: 1
//                                                        /   \.
//                                                    3: 1     2: 1
//
//   const std::vector<float> values{3, 1, 2, 0, 2};
//   const voxcc::ComponentTree tree = voxcc::component_tree(voxcc::view(values.data(), {5, 1, 1}), {});
//   voxcc::branches_of(tree).size();                    // 3: the maxima 3, 2 and 2
//
// The tree of minima is the tree of the negated values. All results are the same for every processor and number of threads.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/threads.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace voxcc {

/// Which voxels a tree has, and which of them are connected.
struct TreeRule {
    Connectivity connectivity = Connectivity::c26;  // c4 and c8: each z-slice has its own trees
    /// minima: thresholds are upper limits. Everything that is said about values then holds for the negated values.
    enum class Extrema : std::uint8_t { maxima, minima } extrema = Extrema::maxima;
    enum class Values : std::uint8_t { all, above_zero } values = Values::all;  // above_zero: only voxels with values above 0
    const std::uint8_t* mask = nullptr;  // one byte per voxel, x fastest; voxels where it is 0 are not in the tree. Null: no mask
};

/// What a tree is computed with. No member changes a result.
struct TreeExecution {
    std::string_view subject = "volume";  // name of the volume in error messages; valid during the call
    std::int64_t most_bytes = -1;         // limit of tree_bytes(); -1: none
};

/// The largest number of bytes that component_tree() holds besides the volume. During the sort: 16 per voxel of the tree. Then: 8 per voxel
/// of the tree, 4 per voxel of the volume, and 8 per maximum, of which there are at most half as many as voxels of the volume; 16 per voxel
/// if all voxels are in the tree. The finished tree has 8 bytes per voxel of the tree.
// {2, 2, 1}, c26, 3 voxels in the tree  ->  124
std::int64_t tree_bytes(const Extent& extent, Connectivity connectivity, std::int64_t voxels);

/// A tree for each connected component of its voxels. NaN voxels are not in the tree. The voxels have places: they are ordered by value,
/// and voxels of equal values by raster order (x fastest). A node is all voxels of one value in one component of this threshold, and it is
/// known by its first place. The parent of a node has an earlier place. Copies no values: the volume must outlive the tree.
class ComponentTree {
public:
    using Place = std::uint32_t;
    static constexpr Place none = 0x7fffffff;

    /// The number of places.
    Place size() const { return arrays_.size; }
    /// The index of the voxel in raster order.
    std::uint32_t voxel(Place place) const { return arrays_.voxels[place]; }
    /// Whether the place is the first place of a node.
    bool is_node(Place place) const { return (arrays_.links[place] & in_node) == 0; }
    /// The parent of a node, none for a root. For other places, the node that has the voxel.
    Place link(Place place) const { return arrays_.links[place] & ~in_node; }
    /// The node that has the voxel.
    Place node_of(Place place) const { return is_node(place) ? place : link(place); }
    const VolumeView& volume() const { return volume_; }
    TreeRule::Extrema extrema() const { return extrema_; }

    static constexpr Place in_node = 0x80000000;
    /// The arrays of a tree.
    struct Arrays {
        Place size = 0;
        const std::uint32_t* voxels = nullptr;  // see voxel()
        const Place* links = nullptr;           // a parent, or in_node and a node
        std::shared_ptr<const void> owner;      // of both arrays; copies of the tree share them
    };
    ComponentTree(const VolumeView& volume, TreeRule::Extrema extrema, Arrays arrays)
        : volume_(volume), extrema_(extrema), arrays_(std::move(arrays)) {}

private:
    VolumeView volume_;
    TreeRule::Extrema extrema_;
    Arrays arrays_;
};

/// Builds the tree. Voxels are sorted by value, and added from the highest to the lowest value to sets that are joined when they touch.
/// @param volume without gaps, x fastest: see dense()
/// @throw Error unsupported if the volume has gaps or 2^31 - 1 voxels or more; invalid_file if a voxel of the tree is infinite;
///     out_of_memory if the tree needs more than execution.most_bytes; std::bad_alloc
ComponentTree component_tree(const VolumeView& volume, const TreeRule& rule, const TreeExecution& execution = {});

/// The number of voxels of the component of each node, by place; 0 at places that are not nodes.
std::vector<std::uint32_t> component_sizes(const ComponentTree& tree);

/// The value of a node or voxel, negated for minima. 64-bit integers are rounded to the nearest double.
double value_at(const ComponentTree& tree, ComponentTree::Place place);

/// Threshold-free cluster enhancement (Smith and Nichols 2009, NeuroImage 44, 83): the integral of extent(h)^e h^h_power over the heights
/// h from 0 to the value of a voxel. extent(h) is the number of voxels of the component of the threshold h.
struct TfceRule {
    double e = 0.5, h = 2;  // exponents; at least 0
    /// Above 0: the sum over h = step, 2 step, ... of extent^e h^h step, up to the value. A height that differs from a value by rounding
    /// only (relative difference of 2^-23 for f32, else 2^-51) is reached. Empty: the exact integral.
    std::optional<double> step;
};

/// The largest number of steps of TfceRule.
inline constexpr double most_tfce_steps = 1 << 24;

/// Writes the enhanced values of the voxels in the tree, and leaves other voxels unchanged. Values of a tree of minima are negative, so two
/// calls with both trees give the two-sided result. Memory: 8 bytes per voxel of the tree.
/// @param tree of TreeRule::Values::above_zero
/// @param out one value per voxel of the volume, x fastest; computed in double precision, and rounded once
/// @throw Error invalid_argument if an exponent or the step is not valid, or if there are more than most_tfce_steps steps
// values {1, 2, 2, 0, 1}, e 1, h 0: {3, 5, 5, 0, 1}
template <class Real>
void write_tfce(const ComponentTree& tree, const TfceRule& rule, std::span<Real> out);

/// A maximum, and the components that have it as their highest voxel. When components of two maxima join, the lower maximum ends (elder
/// rule). Of equal maxima, the later one in raster order ends. Values are negated for minima.
struct Branch {
    ComponentTree::Place node = 0;      // the node of the maximum; its voxel is the first one of the maximum in raster order
    double birth = 0;                   // the value of the maximum
    std::optional<double> death;        // the value at which its component joins the component of a higher maximum; empty: never
    double lowest = 0;                  // the lowest value of the component before it joins
    std::uint64_t voxels = 0;           // of this component
    std::optional<std::size_t> parent;  // the branch that it joins
    /// How far a path must descend from the maximum to reach a value above birth. Without such a value: to reach the lowest voxel. Equal
    /// maxima that join before they meet a higher one have the same dynamics.
    double dynamics = 0;
    /// 0-dimensional persistence.
    std::optional<double> persistence() const { return death ? std::optional(birth - *death) : std::nullopt; }
    double height() const { return birth - lowest; }
};

/// All branches, in the order of descending birth, then of raster order. A parent comes before its branches. Memory: 16 bytes per voxel of
/// the tree, and 150 bytes per branch.
// values {3, 1, 2, 0, 2}  ->  births 3, 2, 2; deaths none, 1, 0; voxels 5, 1, 1; parents none, 0, 0
std::vector<Branch> branches_of(const ComponentTree& tree);

/// Writes the dynamics of each maximum to all its voxels, and 0 to all other voxels.
/// @param branches result of branches_of() @param out one value per voxel of the volume
template <class Real>
void write_dynamics(const ComponentTree& tree, std::span<const Branch> branches, std::span<Real> out);

/// Writes 1 to the voxels of the maxima that have dynamics of at least `height`, and 0 to other voxels, as skimage.morphology.h_maxima().
/// These voxels are `height` above the reconstruction of the volume minus `height` under the volume.
void write_h_maxima(const ComponentTree& tree, std::span<const Branch> branches, double height, std::span<std::uint8_t> out);

/// Area opening (Vincent 1993): writes to each voxel of the tree the highest value up to its own at which its component has at least
/// `least_voxels`. Voxels without such a value, and voxels that are not in the tree, get 0. For minima, this is the area closing.
/// @param out one value of the type of the volume per voxel
// values {3, 1, 2, 0, 2}, least_voxels 2  ->  {1, 1, 1, 0, 0}
void write_area_opening(const ComponentTree& tree, std::uint64_t least_voxels, std::byte* out);

/// The components of one threshold.
struct ThresholdCount {
    double threshold = 0;  // voxels with values of at least this are foreground; negated for minima
    std::uint64_t components = 0, voxels = 0;
    bool operator==(const ThresholdCount&) const = default;
};

/// The counts for all distinct values, in ascending order.
// values {3, 1, 2, 0, 2}  ->  {0, 1, 5}, {1, 2, 4}, {2, 3, 3}, {3, 1, 1}
std::vector<ThresholdCount> counts_of(const ComponentTree& tree);

/// The counts for other thresholds. @param counts result of counts_of()
// thresholds {1.5, 9}  ->  {1.5, 3, 3}, {9, 0, 0}
std::vector<ThresholdCount> counts_at(std::span<const ThresholdCount> counts, std::span<const double> thresholds);

}  // namespace voxcc
