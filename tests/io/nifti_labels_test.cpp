#include "tests/io/nifti_files.h"

#include <cmath>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

const char* const description = "voxcc " VOXCC_VERSION;

// Writes the labels 0, 1, 2, ..., modulo the range of the type. Encodes all blocks in reverse order before it appends them.
std::string write_labels(const std::string& path, ScalarType type, const VolumeInfo& like, int compress = 1) {
    OutputFiles outputs(Overwrite::allow, {});
    const auto writer = create_label_volume({path, type, &like, compress}, outputs);
    const auto row = std::size_t(like.extent.nx * size_of(type));
    std::vector<EncodedBlock> blocks(std::size_t(writer->blocks()));
    for (std::int64_t b = writer->blocks(); b-- > 0;) {
        const RowRange rows = writer->rows_of(b);
        std::vector<std::byte> raw(std::size_t(rows.count) * row);
        visit_scalar(type, [&]<class T>(std::type_identity<T>) {
            for (std::int64_t i = 0; i < rows.count * like.extent.nx; ++i) {
                const T value = T(rows.first * like.extent.nx + i);
                std::memcpy(raw.data() + std::size_t(i) * sizeof(T), &value, sizeof(T));
            }
        });
        blocks[std::size_t(b)] = writer->encode(b, raw);
    }
    for (std::int64_t b = 0; b < writer->blocks(); ++b) writer->append(b, blocks[std::size_t(b)]);
    writer->finish();
    outputs.publish();
    return content_of(path);
}

// Sets the text fields as in a label volume. `descrip` and `intent_name` are byte offsets.
void put_label_texts(Bytes& header, std::size_t descrip, std::size_t intent_name) {
    header.text.replace(descrip, 80, std::string(80, '\0'));
    header.text.replace(descrip, std::strlen(description), description);
    header.text.replace(intent_name, 16, std::string(16, '\0'));
}

}  // namespace

TEST_CASE("NIfTI labels: the header is copied exactly, except for the fields that labels change") {
    const TemporaryFolder folder;
    Bytes original = small_header();
    for (std::size_t i = 4; i < 38; ++i) original.put(i, char(i));     // unused text
    for (std::size_t i = 148; i < 252; ++i) original.put(i, char(i));  // descrip, aux_file
    original.put<float>(56, 1.25f), original.put<float>(60, 2.5f), original.put<float>(64, 3.5f);
    original.put<std::int16_t>(68, 1005);  // intent
    original.put<float>(112, 2.5f), original.put<float>(116, -1), original.put<float>(124, 9), original.put<float>(128, 8);
    original.put<std::int16_t>(252, 3), original.put<std::int16_t>(254, 4);
    for (std::size_t i = 256; i < 328; i += 4) original.put(i, 0.1f * float(i));
    original.put(280, std::bit_cast<float>(0x7fc01234u));  // a NaN with a payload
    original.text.replace(328, 16, "intent name 1234");
    original.put<char>(348, 1);
    original.put<float>(108, 400);
    original.append<std::int32_t>(32), original.append<std::int32_t>(44), original.text += "an extension of 24 bytes";
    original.append<std::int32_t>(16), original.append<std::int32_t>(6), original.text += "comment.";
    Bytes expected = original;
    for (std::size_t i = 56; i < 68; i += 4) expected.put<float>(i, 0);
    expected.put<std::int16_t>(68, 1002);
    put_label_texts(expected, 148, 328);
    expected.put<std::int16_t>(70, 8), expected.put<std::int16_t>(72, 32);
    expected.put<float>(112, 1), expected.put<float>(116, 0), expected.put<float>(124, 0), expected.put<float>(128, 0);
    for (int i = 0; i < small_voxels; ++i) expected.append(std::int32_t(i));

    for (std::int16_t i = 0; i < small_voxels; ++i) original.append(i);
    put_file(folder / "in.nii", original.text);
    CHECK(write_labels(folder / "out.nii", ScalarType::i32, describe_volume(folder / "in.nii")) == expected.text);
    write_labels(folder / "out.nii.gz", ScalarType::i32, describe_volume(folder / "in.nii"));
    const InputFile packed(folder / "out.nii.gz");
    GzipReader inflated(packed);
    std::string inside(expected.text.size() + 1, '\0');
    REQUIRE(inflated.read_some(std::as_writable_bytes(std::span(inside))) == expected.text.size());
    inside.pop_back();
    CHECK(inside == expected.text);
}

TEST_CASE("NIfTI labels: a big-endian header is written as little-endian with the same values") {
    const TemporaryFolder folder;
    const auto fill = [](Bytes& f) {
        f.put<std::int32_t>(32, 16384), f.put<std::int16_t>(36, 77), f.put<std::int16_t>(68, 1005), f.put<std::int16_t>(74, 3);
        f.put<std::int16_t>(120, 4), f.put<float>(132, 0.5f), f.put<float>(136, 0.25f), f.put<std::int32_t>(140, 255),
            f.put<std::int32_t>(144, 7);
        f.put<std::int16_t>(252, 1), f.put<std::int16_t>(254, 2);
        for (std::size_t i = 256; i < 328; i += 4) f.put(i, 0.1f * float(i));
        for (const std::size_t i : {56u, 60u, 64u}) f.put(i, float(i));
        f.put<char>(348, 1), f.put<float>(108, 368);
        f.text.resize(352);
        f.append<std::int32_t>(16), f.append<std::int32_t>(6), f.text += "comment.";
        for (std::int16_t i = 0; i < small_voxels; ++i) f.append(i);
    };
    Bytes big = small_header(std::endian::big), little = small_header();
    fill(big), fill(little);
    put_file(folder / "big.nii", big.text);
    put_file(folder / "little.nii", little.text);
    CHECK(write_labels(folder / "a.nii", ScalarType::u8, describe_volume(folder / "big.nii")) ==
          write_labels(folder / "b.nii", ScalarType::u8, describe_volume(folder / "little.nii")));

    put_file(folder / "big.nii", small_nifti2(std::endian::big).text);
    put_file(folder / "little.nii", small_nifti2(std::endian::little).text);
    CHECK(write_labels(folder / "a.nii", ScalarType::u8, describe_volume(folder / "big.nii")) ==
          write_labels(folder / "b.nii", ScalarType::u8, describe_volume(folder / "little.nii")));
    CHECK(describe_volume(folder / "a.nii").format == "NIfTI-2");
}

TEST_CASE("NIfTI labels: the intent is always 1002 (label)") {
    const TemporaryFolder folder;
    const auto check = [](const Bytes& labels) {
        const bool is_one = labels.get<std::int32_t>(0) == 348;
        Bytes expected = labels;
        if (is_one) expected.put<std::int16_t>(68, 1002), expected.text.replace(56, 12, std::string(12, '\0'));
        else expected.put<std::int32_t>(504, 1002), expected.text.replace(80, 24, std::string(24, '\0'));
        put_label_texts(expected, is_one ? 148 : 240, is_one ? 328 : 508);
        expected.text.replace(is_one ? 124 : 192, is_one ? 8 : 16, std::string(is_one ? 8 : 16, '\0'));  // cal_max, cal_min
        CHECK(labels.text == expected.text);
    };
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        Bytes one = small_file(order), two = small_nifti2(order);
        one.put<std::int16_t>(68, 3), one.put<float>(56, 20), one.put<float>(124, 9),
            one.put<float>(128, -9);  // intent 3: t test with 20 degrees of freedom
        one.text.replace(328, 6, "t test"), one.text.replace(148, 80, std::string(80, 'x'));
        two.put<std::int32_t>(504, 3), two.put<double>(80, 20), two.put<double>(192, 9), two.put<double>(200, -9);
        two.text.replace(508, 6, "t test"), two.text.replace(240, 80, std::string(80, 'x'));
        for (const Bytes& file : {one, two}) {
            put_file(folder / "in.nii", file.text);
            check({write_labels(folder / "out.nii", ScalarType::u8, describe_volume(folder / "in.nii"))});
        }
    }
    VolumeInfo like;
    like.geometry = {.spacing = std::array{1.0, 1.0, 1.0}, .unit = LengthUnit::mm};
    for (const std::int64_t nx : {3, 40'000}) {  // no header to copy; NIfTI-1 for nx = 3, NIfTI-2 for nx = 40,000
        like.extent = {nx, 2, 2};
        check({write_labels(folder / "out.nii", ScalarType::u8, like)});
    }
}

TEST_CASE("NIfTI labels: types, sizes, blocks and levels round trip") {
    const TemporaryFolder folder;
    VolumeInfo like;
    like.extent = {301, 200, 41};
    using enum ScalarType;
    for (const ScalarType type : {u8, i16, u16, i32, u32})
        for (const char* name : {"x.nii", "x.nii.gz"}) {
            CAPTURE(name_of(type));
            write_labels(folder / name, type, like);
            const auto reader = open_volume(folder / name);
            CHECK(reader->info().type == type);
            CHECK(reader->info().extent == like.extent);
            CHECK(reader->info().warnings.empty());
            const std::vector<double> values = values_of(*reader, 1000);
            visit_scalar(type, [&]<class T>(std::type_identity<T>) {
                bool equal = true;
                for (std::size_t i = 0; i < values.size(); ++i) equal = equal && values[i] == double(T(i));
                CHECK(equal);
            });
        }
    CHECK(write_labels(folder / "x.nii.gz", u16, like, 0).size() > write_labels(folder / "x.nii.gz", u16, like, 9).size());
    for (const ScalarType type : {u64, i64, i8, f32})
        CHECK(kind_of([&] { write_labels(folder / "y.nii", type, like); }) == ErrorKind::unsupported_label_type);
    CHECK_FALSE(std::filesystem::exists(folder / "y.nii"));

    like.extent = {32768, 2, 1};
    write_labels(folder / "x.nii", u8, like);
    CHECK(describe_volume(folder / "x.nii").format == "NIfTI-2");
    CHECK(describe_volume(folder / "x.nii").extent == like.extent);
    like.extent = {32767, 2, 1};
    write_labels(folder / "x.nii", u8, like);
    CHECK(describe_volume(folder / "x.nii").format == "NIfTI-1");
}

TEST_CASE("NIfTI labels of a 4D volume are 3D") {
    const TemporaryFolder folder;
    Bytes file = small_header();
    file.put<std::int16_t>(40, 4), file.put<std::int16_t>(48, 2);
    for (std::int16_t i = 0; i < 2 * small_voxels; ++i) file.append(i);
    put_file(folder / "in.nii", file.text);
    const Bytes labels{write_labels(folder / "out.nii", ScalarType::u8, describe_volume(folder / "in.nii"))};
    CHECK(labels.get<std::int16_t>(40) == 3);
    CHECK(labels.get<std::int16_t>(48) == 1);
    CHECK(values_of(folder / "out.nii") == count_up());
}

TEST_CASE("NIfTI labels of other formats: geometry in a fresh header") {
    const TemporaryFolder folder;
    VolumeInfo like;
    like.extent = {3, 2, 2};
    const auto written = [&] {
        write_labels(folder / "x.nii", ScalarType::u8, like);
        return Bytes{content_of(folder / "x.nii")};
    };
    CHECK(written().get<char>(123) == 0);  // no unit, because the spacing is not known
    like.geometry = {.spacing = std::array{0.5, 0.25, 2.0}, .unit = LengthUnit::mm};
    Bytes file = written();
    CHECK(file.get<float>(80) == 0.5f);
    CHECK(file.get<float>(88) == 2.0f);
    CHECK(file.get<char>(123) == 2);
    CHECK(file.get<std::int16_t>(252) == 0);
    CHECK(file.get<std::int16_t>(254) == 0);

    // All 48 assignments of voxel axes to world axes, and one oblique rotation. The sform and the qform must both give the affine.
    const double c = std::cos(0.3), s = std::sin(0.3);
    std::vector<std::array<std::array<double, 3>, 3>> rotations{{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}};
    std::array<std::size_t, 3> axes{0, 1, 2};
    do {
        for (int signs = 0; signs < 8; ++signs) {
            rotations.emplace_back();
            for (std::size_t k = 0; k < 3; ++k) rotations.back()[axes[k]][k] = signs >> k & 1 ? -1 : 1;
        }
    } while (std::next_permutation(axes.begin(), axes.end()));
    for (const auto& rotation : rotations) {
        const std::array<double, 3> spacing{0.5, 1.5, 2.5};
        Affine affine{};
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t k = 0; k < 3; ++k) affine[row][k] = rotation[row][k] * spacing[k];
            affine[row][3] = 10.0 + double(row);
        }
        like.geometry.affine = affine;
        file = written();
        CHECK(file.get<std::int16_t>(252) == 1);
        CHECK(file.get<std::int16_t>(254) == 1);
        for (const bool by_sform : {true, false}) {
            file.put<std::int16_t>(254, by_sform ? 1 : 0);
            put_file(folder / "x.nii", file.text);
            const auto read = describe_volume(folder / "x.nii").geometry.affine;
            REQUIRE(read);
            for (std::size_t row = 0; row < 3; ++row)
                for (std::size_t k = 0; k < 4; ++k) CHECK((*read)[row][k] == doctest::Approx(affine[row][k]).epsilon(1e-6));
        }
    }
    (*like.geometry.affine)[0][1] += 0.3;  // a qform cannot represent shear
    CHECK(written().get<std::int16_t>(252) == 0);
    CHECK(written().get<std::int16_t>(254) == 1);
    (*like.geometry.affine)[0][1] = NAN;
    CHECK(written().get<std::int16_t>(254) == 0);
}
