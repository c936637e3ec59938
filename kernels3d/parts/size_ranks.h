// Ranks the components of all parts by size, with the components of one part in memory.
//
//   add    sorts the components of a part, and writes them outside of memory       a run per part
//   rank   merges all runs, and writes the ranks in place of the numbers
//   of     reads the ranks of a part
#pragma once
#include <voxcc/parts.h>

#include <cstddef>

namespace voxcc::parts {

class SizeRanks {
public:
    /// @param scratch must outlive this object
    SizeRanks(Scratch& scratch, std::int64_t parts) : scratch_(scratch), runs_(static_cast<std::size_t>(parts)) {}
    struct Component {
        std::uint64_t voxels, number;  // number: in the raster order of the volume
        std::uint64_t in_part;         // number in its part
    };
    /// Adds all components that begin in a part. Must be called at most once per part, and before rank().
    void add(std::int64_t part, std::vector<Component> components);
    /// Ranks all components: the largest first, and of equal sizes the smallest number first. @return the number of components
    std::uint64_t rank();
    struct Ranked {
        std::uint32_t in_part;
        std::uint64_t rank;  // from 1 on
    };
    /// The components of a part, ascending by number in the part. Needs rank().
    std::vector<Ranked> of(std::int64_t part) const;

private:
    struct Run {
        std::uint64_t place = 0, count = 0;  // place: in scratch_, of the first component
    };
    class Reader;
    Scratch& scratch_;
    std::vector<Run> runs_;  // by part
};

}  // namespace voxcc::parts
