// Targets for the deflate encoder and for the filters of HDF5.
#include "io/codecs/deflate/deflate.h"
#include "io/formats/hdf5/hdf5_filters.h"
#include "tests/fuzz/registry.h"

#include <libdeflate.h>
#include <algorithm>
#include <memory>
#include <vector>

namespace voxcc::fuzz {
namespace {

using Bytes = std::vector<std::byte>;

struct FreeDecompressor {
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

// @return whether libdeflate decompresses `packed` to exactly `raw`
bool inflates_to(std::span<const std::byte> packed, std::span<const std::byte> raw) {
    static const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(libdeflate_alloc_decompressor());
    Bytes got(raw.size() + 1);
    std::size_t size = 0;
    return libdeflate_deflate_decompress(decompressor.get(), packed.data(), packed.size(), got.data(), got.size(), &size) ==
               LIBDEFLATE_SUCCESS &&
           size == raw.size() && std::equal(raw.begin(), raw.end(), got.begin());
}

void run_deflate(Input input) {
    static io::DeflateEncoder encoder;
    accepts([&] {
        const auto raw = std::as_bytes(input);
        Bytes packed(io::DeflateEncoder::room_for(raw.size()));
        packed.resize(encoder.encode(raw, packed));
        for (const int last : {0x03, 0x00}) packed.push_back(std::byte(last));  // an empty final block
        if (!inflates_to(packed, raw)) fault("the encoded bytes do not decode to the original");
    });
}

/// The first bytes choose the filters, the bytes that were skipped and the size of the chunk; the rest is the stored chunk.
void run_hdf5_filters(Input input) {
    constexpr std::size_t head = 8;
    if (input.size() < head) return;
    constexpr std::array<int, 4> ids{1, 2, 3, 32000};
    std::vector<io::hdf5::Filter> filters;
    for (unsigned i = 0; i < input[0] % 5u; ++i) filters.push_back({ids[input[1] >> 2 * i & 3], {unsigned(input[2] >> 4 & 15)}});
    const std::uint32_t skipped = input[2] & 15u;
    Bytes chunk(1 + (std::size_t(input[3]) << 8 | input[4]));
    Bytes stored(std::as_bytes(input.subspan(head)).begin(), std::as_bytes(input.subspan(head)).end());
    accepts([&] {
        const io::hdf5::Pipeline pipeline("x.h5", "/v", filters);
        if (pipeline.most_bytes(std::int64_t(stored.size())) < std::int64_t(chunk.size())) return;
        pipeline.undo(stored, skipped, chunk);
    });
}

const Registered deflate({.name = "deflate", .run = run_deflate, .longest = 4096});
const Registered hdf5_filters({.name = "hdf5_filters", .run = run_hdf5_filters, .longest = 2048});

}  // namespace
}  // namespace voxcc::fuzz
