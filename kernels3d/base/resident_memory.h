// Tells which parts of an array have been written before. Linux gives an array address space first, and a page of memory at the first
// access to it.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace voxcc {

/// The state of an array at one time, in units of 2 MiB, which is the size of a huge page.
class ResidentMemory {
public:
    /// Looks at one page of each unit: 512 MiB take about 0.1 ms. @param memory is not accessed
    explicit ResidentMemory(std::span<const std::byte> memory);

    /// Whether the unit of the byte `offset` had memory when this object was made. If it had not, the first access to it clears a page, and
    /// the page is in the caches afterwards. @param offset less than the size of the array
    bool is_resident(std::size_t offset) const { return units_[(first_ + offset) / unit]; }

private:
    static constexpr std::size_t unit = std::size_t{2} << 20;
    std::size_t first_;  // offset of the array in its first unit
    std::vector<bool> units_;
};

}  // namespace voxcc
