// JPEG 2000 images. This process reads the markers; OpenJPEG decodes the image in a child process.
#include "io/formats/jpeg2000/decoder.h"
#include "io/formats/jpeg2000/jpeg2000.h"
#include "io/formats/jpeg2000/jpeg2000_image.h"
#include "io/optional_libraries.h"
#include "io/process/isolated_reader.h"
#include "io/shared_by_formats.h"

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

VolumeInfo info_of(const InputFile& file, const Jpeg2000Image& image) {
    const Codestream& codestream = image.codestream;
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
    if (image.channels.model == ColourModel::sycc) info.warnings.emplace_back("its colours are stored as sYCC; they are converted to RGB");
    if (!codestream.is_lossless) info.warnings.emplace_back("its compression changes values; thresholds and borders are not exact");
    if (codestream.unused_bytes > 0) info.warnings.push_back(ignored_bytes(codestream.unused_bytes, "the end of the image"));
    return info;
}

/// Decodes the complete image when its first row is read. Lives in the child process.
class Jpeg2000Reader final : public VolumeReader {
public:
    Jpeg2000Reader(const std::string& path, const OpenOptions& options)
        : file_(path), image_(read_jpeg2000_image(file_)), channel_(std::size_t(options.volume.value_or(0))) {
        info_ = info_of(file_, image_);
        if (channel_ >= image_.channels.components.size()) throw Error(ErrorKind::changed_file, path, "has changed while it was read");
    }
    void read_rows(RowRange rows, std::byte* to) override {
        if (!decoded_) decoded_ = decode_jpeg2000(file_, image_.codestream);
        visit_scalar(info_.type, [&]<class T>(std::type_identity<T>) {
            const std::span voxels(reinterpret_cast<T*>(to), std::size_t(rows.count * info_.extent.nx));
            if (image_.channels.is_converted(channel_)) convert(rows, voxels);
            else std::ranges::transform(samples_of(channel_, rows), voxels.begin(), [](OPJ_INT32 sample) { return T(sample); });
        });
    }
    void rewind() override {}
    std::int64_t rows_per_read() const override { return info_.extent.ny; }

private:
    std::span<const OPJ_INT32> samples_of(std::size_t channel, RowRange rows) const {
        const opj_image_comp_t& component = decoded_->comps[image_.channels.components[channel]];
        return {component.data + rows.first * info_.extent.nx, std::size_t(rows.count * info_.extent.nx)};
    }
    template <class T>
    void convert(RowRange rows, std::span<T> voxels) const {
        const auto y = samples_of(0, rows), cb = samples_of(1, rows), cr = samples_of(2, rows);
        const int bits = image_.codestream.components[image_.channels.components[0]].bits;
        for (std::size_t i = 0; i < voxels.size(); ++i) voxels[i] = T(rgb_of_sycc({y[i], cb[i], cr[i]}, channel_, bits));
    }

    InputFile file_;
    Jpeg2000Image image_;
    std::size_t channel_;
    DecodedImage decoded_;
};

void refuse_itk(const std::string& path, const OpenOptions& options) {
    if (options.reader == ReaderChoice::itk)
        throw Error(ErrorKind::unsupported_by_reader, path, "ITK reads wrong values from JPEG 2000, so it is not used", "voxcc");
}

// OpenJPEG decodes at least 10 million samples per second. Its tables for blocks of 4 x 4 samples need more memory than the samples.
ChildLimits limits_for(const Codestream& codestream) {
    constexpr std::int64_t memory_per_sample = 64, samples_per_second = 1'000'000;
    const std::int64_t samples = codestream.decoded_bytes() / 4;
    return {.memory = ChildLimits::base_memory + memory_per_sample * samples + 4 * codestream.bytes.size(),
            .processor_seconds = int(30 + std::min(samples / samples_per_second, std::int64_t{1} << 24))};
}

}  // namespace

bool has_jpeg2000() { return true; }
std::string openjpeg_version() { return opj_version(); }

std::unique_ptr<VolumeReader> open_jpeg2000(const std::string& path, const OpenOptions& options) {
    refuse_itk(path, options);
    const InputFile file(path);
    const Jpeg2000Image image = read_jpeg2000_image(file);
    const VolumeInfo info = info_of(file, image);
    OpenOptions chosen = options;
    chosen.volume = chosen_volume(info, options, ": channels of each pixel, chosen as in [c=0]");
    return open_isolated(path, limits_for(image.codestream), {.readable = {path}}, 0,
                         [path, chosen] { return std::make_unique<Jpeg2000Reader>(path, chosen); });
}

VolumeInfo describe_jpeg2000(const std::string& path, const OpenOptions& options) {
    refuse_itk(path, options);
    const InputFile file(path);
    return info_of(file, read_jpeg2000_image(file));
}

}  // namespace voxcc::io
