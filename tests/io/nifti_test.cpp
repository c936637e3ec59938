#include "tests/io/nifti_files.h"

#include <cmath>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

const std::string data_folder = VOXCC_TEST_DATA;

/// Describes small_file() after change(bytes).
template <class F>
VolumeInfo described(F&& change, const OpenOptions& options = {}) {
    const TemporaryFolder folder;
    Bytes file = small_file();
    change(file);
    put_file(folder / "x.nii", file.text);
    return describe_volume(folder / "x.nii", options);
}

// Whether the file states an affine that cannot be used.
bool has_no_place(const VolumeInfo& info) { return info.geometry.affine && !is_invertible(*info.geometry.affine); }

}  // namespace

TEST_CASE("NIfTI: both versions and byte orders, plain and gzip, read in any step") {
    const TemporaryFolder folder;
    for (const std::endian order : {std::endian::little, std::endian::big})
        for (const std::string& content : {small_file(order).text, small_nifti2(order).text, gzipped(small_file(order).text)}) {
            put_file(folder / "x.nii", content);  // the name does not matter, even for gzip
            const auto reader = open_volume(folder / "x.nii");
            CHECK(reader->info().extent == Extent{3, 2, 2});
            CHECK(reader->info().type == ScalarType::i16);
            CHECK(reader->info().dimensions == 3);
            CHECK(reader->info().geometry.spacing == std::array<double, 3>{2, 3, 4});
            CHECK_FALSE(reader->info().geometry.affine);
            CHECK(reader->info().warnings.empty());
            for (const std::int64_t step : {1, 3, 4}) {
                CHECK(values_of(*reader, step) == count_up());
                reader->rewind();
            }
            CHECK(kind_of([&] { reader->read_rows({4, 1}, nullptr); }) == ErrorKind::internal);  // after the end
            if (reader->reads_anywhere()) {
                std::array<std::int16_t, 3> row{};
                reader->read_rows({1, 1}, std::as_writable_bytes(std::span(row)).data());
                CHECK(std::equal(row.begin(), row.end(), count_up().begin() + 3));
            } else {
                CHECK(kind_of([&] { reader->read_rows({1, 1}, nullptr); }) == ErrorKind::internal);
            }
        }
}

TEST_CASE("NIfTI: a file truncated at any length is refused") {
    const TemporaryFolder folder;
    for (const std::string& whole : {small_file().text, small_nifti2(std::endian::big).text, gzipped(small_file().text)})
        for (std::size_t size = 0; size < whole.size(); ++size) {
            CAPTURE(size);
            put_file(folder / "x.nii", whole.substr(0, size));
            CHECK(about_content(kind_of_reading(folder / "x.nii")));
        }
    put_file(folder / "x.nii", gzipped(small_file().text.substr(0, 370)));  // truncated before compression
    CHECK(kind_of_reading(folder / "x.nii") == ErrorKind::invalid_file);
    put_file(folder / "x.nii", small_file().text.substr(0, 375));
    CHECK(message_of([&] { open_volume(folder / "x.nii"); }).find("expected 376 bytes by its header, got 375") != std::string::npos);
}

TEST_CASE("NIfTI: bytes after the voxels give a warning, and gzip checks their CRC") {
    const TemporaryFolder folder;
    put_file(folder / "x.nii", small_file().text + "tail");
    CHECK(has_warning(open_volume(folder / "x.nii")->info(), "4 bytes after the voxels"));
    CHECK(values_of(folder / "x.nii") == count_up());
    std::string packed = gzipped(small_file().text + std::string(100, 'x'));
    put_file(folder / "x.nii.gz", packed);
    CHECK(values_of(folder / "x.nii.gz") == count_up());
    packed[packed.size() - 6] = char(packed[packed.size() - 6] ^ 1);
    put_file(folder / "x.nii.gz", packed);
    CHECK(kind_of_reading(folder / "x.nii.gz") == ErrorKind::corrupt_file);
    put_file(folder / "x.nii.gz", gzipped(small_file().text) + "garbage after the stream");
    CHECK(kind_of_reading(folder / "x.nii.gz") == ErrorKind::corrupt_file);
}

TEST_CASE("NIfTI: invalid headers are refused before memory is allocated") {
    const TemporaryFolder folder;
    const auto refused = [&](auto&& change) {
        Bytes file = small_file();
        change(file);
        put_file(folder / "x.nii", file.text);
        put_file(folder / "x.nii.gz", gzipped(file.text));
        for (const char* name : {"x.nii", "x.nii.gz"}) {
            CHECK(about_content(kind_of_reading(folder / name)));
            CHECK(about_content(kind_of([&] { describe_volume(folder / name); })));
        }
    };
    for (const std::int16_t rank : {-1, 0, 8, 200}) refused([&](Bytes& f) { f.put<std::int16_t>(40, rank); });
    for (const std::size_t axis : {1u, 2u, 3u})
        for (const std::int16_t n : {-3, 0, 30000}) refused([&](Bytes& f) { f.put<std::int16_t>(40 + 2 * axis, n); });
    refused([](Bytes& f) {
        for (std::size_t axis = 1; axis <= 7; ++axis) f.put<std::int16_t>(40 + 2 * axis, 32767);
        f.put<std::int16_t>(40, 7);
    });
    refused([](Bytes& f) { f.put<std::int16_t>(40, 5), f.put<std::int16_t>(50, -1); });
    for (const std::int16_t type : {0, 1, 3, 32, 128, 1792, 2048, 2304}) refused([&](Bytes& f) { f.put<std::int16_t>(70, type); });
    for (const float offset : {0.0f, 348.0f, 351.0f, -352.0f, 352.5f, 1e30f, INFINITY, NAN}) refused([&](Bytes& f) { f.put(108, offset); });
    refused([](Bytes& f) { f.put<std::int32_t>(0, 349); });
    refused([](Bytes& f) { f.text.replace(344, 4, std::string(4, '\0')); });  // Analyze
    refused([](Bytes& f) { f.text.replace(344, 3, "n+3"); });

    Bytes huge = small_nifti2(std::endian::little);
    for (std::size_t axis = 1; axis <= 3; ++axis) huge.put<std::int64_t>(16 + 8 * axis, std::int64_t{1} << 40);
    put_file(folder / "x.nii", huge.text);
    CHECK(kind_of_reading(folder / "x.nii") == ErrorKind::invalid_extent);
    Bytes far = small_nifti2(std::endian::little);
    far.put<std::int64_t>(168, std::numeric_limits<std::int64_t>::max());
    put_file(folder / "x.nii", far.text);
    CHECK(kind_of_reading(folder / "x.nii") == ErrorKind::invalid_file);
}

TEST_CASE("NIfTI: extensions must stay within their bounds") {
    const TemporaryFolder folder;
    const auto with_extension = [&](std::int32_t size, std::int32_t offset) {
        Bytes file = small_header();
        file.put<char>(348, 1);
        file.put<float>(108, float(offset));
        file.append(size);
        file.append<std::int32_t>(6);
        file.text += "comment of 24 bytes.....";
        for (std::int16_t i = 0; i < small_voxels; ++i) file.append(i);
        put_file(folder / "x.nii", file.text);
        return kind_of_reading(folder / "x.nii");
    };
    CHECK_FALSE(with_extension(32, 384));
    CHECK(values_of(folder / "x.nii") == count_up());
    for (const std::int32_t size : {-16, 0, 8, 17, 24, 48, 1 << 30}) {
        CAPTURE(size);
        CHECK(with_extension(size, 384) == ErrorKind::invalid_file);
    }
}

TEST_CASE("NIfTI: every type of number is read exactly; float128 becomes float64") {
    const TemporaryFolder folder;
    const auto read = [&]<class T>(std::int16_t code, const std::vector<T>& values, std::endian order) {
        Bytes file = small_header(order);
        file.put<std::int16_t>(42, std::int16_t(values.size()));
        file.put<std::int16_t>(44, 1), file.put<std::int16_t>(46, 1);
        file.put(70, code), file.put<std::int16_t>(72, 8 * sizeof(T));
        for (const T& value : values) file.append(value);
        put_file(folder / "x.nii", file.text);
        const auto reader = open_volume(folder / "x.nii");
        return bytes_of(*reader, 1);
    };
    const auto check = [&]<class T>(std::int16_t code, const std::vector<T>& values) {
        for (const std::endian order : {std::endian::little, std::endian::big}) {
            const std::vector<std::byte> bytes = read(code, values, order);
            CHECK(bytes.size() == values.size() * sizeof(T));
            CHECK(std::memcmp(bytes.data(), values.data(), bytes.size()) == 0);
        }
    };
    check(2, std::vector<std::uint8_t>{0, 200, 255});
    check(256, std::vector<std::int8_t>{-128, 0, 127});
    check(4, std::vector<std::int16_t>{-32768, 1, 32767});
    check(512, std::vector<std::uint16_t>{1, 40000, 65535});
    check(8, std::vector<std::int32_t>{-2147483647, 2, 2147483647});
    check(768, std::vector<std::uint32_t>{1, 4294967295u});
    check(1024, std::vector<std::int64_t>{-9007199254740993, 9007199254740993});
    check(1280, std::vector<std::uint64_t>{1, 18446744073709551615u});
    check(16, std::vector<float>{1.5f, -INFINITY, 1e-40f});
    check(64, std::vector<double>{0.1, INFINITY, 5e-324});

    using Quad = std::array<std::uint64_t, 2>;  // low, high
    const auto quad = [](std::uint64_t high, std::uint64_t low) { return Quad{low, high}; };
    const std::vector<Quad> quads{quad(0x3fff800000000000, 0), quad(0xc000921fb54442d1, 0x8469898cc51701b8), quad(0, 0),
                                  quad(0x7fff000000000000, 0), quad(0x3fff000000000000, 0x0800000000000001), quad(0x3c00000000000000, 0)};
    const std::vector<double> expected{1.5, -3.141592653589793, 0, INFINITY, 1 + 0x1p-52, 0x1p-1023};
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        const std::vector<std::byte> bytes = read(1536, quads, order);
        std::vector<double> values(expected.size());
        REQUIRE(bytes.size() == values.size() * 8);
        std::memcpy(values.data(), bytes.data(), bytes.size());
        CHECK(values == expected);
    }
    // 1.0 as an 80-bit x87 number stored in 16 bytes must be refused.
    CHECK(kind_of([&] { read(1536, std::vector{quad(0x3fff, 0x8000000000000000)}, std::endian::little); }) == ErrorKind::invalid_file);
}

TEST_CASE("NIfTI: one of several volumes must be chosen") {
    const TemporaryFolder folder;
    Bytes file = small_header();
    file.put<std::int16_t>(40, 5), file.put<std::int16_t>(48, 2), file.put<std::int16_t>(50, 3);
    for (std::int16_t i = 0; i < 6 * small_voxels; ++i) file.append(i);
    for (const std::string& content : {file.text, gzipped(file.text)}) {
        put_file(folder / "x.nii", content);
        CHECK(kind_of_reading(folder / "x.nii") == ErrorKind::several_volumes);
        const std::string message = message_of([&] { open_volume(folder / "x.nii"); });
        CHECK(choices_of([&] { open_volume(folder / "x.nii"); }) == "0..5");
        CHECK(message.find("6 volumes") != std::string::npos);
        CHECK(describe_volume(folder / "x.nii").volumes == 6);
        CHECK(describe_volume(folder / "x.nii").extent == Extent{3, 2, 2});
        for (const std::int64_t volume : {0, 4, 5}) {
            OpenOptions options;
            options.volume = volume;
            CHECK(values_of(folder / "x.nii", options).front() == double(volume * small_voxels));
        }
        for (const std::int64_t volume : {-1, 6}) {
            OpenOptions options;
            options.volume = volume;
            CHECK(kind_of([&] { open_volume(folder / "x.nii", options); }) == ErrorKind::no_such_volume);
        }
    }
}

TEST_CASE("NIfTI: scaling and flat images") {
    CHECK(described([](Bytes&) {}).scaling.is_identity());
    const Scaling scaling = described([](Bytes& f) { f.put(112, 0.5f), f.put(116, -1024.0f); }).scaling;
    CHECK(scaling.slope == 0.5);
    CHECK(scaling.intercept == -1024);
    CHECK(described([](Bytes& f) { f.put(112, 0.0f), f.put(116, -1024.0f); }).scaling.is_identity());
    CHECK(described([](Bytes& f) { f.put(112, float(NAN)), f.put(116, float(NAN)); }).scaling.is_identity());
    const VolumeInfo odd = described([](Bytes& f) { f.put(112, float(INFINITY)); });
    CHECK(odd.scaling.is_identity());
    CHECK(has_warning(odd, "scl_slope"));
    const VolumeInfo flat = described([](Bytes& f) { f.put<std::int16_t>(40, 2), f.put<std::int16_t>(44, 4), f.put(88, 0.0f); });
    CHECK(flat.dimensions == 2);
    CHECK(flat.extent == Extent{3, 4, 1});
    CHECK(flat.geometry.spacing == std::array<double, 3>{2, 3, 1});
    CHECK(described([](Bytes& f) { f.put<std::int16_t>(44, 4), f.put<std::int16_t>(46, 1); }).dimensions == 2);
}

TEST_CASE("NIfTI: geometry from sform, qform or spacing, in mm; invalid values give a warning") {
    const auto sform = [](Bytes& f) {
        f.put<std::int16_t>(254, 2);
        const std::array<float, 12> rows{-2, 0, 0.5f, 10, 0, 3, 0, -20, 0.25f, 0, 4, 30};
        for (std::size_t i = 0; i < 12; ++i) f.put(280 + 4 * i, rows[i]);
    };
    const Affine expected{{{-2, 0, 0.5, 10}, {0, 3, 0, -20}, {0.25, 0, 4, 30}}};
    CHECK(described(sform).geometry.affine == expected);
    CHECK(described([&](Bytes& f) { sform(f), f.put<char>(123, 3); }).geometry.unit == LengthUnit::um);
    CHECK(described([&](Bytes& f) { sform(f), f.put<char>(123, 1); }).geometry.unit == LengthUnit::m);
    CHECK(described([&](Bytes& f) { sform(f), f.put<char>(123, 1); }).geometry.affine.value()[0][3] == 10);
    CHECK(described([&](Bytes& f) { sform(f), f.put<char>(123, 0); }).geometry.unit == LengthUnit::mm);
    CHECK(described([&](Bytes& f) { sform(f), f.put<char>(123, 0); }).geometry.affine == expected);

    // A quarter turn about z, mirrored: b = c = 0, d = sqrt(1/2), qfac = -1.
    const auto qform = [](Bytes& f) {
        f.put<std::int16_t>(252, 1);
        f.put(76, -1.0f), f.put(264, float(std::sqrt(0.5)));
        f.put(268, 5.0f), f.put(272, 6.0f), f.put(276, 7.0f);
    };
    const VolumeInfo turned = described(qform);
    const Affine quarter{{{0, -3, 0, 5}, {2, 0, 0, 6}, {0, 0, -4, 7}}};
    REQUIRE(turned.geometry.affine);
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 4; ++column)
            CHECK((*turned.geometry.affine)[row][column] == doctest::Approx(quarter[row][column]).epsilon(1e-6));

    for (const float bad : {float(NAN), float(INFINITY), 0.0f}) {
        const VolumeInfo fallen = described([&](Bytes& f) { sform(f), qform(f), f.put(300, bad); });  // the sform's only step along j
        CHECK(has_warning(fallen, "sform"));
        REQUIRE(fallen.geometry.affine);
        CHECK((*fallen.geometry.affine)[2][3] == 7);
        const VolumeInfo bare = described([&](Bytes& f) { sform(f), f.put(300, bad); });
        CHECK(has_warning(bare, "sform"));
        CHECK(has_no_place(bare));  // a position from pixdim would be wrong
        CHECK(bare.geometry.spacing);
        const OpenOptions with_size{.size = VoxelSize{{4, 6, 8}}};
        CHECK_FALSE(described([&](Bytes& f) { sform(f), f.put(300, bad); }, with_size).geometry.affine);
    }
    for (const float bad : {float(NAN), float(INFINITY), 1.01f}) {
        const VolumeInfo bare = described([&](Bytes& f) { qform(f), f.put(264, bad); });
        CHECK(has_warning(bare, "qform"));
        CHECK(has_no_place(bare));
        const VolumeInfo placed = described([&](Bytes& f) { sform(f), qform(f), f.put(264, bad); });
        CHECK(has_warning(placed, "qform"));
        CHECK(placed.geometry.affine == expected);
    }
    // Rounding to float32 can make a half turn longer than 1.
    const VolumeInfo half = described([&](Bytes& f) { qform(f), f.put(264, std::nextafter(1.0f, 2.0f)); });
    CHECK(half.warnings.empty());
    CHECK((*half.geometry.affine)[0][0] == doctest::Approx(-2));
    for (const std::int16_t code : {std::int16_t(6), std::int16_t(99), std::int16_t(-1)}) {
        CAPTURE(code);
        const VolumeInfo odd = described([&](Bytes& f) { sform(f), f.put(254, code); });
        CHECK(has_warning(odd, "sform_code"));
        CHECK(odd.geometry.affine.has_value() == (code > 0));
        CHECK(has_warning(described([&](Bytes& f) { qform(f), f.put(252, code); }), "qform_code"));
    }
    const auto both_codes = [&](Bytes& f) { sform(f), qform(f), f.put<std::int16_t>(252, 5), f.put<std::int16_t>(254, 5); };
    CHECK_FALSE(has_warning(described(both_codes), "code"));
    for (const float bad : {float(NAN), float(INFINITY), 0.0f, -2.0f}) {
        const VolumeInfo bare = described([&](Bytes& f) { qform(f), f.put(80, bad); });
        CHECK(has_warning(bare, "pixdim"));
        CHECK(has_no_place(bare));
        CHECK_FALSE(bare.geometry.spacing);
        const VolumeInfo plain = described([&](Bytes& f) { f.put(80, bad); });
        CHECK(has_warning(plain, "unknown"));
        CHECK_FALSE(plain.geometry.affine);
        CHECK_FALSE(plain.geometry.spacing);
    }
    const VolumeInfo overridden = described(qform, {.size = VoxelSize{{4, 6, 8}}});
    CHECK(overridden.geometry.spacing == std::array{4.0, 6.0, 8.0});
    CHECK((*overridden.geometry.affine)[2][2] == doctest::Approx(-8));
}

TEST_CASE("NIfTI: pairs are opened by either name, compressed or not; Analyze is refused") {
    const TemporaryFolder folder;
    Bytes header = small_header();
    header.text.resize(348);
    header.text.replace(344, 4, std::string("ni1\0", 4));
    header.put<float>(108, 0);
    const std::string voxel_bytes = small_file().text.substr(352);
    put_file(folder / "a.hdr", header.text);
    CHECK(kind_of_reading(folder / "a.hdr") == ErrorKind::missing_part);
    put_file(folder / "a.img", voxel_bytes);
    put_file(folder / "b.hdr.gz", gzipped(header.text));
    put_file(folder / "b.img.gz", gzipped(voxel_bytes));
    for (const char* name : {"a.hdr", "a.img", "b.hdr.gz", "b.img.gz"}) {
        CAPTURE(name);
        CHECK(values_of(folder / name) == count_up());
    }
    put_file(folder / "a.img", voxel_bytes.substr(1));
    CHECK(kind_of_reading(folder / "a.hdr") == ErrorKind::wrong_size);
    put_file(folder / "c.img", voxel_bytes);
    CHECK(kind_of_reading(folder / "c.img") == ErrorKind::missing_part);
    header.text.replace(344, 4, std::string(4, '\0'));
    put_file(folder / "c.hdr", header.text);
    CHECK(message_of([&] { values_of(folder / "c.img"); }).find("not NIfTI") != std::string::npos);
}

TEST_CASE("real NIfTI files have the foreground of the reference") {
    if (data_folder.empty()) {
        MESSAGE("SKIPPED: VOXCC_TEST_DATA is not set");
        return;
    }
    struct Row {
        const char* file;
        double threshold;
        std::int64_t volume, foreground;
    };
    const std::vector<Row> rows{
        {"mni152_gm.nii.gz", 127, 0, 1079599},    {"ct_small.nii.gz", -500, 0, 237028},
        {"ct_small_organs.nii.gz", 0, 0, 110225}, {"stroke_T2_scaled.nii.gz", 250, 0, 137334},
        {"example4d.nii.gz", 400, 0, 87201},      {"example4d.nii.gz", 400, 1, 87302},
        {"anatomical_be.nii", 10000, 0, 9375},    {"avg152T1_nifti2.nii.gz", 130.5, 0, 275763},
        {"zstat_be_float.nii.gz", 2.3, 0, 2555},  {"nan_be_float.nii", 8000, 0, 584},
        {"air_pair.hdr", 80, 0, 45477},           {"air_pair.img", 80, 0, 45477},
    };
    for (const Row& row : rows) {
        CAPTURE(row.file);
        OpenOptions options;
        options.volume = row.volume;
        const auto reader = open_volume(data_folder + "/nifti/" + row.file, options);
        const Scaling scaling = reader->info().scaling;
        const std::vector<double> values = values_of(*reader, 100);
        CHECK(std::count_if(values.begin(), values.end(),
                            [&](double v) { return v * scaling.slope + scaling.intercept > row.threshold; }) == row.foreground);
        CHECK(reader->info().geometry.spacing);
    }
    for (const char* type : {"uint8", "int16", "int32", "float32", "float64", "uint64"}) {
        const auto reader = open_volume(data_folder + "/nifti/dtypes3x3x3/" + type + ".nii");
        CHECK(name_of(reader->info().type) == type);
        const std::vector<double> values = values_of(*reader);
        REQUIRE(values.size() == 27);
        for (std::size_t i = 0; i < 27; ++i) CHECK(std::count(values.begin(), values.end(), double(i)) == 1);
    }
}

TEST_CASE("hostile NIfTI files") {
    if (data_folder.empty()) {
        MESSAGE("SKIPPED: VOXCC_TEST_DATA is not set");
        return;
    }
    const std::string folder = data_folder + "/hostile/nifti/";
    for (const char* name :
         {"crash-08123ef33416bd6f0c5fa63d44b681b8581d62a0.nii", "crash-98aa054390f8d3f932f190dc22ef62c6ff2d6619.nii",
          "crash-ed7d46344d7efb3b9f0c374d66d2e02f66cc447d.nii", "not-nifti.nii", "rgb24.nii", "truncated_gz.nii.gz", "truncated.nii",
          "dim_huge.nii", "dim_negative.nii", "dim_zero.nii", "vox_offset_past_end.nii", "datatype_unknown.nii", "empty.nii"}) {
        CAPTURE(name);
        CHECK(about_content(kind_of_reading(folder + name)));
    }
    CHECK(kind_of_reading(folder + "5D_small.nii") == ErrorKind::several_volumes);
    CHECK(describe_volume(folder + "5D_small.nii").volumes == 3);
    const auto odd = open_volume(folder + "slope_zero_nan_pixdim.nii.gz");
    CHECK(odd->info().scaling.is_identity());
    CHECK(odd->info().geometry.source == "the sform");
    CHECK(has_warning(odd->info(), "pixdim"));
    const std::vector<double> values = values_of(*odd);
    CHECK(std::count_if(values.begin(), values.end(), [](double v) { return v > 200; }) == 3358);
}
