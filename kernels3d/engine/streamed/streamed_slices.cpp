#include "kernels3d/engine/streamed/streamed_slices.h"
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"

#include <algorithm>
#include <mutex>

namespace voxcc {
namespace block_runs {
namespace {

std::uint64_t mixed(std::uint64_t h) { return (h ^ h >> 32) * 0x9e3779b97f4a7c15; }

/// A hash of the foreground and of the values of a slab.
std::uint64_t fingerprint_of(const VolumeBits& slab) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : slab.bits) hash = mixed(hash ^ word) + 1;
    for (const std::byte byte : slab.values) hash = mixed(hash ^ std::uint64_t(byte)) + 1;
    return hash;
}

/// The stored values of z-slice z of a slab: a row per slice across the axis.
std::vector<std::byte> values_of_slice(const VolumeBits& slab, std::int64_t z) {
    const auto row_bytes = std::size_t(slab.extent.nx * size_of(slab.value_type));
    std::vector<std::byte> values(std::size_t(slab.extent.nz) * row_bytes);
    for (std::int64_t slice = 0; slice < slab.extent.nz; ++slice)
        std::copy_n(&slab.values[std::size_t(slice * slab.extent.ny + z) * row_bytes], row_bytes, &values[std::size_t(slice) * row_bytes]);
    return values;
}

/// Calls take(), whose memory does not depend on the thickness of slabs.
template <class Take>
void of_all_slabs(const Take& take) {
    try {
        take();
    } catch (const MemoryLimitReached&) {
        throw MemoryLimitReached(MemoryLimitReached::Data::of_all_slabs);
    }
}

/// The index of the slice of a piece. @param sums by stored axes
std::uint64_t slice_of(const WideSums& sums, Axis across) { return across == Axis::x ? sums.x0 : sums.y0; }

}  // namespace

StreamedSlices::StreamedSlices(const Request& request, const AxisSet& ends, RowSource& source, ThreadPool& pool, const Cut& cut)
    : request_(request), source_(source), cut_(cut), memory_(request.memory), pool_(pool.size()) {
    if (ends.any()) of_all_slabs([&] { ends_.emplace(request.extent, ends, int(sizeof(std::uint64_t)), request.memory); });
    const auto slabs = std::size_t((request_.extent.nz + cut_.slices - 1) / cut_.slices);
    Face last;
    for (std::size_t s = 0; s < slabs; ++s) {
        fingerprints_.push_back(label_slab(s));
        take_over(s);
        if (ends_) keep_ends(s);
        if (s > 0) join(last, face(s, Side::first));
        last = face(s, Side::last);
    }
    number_components();
}

/// Keeps the pieces of the slab in memory at the ends of the axes.
void StreamedSlices::keep_ends(std::size_t slab) {
    std::vector<std::uint64_t> pieces(static_cast<std::size_t>(labelling_->count()));
    for (std::size_t k = 0; k < pieces.size(); ++k) pieces[k] = before_[slab] + k + 1;
    const Extent stored = slab_extent(slab);
    const std::int64_t first = std::int64_t(slab) * cut_.slices * request_.extent.ny;
    const Painter painter(*labelling_, stored, cut_.across, ScalarType::u64, pieces, pool_);
    const auto paint = [&](RowRange rows, std::byte* out) { painter.paint({rows.first - first, rows.count}, out, Stores::cached); };
    paint_ends({first, stored.rows()}, paint, *ends_, pool_);
}

Ends StreamedSlices::read_ends(const Request&, ThreadPool&) {
    for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
        std::vector<std::byte>& layers = ends_->layers(axis);
        const std::span<std::uint64_t> pieces(reinterpret_cast<std::uint64_t*>(layers.data()), layers.size() / sizeof(std::uint64_t));
        for (std::uint64_t& piece : pieces)
            if (piece > 0) piece = numbers_[std::size_t(piece - 1)];
    }
    Ends numbers = std::move(*ends_);
    ends_.reset();
    return numbers;
}

SumTable StreamedSlices::measure() {
    hold(std::int64_t(sums_.size() * sizeof(sums_[0])));  // of the copy
    return SumTable(sums_);
}

void StreamedSlices::prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) {
    type_ = type;
    final_numbers_.assign(final_numbers.begin(), final_numbers.end());
    painter_.reset();
}

void StreamedSlices::paint(RowRange rows, std::byte* out, Stores stores) const {
    const std::int64_t slab_rows = cut_.slices * request_.extent.ny, row_bytes = request_.extent.nx * size_of(type_);
    while (rows.count > 0) {
        const auto slab = std::size_t(rows.first / slab_rows);
        const std::int64_t first = rows.first % slab_rows;
        const RowRange part{first, std::min(rows.count, slab_extent(slab).rows() - first)};
        {
            const std::shared_lock lock(mutex_);
            if (slab == slab_ && painter_) {
                painter_->paint(part, out, stores);
                out += part.count * row_bytes;
                rows = {rows.first + part.count, rows.count - part.count};
                continue;
            }
        }
        const std::unique_lock lock(mutex_);
        if (slab != slab_ || !painter_) const_cast<StreamedSlices*>(this)->load(slab);
    }
}

Extent StreamedSlices::slab_extent(std::size_t slab) const {
    const std::int64_t first = std::int64_t(slab) * cut_.slices;
    return {request_.extent.nx, request_.extent.ny, std::min(cut_.slices, request_.extent.nz - first)};
}

/// Replaces the slab in memory. @return its fingerprint
std::uint64_t StreamedSlices::label_slab(std::size_t slab) {
    painter_.reset();
    labelling_.reset();
    const std::int64_t first = std::int64_t(slab) * cut_.slices * request_.extent.ny;
    if (next_row_ > first) {
        source_.rewind();
        next_row_ = 0;
    }
    std::vector<std::byte> skipped;
    for (; next_row_ < first; next_row_ += std::min(source_.rows_per_fetch(), first - next_row_))
        source_.fetch({next_row_, std::min(source_.rows_per_fetch(), first - next_row_)}, skipped);
    const Extent stored = slab_extent(slab);
    const Keep keep = keep_for(request_.rule);
    const VolumeBits bits = read_bits(source_, stored, first, cut_.across, keep);
    next_row_ = first + stored.rows();
    const bool is_first_pass = before_.size() == slab;
    if (is_first_pass && request_.rule == Rule::gradient) stored_ = {values_of_slice(bits, 0), values_of_slice(bits, stored.nz - 1)};
    Request request = request_;
    request.extent = bits.extent;
    VolumeBitsSource source(bits);
    labelling_ = label(request, source, pool_);
    slab_ = slab;
    return fingerprint_of(bits);
}

/// Appends the sums and values of the pieces of the slab in memory.
void StreamedSlices::take_over(std::size_t slab) {
    const SumTable table = labelling_->measure();
    hold(std::int64_t(table.size() * (sizeof(WideSums) + 2 * sizeof(std::uint64_t))));
    before_.push_back(sums_.size());
    for (std::size_t k = 0; k < table.size(); ++k) {
        sets_.append();
        sums_.push_back(restore_axes(table[k], cut_.across).moved_up<uint128>(std::uint32_t(std::int64_t(slab) * cut_.slices)));
    }
    const std::vector<std::uint64_t> values = labelling_->source_values();
    values_.insert(values_.end(), values.begin(), values.end());
    const Seconds& spent = labelling_->seconds();
    seconds_.pack += spent.pack, seconds_.unite += spent.unite, seconds_.number += spent.number, seconds_.measure += spent.measure;
}

/// The numbers and values of a face of the slab in memory. Takes the stored values.
StreamedSlices::Face StreamedSlices::face(std::size_t slab, Side side) {
    const Extent stored = slab_extent(slab), held = exchanged(stored, cut_.across);
    const std::int64_t z = side == Side::first ? 0 : stored.nz - 1;
    SlabFace voxels{std::vector<std::uint32_t>(std::size_t(held.nx * held.nz)), labelling_->source_values(),
                    std::move(stored_[std::size_t(side)])};
    labelling_->prepare_paint(ScalarType::u32, {});
    for (std::int64_t slice = 0; slice < held.nz; ++slice)
        labelling_->paint({slice * held.ny + z, 1}, reinterpret_cast<std::byte*>(voxels.numbers.data() + slice * held.nx), Stores::cached);
    return {std::move(voxels), before_[slab]};
}

/// Unites the pieces of two neighbouring z-slices that touch within a slice across the axis.
void StreamedSlices::join(const Face& below, const Face& above) {
    const std::int64_t nx = exchanged(request_.extent, cut_.across).nx;
    const FaceRule rule(request_, source_.value_type());
    const auto meet = [&](std::size_t from, std::size_t to) {
        if (!rule.connects(below.voxels, from, above.voxels, to)) return;
        sets_.join(below.before + below.voxels.numbers[from] - 1, above.before + above.voxels.numbers[to] - 1);
    };
    for (std::size_t row = 0; row < below.voxels.numbers.size(); row += std::size_t(nx))
        for (std::int64_t x = 0; x < nx; ++x) {
            const std::size_t at = row + std::size_t(x);
            meet(at, at);
            if (request_.connectivity != Connectivity::c8) continue;
            for (const std::int64_t beside : {x - 1, x + 1})
                if (beside >= 0 && beside < nx) meet(row + std::size_t(beside), at);
        }
}

/// Numbers the components by slice, then by their first piece. Merges the sums of their pieces.
void StreamedSlices::number_components() {
    const std::uint64_t pieces = sums_.size();
    const Extent& e = request_.extent;
    std::vector<std::uint64_t> next(std::size_t(cut_.across == Axis::x ? e.nx : e.ny) + 1);
    const std::vector<std::uint64_t> roots = std::move(sets_).roots();
    for (std::uint64_t piece = 0; piece < pieces; ++piece)
        if (roots[piece] == piece) ++next[slice_of(sums_[piece], cut_.across) + 1];
    for (std::size_t slice = 1; slice < next.size(); ++slice) next[slice] += next[slice - 1];
    count_ = next.back();
    hold(std::int64_t(count_ * sizeof(WideSums)));
    numbers_.resize(pieces);
    std::vector<WideSums> sums(count_);
    std::vector<std::uint64_t> values(values_.empty() ? 0 : count_);
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
        // The pieces of a slice are in the order of their first voxels.
        numbers_[piece] = roots[piece] == piece ? ++next[slice_of(sums_[piece], cut_.across)] : numbers_[roots[piece]];
        sums[numbers_[piece] - 1].add(sums_[piece]);
        if (!values.empty()) values[numbers_[piece] - 1] = values_[piece];
    }
    sums_ = std::move(sums);
    values_ = std::move(values);
}

/// Loads and prepares a slab for paint(). @throw Error changed_file
void StreamedSlices::load(std::size_t slab) {
    if ((slab != slab_ || !labelling_) && label_slab(slab) != fingerprints_[slab])
        throw Error(ErrorKind::changed_file, cut_.subject, "has changed while it was read");
    const std::uint64_t first = before_[slab], end = slab + 1 < before_.size() ? before_[slab + 1] : numbers_.size();
    std::vector<std::uint64_t> painted(numbers_.begin() + std::ptrdiff_t(first), numbers_.begin() + std::ptrdiff_t(end));
    if (!final_numbers_.empty())
        for (std::uint64_t& number : painted) number = final_numbers_[number - 1];
    painter_.emplace(*labelling_, slab_extent(slab), cut_.across, type_, painted, pool_);
}

void StreamedSlices::hold(std::int64_t bytes) {
    of_all_slabs([&] { memory_.take(bytes); });
}

}  // namespace block_runs

std::int64_t slab_bytes_of_slices(const Extent& slab, Axis across, ScalarType labels, Rule rule, ScalarType values) {
    const Extent held = exchanged(slab, across);
    std::int64_t face_bytes = 3 * std::int64_t(sizeof(std::uint32_t)), voxel_bytes = 0;
    if (rule == Rule::gradient) face_bytes += 4 * size_of(values);
    if (rule != Rule::foreground) voxel_bytes += size_of(values);
    if (across == Axis::x) voxel_bytes += size_of(labels);
    return held.rows() * words_of(held.nx) * 8 + held.nx * held.nz * face_bytes + slab.voxels() * voxel_bytes;
}

std::int64_t bytes_at_ends(const Extent& extent, const Question& question, Axis across) {
    const block_runs::Request request(question, exchanged(extent, across));
    return block_runs::Ends::bytes(request.extent, block_runs::crossed_axes(request), int(sizeof(std::uint64_t)));
}

}  // namespace voxcc
