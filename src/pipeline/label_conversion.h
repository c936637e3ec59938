// Converts painted labels to the voxels of a volume: values of the input, sizes of components, or a mask.
//
//   labels             0  7  7  0  2
//   values (input)     0  9 -4  0  3     the input is 5 9 -4 8 3
//   sizes              0 20 20  0  6     component 7 has 20 voxels, component 2 has 6
//   mask               0  1  1  0  1
#pragma once
#include "src/pipeline/volume_outputs.h"

#include <memory>
#include <span>
#include <vector>

namespace voxcc {

/// The labels of some rows, one after the other.
struct LabelSpan {
    RowRange rows;
    const std::byte* labels = nullptr;  // of an integer type, aligned for it; null if no labels are painted
    ScalarType type = ScalarType::u32;
    std::int64_t count = 0;
};

/// One conversion. All functions are thread-safe.
class LabelConversion {
public:
    virtual ~LabelConversion() = default;
    /// Reads what the conversion of a block needs besides the labels. Must be called once per block. A call may wait for the calls for the
    /// blocks before it.
    /// @param to receives the bytes for convert()
    /// @return false after fail(); the block must then not be converted
    virtual bool read(std::int64_t /*block*/, RowRange /*rows*/, std::vector<std::byte>& /*to*/) { return true; }
    /// @param read the bytes of read() for the same rows
    /// @param out must hold labels.count voxels of the type of the volume
    virtual void convert(const LabelSpan& labels, std::span<const std::byte> read, std::byte* out) const = 0;
    /// Ends all calls of read() that wait.
    virtual void fail() {}
};

/// 1 for each label other than 0, as uint8.
std::unique_ptr<LabelConversion> to_mask();

/// The size of each label. @param sizes in voxels; entry 0, for the background, must be 0. @param type unsigned, holds all sizes
std::unique_ptr<LabelConversion> to_sizes(std::vector<std::uint64_t> sizes, ScalarType type);

/// The voxels of a volume in memory, which need no labels. @param voxels of all rows, must outlive the conversion
std::unique_ptr<LabelConversion> from_memory(std::span<const std::byte> voxels, const Extent& extent, ScalarType type);

/// The value of the input for each label other than 0. @param input must be at row 0, and must outlive the conversion
std::unique_ptr<LabelConversion> to_values(io::VolumeReader& input, const StoredValues& stored);

}  // namespace voxcc
