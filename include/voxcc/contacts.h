// Label volumes: the sums of each label, and the contacts between labels.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/measure.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace voxcc {

class Labelling;

/// Sums of all labels. Labels are 64-bit patterns; 0 is background. Each label gets a number: 1, 2, ... in the order in which add_row()
/// first receives the labels. Memory: 112 bytes per label (168 if second_moments_fit() is false). An array has 4 bytes per value up to the
/// largest label below 2^22 or 4 times the number of labels. A hash map has the larger labels. add_row() is not thread-safe.
// rows {7, 7, 0, 3}, {3, 9, 0, 0}  ->  labels() = {7, 3, 9}; label 7 has number 1 and row 0
class LabelSums {
public:
    /// @throw Error invalid_extent if an axis has 2^32 voxels or more
    explicit LabelSums(const Extent& extent);
    LabelSums(const LabelSums& other);
    LabelSums(LabelSums&&) noexcept;
    LabelSums& operator=(LabelSums&&) noexcept;
    ~LabelSums();
    /// Adds the voxels of row (y, z). Rows may come in any order, each at most once.
    /// @param labels label of each of the nx voxels; at least 1 and at most the nx of the extent
    /// @param numbers must hold nx values; receives the number of each voxel, 0 for background
    /// @throw Error out_of_memory if there are more than 2^32 - 1 different labels
    void add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<std::uint32_t> numbers);
    /// Adds the voxels of row (y, z), without their numbers.
    /// @tparam T an integer type; signed labels are sign-extended to 64 bits
    template <class T>
    void add_row(std::int64_t y, std::int64_t z, std::span<const T> labels);
    /// The sums of the voxels with label 0. All rows of the volume must have been added.
    WideSums background() const;
    /// Adds the sums of other rows of the same volume. Labels that are new get the next numbers, in the order of their numbers in `other`.
    void add(const LabelSums& other);
    /// Adds the sums of voxels with one label. A new label gets the next number. background() is not valid afterwards.
    /// @param label not 0 @param sums of at least one voxel
    void add(std::uint64_t label, const WideSums& sums);
    /// The labels in the order of their numbers; entry k - 1 for number k.
    const std::vector<std::uint64_t>& labels() const;
    /// @param row the number of the label minus 1
    WideSums operator[](std::size_t row) const;
    /// A copy of all sums; row k - 1 for number k.
    SumTable table() const;

private:
    class Rows;
    std::unique_ptr<Rows> rows_;
};

/// The sums of all labels of a volume, on several threads. Labels are numbered by their first voxel, x fastest; in any order if the source
/// is read in order and there are several threads.
/// @param labels a source of integers, at row 0. Only its fetch() and values() are used
/// @throw Error invalid_argument if the values are not integers; out_of_memory; the exceptions of the source
LabelSums sum_labels(RowSource& labels, const Extent& extent, ThreadPool& pool);

/// The neighbouring voxels with two different labels. Labels are 64-bit patterns; signed labels are sign-extended.
struct LabelContact {
    std::uint64_t a = 0, b = 0;            // a is less than b as unsigned integers; neither is 0
    std::array<std::uint64_t, 3> faces{};  // pairs of voxels that share a face, by the axis across which they touch: x, y, z
    std::uint64_t edges = 0, corners = 0;  // pairs of voxels that share only an edge or a corner, as far as the connectivity has them
    bool operator==(const LabelContact&) const = default;
};

/// Counts the pairs of neighbouring voxels with different labels. 0 is background. Each thread holds two slices of labels.
/// @param labels a source of integers. Only its fetch() and values() are used. Its slices are fetched in ascending order, by one thread, if
///     the source is read in order, else by the threads of the pool
/// @param memory limit for the pairs; null: none
/// @return one entry per pair of labels, in ascending order of (a, b)
/// @throw Error invalid_argument if the values are not integers; MemoryLimitReached; the exceptions of the source
// [1 1 2 / 1 3 2], c4  ->  {1, 2, faces {1, 0, 0}}, {1, 3, faces {1, 1, 0}}, {2, 3, faces {1, 0, 0}}
std::vector<LabelContact> label_contacts(RowSource& labels, const Extent& extent, Connectivity connectivity, ThreadPool& pool,
                                         MemoryLimit* memory = nullptr);

/// Counts the contacts between final numbers on the GPU that holds the labels, as label_contacts(). The final numbers must be less than
/// 2^32.
/// @param final_numbers as for Labelling::prepare_paint()
/// @param memory limit for the pairs; null: none
/// @return empty if the labels are not on one GPU in one piece; use label_contacts() then
std::optional<std::vector<LabelContact>> contacts_on_device(Labelling& labelling, Connectivity connectivity,
                                                            std::span<const std::uint64_t> final_numbers, MemoryLimit* memory);

/// Bytes that label_contacts() holds per thread, without the buffers of the source.
std::int64_t contact_bytes_per_thread(const Extent& extent);

/// The areas of the faces of a voxel across i, j and k, in mm2.
// steps of 2, 3 and 5 mm at right angles  ->  {15, 10, 6}
std::array<double, 3> face_areas(const World& world);

}  // namespace voxcc
