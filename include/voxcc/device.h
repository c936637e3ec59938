// Devices and their names, the algorithms, and volumes in the memory of a CUDA device.
//
//   // voxels: 4 x 2 x 1 values of int16_t on device 0, [5, 5, 0, 7,  0, 0, 0, 7]; labels: room for 8 values of int32_t on device 0
//   auto labelling = voxcc::label_on_stream({voxels, voxcc::ScalarType::i16, {4, 2, 1}, 0, stream});
//   labelling->paint(labels, voxcc::ScalarType::i32);    // [1, 1, 0, 2,  0, 0, 0, 2] once the stream has reached this point
//   auto count = labelling->send_count();                // does not wait
//   count->value();                                      // 2; waits for the stream
#pragma once
#include <voxcc/contacts.h>
#include <voxcc/shape.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

/// The CPU, or one or more CUDA devices.
// "cuda:0,2" is {Kind::cuda, {0, 2}}
struct Device {
    enum class Kind : std::uint8_t { cpu, cuda } kind = Kind::cpu;
    std::vector<int> numbers{0};  // 0-based numbers of CUDA devices, each at most once; empty: all devices. Not used for Kind::cpu
};

/// Parses the name of a device. Does not check whether the device is present; require_device() does.
/// @param text "cpu", "cuda" (same as "cuda:0"), "cuda:0,2", "cuda:all" or "all". A number must be in [0, 1023]
/// @return nothing for any other text, and if a number occurs twice
std::optional<Device> device_of(std::string_view text);

/// The texts that device_of() accepts, for error messages.
inline constexpr std::string_view device_texts = "cpu cuda cuda:N cuda:N,M (each once) all";

/// Checks that all CUDA devices can be used. Replaces an empty list of numbers by the numbers of all present devices.
/// @param subject subject of the error: "device all"
/// @throw Error no_device with the reason for the first device that cannot be used
// {cuda, {}} on a machine with two devices -> {cuda, {0, 1}}
Device require_device(Device device, const std::string& subject);

/// The reason why the CUDA device with this number cannot be used; empty if it can be used.
// 0 in a build without CUDA -> "this build has no CUDA back end"
std::string why_no_cuda(int device);

/// Starts the use of CUDA devices, which takes about 0.3 s for the first use in a process. Later uses of the devices do not wait. Does
/// nothing for the CPU. Thread-safe.
/// @param device must be a result of require_device()
/// @throw Error no_device, device_failure
void start_device(const Device& device);

/// "cpu", "cuda:0", "cuda:0,2", "cuda:all"
std::string name_of(const Device& device);

/// Whether this build can use CUDA and the machine has a CUDA driver. Takes microseconds, where why_no_cuda() takes 0.1 s for the first
/// call of a process. A driver may be present although no device can be used.
bool has_cuda_driver();

struct AlgorithmFunctions;  // kernels3d/api/algorithm_functions.h

/// An algorithm. The views refer to static memory.
// {"uf-ic", {c6, c18, c26, c4, c8}, {foreground}, "Oliveira, Lotufo, A study on ...", "ours: uf with the inline compression of ..."}
struct Algorithm {
    std::string_view name;
    std::span<const Connectivity> connectivities;
    std::span<const Rule> rules;
    std::string_view source;  // authors, title and year of the publication; "voxcc" for block-runs
    /// The section of a paper that describes the algorithm, or "ours: " and the difference from a published algorithm.
    std::string_view origin;
    AlgorithmFunctions* functions = nullptr;

    bool is_published() const;  // all except block-runs
    bool runs_on(Device::Kind device) const;
};

/// Block-runs, the default, and the algorithms that have been added, in this order: the laboratory (voxcc::lab) has the published
/// algorithms. They exist until the program ends. Thread-safe.
std::span<const Algorithm> all_algorithms();

/// Adds algorithms to all_algorithms(), except those whose names it contains. Thread-safe.
/// @throw Error internal if the table is full
void add_algorithms(std::span<const Algorithm> algorithms);

/// @return the algorithm with this name; null if no algorithm has it
const Algorithm* find_algorithm(std::string_view name);

/// Whether the algorithm supports the connectivity, on every device. For a volume of one slice, pass reduced(connectivity, extent).
bool supports(const Algorithm& algorithm, Connectivity connectivity);
/// Whether the algorithm supports the rule.
bool supports(const Algorithm& algorithm, Rule rule);
/// Checks that the algorithm supports the rule.
/// @throw Error unsupported_by_algorithm if it does not; choices() lists the algorithms that support the rule on this kind of device
void require_rule(const Algorithm& algorithm, Rule rule, Device::Kind device);

/// The devices on which the algorithm runs in this build: "cpu" or "cpu cuda".
std::string devices_of(const Algorithm& algorithm);

/// Voxels in the memory of a CUDA device, x fastest, without gaps. The caller owns them. They must stay allocated and unchanged until the
/// stream has finished the work of the labelling.
struct StreamVolume {
    const void* voxels = nullptr;  // aligned for the type
    ScalarType type = ScalarType::u8;
    Extent extent;           // at most 2^32 - 2 voxels; for Rule::equal_values and Rule::gradient at most 2^31 - 1
    int device = 0;          // number of the CUDA device
    void* stream = nullptr;  // a cudaStream_t of this device, which runs all work of the labelling; null: the legacy default stream
};

/// A mask in the memory of the device of a volume, of the same extent, without gaps. Voxels where it is 0 or NaN are background.
struct StreamMask {
    const void* voxels = nullptr;  // aligned for the type; null: no mask
    ScalarType type = ScalarType::u8;
};

/// A number of components on its way to the host.
class StreamCount {
public:
    virtual ~StreamCount() = default;
    /// Waits until the stream has computed the number. Thread-safe.
    /// @throw Error device_failure
    virtual std::uint64_t value() = 0;
};

/// A volume that is labelled on a stream. Its memory on the device returns to a pool when it is destroyed; it may be destroyed before the
/// stream has finished. Not thread-safe. Must be used while the device works; the current device of the calling thread does not matter.
class StreamLabelling {
public:
    virtual ~StreamLabelling() = default;
    /// Writes one label per voxel, x fastest, without gaps. Does not wait, except with final numbers.
    /// @param labels memory of the device for nx * ny * nz labels of the type, aligned for the type
    /// @param type an integer type that holds the largest label, which the function does not check. There are fewer than 2^31 components
    /// @param final_numbers must be empty or have count() entries below 2^32. Label k is written as final_numbers[k - 1]; 0 is background
    /// @throw Error invalid_argument if the type is not an integer type; device_memory; device_failure
    virtual void paint(void* labels, ScalarType type, std::span<const std::uint64_t> final_numbers = {}) = 0;
    /// Starts to copy the number of components to the host. Does not wait.
    virtual std::unique_ptr<StreamCount> send_count() = 0;
    /// The number K of components. Waits for the stream.
    virtual std::uint64_t count() = 0;
    /// Exact sums over the voxels of each component, in host memory; row k - 1 for label k. Waits for the stream.
    /// @throw Error unsupported_by_device if second_moments_fit() is false; device_memory; out_of_memory
    virtual SumTable measure() = 0;
    /// Same as paint(labels, type) and then measure(). Takes less time if the labels have 32 bits, the connectivity is 26, 18 or 8, and
    /// there are few components. Nothing is painted if measure() does not support the volume.
    /// @throw Error see paint() and measure()
    // [5, 5, 0, 7,  0, 0, 0, 7], c4  ->  labels [1, 1, 0, 2,  0, 0, 0, 2]; voxels(0) = 2, voxels(1) = 2
    virtual SumTable paint_and_measure(void* labels, ScalarType type) = 0;
    /// Rule::equal_values: the stored value of the voxels of each component, as Labelling::source_values(). Waits for the stream.
    virtual std::vector<std::uint64_t> source_values() = 0;
    /// The neighbouring pairs and the Euler number of each component; entry k - 1 for label k. Counted on the device. Waits for the
    /// stream. describe_shape() computes surface, sphericity and so on from an entry.
    /// @throw Error device_memory; device_failure
    virtual std::vector<ShapeCounts> shape() = 0;
    /// The pairs of components that touch, in ascending order; see label_contacts(). Counted on the device. Waits for the stream.
    /// @param connectivity which neighbours touch: 6, 18 or 26 if the labelling has one of them, else 4 or 8
    /// @param final_numbers as for paint(): contacts are counted between final numbers
    /// @throw Error invalid_argument (the connectivity); unsupported (the volume is periodic); device_memory; device_failure
    // [1 1 2 / 1 3 2], equal values, c4  ->  contacts(c4): {1, 2, faces {1, 0, 0}}, {1, 3, faces {1, 1, 0}}, {2, 3, faces {1, 0, 0}}
    virtual std::vector<LabelContact> contacts(Connectivity connectivity, std::span<const std::uint64_t> final_numbers = {}) = 0;
    /// How the components of a periodic volume are unwrapped: see Labelling::sections().
    virtual const Sections* sections() const = 0;
    /// Calls take(rows, numbers) for windows of rows that cover the volume, in ascending order. `numbers` holds the section numbers of the
    /// voxels of these rows (see Sections), in host memory, until take() returns. If sections() is null, these are the numbers of the
    /// components. Waits for the stream.
    /// @throw Error device_memory; device_failure; the exceptions of take()
    virtual void visit_sections(const std::function<void(RowRange rows, const std::uint32_t* numbers)>& take) = 0;
};

/// Starts to label a volume. Returns before the stream has finished, unless the volume is periodic. Thread-safe.
/// @throw Error no_device (the device is absent, or the build has no CUDA); unsupported_by_device (the rule, or too many voxels);
///     invalid_extent (an extent is not positive); device_memory; device_failure
// {3, 3, 3} voxels, all 1, c26 -> 1 component
std::unique_ptr<StreamLabelling> label_on_stream(const StreamVolume& volume, const Question& question = {}, const StreamMask& mask = {});

/// Rows of a volume on a device, for functions that run on the CPU. Rows are copied to host memory when they are fetched, several MiB at
/// once if they are fetched one after the other. The source is concurrent. fetch() waits for the stream.
/// @throw Error no_device; device_memory
std::unique_ptr<RowSource> rows_on_stream(const StreamVolume& volume);

/// New numbers of labels.
struct NewNumbers {
    std::span<const std::uint64_t> labels;   // 64-bit patterns; signed labels are sign-extended. 0 stays 0
    std::span<const std::uint64_t> numbers;  // as many; equal labels must have equal numbers
    /// What becomes of labels without a new number: they keep their number, or become 0.
    enum class Missing : std::uint8_t { keep, zero } missing = Missing::keep;
};

/// Gives the labels of an image new numbers on the device. Waits for the stream of the image.
/// @param out memory of the device for one number per voxel, aligned for the type. It must not overlap the image
/// @param type an integer type. Numbers that it cannot hold lose their high bits; the caller can find them with the result
/// @return the labels that occur, without 0, as 64-bit patterns, in any order
/// @throw Error invalid_argument if a type is not an integer type; no_device; device_memory; device_failure; unsupported_by_device if there
///     are more than about 2^29 labels
// labels [0, 7, 7, 9], numbers {7: 2}, Missing::keep  ->  out [0, 2, 2, 9]; returns {7, 9}
std::vector<std::uint64_t> map_on_stream(const StreamVolume& labels, const NewNumbers& numbers, void* out, ScalarType type);

/// Lets a stream wait for the earlier work of another stream.
/// @param first, then cudaStream_t of `device`
/// @throw Error no_device; device_failure
void wait_for_stream(int device, void* first, void* then);

/// The number of the CUDA device whose memory contains an address.
/// @throw Error invalid_argument if it is not memory of a device; no_device
int device_of_address(const void* address);

/// Returns memory that earlier labellings on streams used to the device. Without this call, the memory is kept for the next labelling.
void release_stream_memory();

/// Memory of a CUDA device, for volumes that come from the host. Its copies wait until they are complete.
class StreamBuffer {
public:
    virtual ~StreamBuffer() = default;
    virtual void* data() = 0;
    /// The stream on which the memory may be used: a cudaStream_t.
    virtual void* stream() = 0;
    /// Copies bytes from host memory to the bytes [first, first + bytes) of the buffer.
    virtual void upload(const void* from, std::size_t first, std::size_t bytes) = 0;
    /// Copies the bytes [first, first + bytes) of the buffer to host memory.
    virtual void download(void* to, std::size_t first, std::size_t bytes) = 0;
};

/// Allocates `bytes` of a device.
/// @throw Error no_device; device_memory
std::unique_ptr<StreamBuffer> stream_buffer(int device, std::size_t bytes);

}  // namespace voxcc
