// A packed volume in host memory. Devices take slabs from it while later rows are still being read and packed.
#pragma once
#include <voxcc/source.h>
#include "kernels3d/engine/gpu_slabs/plan.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/tiles/value_labelling.h"

#include <condition_variable>
#include <mutex>

namespace voxcc::block_runs::gpu_slabs {

/// Counts the rows that are packed, for threads that wait for rows. Thread-safe.
class RowsReady {
public:
    /// Waits until the first `rows` rows are packed.
    /// @throw Error internal after fail(); the thread that called fail() has the cause
    void wait_for(int64_t rows) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return rows_ >= rows || failed_; });
        if (rows_ < rows) throw Error(ErrorKind::internal, "block-runs", "rows that a slab waits for do not come");
    }
    /// Reports that the first `rows` rows are packed.
    void reach(int64_t rows) {
        change([&] { rows_ = rows; });
    }
    /// Releases all waiting threads with an error.
    void fail() {
        change([&] { failed_ = true; });
    }

private:
    template <class Change>
    void change(const Change& c) {
        {
            const std::lock_guard lock(mutex_);
            c();
        }
        changed_.notify_all();
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    int64_t rows_ = 0;
    bool failed_ = false;
};

/// The bits of all rows of a volume; for rules that compare values also the values of all voxels, in their stored width. It is the Feed of
/// a slab engine, which must hold it by reference.
template <Rule R>
class PackedVolume {
public:
    static constexpr bool by_value = R == Rule::equal_values;
    /// Bytes per voxel value that are uploaded; 0 if the rule does not compare values.
    static int64_t value_bytes(const RowSource& source) { return by_value ? size_of(source.value_type()) : 0; }

    /// @param staging must outlive the volume
    PackedVolume(exec::Memory& staging, const Request& request, const RowSource& source)
        : volume_(request.extent),
          rule_(request.rule),
          most_(request.difference),
          type_(source.value_type()),
          bits_(staging, volume_.rows() * words()),
          values_(staging, volume_.voxels() * value_bytes(source)) {}

    /// Packs all rows of the source. Must be called once.
    /// @throw the exceptions of the source, after threads that wait for rows are released
    void pack(RowSource& source, ThreadPool& pool) {
        const auto reach = [this](int64_t rows) { ready_.reach(rows); };
        try {
            if constexpr (by_value) tiles::pack_rows_and_values(source, volume_, pool, bits_.data(), values_.data(), reach);
            else tiles::pack_rows(source, volume_, pool, bits_.data(), reach);
        } catch (...) {
            ready_.fail();
            throw;
        }
    }
    /// Frees the memory. No slab may be requested afterwards.
    void release() { bits_ = {}, values_ = {}; }

    /// The Feed of the engine: waits until the rows of the slab are packed, uploads them, and calls label(source).
    template <class Executor, class Label>
    void operator()(Executor& executor, std::size_t, const Slices& slab, const Label& label) {
        ready_.wait_for((slab.first + slab.count) * volume_.ny);
        const exec::Grid size{uint32_t(volume_.nx), uint32_t(volume_.ny), uint32_t(slab.count)};
        exec::Array<uint64_t> bits(executor.memory(), slab.of(volume_).rows() * words());
        executor.upload("upload", bits_.data() + slab.first * volume_.ny * words(), bits);
        if constexpr (by_value) {
            const auto with_values = [&]<class Value>(std::type_identity<Value>) {
                exec::Array<Value> values(executor.memory(), size.cells());
                executor.upload("upload", values_as<Value>() + slab.first * volume_.ny * volume_.nx, values);
                using Near = tiles::NearWords<Value>;
                if (rule_ == Rule::gradient) label(tiles::ValueRows<Value, Near>{size, bits.data(), values.data(), Near::of(type_, most_)});
                else label(tiles::ValueRows<Value>{size, bits.data(), values.data()});
            };
            switch (size_of(type_)) {
                case 1: return with_values(std::type_identity<std::uint8_t>{});
                case 2: return with_values(std::type_identity<std::uint16_t>{});
                case 4: return with_values(std::type_identity<uint32_t>{});
                default: return with_values(std::type_identity<uint64_t>{});
            }
        } else {
            label(tiles::BitRows{size, bits.data()});
        }
    }

private:
    int64_t words() const { return words_of(volume_.nx); }
    template <class Value>
    Value* values_as() const {
        return reinterpret_cast<Value*>(values_.data());
    }

    Extent volume_;
    Rule rule_;
    Bound most_;  // Rule::gradient: the largest difference that connects
    ScalarType type_;
    exec::Array<uint64_t> bits_;     // [volume.rows()][words()]
    exec::Array<std::byte> values_;  // [z][y][x] the low bits of value_bits(), as wide as type_
    RowsReady ready_;
};

}  // namespace voxcc::block_runs::gpu_slabs
