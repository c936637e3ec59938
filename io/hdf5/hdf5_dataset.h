// What an HDF5 file holds, and one dataset of it, opened only after everything that could do harm has been ruled out.
#pragma once
#include "io/hdf5/hdf5_file.h"
#include "io/hdf5/hdf5_filters.h"

#include <optional>
#include <vector>

namespace voxcc::io::hdf5 {

/// The type of a dataset's elements, as the library describes it.
struct Element {
    std::string name;                 // "uint16", "bool", "float16", or "string", "compound", ... which cannot be labelled
    std::optional<ScalarType> voxel;  // what the elements become; none if they are no numbers
    Id stored;                        // as in the file; of an enumeration the integers below it
    std::size_t bytes = 0;            // of a stored element
};

/// @throw Error bad_data if the type cannot be read
Element element_of(const File& file, hid_t dataset, const std::string& path);

/// The library's type of such voxels in memory.
hid_t native_type(ScalarType type);

/// How elements become voxels; nothing if only the library can convert them (24-bit integers, padded bits, other floating-point formats).
std::optional<ElementFormat> format_of(const File& file, const Element& element);

/// Every dataset of a file.
struct Listing {
    std::vector<Dataset> datasets;        // by path
    std::vector<std::string> candidates;  // those that could be a volume: numbers along two axes or more
    std::vector<std::string> warnings;    // what could not be looked at
};
Listing list_datasets(const File& file);

/// "/raw uint8 32x128x128, /label uint16 32x128x128": what a user chooses from.
std::string to_text(const std::vector<Dataset>& datasets);

/// A dataset that is safe to read.
struct StoredDataset {
    Id id;
    std::string path;
    std::vector<hsize_t> shape;  // slowest axis first
    Element element;
    H5D_layout_t layout = H5D_CONTIGUOUS;
    std::vector<hsize_t> chunk;  // elements along each axis; empty unless chunked
    std::vector<Filter> filters;
    bool filters_partial_chunks = true;  // whether chunks that reach over the end of the dataset went through the filters, too
};

/// Opens the dataset at `path`, which may lead over soft links.
/// Refused: external links, external storage and virtual datasets (unless allowed, and then only if all their sources are there), types
/// that are no numbers, unknown filters, chunks over 1 GiB, stored voxels that lie past the end of the file, and claims that no real
/// volume makes: over 2^41 elements, or over 1 TiB and a million times the file's size. A mostly empty chunked volume is none of these.
/// @throw Error usage if there is no such dataset, else bad_data
StoredDataset open_dataset(const File& file, const std::string& path, ExternalFiles external);

}  // namespace voxcc::io::hdf5
