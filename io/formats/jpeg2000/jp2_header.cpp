#include "io/formats/jpeg2000/jp2_header.h"

#include "io/formats/jpeg2000/big_endian.h"

#include <algorithm>

namespace voxcc::io {
namespace {

/// How the palette makes the channels of the image.
struct Palette {
    std::int64_t columns = 0;   // of the palette; 0: none
    std::int64_t channels = 0;  // of the image, as the component mapping states; 0: no such box
};

/// Reads the boxes of the header in their order.
class HeaderBoxes {
public:
    explicit HeaderBoxes(const InputFile& file) : file_(file) {}
    Jp2Header read(ByteRange content) {
        const std::vector<Box> boxes = boxes_in(file_, content);
        if (boxes.empty() || boxes[0].type != box_type("ihdr")) throw invalid("its header box (jp2h) does not start with the size (ihdr)");
        read_size(boxes[0].content);
        for (std::size_t i = 1; i < boxes.size(); ++i) read_box(boxes[i]);
        header_.has_palette = palette_.channels > 0;  // without its mapping, a palette is not used
        check_channels();
        return std::move(header_);
    }

private:
    Error invalid(const std::string& cause) const { return {ErrorKind::invalid_file, file_.path(), cause}; }
    Error wrong_size(const Box& box, const std::string& name) const {
        return invalid("has a box '" + name + "' of " + std::to_string(box.content.size()) + " bytes, which is not possible");
    }
    template <class T>
    T number(std::int64_t offset) const {
        return big_endian_at<T>(file_, offset);
    }

    void read_size(ByteRange content) {
        constexpr std::int64_t size = 14;
        if (content.size() != size) throw wrong_size({0, content}, "ihdr");
        header_.ny = number<std::uint32_t>(content.begin);
        header_.nx = number<std::uint32_t>(content.begin + 4);
        header_.components = number<std::uint16_t>(content.begin + 8);
    }

    void read_box(const Box& box) {
        switch (box.type) {
            case box_type("ihdr"): throw invalid("has several boxes 'ihdr' in its header");
            case box_type("bpcc"): return check_depths(box);
            case box_type("colr"): return read_colours(box);
            case box_type("pclr"): return read_palette(box);
            case box_type("cmap"): return read_mapping(box);
            case box_type("cdef"): return read_channels(box);
            default: return;  // the resolution, and boxes of other standards
        }
    }

    void check_depths(const Box& box) const {
        if (box.content.size() != header_.components) throw wrong_size(box, "bpcc");
    }

    // The first box that this reader supports is used. Other methods than 1 (a number) are ICC profiles and extensions.
    void read_colours(const Box& box) {
        constexpr std::int64_t method_and_others = 3;
        constexpr std::uint8_t enumerated = 1, restricted_profile = 2;
        if (box.content.size() < method_and_others) throw wrong_size(box, "colr");
        const auto method = number<std::uint8_t>(box.content.begin);
        if (has_colours_ || method > restricted_profile) return;
        has_colours_ = true;
        if (method != enumerated) return;
        if (box.content.size() < method_and_others + 4) throw wrong_size(box, "colr");
        header_.colour_space = number<std::uint32_t>(box.content.begin + method_and_others);
    }

    void read_palette(const Box& box) {
        constexpr std::int64_t counts = 3;
        constexpr int most_entries = 1024;
        if (palette_.columns > 0) throw invalid("has several palettes (pclr)");
        if (box.content.size() < counts) throw wrong_size(box, "pclr");
        const auto entries = number<std::uint16_t>(box.content.begin);
        palette_.columns = number<std::uint8_t>(box.content.begin + 2);
        if (entries == 0 || entries > most_entries || palette_.columns == 0)
            throw invalid("has a palette of " + std::to_string(entries) + " entries and " + std::to_string(palette_.columns) + " columns");
        if (box.content.size() < counts + palette_.columns) throw wrong_size(box, "pclr");
        std::int64_t per_entry = 0;
        for (std::int64_t i = 0; i < palette_.columns; ++i) {
            const int bits = (number<std::uint8_t>(box.content.begin + counts + i) & 0x7f) + 1;
            per_entry += (bits + 7) / 8;
        }
        if (box.content.size() < counts + palette_.columns + entries * per_entry) throw wrong_size(box, "pclr");
    }

    void read_mapping(const Box& box) {
        constexpr std::int64_t per_channel = 4;
        if (palette_.columns == 0) throw invalid("uses a palette (cmap) before the palette (pclr)");
        if (palette_.channels > 0) throw invalid("has several boxes 'cmap'");
        if (box.content.size() == 0 || box.content.size() % per_channel != 0) throw wrong_size(box, "cmap");
        palette_.channels = box.content.size() / per_channel;
        for (std::int64_t at = box.content.begin; at < box.content.end; at += per_channel) {
            const auto component = number<std::uint16_t>(at);
            const auto kind = number<std::uint8_t>(at + 2), column = number<std::uint8_t>(at + 3);
            const bool is_direct = kind == 0 && column == 0, by_palette = kind == 1 && column < palette_.columns;
            if (component >= header_.components || !(is_direct || by_palette))
                throw invalid("its box 'cmap' states component " + std::to_string(component) + ", type " + std::to_string(kind) +
                              " and column " + std::to_string(column) + ", which do not exist");
        }
    }

    void read_channels(const Box& box) {
        constexpr std::int64_t count = 2, per_channel = 6;
        if (!header_.channels.empty()) throw invalid("has several boxes 'cdef'");
        if (box.content.size() < count) throw wrong_size(box, "cdef");
        const auto channels = number<std::uint16_t>(box.content.begin);
        if (channels == 0 || box.content.size() < count + channels * per_channel) throw wrong_size(box, "cdef");
        const std::int64_t first = box.content.begin + count;
        for (std::int64_t at = first; at < first + channels * per_channel; at += per_channel)
            header_.channels.push_back({number<std::uint16_t>(at), number<std::uint16_t>(at + 2), number<std::uint16_t>(at + 4)});
    }

    /// The definitions must name all channels. Each colour must be one channel, and a channel may be one colour only.
    void check_channels() const {
        if (header_.channels.empty()) return;
        const auto channels = std::size_t(header_.has_palette ? palette_.channels : header_.components);
        std::vector<bool> defined(channels), is_colour(channels), has_channel(channels);
        for (const ChannelDefinition& definition : header_.channels) {
            const std::size_t colour = definition.has_colour_number() ? definition.association - 1U : 0;
            if (definition.channel >= channels || colour >= channels)
                throw invalid("its box 'cdef' states channel " + std::to_string(definition.channel) + " and colour " +
                              std::to_string(definition.association) + " of " + std::to_string(channels) + " channels");
            defined[definition.channel] = true;
            if (!definition.is_colour()) continue;
            if (is_colour[definition.channel] || has_channel[colour])
                throw invalid("its box 'cdef' states colour " + std::to_string(definition.association) + " or channel " +
                              std::to_string(definition.channel) + " twice");
            is_colour[definition.channel] = has_channel[colour] = true;
        }
        if (std::ranges::find(defined, false) != defined.end()) throw invalid("its box 'cdef' does not define all channels");
    }

    const InputFile& file_;
    Jp2Header header_;
    Palette palette_;
    bool has_colours_ = false;
};

}  // namespace

Jp2Header read_jp2_header(const InputFile& file, ByteRange content) { return HeaderBoxes(file).read(content); }

}  // namespace voxcc::io
