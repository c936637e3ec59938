// Reading HDF5: types, storage, axes, choice of the dataset, geometry.
#include "hdf5_files.h"
#include "io/formats/hdf5/hdf5_filters.h"

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

TEST_CASE("HDF5: every type, both byte orders, every storage") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const Shape shape{9, 11, 13};
    const std::vector<int> values = counting(9 * 11 * 13);
    const std::vector<double> expected(values.begin(), values.end());
    const Id half(H5Tcopy(H5T_IEEE_F32LE));
    H5Tset_fields(half, 15, 10, 5, 0, 10), H5Tset_size(half, 2), H5Tset_ebias(half, 15);
    const std::vector<std::pair<hid_t, ScalarType>> types{
        {H5T_STD_U8LE, ScalarType::u8},    {H5T_STD_I8BE, ScalarType::i8},    {H5T_STD_U16LE, ScalarType::u16},
        {H5T_STD_U16BE, ScalarType::u16},  {H5T_STD_I16LE, ScalarType::i16},  {H5T_STD_I32BE, ScalarType::i32},
        {H5T_STD_U32LE, ScalarType::u32},  {H5T_STD_U64BE, ScalarType::u64},  {H5T_STD_I64LE, ScalarType::i64},
        {H5T_IEEE_F32BE, ScalarType::f32}, {H5T_IEEE_F64LE, ScalarType::f64}, {half, ScalarType::f32}};
    for (std::size_t t = 0; t < types.size(); ++t)
        for (const Storage& how :
             {Storage{}, Storage{{4, 5, 6}}, Storage{{4, 5, 6}, 6, true, true}, Storage{{9, 11, 13}, 1, false, true}}) {
            CAPTURE(t);
            CAPTURE(how.chunk.size());
            CAPTURE(how.deflate);
            put_dataset(new_file(path), "v", shape, types[t].first, H5T_NATIVE_INT, values.data(), how);
            const VolumeInfo info = describe_hdf5(path, {});
            CHECK(info.extent == Extent{13, 11, 9});
            CHECK(info.type == types[t].second);
            CHECK(info.dimensions == 3);
            CHECK(info.compression == (how.deflate ? "deflate" : "none"));
            CHECK(read_values(path) == expected);
        }
}

TEST_CASE("HDF5: unwritten chunks have the fill value") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    {
        const Id file = new_file(path), creation(H5Pcreate(H5P_DATASET_CREATE));
        const Shape shape{8, 8, 8}, chunk{4, 4, 4}, one{1, 1, 1}, last{7, 7, 7};
        const short fill = 5, value = 9;
        H5Pset_chunk(creation, 3, chunk.data());
        H5Pset_fill_value(creation, H5T_NATIVE_SHORT, &fill);
        const Id space(H5Screate_simple(3, shape.data(), nullptr)), memory(H5Screate_simple(3, one.data(), nullptr));
        const Id dataset(H5Dcreate2(file, "v", H5T_STD_I16BE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
        H5Sselect_hyperslab(space, H5S_SELECT_SET, last.data(), nullptr, one.data(), nullptr);
        REQUIRE(H5Dwrite(dataset, H5T_NATIVE_SHORT, memory, space, H5P_DEFAULT, &value) >= 0);
    }
    std::vector<double> expected(512, 5);
    expected.back() = 9;
    CHECK(read_values(path) == expected);
}

TEST_CASE("HDF5: axes") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(3 * 4 * 5 * 2);
    const auto make = [&](const Shape& shape, const Storage& how = {}) {
        const Id file = new_file(path);
        return put_dataset(file, "v", shape, H5T_STD_U8LE, H5T_NATIVE_INT, values.data(), how);
    };
    const auto every_second = [&](std::size_t first) {
        std::vector<double> some;
        for (std::size_t i = first; i < values.size(); i += 2) some.push_back(values[i]);
        return some;
    };
    SUBCASE("channels last, named by axistags, contiguous and chunked") {
        for (const Storage& how : {Storage{}, Storage{{2, 3, 2, 2}, 1}, Storage{{2, 3, 2, 1}}}) {
            put_text(make({3, 4, 5, 2}, how), "axistags", {R"({"axes": [{"key": "z"}, {"key": "y"}, {"key": "x"}, {"key": "c"}]})"});
            const VolumeInfo info = describe_hdf5(path, {});
            CHECK(info.extent == Extent{5, 4, 3});
            CHECK(info.volumes == 2);
            const std::string message = message_of([&] { open_hdf5(path, {}); });
            CHECK(choices_of([&] { open_hdf5(path, {}); }) == "0..1");
            CHECK(message.find("(c)") != std::string::npos);
            CHECK(kind_of([&] { open_hdf5(path, {}); }) == ErrorKind::several_volumes);
            CHECK(kind_of([&] { open_hdf5(path, {.volume = 2}); }) == ErrorKind::no_such_volume);
            CHECK(read_values(path, {.volume = 0}) == every_second(0));
            CHECK(read_values(path, {.volume = 1}) == every_second(1));
        }
    }
    SUBCASE("named by DIMENSION_LABELS") {
        put_text(make({3, 4, 5, 2}), "DIMENSION_LABELS", {"z", "y", "x", "c"});
        CHECK(read_values(path, {.volume = 1}) == every_second(1));
    }
    SUBCASE("without names the leading axes hold volumes") {
        make({2, 3, 4, 5});
        CHECK(describe_hdf5(path, {}).volumes == 2);
        CHECK(read_values(path, {.volume = 1}) == std::vector<double>(values.begin() + 60, values.end()));
        make({2, 1, 3, 4, 5});
        CHECK(read_values(path, {.volume = 1}) == std::vector<double>(values.begin() + 60, values.end()));
    }
    SUBCASE("axes of length 1 around a volume go") {
        make({6, 4, 5, 1});
        CHECK(describe_hdf5(path, {}).extent == Extent{5, 4, 6});
        make({1, 6, 4, 5});
        CHECK(open_hdf5(path, {})->info().extent == Extent{5, 4, 6});
    }
    SUBCASE("two axes are an image") {
        make({12, 10});
        const VolumeInfo info = describe_hdf5(path, {});
        CHECK(info.extent == Extent{10, 12, 1});
        CHECK(info.dimensions == 2);
    }
    SUBCASE("one axis is none") {
        make({120});
        CHECK(kind_of([&] { open_hdf5(path, {}); }) == ErrorKind::invalid_file);
        CHECK(message_of([&] { open_hdf5(path, {}); }).find("/v uint8 120") != std::string::npos);
        CHECK(describe_hdf5(path, {}).datasets.size() == 1);
    }
}

TEST_CASE("HDF5: choice of the dataset") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(24);
    {
        const Id file = new_file(path), group(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        put_dataset(group, "one", {2, 3, 4}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data());
        put_dataset(file, "two", {4, 6}, H5T_STD_I16LE, H5T_NATIVE_INT, values.data());
        H5Lcreate_soft("/g/one", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("round", file, "and", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("and", file, "round", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_hard(file, "/", group, "up", H5P_DEFAULT, H5P_DEFAULT);  // a group that contains itself
    }
    const std::string choices = choices_of([&] { open_hdf5(path, {}); });
    CHECK(kind_of([&] { open_hdf5(path, {}); }) == ErrorKind::several_datasets);
    CHECK(choices.find("/g/one uint8 2x3x4, /two int16 4x6") != std::string::npos);
    const VolumeInfo info = describe_hdf5(path, {});
    CHECK(info.datasets.size() == 2);
    CHECK(info.extent == Extent{});
    CHECK(open_hdf5(path, {.dataset = "g/one"})->info().dataset == "/g/one");
    CHECK(open_hdf5(path, {.dataset = "/soft"})->info().dataset == "/g/one");
    CHECK(open_hdf5(path, {.dataset = "/g/up/two"})->info().extent == Extent{6, 4, 1});
    CHECK(kind_of([&] { open_hdf5(path, {.dataset = "/round"}); }) == ErrorKind::invalid_file);
    CHECK(kind_of([&] { open_hdf5(path, {.dataset = "/none"}); }) == ErrorKind::no_such_dataset);
    CHECK(kind_of([&] { open_hdf5(path, {.dataset = "/g"}); }) == ErrorKind::no_such_dataset);
}

TEST_CASE("HDF5: geometry") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(24);
    const auto make_with = [&](const char* attribute) {
        const Id file = new_file(path);
        put_numbers(put_dataset(file, "v", {2, 3, 4}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data()), attribute, {3, 2, 1});
    };
    SUBCASE("element_size_um is z, y, x") {
        make_with("element_size_um");
        CHECK(describe_hdf5(path, {}).geometry.spacing == std::array{1.0, 2.0, 3.0});
        CHECK(describe_hdf5(path, {}).geometry.unit == LengthUnit::um);
        const Geometry given = describe_volume(path, {.size = VoxelSize{{7, 8, 9}, LengthUnit::nm}}).geometry;
        CHECK(given.spacing == std::array{7.0, 8.0, 9.0});
        CHECK(given.unit == LengthUnit::nm);
    }
    SUBCASE("a resolution without a unit is a ratio") {
        make_with("resolution");
        CHECK(describe_hdf5(path, {}).geometry.spacing == std::array{1.0, 2.0, 3.0});
        CHECK_FALSE(describe_hdf5(path, {}).geometry.unit);
    }
    SUBCASE("ITK's own layout, from LPS to RAS") {
        {
            const Id file = new_file(path), a(H5Gcreate2(file, "ITKImage", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                     b(H5Gcreate2(a, "0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            const std::vector<double> spacing{1, 2, 3}, origin{10, 20, 30}, directions{0, 1, 0, -1, 0, 0, 0, 0, 1};  // one row per axis
            put_dataset(b, "VoxelData", {2, 3, 4}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data());
            put_dataset(b, "Spacing", {3}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, spacing.data());
            put_dataset(b, "Origin", {3}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, origin.data());
            put_dataset(b, "Directions", {3, 3}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, directions.data());
        }
        const VolumeInfo info = open_hdf5(path, {})->info();
        CHECK(info.dataset == "/ITKImage/0/VoxelData");
        CHECK(*info.geometry.affine == Affine{{{0, 2, 0, -10}, {-1, 0, 0, -20}, {0, 0, 3, 30}}});
        CHECK(info.geometry.spacing == std::array{1.0, 2.0, 3.0});
    }
}

TEST_CASE("HDF5: filters that voxcc decodes itself") {
    const auto bytes = [](std::initializer_list<int> list) {
        std::vector<std::byte> result;
        for (const int value : list) result.push_back(std::byte(value));
        return result;
    };
    std::vector<std::byte> raw(9);
    const auto literal_then_copy = bytes({2, 'a', 'b', 'c', 0x80, 2});  // the literal abc, then a copy of 6 bytes from 3 bytes before
    CHECK(hdf5::unpack_lzf(literal_then_copy, raw));
    CHECK(std::memcmp(raw.data(), "abcabcabc", 9) == 0);
    raw.resize(10);
    CHECK(hdf5::unpack_lzf(bytes({0, 'a', 0xe0, 0, 0}), raw));  // long form: a copy of 9 bytes
    CHECK(raw == std::vector<std::byte>(10, std::byte{'a'}));
    CHECK_FALSE(hdf5::unpack_lzf(bytes({0, 'a', 0xe0, 1, 0}), raw));  // one byte too many
    CHECK_FALSE(hdf5::unpack_lzf(bytes({0, 'a', 0xe0, 0, 1}), raw));  // copy from before the start
    CHECK_FALSE(hdf5::unpack_lzf(bytes({9, 'a'}), raw));              // truncated literal
    CHECK_FALSE(hdf5::unpack_lzf(bytes({0, 'a'}), raw));              // 1 byte instead of 10

    // A shuffle whose elements are longer than the chunk changes nothing. It must not loop over the bytes of an element.
    const hdf5::Pipeline shuffle("a.h5", "/v", {{2, {0xffffffff}}});
    std::vector<std::byte> stored = bytes({1, 2, 3}), chunk(3);
    shuffle.undo(stored, 0, chunk);
    CHECK(chunk == bytes({1, 2, 3}));
}
