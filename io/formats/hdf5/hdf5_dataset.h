// The list of datasets of an HDF5 file, and one dataset, which is opened after checks against corrupt and hostile files.
#pragma once
#include "io/formats/hdf5/hdf5_file.h"
#include "io/formats/hdf5/hdf5_filters.h"

#include <optional>
#include <vector>

namespace voxcc::io::hdf5 {

/// The type of the elements of a dataset, as the library describes it.
struct Element {
    std::string name;                 // "uint16", "bool", "float16"; "string", "compound", ... cannot be labelled
    std::optional<ScalarType> voxel;  // type in memory; empty if the elements are not numbers
    Id stored;                        // type in the file; for an enumeration its base integer type
    std::size_t bytes = 0;            // per stored element
};

/// Reads the type of a dataset. @param path named in errors. @throw Error about the content if the type cannot be read
Element element_of(const File& file, hid_t dataset, const std::string& path);

/// @return the memory type of the library for `type`
hid_t native_type(ScalarType type);

/// @return how elements become voxels; empty if only the library can convert them (24-bit integers, padded bits, unusual floats)
std::optional<ElementFormat> format_of(const File& file, const Element& element);

/// All datasets of a file.
struct Listing {
    std::vector<Dataset> datasets;        // sorted by name within each group
    std::vector<std::string> candidates;  // paths of the datasets that can be a volume: numbers with two axes or more
    std::vector<std::string> warnings;    // objects that were skipped or could not be read
};
Listing list_datasets(const File& file);

/// @return a list for messages: "/raw uint8 32x128x128, /label uint16 32x128x128 and 3 more"
std::string to_text(const std::vector<Dataset>& datasets, std::size_t most = 20);

/// A dataset that passed the checks of open_dataset().
struct StoredDataset {
    Id id;
    std::string path;
    std::vector<hsize_t> shape;  // slowest axis first
    Element element;
    H5D_layout_t layout = H5D_CONTIGUOUS;
    std::vector<hsize_t> chunk;  // chunk size in elements along each axis; empty unless chunked
    std::vector<Filter> filters;
    bool filters_partial_chunks = true;  // whether chunks that extend beyond the dataset are filtered
};

/// Opens the dataset at `path`, which may contain soft links. Refused are:
/// - external links, external storage and virtual datasets, unless they are allowed; then all sources must exist,
/// - types that are not numbers, unknown filters, filters whose parameters do not fit the dataset, and chunks over 1 GiB,
/// - more elements along an axis than its maximum,
/// - stored voxels beyond the end of the file that holds the dataset, and a damaged index of chunks (hdf5_chunk_index.h),
/// - more than 2^41 elements, and more than 1 TiB that is a million times the size of this file. A mostly empty chunked volume is allowed.
/// @throw Error no_such_dataset, else about the content
StoredDataset open_dataset(const File& file, const std::string& path, ExternalFiles external);

}  // namespace voxcc::io::hdf5
