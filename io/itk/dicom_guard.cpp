#include "io/itk/dicom_guard.h"

#include "io/checked_file.h"

#include <algorithm>
#include <array>
#include <bit>

namespace voxcc::io {
namespace {

constexpr std::uint32_t undefined_length = 0xffffffff;
constexpr std::uint32_t transfer_syntax = 0x00020010, pixel_data = 0x7fe00010;
constexpr std::uint32_t item = 0xfffee000, item_end = 0xfffee00d, sequence_end = 0xfffee0dd;

/// Encoding of elements (DICOM PS3.5, 7.1): byte order, and whether their type (value representation) is written.
struct Syntax {
    enum class Types { written, implied } types = Types::written;
    std::endian order = std::endian::little;
    enum class Pixels { native, encapsulated } pixels = Pixels::native;
};

struct Element {
    std::uint32_t tag = 0, length = 0;
    std::int64_t value = 0;  // byte offset in the file
    bool of_unknown_type = false;
};

class Walk {
public:
    explicit Walk(const InputFile& file) : file_(file) {}
    Syntax syntax;

    Element element(std::int64_t at) const {
        const std::uint32_t tag = std::uint32_t(number<std::uint16_t>(at)) << 16 | number<std::uint16_t>(at + 2);
        if (syntax.types == Syntax::Types::implied || tag >> 16 == 0xfffe) return {tag, number<std::uint32_t>(at + 4), at + 8};
        std::array<char, 2> type{};
        file_.read(at + 4, std::as_writable_bytes(std::span(type)));
        const std::string_view name(type.data(), type.size());
        constexpr std::array<std::string_view, 13> with_long_length{"OB", "OD", "OF", "OL", "OV", "OW", "SQ",
                                                                    "SV", "UC", "UN", "UR", "UT", "UV"};
        if (std::ranges::find(with_long_length, name) == with_long_length.end()) return {tag, number<std::uint16_t>(at + 6), at + 8};
        return {tag, number<std::uint32_t>(at + 8), at + 12, name == "UN"};
    }

    /// @return byte offset after the element, including sequences of undefined length. @param depth nesting, from 0
    std::int64_t after(const Element& element, int depth = 0) const {
        if (element.length != undefined_length) return element.value + std::int64_t(element.length);
        constexpr int deepest = 32;
        if (depth > deepest) fail("its sequences are nested too deeply");
        Walk inside = *this;
        if (element.of_unknown_type) inside.syntax = {Syntax::Types::implied};  // PS3.5, 6.2.2
        std::int64_t at = element.value;
        for (;;) {
            const Element part = inside.element(at);
            if (part.tag == sequence_end) return part.value;
            if (part.tag != item) fail("its sequences are corrupt at byte " + std::to_string(at));
            at = part.length == undefined_length ? inside.after_open_item(part.value, depth) : part.value + std::int64_t(part.length);
        }
    }
    [[noreturn]] void fail(const std::string& cause) const { throw Error(ErrorKind::damaged_file, file_.path(), cause); }

private:
    template <class T>
    T number(std::int64_t offset) const {
        std::array<std::byte, sizeof(T)> bytes{};
        file_.read(offset, bytes);
        if (syntax.order != std::endian::native) std::ranges::reverse(bytes);
        return std::bit_cast<T>(bytes);
    }
    std::int64_t after_open_item(std::int64_t at, int depth) const {
        for (;;) {
            const Element part = element(at);
            if (part.tag == item_end) return part.value;
            at = after(part, depth + 1);
        }
    }
    const InputFile& file_;
};

Syntax syntax_named(std::string_view uid, const Walk& walk) {
    while (!uid.empty() && (uid.back() == '\0' || uid.back() == ' ')) uid.remove_suffix(1);
    if (uid == "1.2.840.10008.1.2") return {Syntax::Types::implied};
    if (uid == "1.2.840.10008.1.2.1") return {};
    if (uid == "1.2.840.10008.1.2.2") return {Syntax::Types::written, std::endian::big};
    if (uid == "1.2.840.10008.1.2.1.99") walk.fail("a deflated DICOM data set is not read");
    return {Syntax::Types::written, std::endian::little, Syntax::Pixels::encapsulated};
}

}  // namespace

bool is_dicom_file(const std::filesystem::directory_entry& entry) {
    std::error_code ignored;
    if (!entry.is_regular_file(ignored)) return false;
    try {
        std::array<char, 4> magic{};
        InputFile(entry.path().string()).read_some(128, std::as_writable_bytes(std::span(magic)));
        return std::string_view(magic.data(), magic.size()) == "DICM";
    } catch (const Error&) {
        return false;
    }
}

bool is_dicom_folder(const std::string& path) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
        if (is_dicom_file(*entry)) return true;
    return false;
}

std::optional<std::int64_t> stored_pixel_bytes(const std::string& dicom_path) {
    const InputFile file(dicom_path);
    Walk walk(file);  // the first group always has written types and little-endian order
    constexpr std::int64_t preamble = 132;
    std::int64_t at = preamble;
    Syntax data_set;
    Element element = walk.element(at);
    for (; element.tag >> 16 == 0x0002; element = walk.element(at)) {
        if (element.tag == transfer_syntax) {
            std::string uid(std::min<std::size_t>(element.length, 64), '\0');
            file.read(element.value, std::as_writable_bytes(std::span(uid)));
            data_set = syntax_named(uid, walk);
        }
        at = walk.after(element);
    }
    walk.syntax = data_set;
    for (element = walk.element(at); element.tag < pixel_data; element = walk.element(at)) at = walk.after(element);
    if (element.tag != pixel_data) walk.fail("has no pixel data");
    if (const std::int64_t end = walk.after(element); end > file.size())
        walk.fail("its pixel data should end at byte " + std::to_string(end) + ", the file has " + std::to_string(file.size()));
    if (data_set.pixels == Syntax::Pixels::encapsulated) return std::nullopt;
    return element.length;
}

void check_pixel_data(const std::string& dicom_path, std::int64_t voxel_bytes) {
    const auto stored = stored_pixel_bytes(dicom_path);
    if (stored && *stored < voxel_bytes)
        throw Error(ErrorKind::corrupt_file, dicom_path,
                    "the header claims " + std::to_string(voxel_bytes) + " bytes of pixels, there are " + std::to_string(*stored));
}

}  // namespace voxcc::io
