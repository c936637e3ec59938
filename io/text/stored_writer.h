// What the NRRD and MetaImage writers share: labels as one run of bytes behind a text header, raw or as one deflate stream.
#pragma once
#include "io/checked_file.h"
#include "io/gzip.h"
#include "io/io.h"

namespace voxcc::io {

enum class Wrapping { raw, gzip, zlib };

class StoredWriter : public LabelWriter {
public:
    EncodedBlock encode(std::int64_t block, std::span<const std::byte> raw) const override;
    void append(std::int64_t block, const EncodedBlock& encoded) override;

protected:
    /// @param file where the stream begins at its position() when the first block is appended
    StoredWriter(const LabelVolume& volume, OutputFile& file, Wrapping wrapping);
    /// Writes the end of the stream and compares the file's length with what was written. @return bytes of the stream as stored
    std::int64_t end_stream();
    OutputFile& file() { return file_; }

private:
    void begin_stream();
    OutputFile& file_;
    Wrapping wrapping_;
    int level_;
    std::int64_t begin_ = 0, next_block_ = 0;
    std::unique_ptr<GzipMemberWriter> member_;  // gzip only
    std::uint32_t adler_ = 1;                   // zlib only: of all labels so far
};

/// Numbers as the headers want them: "1 0.5 2".
std::string joined(std::span<const double> numbers, std::string_view separator);

/// 2 for an image of one slice that lies nowhere in space, else 3.
int dimensions_to_write(const VolumeInfo& like);

/// The geometry to write; without an affine that other programs would refuse (NaN, steps in a plane).
Geometry geometry_to_write(const VolumeInfo& like);

}  // namespace voxcc::io
