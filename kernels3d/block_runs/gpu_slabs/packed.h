// A volume in host memory on its way to devices: they take slabs of it while later rows are still read and packed.
#pragma once
#include "kernels3d/block_runs/gpu_slabs/plan.h"
#include "kernels3d/block_runs/tiles/value_labelling.h"

#include <condition_variable>
#include <mutex>

namespace voxcc::block_runs::slabs {

/// How many rows are there, for threads that wait for theirs.
class RowsReady {
public:
    /// @throw Error internal if fail() says that they never will be; whoever called that knows why
    void wait_for(int64_t rows) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return rows_ >= rows || failed_; });
        if (rows_ < rows) throw Error(ExitCode::internal, "block-runs", "rows that a slab waits for do not come");
    }
    /// The first `rows` are there now.
    void reach(int64_t rows) {
        change([&] { rows_ = rows; });
    }
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

/// Rows of bits of a volume, by equal values the values of voxels beside them, as wide as they are stored. It feeds an engine by reference.
template <Rule R>
class PackedVolume {
public:
    static constexpr bool by_value = R == Rule::equal_values;
    static int64_t value_bytes(const RowSource& source) { return by_value ? size_of(source.value_type()) : 0; }

    /// @param staging outlives the volume
    PackedVolume(exec::Memory& staging, const Extent& volume, const RowSource& source)
        : volume_(volume),
          type_(source.value_type()),
          bits_(staging, volume.rows() * words()),
          values_(staging, volume.voxels() * value_bytes(source)) {}

    /// Packs all rows of the source; once. @throw what the source throws, after those have been woken who wait for rows
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
    /// Gives the memory back; no device asks for slabs any more.
    void release() { bits_ = {}, values_ = {}; }

    /// As the engine's Feed: waits until the slab's rows are packed, and brings them to the device.
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
                label(tiles::ValueRows<Value>{size, bits.data(), values.data()});
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
    int64_t words() const { return (volume_.nx + 63) / 64; }
    template <class Value>
    Value* values_as() const {
        return reinterpret_cast<Value*>(values_.data());
    }

    Extent volume_;
    ScalarType type_;
    exec::Array<uint64_t> bits_;     // [volume.rows()][words()]
    exec::Array<std::byte> values_;  // [z][y][x] of type_, the low bits of value_bits()
    RowsReady ready_;
};

}  // namespace voxcc::block_runs::slabs
