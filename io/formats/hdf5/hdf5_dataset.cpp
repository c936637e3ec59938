#include "io/formats/hdf5/hdf5_dataset.h"

#include "io/failed_allocation.h"
#include "io/formats/hdf5/hdf5_chunk_index.h"
#include "io/formats/hdf5/hdf5_parameters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <filesystem>
#include <new>

namespace voxcc::io::hdf5 {
namespace {

constexpr int most_soft_links = 16;  // per path
constexpr std::int64_t most_elements = std::int64_t{1} << 41;
constexpr std::int64_t bytes_of_any_volume = std::int64_t{1} << 40;
constexpr double most_bytes_per_stored_byte = 1e6;
constexpr std::int64_t most_bytes_per_filtered_byte = 1032;  // of deflate
constexpr std::int64_t most_beside_dataset = std::int64_t{64} << 20;

Error refused(const File& file, const std::string& cause, ErrorKind kind = ErrorKind::invalid_file) { return {kind, file.path(), cause}; }

void push_front(std::deque<std::string>& parts, const std::string& path) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        if (const std::string name = path.substr(at, end - at); !name.empty() && name != ".") names.push_back(name);
        at = end + 1;
    }
    parts.insert(parts.begin(), names.begin(), names.end());
}

// Resolves soft links step by step, so that loops and links out of the file are detected.
std::string resolve(const File& file, const std::string& path, ExternalFiles external) {
    std::deque<std::string> parts;
    push_front(parts, path);
    std::string at;
    for (int followed = 0; !parts.empty();) {
        const std::string next = at + "/" + parts.front();
        parts.pop_front();
        const htri_t exists = H5Lexists(file, next.c_str(), H5P_DEFAULT);
        if (exists < 0 && allocation_failed()) throw std::bad_alloc();
        H5Eclear2(H5E_DEFAULT);  // the library reports an error for paths below an object that is not a group
        if (exists <= 0)
            throw Error(ErrorKind::no_such_dataset, file.path(), "does not contain the dataset " + path,
                        to_text(list_datasets(file).datasets));
        H5L_info_t info{};
        file.check(H5Lget_info(file, next.c_str(), &info, H5P_DEFAULT), "read the link " + next);
        if (info.type == H5L_TYPE_SOFT) {
            if (++followed > most_soft_links) throw refused(file, path + " leads over more than 16 soft links");
            if (info.u.val_size > 65536) throw refused(file, "the link " + next + " is too long");
            std::string target(info.u.val_size, '\0');
            file.check(H5Lget_val(file, next.c_str(), target.data(), target.size(), H5P_DEFAULT), "read the link " + next);
            target = target.c_str();
            if (target.starts_with("/")) at.clear();
            push_front(parts, target);
            continue;
        }
        if (info.type != H5L_TYPE_HARD && (info.type != H5L_TYPE_EXTERNAL || external == ExternalFiles::refuse))
            throw refused(file, next + " leads to another file", ErrorKind::external_file);
        at = next;
    }
    return at.empty() ? "/" : at;
}

void require_dataset(const File& file, const std::string& path) {
    const Id object = file.own(H5Oopen(file, path.c_str(), H5P_DEFAULT), "open " + path);
    if (H5Iget_type(object) != H5I_DATASET)
        throw Error(ErrorKind::no_such_dataset, file.path(), path + " is not a dataset", to_text(list_datasets(file).datasets));
}

std::string beside(const File& file, const std::string& name) { return (std::filesystem::path(file.path()).parent_path() / name).string(); }

// Checks the lengths of external files, because the library reads zeros after the end of a short file.
void check_external_storage(const File& file, hid_t creation, const std::string& path, ExternalFiles external) {
    const int count = file.check(H5Pget_external_count(creation), "read the storage of " + path);
    if (count > 0 && external == ExternalFiles::refuse)
        throw refused(file, path + " keeps its voxels in another file", ErrorKind::external_file);
    for (int i = 0; i < count; ++i) {
        std::array<char, 4096> name{};
        off_t offset = 0;
        hsize_t size = 0;
        file.check(H5Pget_external(creation, unsigned(i), name.size() - 1, name.data(), &offset, &size), "read the storage of " + path);
        const InputFile input(beside(file, name.data()));
        file.add_further_file(input.path());
        if (size != H5F_UNLIMITED && (offset < 0 || offset > input.size() || size > hsize_t(input.size() - offset)))
            throw Error(ErrorKind::invalid_file, input.path(), "is shorter than " + file.path() + " says");
    }
}

// Checks that all sources exist, because the library reads fill values for a missing source.
void check_virtual_sources(const File& file, hid_t creation, const std::string& path, ExternalFiles external) {
    if (external == ExternalFiles::refuse)
        throw refused(file, path + " is a virtual dataset, made of datasets of other files", ErrorKind::external_file);
    std::size_t count = 0;
    file.check(H5Pget_virtual_count(creation, &count), "read the sources of " + path);
    for (std::size_t i = 0; i < count; ++i) {
        std::array<char, 4096> name{}, dataset{};
        file.check(H5Pget_virtual_filename(creation, i, name.data(), name.size() - 1), "read the sources of " + path);
        file.check(H5Pget_virtual_dsetname(creation, i, dataset.data(), dataset.size() - 1), "read the sources of " + path);
        const std::string source = name.data();
        if (source == ".") {
            file.own(H5Dopen2(file, dataset.data(), H5P_DEFAULT), "open the source " + std::string(dataset.data()));
            continue;
        }
        if (source.find('%') != std::string::npos) throw refused(file, path + " is made of numbered files, " + source);
        const Id other =
            file.own(H5Fopen(beside(file, source).c_str(), H5F_ACC_RDONLY, file.access_properties()), "open the source " + source);
        file.own(H5Dopen2(other, dataset.data(), H5P_DEFAULT), "open " + std::string(dataset.data()) + " in the source " + source);
    }
}

// Filters that the library undoes safely. nbit is excluded: imaging software does not write it, and its decoder in 1.10.8 trusts the file.
bool library_undoes(H5Z_filter_t id) { return (id == H5Z_FILTER_SZIP || id == H5Z_FILTER_SCALEOFFSET) && H5Zfilter_avail(id) > 0; }

/// @throw Error about the content naming a filter that cannot be undone
std::vector<Filter> filters_of(const File& file, hid_t creation, const std::string& dataset) {
    const std::string action = "read the filters of " + dataset;
    std::vector<Filter> filters;
    const int count = file.check(H5Pget_nfilters(creation), action);
    for (int i = 0; i < count; ++i) {
        std::array<unsigned, 32> values{};
        std::size_t n = values.size();
        unsigned flags = 0, config = 0;
        const H5Z_filter_t id = file.check(H5Pget_filter2(creation, unsigned(i), &flags, &n, values.data(), 0, nullptr, &config), action);
        filters.push_back({id, {values.begin(), values.begin() + std::ptrdiff_t(std::min(n, values.size()))}});
        if (!can_undo({filters.back()}) && !library_undoes(id))
            throw refused(file,
                          dataset + " went through filter " + std::to_string(id) + " (" + name_of_filter(id) +
                              "), which cannot be undone here; "
                              "rewrite it with deflate, for example by h5repack -f GZIP=1 where that filter is installed",
                          ErrorKind::unsupported_file);
    }
    return filters;
}

std::int64_t checked_product(const File& file, const std::vector<hsize_t>& factors, std::size_t bytes, const std::string& what) {
    std::int64_t product = std::int64_t(bytes);
    for (const hsize_t n : factors)
        if (n > hsize_t(INT64_MAX) || __builtin_mul_overflow(product, std::int64_t(n), &product))
            throw refused(file, what + " claims more than 2^63 bytes; the header is corrupt");
    return product;
}

void check_claims(const File& file, const StoredDataset& dataset) {
    const OpenedFile holder = file.file_of(dataset.id);
    const std::int64_t bytes = checked_product(file, dataset.shape, dataset.element.bytes, dataset.path);
    const std::int64_t elements = bytes / std::int64_t(dataset.element.bytes);
    if (elements > most_elements || (bytes > bytes_of_any_volume && double(bytes) > most_bytes_per_stored_byte * double(holder.size)))
        throw refused(file, dataset.path + " claims " + std::to_string(elements) + " voxels in a file of " + std::to_string(holder.size) +
                                " bytes; the header is corrupt, or the file was never filled");
    if (dataset.layout == H5D_CHUNKED) {
        const std::int64_t chunk = checked_product(file, dataset.chunk, dataset.element.bytes, "a chunk of " + dataset.path);
        if (chunk < 1 || chunk > largest_chunk)
            throw refused(file,
                          "a chunk of " + dataset.path + " has " + std::to_string(chunk) +
                              " bytes; at most 1 GiB can be read; "
                              "rewrite it with smaller chunks, for example by h5repack -l CHUNK=...",
                          ErrorKind::unsupported_file);
        // The library decodes a chunk completely. A chunk of equal values is small, so that a small file could claim much memory.
        if (has_trusting_filter(dataset) && chunk > bytes + most_beside_dataset && chunk / most_bytes_per_filtered_byte > holder.size)
            throw refused(file, "a chunk of " + dataset.path + " claims " + std::to_string(chunk) + " bytes, the dataset has " +
                                    std::to_string(bytes) + " bytes, and the file " + std::to_string(holder.size));
        check_filter_parameters(file, dataset);
        check_chunk_index(file, dataset);
    }
    // A dataset may be unwritten (fill values). A compact dataset must be complete, because the library does not compare its size with the
    // shape.
    if (dataset.layout == H5D_COMPACT)
        if (const hsize_t stored = H5Dget_storage_size(dataset.id); stored < hsize_t(bytes))
            throw refused(file, dataset.path + ": expected " + std::to_string(bytes) + " bytes, got " + std::to_string(stored));
    if (dataset.layout == H5D_CONTIGUOUS)
        if (const haddr_t offset = H5Dget_offset(dataset.id); offset != HADDR_UNDEF)
            if (offset > haddr_t(holder.size) || bytes > holder.size - std::int64_t(offset))
                throw Error(ErrorKind::damaged_file, holder.path,
                            dataset.path + ": expected " + std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
                                " on, the file has " + std::to_string(holder.size));
    H5Eclear2(H5E_DEFAULT);  // H5Dget_offset reports an error for a dataset without an offset
}

/// @throw Error about the content if an axis is longer than its own maximum, which the library accepts
std::vector<hsize_t> shape_of(const File& file, hid_t dataset, const std::string& path) {
    const std::string action = "read the shape of " + path;
    const Id space = file.own(H5Dget_space(dataset), action);
    std::vector<hsize_t> shape(std::size_t(file.check(H5Sget_simple_extent_ndims(space), action))), most(shape.size());
    if (!shape.empty()) file.check(H5Sget_simple_extent_dims(space, shape.data(), most.data()), action);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > most[axis])
            throw refused(
                file,
                path + " has an axis of " + std::to_string(shape[axis]) + " voxels, of which it allows only " + std::to_string(most[axis]),
                ErrorKind::corrupt_file);
    return shape;
}

}  // namespace

StoredDataset open_dataset(const File& file, const std::string& path, ExternalFiles external) {
    const Lock lock;
    StoredDataset dataset;
    dataset.path = resolve(file, path, external);
    require_dataset(file, dataset.path);
    dataset.id = file.own(H5Dopen2(file, dataset.path.c_str(), H5P_DEFAULT), "open " + dataset.path);

    dataset.element = element_of(file, dataset.id, dataset.path);
    if (!dataset.element.voxel) throw refused(file, dataset.path + " holds values of type " + dataset.element.name + ", not voxels");
    dataset.shape = shape_of(file, dataset.id, dataset.path);
    const Id creation = file.own(H5Dget_create_plist(dataset.id), "read the layout of " + dataset.path);
    dataset.layout = file.check(H5Pget_layout(creation), "read the layout of " + dataset.path);
    if (dataset.layout == H5D_VIRTUAL) check_virtual_sources(file, creation, dataset.path, external);
    else check_external_storage(file, creation, dataset.path, external);
    if (H5Pget_external_count(creation) > 0) {
        // Makes names relative to the HDF5 file instead of the working directory; the dataset must be opened again for this.
        dataset.id = Id();
        const Id access = file.own(H5Pcreate(H5P_DATASET_ACCESS), "prepare reading");
        file.check(H5Pset_efile_prefix(access, "${ORIGIN}"), "prepare reading");
        dataset.id = file.own(H5Dopen2(file, dataset.path.c_str(), access), "open " + dataset.path);
    }
    dataset.filters = filters_of(file, creation, dataset.path);
    if (dataset.layout == H5D_CHUNKED) {
        unsigned options = 0;
        file.check(H5Pget_chunk_opts(creation, &options), "read the chunks of " + dataset.path);
        dataset.filters_partial_chunks = !(options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
        std::array<hsize_t, H5S_MAX_RANK> chunk{};
        const int rank = file.check(H5Pget_chunk(creation, int(chunk.size()), chunk.data()), "read the chunks of " + dataset.path);
        if (std::size_t(rank) != dataset.shape.size()) throw refused(file, dataset.path + " has chunks of another number of axes");
        dataset.chunk.assign(chunk.begin(), chunk.begin() + rank);
    }
    check_claims(file, dataset);
    return dataset;
}

}  // namespace voxcc::io::hdf5
