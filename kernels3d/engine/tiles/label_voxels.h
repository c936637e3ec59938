// Label images in the memory of an executor, as sequences of labels.
#pragma once
#include <voxcc/volume.h>
#include "kernels3d/engine/value_bits.h"

namespace voxcc::block_runs::tiles {

/// Labels without gaps.
struct LabelVoxels {
    const void* labels;
    ScalarType type;  // an integer type
    std::int64_t count;
};

/// The label with these low bits, as a 64-bit pattern.
// 0xfd of i8 -> 0xfffffffffffffffd
inline std::uint64_t label_of_bits(std::uint64_t low_bits, ScalarType type) {
    return visit_scalar(type, [&]<class T>(std::type_identity<T>) { return value_bits(T(low_bits)); });
}

}  // namespace voxcc::block_runs::tiles
