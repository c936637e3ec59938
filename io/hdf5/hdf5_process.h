// The HDF5 library in a process of its own.
//
// libhdf5 writes past its buffers, reads past them or loops for ever on corrupt files, and 1.10 will not be mended. So it parses a file in
// a child process that may not write anything (child_process.h). This process receives the description of the file and, row by row of
// chunks, where they are stored; it reads and unpacks them itself.
//
//   this process                         child
//   open the file          -- fork -->   libhdf5: datasets, shape, type, filters, geometry
//   check every number     <-- info, layout --
//   which chunks?          -- ChunkRow -->  B-tree
//   check against the file <-- offset, bytes, skipped filters --
//   read, inflate, convert
#pragma once
#include "io/checked_file.h"
#include "io/hdf5/hdf5_layout.h"
#include "io/process/child_process.h"

#include <memory>

namespace voxcc::io::hdf5 {

/// An HDF5 file of which one volume has been chosen.
class Hdf5Process {
public:
    /// @param input must live longer than this
    /// @throw Error usage (a choice is needed), bad_data
    Hdf5Process(const InputFile& input, const OpenOptions& options);
    const VolumeInfo& info() const { return info_; }
    const Layout& layout() const { return layout_; }
    /// The places of chunks, each inside the file. @throw Error bad_data
    std::vector<ChunkLocation> locate(const ChunkRow& chunks);
    /// Voxels of a box in host byte order, read by the library. `to` must hold box.voxels() of them. @throw Error bad_data, io_error
    void read(const Box& box, std::byte* to);

private:
    const InputFile& input_;
    std::unique_ptr<ChildProcess> child_;
    VolumeInfo info_;
    Layout layout_;
};

/// What describe_volume() promises of a file. @throw Error bad_data
VolumeInfo describe_in_process(const InputFile& input, const OpenOptions& options);

/// What files_of_volume() promises of a file. @throw Error bad_data
std::vector<std::string> files_in_process(const InputFile& input, const OpenOptions& options);

}  // namespace voxcc::io::hdf5
