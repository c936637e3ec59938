// JPEG 2000 images. This process reads the markers; OpenJPEG decodes the image in a child process.
#include "io/formats.h"
#include "io/jpeg2000/decoder.h"
#include "io/jpeg2000/jpeg2000_image.h"
#include "io/optional_libraries.h"
#include "io/process/isolated_reader.h"

#include <algorithm>
#include <optional>

namespace voxcc::io {
namespace {

// The smallest type that holds the samples of all components.
ScalarType type_of(const std::vector<Jpeg2000Samples>& components) {
    const bool has_sign = std::ranges::any_of(components, &Jpeg2000Samples::is_signed);
    int bits = 0;
    for (const Jpeg2000Samples& samples : components) bits = std::max(bits, samples.bits + (has_sign && !samples.is_signed));
    using enum ScalarType;
    if (bits <= 8) return has_sign ? i8 : u8;
    if (bits <= 16) return has_sign ? i16 : u16;
    return has_sign ? i32 : u32;
}

// {8, unsigned}  ->  "uint8"; different components  ->  "uint8, int12"
std::string stored_type_of(const std::vector<Jpeg2000Samples>& components) {
    std::string text;
    for (const Jpeg2000Samples& samples : components) {
        if (samples == components.front() && !text.empty()) continue;
        text += (text.empty() ? "" : ", ") + std::string(samples.is_signed ? "int" : "uint") + std::to_string(samples.bits);
    }
    return text;
}

VolumeInfo info_of(const InputFile& file, const Codestream& codestream, const OpenOptions& options) {
    VolumeInfo info;
    info.path = file.path();
    info.format = "JPEG 2000";
    info.compression = "jpeg2000";
    info.extent = codestream.extent;
    info.type = type_of(codestream.components);
    info.stored_type = stored_type_of(codestream.components);
    info.dimensions = 2;
    info.volumes = std::int64_t(codestream.components.size());
    if (info.volumes > 1) info.volume_axes = info.page_axes = {{"C", info.volumes}};
    if (options.spacing) info.geometry.spacing = options.spacing;
    if (!codestream.is_lossless) info.warnings.emplace_back("its compression changes values; thresholds and borders are not exact");
    if (codestream.unused_bytes > 0) info.warnings.push_back(ignored_bytes(codestream.unused_bytes, "the end of the image"));
    return info;
}

/// Decodes the complete image when its first row is read. Lives in the child process.
class Jpeg2000Reader final : public VolumeReader {
public:
    Jpeg2000Reader(const std::string& path, const OpenOptions& options)
        : file_(path), codestream_(read_jpeg2000_image(file_).codestream), component_(std::size_t(options.volume.value_or(0))) {
        info_ = info_of(file_, codestream_, options);
        if (component_ >= codestream_.components.size()) throw Error(ErrorKind::changed_file, path, "has changed while it was read");
    }
    void read_rows(RowRange rows, std::byte* to) override {
        if (!image_) image_ = decode_jpeg2000(file_, codestream_);
        const std::span row_samples(image_->comps[component_].data + rows.first * info_.extent.nx,
                                    std::size_t(rows.count * info_.extent.nx));
        visit_scalar(info_.type, [&]<class T>(std::type_identity<T>) {
            std::ranges::transform(row_samples, reinterpret_cast<T*>(to), [](OPJ_INT32 sample) { return T(sample); });
        });
    }
    void rewind() override {}
    std::int64_t rows_per_read() const override { return info_.extent.ny; }

private:
    InputFile file_;
    Codestream codestream_;
    std::size_t component_;
    DecodedImage image_;
};

void refuse_itk(const std::string& path, const OpenOptions& options) {
    if (options.reader == ReaderChoice::itk)
        throw Error(ErrorKind::unsupported_by_reader, path, "ITK reads wrong values from JPEG 2000, so it is not used", "voxcc");
}

// OpenJPEG decodes at least 10 million samples per second. Its tables for blocks of 4 x 4 samples need more memory than the samples.
ChildLimits limits_for(const Codestream& codestream) {
    constexpr std::int64_t memory_beside_image = std::int64_t{512} << 20, memory_per_sample = 64, samples_per_second = 1'000'000;
    const std::int64_t samples = codestream.decoded_bytes() / 4;
    return {.memory = memory_beside_image + memory_per_sample * samples + 4 * codestream.bytes.size(),
            .processor_seconds = int(30 + std::min(samples / samples_per_second, std::int64_t{1} << 24))};
}

}  // namespace

bool has_jpeg2000() { return true; }
std::string openjpeg_version() { return opj_version(); }

std::unique_ptr<VolumeReader> open_jpeg2000(const std::string& path, const OpenOptions& options) {
    refuse_itk(path, options);
    const InputFile file(path);
    const Codestream codestream = read_jpeg2000_image(file).codestream;
    const VolumeInfo info = info_of(file, codestream, options);
    OpenOptions chosen = options;
    chosen.volume = chosen_volume(info, options, ": components of each pixel, chosen as in [c=0]");
    return open_isolated(path, limits_for(codestream), [path, chosen] { return std::make_unique<Jpeg2000Reader>(path, chosen); });
}

VolumeInfo describe_jpeg2000(const std::string& path, const OpenOptions& options) {
    refuse_itk(path, options);
    const InputFile file(path);
    return info_of(file, read_jpeg2000_image(file).codestream, options);
}

}  // namespace voxcc::io
