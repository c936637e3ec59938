#include "src/pipeline/image_values.h"

#include <voxcc/label.h>
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/selector.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace voxcc {
namespace {

/// Which stored values are the greater ones.
LocalMaxima::Greater greater_in(const LinearScale& scale) {
    return scale.slope < 0 ? LocalMaxima::Greater::lower : LocalMaxima::Greater::higher;
}

}  // namespace

std::vector<OpenImage> open_images(const IntensityOptions& options, const InputOptions& input, const ChosenVolume& volume,
                                   const Reporter& reporter) {
    std::vector<OpenImage> images;
    std::map<std::string, std::shared_ptr<FileWarnings>> warnings_of;
    for (const IntensityImage& image : options.images) {
        std::shared_ptr<FileWarnings>& warnings = warnings_of[divide_input(image.path).path];
        if (!warnings) warnings = std::make_shared<FileWarnings>();
        images.push_back({image.path, open_companion(image.path, input, volume), warnings});
        images.back().warnings->report(image.path, images.back().reader->info(), reporter);
    }
    return images;
}

std::optional<World> world_of_peaks(const IntensityOptions& options, const io::VolumeInfo& info) {
    if (options.peak_distance.amount == 0) return std::nullopt;
    return world_in(info, options.peak_distance.unit);
}

std::string left_out(std::uint64_t nan_voxels, const std::string& what) {
    return std::to_string(nan_voxels) + " voxels of " + what + " are NaN and left out";
}

void report_image(const OpenImage& image, std::uint64_t nan_voxels, const std::string& what, const Reporter& reporter) {
    image.warnings->report(image.path, image.reader->info(), reporter);
    if (nan_voxels > 0) reporter.warning(image.path + ": " + left_out(nan_voxels, what));
}

ImageValues MeasuredImage::values(std::uint64_t component, const std::optional<World>& world, const Wrapping& wrapping) const {
    ImageValues values{sums.properties(component, scale, world, wrapping), {}};
    for (std::size_t p = 0; p < percents; ++p) values.percentiles.push_back(percentiles->value(component, p));
    return values;
}

std::vector<ImageValues> values_of(const std::vector<MeasuredImage>& images, std::uint64_t component, const std::optional<World>& world,
                                   const Wrapping& wrapping) {
    std::vector<ImageValues> values;
    for (const MeasuredImage& image : images) values.push_back(image.values(component, world, wrapping));
    return values;
}

ImageMeasurement::ImageMeasurement(std::vector<OpenImage>& images, const IntensityOptions& options, const std::optional<World>& world,
                                   MemoryLimit* memory)
    : images_(images), options_(options), world_(world), memory_(memory) {
    if (options.peak_distance.amount > 0 && !world)
        throw ProgramError(ErrorKind::invalid_argument, "--peak-distance", "needs distances, and the affine is not usable",
                           "leave it out, or give --spacing");
    for (std::size_t i = 0; i < images.size(); ++i) {
        const io::VolumeInfo& info = images[i].reader->info();
        MeasuredImage image{
            IntensitySums(info.type), {info.scaling.slope, info.scaling.intercept}, {}, options.percentiles.size(), {}, {}, {}, {}};
        image.name = options.images[i].name;
        if (!options.local_maxima.empty()) image.maxima.emplace(info.type, info.extent, greater_in(image.scale), memory);
        measured_.push_back(std::move(image));
        rows_.emplace_back(std::in_place, *images[i].reader);
    }
}

void ImageMeasurement::set_sections(const Sections& sections, const Extent& extent) { sections_ = &sections, extent_ = extent; }

void ImageMeasurement::reserve(std::uint64_t components) {
    for (MeasuredImage& image : measured_) {
        std::size_t bytes = image.sums.bytes_per_component();
        if (image.percents > 0) bytes += Percentiles::bytes_per_component(image.percents) + sizeof(StoredRange);
        if (memory_) memory_->take(std::int64_t(components * bytes));
        image.sums.reserve(components);
    }
}

void ImageMeasurement::find_minima_in(std::vector<bool> components) {
    with_minima_ = std::move(components);
    for (std::size_t i = 0; i < measured_.size(); ++i) {
        const io::VolumeInfo& info = images_[i].reader->info();
        const bool is_turned = greater_in(measured_[i].scale) == LocalMaxima::Greater::lower;
        if (measured_[i].maxima)
            measured_[i].minima.emplace(info.type, info.extent, is_turned ? LocalMaxima::Greater::higher : LocalMaxima::Greater::lower,
                                        memory_);
    }
}

template <class Index>
void ImageMeasurement::add_peaks(MeasuredImage& image, std::span<const Index> components, std::span<const std::byte> values) {
    if (!image.minima) return image.maxima->add_row<Index>(components, values);
    std::vector<Index> with_maxima(components.begin(), components.end()), with_minima(components.size());
    for (std::size_t x = 0; x < components.size(); ++x)
        if (components[x] != 0 && with_minima_[std::size_t(components[x] - 1)]) std::swap(with_maxima[x], with_minima[x]);
    image.maxima->add_row<Index>(with_maxima, values);
    image.minima->add_row<Index>(with_minima, values);
}

template <class Index>
void ImageMeasurement::add_row(std::int64_t y, std::int64_t z, std::span<const Index> components) {
    if (sections_ && pass_ == Pass::percentiles) {
        components_.assign(components.begin(), components.end());
        for (std::uint64_t& number : components_) number = sections_->component_of(number);
    }
    for (std::size_t i = 0; i < measured_.size(); ++i) {
        if (!rows_[i]) continue;
        const std::span<const std::byte> values = rows_[i]->next();
        if (pass_ == Pass::percentiles) {
            if (sections_) measured_[i].percentiles->add_row<std::uint64_t>(components_, values);
            else measured_[i].percentiles->add_row<Index>(components, values);
            continue;
        }
        const std::uint64_t before = measured_[i].sums.more_bytes();
        measured_[i].sums.add_row<Index>(y, z, components, values);
        if (memory_) memory_->take(std::int64_t(measured_[i].sums.more_bytes() - before));
        if (measured_[i].maxima) add_peaks<Index>(measured_[i], components, values);
    }
}

template void ImageMeasurement::add_row(std::int64_t, std::int64_t, std::span<const std::uint32_t>);
template void ImageMeasurement::add_row(std::int64_t, std::int64_t, std::span<const std::uint64_t>);

std::int64_t ImageMeasurement::bytes_of_counters() const {
    constexpr std::int64_t least = 1 << 20, most = std::int64_t{1} << 30;
    const std::int64_t left = memory_ ? (memory_->bytes() - memory_->used()) / std::int64_t(2 * measured_.size()) : most;
    return std::clamp(left, least, most);
}

void ImageMeasurement::end_local_maxima() {
    for (MeasuredImage& image : measured_) {
        if (!image.maxima) continue;
        image.local_maxima = image.maxima->finish();
        image.maxima.reset();
        if (image.minima) {
            std::ranges::move(image.minima->finish(), std::back_inserter(image.local_maxima));
            image.minima.reset();
            std::ranges::stable_sort(image.local_maxima, {}, &LocalMaximum::component);  // a component is in one of the lists
        }
        if (memory_) memory_->take(std::int64_t(image.local_maxima.size() * sizeof(LocalMaximum)));
        const double distance = options_.peak_distance.amount;
        if (distance > 0) image.local_maxima = keep_apart(image.local_maxima, *world_, distance);
    }
}

void ImageMeasurement::start_percentiles(std::uint64_t components) {
    for (MeasuredImage& image : measured_) {
        std::vector<StoredRange> ranges;
        ranges.reserve(components);
        for (std::uint64_t k = 1; k <= components; ++k) ranges.push_back(image.sums.stored_range(k));
        image.percentiles.emplace(images_[std::size_t(&image - measured_.data())].reader->info().type, options_.percentiles, ranges,
                                  image.scale, bytes_of_counters());
    }
}

bool ImageMeasurement::next_pass(std::uint64_t components) {
    if (pass_ == Pass::first) end_local_maxima();
    if (pass_ == Pass::first && sections_)
        for (MeasuredImage& image : measured_) image.sums.unwrap(*sections_, extent_);
    if (options_.percentiles.empty()) return false;
    if (pass_ == Pass::first) start_percentiles(components);
    bool is_needed = false;
    for (std::size_t i = 0; i < measured_.size(); ++i) {
        if (pass_ == Pass::percentiles && rows_[i]) measured_[i].percentiles->end_pass();
        rows_[i].reset();
        if (!measured_[i].percentiles->begin_pass()) continue;
        images_[i].reader->rewind();
        rows_[i].emplace(*images_[i].reader);
        is_needed = true;
    }
    pass_ = Pass::percentiles;
    return is_needed;
}

std::vector<MeasuredImage> ImageMeasurement::finish(const std::string& what, const Reporter& reporter) {
    for (std::size_t i = 0; i < measured_.size(); ++i) report_image(images_[i], measured_[i].sums.nan_voxels(), what, reporter);
    return std::move(measured_);
}

void add_values(ImageMeasurement& measurement, const Extent& extent, const Painter& painter, ProgressBar& progress) {
    for_each_painted_row(painter, extent, [&](std::int64_t row, std::span<const std::uint64_t> labels) {
        measurement.add_row<std::uint64_t>(row % extent.ny, row / extent.ny, labels);
        if (row % 1024 == 0) progress.update("intensity", row, extent.rows());
    });
}

}  // namespace voxcc
