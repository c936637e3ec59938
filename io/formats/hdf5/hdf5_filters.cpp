#include "io/formats/hdf5/hdf5_filters.h"

#include "io/chunk_filters.h"

#include <libdeflate.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace voxcc::io::hdf5 {
namespace {

enum : int { deflate = 1, shuffle = 2, fletcher = 3, lzf = 32000 };

// Upper bounds of decoded bytes per stored byte. Deflate: 258 bytes from two codes of one bit. LZF: 264 bytes from three bytes.
constexpr std::int64_t most_by_deflate = 1032, most_by_lzf = 88;

bool changes_size(int id) { return id == deflate || id == lzf; }
bool is_known(int id) { return changes_size(id) || id == shuffle || id == fletcher; }

/// @return number of decoded bytes, at most raw.size(); empty if `packed` is not valid or has more bytes
std::optional<std::size_t> inflate(std::span<const std::byte> packed, std::span<std::byte> raw) {
    struct Free {
        void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
    };
    thread_local const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
    if (!decompressor) throw std::bad_alloc();
    std::size_t bytes = 0;
    if (libdeflate_zlib_decompress(decompressor.get(), packed.data(), packed.size(), raw.data(), raw.size(), &bytes) != LIBDEFLATE_SUCCESS)
        return {};
    return bytes;
}

bool remove_checksum(std::vector<std::byte>& bytes) {
    if (bytes.size() < 4) return false;
    std::uint32_t stored = 0;
    for (std::size_t i = 0; i < 4; ++i) stored |= std::uint32_t(bytes[bytes.size() - 4 + i]) << 8 * i;
    bytes.resize(bytes.size() - 4);
    const std::uint32_t computed = fletcher32(bytes);
    // HDF5 before 1.6.3 swapped the bytes of each half on little-endian machines.
    const std::uint32_t old = (computed & 0x00ff00ffu) << 8 | (computed >> 8 & 0x00ff00ffu);
    return stored == computed || stored == old;
}

}  // namespace

std::string name_of_filter(int id) {
    switch (id) {
        case deflate: return "deflate";
        case shuffle: return "shuffle";
        case fletcher: return "fletcher32";
        case 4: return "szip";
        case 5: return "nbit";
        case 6: return "scaleoffset";
        case lzf: return "lzf";
        case 307: return "bzip2";
        case 32001: return "blosc";
        case 32004: return "lz4";
        case 32008: return "bitshuffle";
        case 32013: return "zfp";
        case 32015: return "zstd";
        case 32017: return "sz";
        case 32026: return "blosc2";
        default: return "unknown";
    }
}

std::string compression_of(const std::vector<Filter>& filters) {
    for (const Filter& filter : filters)
        if (filter.id != shuffle && filter.id != fletcher) return name_of_filter(filter.id);
    return "none";
}

bool can_undo(const std::vector<Filter>& filters) {
    return std::all_of(filters.begin(), filters.end(), [](const Filter& f) { return is_known(f.id); }) &&
           std::count_if(filters.begin(), filters.end(), [](const Filter& f) { return changes_size(f.id); }) <= 1;
}

bool unpack_lzf(std::span<const std::byte> packed, std::span<std::byte> raw) {
    std::size_t in = 0, out = 0;
    while (in < packed.size()) {
        const auto control = std::size_t(packed[in++]);
        if (control < 32) {
            const std::size_t n = control + 1;
            if (n > packed.size() - in || n > raw.size() - out) return false;
            std::memcpy(raw.data() + out, packed.data() + in, n);
            in += n, out += n;
            continue;
        }
        std::size_t n = control >> 5;
        if (n == 7 && in < packed.size()) n += std::size_t(packed[in++]);
        if (in == packed.size()) return false;
        const std::size_t back = ((control & 31) << 8) + std::size_t(packed[in++]) + 1;
        n += 2;
        if (back > out || n > raw.size() - out) return false;
        for (const std::size_t end = out + n; out < end; ++out)
            raw[out] = raw[out - back];  // byte by byte, because source and target may overlap
    }
    return out == raw.size();
}

Pipeline::Pipeline(std::string path, std::string dataset, std::vector<Filter> filters)
    : path_(std::move(path)), dataset_(std::move(dataset)), filters_(std::move(filters)) {
    if (!can_undo(filters_)) throw Error(ErrorKind::unsupported_file, path_, dataset_ + " went through filters that cannot be undone");
    for (const Filter& filter : filters_)
        if (filter.id == shuffle && (filter.values.empty() || filter.values[0] == 0))
            throw Error(ErrorKind::invalid_file, path_, dataset_ + " has a shuffle filter without an element size");
}

std::int64_t Pipeline::most_bytes(std::int64_t stored) const {
    std::int64_t factor = 1;
    for (const Filter& filter : filters_)
        factor = std::max(factor, filter.id == deflate ? most_by_deflate : filter.id == lzf ? most_by_lzf : 1);
    return stored > INT64_MAX / factor ? INT64_MAX : stored * factor;
}

/// Whether a filter has packed the bytes. A checksum is compared and removed here.
bool Pipeline::must_decode(std::size_t filter, std::uint32_t skipped, std::vector<std::byte>& stored) const {
    if (filter < 32 && (skipped >> filter & 1)) return false;
    if (filters_[filter].id != fletcher) return true;
    if (!remove_checksum(stored)) throw Error(ErrorKind::corrupt_file, path_, "wrong checksum in a chunk of " + dataset_);
    return false;
}

void Pipeline::undo(std::vector<std::byte>& stored, std::uint32_t skipped, std::span<std::byte> chunk) const {
    const auto corrupt = [&](const std::string& what) { return Error(ErrorKind::corrupt_file, path_, what + " of " + dataset_); };
    std::vector<std::byte> next;
    for (std::size_t k = filters_.size(); k-- > 0;) {
        const Filter& filter = filters_[k];
        if (!must_decode(k, skipped, stored)) continue;
        std::size_t size = stored.size();
        if (changes_size(filter.id)) {
            size = chunk.size();
            for (std::size_t j = 0; j < k; ++j)
                if (filters_[j].id == fletcher && !(j < 32 && (skipped >> j & 1))) size += 4;
        }
        const bool is_last = k == 0 && size == chunk.size();  // writes into `chunk` directly
        if (!is_last) next.resize(size);
        const std::span<std::byte> to = is_last ? chunk : std::span(next);
        if (filter.id == shuffle) unshuffle(stored, filter.values[0], to);
        else if (!(filter.id == lzf ? unpack_lzf(stored, to) : inflate(stored, to) == to.size()))
            throw corrupt("no " + std::to_string(size) + " bytes of " + name_of_filter(filter.id) + " data in a chunk");
        if (is_last) return;
        stored.swap(next);
    }
    if (stored.size() != chunk.size())
        throw corrupt("expected " + std::to_string(chunk.size()) + " bytes, got " + std::to_string(stored.size()) + " in a chunk");
    std::memcpy(chunk.data(), stored.data(), stored.size());
}

std::vector<std::byte> Pipeline::undo_to_unknown_size(std::vector<std::byte> stored, std::uint32_t skipped, std::size_t most) const {
    const auto corrupt = [&](const std::string& what) { return Error(ErrorKind::corrupt_file, path_, what + " of " + dataset_); };
    for (std::size_t k = filters_.size(); k-- > 0;) {
        const Filter& filter = filters_[k];
        if (!must_decode(k, skipped, stored)) continue;
        std::vector<std::byte> next(filter.id == shuffle ? stored.size() : most);
        if (filter.id == shuffle) {
            unshuffle(stored, filter.values[0], next);
        } else {
            const auto bytes = filter.id == deflate ? inflate(stored, next) : std::nullopt;
            if (!bytes)
                throw corrupt("more than " + std::to_string(most) + " bytes or no " + name_of_filter(filter.id) + " data in a chunk");
            next.resize(*bytes);
        }
        stored.swap(next);
    }
    return stored;
}

}  // namespace voxcc::io::hdf5
