// The instruction sets that the CPU code has versions for. All of them give the same labels.
#pragma once
#include <cstdint>

namespace voxcc::block_runs {

enum class Isa : std::uint8_t { portable, avx2, avx512 };

/// "portable", "avx2", "avx512"
constexpr const char* name_of(Isa isa) { return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable"; }

/// Whether this processor has the instructions.
bool supports(Isa isa);

/// The widest set of this processor.
Isa best_isa();

/// Whether written rows are read again soon (to be compressed, for example), or go past the caches to memory.
enum class Stores : std::uint8_t { cached, streaming };

}  // namespace voxcc::block_runs
