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

/// NIfTI, MRC and GIPL files: changes fields of the header, and often makes the length of the file fit them.
std::size_t mutate_nifti(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
std::size_t mutate_mrc(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
std::size_t mutate_gipl(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// Legacy VTK files: changes, adds and removes lines of the header, and often makes counts and length fit the dimensions.
std::size_t mutate_vtk(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// DICOM files: changes lengths, types and tags of elements; moves, repeats and removes elements, and puts them into sequences.
std::size_t mutate_dicom(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// JSON documents: changes values, members and nesting, and sometimes adds errors of the text.
std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// Several documents that "==next file==" divides: changes one that is JSON, as mutate_json() does.
std::size_t mutate_documents(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// CSV and TSV tables: changes cells, quotes, columns and line ends.
std::size_t mutate_table(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// ZIP archives: changes numbers of headers, and often corrects the checksums of stored members.
std::size_t mutate_zip(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// An extension as in run_itk_headers(), and a PNG image: moves and changes chunks, and often corrects their checksums.
std::size_t mutate_png(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

/// The place of the index, and a Zarr shard: changes offsets and lengths of the index.
std::size_t mutate_shard(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

}  // namespace voxcc::fuzz
