// A picture in compressed form, so that the pictures of many volumes fit into memory.
#pragma once
#include "io/png_writer.h"

namespace voxcc::preview {

class PackedPicture {
public:
    /// @throw std::bad_alloc
    explicit PackedPicture(const io::Picture& picture);
    io::Picture unpacked() const;
    std::size_t bytes() const { return bytes_.size(); }

private:
    std::int64_t width_, height_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace voxcc::preview
