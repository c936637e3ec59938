// Random decisions that are identical on every machine and with every standard library.
#pragma once
#include <cmath>
#include <cstdint>
#include <random>

namespace voxcc {

/// Decisions that are true with a given probability. Each decision takes one raw draw of the engine. Not thread-safe.
/// @tparam Engine std::mt19937 (draws of 32 bits) or std::mt19937_64 (draws of 64 bits)
template <class Engine>
class Draws {
public:
    /// @param probability [0, 1]: with 0, all decisions are false; with 1, all are true
    /// @param seed mt19937 uses the low 32 bits
    Draws(double probability, std::uint64_t seed)
        : engine_(typename Engine::result_type(seed & Engine::max())),
          always_(probability >= 1),
          threshold_(always_ ? 0 : std::uint64_t(std::ldexp(probability, Engine::word_size))) {}
    bool operator()() { return std::uint64_t(engine_()) < threshold_ || always_; }

private:
    Engine engine_;
    bool always_;              // probability 1, whose threshold 2^word_size may not fit into 64 bits
    std::uint64_t threshold_;  // probability * 2^word_size, rounded down
};

}  // namespace voxcc
