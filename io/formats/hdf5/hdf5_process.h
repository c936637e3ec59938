// Use of the HDF5 library in a child process.
//
// On corrupt files, libhdf5 writes or reads outside its buffers, or loops forever; 1.10 will not be fixed. So it parses files in a child
// process that cannot write files (child_process.h). This process receives the description of the file and, per 256 chunks, their
// positions. It reads and decodes the chunks itself.
//
//   this process                         child
//   open the file          -- fork -->   libhdf5: datasets, shape, type, filters, geometry
//   check every number     <-- info, layout --
//   which chunks?       -- ChunkNumbers -->  B-tree
//   check against the file <-- offset, bytes, skipped filters --
//   read, inflate, convert
#pragma once
#include "io/files/checked_file.h"
#include "io/formats/hdf5/hdf5_layout.h"
#include "io/process/child_process.h"

#include <memory>

namespace voxcc::io::hdf5 {

/// One chosen volume of an HDF5 file. Not thread-safe.
class Hdf5Process {
public:
    /// @param input must outlive this object
    /// @throw Error several_datasets, several_volumes, about the content
    Hdf5Process(const InputFile& input, const OpenOptions& options);
    const VolumeInfo& info() const { return info_; }
    const Layout& layout() const { return layout_; }
    /// @return positions of the chunks, each inside the file. @throw Error about the content
    std::vector<ChunkLocation> locate(const ChunkNumbers& chunks);
    /// Reads the voxels of a box with the library, in host byte order. `to` must hold box.voxels() voxels. @throw Error about the content,
    /// io_error
    void read(const Box& box, std::byte* to);

private:
    const InputFile& input_;
    std::unique_ptr<ChildProcess> child_;
    VolumeInfo info_;
    Layout layout_;
};

/// Implements describe_volume() for HDF5. @throw Error about the content
VolumeInfo describe_in_process(const InputFile& input, const OpenOptions& options);

/// Implements files_of_volume() for HDF5. @throw Error about the content
std::vector<std::string> files_in_process(const InputFile& input, const OpenOptions& options);

}  // namespace voxcc::io::hdf5
