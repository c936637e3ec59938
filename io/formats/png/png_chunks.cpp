#include "io/formats/png/png_chunks.h"

#include "io/binary_numbers.h"

#include <zlib.h>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

// https://www.w3.org/TR/png-3/#5DataRep
//   signature | IHDR | other chunks, PLTE | IDAT IDAT ... | other chunks | IEND
//   chunk: length (4 bytes) | name (4 letters) | content | CRC of name and content (4 bytes)

namespace voxcc::io {
namespace {

constexpr std::int64_t signature_bytes = 8, bytes_around = 12;  // bytes_around: of a chunk beside its content

struct Chunk {
    std::string name;
    std::vector<std::byte> content;
};

std::int64_t number(std::span<const std::byte> bytes, std::size_t offset) {
    return std::int64_t(number_at<std::uint32_t>(bytes, offset, std::endian::big));
}

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

Chunk read_chunk(const InputFile& file, std::int64_t at) {
    std::array<std::byte, 8> start{};
    file.read(at, start);
    const std::int64_t length = number(start, 0);
    if (at + bytes_around + length > file.size()) throw Error(ErrorKind::truncated_file, file.path(), "its last chunk is not complete");
    Chunk chunk{std::string(reinterpret_cast<const char*>(start.data()) + 4, 4), {}};
    if (!std::ranges::all_of(chunk.name, is_letter))
        throw Error(ErrorKind::corrupt_file, file.path(), "a chunk has a name that does not consist of letters");
    std::vector<std::byte> bytes(std::size_t(length) + 8);  // name, content, CRC
    file.read(at + 4, bytes);
    const std::size_t checked = bytes.size() - 4;
    if (std::int64_t(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), checked)) != number(bytes, checked))
        throw Error(ErrorKind::corrupt_file, file.path(), "the CRC of a chunk is wrong (" + chunk.name + ")");
    chunk.content.assign(bytes.begin() + 4, bytes.begin() + std::ptrdiff_t(checked));
    return chunk;
}

enum ColourType : std::uint8_t { grey = 0, colours = 2, palette = 3, grey_alpha = 4, colours_alpha = 6 };

bool is_depth_of(int depth, int type) {
    switch (type) {
        case grey: return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
        case palette: return depth == 1 || depth == 2 || depth == 4 || depth == 8;
        case colours:
        case grey_alpha:
        case colours_alpha: return depth == 8 || depth == 16;
        default: return false;
    }
}

/// The order of the chunks and the content of IHDR and PLTE.
class Walk {
public:
    explicit Walk(const std::string& path) : path_(path) {}
    void add(const Chunk& chunk) {
        const bool is_first = count_++ == 0;
        if (is_first != (chunk.name == "IHDR")) refuse(is_first ? "its first chunk is not IHDR" : "it has more than one chunk IHDR");
        if (is_first) return check_header(chunk.content);
        const bool is_data = chunk.name == "IDAT";
        if (is_data && has_data_ && !after_data_) return;
        if (is_data && after_data_) refuse("other chunks are between its chunks IDAT");
        if (is_data && colour_type_ == palette && !has_palette_) refuse("it has no chunk PLTE before IDAT");
        if (chunk.name == "PLTE") check_palette(chunk.content);
        after_data_ = has_data_ && !is_data;
        has_data_ = has_data_ || is_data;
        if (chunk.name == "IEND" && !has_data_) refuse("it has no chunk IDAT");
        if (chunk.name == "IEND" && !chunk.content.empty()) refuse("its chunk IEND has content");
        const bool is_known = is_data || chunk.name == "PLTE" || chunk.name == "IEND";
        const bool is_critical = chunk.name[0] >= 'A' && chunk.name[0] <= 'Z';
        if (is_critical && !is_known)
            throw Error(ErrorKind::unsupported_file, path_, "has a chunk " + chunk.name + ", which a reader must know");
    }

private:
    [[noreturn]] void refuse(const std::string& cause) const { throw Error(ErrorKind::corrupt_file, path_, cause); }

    void check_header(std::span<const std::byte> header) {
        constexpr std::size_t header_bytes = 13;
        constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
        if (header.size() != header_bytes) refuse("its chunk IHDR does not have 13 bytes");
        const std::int64_t width = number(header, 0), height = number(header, 4);
        if (width < 1 || height < 1 || width > most || height > most)
            refuse("its chunk IHDR states " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
        const int depth = int(header[8]);
        colour_type_ = int(header[9]);
        if (!is_depth_of(depth, colour_type_))
            refuse("its chunk IHDR states " + std::to_string(depth) + " bits of the colour type " + std::to_string(colour_type_));
        if (int(header[10]) != 0 || int(header[11]) != 0 || int(header[12]) > 1)
            refuse("its chunk IHDR states a compression, a filter or an interlacing that PNG does not have");
    }
    void check_palette(std::span<const std::byte> colours_of_palette) {
        constexpr std::size_t bytes_per_colour = 3, most_colours = 256;
        const std::size_t size = colours_of_palette.size();
        if (has_palette_ || has_data_) refuse("its chunk PLTE is not once before IDAT");
        if (size == 0 || size % bytes_per_colour != 0 || size > bytes_per_colour * most_colours)
            refuse("its chunk PLTE does not have 1 to 256 colours");
        has_palette_ = true;
    }

    const std::string& path_;
    int count_ = 0, colour_type_ = 0;
    bool has_palette_ = false, has_data_ = false, after_data_ = false;
};

}  // namespace

void check_png_chunks(const InputFile& file) {
    Walk walk(file.path());
    for (std::int64_t at = signature_bytes;;) {
        const Chunk chunk = read_chunk(file, at);
        walk.add(chunk);
        if (chunk.name == "IEND") return;
        at += bytes_around + std::int64_t(chunk.content.size());
    }
}

}  // namespace voxcc::io
