// NumPy files (.npy) with labels. They have the shape and the order of a NumPy input, so that labels[index] belongs to input[index].
#include "io/formats.h"
#include "io/npy/npy_header.h"
#include "io/text/stored_writer.h"

namespace voxcc::io {
namespace {

class NpyWriter final : public StoredWriter {
public:
    NpyWriter(const LabelVolume& volume, OutputFile& output) : StoredWriter(volume, output, Wrapping::raw) {
        const VolumeInfo& like = *volume.like;
        // Without a NumPy input: array[i, j, k], as nibabel has it for the same volume.
        const ArrayAxes array = like.array.value_or(ArrayAxes{ArrayOrder::fortran, dimensions_to_write(like)});
        const std::array extents{like.extent.nx, like.extent.ny, like.extent.nz};
        output.write(npy_header_text(volume.type, array.order, std::span(extents).first(std::size_t(array.count))));
        begin_labels();
    }
};

}  // namespace

std::unique_ptr<LabelWriter> create_npy(const LabelVolume& volume, OutputFiles& outputs) {
    return std::make_unique<NpyWriter>(volume, outputs.create(volume.path));
}

}  // namespace voxcc::io
