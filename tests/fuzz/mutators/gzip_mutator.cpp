#include "tests/fuzz/mutators/bytes.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"
#include "tests/fuzz/mutators/zlib_bytes.h"

#include <zlib.h>

namespace voxcc::fuzz {
namespace {

constexpr std::size_t plain_header = 10, trailer = 8;

// Writes the CRC and the length after the deflate stream, if the stream has an end and the header has no optional fields.
void correct_trailer(FileBytes& file) {
    if (file.size() < plain_header + trailer || file.bytes[3] != 0) return;
    static std::vector<std::uint8_t> raw(most_unpacked);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return;
    stream.next_in = file.bytes.data() + plain_header, stream.avail_in = uInt(file.size() - plain_header);
    stream.next_out = raw.data(), stream.avail_out = uInt(raw.size());
    const bool ended = inflate(&stream, Z_FINISH) == Z_STREAM_END;
    const std::size_t used = stream.total_in, size = stream.total_out;
    inflateEnd(&stream);
    if (!ended) return;
    file.bytes.resize(plain_header + used + trailer);
    file.put(plain_header + used, 4, crc32(0, raw.data(), uInt(size)));
    file.put(plain_header + used + 4, 4, size);
}

}  // namespace

std::size_t mutate_gzip(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    if (!choices.one_in(4)) {
        const auto changed = with_changed_content({data, size}, Wrapper::gzip, int(choices.below(10)), unsigned(choices.below(1u << 31)));
        if (!changed.empty() && changed.size() <= most) return FileBytes(changed.data(), changed.size()).store(data, most);
    }
    FileBytes file(data, mutate_bytes(data, size, most));
    if (choices.one_in(2)) correct_trailer(file);
    return file.store(data, most);
}

}  // namespace voxcc::fuzz
