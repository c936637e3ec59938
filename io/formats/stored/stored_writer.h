// The common part of the NRRD, MetaImage and NumPy writers: labels as one contiguous range of bytes after a header, raw or deflate.
#pragma once
#include "io/codecs/gzip/gzip.h"
#include "io/decoded/plain_blocks.h"
#include "io/files/checked_file.h"
#include "io/io.h"

namespace voxcc::io {

enum class Wrapping { raw, gzip, zlib };

class StoredWriter : public LabelWriter {
public:
    EncodedBlock encode(std::int64_t block, std::span<const std::byte> raw) const override;
    void append(std::int64_t block, const EncodedBlock& encoded) override;
    bool stores_plain() const override { return plain_ != nullptr; }
    void write_plain(std::int64_t block, std::span<const std::byte> raw) override;
    /// Ends the labels and closes the file. A format whose header depends on the labels must override this function.
    void finish() override;

protected:
    /// @param file must outlive the writer
    StoredWriter(const LabelVolume& volume, OutputFile& file, Wrapping wrapping);
    /// Must be called once before the first block, when the header is written. The labels start at the position() of the file.
    void begin_labels();
    /// Writes the end of the stream and checks the length of the file. @return stored bytes of the labels. @throw Error io_error
    std::int64_t end_labels();
    OutputFile& file() { return file_; }

private:
    OutputFile& file_;
    Wrapping wrapping_;
    int level_;
    std::int64_t row_bytes_;
    std::int64_t begin_ = 0, next_block_ = 0;
    std::unique_ptr<PlainBlocks> plain_;        // raw only, and not for a stream
    std::unique_ptr<GzipMemberWriter> member_;  // gzip only
    std::uint32_t adler_ = 1;                   // zlib only: checksum of all appended labels
};

/// @return numbers with a separator
// numbers = [1, 0.5, 2], separator = " "  ->  "1 0.5 2"
std::string joined(std::span<const double> numbers, std::string_view separator);

/// @return 2 for a single slice without a usable affine, else 3
int dimensions_to_write(const VolumeInfo& like);

}  // namespace voxcc::io
