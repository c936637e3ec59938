// Tests generated volumes with values, and the criteria by which the bench connects voxels.
#include "lab/evaluations/bench.h"
#include "lab/evaluations/volumes.h"

#include <doctest/doctest.h>

#include "device.h"
#include "kernels/oracle.h"

#include <cstring>
#include <map>
#include <set>
#include <sstream>

using namespace voxcc;
using namespace voxcc::bench;

namespace {

Volume only(const std::string& name, const Extent& extent) {
    const auto volumes = named_volumes(name, extent);
    REQUIRE(volumes.size() == 1);
    return volumes.front();
}

/// The values of a volume with one byte per channel.
std::vector<std::vector<int>> channels_of(const Volume& volume) {
    const std::vector<std::byte> bytes = volume.values();
    const std::size_t size = std::size_t(size_of(volume.value_type));
    REQUIRE(bytes.size() == size * std::size_t(volume.extent.voxels()));
    std::vector<std::vector<int>> voxels;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
        voxels.emplace_back();
        for (std::size_t c = 0; c < size; ++c) voxels.back().push_back(int(bytes[at + c]));
    }
    return voxels;
}

/// A volume of one slice with packed colours of 3 channels.
Volume colour_image(std::int64_t nx, const std::vector<std::uint32_t>& colours) {
    Volume volume{"image", {}, {nx, std::int64_t(colours.size()) / nx, 1}, [colours] {
                      std::vector<std::uint8_t> voxels;
                      for (const std::uint32_t colour : colours) voxels.push_back(colour != 0);
                      return voxels;
                  }};
    volume.channels = 3;
    volume.value_type = ScalarType::u32;
    volume.values = [colours] {
        const auto bytes = std::as_bytes(std::span(colours));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    return volume;
}

/// The number of components that each algorithm found by criterion: ["uf"]["equal"] = 3.
using Components = std::map<std::string, std::map<std::string, double>>;
Components components(const std::vector<std::pair<const char*, const char*>>& given, const std::vector<Volume>& inputs = {}) {
    Options options;
    options.device = test_device();
    options.repeat = 1;
    for (const auto& [name, text] : given) assign(options, name, text);
    Components found;
    run(options, "version", inputs,
        [&](std::string_view text) {
            std::istringstream lines{std::string(text)};
            for (std::string line; std::getline(lines, line);) {
                if (line.find(",labelling,components,") == std::string::npos) continue;
                std::istringstream columns(line.substr(line.find(",average,") + 9));
                std::string algorithm, connectivity, volume, parameters, phase, statistic, value;
                for (std::string* column : {&algorithm, &connectivity, &volume, &parameters, &phase, &statistic, &value})
                    std::getline(columns, *column, ',');
                const std::size_t at = parameters.find("criterion=");
                found[algorithm][at == std::string::npos ? "foreground" : parameters.substr(at + 10)] = std::stod(value);
            }
        },
        {[](std::int64_t, std::int64_t) {}, [](const std::string&) {}});
    return found;
}

}  // namespace

TEST_CASE("bench volumes: values have their type, are never background, and follow the seed") {
    for (const auto& [type, channels] : {std::pair("grey", 1), {"rgb", 3}, {"rgba", 4}})
        for (const std::string& name : {std::string("random-") + type + "-5-g2", std::string("smooth-") + type + "-4"}) {
            CAPTURE(name);
            const Volume volume = only(name, {21, 18, 3});
            CHECK(volume.channels == channels);
            CHECK(volume.value_type == (channels == 1 ? ScalarType::u8 : ScalarType::u32));
            for (const std::vector<int>& voxel : channels_of(volume))
                for (int c = 0; c < int(voxel.size()); ++c) CHECK((voxel[std::size_t(c)] > 0) == (c < channels));
            CHECK(volume.voxels() == std::vector<std::uint8_t>(21 * 18 * 3, 1));
            CHECK(volume.values() == only(name, {21, 18, 3}).values());
            const auto seeds = named_volumes(name, {21, 18, 3}, {.images = 2});
            REQUIRE(seeds.size() == 2);
            CHECK(seeds[0].values() == volume.values());
            CHECK(seeds[1].values() != volume.values());
        }
}

TEST_CASE("bench volumes: random values are equal within cubes, and have the requested number") {
    const Volume volume = only("random-rgb-5-g4", {40, 32, 8});
    CHECK(volume.parameters == "values=5 granularity=4");
    const auto voxels = channels_of(volume);
    std::set<std::vector<int>> different;
    for (std::size_t i = 0; i < voxels.size(); ++i) {
        const std::size_t x = i % 40 / 4 * 4, y = i / 40 % 32 / 4 * 4, z = i / 1280 / 4 * 4;
        CHECK(voxels[i] == voxels[(z * 32 + y) * 40 + x]);
        different.insert(voxels[i]);
    }
    CHECK(different.size() == 5);
}

TEST_CASE("bench volumes: neighbours of a smooth volume differ little, and distant voxels much") {
    const Volume volume = only("smooth-rgba-16", {97, 80, 1});
    CHECK(volume.parameters == "scale=16");
    const auto voxels = channels_of(volume);
    int least = 255, most = 0;
    for (std::size_t i = 0; i < voxels.size(); ++i)
        for (std::size_t c = 0; c < 4; ++c) {
            least = std::min(least, voxels[i][c]), most = std::max(most, voxels[i][c]);
            // Linear between values of 1 to 255 that are 16 voxels apart, and rounded down.
            if (i % 97 > 0) CHECK(std::abs(voxels[i][c] - voxels[i - 1][c]) <= 254 / 16 + 1);
            if (i >= 97) CHECK(std::abs(voxels[i][c] - voxels[i - 97][c]) <= 254 / 16 + 1);
        }
    CHECK(least < 40);
    CHECK(most > 215);
}

TEST_CASE("bench volumes: names of volumes with values that are not valid") {
    for (const char* name :
         {"smooth-rgb-0", "smooth-rgb", "smooth-cmyk-4", "random-rgb-0-g1", "random-rgb-4-g0", "random-rgb-*-g1", "smooth-grey-*"})
        CHECK_THROWS_AS(named_volumes(name, {8, 8, 1}), Error);
}

TEST_CASE("bench: criteria of colours, counted by hand") {
    // 4 neighbours. The colours differ by 3 and 2 (first row), and by 5 (second row); 0 is background.
    //   0a0000 0d0000 0d0200
    //   000000 000000 0d0207
    const Volume image = colour_image(3, {0x00000a, 0x00000d, 0x00020d, 0, 0, 0x07020d});
    const Components found = components(
        {{"--algorithms", "all"}, {"--connectivity", "4"}, {"--criterion", "equal,colour:1,colour:2,colour:3,colour:6.5,colour:7"}},
        {image});
    CHECK(found.size() == 5);
    for (const auto& [algorithm, by_criterion] : found) {
        CAPTURE(algorithm);
        CHECK(algorithm.starts_with("ziegler-"));
        CHECK(by_criterion == std::map<std::string, double>{
                                  {"equal", 4}, {"colour:1", 4}, {"colour:2", 3}, {"colour:3", 2}, {"colour:6.5", 2}, {"colour:7", 1}});
    }
    CHECK_THROWS_AS(components({{"--algorithms", "all"}}, {image}), Error);
    CHECK_THROWS_AS(components({{"--criterion", "difference:1"}}, {image}), Error);
}

TEST_CASE("bench: criteria of grey values, against a flood fill") {
    const Volume image = only("smooth-grey-4", {31, 23, 1});
    const auto voxels = channels_of(image);
    const auto count = [&](int most) {
        return double(oracle::flood_fill_by(
                          {31, 23, 1}, 8, {}, [](long) { return true; },
                          [&](long i, long j) { return std::abs(voxels[std::size_t(i)][0] - voxels[std::size_t(j)][0]) <= most; })
                          .count);
    };
    const Components found = components({{"--algorithms", "ziegler-links,ziegler-masters,uf"},
                                         {"--volumes", "smooth-grey-4"},
                                         {"--shape", "31,23"},
                                         {"--connectivity", "8"},
                                         {"--criterion", "foreground,equal,difference:6,difference:12"}});
    CHECK(found.size() == 3);
    CHECK(found.at("uf") == std::map<std::string, double>{{"foreground", 1}});
    for (const char* algorithm : {"ziegler-links", "ziegler-masters"})
        CHECK(found.at(algorithm) == std::map<std::string, double>{
                                         {"foreground", 1}, {"equal", count(0)}, {"difference:6", count(6)}, {"difference:12", count(12)}});
    CHECK(count(6) > count(12));
    CHECK(count(12) > 1);
    CHECK_THROWS_AS(components({{"--criterion", "colour:1"}, {"--volumes", "smooth-grey-4"}}), Error);
    CHECK_THROWS_AS(components({{"--criterion", "equal"}, {"--tests", "memory"}, {"--volumes", "smooth-grey-4"}, {"--size", "8"}}), Error);
}
