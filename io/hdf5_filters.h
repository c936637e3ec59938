// The filters of HDF5 chunks, undone by us where we can: with sizes known beforehand and outside the library's lock.
#pragma once
#include "io/hdf5_file.h"

#include <cstdint>
#include <span>
#include <vector>

namespace voxcc::io::hdf5 {

/// The filters that a dataset's chunks went through, in the order of writing.
class Pipeline {
public:
    Pipeline() = default;
    /// @param creation the property list that `dataset` was created with
    /// @throw Error bad_data naming a filter that cannot be undone
    Pipeline(const File& file, hid_t creation, const std::string& dataset);

    /// "none", "deflate", "lzf", "szip", ...
    std::string compression() const;
    /// Whether undo() knows all filters; if not, only the library can read the chunks.
    bool is_ours() const;
    /// Turns the bytes of a stored chunk into exactly chunk.size() bytes.
    /// @param skipped bit k is set where filter k was not applied to this chunk
    /// @throw Error bad_data if the bytes are corrupt or do not give that size
    void undo(std::vector<std::byte>& stored, std::uint32_t skipped, std::span<std::byte> chunk) const;
    /// Buffers as large as a chunk that undo() needs beside it at most: `stored`, and another between two filters.
    std::int64_t buffers() const { return filters_.size() < 2 ? 1 : 2; }

private:
    struct Filter {
        H5Z_filter_t id;
        std::vector<unsigned> values;
    };
    std::string path_, dataset_;
    std::vector<Filter> filters_;
};

/// Undoes LZF (filter 32000, h5py's default fast compression). A stream is literal runs and copies of earlier output:
///   000lllll                       l + 1 literal bytes follow
///   lllooooo oooooooo              copy l + 2 bytes from o + 1 bytes back, l = 1..6
///   111ooooo llllllll oooooooo     the same with l + 9 bytes
/// @return whether `packed` is well-formed and gives exactly raw.size() bytes
bool unpack_lzf(std::span<const std::byte> packed, std::span<std::byte> raw);

/// The checksum of filter 3: Fletcher's over big-endian 16-bit words.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

}  // namespace voxcc::io::hdf5
