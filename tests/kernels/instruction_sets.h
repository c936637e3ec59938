// The instruction sets that this machine supports; tests run with each of them.
#pragma once
#include "kernels3d/simd/isa.h"

#include <vector>

namespace voxcc {

inline std::vector<block_runs::Isa> instruction_sets() {
    using block_runs::Isa;
    std::vector<Isa> sets;
    for (const Isa isa : block_runs::all_isas)
        if (block_runs::supports(isa)) sets.push_back(isa);
    return sets;
}

}  // namespace voxcc
