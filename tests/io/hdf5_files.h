// Helpers that write HDF5 files with the HDF5 library and read complete volumes.
#pragma once
#include "files.h"
#include "io/formats/hdf5/hdf5.h"
#include "io/formats/hdf5/hdf5_handles.h"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <numeric>

namespace voxcc::test {

using io::OpenOptions;
using io::VolumeInfo;
using io::VolumeReader;
using io::hdf5::Id;
using Shape = std::vector<hsize_t>;

struct Storage {
    Shape chunk;      // empty: contiguous
    int deflate = 0;  // 0: none
    bool shuffle = false, checksum = false;
};

inline Id new_file(const std::string& path) {
    const io::hdf5::Lock lock;
    Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    REQUIRE(file >= 0);
    return file;
}

// Writes `values`, of memory type `memory`, as a dataset of file type `stored`.
inline Id put_dataset(hid_t file, const char* name, const Shape& shape, hid_t stored, hid_t memory, const void* values,
                      const Storage& how = {}) {
    const Id space(H5Screate_simple(int(shape.size()), shape.data(), nullptr)), creation(H5Pcreate(H5P_DATASET_CREATE));
    if (!how.chunk.empty()) H5Pset_chunk(creation, int(how.chunk.size()), how.chunk.data());
    if (how.shuffle) H5Pset_shuffle(creation);
    if (how.deflate) H5Pset_deflate(creation, unsigned(how.deflate));
    if (how.checksum) H5Pset_fletcher32(creation);
    Id dataset(H5Dcreate2(file, name, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    REQUIRE(dataset >= 0);
    if (values) REQUIRE(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    return dataset;
}

inline void put_text(hid_t object, const char* name, const std::vector<const char*>& texts) {
    const Id type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, H5T_VARIABLE);
    const hsize_t n = texts.size();
    const Id space(H5Screate_simple(1, &n, nullptr)), attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    REQUIRE(H5Awrite(attribute, type, texts.data()) >= 0);
}

inline void put_numbers(hid_t object, const char* name, const std::vector<double>& numbers) {
    const hsize_t n = numbers.size();
    const Id space(H5Screate_simple(1, &n, nullptr)), attribute(H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT));
    REQUIRE(H5Awrite(attribute, H5T_NATIVE_DOUBLE, numbers.data()) >= 0);
}

inline std::vector<int> counting(std::size_t n) {
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 0);
    for (int& value : values) value %= 120;
    return values;
}

// All voxels, read in steps of `rows_at_once` rows.
inline std::vector<double> read_values(VolumeReader& reader, std::int64_t rows_at_once) {
    const VolumeInfo& info = reader.info();
    std::vector<std::byte> bytes(std::size_t(info.extent.voxels() * size_of(info.type)));
    const std::int64_t row_bytes = info.extent.nx * size_of(info.type);
    for (std::int64_t first = 0; first < info.extent.rows(); first += rows_at_once)
        reader.read_rows({first, std::min(rows_at_once, info.extent.rows() - first)}, bytes.data() + first * row_bytes);
    std::vector<double> values;
    visit_scalar(info.type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::vector<T> typed(bytes.size() / sizeof(T));
        std::memcpy(typed.data(), bytes.data(), bytes.size());
        values.assign(typed.begin(), typed.end());
    });
    return values;
}

inline std::vector<double> read_values(const std::string& path, const OpenOptions& options = {}) {
    const auto reader = io::open_hdf5(path, options);
    const std::vector<double> whole = read_values(*reader, reader->rows_per_read());
    for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{7}, reader->info().extent.rows()}) {
        reader->rewind();
        CAPTURE(rows);
        CHECK(read_values(*reader, rows) == whole);
    }
    return whole;
}

/// The exit status of a process that run_apart() ends for an error of this kind.
inline int status_of(ErrorKind kind) { return 1 + int(kind); }

// Runs `action` in a child process, so that a hostile file cannot crash the test.
// @return the exit status, or the negated signal number
inline int run_apart(const std::function<void()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        ::alarm(30);
        int code = 0;
        try {
            action();
        } catch (const Error& error) {
            code = status_of(error.kind());
        } catch (...) {
            code = 255;
        }
        ::_exit(code);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace voxcc::test
