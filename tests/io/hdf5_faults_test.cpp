// Reading corrupt and hostile HDF5 files, external links and real files.
#include "hdf5_files.h"

#include <atomic>
#include <thread>

using namespace voxcc;
using namespace voxcc::io;
using voxcc::io::hdf5::Lock;
using namespace voxcc::test;

namespace {

const std::string data = VOXCC_TEST_DATA;

void skip() { MESSAGE("SKIPPED: VOXCC_TEST_DATA is not set"); }

}  // namespace

TEST_CASE("HDF5: types whose bits lie outside of their bytes are refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(24);
    // The datatype message: version and class, sizes, and the positions of the bits.
    const std::string integer("\x10\0\0\0\1\0\0\0\0\0\x08\0", 12), real("\x11\x20\x1f\0\4\0\0\0\0\0\x20\0\x17\x08\0\x17", 16);
    const auto kind_with = [&](hid_t type, const std::string& message, std::size_t at, char byte) {
        put_dataset(new_file(path), "v", {2, 3, 4}, type, H5T_NATIVE_INT, values.data());
        std::string content = content_of(path);
        const std::size_t found = content.find(message);
        REQUIRE(found != std::string::npos);
        content[found + at] = byte;
        test::put_file(path, content);
        const std::optional<ErrorKind> kind = kind_of([&] { read_values(path); });
        return kind && is_about_content(*kind);
    };
    CHECK_FALSE(kind_with(H5T_STD_U8LE, integer, 8, 0));
    CHECK(kind_with(H5T_STD_U8LE, integer, 8, 1));   // offset of the bits
    CHECK(kind_with(H5T_STD_U8LE, integer, 10, 9));  // precision
    CHECK(kind_with(H5T_STD_U8LE, integer, 10, 0));
    CHECK_FALSE(kind_with(H5T_IEEE_F32LE, real, 13, 8));
    CHECK(kind_with(H5T_IEEE_F32LE, real, 12, 25));  // position of the exponent
    CHECK(kind_with(H5T_IEEE_F32LE, real, 13, 10));  // length of the exponent
    CHECK(kind_with(H5T_IEEE_F32LE, real, 15, 33));  // length of the mantissa
    CHECK(kind_with(H5T_IEEE_F32LE, real, 2, 32));   // position of the sign
}

TEST_CASE("HDF5: other files are read only if allowed") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5", other = folder / "other.h5", raw = folder / "raw";
    const std::vector<int> values = counting(24);
    const std::vector<double> expected(values.begin(), values.end());
    const Shape shape{2, 3, 4};
    put_dataset(new_file(other), "v", shape, H5T_STD_U8LE, H5T_NATIVE_INT, values.data());
    test::put_file(raw, std::string(24, '\7'));
    {
        const Id file = new_file(path), space(H5Screate_simple(3, shape.data(), nullptr));
        H5Lcreate_external("other.h5", "/v", file, "link", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("other.h5", "/", file, "folder", H5P_DEFAULT, H5P_DEFAULT);
        const Id external(H5Pcreate(H5P_DATASET_CREATE)), longer(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_external(external, "raw", 0, 24);
        H5Pset_external(longer, "raw", 8, 24);
        Id(H5Dcreate2(file, "external", H5T_STD_U8LE, space, H5P_DEFAULT, external, H5P_DEFAULT));
        Id(H5Dcreate2(file, "longer", H5T_STD_U8LE, space, H5P_DEFAULT, longer, H5P_DEFAULT));
        const Id made(H5Pcreate(H5P_DATASET_CREATE)), missing(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_virtual(made, space, "other.h5", "/v", space);
        H5Pset_virtual(missing, space, "nowhere.h5", "/v", space);
        Id(H5Dcreate2(file, "virtual", H5T_STD_U8LE, space, H5P_DEFAULT, made, H5P_DEFAULT));
        Id(H5Dcreate2(file, "missing", H5T_STD_U8LE, space, H5P_DEFAULT, missing, H5P_DEFAULT));
    }
    const auto open = [&](const std::string& dataset, ExternalFiles external) {
        return [=] { read_values(path, {.dataset = dataset, .external = external}); };
    };
    for (const std::string dataset : {"/link", "/folder/v", "/external", "/virtual"}) {
        CAPTURE(dataset);
        CHECK(kind_of(open(dataset, ExternalFiles::refuse)) == ErrorKind::external_file);
    }
    for (const std::string dataset : {"/link", "/folder/v", "/virtual"})
        CHECK(read_values(path, {.dataset = dataset, .external = ExternalFiles::allow}) == expected);
    CHECK(read_values(path, {.dataset = "/external", .external = ExternalFiles::allow}) == std::vector<double>(24, 7));
    for (const std::string dataset : {"/link", "/folder/v", "/virtual"})
        CHECK(files_of_volume(path, {.dataset = dataset, .external = ExternalFiles::allow}) == std::vector{path, other});
    CHECK(files_of_volume(path, {.dataset = "/external", .external = ExternalFiles::allow}) == std::vector{path, raw});
    CHECK(files_of_volume(path, {.dataset = "/external"}) == std::vector{path});
    CHECK(kind_of(open("/longer", ExternalFiles::allow)) == ErrorKind::invalid_file);
    CHECK(kind_of(open("/missing", ExternalFiles::allow)) == ErrorKind::missing_file);
}

TEST_CASE("HDF5: corrupt voxel data is detected") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(16 * 16 * 16);
    for (const Storage& how : {Storage{{8, 16, 16}, 6}, Storage{{8, 16, 16}, 0, false, true}}) {
        put_dataset(new_file(path), "v", {16, 16, 16}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data(), how);
        std::string content = test::content_of(path);
        content[content.size() - 40] = char(content[content.size() - 40] ^ 0x10);  // in the last chunk
        test::put_file(path, content);
        CHECK(kind_of([&] { read_values(path); }) == ErrorKind::corrupt_file);
        test::put_file(path, content.substr(0, content.size() - 100));
        CHECK(kind_of([&] { read_values(path); }) == ErrorKind::invalid_file);
    }
}

TEST_CASE("HDF5: real files") {
    if (data.empty()) return skip();
    const auto sum = [&](const std::string& name, const OpenOptions& options = {}) {
        const std::vector<double> values = read_values(data + "/hdf5/" + name, options);
        return std::accumulate(values.begin(), values.end(), 0.0);
    };
    // Reference sums computed with h5py.
    CHECK(sum("fibsem_gt_lzf.h5") == 27334214);
    CHECK(sum("fibsem_image.h5") == 142056807);
    CHECK(sum("ilastik_prob_zyxc.h5", {.volume = 1}) == doctest::Approx(60550.98990306817).epsilon(1e-12));
    CHECK(sum("ilastik_synthetic_zyx1.h5") == 5869590);
    CHECK(sum("ovule.h5", {.dataset = "/label"}) == 270355318);
    CHECK(describe_hdf5(data + "/hdf5/ovule.h5", {.dataset = "/label"}).geometry.spacing == std::array{0.15, 0.15, 0.235});
    CHECK(describe_hdf5(data + "/hdf5/connectomics512.h5", {}).geometry.spacing == std::array{32.0, 32.0, 40.0});
}

TEST_CASE("HDF5: the size of a chunk in the index is not trusted") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(2 * 3 * 4);
    put_dataset(new_file(path), "v", {2, 3, 4}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data(), {{2, 3, 4}});
    const std::string intact = test::content_of(path);
    // The B-tree node of the chunk index starts with: signature, type 1 (chunks), level 0, number of entries, addresses of two
    // siblings. The first key follows at byte 24; it starts with the size of the chunk in bytes.
    const std::size_t node = intact.find(std::string("TREE\1\0\1\0", 8));
    REQUIRE(node != std::string::npos);
    REQUIRE(intact[node + 24] == 24);
    for (const std::uint32_t claimed : {0u, 1u, 23u, 25u, 200u, 1000u, 100000u, 0x7fffffffu, 0xffffffffu}) {
        CAPTURE(claimed);
        std::string changed = intact;
        std::memcpy(changed.data() + node + 24, &claimed, 4);
        test::put_file(path, changed);
        CHECK(about_content(kind_of([&] { read_values(path); })));
    }
    for (const std::int64_t address : {std::int64_t(intact.size()) - 23, std::int64_t{1} << 40, INT64_MAX}) {
        CAPTURE(address);
        std::string changed = intact;
        // The address of the chunk follows the key: size, filter mask, and 4 offsets (3 axes and the element).
        std::memcpy(changed.data() + node + 24 + 8 + 4 * 8, &address, 8);
        test::put_file(path, changed);
        CHECK(kind_of([&] { read_values(path); }) == ErrorKind::invalid_file);
    }
}

TEST_CASE("HDF5: large chunks with few voxels of the volume need little memory") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const Shape shape{50, 100, 100}, most(3, H5S_UNLIMITED), chunk{1, 1024, 1 << 20}, one{1, 1, 1};
    {
        const Id file = new_file(path), creation(H5Pcreate(H5P_DATASET_CREATE));
        const unsigned char fill = 7;
        H5Pset_chunk(creation, 3, chunk.data());
        H5Pset_fill_value(creation, H5T_NATIVE_UCHAR, &fill);
        const Id space(H5Screate_simple(3, shape.data(), most.data()));
        REQUIRE(Id(H5Dcreate2(file, "v", H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT)) >= 0);
    }
    CHECK(read_values(path) == std::vector<double>(50 * 100 * 100, 7));
    const auto reader = open_hdf5(path, {});
    CHECK(reader->layer_of(0)->bytes < 1 << 20);
    reader->read_layer(
        reader->layer_of(0)->rows, [](const RowPart& part) { REQUIRE(part.voxels[part.count - 1] == std::byte{7}); }, Visits::in_turn);
}

TEST_CASE("HDF5: partial chunks that are stored without a filter") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(5 * 6 * 7);
    const Shape shape{5, 6, 7}, chunk{2, 4, 4};
    {
        const Id access(H5Pcreate(H5P_FILE_ACCESS)), creation(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        H5Pset_chunk(creation, 3, chunk.data());
        H5Pset_deflate(creation, 5);
        H5Pset_chunk_opts(creation, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
        const Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)), space(H5Screate_simple(3, shape.data(), nullptr));
        const Id dataset(H5Dcreate2(file, "v", H5T_STD_I16LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
        REQUIRE(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    }
    CHECK(read_values(path) == std::vector<double>(values.begin(), values.end()));
}

TEST_CASE("HDF5: several readers and a writer in one process") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5", other = folder / "b.h5";
    const std::vector<int> values = counting(8 * 9 * 10);
    const std::vector<double> expected(values.begin(), values.end());
    put_dataset(new_file(path), "v", {8, 9, 10}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data(), {{4, 4, 4}, 1});
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 10; ++round) {
                if (t == 0) {
                    const Lock lock;
                    put_dataset(new_file(other), "v", {8, 9, 10}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data(), {{4, 4, 4}, 1});
                } else {
                    const auto reader = open_hdf5(path, {});
                    right += read_values(*reader, 3) == expected;
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 30);
}

TEST_CASE("HDF5: hostile files give an error or a result") {
    if (data.empty()) return skip();
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(data + "/hostile/hdf5")) {
        const std::string path = entry.path();
        CAPTURE(path);
        const auto read_layers = [&](const OpenOptions& options) {
            const auto reader = open_hdf5(path, options);
            for (std::int64_t row = 0; row < reader->info().extent.rows() && reader->layer_of(row);) {
                const RowRange layer = reader->layer_of(row)->rows;
                reader->read_layer(
                    layer, [](const RowPart&) {}, Visits::in_turn);
                row = layer.end();
            }
            read_values(*reader, reader->rows_per_read());
        };
        const auto ends_well = [&](const OpenOptions& options) {
            const auto kind = kind_of([&] { read_layers(options); });
            return !kind || is_about_content(*kind) || kind == ErrorKind::out_of_memory || kind == ErrorKind::several_datasets ||
                   kind == ErrorKind::several_volumes;
        };
        CHECK(ends_well({}));
        VolumeInfo info;
        if (const auto kind = kind_of([&] { info = describe_hdf5(path, {}); }))
            CHECK((is_about_content(*kind) || kind == ErrorKind::out_of_memory));
        for (const Dataset& dataset : info.datasets) {
            CAPTURE(dataset.path);
            CHECK(ends_well({.dataset = dataset.path}));
        }
        ++files;
    }
    CHECK(files >= 19);
    const std::string message = message_of([&] { open_hdf5(data + "/hostile/hdf5/huge_sparse.h5", {}); });
    CHECK(message.find("claims 1000000000000000 voxels") != std::string::npos);
}
