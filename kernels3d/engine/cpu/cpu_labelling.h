// The part of a labelling that all rules share once runs are united: numbering, measuring, painting.
#pragma once
#include <voxcc/label.h>
#include "kernels3d/base/abilities.h"
#include "kernels3d/engine/cpu/measure.h"
#include "kernels3d/engine/cpu/number.h"
#include "kernels3d/engine/cpu/other_order.h"
#include "kernels3d/engine/cpu/run_slices.h"
#include "kernels3d/engine/cpu/shares.h"
#include "kernels3d/engine/cpu/sizes.h"
#include "kernels3d/engine/memory.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/measure/labelled_slice.h"
#include "kernels3d/simd/relabel.h"
#include "kernels3d/simd/simd.h"

namespace voxcc::block_runs {

/// A labelled volume that is stored as runs.
/// @tparam RY, RZ number of rows of the cross-section in y and z
template <int RY, int RZ, class Id>
class RunLabelling : public Labelling, public CountsVoxels, public PaintsInAnyOrder, public WritesSlices {
public:
    RunLabelling(const Request& request, const RowSource& source, ThreadPool& pool)
        : pool_(pool),
          isa_(request.isa),
          bytes_per_run_(int64_t(sizeof(Id)) * (request.results == Results::sums ? 2 : 3) +
                         (request.rule == Rule::equal_values ? int64_t(sizeof(uint64_t)) : 0)),
          memory_of_runs_(request.memory),
          memory_of_sums_(request.memory),
          memory_of_sizes_(request.memory),
          memory_of_paint_(request.memory),
          runs_(Layout(request.extent, RY, RZ), most_runs_per_row(request.rule, request.extent.nx),
                most_shares(request.rule, source.access(), pool.size()), RZ > 1 ? Layout(request.extent, RY, RZ).rows : 1) {}

    Runs<Id>& runs() { return runs_; }
    const Runs<Id>& runs() const { return runs_; }
    Isa isa() const { return isa_; }

    /// Takes memory for the runs of a share that were found since the last call, if there are many. Each share may have its own thread.
    void count_runs(Share<Id>& share) {
        constexpr Id many = 1 << 14;
        if (share.end_id - share.counted_id >= many) take_counted(share);
    }

    /// Numbers the components. Must be called once, after all runs are united.
    /// @param united times of the phases so far
    void number_after(Seconds united) {
        seconds_ = united;
        for (Share<Id>& share : runs_.shares) take_counted(share);
        const double begin = clock_seconds();
        offset_ = number<RY, RZ>(runs_, pool_, isa_);
        seconds_.number = clock_seconds() - begin;
    }

    std::uint64_t count() const override { return offset_.back(); }

    SumTable measure() override {
        const double begin = clock_seconds();
        SumTable table;
        memory_of_sums_.give_back();
        if (second_moments_fit(runs_.layout.extent))
            table = SumTable(block_runs::measure<RY, RZ, uint64_t>(runs_, offset_, pool_, isa_, memory_of_sums_));
        else table = SumTable(block_runs::measure<RY, RZ, uint128>(runs_, offset_, pool_, isa_, memory_of_sums_));
        seconds_.measure = clock_seconds() - begin;
        return table;
    }

    std::vector<std::uint64_t> sizes() override {
        memory_of_sizes_.give_back();
        memory_of_sizes_.take(int64_t(count()) * int64_t(sizeof(uint64_t)));
        return block_runs::sizes<RY * RZ>(runs_, offset_, pool_, isa_);
    }

    std::vector<std::uint64_t> source_values() const override { return {}; }

    std::vector<std::uint64_t> numbers_with_x_slowest() const override {
        return block_runs::numbers_with_x_slowest<RY, RZ>(runs_, offset_.back(), pool_);
    }

    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override {
        const double begin = clock_seconds();
        type_ = type;
        final_ = Buffer<std::byte>();
        memory_of_paint_.give_back();
        if (!final_numbers.empty() || size_of(type) != sizeof(Id)) {
            switch (size_of(type)) {
                case 1: narrow<std::uint8_t>(final_numbers); break;
                case 2: narrow<std::uint16_t>(final_numbers); break;
                case 4: narrow<std::uint32_t>(final_numbers); break;
                default: narrow<std::uint64_t>(final_numbers);
            }
        }
        seconds_.paint = clock_seconds() - begin;
    }

    void paint(RowRange rows, std::byte* out, Stores stores) const override {
        switch (size_of(type_)) {
            case 1: paint_rows<std::uint8_t>(rows, out, stores); break;
            case 2: paint_rows<std::uint16_t>(rows, out, stores); break;
            case 4: paint_rows<std::uint32_t>(rows, out, stores); break;
            default: paint_rows<std::uint64_t>(rows, out, stores);
        }
    }

    void slices(int64_t first, std::span<LabelledSlice> to) const override {
        run_on_avx2(isa_, [&] { RunSlices<RY, RZ, Id>(runs_, first, to).write(); });
    }

    const Seconds& seconds() const override { return seconds_; }

private:
    void take_counted(Share<Id>& share) {
        memory_of_runs_.take(int64_t(share.end_id - share.counted_id) * bytes_per_run_);
        share.counted_id = share.end_id;
    }

    /// Fills final_ with one label per run, in the type to be painted.
    template <class T>
    void narrow(std::span<const std::uint64_t> final_numbers) {
        if (sizeof(T) > sizeof(Id))
            for (const Share<Id>& share : runs_.shares)
                memory_of_paint_.take(int64_t(share.end_id - share.first_id) * int64_t(sizeof(T) - sizeof(Id)));
        final_ = Buffer<std::byte>(std::size_t(runs_.shares.back().end_id + 8) * sizeof(T));
        runs_.begin_on_small_pages(final_, sizeof(T));
        T* const to = reinterpret_cast<T*>(final_.data());
        const Id* const label = runs_.label.data();
        to[0] = 0;
        pool_.for_each(int64_t(runs_.shares.size()), [&](int64_t s) {
            const Share<Id>& share = runs_.shares[std::size_t(s)];
            const auto runs = int64_t(share.end_id - share.first_id);
            if (final_numbers.empty()) convert_labels(isa_, label + share.first_id, runs, to + share.first_id);
            else relabel(label + share.first_id, runs, final_numbers.data(), to + share.first_id);
        });
    }

    template <class T>
    void paint_rows(RowRange rows, std::byte* out, Stores stores) const {
        const Layout& l = runs_.layout;
        const T* label = reinterpret_cast<const T*>(final_.data());
        if constexpr (sizeof(T) == sizeof(Id))
            if (!label) label = reinterpret_cast<const T*>(runs_.label.data());
        T* to = reinterpret_cast<T*>(out);
        constexpr int64_t at_once = 64;  // rows; a call per row would take longer than painting 64 voxels
        PaintRow<Id> part[at_once];
        int64_t y = rows.first % l.extent.ny, z = rows.first / l.extent.ny;
        for (int64_t r = rows.first, n = 0; r < rows.end(); r += n, to += n * l.extent.nx) {
            n = std::min({at_once, rows.end() - r, l.extent.ny - y});
            BlockRow<Id> row = runs_.row(z / RZ * l.rows + y / RY);
            row.bits += (z % RZ * RY + y % RY) * l.words;
            for (int64_t i = 0, in_block = y % RY; i < n; ++i) {
                part[i] = {row.bits, row.starts, row.before};
                row.bits += l.words;
                if (++in_block < RY) continue;
                in_block = 0, row.bits += (RZ - 1) * RY * l.words, row.starts += l.words, row.before += l.words;
            }
            block_runs::paint_rows<T, Id>(isa_, {part, std::size_t(n)}, label, l.extent.nx, to, stores);
            y += n;
            if (y == l.extent.ny) y = 0, ++z;
        }
    }

    ThreadPool& pool_;
    Isa isa_;
    int64_t bytes_per_run_;  // parent, label, the label as painted if it is not wider, and the value if the rule compares values
    TakenMemory memory_of_runs_, memory_of_sums_, memory_of_sizes_, memory_of_paint_;
    Runs<Id> runs_;
    std::vector<Id> offset_;
    Buffer<std::byte> final_;
    ScalarType type_ = ScalarType::u32;
    Seconds seconds_;
};

// Three rules use cross-sections of one row, and cpu_labelling.cpp compiles these labellings once for all of them.
extern template class RunLabelling<1, 1, std::uint32_t>;
extern template class RunLabelling<1, 1, std::uint64_t>;

}  // namespace voxcc::block_runs
