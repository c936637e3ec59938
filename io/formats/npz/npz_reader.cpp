// Archives of NumPy arrays (.npz): a ZIP archive with one .npy file per array, stored or deflated.
#include "io/codecs/zip/zip_directory.h"
#include "io/codecs/zip/zip_member_reader.h"
#include "io/contiguous_reader.h"
#include "io/formats/npy/npy_header.h"
#include "io/formats/npz/npz.h"
#include "io/samples.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

constexpr std::string_view ending = ".npy";

struct Array {
    std::string name;
    ZipMember member;
    NpyHeader header;
};

std::unique_ptr<DecodedFile> open_member(const std::string& path, const ZipMember& member) {
    const auto open = [member](const InputFile& file) { return open_zip_member(file, member); };
    return std::make_unique<DecodedFile>(path, FilePart{member.offset, member.size, open});
}

/// Reads the headers of all arrays, and no voxels.
std::vector<Array> arrays_of(const std::string& path) {
    const InputFile file(path);
    std::vector<Array> arrays;
    for (const ZipMember& member : read_zip_directory(file)) {
        if (!member.name.ends_with(ending)) continue;
        const auto content = open_member(path, member);
        const auto read = [&](std::int64_t offset, std::span<std::byte> to) { return content->read_some(offset, to); };
        arrays.push_back({member.name.substr(0, member.name.size() - ending.size()), member, read_npy_header(path, read)});
    }
    if (arrays.empty()) throw Error(ErrorKind::invalid_file, path, "is a ZIP archive without NumPy arrays; unpack it, and give one file");
    return arrays;
}

std::vector<Dataset> datasets_of(const std::vector<Array>& arrays) {
    std::vector<Dataset> datasets;
    for (const Array& array : arrays) datasets.push_back({array.name, array.header.descr, array.header.shape});
    return datasets;
}

std::string names_of(const std::vector<Array>& arrays) {
    std::string names;
    for (const Array& array : arrays) names += (names.empty() ? "" : " ") + array.name;
    return names;
}

/// The array that the options name, else the only array of two axes or more, else the only array. Null if several are possible.
const Array* chosen(const std::vector<Array>& arrays, const OpenOptions& options, const std::string& path) {
    if (!options.dataset.empty()) {
        std::string name = options.dataset;
        if (name.starts_with('/')) name.erase(0, 1);
        for (const Array& array : arrays)
            if (name == array.name || name == array.name + std::string(ending)) return &array;
        throw Error(ErrorKind::no_such_dataset, path, "does not contain the array '" + name + "'", names_of(arrays));
    }
    const Array* found = nullptr;
    for (const Array& array : arrays) {
        if (array.header.shape.size() < 2) continue;
        if (found) return nullptr;
        found = &array;
    }
    return found || arrays.size() > 1 ? found : &arrays.front();
}

ContiguousFile open_array(const Array& array, const std::vector<Array>& arrays, const std::string& path) {
    const NpyType type = parse_npy_type(array.header.descr, path);
    ContiguousFile opened{describe_array(array.header, type, path), {}, open_member(path, array.member)};
    VolumeInfo& info = opened.info;
    info.dataset = array.name;
    info.datasets = datasets_of(arrays);
    info.compression = array.member.method == 0 ? "none" : "deflate";
    const std::int64_t stored = type.samples == Samples::halves ? 2 : size_of(type.type);
    opened.voxels = {
        .offset = array.header.end, .bytes = bytes_of_volumes(info, stored), .bytes_per_voxel = stored, .byte_order = type.byte_order};
    if (type.samples == Samples::halves) opened.voxels.convert = halves_to_floats_in_place;
    return opened;
}

void refuse_itk(const std::string& path, const OpenOptions& options) {
    if (options.reader == ReaderChoice::itk) throw Error(ErrorKind::unsupported_by_reader, path, "ITK does not read NumPy files", "voxcc");
}

}  // namespace

std::unique_ptr<VolumeReader> open_npz(const std::string& path, const OpenOptions& options) {
    refuse_itk(path, options);
    const std::vector<Array> arrays = arrays_of(path);
    const Array* const array = chosen(arrays, options, path);
    if (!array) throw Error(ErrorKind::several_datasets, path, "holds several arrays that could be the volume", names_of(arrays));
    return open_contiguous(open_array(*array, arrays, path), options);
}

VolumeInfo describe_npz(const std::string& path, const OpenOptions& options) {
    refuse_itk(path, options);
    const std::vector<Array> arrays = arrays_of(path);
    const Array* const array = chosen(arrays, options, path);
    if (array) return checked_info(open_array(*array, arrays, path));
    VolumeInfo info;
    info.path = path;
    info.format = "NumPy";
    info.datasets = datasets_of(arrays);
    return info;
}

}  // namespace voxcc::io
