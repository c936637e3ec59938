#include "tests/fuzz/mutators/zlib_bytes.h"

#include "tests/fuzz/mutators/mutators.h"

#include <libdeflate.h>
#include <array>
#include <memory>

namespace voxcc::fuzz {
namespace {

struct Free {
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
    void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};

}  // namespace

std::vector<std::uint8_t> unpacked(Input packed, Wrapper wrapper) {
    static const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
    static std::vector<std::uint8_t> raw(most_unpacked);
    std::size_t size = 0;
    const auto decompress = wrapper == Wrapper::gzip ? libdeflate_gzip_decompress : libdeflate_zlib_decompress;
    if (decompress(decompressor.get(), packed.data(), packed.size(), raw.data(), raw.size(), &size) != LIBDEFLATE_SUCCESS) size = 0;
    return {raw.begin(), raw.begin() + std::ptrdiff_t(size)};
}

std::vector<std::uint8_t> packed(Input raw, Wrapper wrapper, int level) {
    static std::array<std::unique_ptr<libdeflate_compressor, Free>, 10> compressors;
    auto& compressor = compressors[std::size_t(level)];
    if (!compressor) compressor.reset(libdeflate_alloc_compressor(level));
    const bool gzip = wrapper == Wrapper::gzip;
    std::vector<std::uint8_t> to((gzip ? libdeflate_gzip_compress_bound : libdeflate_zlib_compress_bound)(compressor.get(), raw.size()));
    to.resize((gzip ? libdeflate_gzip_compress : libdeflate_zlib_compress)(compressor.get(), raw.data(), raw.size(), to.data(), to.size()));
    return to;
}

std::vector<std::uint8_t> with_changed_content(Input input, Wrapper wrapper, int level, unsigned seed) {
    std::vector<std::uint8_t> raw = unpacked(input, wrapper);
    if (raw.empty()) return {};
    const std::size_t size = raw.size(), most = size + 64;
    raw.resize(most);
    raw.resize(mutate_fields(raw.data(), size, most, seed));
    return packed(raw, wrapper, level);
}

}  // namespace voxcc::fuzz
