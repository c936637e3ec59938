// Reading HDF5 in chunk layers: each voxel must arrive once, at its position, for all chunk shapes, types and filters.
#include "hdf5_files.h"

#include <random>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

// All voxels, read layer by layer. Checks that the layers are contiguous and that the parts cover each voxel once.
std::vector<double> values_of_layers(VolumeReader& reader) {
    const VolumeInfo& info = reader.info();
    const Extent& e = info.extent;
    std::vector<double> values(std::size_t(e.voxels()));
    std::vector<int> visits(values.size());
    for (std::int64_t end = 0; end < e.rows();) {
        const RowRange layer = reader.layer_of(end).value().rows;
        REQUIRE(layer.first == end);
        REQUIRE(layer.count > 0);
        CHECK(reader.layer_of(layer.end() - 1)->rows == layer);
        CHECK(layer.count <= reader.layer_of(0)->rows.count);
        end = layer.end();
        bool in_place = true;
        reader.read_layer(
            layer,
            [&](const RowPart& part) {
                in_place =
                    in_place && part.row >= layer.first && part.row < end && part.x >= 0 && part.count > 0 && part.x + part.count <= e.nx;
                if (!in_place) return;
                visit_scalar(info.type, [&]<class T>(std::type_identity<T>) {
                    in_place = in_place && reinterpret_cast<std::uintptr_t>(part.voxels) % alignof(T) == 0;
                    for (std::int64_t i = 0; i < part.count; ++i) {
                        const auto at = std::size_t(part.row * e.nx + part.x + i);
                        T value;
                        std::memcpy(&value, part.voxels + i * std::int64_t(sizeof(T)), sizeof(T));
                        values[at] = double(value);
                        ++visits[at];
                    }
                });
            },
            Visits::in_turn);
        REQUIRE(in_place);
    }
    CHECK(visits == std::vector<int>(visits.size(), 1));
    return values;
}

std::vector<double> values_of_layers(const std::string& path, const OpenOptions& options = {}) {
    return values_of_layers(*open_hdf5(path, options));
}

}  // namespace

TEST_CASE("HDF5 layers: every chunk width and storage type") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const Shape shape{5, 7, 203};
    const std::vector<int> values = counting(5 * 7 * 203);
    const std::vector<double> expected(values.begin(), values.end());
    const Id half(H5Tcopy(H5T_IEEE_F32LE));
    H5Tset_fields(half, 15, 10, 5, 0, 10), H5Tset_size(half, 2), H5Tset_ebias(half, 15);
    const std::vector<std::pair<hid_t, ScalarType>> types{
        {H5T_STD_U8LE, ScalarType::u8},   {H5T_STD_U16BE, ScalarType::u16},  {H5T_STD_I32LE, ScalarType::i32},
        {H5T_STD_U64BE, ScalarType::u64}, {H5T_IEEE_F32LE, ScalarType::f32}, {H5T_IEEE_F64BE, ScalarType::f64},
        {half, ScalarType::f32}};
    for (const auto& [stored, type] : types)
        for (const Shape& chunk :
             {Shape{2, 3, 1}, {2, 3, 7}, {5, 7, 15}, {1, 7, 16}, {2, 3, 64}, {2, 2, 100}, {5, 7, 203}, {1, 1, 203}, {5, 1, 1}})
            for (const Storage& how : {Storage{chunk}, Storage{chunk, 6, true, true}, Storage{chunk, 1}}) {
                const std::string type_name(name_of(type));
                CAPTURE(type_name);
                CAPTURE(chunk[0]);
                CAPTURE(chunk[1]);
                CAPTURE(chunk[2]);
                CAPTURE(how.deflate);
                put_dataset(new_file(path), "v", shape, stored, H5T_NATIVE_INT, values.data(), how);
                const auto reader = open_hdf5(path, {});
                CHECK(reader->info().type == type);
                CHECK(reader->layer_of(0)->rows == RowRange{0, std::int64_t(chunk[0]) * 7});
                CHECK(reader->layer_of(0)->bytes >= std::int64_t(chunk[0] * chunk[1] * chunk[2]) * size_of(type));
                CHECK(values_of_layers(*reader) == expected);
                CHECK(read_values(*reader, 3) == expected);  // rows after layers, then layers after rows
                CHECK(values_of_layers(*reader) == expected);
            }
}

TEST_CASE("HDF5 layers: enumerations are read as their integers") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const Id boolean(H5Tenum_create(H5T_STD_I8LE));
    const std::int8_t no = 0, yes = 1;
    H5Tenum_insert(boolean, "FALSE", &no), H5Tenum_insert(boolean, "TRUE", &yes);
    std::vector<std::int8_t> values;
    std::mt19937 random(1);
    while (values.size() < 4 * 5 * 70) values.push_back(std::int8_t(random() % 2));
    for (const hsize_t width : {3, 33, 70}) {
        put_dataset(new_file(path), "v", {4, 5, 70}, boolean, boolean, values.data(), {{3, 2, width}, 1});
        CHECK(values_of_layers(path) == std::vector<double>(values.begin(), values.end()));
    }
}

TEST_CASE("HDF5 layers: channel axes and volume axes") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(3 * 4 * 90 * 2);
    const auto some = [&](std::size_t first, std::size_t step, std::size_t count) {
        std::vector<double> picked;
        for (std::size_t i = 0; i < count; ++i) picked.push_back(values[first + i * step]);
        return picked;
    };
    for (const hid_t type : {H5T_STD_U8LE, H5T_STD_I16BE, H5T_IEEE_F32LE}) {
        for (const Shape& chunk : {Shape{2, 3, 20, 2}, {2, 3, 64, 1}, {3, 1, 2, 2}, {1, 4, 90, 2}}) {
            put_text(put_dataset(new_file(path), "v", {3, 4, 90, 2}, type, H5T_NATIVE_INT, values.data(), {chunk, 1}), "axistags",
                     {R"({"axes": [{"key": "z"}, {"key": "y"}, {"key": "x"}, {"key": "c"}]})"});
            for (const std::int64_t volume : {0, 1})
                CHECK(values_of_layers(path, {.volume = volume}) == some(std::size_t(volume), 2, 3 * 4 * 90));
        }
        for (const Shape& chunk : {Shape{2, 2, 3, 20}, {1, 3, 4, 90}, {2, 1, 1, 5}}) {
            put_dataset(new_file(path), "v", {2, 3, 4, 90}, type, H5T_NATIVE_INT, values.data(), {chunk, 1});
            for (const std::int64_t volume : {0, 1})
                CHECK(values_of_layers(path, {.volume = volume}) == some(std::size_t(volume) * 3 * 4 * 90, 1, 3 * 4 * 90));
        }
    }
    put_dataset(new_file(path), "v", {24, 90}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data(), {{5, 40}, 1});  // a 2D image
    CHECK(values_of_layers(path) == some(0, 1, 24 * 90));
}

TEST_CASE("HDF5 layers: unwritten chunks have the fill value") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const auto make = [&](const Shape& shape, const Shape& chunk, hid_t type, const Shape& place) {
        const Id file = new_file(path), creation(H5Pcreate(H5P_DATASET_CREATE));
        const Shape one{1, 1, 1};
        const short fill = 5, value = 9;
        H5Pset_chunk(creation, 3, chunk.data());
        H5Pset_deflate(creation, 1);
        H5Pset_fill_value(creation, H5T_NATIVE_SHORT, &fill);
        const Id space(H5Screate_simple(3, shape.data(), nullptr)), memory(H5Screate_simple(3, one.data(), nullptr));
        const Id dataset(H5Dcreate2(file, "v", type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
        H5Sselect_hyperslab(space, H5S_SELECT_SET, place.data(), nullptr, one.data(), nullptr);
        REQUIRE(H5Dwrite(dataset, H5T_NATIVE_SHORT, memory, space, H5P_DEFAULT, &value) >= 0);
    };
    for (const hid_t type : {H5T_STD_I16BE, H5T_STD_I16LE, H5T_IEEE_F64LE})
        for (const hsize_t width : {3, 30}) {
            make({8, 8, 80}, {4, 4, width}, type, {7, 7, 79});
            std::vector<double> expected(8 * 8 * 80, 5);
            expected.back() = 9;
            CHECK(values_of_layers(path) == expected);
        }
    SUBCASE("slices over a gibivoxel are handed over in parts of a slice") {
        make({3, 27'000, 40'000}, {2, 50, 40'000}, H5T_STD_I16LE, {1, 26'999, 39'999});
        const auto reader = open_hdf5(path, {});
        const std::int64_t most = (std::int64_t{1} << 30) / 40'000 / 50 * 50;
        CHECK(reader->layer_of(most - 1)->rows == RowRange{0, most});
        CHECK(reader->layer_of(27'000 + most - 1)->rows == RowRange{27'000, most});
        const RowRange last{27'000 + most, 27'000 - most};
        CHECK(reader->layer_of(2 * 27'000 - 1)->rows == last);
        std::int64_t fives = 0, nines = 0, others = 0;
        reader->read_layer(
            last,
            [&](const RowPart& part) {
                for (std::int64_t i = 0; i < part.count; ++i) {
                    const short value = reinterpret_cast<const short*>(part.voxels)[i];
                    const bool is_last = part.row == 2 * 27'000 - 1 && part.x + i == 39'999;
                    ++(is_last && value == 9 ? nines : !is_last && value == 5 ? fives : others);
                }
            },
            Visits::in_turn);
        CHECK(nines == 1);
        CHECK(fives == last.count * 40'000 - 1);
        CHECK(others == 0);
    }
}

TEST_CASE("HDF5 layers: none for contiguous datasets and other filters") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(24);
    put_dataset(new_file(path), "v", {2, 3, 4}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data());
    CHECK(!open_hdf5(path, {})->layer_of(0));
    CHECK(kind_of([&] {
              open_hdf5(path, {})->read_layer(
                  {0, 3}, [](const RowPart&) {}, Visits::in_turn);
          }) == ErrorKind::internal);
    {
        const Id file = new_file(path), creation(H5Pcreate(H5P_DATASET_CREATE));
        const Shape shape{2, 3, 4}, chunk{1, 3, 4};
        H5Pset_chunk(creation, 3, chunk.data());
        H5Pset_scaleoffset(creation, H5Z_SO_INT, 0);
        const Id space(H5Screate_simple(3, shape.data(), nullptr));
        const Id dataset(H5Dcreate2(file, "v", H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
        REQUIRE(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    }
    CHECK(!open_hdf5(path, {})->layer_of(0));
    CHECK(read_values(path) == std::vector<double>(values.begin(), values.end()));
}

TEST_CASE("HDF5 layers: corrupt data gives the same error as reading by rows") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(16 * 16 * 16);
    for (const Storage& how : {Storage{{8, 16, 16}, 6}, Storage{{8, 16, 16}, 6, true}, Storage{{8, 16, 16}, 0, false, true}}) {
        put_dataset(new_file(path), "v", {16, 16, 16}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data(), how);
        std::string content = test::content_of(path);
        content[content.size() - 40] = char(content[content.size() - 40] ^ 0x10);  // in the last chunk
        for (const std::string& damaged : {content, content.substr(0, content.size() - 100)}) {
            test::put_file(path, damaged);
            const std::string message = message_of([&] { values_of_layers(path); });
            CHECK(about_content(kind_of([&] { values_of_layers(path); })));
            CHECK(message == message_of([&] { read_values(path); }));
        }
    }
}
