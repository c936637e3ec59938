#include "io/formats/stored/stored_reader.h"

#include "io/files/pipe_input.h"
#include "io/formats/stored/interleaved_reader.h"
#include "io/formats/stored/stored_bytes.h"
#include "io/kept_files.h"
#include "io/samples.h"
#include "io/shared_by_formats.h"

#include <algorithm>

namespace voxcc::io {
namespace {

/// How the samples of a volume are stored, and their conversion to voxels.
class StoredSamples {
public:
    explicit StoredSamples(const StoredVolume& volume)
        : order_(volume.byte_order), samples_(volume.samples), bytes_(bytes_per_sample(volume)) {}
    std::int64_t bytes() const { return bytes_; }  // per sample
    /// Converts samples in place. @param to the stored samples; must have room for all voxels. @param count of samples
    void to_voxels(std::byte* to, std::int64_t count) const {
        const std::span stored(to, std::size_t(count * bytes_));
        if (order_ != std::endian::native) swap_samples(stored, bytes_);
        if (samples_ == Samples::halves) halves_to_floats(stored, to);
    }

private:
    std::endian order_;
    Samples samples_;
    std::int64_t bytes_;
};

/// Voxels without compression. read_rows() is thread-safe.
class PlainReader : public VolumeReader {
public:
    PlainReader(StoredVolume volume, std::int64_t index) : file_(volume.data_path, volume.source), samples_(volume) {
        info_ = std::move(volume.info);
        row_bytes_ = info_.extent.nx * samples_.bytes();
        start_ = volume.offset + volume.lead + index * row_bytes_ * info_.extent.rows();
        end_ = volume.offset + volume.lead + info_.volumes * row_bytes_ * info_.extent.rows();
    }
    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t offset = start_ + rows.first * row_bytes_;
        file_.read(offset, {to, std::size_t(rows.count * row_bytes_)});
        samples_.to_voxels(to, rows.count * info_.extent.nx);
        if (file_.is_pipe() && rows.end() == info_.extent.rows()) check_end(offset + rows.count * row_bytes_);
    }
    // check_length() has compared the length of a file.
    bool reads_anywhere() const override { return !file_.is_pipe(); }
    void rewind() override {}
    void read_once() override { file_.pass_once(); }

private:
    void check_end(std::int64_t last) {
        pipe_->end_at(end_);
        const std::int64_t bytes = last + file_.drain(last);
        if (bytes < end_)
            throw Error(ErrorKind::truncated_file, info_.path, "expected " + std::to_string(end_) + " bytes, got " + std::to_string(bytes));
        if (bytes > end_ && !end_checked_) info_.warnings.push_back(ignored_bytes(bytes - end_, "the voxels"));
        end_checked_ = true;
    }

    InputFile file_;
    const std::shared_ptr<PipeInput> pipe_ = file_.is_pipe() ? PipeInput::of(file_.path()) : nullptr;
    StoredSamples samples_;
    std::int64_t row_bytes_ = 0;        // of stored samples
    std::int64_t start_ = 0, end_ = 0;  // byte offsets of the volume, and after the last volume
    bool end_checked_ = false;
};

/// Voxels that must be decoded in order.
class DecodingReader : public VolumeReader {
public:
    DecodingReader(StoredVolume volume, std::int64_t index, const std::shared_ptr<KeptFiles>& kept)
        : samples_(volume), source_(stored_bytes(volume)) {
        info_ = std::move(volume.info);
        row_bytes_ = info_.extent.nx * samples_.bytes();
        before_ = volume.lead + index * row_bytes_ * info_.extent.rows();
        after_ = (info_.volumes - 1 - index) * row_bytes_ * info_.extent.rows();
        if (info_.volumes > 1) kept_ = kept;
        if (kept_) source_ = kept_->decoders.take(std::move(source_), before_);
    }
    ~DecodingReader() override {
        if (kept_) kept_->decoders.keep(std::move(source_));
    }
    DecodingReader(const DecodingReader&) = delete;
    DecodingReader& operator=(const DecodingReader&) = delete;

    void read_rows(RowRange rows, std::byte* to) override {
        if (rows.first != next_row_) throw Error(ErrorKind::internal, info_.path, "rows were not asked for in order");
        if (rows.first == 0) source_->skip(before_ - source_->position());
        source_->read({to, std::size_t(rows.count * row_bytes_)});
        samples_.to_voxels(to, rows.count * info_.extent.nx);
        next_row_ = rows.end();
        if (next_row_ < info_.extent.rows()) return;
        if (kept_ && after_ > 0) return;  // a later reader, or KeptDecoders::verify_rest(), decodes the rest
        source_->skip(after_);
        const std::int64_t left = source_->finish();
        if (left > 0 && !end_checked_) info_.warnings.push_back(ignored_bytes(left, "the voxels"));
        end_checked_ = true;
    }
    void read_once() override { source_->pass_once(); }
    void rewind() override {
        if (kept_) source_ = kept_->decoders.exchange(std::move(source_), before_);
        if (source_->position() > before_) source_->rewind();
        next_row_ = 0;
    }

private:
    StoredSamples samples_;
    std::unique_ptr<StoredBytes> source_;
    std::shared_ptr<KeptFiles> kept_;  // null if there is nothing to keep
    bool end_checked_ = false;
    std::int64_t row_bytes_ = 0, before_ = 0, after_ = 0, next_row_ = 0;
};

/// Voxels in several files, one of which is open at a time.
class PiecesReader : public VolumeReader {
public:
    PiecesReader(StoredVolume volume, std::int64_t index) : pieces_(std::move(volume.pieces)) {
        info_ = std::move(volume.info);
        rows_per_piece_ = pieces_.front().info.extent.rows();
        first_row_ = index * info_.extent.rows();
    }
    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t row_bytes = info_.extent.nx * size_of(info_.type);
        while (rows.count > 0) {
            const std::int64_t row = first_row_ + rows.first;
            open(row / rows_per_piece_);
            skip_to(row % rows_per_piece_);
            const std::int64_t count = std::min(rows.count, rows_per_piece_ - next_row_);
            read_piece(count, to);
            to += count * row_bytes;
            rows = {rows.first + count, rows.count - count};
            if (rows.first == info_.extent.rows()) skip_to(rows_per_piece_);  // checks the end of the file
        }
    }
    void rewind() override { open_ = -1; }

private:
    void open(std::int64_t piece) {
        if (piece == open_) return;
        reader_ = open_stored(pieces_[std::size_t(piece)], {});
        open_ = piece;
        next_row_ = 0;
    }
    void read_piece(std::int64_t count, std::byte* to) {
        reader_->read_rows({next_row_, count}, to);
        next_row_ += count;
        const VolumeInfo& piece = reader_->info();
        if (next_row_ < rows_per_piece_ || warned_ || piece.warnings.size() == pieces_[std::size_t(open_)].info.warnings.size()) return;
        info_.warnings.push_back(piece.path + ": " + piece.warnings.back());  // found at the end of the file
        warned_ = true;
    }
    void skip_to(std::int64_t row) {
        std::vector<std::byte> unused(next_row_ < row ? std::size_t(info_.extent.nx * size_of(info_.type)) : 0);
        while (next_row_ < row) read_piece(1, unused.data());
    }

    std::vector<StoredVolume> pieces_;
    std::unique_ptr<VolumeReader> reader_;
    std::int64_t rows_per_piece_ = 0, first_row_ = 0;  // first_row_: of the volume, counted over all pieces
    std::int64_t open_ = -1, next_row_ = 0;            // the open piece, and its next row
    bool warned_ = false;
};

}  // namespace

std::unique_ptr<VolumeReader> open_stored(StoredVolume volume, const OpenOptions& options) {
    const std::int64_t index = chosen_volume(volume.info, options);
    if (volume.interleaving) return open_interleaved(std::move(volume), index);
    if (!volume.pieces.empty()) return std::make_unique<PiecesReader>(std::move(volume), index);
    if (volume.encoding == Encoding::raw) return std::make_unique<PlainReader>(std::move(volume), index);
    return std::make_unique<DecodingReader>(std::move(volume), index, options.kept);
}

}  // namespace voxcc::io
