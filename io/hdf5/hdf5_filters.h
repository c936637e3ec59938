// The filters of HDF5 chunks, undone without the HDF5 library: with sizes that are known beforehand, and on any thread.
#pragma once
#include "io/hdf5/hdf5_layout.h"

#include <span>

namespace voxcc::io::hdf5 {

/// "deflate", "szip", ...: as the HDF Group's register of filters has it. The name inside a file is the writer's and may be anything.
std::string name_of_filter(int id);

/// "none", or the name of the first filter that compresses.
std::string compression_of(const std::vector<Filter>& filters);

/// Whether a Pipeline can undo these filters. Behind two compressors the size between them is unknown, so there it cannot.
bool can_undo(const std::vector<Filter>& filters);

/// The filters that a dataset's chunks went through, in the order of writing.
class Pipeline {
public:
    Pipeline() = default;
    /// @param path, dataset named in errors
    /// @throw Error bad_data if can_undo() is false, or a filter lacks its parameters
    Pipeline(std::string path, std::string dataset, std::vector<Filter> filters);

    bool is_empty() const { return filters_.empty(); }
    /// Turns the bytes of a stored chunk into exactly chunk.size() bytes.
    /// @param skipped bit k is set where filter k was not applied to this chunk
    /// @throw Error bad_data if the bytes are corrupt or do not give that size
    void undo(std::vector<std::byte>& stored, std::uint32_t skipped, std::span<std::byte> chunk) const;
    /// The most bytes that `stored` bytes can become.
    std::int64_t most_bytes(std::int64_t stored) const;
    /// Buffers as large as a chunk that undo() needs beside it at most: `stored`, and another between two filters.
    std::int64_t buffers() const { return filters_.size() < 2 ? 1 : 2; }

private:
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
