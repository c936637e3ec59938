// The pieces of the components of a periodic volume: see kernels3d/engine/periodic.h. A piece is a component of the volume without
// periodic axes.
//
// Pieces are numbered by their first voxels, so base/pieces.h numbers the components.
#pragma once
#include <voxcc/label.h>
#include "kernels3d/engine/periodic.h"

#include <functional>
#include <span>
#include <vector>

namespace voxcc::block_runs {

/// Two voxels at opposite ends that are neighbours around the end, and their pieces.
struct EndPair {
    std::uint64_t piece, other_piece;
    std::array<std::int64_t, 3> voxel, other_voxel;
};

/// Which neighbours around the ends belong together.
struct EndRule {
    Connectivity connectivity = Connectivity::c26;      // reduced to the extent
    Axis slices = Axis::z;                              // across the slices of c4 and c8
    std::function<bool(const EndPair&)> connects = {};  // empty: all neighbours
    /// Whether two neighbours of a voxel that are connected with the voxel are always connected with each other, if they are neighbours.
    enum class Transitive : std::uint8_t { yes, no } transitive = Transitive::yes;
    MemoryLimit* memory = nullptr;  // for the pieces at the ends while they are joined; null: no limit
};

/// Components as sets of pieces.
class Pieces {
public:
    /// Joins pieces.
    /// @param count number of pieces
    /// @param numbers of the voxels at the ends of the periodic axes, in 4 or 8 bytes; 0 is background
    /// @throw Error unsupported if an unwrapped component is 2^32 voxels long or longer; MemoryLimitReached
    Pieces(std::uint64_t count, const Ends& numbers, const EndRule& rule);
    std::uint64_t components() const { return sections_.components; }
    /// Null if no component has a shift or wraps around an axis.
    const Sections* sections() const { return sections_.shifted.empty() && sections_.wraps.empty() ? nullptr : &sections_; }
    /// Whether each component is one piece, so that components have the numbers of the pieces.
    bool are_components() const { return merged_.empty(); }
    /// The bytes of this object, and of the result of sums() without the sums of pieces.
    std::int64_t bytes() const;
    std::int64_t bytes_of_sums() const;
    /// What is painted for each piece, by its number - 1.
    /// @param final_numbers by component - 1; empty: components keep their numbers
    // pieces 1 and 3 are component 1, piece 2 is component 2; {7, 9}  ->  {7, 9, 7}
    std::vector<std::uint64_t> painted(std::span<const std::uint64_t> final_numbers) const;
    /// Same, with one final number per section; empty: sections keep their numbers.
    std::vector<std::uint64_t> painted_sections(std::span<const std::uint64_t> final_numbers) const;
    /// The unwrapped sums of the components.
    SumTable sums(const SumTable& of_pieces) const;
    /// The value of the first piece of each component. @param of_pieces by number - 1
    std::vector<std::uint64_t> first_values(const std::vector<std::uint64_t>& of_pieces) const;
    /// Calls use(piece, component) for all pieces, in ascending order.
    template <class Use>
    void for_each(const Use& use) const {
        std::size_t at = 0;
        std::uint64_t merged = 0;
        for (std::uint64_t piece = 1; piece <= count_; ++piece) {
            std::uint64_t component = piece - merged;
            if (at < listed_.size() && listed_[at].piece == piece) {
                if (listed_[at].component != component) ++merged;
                component = listed_[at++].component;
            }
            use(piece, component);
        }
    }

private:
    /// A piece of a component of several pieces.
    struct Listed {
        std::uint64_t piece, component, section;
    };
    struct Joined;
    class Rows;
    void list(const Joined& joined);
    void add_sections(const std::vector<Section>& of_listed);

    Extent extent_;
    std::uint64_t count_;
    std::vector<Listed> listed_;         // ascending by piece
    std::vector<std::uint64_t> merged_;  // ascending: the pieces that are not the first of their component
    Sections sections_;
};

}  // namespace voxcc::block_runs
