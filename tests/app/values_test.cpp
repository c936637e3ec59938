#include "src/cli/values.h"
#include "src/pipeline/device.h"

#include <doctest/doctest.h>

using namespace voxcc;

namespace {

template <class Parse>
std::optional<ErrorKind> kind_of(Parse parse, const std::string& text) {
    try {
        parse(Argument{"--option", text});
    } catch (const Error& error) {
        CHECK(error.subject().starts_with("--option"));
        return error.kind();
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("whole numbers are decimal and within their range") {
    const auto parse = [](const Argument& argument) { return parse_whole(argument, {1, 4096}); };
    CHECK(parse({"", "1"}) == 1);
    CHECK(parse({"", "4096"}) == 4096);
    CHECK(parse({"", "010"}) == 10);
    for (const char* text : {"", "0", "4097", "-1", "+1", "1.0", "1e3", "0x10", " 1", "1 ", "99999999999999999999"}) {
        CAPTURE(text);
        CHECK(kind_of(parse, text) == ErrorKind::invalid_argument);
    }
}

TEST_CASE("memory sizes") {
    CHECK(parse_bytes({"", "1"}) == 1);
    CHECK(parse_bytes({"", "8GiB"}) == std::int64_t{8} << 30);
    CHECK(parse_bytes({"", "8G"}) == std::int64_t{8} << 30);
    CHECK(parse_bytes({"", "500MB"}) == 500'000'000);
    CHECK(parse_bytes({"", "1.5KiB"}) == 1536);
    for (const char* text : {"", "0", "0.1", "-1", "GiB", "8 GiB", "8GIB", "8gb", "1e9", "nan", "inf", "..", "9999999TiB"}) {
        CAPTURE(text);
        CHECK(kind_of(parse_bytes, text) == ErrorKind::invalid_argument);
    }
}

TEST_CASE("sizes are voxels, areas or volumes") {
    const std::pair<const char*, const char*> sizes[] = {
        {"100", "100"},    {"100vox", "100"},     {"100 voxels", "100"}, {"1 voxel", "1"}, {"0.25mm3", "0.25mm3"}, {"5mm^3", "5mm3"},
        {"5mm³", "5mm3"},  {"5 mm3", "5mm3"},     {" 5  mm3 ", "5mm3"},  {"5um3", "5um3"}, {"5µm3", "5um3"},       {"5μm³", "5um3"},
        {"2nm^3", "2nm3"}, {"0.5ml", "500mm3"},   {"2 mL", "2000mm3"},   {"1cm3", "1cm3"}, {"5mm2", "5mm2"},       {"5um²", "5um2"},
        {"3cm^2", "3cm2"}, {"1e3nm2", "1000nm2"}, {"-0mm3", "0mm3"},
    };
    for (const auto& [text, size] : sizes) {
        CAPTURE(text);
        CHECK(text_of(parse_size_limit({"", text})) == size);
    }
    for (const char* text :
         {"",        "mm3",    "1.5",   "-1",     "-1mm3",   "nanmm3", "nan mm3", "infmm3", "5mm",   "5mm4",
          "5mm1",    "5 m m3", "5m3",   "5MM3",   "5mm3mm3", "5mm33",  "5mm^",    "5^3",    "5mm 3", "1e400ml",
          "1e306ml", "1.5vox", "-1vox", "5 5mm3", "0x5mm3",  "1,5mm3", "5l",      "ml",     "5µ3",   "99999999999999999999"}) {
        CAPTURE(text);
        CHECK(kind_of(parse_size_limit, text) == ErrorKind::invalid_argument);
    }
}

TEST_CASE("sizes of one kind are compared") {
    const auto size = [](const char* text) { return parse_size_limit({"", text}); };
    CHECK(is_above(size("6"), size("5")));
    CHECK(!is_above(size("5"), size("5")));
    CHECK(is_above(size("1mm3"), size("999999um3")));
    CHECK(!is_above(size("1um2"), size("2000000nm2")));
    CHECK(!is_above(size("6mm3"), size("5mm2")));
    CHECK(!is_above(size("6"), size("5mm3")));
}

TEST_CASE("distances are in mm, or have a unit") {
    const auto text = [](const char* distance) { return text_of(parse_distance({"", distance})); };
    CHECK(text("8") == "8mm");
    CHECK(text("8 mm") == "8mm");
    CHECK(text("500um") == "500um");
    CHECK(text("2.5cm") == "2.5cm");
    for (const char* distance : {"", "-1", "8vox", "8mm2", "nan", "inf", "mm", "1e400"}) {
        CAPTURE(distance);
        CHECK(kind_of(parse_distance, distance) == ErrorKind::invalid_argument);
    }
}

TEST_CASE("spacing is three positive, finite numbers") {
    CHECK(parse_spacing({"", "0.5,1,2e0"}).steps == std::array<double, 3>{0.5, 1, 2});
    CHECK(parse_spacing({"", "0.5,1,2e0"}).unit == io::LengthUnit::mm);
    CHECK(parse_spacing({"", "0.5, 1, 2 um"}).unit == io::LengthUnit::um);
    CHECK(parse_spacing({"", "5angstrom,1angstrom,2angstrom"}).unit == io::LengthUnit::angstrom);
    for (const char* text : {"", "1", "1,2", "1,2,3,4", "1,2,", ",,", "1,2,0", "1,2,-3", "1,2,nan", "1,2,inf", "1;2;3", "1 2 3"}) {
        CAPTURE(text);
        CHECK(kind_of(parse_spacing, text) == ErrorKind::invalid_argument);
    }
}

TEST_CASE("shapes cannot overflow") {
    CHECK(parse_shape({"", "3,4,5"}) == std::array<std::int64_t, 3>{3, 4, 5});
    CHECK(parse_shape({"", "3,4"}) == std::array<std::int64_t, 3>{3, 4, 1});
    for (const char* text : {"", "3", "3,4,5,6", "0,1,1", "-1,1,1", "1048577,1048576", "1099511627776,1099511627776,1099511627776"}) {
        CAPTURE(text);
        CHECK(kind_of(parse_shape, text) == ErrorKind::invalid_argument);
    }
}

TEST_CASE("the volume size for which a GPU is used grows with the number of threads") {
    std::int64_t last = 1'000'000;
    int threads = 1;
    for (std::optional<std::int64_t> worth; (worth = least_voxels_for_gpu(threads)); ++threads) {
        CHECK(*worth > last);
        last = *worth;
    }
    CHECK(threads > 4);
    CHECK(threads <= 64);
}

TEST_CASE("volumes, axes and devices") {
    CHECK(parse_volume({"", "07"}) == "7");
    CHECK(parse_volume({"", "all"}) == "all");
    CHECK(kind_of(parse_volume, "-1") == ErrorKind::invalid_argument);
    CHECK(kind_of(parse_volume, "ALL") == ErrorKind::invalid_argument);
    CHECK(parse_axes({"", "zx"}) == "zx");
    for (const char* text : {"", "xx", "w", "xyzx", "x,y"}) CHECK(kind_of(parse_axes, text) == ErrorKind::invalid_argument);
    CHECK(parse_device({"", "cpu"}) == "cpu");
    CHECK(parse_device({"", "cuda"}) == "cuda");
    CHECK(parse_device({"", "cuda:3"}) == "cuda:3");
    CHECK(parse_device({"", "cuda:3,0"}) == "cuda:3,0");
    CHECK(parse_device({"", "all"}) == "all");
    for (const char* text : {"", "cuda:", "cuda:-1", "cuda:x", "cuda:0,", "cuda:0,0", "cuda:1024", "cuda:0 1", "cuda,1", "gpu", "CPU"})
        CHECK(kind_of(parse_device, text) == ErrorKind::invalid_argument);
}

TEST_CASE("an option without its value does not consume the next option") {
    CHECK(parse_path({"", "-"}) == "-");
    CHECK(parse_path({"", "./-x"}) == "./-x");
    for (const char* text : {"", "-x", "--stats"}) CHECK(kind_of(parse_path, text) == ErrorKind::invalid_argument);
}
