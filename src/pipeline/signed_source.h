// The sign of each foreground voxel as its value, for --split-signs.
#pragma once
#include "src/pipeline/sources.h"

namespace voxcc {

/// A ReaderSource whose values are the signs of the scaled values of the image: 1 or -1, of type i8. Labelling by equal values then never
/// joins a positive voxel with a negative one. Voxels with the value 0 are background.
// scaled values 2.5, 0, -1, all selected by the rule  ->  bits = [1 0 1], values = [1 * -1]
class SignedSource : public ReaderSource {
public:
    /// @param image, packer, mask, isa, on_rows see ReaderSource
    SignedSource(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, Isa isa,
                 std::function<void(std::int64_t)> on_rows);
    /// The costs of a source with these readers: see ReaderSource::costs().
    static ForegroundRows::Costs costs(const io::VolumeReader& image, const io::VolumeReader* mask);
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override;
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override;
    ScalarType value_type() const override { return ScalarType::i8; }

private:
    /// Bytes of the packed foreground of a row. They precede the signs of all rows.
    std::int64_t row_bytes() const;
    ForegroundPacker positive_, negative_;
    Isa isa_;
    std::int64_t nx_;
};

}  // namespace voxcc
