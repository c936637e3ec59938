// Helpers that write small NIfTI files byte by byte and read their values.
#pragma once
#include "io/codecs/gzip/gzip.h"
#include "io/files/checked_file.h"
#include "tests/io/files.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace voxcc::test {

using namespace io;

// The bytes of a file, accessed by the offsets of nifti1.h. Does not use the program's field tables.
struct Bytes {
    std::string text;
    std::endian order = std::endian::little;
    template <class T>
    void put(std::size_t offset, T value) {
        auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
        if (order == std::endian::big) std::reverse(bytes.begin(), bytes.end());
        std::copy(bytes.begin(), bytes.end(), text.begin() + std::ptrdiff_t(offset));
    }
    template <class T>
    T get(std::size_t offset) const {
        std::array<char, sizeof(T)> bytes;
        std::copy_n(text.begin() + std::ptrdiff_t(offset), sizeof(T), bytes.begin());
        if (order == std::endian::big) std::reverse(bytes.begin(), bytes.end());
        return std::bit_cast<T>(bytes);
    }
    template <class T>
    void append(T value) {
        text.resize(text.size() + sizeof(T));
        put(text.size() - sizeof(T), value);
    }
};

// A 3 x 2 x 2 NIfTI-1 file of int16 0, 1, 2, ... with a spacing of 2, 3, 4 mm.
constexpr int small_voxels = 12;
inline Bytes small_header(std::endian order = std::endian::little) {
    Bytes h{std::string(352, '\0'), order};
    h.put<std::int32_t>(0, 348);
    const std::array<std::int16_t, 8> dim{3, 3, 2, 2, 1, 1, 1, 1};
    for (std::size_t i = 0; i < 8; ++i) h.put(40 + 2 * i, dim[i]);
    h.put<std::int16_t>(70, 4);
    h.put<std::int16_t>(72, 16);
    const std::array<float, 8> pixdim{1, 2, 3, 4, 0, 0, 0, 0};
    for (std::size_t i = 0; i < 8; ++i) h.put(76 + 4 * i, pixdim[i]);
    h.put<float>(108, 352);
    h.put<char>(123, 2);
    h.text.replace(344, 4, std::string("n+1\0", 4));
    return h;
}
inline Bytes small_file(std::endian order = std::endian::little) {
    Bytes file = small_header(order);
    for (std::int16_t i = 0; i < small_voxels; ++i) file.append(i);
    return file;
}
inline Bytes small_nifti2(std::endian order) {
    Bytes h{std::string(544, '\0'), order};
    h.put<std::int32_t>(0, 540);
    h.text.replace(4, 8, std::string("n+2\0\r\n\x1a\n", 8));
    h.put<std::int16_t>(12, 4);
    h.put<std::int16_t>(14, 16);
    const std::array<std::int64_t, 8> dim{3, 3, 2, 2, 1, 1, 1, 1};
    for (std::size_t i = 0; i < 8; ++i) h.put(16 + 8 * i, dim[i]);
    const std::array<double, 8> pixdim{1, 2, 3, 4, 0, 0, 0, 0};
    for (std::size_t i = 0; i < 8; ++i) h.put(104 + 8 * i, pixdim[i]);
    h.put<std::int64_t>(168, 544);
    h.put<std::int32_t>(500, 2);
    for (std::int16_t i = 0; i < small_voxels; ++i) h.append(i);
    return h;
}

inline std::string gzipped(const std::string& raw) {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    OutputFile& file = outputs.create(folder / "x");
    GzipMemberWriter writer(file);
    writer.append(encode_gzip_block(std::as_bytes(std::span(raw)), 6));
    writer.finish();
    file.close();
    outputs.publish();
    return content_of(folder / "x");
}

// All voxels, in steps of `step` rows.
inline std::vector<std::byte> bytes_of(VolumeReader& reader, std::int64_t step) {
    const VolumeInfo& info = reader.info();
    const std::int64_t row = info.extent.nx * size_of(info.type);
    std::vector<std::byte> all(std::size_t(info.extent.rows() * row));
    for (std::int64_t r = 0; r < info.extent.rows(); r += step)
        reader.read_rows({r, std::min(step, info.extent.rows() - r)}, all.data() + r * row);
    return all;
}

inline std::vector<double> values_of(VolumeReader& reader, std::int64_t step = 7) {
    const std::vector<std::byte> bytes = bytes_of(reader, step);
    return visit_scalar(reader.info().type, [&]<class T>(std::type_identity<T>) {
        std::vector<T> typed(bytes.size() / sizeof(T));
        std::memcpy(typed.data(), bytes.data(), bytes.size());
        return std::vector<double>(typed.begin(), typed.end());
    });
}
inline std::vector<double> values_of(const std::string& path, const OpenOptions& options = {}) {
    return values_of(*open_volume(path, options));
}

inline std::vector<double> count_up() {
    std::vector<double> values(small_voxels);
    for (int i = 0; i < small_voxels; ++i) values[std::size_t(i)] = i;
    return values;
}

inline std::optional<ErrorKind> kind_of_reading(const std::string& path) {
    return kind_of([&] { values_of(path); });
}

inline bool has_warning(const VolumeInfo& info, const std::string& part) {
    return std::any_of(info.warnings.begin(), info.warnings.end(), [&](const std::string& w) { return w.find(part) != std::string::npos; });
}

}  // namespace voxcc::test
