// Mutators that know the structure of a format, so that changed files pass its checksums and reach the code behind them.
#pragma once
#include "tests/fuzz/target.h"

namespace voxcc::fuzz {

/// Files with a binary header: overwrites numbers of the header in place, so that the size of the file still fits.
std::size_t mutate_fields(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// Texts, also before binary data: replaces words by other words or by special values, and repeats, replaces and removes lines.
std::size_t mutate_text(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// NumPy files: changes the dictionary as mutate_text() does, and corrects its length.
std::size_t mutate_npy(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// gzip files: changes the decompressed bytes and compresses them again, also to many small blocks; moves blocks; or changes bytes of the
/// stream. Often corrects the checksum and the length afterwards.
std::size_t mutate_gzip(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// TIFF files: changes fields of directories, offsets and counts, or the content of a deflate strip, which is then compressed again.
std::size_t mutate_tiff(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// HDF5 files: changes fields of the superblock, object headers, B-trees and heaps, and corrects checksums in half of the cases.
std::size_t mutate_hdf5(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

}  // namespace voxcc::fuzz
