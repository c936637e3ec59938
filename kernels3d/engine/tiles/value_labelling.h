// A labelling in tiles by a rule that compares values. Values are uploaded beside the bits, in their stored width.
#pragma once
#include <voxcc/source.h>
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/tiles/tile_labelling.h"
#include "kernels3d/engine/value_bits.h"

namespace voxcc::block_runs::tiles {

/// Restores value_bits() of values of a type from their low bits.
inline std::vector<uint64_t> widened(std::vector<uint64_t> low_bits, ScalarType type) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>)
            for (uint64_t& bits : low_bits) bits = value_bits(T(bits));
    });
    return low_bits;
}

/// A volume labelled by equal or near values in one piece, with labels and sums for the host.
template <Connectivity K, class Executor>
class ValueLabelling : public TileLabelling<K, Executor, Rule::equal_values> {
public:
    using Base = TileLabelling<K, Executor, Rule::equal_values>;
    /// Labels the volume.
    /// @param executor made for this labelling; must not run work on `pool`
    ValueLabelling(std::unique_ptr<Executor> executor, const Request& request, RowSource& source, ThreadPool& pool)
        : Base(std::move(executor), request), type_(source.value_type()) {
        visit_label(int(size_of(type_)), [&]<class Value> {
            if (request.rule == Rule::gradient) label(source, pool, NearWords<Value>::of(type_, request.difference));
            else label(source, pool, EqualWords<Value>{});
        });
    }

    std::vector<std::uint64_t> source_values() const override {
        if (first_values_.size() == 0) return {};
        this->executor_->enter();
        return widened(this->executor_->fetch(first_values_), type_);
    }

private:
    /// @tparam Value as wide as the values of the source
    template <template <class> class Joins, class Value>
    void label(RowSource& source, ThreadPool& pool, const Joins<Value>& joins) {
        Executor& executor = *this->executor_;
        const Extent& extent = this->extent_;
        const int64_t words = extent.rows() * words_of(extent.nx);
        exec::Array<uint64_t> packed(executor.staging(), words), bits(executor.memory(), words);
        exec::Array<Value> packed_values(executor.staging(), extent.voxels()), values(executor.memory(), extent.voxels());
        const ValueRows<Value, Joins<Value>> rows{
            {uint32_t(extent.nx), uint32_t(extent.ny), uint32_t(extent.nz)}, bits.data(), values.data(), joins};
        this->pack_and_label(
            [&] {
                pack_rows_and_values(source, extent, pool, packed.data(), reinterpret_cast<std::byte*>(packed_values.data()),
                                     [](int64_t) {});
                executor.upload("upload", packed.data(), bits);
                executor.upload("upload", packed_values.data(), values);
            },
            [&] {
                this->engine_.label_values(rows);
                if constexpr (Joins<Value>::transitive) first_values_ = this->engine_.first_values(rows);
            });
    }

    ScalarType type_;
    exec::Array<uint64_t> first_values_;  // by number - 1, the low bits of value_bits(); empty for Rule::gradient
};

}  // namespace voxcc::block_runs::tiles
