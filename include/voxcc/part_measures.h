// Measures the shape and the contacts of components in parts. Each part counts what it has, with the next voxels beyond its ends, and the
// counts of all parts are added.
//
//   part       HaloedPart: final numbers of one part, and of the first voxels of the next parts, from their faces   (one part)
//   count      HaloedPart::shapes(), HaloedPart::contacts()                                                         (one part)
//   add        ShapeCounts::add(); the counts of LabelContact; PartFeret for diameters                              (all parts)
//
// A pair of voxels, or a cell of 2 x 2 x 2 voxels, is counted by the part that has the smallest coordinates of its voxels. All counts are
// integers, so their sums are the counts of the volume in one piece.
#pragma once
#include <voxcc/contacts.h>
#include <voxcc/parts.h>
#include <voxcc/shape.h>

#include <map>

namespace voxcc::parts {

/// Reads the final numbers of the voxels on a face of a part: as PartState::faces. 0 is background.
using FinalFace = std::function<std::vector<std::uint64_t>(std::int64_t part, int face)>;

/// The shape of a component that is in one part.
struct CompleteShape {
    std::uint64_t number = 0;  // final
    ShapeCounts counts;
    double feret_mm = 0;  // 0 if it is not computed
};

/// The part of the shape of a component that one part knows.
struct OpenShape {
    std::uint64_t number = 0;  // final
    std::uint32_t last_z = 0;  // of the unwrapped component, in the coordinates of the volume; 0 unless it begins in this part
    ShapeCounts counts;
    std::vector<Corner> corners;  // of its voxels in this part, as keep_convex(), unwrapped, in the coordinates of the volume
};

struct PartShapes {
    std::vector<CompleteShape> complete;  // ascending: components whose voxels are all in this part
    std::vector<OpenShape> open;          // ascending: other components with voxels in this part or in the next voxels
};

/// The final numbers of a part and of the next voxels in x, y and z. Memory: 4 bytes per voxel on three faces, and 12 bytes per component.
class HaloedPart {
public:
    /// Calls labelled.prepare_paint(). All arguments except the pool must outlive this object.
    /// @param state of the part, with its sums
    /// @param face called for parts beside this part, possibly several times
    /// @throw Error out_of_memory if there are more than 2^32 - 2 components; the exceptions of `face`
    HaloedPart(const Rules& rules, std::int64_t part, LabelledPart& labelled, const PartState& state, const PartNumbers& numbers,
               const FinalFace& face);
    ~HaloedPart();
    /// @param world for diameters; empty: they are not computed
    PartShapes shapes(const std::optional<World>& world, ThreadPool& pool);
    /// @param connectivity of the contacts. Periodic axes have no contacts across their ends
    /// @return one entry per pair of final numbers, in ascending order
    std::vector<LabelContact> contacts(Connectivity connectivity, ThreadPool& pool);

private:
    class Numbers;
    const Rules& rules_;
    std::int64_t part_;
    LabelledPart& labelled_;
    const PartState& state_;
    const PartNumbers& numbers_;
    std::unique_ptr<Numbers> halo_;
};

/// The Feret diameters of components that are in several parts. Memory: the corners of the outlines of components that are not complete.
class PartFeret {
public:
    PartFeret(Space space, const World& world) : space_(space), world_(world) {}
    /// Adds the corners of a component in one part.
    void add(std::uint64_t number, std::span<const Corner> corners);
    /// Computes the diameters of components for which is_complete(number) is true, and forgets their corners.
    /// @return numbers and diameters in mm, ascending
    std::vector<std::pair<std::uint64_t, double>> complete(const std::function<bool(std::uint64_t)>& is_complete, ThreadPool& pool);

private:
    Space space_;
    World world_;
    std::map<std::uint64_t, std::vector<Corner>> open_;
};

}  // namespace voxcc::parts
