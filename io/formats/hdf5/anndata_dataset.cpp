#include "io/formats/hdf5/anndata_dataset.h"

#include <algorithm>

namespace voxcc::io::hdf5 {
namespace {

/// The types of values in the file and in memory.
struct Types {
    Id stored, native;
};

Types types_of(const File& file, AnnDataType type) {
    const auto copies = [&](hid_t stored, hid_t native) {
        return Types{file.own(H5Tcopy(stored), "choose a type"), file.own(H5Tcopy(native), "choose a type")};
    };
    switch (type) {
        case AnnDataType::i64: return copies(H5T_STD_I64LE, H5T_NATIVE_INT64);
        case AnnDataType::u64: return copies(H5T_STD_U64LE, H5T_NATIVE_UINT64);
        case AnnDataType::f64: return copies(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
        case AnnDataType::text: return {text_type(file), text_type(file)};
    }
    throw Error(ErrorKind::internal, "HDF5", "an unknown type");
}

const char* encoding_of(AnnDataType type) { return type == AnnDataType::text ? "string-array" : "array"; }

}  // namespace

Id text_type(const File& file) {
    Id text = file.own(H5Tcopy(H5T_C_S1), "choose a type");
    file.check(H5Tset_size(text, H5T_VARIABLE), "choose a type");
    file.check(H5Tset_cset(text, H5T_CSET_UTF8), "choose a type");
    return text;
}

void put_text_attribute(const File& file, hid_t object, const char* name, const std::string& text) {
    const std::string action = "write the attribute " + std::string(name);
    const Id type = text_type(file), space = file.own(H5Screate(H5S_SCALAR), action);
    const Id attribute = file.own(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), action);
    const char* const value = text.c_str();
    file.check(H5Awrite(attribute, type, &value), action);
}

void put_text_list_attribute(const File& file, hid_t object, const char* name, const std::vector<std::string>& texts) {
    const std::string action = "write the attribute " + std::string(name);
    const hsize_t count = texts.size();
    const Id type = text_type(file), space = file.own(H5Screate_simple(1, &count, nullptr), action);
    const Id attribute = file.own(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), action);
    std::vector<const char*> values;
    for (const std::string& text : texts) values.push_back(text.c_str());
    if (count > 0) file.check(H5Awrite(attribute, type, values.data()), action);
}

void put_encoding(const File& file, hid_t object, const std::string& type, const std::string& version) {
    put_text_attribute(file, object, "encoding-type", type);
    put_text_attribute(file, object, "encoding-version", version);
}

Id make_group(const File& file, const std::string& path, const std::string& encoding, const std::string& version) {
    const std::string action = "create " + path;
    const Id creation = file.own(H5Pcreate(H5P_GROUP_CREATE), action);
    file.check(H5Pset_obj_track_times(creation, 0), action);
    Id group = file.own(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), action);
    put_encoding(file, group, encoding, version);
    return group;
}

std::vector<hsize_t> GrowingDataset::shape(std::uint64_t rows) const {
    if (!width_) return {rows};
    return {rows, *width_};
}

void GrowingDataset::create(const File& file, std::uint64_t rows, Rows which) {
    constexpr std::uint64_t values_per_chunk = 1 << 17;  // 1 MiB
    const std::string action = "create " + path_;
    const Id creation = file.own(H5Pcreate(H5P_DATASET_CREATE), action), access = file.own(H5Pcreate(H5P_DATASET_ACCESS), action);
    file.check(H5Pset_obj_track_times(creation, 0), action);
    const std::vector<hsize_t> size = shape(rows);
    std::vector<hsize_t> most = size;
    const bool is_growing = which == Rows::some && width_ != std::uint64_t{0};
    if (is_growing) {
        most.front() = H5S_UNLIMITED;
        const std::uint64_t chunk_rows = std::clamp<std::uint64_t>(values_per_chunk / width_.value_or(1), 1, rows_per_append_);
        const std::vector<hsize_t> chunk = shape(chunk_rows);
        file.check(H5Pset_chunk(creation, int(chunk.size()), chunk.data()), action);
        file.check(H5Pset_chunk_cache(access, 1, 0, 1), action);  // complete chunks are written at once
    }
    const Id type = types_of(file, type_).stored, space = file.own(H5Screate_simple(int(size.size()), size.data(), most.data()), action);
    id_ = file.own(H5Dcreate2(file, path_.c_str(), type, space, H5P_DEFAULT, creation, access), action);
    put_encoding(file, id_, encoding_of(type_), "0.2.0");
}

void GrowingDataset::append(const File& file, const void* values, std::uint64_t rows, Rows which) {
    const std::string action = "write " + path_;
    if (width_ == std::uint64_t{0}) {  // has no values; its shape is known after the last row
        rows_ += rows;
        if (which == Rows::all) create(file, rows_, which);
        return;
    }
    const bool is_new = rows_ == 0 && hid_t(id_) < 0;
    if (is_new) create(file, rows, which);
    const std::vector<hsize_t> size = shape(rows_ + rows), count = shape(rows);
    if (!is_new && rows > 0) file.check(H5Dset_extent(id_, size.data()), action);
    std::vector<hsize_t> start(size.size(), 0);
    start.front() = rows_;
    rows_ += rows;
    if (rows == 0) return;
    const Id type = types_of(file, type_).native, in_file = file.own(H5Dget_space(id_), action);
    const Id in_memory = file.own(H5Screate_simple(int(count.size()), count.data(), nullptr), action);
    file.check(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), action);
    file.check(H5Dwrite(id_, type, in_memory, in_file, H5P_DEFAULT, values), action);
}

void GrowingDataset::read(const File& file, std::uint64_t first, std::uint64_t rows, void* values) const {
    const std::string action = "read back " + path_;
    const hsize_t start = first, count = rows;
    const Id type = types_of(file, type_).native, in_file = file.own(H5Dget_space(id_), action);
    const Id in_memory = file.own(H5Screate_simple(1, &count, nullptr), action);
    file.check(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &start, nullptr, &count, nullptr), action);
    file.check(H5Dread(id_, type, in_memory, in_file, H5P_DEFAULT, values), action);
}

void GrowingDataset::remove(const File& file) {
    id_ = Id();
    file.check(H5Ldelete(file, path_.c_str(), H5P_DEFAULT), "replace " + path_);
}

void GrowingDataset::rename(const File& file, const std::string& path) {
    file.check(H5Lmove(file, path_.c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT), "replace " + path);
    path_ = path;
}

}  // namespace voxcc::io::hdf5
