// HDF5 that is damaged, hostile, or leads elsewhere; and real files.
#include "hdf5_files.h"

#include <sys/resource.h>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

const std::string data = VOXCC_TEST_DATA;

void skip() { MESSAGE("SKIPPED: VOXCC_TEST_DATA is not set"); }

}  // namespace

TEST_CASE("HDF5: nothing outside the file is read unless allowed") {
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
        CHECK(code_of(open(dataset, ExternalFiles::refuse)) == ExitCode::bad_data);
        CHECK(message_of(open(dataset, ExternalFiles::refuse)).find("--allow-external") != std::string::npos);
    }
    for (const std::string dataset : {"/link", "/folder/v", "/virtual"})
        CHECK(read_values(path, {.dataset = dataset, .external = ExternalFiles::allow}) == expected);
    CHECK(read_values(path, {.dataset = "/external", .external = ExternalFiles::allow}) == std::vector<double>(24, 7));
    CHECK(code_of(open("/longer", ExternalFiles::allow)) == ExitCode::bad_data);
    CHECK(code_of(open("/missing", ExternalFiles::allow)) == ExitCode::no_input);
}

TEST_CASE("HDF5: damage to stored voxels is found") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.h5";
    const std::vector<int> values = counting(16 * 16 * 16);
    for (const Storage& how : {Storage{{8, 16, 16}, 6}, Storage{{8, 16, 16}, 0, false, true}}) {
        put_dataset(new_file(path), "v", {16, 16, 16}, H5T_STD_U8LE, H5T_NATIVE_INT, values.data(), how);
        std::string content = test::content_of(path);
        content[content.size() - 40] = char(content[content.size() - 40] ^ 0x10);  // in the last chunk
        test::put_file(path, content);
        CHECK(code_of([&] { read_values(path); }) == ExitCode::bad_data);
        test::put_file(path, content.substr(0, content.size() - 100));
        CHECK(code_of([&] { read_values(path); }) == ExitCode::bad_data);
    }
}

TEST_CASE("HDF5: real files") {
    if (data.empty()) return skip();
    const auto sum = [&](const std::string& name, const OpenOptions& options = {}) {
        const std::vector<double> values = read_values(data + "/hdf5/" + name, options);
        return std::accumulate(values.begin(), values.end(), 0.0);
    };
    // Sums by h5py.
    CHECK(sum("fibsem_gt_lzf.h5") == 27334214);
    CHECK(sum("fibsem_image.h5") == 142056807);
    CHECK(sum("ilastik_prob_zyxc.h5", {.volume = 1}) == doctest::Approx(60550.98990306817).epsilon(1e-12));
    CHECK(sum("ilastik_synthetic_zyx1.h5") == 5869590);
    CHECK(sum("ovule.h5", {.dataset = "/label"}) == 270355318);
    CHECK(describe_hdf5(data + "/hdf5/ovule.h5", {.dataset = "/label"}).geometry.spacing == std::array{0.00015, 0.00015, 0.000235});
    CHECK(describe_hdf5(data + "/hdf5/connectomics512.h5", {}).geometry.spacing == std::array{3.2e-5, 3.2e-5, 4e-5});
}

TEST_CASE("HDF5: hostile files end in an error or a result") {
    if (data.empty()) return skip();
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(data + "/hostile/hdf5")) {
        const std::string path = entry.path();
        CAPTURE(path);
        // First without a choice, then every dataset there is. All in processes of their own, also the listing.
        constexpr int no_more = 200;
        for (int k = -1, code = 0; code != no_more; ++k) {
            CAPTURE(k);
            code = run_apart([&] {
#if !defined(__SANITIZE_ADDRESS__)  // which maps terabytes for itself
                const rlimit most{rlim_t{2} << 30, rlim_t{2} << 30};
                ::setrlimit(RLIMIT_AS, &most);
#endif
                OpenOptions options;
                if (k >= 0) {
                    const std::vector<Dataset> datasets = describe_hdf5(path, {}).datasets;
                    if (k >= int(datasets.size())) ::_exit(no_more);
                    options.dataset = datasets[std::size_t(k)].path;
                }
                const auto reader = open_hdf5(path, options);
                for (std::int64_t row = 0; row < reader->info().extent.rows() && reader->layer_of(row);) {
                    const RowRange layer = reader->layer_of(row)->rows;
                    reader->read_layer(layer, [](const RowPart&) {});
                    row = layer.end();
                }
                read_values(*reader, reader->rows_a_read());
            });
            const bool clean = code == 0 || code == int(ExitCode::bad_data) || code == int(ExitCode::usage) || code == no_more;
            CHECK(clean);
            if (!clean || (k == 0 && code == int(ExitCode::bad_data) && run_apart([&] { describe_hdf5(path, {}); }) != 0)) break;
        }
        ++files;
    }
    CHECK(files >= 19);
    const std::string message = message_of([&] { open_hdf5(data + "/hostile/hdf5/huge_sparse.h5", {}); });
    CHECK(message.find("claims 1000000000000000 voxels") != std::string::npos);
}
