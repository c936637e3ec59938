// Contents of gzip files for tests.
#pragma once
#include <cmath>
#include <random>
#include <string>

namespace voxcc::test {

// Runs of equal bytes, as in label volumes, followed by random bytes that cannot be compressed.
inline std::string labels(std::size_t size) {
    std::mt19937 random(7);
    std::string text;
    while (text.size() < size * 3 / 4) text.append(random() % 90, char(random() % 5));
    while (text.size() < size) text += char(random());
    text.resize(size);
    return text;
}

inline std::string noise(std::size_t size) {
    std::mt19937 random(3);
    std::string text(size, '\0');
    for (char& c : text) c = char(random());
    return text;
}

// int16 values of a smooth image with noise, and a region of zeros: like a CT.
inline std::string image(std::size_t size, unsigned seed = 5) {
    std::mt19937 random(seed);
    std::string text;
    for (std::size_t i = 0; text.size() < size; ++i) {
        const bool air = i / 60'000 % 4 == 3;
        const int value = air ? 0 : int(800 * std::sin(double(i) / 900)) + int(random() % 64);
        text += char(value & 255);
        text += char(value >> 8);
    }
    return text;
}

inline std::string text_of_words(std::size_t size) {
    std::mt19937 random(11);
    std::string text;
    while (text.size() < size) text += "voxel " + std::to_string(random() % 5000) + (random() % 9 == 0 ? "\n" : " ");
    return text;
}

}  // namespace voxcc::test
