#include "src/pipeline/volume_writing.h"
#include "src/pipeline/label_bits.h"

#include "src/errors/program_error.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_bits.h"
#include "src/pipeline/label_colours.h"

#include <algorithm>
#include <cstring>

namespace voxcc {
namespace {

constexpr std::int64_t converted_rows_per_task = 64;

/// The labels of a slab, and of the rows before it that are kept.
class LabelRows {
public:
    /// @param painter null: nothing is painted or kept
    LabelRows(const Painter* painter, const Extent& extent, ThreadPool& pool)
        : painter_(painter), row_bytes_(painter ? extent.nx * size_of(painter->type()) : 0), pool_(pool) {}

    /// The labels of rows that are kept or that follow the kept rows. Thread-safe.
    /// @param buffer receives the labels
    LabelSpan paint(RowRange rows, std::int64_t nx, std::vector<std::byte>& buffer) const {
        const std::int64_t voxels = rows.count * nx;
        if (!painter_) return {.rows = rows, .count = voxels};
        buffer.resize(std::size_t(rows.count * row_bytes_));
        paint(rows, buffer.data());
        return {rows, buffer.data(), painter_->type(), voxels};
    }

    /// Writes these labels. Needs a painter. Thread-safe.
    void paint(RowRange rows, std::byte* out) const {
        const std::int64_t kept = std::clamp<std::int64_t>(kept_.end() - rows.first, 0, rows.count);
        if (kept > 0) std::memcpy(out, labels_.data() + (rows.first - kept_.first) * row_bytes_, std::size_t(kept * row_bytes_));
        if (kept == rows.count) return;
        painter_->paint({rows.first + kept, rows.count - kept}, out + kept * row_bytes_, Stores::cached);
    }

    /// Keeps these rows, and no others. They must not begin before the rows that are kept already.
    void keep(RowRange rows) {
        const std::int64_t old = std::clamp<std::int64_t>(kept_.end() - rows.first, 0, rows.count), added = rows.count - old;
        labels_.erase(labels_.begin(), labels_.end() - old * row_bytes_);
        labels_.resize(std::size_t(rows.count * row_bytes_));
        pool_.for_each((added + converted_rows_per_task - 1) / converted_rows_per_task, [&](std::int64_t task) {
            const std::int64_t first = old + task * converted_rows_per_task, count = std::min(converted_rows_per_task, rows.count - first);
            painter_->paint({rows.first + first, count}, labels_.data() + first * row_bytes_, Stores::cached);
        });
        kept_ = rows;
    }

private:
    const Painter* painter_;
    std::int64_t row_bytes_;
    ThreadPool& pool_;
    RowRange kept_;
    std::vector<std::byte> labels_;  // of the rows kept_
};

io::LabelVolume with_threads(io::LabelVolume file, int threads) {
    file.threads = threads;
    return file;
}

/// One volume while it is written.
class Target {
public:
    Target(const VolumeToWrite& volume, std::int64_t place, io::OutputFiles& outputs, int threads)
        : conversion(volume.conversion.get()),
          row_bytes(volume.file.like->extent.nx * size_of(volume.file.type)),
          own_(volume.series ? nullptr : std::make_unique<SeriesFile>(with_threads(volume.file, threads), outputs)),
          file_(own_ ? *own_ : *volume.series),
          first_(own_ ? 0 : place * file_.writer->blocks_per_volume()) {
        joined_ = dynamic_cast<const io::JoinsChunks*>(file_.writer.get());
        if (joined_ && volume.chunks && joined_->chunk_form() == volume.chunks->form) chunks_ = &*volume.chunks;
    }
    LabelConversion* const conversion;
    const std::int64_t row_bytes;
    std::int64_t next = 0;  // the first block of the volume that is not written

    std::int64_t blocks() const { return file_.writer->blocks_per_volume(); }
    RowRange rows_of(std::int64_t block) const { return file_.writer->rows_of(block); }

    /// Whether blocks are put together from stored chunks: join() must be called in place of write().
    bool joins() const { return chunks_; }

    /// @param block number in the volume
    void join(std::int64_t block) { append(block, joined_->join(first_ + block, chunks_->append)); }
    void write(std::int64_t block, std::span<const std::byte> raw) {
        io::LabelWriter& writer = *file_.writer;
        if (writer.stores_plain()) return writer.write_plain(first_ + block, raw);
        append(block, writer.encode(first_ + block, raw));
    }

    void fail() {
        file_.turnstile.fail();
        if (conversion) conversion->fail();
    }

    void finish() {
        if (own_) own_->writer->finish();
    }

private:
    void append(std::int64_t block, const io::EncodedBlock& encoded) {
        io::LabelWriter& writer = *file_.writer;
        if (writer.order_free()) return writer.append(first_ + block, encoded);
        if (!file_.turnstile.enter(first_ + block)) return;
        writer.append(first_ + block, encoded);
        file_.turnstile.pass();
    }

    const std::unique_ptr<SeriesFile> own_;  // null: the file holds several volumes
    SeriesFile& file_;
    const std::int64_t first_;                 // block of the volume in the file
    const io::JoinsChunks* joined_ = nullptr;  // file_.writer, if it stores compressed chunks
    const StoredChunks* chunks_ = nullptr;     // of the form of joined_
};

struct Block {
    Target* target;
    std::int64_t index;  // in the volume
    RowRange rows() const { return target->rows_of(index); }
};

class VolumesWriter {
public:
    VolumesWriter(const std::vector<VolumeToWrite>& volumes, const LabelsToWrite& labels, const WritingContext& context)
        : context_(context), extent_(volumes.front().file.like->extent), rows_(labels.painter, extent_, context.pool) {
        for (const VolumeToWrite& volume : volumes)
            targets_.push_back(std::make_unique<Target>(volume, labels.place, context.outputs, context.pool.size()));
    }

    void write(std::int64_t rows_per_slab) {
        for (std::int64_t first = 0; first < extent_.rows(); first += rows_per_slab)
            write_slab({first, std::min(rows_per_slab, extent_.rows() - first)});
        for (const auto& target : targets_) target->finish();
    }

private:
    void write_slab(RowRange slab) {
        const std::vector<Block> blocks = blocks_that_end_before(slab.end());
        context_.pool.for_each(std::int64_t(blocks.size()), [&](std::int64_t i) {
            try {
                write_block(blocks[std::size_t(i)]);
            } catch (...) {
                fail();
                throw;
            }
            context_.progress.update("write", blocks[std::size_t(i)].rows().end(), extent_.rows());
        });
        std::int64_t needed = slab.end();
        for (const auto& target : targets_)
            if (target->next < target->blocks()) needed = std::min(needed, target->rows_of(target->next).first);
        rows_.keep({needed, slab.end() - needed});
    }

    /// Takes the next blocks of all volumes up to a row, in the order of their ends. A block may then wait for blocks before it in the
    /// list.
    std::vector<Block> blocks_that_end_before(std::int64_t row) {
        std::vector<Block> blocks;
        for (const auto& target : targets_)
            for (; target->next < target->blocks() && target->rows_of(target->next).end() <= row; ++target->next)
                blocks.push_back({target.get(), target->next});
        std::ranges::stable_sort(blocks, {}, [](const Block& block) { return block.rows().end(); });
        return blocks;
    }

    void write_block(const Block& block) {
        thread_local std::vector<std::byte> raw, labels, read;
        if (block.target->joins()) return block.target->join(block.index);
        const RowRange rows = block.rows();
        LabelConversion* const conversion = block.target->conversion;
        raw.resize(std::size_t(rows.count * block.target->row_bytes));
        if (conversion) {
            if (!conversion->read(block.index, rows, read)) return;
            conversion->convert(rows_.paint(rows, extent_.nx, labels), read, raw.data());
        } else {
            rows_.paint(rows, raw.data());
        }
        block.target->write(block.index, raw);
    }

    /// Ends all blocks that wait.
    void fail() {
        for (const auto& target : targets_) target->fail();
    }

    const WritingContext context_;
    Extent extent_;
    LabelRows rows_;
    std::vector<std::unique_ptr<Target>> targets_;
};

/// The type of a volume as far as it is known before the labelling.
ScalarType expected_type(io::Content content, const LabelOptions& options, const io::VolumeInfo& image) {
    switch (content) {
        case io::Content::labels: return options.dtype.value_or(ScalarType::u32);
        case io::Content::values: return stored_values(image, path_of(content, options)).type;
        case io::Content::sizes: return ScalarType::u32;
        case io::Content::mask: return ScalarType::u8;
    }
    throw Error(ErrorKind::internal, "outputs", "an unknown content");
}

}  // namespace

ScalarType label_type_for(const LabelOptions& options, const std::string& path, std::uint64_t count) {
    if (!options.dtype) return io::smallest_label_type(path, count);
    if (count > largest_label(*options.dtype))
        throw ProgramError(ErrorKind::invalid_file, path,
                           std::to_string(count) + " labels do not fit into " + std::string(name_of(*options.dtype)),
                           "leave --dtype out, or use a wider type");
    return *options.dtype;
}

ScalarType painted_type(const WrittenVolumes& written, std::uint64_t count) {
    if (const auto labels = written.types.find(io::Content::labels); labels != written.types.end()) return labels->second;
    for (const ScalarType type : {ScalarType::u8, ScalarType::u16, ScalarType::u32})
        if (count < std::uint64_t{1} << 8 * size_of(type)) return type;
    return ScalarType::u64;
}

bool needs_whole_slabs(const LabelOptions& options) { return volume_paths(options).size() > 1; }

std::vector<std::uint64_t> sizes_of(const LabelledComponents& components, const Selection& selection) {
    std::vector<std::uint64_t> sizes{0};
    sizes.reserve(std::size_t(selection.count + 1));
    for (std::uint64_t label = 1; label <= selection.count; ++label)
        sizes.push_back(components.sums.voxels(std::size_t(selection.row_of(label))));
    return sizes;
}

void LargestNumbers::add(const LabelledComponents& components, const Selection& selection) {
    label = std::max(label, selection.count);
    for (std::uint64_t number = 1; number <= selection.count; ++number)
        size = std::max(size, components.sums.voxels(std::size_t(selection.row_of(number))));
}

io::LabelVolume description_of(io::Content content, const std::string& path, const io::VolumeInfo& like, const LargestNumbers& largest,
                               const LabelOptions& options) {
    io::LabelVolume file{.path = path, .type = ScalarType::u8, .like = &like, .compress = options.compress, .content = content};
    file.zarr = options.zarr;
    if (content == io::Content::mask) file.largest = 1;
    if (content == io::Content::labels) {
        file.type = label_type_for(options, path, largest.label);
        file.largest = largest.label;
        if (options.colour_table == LabelOptions::ColourTable::store && file.type == ScalarType::u8) file.colours = colour_table();
    }
    if (content == io::Content::sizes) {
        file.type = io::smallest_size_type(path, largest.size);
        file.largest = largest.size;
    }
    if (content == io::Content::values) {
        const StoredValues stored = stored_values(like, path);
        file.type = stored.type;
        file.scaling = stored.scaling;
    }
    return file;
}

void write_volumes(const std::vector<VolumeToWrite>& volumes, const LabelsToWrite& labels, const WritingContext& context) {
    if (volumes.empty()) return;
    VolumesWriter(volumes, labels, context).write(labels.rows_per_slab);
}

std::int64_t volume_writing_bytes(const LabelOptions& options, const io::VolumeReader& image, int threads, std::int64_t rows_per_slab) {
    const io::VolumeInfo& info = image.info();
    const std::int64_t label_bytes = size_of(expected_type(io::Content::labels, options, info));
    std::int64_t raw = 0, labels = 0, read = 0, most_voxels = 0;  // raw, labels, read: of a thread, which keeps the largest buffers
    const VolumePaths paths = volume_paths(options);
    for (const auto& [content, path] : paths) {
        const ScalarType type = expected_type(content, options, info);
        const std::int64_t bytes = io::label_block_bytes({path, type, &info, options.compress, content}), voxels = bytes / size_of(type);
        raw = std::max(raw, 2 * bytes);  // also compressed
        most_voxels = std::max(most_voxels, voxels);
        if (content == io::Content::labels) continue;
        labels = std::max(labels, voxels * label_bytes);
        if (content == io::Content::values) read = voxels * (size_of(info.type) + 1);  // and the mask of the values
    }
    std::int64_t bytes = threads * (raw + labels + read);
    if (rows_per_slab > 0 && needs_whole_slabs(options)) bytes += most_voxels * label_bytes;  // kept for later blocks
    if (paths.contains(io::Content::values)) bytes += bytes_per_row_buffer(image);
    return bytes;
}

}  // namespace voxcc
