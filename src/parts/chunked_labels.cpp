#include "src/parts/chunked_labels.h"

#include "io/label_chunk.h"

#include <algorithm>
#include <cstring>

namespace voxcc::parts {
namespace {

/// Copies labels from one integer type to another.
void convert(ScalarType from, const std::byte* labels, std::int64_t count, ScalarType to, std::byte* out) {
    if (from == to) {
        std::memcpy(out, labels, std::size_t(count * size_of(to)));
        return;
    }
    visit_scalar(from, [&]<class From>(std::type_identity<From>) {
        visit_scalar(to, [&]<class To>(std::type_identity<To>) {
            std::transform(reinterpret_cast<const From*>(labels), reinterpret_cast<const From*>(labels) + count, reinterpret_cast<To*>(out),
                           [](From label) { return To(label); });
        });
    });
}

class FromChunks final : public LabelConversion {
public:
    FromChunks(const ChunkedLabels& labels, ScalarType type) : labels_(labels), type_(type) {}
    void convert(const LabelSpan& span, std::span<const std::byte>, std::byte* out) const override { labels_.paint(span.rows, type_, out); }

private:
    const ChunkedLabels& labels_;
    ScalarType type_;
};

std::array<std::int64_t, 3> along_axes(const Extent& extent) { return {extent.nx, extent.ny, extent.nz}; }

std::uint64_t bytes_of(const io::ChunkForm& form) { return std::uint64_t(form.chunk.voxels() * size_of(form.type)); }

}  // namespace

Grid chunks_of(const Grid& parts, std::int64_t part, const Extent& chunk) { return {parts.box(part).extent(), along_axes(chunk)}; }

bool ends_with_chunks(const Grid& parts, const Extent& chunk) {
    const auto edges = along_axes(chunk);
    for (std::size_t axis = 0; axis < edges.size(); ++axis)
        if (parts.counts()[axis] > 1 && parts.part_size()[axis] % edges[axis] != 0) return false;
    return true;
}

std::vector<io::PackedSection> pack_chunks(const Grid& chunks, const io::ChunkForm& form, ThreadPool& pool, const PaintRows& paint) {
    const Extent& extent = chunks.volume();
    const std::int64_t per_layer = chunks.counts()[0] * chunks.counts()[1];
    std::vector<io::PackedSection> packed(static_cast<std::size_t>(chunks.parts()));
    pool.for_each(chunks.counts()[2], [&](std::int64_t layer) {
        const Box slices = chunks.box(layer * per_layer);
        const RowRange rows{slices.first[2] * extent.ny, slices.count[2] * extent.ny};
        const auto bytes = std::size_t(rows.count * extent.nx * size_of(form.type));
        const auto labels = std::make_unique_for_overwrite<std::byte[]>(bytes);
        paint(rows, labels.get());
        io::ChunkCutter cutter(extent, form.chunk, form.type);
        io::ChunkCompressor compressor(form.level);
        for (std::int64_t i = layer * per_layer; i < (layer + 1) * per_layer; ++i) {
            const Box chunk = chunks.box(i);
            const std::span<const std::byte> raw =
                cutter.cut({labels.get(), bytes}, rows.first, {chunk.first[0], chunk.first[1], chunk.first[2]});
            if (raw.empty()) continue;
            std::vector<std::byte> frame;
            compressor.append(raw, frame);
            packed[std::size_t(i)] = io::packed_section(raw.size(), std::move(frame));
        }
    });
    return packed;
}

std::vector<std::byte> read_chunk(const io::SectionFile& file, std::size_t section, const io::ChunkForm& form) {
    return file.elements<std::byte>(section, file.bytes_of(section) == 0 ? 0 : bytes_of(form));
}

std::vector<std::byte> read_packed_chunk(const io::SectionFile& file, std::size_t section, const io::ChunkForm& form) {
    if (const std::uint64_t bytes = file.bytes_of(section); bytes != 0 && bytes != bytes_of(form))
        throw Error(ErrorKind::corrupt_file, file.path(), "has a chunk of labels of another size than it must have");
    return file.packed(section);
}

ChunkedLabels::ChunkedLabels(ChunkFiles files, int threads) : files_(std::move(files)) {
    const Grid& grid = files_.parts;
    // The chunks at the ends of parts are cut off: one layer has at most this number of chunks.
    const auto along = [&](std::size_t axis, std::int64_t chunk) {
        return grid.counts()[axis] * ((grid.part_size()[axis] - 1) / chunk + 1);
    };
    most_chunks_ = std::size_t(along(0, files_.form.chunk.nx) * along(1, files_.form.chunk.ny) + threads);
}

void ChunkedLabels::paint(RowRange rows, ScalarType type, std::byte* out) const {
    const Grid& grid = files_.parts;
    const std::int64_t ny = grid.volume().ny, first_z = rows.first / ny, last_z = (rows.end() - 1) / ny;
    for (std::int64_t z = first_z / grid.part_size()[2]; z <= last_z / grid.part_size()[2]; ++z)
        for (std::int64_t i = 0; i < grid.counts()[0] * grid.counts()[1]; ++i)
            paint_part(z * grid.counts()[0] * grid.counts()[1] + i, {rows, type, out});
}

/// Writes the labels of a part that lie in rows of the volume.
void ChunkedLabels::paint_part(std::int64_t part, const Painted& painted) const {
    const auto& [rows, type, out] = painted;
    const io::ChunkForm& form = files_.form;
    const Extent& volume = files_.parts.volume();
    const Box box = files_.parts.box(part);
    const Grid chunks = chunks_of(files_.parts, part, form.chunk);
    const std::int64_t from_bytes = size_of(form.type), to_bytes = size_of(type), per_layer = chunks.counts()[0] * chunks.counts()[1];
    const auto layer_of = [&](std::int64_t row) {  // of chunks
        return std::clamp<std::int64_t>(row / volume.ny - box.first[2], 0, box.count[2] - 1) / chunks.part_size()[2];
    };
    for (std::int64_t index = layer_of(rows.first) * per_layer; index < (layer_of(rows.end() - 1) + 1) * per_layer; ++index) {
        const Box chunk = chunks.box(index);
        const std::int64_t x0 = box.first[0] + chunk.first[0], y0 = box.first[1] + chunk.first[1], z0 = box.first[2] + chunk.first[2];
        const auto in_rows = [&, first = rows.first](std::int64_t y, std::int64_t z) { return z * volume.ny + y - first; };
        if (in_rows(y0, z0) >= rows.count || in_rows(y0 + chunk.count[1] - 1, z0 + chunk.count[2] - 1) < 0) continue;
        Labels from;
        for (std::int64_t z = 0; z < chunk.count[2]; ++z)
            for (std::int64_t y = 0; y < chunk.count[1]; ++y) {
                const std::int64_t row = in_rows(y0 + y, z0 + z);
                if (row < 0 || row >= rows.count) continue;
                if (!from) from = labels({part, index});
                std::byte* const to = out + (row * volume.nx + x0) * to_bytes;
                if (from->empty()) std::memset(to, 0, std::size_t(chunk.count[0] * to_bytes));
                else convert(form.type, from->data() + (z * form.chunk.ny + y) * form.chunk.nx * from_bytes, chunk.count[0], type, to);
            }
    }
}

ChunkedLabels::Labels ChunkedLabels::labels(const Chunk& chunk) const {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = chunks_.find(chunk); known != chunks_.end()) {
            known->second.second = ++time_;
            return known->second.first;
        }
    }
    const auto read = std::make_shared<const std::vector<std::byte>>(files_.chunk(chunk.part, chunk.index));
    const std::lock_guard lock(mutex_);
    if (chunks_.size() >= most_chunks_)
        chunks_.erase(std::ranges::min_element(chunks_, {}, [](const auto& held) { return held.second.second; }));
    chunks_[chunk] = {read, ++time_};
    return read;
}

std::optional<StoredChunks> ChunkedLabels::stored() const {
    if (!ends_with_chunks(files_.parts, files_.form.chunk)) return {};
    return StoredChunks{files_.form, [this](const Extent& first, std::vector<std::byte>& to) { append(first, to); }};
}

/// Appends the compressed chunk that begins at a voxel.
void ChunkedLabels::append(const Extent& first, std::vector<std::byte>& to) const {
    const Grid& parts = files_.parts;
    const auto chunk = along_axes(files_.form.chunk), at = along_axes(first);
    std::array<std::int64_t, 3> place{}, in_part{};  // of the part, and of the chunk in it
    for (std::size_t axis = 0; axis < 3; ++axis) {
        place[axis] = at[axis] / parts.part_size()[axis];
        in_part[axis] = at[axis] % parts.part_size()[axis] / chunk[axis];
    }
    const std::int64_t part = place[0] + parts.counts()[0] * (place[1] + parts.counts()[1] * place[2]);
    const auto counts = chunks_of(parts, part, files_.form.chunk).counts();
    const auto frame = files_.packed_chunk(part, in_part[0] + counts[0] * (in_part[1] + counts[1] * in_part[2]));
    to.insert(to.end(), frame.begin(), frame.end());
}

std::unique_ptr<LabelConversion> from_chunks(const ChunkedLabels& labels, ScalarType type) {
    return std::make_unique<FromChunks>(labels, type);
}

}  // namespace voxcc::parts
