// The instruction sets that this machine supports; tests run with each of them.
#pragma once
#include "kernels3d/simd/isa.h"

#include <vector>

namespace voxcc {

inline std::vector<Isa> instruction_sets() {
    std::vector<Isa> sets;
    for (const Isa isa : all_isas)
        if (supports(isa)) sets.push_back(isa);
    return sets;
}

}  // namespace voxcc
