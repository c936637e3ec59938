// Targets for gzip files, for the deflate encoder and for the filters of HDF5.
#include "io/deflate.h"
#include "io/gzip.h"
#include "io/hdf5/hdf5_filters.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets/targets.h"

#include <libdeflate.h>
#include <algorithm>
#include <memory>
#include <vector>

namespace voxcc::fuzz {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::size_t most_raw = 1 << 22;

// @return the decompressed file; empty if it is longer than most_raw
Bytes read_gzip(const std::string& path, std::size_t window, std::size_t step, const io::InflateThreads& threads = {}) {
    const io::InputFile file(path);
    io::GzipReader reader(file, window, threads);
    Bytes raw;
    for (std::size_t n = 1; n > 0;) {
        const std::size_t size = raw.size();
        if (size > most_raw) return {};
        raw.resize(size + step);
        n = reader.read_some(std::span(raw).subspan(size));
        raw.resize(size + n);
    }
    return raw;
}

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

}  // namespace

void run_gzip(Input input) {
    const std::string path = put_scratch("x.gz", input);
    const io::InflateThreads threads{.count = 2, .least_count = 2, .least_file_bytes = 0, .chunk_bytes = 256};
    Bytes raw, by_threads;
    const bool accepted = accepts([&] { raw = read_gzip(path, 1 << 13, 1 << 14); });
    if (accepts([&] { by_threads = read_gzip(path, 1 << 13, 1 << 14, threads); }) != accepted || by_threads != raw)
        fault("threads give another result");
    if (!accepted || raw.empty()) return;
    accepts([&] {
        if (read_gzip(path, 64, 1000) != raw) fault("a small window gives other bytes");
        io::PlainOrGzipFile file(path);
        Bytes again(raw.size() / 2);
        file.read(std::int64_t(raw.size() - again.size()), again);
        if (!std::equal(again.begin(), again.end(), raw.end() - std::ptrdiff_t(again.size()))) fault("an offset gives other bytes");
        file.verify_rest();
    });
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

}  // namespace voxcc::fuzz
