// Measures the values of intensity images in components. `voxcc label` and `voxcc stats` use the same measurements.
#pragma once
#include <voxcc/label.h>
#include <voxcc/measure.h>
#include <voxcc/threads.h>
#include "src/messages/report.h"
#include "src/options/options.h"
#include "src/pipeline/columns.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/input.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace voxcc {

class Painter;
class ProgressBar;

/// An open intensity image, at row 0.
struct OpenImage {
    std::string path;  // as it was typed
    std::unique_ptr<io::VolumeReader> reader;
    std::shared_ptr<FileWarnings> warnings;  // of all images of the file
};

/// Opens the images of --intensity, and reports their warnings. The caller must compare their grids with the grid of the volume.
/// @param volume whose components are measured
std::vector<OpenImage> open_images(const IntensityOptions& options, const InputOptions& input, const ChosenVolume& volume,
                                   const Reporter& reporter);

/// The length of a distance of peaks in the volume. Nothing without a distance, and if the affine is not usable.
/// @throw ProgramError as require_lengths()
std::optional<World> world_of_peaks(const IntensityOptions& options, const io::VolumeInfo& info);

/// The warning about NaN voxels. @param what "components" or "labels"
std::string left_out(std::uint64_t nan_voxels, const std::string& what);

/// Reports the warnings of an image after its last row, and the number of NaN voxels. @param what "components" or "labels"
void report_image(const OpenImage& image, std::uint64_t nan_voxels, const std::string& what, const Reporter& reporter);

/// The results for one image, by the number of the component.
struct MeasuredImage {
    IntensitySums sums;
    LinearScale scale;
    std::optional<Percentiles> percentiles;
    std::size_t percents = 0;                // number of percentiles
    std::string name;                        // of the image; may be empty
    std::optional<LocalMaxima> maxima;       // during the first pass
    std::optional<LocalMaxima> minima;       // the same, for components whose peaks are minima
    std::vector<LocalMaximum> local_maxima;  // by component, the greatest first; of negative components the least first
    /// @param wrapping see describe() in voxcc/measure.h
    ImageValues values(std::uint64_t component, const std::optional<World>& world, const Wrapping& wrapping) const;
};

/// The values of all images in a component. @param wrapping see describe() in voxcc/measure.h
std::vector<ImageValues> values_of(const std::vector<MeasuredImage>& images, std::uint64_t component, const std::optional<World>& world,
                                   const Wrapping& wrapping = {});

/// Measures the images in several passes over all rows:
//   ImageMeasurement measurement(...);
//   do
//       for (each row in raster order) measurement.add_row(y, z, components);
//   while (measurement.next_pass());
//   measurement.finish(reporter)
class ImageMeasurement {
public:
    /// @param images must be at row 0, and must outlive this object
    /// @param world of the volume, from world_of_peaks()
    /// @param memory limit for the sums and counters; null: none
    /// @throw Error invalid_argument if peaks must have a distance, and `world` is empty
    ImageMeasurement(std::vector<OpenImage>& images, const IntensityOptions& options, const std::optional<World>& world,
                     MemoryLimit* memory);
    /// The rows will contain the numbers of sections, and the images are measured in the unwrapped components. Must be called before the
    /// first row.
    /// @param sections must outlive this object
    /// @param extent of the volume
    void set_sections(const Sections& sections, const Extent& extent);
    /// Makes room for the components 1 to `components`, or for as many sections. @throw MemoryLimitReached
    void reserve(std::uint64_t components);
    /// Lists local minima in place of local maxima for some components. Must be called before the first row.
    /// @param components by number - 1: whether the peaks of the component are minima
    void find_minima_in(std::vector<bool> components);
    /// Adds the next row of the images.
    /// @tparam Index std::uint32_t or std::uint64_t
    /// @param components component number, or section number, of each voxel; 0 is background
    template <class Index>
    void add_row(std::int64_t y, std::int64_t z, std::span<const Index> components);
    /// Whether another pass is needed, which starts at row 0. Must be called after the last row.
    /// @param components number of components
    bool next_pass(std::uint64_t components);
    /// Reports warnings, and the number of NaN voxels. @param what "components" or "labels"
    std::vector<MeasuredImage> finish(const std::string& what, const Reporter& reporter);

private:
    template <class Index>
    void add_peaks(MeasuredImage& image, std::span<const Index> components, std::span<const std::byte> values);
    void end_local_maxima();
    void start_percentiles(std::uint64_t components);
    /// Bytes for the counters of the percentiles of one image.
    std::int64_t bytes_of_counters() const;

    std::vector<OpenImage>& images_;
    const IntensityOptions& options_;
    std::optional<World> world_;
    MemoryLimit* memory_;
    const Sections* sections_ = nullptr;
    Extent extent_;                          // with sections_
    std::vector<std::uint64_t> components_;  // of the voxels of a row, if there are sections
    std::vector<MeasuredImage> measured_;
    std::vector<bool> with_minima_;  // by number - 1; empty: no component
    enum class Pass : std::uint8_t { first, percentiles } pass_ = Pass::first;
    std::vector<std::optional<RowStream>> rows_;  // [image] the images that this pass reads
};

/// Adds the voxels of the intensity images to the measurements of the final labels, in raster order.
void add_values(ImageMeasurement& measurement, const Extent& extent, const Painter& painter, ProgressBar& progress);

}  // namespace voxcc
