// Random decisions that are identical on every machine and with every standard library.
#pragma once
#include <cmath>
#include <cstdint>
#include <random>

namespace voxcc {

/// SplitMix64: see Generator.
class SplitMix64 {
public:
    using result_type = std::uint64_t;
    static constexpr std::size_t word_size = 64;
    static constexpr result_type max() { return ~result_type{0}; }
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
    result_type operator()() { return mixed(state_ += step); }
    void discard(std::uint64_t draws) { state_ += draws * step; }

private:
    static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
    static result_type mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

/// Decisions that are true with a given probability. Each decision takes one raw draw of the engine. Not thread-safe.
/// @tparam Engine std::mt19937 (draws of 32 bits), std::mt19937_64 or SplitMix64 (draws of 64 bits)
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
    /// Makes decisions without a result.
    void skip(std::uint64_t decisions) { engine_.discard(decisions); }

private:
    Engine engine_;
    bool always_;              // probability 1, whose threshold 2^word_size may not fit into 64 bits
    std::uint64_t threshold_;  // probability * 2^word_size, rounded down
};

}  // namespace voxcc
