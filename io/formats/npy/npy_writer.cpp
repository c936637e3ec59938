// NumPy files (.npy) with labels. They have the shape and the order of a NumPy input, so that labels[index] belongs to input[index].
#include "io/formats/npy/npy.h"
#include "io/formats/npy/npy_header.h"
#include "io/formats/stored/stored_writer.h"

namespace voxcc::io {
namespace {

class NpyWriter final : public StoredWriter {
public:
    NpyWriter(const LabelVolume& volume, OutputFile& output) : StoredWriter(volume, output, Wrapping::raw) {
        output.write(npy_label_header(volume));
        begin_labels();
    }
};

}  // namespace

std::unique_ptr<LabelWriter> create_npy(const LabelVolume& volume, OutputFiles& outputs) {
    return std::make_unique<NpyWriter>(volume, outputs.create(volume.path));
}

}  // namespace voxcc::io
