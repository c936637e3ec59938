// Labels the connected components of a volume. Most programs need only this header.
//
//   std::vector<std::uint8_t> voxels{1, 1, 0, 1,  0, 0, 0, 1};      // 4 x 2 x 1 voxels, x fastest
//   auto labelling = voxcc::label(voxcc::view(voxels.data(), {4, 2, 1}), {.connectivity = voxcc::Connectivity::c26});
//   labelling.count();                                              // 2
//   std::vector<std::uint32_t> labels(voxels.size());
//   labelling.paint(labels.data());                                 // 1, 1, 0, 2,  0, 0, 0, 2
//   voxcc::SumTable table = labelling.measure();
//   voxcc::describe(table[1], {4, 2, 1}, std::nullopt).centroid;    // 3, 0.5, 0: the component with label 2
//
// Labels are 1..K in the order of the components' first voxels, x fastest; 0 is background. They are the same for every device,
// algorithm, number of threads and instruction set.
#pragma once
#include <voxcc/algorithms.h>
#include <voxcc/foreground.h>
#include <voxcc/labelling.h>
#include <voxcc/statistics.h>

#include <memory>
#include <optional>
#include <string_view>

namespace voxcc {

/// Bytes from a voxel to the next one along x, y and z. They may be negative.
using Strides = std::array<std::int64_t, 3>;

/// Voxels in host memory, which belong to the caller and must stay unchanged until the labelling has been painted for the last time.
struct VolumeView {
    const std::byte* voxels = nullptr;  // the voxel at x = y = z = 0, aligned as its type, as are all strides
    ScalarType type = ScalarType::u8;
    Extent extent;
    Strides strides{};
};

/// Labels in host memory, which belong to the caller: an unsigned integer per voxel.
struct LabelView {
    std::byte* labels = nullptr;  // the label at x = y = z = 0, aligned as its type, as are all strides
    ScalarType type = ScalarType::u32;
    Strides strides{};
};

/// Strides of nx * ny * nz elements without gaps, x fastest: [z][y][x].
constexpr Strides dense(const Extent& extent, std::int64_t element_bytes) {
    return {element_bytes, element_bytes * extent.nx, element_bytes * extent.nx * extent.ny};
}

/// Voxels without gaps, x fastest: a C array [z][y][x].
template <class T>
VolumeView view(const T* voxels, const Extent& extent) {
    return {reinterpret_cast<const std::byte*>(voxels), scalar_type_of<T>(), extent, dense(extent, sizeof(T))};
}

/// Voxels at any strides, here counted in voxels. Example: a Fortran array a(nx, ny, nz) that is to be numbered as the C array [x][y][z]
/// would be has the extent {nz, ny, nx} and the strides {nx * ny, nx, 1}.
template <class T>
VolumeView view(const T* voxels, const Extent& extent, const Strides& voxels_apart) {
    constexpr auto bytes = std::int64_t(sizeof(T));
    return {reinterpret_cast<const std::byte*>(voxels),
            scalar_type_of<T>(),
            extent,
            {bytes * voxels_apart[0], bytes * voxels_apart[1], bytes * voxels_apart[2]}};
}

struct LabellingOptions {
    Connectivity connectivity = Connectivity::c26;  // 6, 18, 26; c4 and c8 label each z-slice on its own, numbers continue
    ForegroundRule foreground = {};                 // default: voxels that are not 0
    Rule rule = Rule::foreground;                   // equal_values: only neighbours of equal value join (multi-label)
    double gradient = 0;                            // Rule::gradient: largest difference of neighbours that join
    block_runs::Periodic periodic = {};             // axes along which the volume wraps around
    Device device = {};                             // default: CPU
    std::string_view algorithm = "block-runs";      // a name of algorithm_rows()
    ThreadPool* pool = nullptr;                     // must live longer than the labelling; null: threads of its own
    int threads = 0;                                // of its own; 0: available_threads()
    std::int64_t slices_per_slab = 0;               // row sources: process so many slices at a time; 0: the volume in one piece
};

/// A labelled volume. Movable. Its members must not be called by several threads at the same time; different labellings are independent.
class Labelling {
public:
    /// What a labelling consists of; made by label().
    struct Parts {
        Extent extent;
        std::unique_ptr<ThreadPool> own_pool;  // null: the caller's
        ThreadPool* pool = nullptr;
        std::shared_ptr<void> source;  // null: the caller's
        std::unique_ptr<block_runs::Labelling> labelling;
    };
    explicit Labelling(Parts parts) : parts_(std::move(parts)) {}
    Labelling(Labelling&&) noexcept = default;
    Labelling& operator=(Labelling&&) noexcept;

    const Extent& extent() const { return parts_.extent; }
    /// The number K of components.
    std::uint64_t count() const;
    /// Exact sums over the voxels of each component, row k - 1 for label k. describe() makes centroid, bounding box and covariance of a
    /// row.
    SumTable measure();
    /// Rule::equal_values: the value of each component's voxels, row k - 1 for label k, as the bits of the voxel type, widened with zeros.
    std::vector<std::uint64_t> source_values() const;
    /// Writes a label per voxel: nx * ny * nz of them, x fastest, without gaps. T is an unsigned integer type.
    /// @throw Error labels_too_large if T cannot hold count()
    template <class T>
    void paint(T* labels) {
        static_assert(std::is_unsigned_v<T>, "labels are unsigned integers");
        paint({reinterpret_cast<std::byte*>(labels), scalar_type_of<T>(), dense(extent(), sizeof(T))}, {});
    }
    /// @param final_numbers label k is written as final_numbers[k - 1] (0: as background), see select(); empty: labels stay as they are
    /// @throw Error labels_too_large if the type cannot hold the largest number, invalid_argument if it is not an unsigned integer type
    void paint(const LabelView& labels, std::span<const std::uint64_t> final_numbers);

private:
    Parts parts_;
};

/// Labels voxels in host memory.
/// @throw Error unsupported, unsupported_by_algorithm, unsupported_by_device, no_such_algorithm, no_device, device_memory, out_of_memory,
///        invalid_extent (an extent that is not positive, or too large)
Labelling label(const VolumeView& volume, const LabellingOptions& options = {});

/// Labels the rows of a source, for example of a file. LabellingOptions::foreground is not used: the source decides.
/// @param source must live longer than the labelling if options.slices_per_slab is set: it is read again to paint
/// @throw as label(), and what the source throws
Labelling label(block_runs::RowSource& source, const Extent& extent, const LabellingOptions& options = {});

/// Voxels in the memory of a CUDA device, without gaps, x fastest; voxels that are not 0 are foreground.
struct DeviceVolume {
    const std::uint8_t* voxels = nullptr;
    Extent extent;           // at most 2^31 - 1 voxels
    int device = 0;          // number of the CUDA device
    void* stream = nullptr;  // a cudaStream_t of the caller; null: the default stream
};

struct DeviceOptions {
    Connectivity connectivity = Connectivity::c26;
    std::string_view algorithm = "block-runs";
    enum class Sums : std::uint8_t { skip, compute } sums = Sums::skip;
};

struct DeviceLabelling {
    std::uint64_t count = 0;
    std::optional<SumTable> sums;  // in host memory, if asked for
};

/// Labels voxels on the device that holds them. Labelling begins when the work that the caller has given to the stream is done. The
/// function returns when the labels are complete. Only the count, and the sums if asked for, are copied to the host.
/// @param labels in the memory of the device, a label per voxel; need not be initialised
/// @throw Error no_device (no such device, or a build without CUDA), and as label()
DeviceLabelling label_on_device(const DeviceVolume& volume, std::uint32_t* labels, const DeviceOptions& options = {});

}  // namespace voxcc
