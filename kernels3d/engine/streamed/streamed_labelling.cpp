// The streamed engine, for volumes that are not held in memory. It cuts the volume along z into stream slabs. The block-run engine labels
// one slab at a time.
//
//   first pass   each slab on its own: numbers, sums, contacts with the slab before     slab_source.h, touching.h
//   number       1..K in the volume, by first voxel in raster order                     gpu_slabs/numbers.h
//   paint        reads each slab a second time, labels and paints it                     held_slab.h
//
// Labels and sums are identical to the labels and sums of the volume labelled in one piece.
//
// Memory: as kernels3d/engine/request.h for one slab, and two slices of u32. If the rule compares differences, as many slices of
// values, and two slices of values of the current slab. For all slabs: the touching pairs, and the sums of their components. Sums take 104
// bytes per component, or 160 bytes in volumes that need wide moments. For periodic axes, the numbers of the voxels at their ends: 4 bytes
// per voxel.
#include <voxcc/label.h>

#include "kernels3d/base/buffer.h"
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/seams.h"
#include "kernels3d/engine/streamed/held_slab.h"
#include "kernels3d/engine/streamed/slab_source.h"
#include "kernels3d/engine/streamed/touching.h"

#include <cstring>

namespace voxcc::block_runs {
namespace streamed {
namespace {

/// Slices [first, first + count) of the volume.
struct Slices {
    std::int64_t first = 0, count = 0;
};

/// Cuts a volume into slabs of `slices` slices; the last slab may have fewer.
std::vector<Slices> cut(const Extent& volume, std::int64_t slices) {
    std::vector<Slices> slabs;
    for (std::int64_t first = 0; first < volume.nz; first += slices) slabs.push_back({first, std::min(slices, volume.nz - first)});
    return slabs;
}

/// Fingerprint of a slab in the first pass. A later pass must give the same record.
struct StreamSlabRecord {
    std::uint64_t components = 0, foreground = 0, values = 0;  // foreground and values are hashes
    bool operator==(const StreamSlabRecord&) const = default;
};

/// @tparam Wide type of the second moments of the volume
template <class Wide>
class StreamedLabelling : public Labelling, public ReadsEnds {
public:
    /// @param ends the axes for read_ends()
    StreamedLabelling(const Request& request, const AxisSet& ends, RowSource& source, ThreadPool& pool, std::int64_t slices,
                      std::string subject)
        : subject_(std::move(subject)),
          request_(request),
          source_(source),
          memory_(request.memory),
          memory_of_paint_(request.memory),
          pool_(pool.size()),
          slabs_(cut(request.extent, slices)),
          held_([this](std::size_t s) { label_again(s); }, slabs_.size() - 1) {
        std::vector<std::vector<seams::TouchingPair>> pairs(slabs_.size());  // [s]: slab s - 1 and slab s
        if (request_.memory) release_kept_memory();  // the limit does not count memory that is kept from other volumes
        if (ends.any()) of_all_slabs([&] { ends_.emplace(request_.extent, ends, int(sizeof(std::uint32_t)), request_.memory); });
        SlabFace last;  // last slice of the slab before
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            records_.push_back(label_slab(s));
            take_over(s);
            if (ends_) keep_ends(s);
            if (!crosses_slices()) continue;
            if (s > 0) pairs[s] = TouchingLister(request_, source_.value_type()).list(last, face(0));
            hold(std::int64_t(pairs[s].capacity() * sizeof(pairs[s][0])));
            if (s + 1 < slabs_.size()) last = face(slabs_[s].count - 1);
        }
        stored_ = {};
        number(pairs);
    }

    std::uint64_t count() const override { return numbers_.count; }
    SumTable measure() override {
        hold(std::int64_t(sums_.size() * sizeof(sums_[0])));  // of the copy
        return SumTable(sums_);
    }
    std::vector<std::uint64_t> source_values() const override { return values_; }
    const Seconds& seconds() const override { return seconds_; }

    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override {
        type_ = type;
        memory_of_paint_.give_back();
        std::uint64_t most = 0;
        for (const StreamSlabRecord& record : records_) most = std::max(most, record.components);
        memory_of_paint_.take(std::int64_t(final_numbers.size() + most) * 8);
        final_numbers_.assign(final_numbers.begin(), final_numbers.end());
        if (labelling_) prepare_slab(slab_);
    }

    void paint(RowRange rows, std::byte* out, Stores stores) const override {
        HeldStreamSlab::Visitor visitor(held_);
        const std::int64_t ny = request_.extent.ny, slab_rows = slabs_.front().count * ny, row_bytes = request_.extent.nx * size_of(type_);
        while (rows.count > 0) {
            const std::int64_t s = rows.first / slab_rows, first = rows.first - s * slab_rows;
            const RowRange part{first, std::min(rows.count, slabs_[std::size_t(s)].count * ny - first)};
            visitor.go_to(std::size_t(s));
            labelling_->paint(part, out, stores);
            out += part.count * row_bytes;
            rows = {rows.first + part.count, rows.count - part.count};
        }
    }

    /// May be called once, for the axes of the constructor.
    Ends read_ends(const Request& request, ThreadPool&) override {
        const bool is_wide = count() > ~std::uint32_t{0};
        std::optional<Ends> wide;
        if (is_wide) of_all_slabs([&] { wide.emplace(request.extent, ends_->axes(), int(sizeof(std::uint64_t)), request.memory); });
        if (is_wide) number_ends<std::uint64_t>(*ends_, *wide);
        else number_ends<std::uint32_t>(*ends_, *ends_);
        Ends numbers = std::move(is_wide ? *wide : *ends_);
        ends_.reset();
        return numbers;
    }

private:
    /// Whether the connectivity connects voxels of different slices.
    bool crosses_slices() const { return is_neighbour(request_.connectivity, 0, 0, 1); }

    /// Reads and discards rows until the source is at `row`. Rewinds the source first if it is past `row`.
    void skip_to(std::int64_t row) {
        if (source_.access() == RowSource::Access::concurrent) return;
        if (next_row_ > row) {
            source_.rewind();
            next_row_ = 0;
        }
        std::vector<std::byte> buffer;
        while (next_row_ < row) {
            const RowRange rows{next_row_, std::min(source_.rows_per_fetch(), row - next_row_)};
            source_.fetch(rows, buffer);
            next_row_ = rows.end();
        }
    }

    /// Replaces the current labelling by the labelling of slab s.
    StreamSlabRecord label_slab(std::size_t s) {
        const Slices& slab = slabs_[s];
        forget_slab();
        if (slab.count != slabs_[slab_].count) release_kept_memory();  // kept memory does not fit a slab of another size
        slab_ = s;
        Request request = request_;
        request.extent.nz = slab.count;
        skip_to(slab.first * request.extent.ny);
        const bool keeps_values = request_.rule == Rule::gradient && crosses_slices() && records_.size() < slabs_.size();  // first pass
        StreamSlabSource source(source_, request.extent, slab.first * request.extent.ny, keeps_values ? &stored_ : nullptr);
        labelling_ = label(request, source, pool_);
        next_row_ += request.extent.rows();
        if (labelling_->count() > ~std::uint32_t{0})
            throw Error(ErrorKind::out_of_memory, subject_,
                        "more than 2^32 - 1 components in a slab of " + std::to_string(slab.count) + " slices");
        StreamSlabRecord record{labelling_->count(), source.fingerprint(), 0};
        for (const std::uint64_t value : labelling_->source_values()) record.values = (record.values ^ value) * 0x9e3779b97f4a7c15;
        return record;
    }

    /// Appends the sums and values of the components of slab s, which is labelled. number() merges them later.
    void take_over(std::size_t s) {
        const SumTable table = labelling_->measure();
        make_room(sums_, table.size());
        for (std::size_t k = 0; k < table.size(); ++k) sums_.push_back(table[k].template moved_up<Wide>(std::uint32_t(slabs_[s].first)));
        const std::vector<std::uint64_t> values = labelling_->source_values();
        make_room(values_, values.size());
        values_.insert(values_.end(), values.begin(), values.end());
        const Seconds& spent = labelling_->seconds();
        seconds_.pack += spent.pack, seconds_.unite += spent.unite, seconds_.number += spent.number, seconds_.measure += spent.measure;
    }

    /// Counts bytes that are held for all slabs.
    void hold(std::int64_t bytes) {
        try {
            memory_.take(bytes);
        } catch (const MemoryLimitReached&) {
            if (memory_.taken() + bytes <= request_.memory->bytes()) throw;
            throw MemoryLimitReached(MemoryLimitReached::Data::of_all_slabs);
        }
    }
    /// Calls take(), whose memory does not depend on the thickness of slabs.
    template <class Take>
    static void of_all_slabs(const Take& take) {
        try {
            take();
        } catch (const MemoryLimitReached&) {
            throw MemoryLimitReached(MemoryLimitReached::Data::of_all_slabs);
        }
    }

    /// Reserves room for more elements. While the elements move, the old and the new array exist.
    template <class T>
    void make_room(std::vector<T>& array, std::size_t more) {
        const std::size_t size = array.size() + more;
        if (size <= array.capacity()) return;
        const std::size_t room = std::max(size, array.capacity() + array.capacity() / 4);
        TakenMemory old(request_.memory);
        old.take(std::int64_t(array.capacity() * sizeof(T)));
        hold(std::int64_t((room - array.capacity()) * sizeof(T)));
        array.reserve(room);
    }

    /// Discards the current labelling. Its memory is kept for the next slab, unless the limit does not allow it.
    void forget_slab() {
        if (!request_.memory) return labelling_.reset();
        const std::int64_t before = request_.memory->used();
        labelling_.reset();
        kept_ = std::max(kept_, before - request_.memory->used());
        if (request_.memory->used() + kept_ < request_.memory->bytes()) return;
        release_kept_memory();
        kept_ = 0;
    }

    /// The numbers and values of slice z of the current slab.
    SlabFace face(std::int64_t z) {
        SlabFace face{std::vector<std::uint32_t>(std::size_t(request_.extent.nx * request_.extent.ny)), labelling_->source_values(),
                      z == 0 ? stored_.first : stored_.last};
        labelling_->prepare_paint(ScalarType::u32, {});
        labelling_->paint({z * request_.extent.ny, request_.extent.ny}, reinterpret_cast<std::byte*>(face.numbers.data()), Stores::cached);
        return face;
    }

    /// Keeps the numbers of slab s, which is labelled, at the ends of the axes.
    void keep_ends(std::size_t s) {
        const std::int64_t first = slabs_[s].first * request_.extent.ny;
        labelling_->prepare_paint(ScalarType::u32, {});
        const auto paint = [&](RowRange rows, std::byte* out) { labelling_->paint({rows.first - first, rows.count}, out, Stores::cached); };
        paint_ends({first, slabs_[s].count * request_.extent.ny}, paint, *ends_, pool_);
    }
    /// Replaces the numbers of slabs by the numbers of the volume. @param to may be `from` if Number has 4 bytes
    template <class Number>
    void number_ends(const Ends& from, Ends& to) const {
        const Extent& e = request_.extent;
        const auto number = [&](Axis axis, std::int64_t first, std::int64_t count, std::size_t slab) {
            const std::vector<std::byte>& numbers = from.layers(axis);
            for (std::int64_t i = first; i < first + count && !numbers.empty(); ++i) {
                std::uint32_t in_slab = 0;
                std::memcpy(&in_slab, numbers.data() + i * std::int64_t(sizeof in_slab), sizeof in_slab);
                const Number in_volume = in_slab == 0 ? Number{0} : Number(numbers_.slabs[slab].of(in_slab));
                std::memcpy(to.layers(axis).data() + i * std::int64_t(sizeof in_volume), &in_volume, sizeof in_volume);
            }
        };
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            number(Axis::x, 2 * e.ny * slabs_[s].first, 2 * e.ny * slabs_[s].count, s);
            number(Axis::y, 2 * e.nx * slabs_[s].first, 2 * e.nx * slabs_[s].count, s);
        }
        number(Axis::z, 0, e.nx * e.ny, 0);
        number(Axis::z, e.nx * e.ny, e.nx * e.ny, slabs_.size() - 1);
    }

    /// Numbers the components of the volume and merges the sums of their pieces, in place. The row of a component is never behind the
    /// rows of its pieces.
    void number(std::span<const std::vector<seams::TouchingPair>> pairs) {
        std::vector<std::uint32_t> counts;
        for (const StreamSlabRecord& record : records_) counts.push_back(std::uint32_t(record.components));
        TakenMemory of_numbering(request_.memory);  // an index and a parent for each end of a pair, each 8 bytes
        for (const auto& list : pairs) of_numbering.take(std::int64_t(list.size()) * 32);
        numbers_ = seams::number_pieces(counts, pairs);
        for (const seams::NumbersOfSlab& slab : numbers_.slabs) hold(std::int64_t(slab.merged.size()) * 12);
        std::size_t piece = 0, known = 0;
        for (std::size_t s = 0; s < counts.size(); ++s)
            for (std::uint32_t k = 1; k <= counts[s]; ++k, ++piece) {
                const std::size_t row = std::size_t(numbers_.slabs[s].of(k)) - 1;
                if (row < known) {
                    sums_[row].add(sums_[piece]);
                    continue;
                }
                sums_[row] = sums_[piece];
                if (!values_.empty()) values_[row] = values_[piece];
                ++known;
            }
        sums_.resize(known);
        if (!values_.empty()) values_.resize(known);
    }

    /// Sets the numbers with which the current slab is painted.
    void prepare_slab(std::size_t s) {
        std::vector<std::uint64_t> painted(std::size_t(records_[s].components));
        for (std::size_t k = 0; k < painted.size(); ++k) {
            const std::uint64_t number = numbers_.slabs[s].of(std::uint32_t(k + 1));
            painted[k] = final_numbers_.empty() ? number : final_numbers_[number - 1];
        }
        labelling_->prepare_paint(type_, painted);
    }

    /// Labels slab s again. @throw Error changed_file if its record differs from the first pass
    void label_again(std::size_t s) {
        if (label_slab(s) != records_[s]) throw Error(ErrorKind::changed_file, subject_, "has changed while it was read");
        prepare_slab(s);
    }

    std::string subject_;
    Request request_;
    RowSource& source_;
    TakenMemory memory_;           // what is held for all slabs
    TakenMemory memory_of_paint_;  // final numbers, and the numbers of a slab
    std::int64_t kept_ = 0;        // the most bytes for which kept memory has been used
    ThreadPool pool_;              // separate from the pool of the caller, whose threads call paint()
    std::vector<Slices> slabs_;
    std::vector<StreamSlabRecord> records_;  // one per slab
    std::int64_t next_row_ = 0;              // next row of a source that is read in order
    std::unique_ptr<Labelling> labelling_;
    std::size_t slab_ = 0;      // slab of labelling_
    std::optional<Ends> ends_;  // until read_ends(); before number() with the numbers of slabs
    StoredFaces stored_;        // during the first pass, of the current slab; empty unless the rule is gradient
    seams::VolumeNumbers numbers_;
    std::vector<Sums<Wide>> sums_;       // by number - 1; during the first pass one entry per piece
    std::vector<std::uint64_t> values_;  // the same; empty unless the rule is equal_values
    std::vector<std::uint64_t> final_numbers_;
    ScalarType type_ = ScalarType::u32;
    Seconds seconds_;
    mutable HeldStreamSlab held_;
};

}  // namespace
}  // namespace streamed

std::unique_ptr<Labelling> label_streamed(const Request& request, RowSource& source, ThreadPool& pool, std::int64_t slices,
                                          std::string subject) {
    checked_bytes(request.extent, 8, subject);
    Request r = request;
    r.connectivity = reduced(request.connectivity, request.extent);
    const AxisSet ends = crossed_axes(r);
    return label_periodic(r, source, pool, [&](const Request& plain, RowSource& rows) -> std::unique_ptr<Labelling> {
        using namespace streamed;
        if (second_moments_fit(plain.extent))
            return std::make_unique<StreamedLabelling<std::uint64_t>>(plain, ends, rows, pool, slices, subject);
        return std::make_unique<StreamedLabelling<uint128>>(plain, ends, rows, pool, slices, subject);
    });
}

}  // namespace voxcc::block_runs
