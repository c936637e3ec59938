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
// Components are numbered 1..K by their first voxel, x fastest. 0 is background. Every device, algorithm, number of threads and instruction
// set gives the same labels.
#pragma once
#include <voxcc/algorithms.h>
#include <voxcc/foreground.h>
#include <voxcc/labelling.h>
#include <voxcc/statistics.h>
#include <voxcc/volume_view.h>

#include <memory>
#include <optional>
#include <string_view>

namespace voxcc {

struct LabellingOptions {
    Connectivity connectivity = Connectivity::c26;  // c4 and c8 label each z-slice separately; the numbers continue in the next slice
    ForegroundRule foreground = {};                 // default: voxels that are not 0
    Rule rule = Rule::foreground;                   // equal_values: connects only voxels with equal values (multi-label)
    long double gradient = 0;                       // Rule::gradient, Rule::colour: the largest difference that connects; >= 0
    block_runs::Periodic periodic = {};             // axes along which the volume wraps around
    Device device = {};                             // default: CPU
    std::string_view algorithm = "block-runs";      // a name from all_algorithms()
    ThreadPool* pool = nullptr;                     // must outlive the labelling; null: the labelling starts its own threads
    int threads = 0;                                // number of its own threads; 0: available_threads()
    std::int64_t slices_per_stream_slab = 0;        // for row sources: slices that are processed at once; 0: all slices
};

/// A labelled volume. Movable; a moved-from object may only be assigned to or destroyed. Not thread-safe: only one thread at a time may use
/// a labelling. Different labellings are independent.
class Labelling {
public:
    /// The parts of a labelling. label() makes them.
    struct Parts {
        Extent extent;
        std::unique_ptr<ThreadPool> own_pool;  // null: `pool` is the pool of the caller
        ThreadPool* pool = nullptr;
        std::shared_ptr<void> source;  // null: the caller owns the source
        std::unique_ptr<block_runs::Labelling> labelling;
    };
    explicit Labelling(Parts parts) : parts_(std::move(parts)) {}
    Labelling(Labelling&&) noexcept = default;
    Labelling& operator=(Labelling&&) noexcept;

    const Extent& extent() const { return parts_.extent; }
    /// The number K of components.
    std::uint64_t count() const;
    /// Exact sums over the voxels of each component; row k - 1 for label k. describe() computes centroid, bounding box and covariance from
    /// a row. @throw Error out_of_memory
    SumTable measure();
    /// Rule::equal_values: the stored value of the voxels of each component; entry k - 1 for label k. Signed integers are sign-extended to
    /// 64 bits; unsigned integers and the bits of floats are zero-extended. Empty for other rules.
    // voxels of i16 with the values -3 and 7: {0xfffffffffffffffd, 7}
    std::vector<std::uint64_t> source_values() const;
    /// Writes one label per voxel, x fastest, without gaps.
    /// @tparam T an unsigned integer type
    /// @param labels must hold nx * ny * nz labels, in host memory
    /// @throw Error labels_too_large if T cannot hold count(); after slab-by-slab labelling also the exceptions of the source, and
    ///     changed_file if the source has changed
    template <class T>
    void paint(T* labels) {
        static_assert(std::is_unsigned_v<T>, "labels are unsigned integers");
        paint({reinterpret_cast<std::byte*>(labels), scalar_type_of<T>(), dense(extent(), sizeof(T))}, {});
    }
    /// Writes one label per voxel at any strides.
    /// @param final_numbers must be empty or have count() entries; see select(). Label k is written as final_numbers[k - 1]; 0 is
    ///     background. Empty: labels stay as they are
    /// @throw Error labels_too_large if the type cannot hold the largest number, invalid_argument if it is not an integer type; else
    ///     as above
    // labels 1, 1, 0, 2 with final_numbers {0, 1}  ->  0, 0, 0, 1
    void paint(const LabelView& labels, std::span<const std::uint64_t> final_numbers);

private:
    Parts parts_;
};

/// Labels voxels in host memory.
/// @param options slices_per_stream_slab must be 0
/// @throw Error unsupported, unsupported_by_algorithm or unsupported_by_device (the algorithm or device does not support an option);
///     no_such_algorithm; no_device; device_memory; out_of_memory; invalid_extent (an extent is not positive, or an axis has 2^32 voxels or
///     more)
// {3, 3, 3} voxels, all 1, c26 -> 1 component of 27 voxels
Labelling label(const VolumeView& volume, const LabellingOptions& options = {});

/// Labels the rows of a source, for example of a file. The source determines the foreground; options.foreground is not used.
/// @param source must outlive the labelling if options.slices_per_stream_slab is set, because paint() then reads it again
/// @param options slices_per_stream_slab needs block-runs on the CPU
/// @throw the exceptions of label() above, and of the source
Labelling label(block_runs::RowSource& source, const Extent& extent, const LabellingOptions& options = {});

/// Voxels in the memory of a CUDA device, x fastest, without gaps. Voxels that are not 0 are foreground. The caller owns the voxels.
struct DeviceVolume {
    const std::uint8_t* voxels = nullptr;
    Extent extent;           // at most 2^31 - 1 voxels
    int device = 0;          // number of the CUDA device
    void* stream = nullptr;  // a cudaStream_t of the caller; null: the default stream
};

struct DeviceOptions {
    Connectivity connectivity = Connectivity::c26;
    std::string_view algorithm = "block-runs";
    enum class Sums : std::uint8_t { skip, compute } sums = Sums::skip;  // whether to compute the sums of all components
};

struct DeviceLabelling {
    std::uint64_t count = 0;
    std::optional<SumTable> sums;  // in host memory; empty with Sums::skip
};

/// Labels voxels on the CUDA device that holds them. Labelling starts after all earlier work of the stream. The function returns when the
/// labels are complete. It copies only the count, and the sums with Sums::compute, to the host.
/// @param labels must hold nx * ny * nz labels, x fastest, in the memory of the device; need not be initialised
/// @throw Error no_device (the device is absent, or the build has no CUDA); unsupported_by_algorithm or unsupported_by_device (the
///     algorithm does not support CUDA or the connectivity, the volume is too large, or its sums may exceed 64 bits); device_memory;
///     out_of_memory; invalid_extent (an extent is not positive)
DeviceLabelling label_on_device(const DeviceVolume& volume, std::uint32_t* labels, const DeviceOptions& options = {});

}  // namespace voxcc
