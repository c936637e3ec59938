// Random decisions that are the same on every machine and with every standard library.
#pragma once
#include <cmath>
#include <cstdint>
#include <random>

namespace voxcc {

/// Decisions that are true with one probability: one draw of the raw 64 bits of std::mt19937_64 each.
class Draws {
public:
    /// @param probability 0..1: 0 is never true, 1 always
    Draws(double probability, std::uint64_t seed)
        : generator_(seed), always_(probability >= 1), threshold_(always_ ? 0 : std::uint64_t(std::ldexp(probability, 64))) {}
    bool operator()() { return generator_() < threshold_ || always_; }

private:
    std::mt19937_64 generator_;
    bool always_;              // there is no threshold for it in 64 bits
    std::uint64_t threshold_;  // probability * 2^64, exact
};

}  // namespace voxcc
