// Random decisions that are identical on every machine and with every standard library.
#pragma once
#include <cmath>
#include <cstdint>
#include <random>

namespace voxcc {

/// Decisions that are true with a given probability. Each decision takes one raw 64-bit draw of std::mt19937_64. Not thread-safe.
class Draws {
public:
    /// @param probability [0, 1]: with 0, all decisions are false; with 1, all are true
    Draws(double probability, std::uint64_t seed)
        : generator_(seed), always_(probability >= 1), threshold_(always_ ? 0 : std::uint64_t(std::ldexp(probability, 64))) {}
    bool operator()() { return generator_() < threshold_ || always_; }

private:
    std::mt19937_64 generator_;
    bool always_;              // probability 1, whose threshold 2^64 does not fit into 64 bits
    std::uint64_t threshold_;  // probability * 2^64, exact
};

}  // namespace voxcc
