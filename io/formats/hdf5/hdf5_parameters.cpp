#include "io/formats/hdf5/hdf5_parameters.h"

#include <algorithm>

namespace voxcc::io::hdf5 {
namespace {

// Parameters of scale-offset, as the library stores them: how to scale, factor, elements of a chunk, class, bytes, sign, byte order,
// whether there is a fill value, fill value.
enum : std::size_t {
    scale_type,
    scale_factor,
    scale_elements,
    scale_class,
    scale_bytes,
    scale_sign,
    scale_order,
    scale_fill,
    scale_values = 20
};
enum : unsigned { scaled_decimal = 0, scaled_integer = 2, class_integer = 0, class_real = 1 };

// Parameters of szip: options, pixels of a block, bits of a pixel, pixels of a scan line.
enum : std::size_t { szip_block = 1, szip_bits = 2, szip_line = 3, szip_values = 4 };

// A chunk of scale-offset starts with: bits per element (4 bytes), bytes of the smallest value (1), smallest value (8), not used (8).
constexpr std::size_t scale_header = 21, longest_smallest_value = 8;

std::uint64_t elements_of_chunk(const StoredDataset& dataset) {
    std::uint64_t elements = 1;
    for (const hsize_t n : dataset.chunk) elements *= n;
    return elements;
}

Error refused(const File& file, const StoredDataset& dataset, int id, const std::string& what, ErrorKind kind = ErrorKind::invalid_file) {
    return {kind, file.path(), dataset.path + ": the filter " + name_of_filter(id) + " " + what};
}

bool fits_scale_offset(const StoredDataset& dataset, const std::vector<unsigned>& values) {
    if (values.size() != scale_values) return false;
    const hid_t type = dataset.element.stored;
    const bool is_real = H5Tget_class(type) == H5T_FLOAT, is_signed = !is_real && H5Tget_sign(type) == H5T_SGN_2;
    const bool is_big = H5Tget_order(type) == H5T_ORDER_BE;
    return values[scale_type] == (is_real ? scaled_decimal : scaled_integer) && values[scale_elements] == elements_of_chunk(dataset) &&
           values[scale_class] == (is_real ? class_real : class_integer) && values[scale_bytes] == dataset.element.bytes &&
           (is_real || values[scale_sign] == unsigned(is_signed)) && values[scale_order] == unsigned(is_big) && values[scale_fill] <= 1 &&
           (is_real || values[scale_factor] <= 8 * dataset.element.bytes);
}

bool fits_szip(const StoredDataset& dataset, const std::vector<unsigned>& values) {
    if (values.size() != szip_values) return false;
    const unsigned block = values[szip_block], line = values[szip_line], bits = values[szip_bits];
    const bool has_bits = bits == 8 * dataset.element.bytes || bits == H5Tget_precision(dataset.element.stored);
    return has_bits && block >= 2 && block <= 32 && block % 2 == 0 && line >= block && line <= 128 * block;
}

bool is_trusting(const Filter& filter) { return filter.id == H5Z_FILTER_SCALEOFFSET || filter.id == H5Z_FILTER_SZIP; }

std::uint32_t stored_u32(std::span<const std::byte> bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t(bytes[i]) << 8 * i;
    return value;
}

// @param packed the bytes that the filter has written. The library ends an element stream with one more byte.
bool fits_scaled_bytes(const StoredDataset& dataset, std::span<const std::byte> packed) {
    if (packed.size() < scale_header) return false;
    const std::uint64_t bits = stored_u32(packed), elements = elements_of_chunk(dataset);
    if (bits > 8 * dataset.element.bytes || std::size_t(packed[4]) > longest_smallest_value) return false;
    const std::uint64_t data = packed.size() - scale_header, needed = (elements * bits + 7) / 8;
    return data == needed || data == needed + 1;
}

// @param expected bytes of the chunk before the filter
bool fits_szip_bytes(std::uint64_t expected, std::span<const std::byte> packed) {
    return packed.size() >= 4 && stored_u32(packed) == expected;
}

}  // namespace

void check_filter_parameters(const File& file, const StoredDataset& dataset) {
    for (const Filter& filter : dataset.filters) {
        const std::vector<unsigned>& values = filter.values;
        const bool fits = filter.id == H5Z_FILTER_SHUFFLE       ? !values.empty() && values[0] == dataset.element.bytes
                          : filter.id == H5Z_FILTER_SCALEOFFSET ? fits_scale_offset(dataset, values)
                          : filter.id == H5Z_FILTER_SZIP        ? fits_szip(dataset, values)
                                                                : true;
        if (!fits) throw refused(file, dataset, filter.id, "has parameters that do not fit its type and its chunks");
    }
}

bool has_trusting_filter(const StoredDataset& dataset) {
    return dataset.layout == H5D_CHUNKED && std::ranges::any_of(dataset.filters, is_trusting);
}

void check_stored_parameters(const File& file, const StoredDataset& dataset, const std::vector<hsize_t>& first) {
    const std::string action = "read a chunk of " + dataset.path;
    hsize_t size = 0;
    if (const herr_t result = H5Dget_chunk_storage_size(dataset.id, first.data(), &size); result < 0 && chunk_was_missing()) size = 0;
    else file.check(result, action);
    if (size == 0) return;
    const std::uint64_t chunk = elements_of_chunk(dataset) * dataset.element.bytes;
    if (size > hsize_t(file.file_of(dataset.id).size))
        throw Error(ErrorKind::damaged_file, file.path(), "a chunk of " + dataset.path + " is larger than the file");
    std::vector<std::byte> stored(size);
    std::uint32_t skipped = 0;
    file.check(H5Dread_chunk(dataset.id, H5P_DEFAULT, first.data(), &skipped, stored.data()), action);
    const auto trusting = std::ranges::find_if(dataset.filters, is_trusting);
    const auto before = std::size_t(trusting - dataset.filters.begin());
    const Pipeline after(file.path(), dataset.path, {trusting + 1, dataset.filters.end()});
    const std::size_t most = chunk + scale_header + 1;
    const std::vector<std::byte> packed =
        after.undo_to_unknown_size(std::move(stored), before + 1 < 32 ? skipped >> (before + 1) : 0, most);
    std::uint64_t expected = chunk;
    for (std::size_t k = 0; k < before; ++k)
        if (dataset.filters[k].id == H5Z_FILTER_FLETCHER32 && !(skipped >> k & 1)) expected += 4;
    const bool fits = (skipped >> before & 1)                  ? packed.size() == expected
                      : trusting->id == H5Z_FILTER_SCALEOFFSET ? fits_scaled_bytes(dataset, packed)
                                                               : fits_szip_bytes(expected, packed);
    if (!fits) throw refused(file, dataset, trusting->id, "has parameters in a chunk that do not fit its bytes", ErrorKind::corrupt_file);
}

}  // namespace voxcc::io::hdf5
