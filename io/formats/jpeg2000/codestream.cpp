#include "io/formats/jpeg2000/codestream.h"

#include "io/formats/jpeg2000/big_endian.h"

#include <algorithm>

namespace voxcc::io {
namespace {

enum Marker : std::uint16_t {
    soc = 0xff4f,
    cap = 0xff50,
    image_size = 0xff51,
    cod = 0xff52,
    coc = 0xff53,
    tlm = 0xff55,
    plm = 0xff57,
    cpf = 0xff59,
    qcd = 0xff5c,
    qcc = 0xff5d,
    rgn = 0xff5e,
    poc = 0xff5f,
    ppm = 0xff60,
    crg = 0xff63,
    com = 0xff64,
    sot = 0xff90,
    eoc = 0xffd9
};

// Markers of the main header that do not need part 2 of the standard. Part 2 changes how values are computed.
constexpr bool is_supported(std::uint16_t marker) {
    constexpr std::array all{cap, cod, coc, tlm, plm, cpf, qcd, qcc, rgn, poc, ppm, crg, com};
    return std::ranges::find(all, marker) != all.end();
}

std::string hexadecimal(std::uint16_t marker) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "0x";
    for (int shift = 12; shift >= 0; shift -= 4) text += digits[marker >> shift & 15];
    return text;
}

/// Walks over the markers of a codestream.
class Walk {
public:
    Walk(const InputFile& file, ByteRange bytes) : file_(file) { found_.bytes = bytes; }
    Codestream result() {
        if (find_marker(at(0)) != soc || find_marker(at(2)) != image_size) throw invalid("does not start with the size of the image");
        read_size(at(2));
        check_length();
        read_main_header();
        while (find_marker(at_) == sot) read_tile_part();
        if (find_marker(at_) != eoc) throw truncated("ends without end marker");
        check_tiles();
        found_.unused_bytes = found_.bytes.end - (at_ + 2);
        found_.bytes.end = at_ + 2;
        return std::move(found_);
    }

private:
    std::int64_t at(std::int64_t offset) const { return found_.bytes.begin + offset; }
    Error invalid(const std::string& cause) const { return {ErrorKind::invalid_file, file_.path(), cause}; }
    Error truncated(const std::string& cause) const { return {ErrorKind::truncated_file, file_.path(), cause}; }
    Error unsupported(const std::string& cause) const { return {ErrorKind::unsupported_file, file_.path(), cause}; }
    template <class T>
    T number(std::int64_t offset) const {
        if (offset + std::int64_t(sizeof(T)) > found_.bytes.end) throw truncated("its codestream is not complete");
        return big_endian_at<T>(file_, offset);
    }
    std::uint16_t find_marker(std::int64_t offset) const { return number<std::uint16_t>(offset); }

    void read_size(std::int64_t marker) {
        const auto coordinate = [&](int index) { return std::int64_t(number<std::uint32_t>(marker + 6 + 4 * index)); };
        const std::int64_t right = coordinate(0), bottom = coordinate(1), left = coordinate(2), top = coordinate(3);
        const std::int64_t tile_nx = coordinate(4), tile_ny = coordinate(5), tile_left = coordinate(6), tile_top = coordinate(7);
        const auto components = number<std::uint16_t>(marker + 38);
        if (number<std::uint16_t>(marker + 2) != 38 + 3 * components || components == 0) throw invalid("the marker of its size is wrong");
        found_.extent = {right - left, bottom - top, 1};
        const bool has_tiles =
            tile_nx > 0 && tile_ny > 0 && tile_left <= left && tile_top <= top && tile_left + tile_nx > left && tile_top + tile_ny > top;
        if (!has_tiles) throw invalid("its tiles do not cover the image");
        for (std::int64_t i = 0; i < components; ++i) read_component(i, marker + 40 + 3 * i);
        checked_bytes({found_.extent.nx, found_.extent.ny, components}, 4, file_.path());
        const std::int64_t tiles = ((right - tile_left + tile_nx - 1) / tile_nx) * ((bottom - tile_top + tile_ny - 1) / tile_ny);
        constexpr std::int64_t most_tiles = 65535;
        if (tiles > most_tiles) throw invalid("has " + std::to_string(tiles) + " tiles; at most 65535 are allowed");
        tiles_.resize(std::size_t(tiles));
        at_ = marker + 2 + number<std::uint16_t>(marker + 2);
    }

    void read_component(std::int64_t index, std::int64_t offset) {
        constexpr unsigned sign = 0x80;
        const auto depth = number<std::uint8_t>(offset);
        const Jpeg2000Samples samples{int(depth & ~sign) + 1, (depth & sign) != 0};
        constexpr int most_bits = 24;  // OpenJPEG 2.5 does not restore samples of more bits
        if (samples.bits > most_bits) throw unsupported("has samples of " + std::to_string(samples.bits) + " bits; up to 24 are read");
        if (number<std::uint8_t>(offset + 1) != 1 || number<std::uint8_t>(offset + 2) != 1)
            throw unsupported("component " + std::to_string(index) + " has fewer samples than the image has pixels (subsampling)");
        found_.components.push_back(samples);
    }

    // An image with one value needs few bytes, so a ratio is checked only for images that need much memory.
    void check_length() const {
        constexpr std::int64_t harmless = std::int64_t{1} << 30, most_per_byte = 1 << 16;
        if ((found_.decoded_bytes() - harmless) / most_per_byte > found_.bytes.size())
            throw Error(ErrorKind::wrong_size, file_.path(),
                        "the header claims " + std::to_string(found_.extent.nx) + " x " + std::to_string(found_.extent.ny) +
                            " pixels, and the file has only " + std::to_string(found_.bytes.size()) + " bytes of compressed data");
    }

    void read_main_header() {
        constexpr std::int64_t transformation = 13;
        for (std::uint16_t marker = find_marker(at_); marker != sot; marker = find_marker(at_)) {
            if (!is_supported(marker))
                throw unsupported("has the marker " + hexadecimal(marker) + ", which is not of part 1 or 15 of the standard");
            if (marker == cod) found_.is_lossless = number<std::uint8_t>(at_ + transformation) == 1;
            const auto length = number<std::uint16_t>(at_ + 2);
            if (length < 2) throw invalid("has a marker of " + std::to_string(length) + " bytes");
            at_ += 2 + length;
        }
    }

    struct Tile {
        int parts = 0, announced = 0;  // announced: 0 if no tile-part states it
    };

    void read_tile_part() {
        constexpr std::int64_t least = 14;  // SOT and SOD
        const auto tile = number<std::uint16_t>(at_ + 4);
        auto length = std::int64_t(number<std::uint32_t>(at_ + 6));
        const auto part = number<std::uint8_t>(at_ + 10);
        if (length == 0) length = found_.bytes.end - 2 - at_;  // the last tile-part: up to EOC
        if (number<std::uint16_t>(at_ + 2) != 10 || length < least || tile >= tiles_.size()) throw invalid("the header of a tile is wrong");
        if (length > found_.bytes.end - at_) throw truncated("tile " + std::to_string(tile) + " exceeds the file");
        Tile& of = tiles_[tile];
        if (part != of.parts)
            throw Error(ErrorKind::corrupt_file, file_.path(),
                        "part " + std::to_string(of.parts) + " of tile " + std::to_string(tile) + " is missing");
        ++of.parts;
        of.announced = std::max(of.announced, int(number<std::uint8_t>(at_ + 11)));
        found_.tile_parts.push_back({tile, {at_, at_ + length}});
        at_ += length;
    }

    void check_tiles() const {
        for (std::size_t i = 0; i < tiles_.size(); ++i)
            if (tiles_[i].parts == 0 || tiles_[i].parts < tiles_[i].announced)
                throw truncated("tile " + std::to_string(i) + " is missing or not complete");
    }

    const InputFile& file_;
    Codestream found_;
    std::int64_t at_ = 0;  // of the next marker
    std::vector<Tile> tiles_;
};

}  // namespace

Codestream read_codestream(const InputFile& file, ByteRange bytes) { return Walk(file, bytes).result(); }

}  // namespace voxcc::io
