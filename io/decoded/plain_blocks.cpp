#include "io/decoded/plain_blocks.h"

namespace voxcc::io {

void PlainBlocks::write(std::int64_t block, std::span<const std::byte> raw) {
    const std::int64_t blocks_per_volume = (sizes_.volume + sizes_.block - 1) / sizes_.block;
    const std::int64_t offset = begin_ + block / blocks_per_volume * sizes_.volume + block % blocks_per_volume * sizes_.block;
    file_.write_at(offset, raw);
    file_.start_transfer(offset, std::int64_t(raw.size()));
    written_ += std::int64_t(raw.size());
}

void PlainBlocks::finish() const {
    const std::int64_t bytes = sizes_.volumes * sizes_.volume;
    if (written_ != bytes) throw Error(ErrorKind::internal, file_.target(), "finished before its last block");
    file_.require_length(begin_ + bytes);
}

}  // namespace voxcc::io
