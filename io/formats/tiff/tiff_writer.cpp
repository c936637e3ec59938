// Writer of a label volume as one TIFF with one page per slice.
#include "io/formats/tiff/tiff.h"
#include "io/formats/tiff/tiff_labels.h"

namespace voxcc::io {
namespace {

class PagesWriter final : public TiffLabelWriter {
public:
    PagesWriter(const LabelVolume& volume, OutputFiles& outputs) : TiffLabelWriter(volume), file_(outputs.create(path()), format()) {}
    void finish() override {
        if (!format().display) file_.set_display(range());
        file_.finish();
    }

private:
    void append_strip(std::span<const std::byte> strip) override { file_.append_strip(strip); }
    TiffFile file_;
};

}  // namespace

std::unique_ptr<LabelWriter> create_tiff(const LabelVolume& volume, OutputFiles& outputs) {
    return std::make_unique<PagesWriter>(volume, outputs);
}

}  // namespace voxcc::io
