// Decoding of HDF5 chunk filters without the HDF5 library: output sizes are known in advance, and any thread may decode.
#pragma once
#include "io/formats/hdf5/hdf5_layout.h"

#include <span>

namespace voxcc::io::hdf5 {

/// @return registered name of a filter: "deflate", "szip", ...; "unknown" if not listed. The name inside a file is ignored: it can be wrong
std::string name_of_filter(int id);

/// @return name of the first compressing filter, or "none"
std::string compression_of(const std::vector<Filter>& filters);

/// @return whether a Pipeline can undo these filters; not if there are two compressors, because the size between them is unknown
bool can_undo(const std::vector<Filter>& filters);

/// The filters of a dataset, in the order of writing. Concurrent calls of const functions are safe.
class Pipeline {
public:
    Pipeline() = default;
    /// @param path, dataset file and dataset named in errors
    /// @throw Error about the content if can_undo() is false, or a shuffle filter lacks its element size
    Pipeline(std::string path, std::string dataset, std::vector<Filter> filters);

    bool is_empty() const { return filters_.empty(); }
    /// Decodes a stored chunk. @param stored its bytes; changed by the call. @param chunk receives exactly chunk.size() bytes
    /// @param skipped bit k is set if filter k was not applied to this chunk
    /// @throw Error about the content if the bytes are corrupt or decode to another size
    void undo(std::vector<std::byte>& stored, std::uint32_t skipped, std::span<std::byte> chunk) const;
    /// Decodes the bytes of a chunk to a size that is not known. @param most upper bound of the size; @param stored, skipped as for undo()
    /// @throw Error about the content if the bytes are corrupt or decode to more
    std::vector<std::byte> undo_to_unknown_size(std::vector<std::byte> stored, std::uint32_t skipped, std::size_t most) const;
    /// @return upper bound of the decoded size of `stored` bytes
    std::int64_t most_bytes(std::int64_t stored) const;
    /// @return number of chunk-sized buffers that undo() needs in addition to `chunk`: `stored`, and one between two filters
    std::int64_t buffers() const { return filters_.size() < 2 ? 1 : 2; }

private:
    bool must_decode(std::size_t filter, std::uint32_t skipped, std::vector<std::byte>& stored) const;
    std::string path_, dataset_;
    std::vector<Filter> filters_;
};

/// Decodes LZF (filter 32000, the fast compression of h5py). A stream consists of literal runs and copies of earlier output:
///   000lllll                       l + 1 literal bytes follow
///   lllooooo oooooooo              copy l + 2 bytes from o + 1 bytes back, l = 1..6
///   111ooooo llllllll oooooooo     the same with l + 9 bytes
/// @return whether `packed` is valid and decodes to exactly raw.size() bytes
bool unpack_lzf(std::span<const std::byte> packed, std::span<std::byte> raw);

}  // namespace voxcc::io::hdf5
