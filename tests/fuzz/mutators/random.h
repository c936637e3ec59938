// Random choices of the mutators.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

namespace voxcc::fuzz {

class Choices {
public:
    explicit Choices(unsigned seed) : rng_(seed) {}
    /// @return a number in [0, below); 0 if `below` is 0
    std::uint64_t below(std::uint64_t below) { return below == 0 ? 0 : rng_() % below; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }
    template <class T>
    const T& of(const std::vector<T>& list) {
        return list[below(list.size())];
    }

    /// A value that often shows faults: zero, the largest numbers, numbers around the size of the file or around the old value.
    std::uint64_t value(std::uint64_t old, std::uint64_t file_size) {
        switch (below(12)) {
            case 0: return 0;
            case 1: return 1;
            case 2: return ~std::uint64_t{0};
            case 3: return std::uint64_t{1} << below(64);
            case 4: return (std::uint64_t{1} << below(64)) - 1;
            case 5: return file_size - below(3);
            case 6: return file_size + below(3);
            case 7: return old + 1 + below(8);
            case 8: return old - 1 - below(8);
            case 9: return old << below(8);
            case 10: return below(file_size);
            default: return below(70);
        }
    }

private:
    std::mt19937_64 rng_;
};

}  // namespace voxcc::fuzz
