// Instruction sets for which the CPU code has versions. Every version gives the same labels.
#pragma once
#include <array>
#include <cstdint>

namespace voxcc::block_runs {

enum class Isa : std::uint8_t { portable, avx2, avx512 };  // portable: for every processor

/// "portable", "avx2", "avx512"
constexpr const char* name_of(Isa isa) { return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable"; }

/// All instruction sets, each wider than the one before it.
inline constexpr std::array all_isas{Isa::portable, Isa::avx2, Isa::avx512};

/// Whether this build and this processor support the instruction set.
bool supports(Isa isa);

/// The widest instruction set that this build and this processor support.
Isa best_isa();

/// The instruction set of all calls that do not state one: best_isa(), until set_default_isa() sets another. Thread-safe.
Isa default_isa();

/// Sets default_isa() for the process. Must not be called while a volume is labelled.
/// @throw Error no_device if this build or this processor does not support the instruction set
void set_default_isa(Isa isa);

/// How painted rows are written. cached: the rows are read again soon, for example to be compressed. streaming: the rows are written to
/// memory without going through the caches.
enum class Stores : std::uint8_t { cached, streaming };

}  // namespace voxcc::block_runs
