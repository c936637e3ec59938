// The header of MRC and CCP4 files: 1024 bytes of either byte order, then an extended header, then the voxels.
// https://www.ccpem.ac.uk/mrc-format/mrc2014/
//
//   columns NX, rows NY, sections NZ    axes of the array, in the order of the file
//   MAPC, MAPR, MAPS                    the axis of the cell (1 = x, 2 = y, 3 = z) along columns, rows and sections
//   CELLA / (MX, MY, MZ)                lengths of the steps along x, y, z, in angstrom
//   NXSTART, NYSTART, NZSTART           index of the first column, row and section
//   ORIGIN                              position x, y, z of the first voxel, in angstrom
#pragma once
#include "io/contiguous_reader.h"
#include "io/orientation.h"

namespace voxcc::io {

constexpr std::size_t mrc_header_bytes = 1024;

/// The fields of a header, in the order of the file.
struct MrcFields {
    std::array<std::int32_t, 3> extents{};    // NX, NY, NZ
    std::int32_t mode = 0;                    // the type of the voxels
    std::array<std::int32_t, 3> starts{};     // of columns, rows, sections
    std::array<std::int32_t, 3> intervals{};  // MX, MY, MZ
    Vector3 cell{}, angles{};                 // along x, y, z in angstrom; alpha, beta, gamma in degrees
    std::array<std::int32_t, 3> axes{};       // MAPC, MAPR, MAPS; 1, 2, 3 if the file states 0, 0, 0
    std::int32_t space_group = 0;             // 0: images; 401 to 630: a stack of volumes
    std::int32_t extended_bytes = 0;
    std::int32_t version = 0;                // 20140 and more: MRC2014
    std::optional<std::int32_t> imod_flags;  // of files with the stamp of IMOD
    Vector3 origin{};
};

/// @return whether a file starts as an MRC file. Files from before MRC2000 lack "MAP " at byte 208. They need a name that ends in .mrc,
/// .map, .ccp4, .st, .rec or .ali, each also with .gz or .zst, and fields that are possible together.
/// @param start at least mrc_header_bytes of the file, unless it is shorter @param content upper bound of the bytes of the file
bool is_mrc(std::span<const std::byte> start, std::int64_t content, const std::string& path);

/// @return whether a name says that the file is MRC, and not another format
bool has_mrc_name(const std::string& path);

/// Reads and checks a header. @throw Error as DecodedFile; about the content
ContiguousFile read_mrc_header(const std::string& path);

/// The steps and the position of the voxels, in angstrom. Without steps if the file does not state the size of a voxel. A stack of images
/// has no distance of slices.
Geometry mrc_geometry(const MrcFields& fields);

}  // namespace voxcc::io
