#include "io/plain_blocks.h"

namespace voxcc::io {

void PlainBlocks::write(std::int64_t block, std::span<const std::byte> raw) {
    const std::int64_t offset = begin_ + block * bytes_per_block_;
    file_.write_at(offset, raw);
    file_.start_transfer(offset, std::int64_t(raw.size()));
    written_ += std::int64_t(raw.size());
}

void PlainBlocks::finish() const {
    if (written_ != bytes_) throw Error(ErrorKind::internal, file_.target(), "finished before its last block");
    file_.require_length(begin_ + bytes_);
}

}  // namespace voxcc::io
