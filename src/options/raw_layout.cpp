#include "src/options/raw_layout.h"

#include "src/errors/program_error.h"
#include "src/options/numbers.h"

#include <algorithm>

namespace voxcc {
namespace {

constexpr const char* example = "write TYPE,XxYxZ, as in uint16,512x512x300,little,offset=0";

[[noreturn]] void refuse(const std::string& layout, const std::string& cause, const std::string& remedy = example) {
    throw ProgramError(ErrorKind::invalid_argument, "--raw", "'" + layout + "' " + cause, remedy);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == separator) parts.emplace_back();
        else parts.back() += c;
    }
    return parts;
}

constexpr std::array raw_types{ScalarType::u8,  ScalarType::i8,  ScalarType::u16, ScalarType::i16, ScalarType::u32,
                               ScalarType::i32, ScalarType::u64, ScalarType::i64, ScalarType::f32, ScalarType::f64};
constexpr std::string_view half = "float16";

void set_type(io::RawLayout& layout, const std::string& name, const std::string& argument) {
    if (name == half) {
        layout.type = ScalarType::f32;
        layout.samples = io::Samples::halves;
        return;
    }
    const auto* const type = std::ranges::find_if(raw_types, [&](ScalarType known) { return name_of(known) == name; });
    if (type == raw_types.end())
        refuse(argument, "begins with '" + name + "', which is not a type",
               "use uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, float32 or float64");
    layout.type = *type;
}

void set_extent(io::RawLayout& layout, const std::string& text, const std::string& argument) {
    std::vector<std::int64_t> extents;
    for (const std::string& part : split(text, 'x')) {
        const auto extent = number_in<std::int64_t>(part);
        if (!extent || *extent < 1) refuse(argument, "has the extent '" + text + "', which is not XxYxZ");
        extents.push_back(*extent);
    }
    if (extents.size() < 2 || extents.size() > 4) refuse(argument, "has the extent '" + text + "', which is not XxYxZ");
    extents.resize(4, 1);
    layout.extent = {extents[0], extents[1], extents[2]};
    layout.volumes = extents[3];
}

}  // namespace

io::RawLayout parse_raw(const std::string& argument) {
    const std::vector<std::string> parts = split(argument, ',');
    if (parts.size() < 2) refuse(argument, "is not a layout");
    io::RawLayout layout;
    set_type(layout, parts[0], argument);
    set_extent(layout, parts[1], argument);
    bool has_order = false, has_offset = false;
    for (std::size_t i = 2; i < parts.size(); ++i) {
        const std::string& part = parts[i];
        constexpr std::string_view offset = "offset=";
        if (part == "little" || part == "big") {
            if (std::exchange(has_order, true)) refuse(argument, "states two byte orders");
            layout.byte_order = part == "big" ? std::endian::big : std::endian::little;
        } else if (part.starts_with(offset)) {
            const auto bytes = number_in<std::int64_t>(std::string_view(part).substr(offset.size()));
            if (!bytes || *bytes < 0)
                refuse(argument, "has the offset '" + part.substr(offset.size()) + "', which is not a number of bytes");
            if (std::exchange(has_offset, true)) refuse(argument, "states two offsets");
            layout.offset = *bytes;
        } else {
            refuse(argument, "ends with '" + part + "', which is neither little, big nor offset=N");
        }
    }
    return layout;
}

std::string text_of(const io::RawLayout& layout) {
    const Extent& e = layout.extent;
    std::string text(layout.samples == io::Samples::halves ? half : name_of(layout.type));
    text += "," + std::to_string(e.nx) + "x" + std::to_string(e.ny) + "x" + std::to_string(e.nz) + "x" + std::to_string(layout.volumes);
    text += layout.byte_order == std::endian::big ? ",big" : ",little";
    return text + ",offset=" + std::to_string(layout.offset);
}

}  // namespace voxcc
