#include "io/formats/npy/npy_header.h"

#include "io/array_types.h"
#include "io/formats/stored/stored_writer.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace voxcc::io {
namespace {

constexpr std::int64_t longest_header = std::int64_t{1} << 16;  // numpy.save() writes at most 1.5 kB for 64 axes

enum class Longs { refuse, accept };  // integers of Python 2: "3L"

/// Reads the Python literals of a dictionary from left to right.
class Literals {
public:
    Literals(std::string_view text, const std::string& path, Longs longs) : text_(text), path_(path), longs_(longs) {}

    /// Skips blanks, then reads one character if it is `wanted`.
    bool take(char wanted) {
        at_ = std::min(text_.find_first_not_of(" \t\n\r\f", at_), text_.size());
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    void expect(char wanted) {
        if (!take(wanted)) fail(std::string("'") + wanted + "'");
    }
    void expect_end() {
        take('\n');
        if (at_ < text_.size()) fail("its end");
    }
    // Python's escapes are not needed for any name or type, so a backslash is an error.
    std::string_view text() {
        const char quote = take('\'') ? '\'' : '"';
        if (quote == '"' && !take(quote)) fail("a text in quotes");
        const std::size_t end = std::min(text_.find_first_of(std::string{quote, '\\', '\n'}, at_), text_.size());
        const std::string_view found = text_.substr(at_, end - at_);
        at_ = end;
        expect(quote);
        return found;
    }
    bool boolean() {
        take(' ');
        for (const std::string_view word : {"True", "False"})
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return word == "True";
            }
        fail("True or False");
    }
    std::int64_t integer() {
        const bool is_negative = take('-');
        if (!is_negative) take(' ');
        const std::string_view digits = text_.substr(at_, std::min(text_.find_first_not_of("0123456789", at_), text_.size()) - at_);
        if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) fail("a whole number");
        std::int64_t value = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) fail("a number below 2^63");
        at_ += digits.size();
        if (longs_ == Longs::accept && text_.substr(at_).starts_with('L')) ++at_;
        return is_negative ? -value : value;
    }
    /// A tuple of integers: (), (3,) or (3, 4), not (3).
    std::vector<std::int64_t> tuple() {
        std::vector<std::int64_t> numbers;
        expect('(');
        while (!take(')')) {
            numbers.push_back(integer());
            if (take(',')) continue;
            if (numbers.size() == 1) fail("','");
            expect(')');
            break;
        }
        return numbers;
    }
    [[noreturn]] void fail(const std::string& expected) const {
        throw Error(ErrorKind::invalid_file, path_,
                    "its header is not the dictionary of a NumPy array: expected " + expected + " at character " + std::to_string(at_));
    }

private:
    std::string_view text_;
    const std::string& path_;
    Longs longs_;
    std::size_t at_ = 0;
};

// A type of records is a list of fields or a tuple with a shape.
std::string parse_descr(Literals& literals, const std::string& path) {
    if (literals.take('[') || literals.take('('))
        throw Error(ErrorKind::several_values, path, "its voxels are records of several values; save one field with numpy.save");
    return std::string(literals.text());
}

template <class T>
void set_once(std::optional<T>& field, T value, const Literals& literals, std::string_view key) {
    if (field) literals.fail("'" + std::string(key) + "' only once");
    field = std::move(value);
}

NpyHeader parse_dictionary(std::string_view text, const std::string& path, Longs longs) {
    std::optional<std::string> descr;
    std::optional<bool> is_fortran;
    std::optional<std::vector<std::int64_t>> shape;
    Literals literals(text, path, longs);
    literals.expect('{');
    while (!literals.take('}')) {
        const std::string_view key = literals.text();
        literals.expect(':');
        if (key == "descr") set_once(descr, parse_descr(literals, path), literals, key);
        else if (key == "fortran_order") set_once(is_fortran, literals.boolean(), literals, key);
        else if (key == "shape") set_once(shape, literals.tuple(), literals, key);
        else literals.fail("the key 'descr', 'fortran_order' or 'shape'");
        if (literals.take(',')) continue;
        literals.expect('}');
        break;
    }
    literals.expect_end();
    if (!descr || !is_fortran || !shape) literals.fail("the keys 'descr', 'fortran_order' and 'shape'");
    return {*descr, *is_fortran ? ArrayOrder::fortran : ArrayOrder::c, *shape, 0};
}

[[noreturn]] void refuse_type(std::string_view descr, std::string_view code, const std::string& path) {
    switch (code.empty() ? '\0' : code[0]) {
        case 'c': throw Error(ErrorKind::several_values, path, "voxels are complex numbers");
        case 'O': throw Error(ErrorKind::unsupported_file, path, "holds Python objects, which voxcc never loads; save numbers instead");
        case 'S':
        case 'a':
        case 'U': throw Error(ErrorKind::unsupported_file, path, "holds texts and not numbers");
        default: throw Error(ErrorKind::unsupported_file, path, "voxels of type '" + std::string(descr.substr(0, 40)) + "' are not read");
    }
}

}  // namespace

NpyHeader read_npy_header(const InputFile& file) {
    return read_npy_header(file.path(), [&](std::int64_t offset, std::span<std::byte> to) { return file.read_some(offset, to); });
}

NpyHeader read_npy_header(const std::string& path, const ReadBytes& read_bytes) {
    const auto read = [&](std::int64_t offset, std::span<std::byte> to) {
        const std::size_t got = read_bytes(offset, to);
        if (got < to.size())
            throw Error(ErrorKind::truncated_file, path,
                        "expected " + std::to_string(offset + std::int64_t(to.size())) + " bytes, got " +
                            std::to_string(offset + std::int64_t(got)));
    };
    std::string start(npy_magic.size(), '\0');
    start.resize(read_bytes(0, std::as_writable_bytes(std::span(start))));
    if (start.empty()) throw Error(ErrorKind::invalid_file, path, "the file is empty");
    if (start != npy_magic) throw Error(ErrorKind::invalid_file, path, "is not a NumPy file, because its first bytes are not \\x93NUMPY");

    std::array<unsigned char, 2> version{};
    read(std::int64_t(npy_magic.size()), std::as_writable_bytes(std::span(version)));
    if (version[0] < 1 || version[0] > 3 || version[1] != 0)
        throw Error(ErrorKind::unsupported_file, path,
                    "has version " + std::to_string(version[0]) + "." + std::to_string(version[1]) +
                        " of the NumPy format; versions 1.0, 2.0 and 3.0 are read");
    const std::size_t length_bytes = version[0] == 1 ? 2 : 4;
    std::int64_t at = std::int64_t(npy_magic.size() + version.size());
    std::array<unsigned char, 4> little_endian{};
    read(at, std::as_writable_bytes(std::span(little_endian).first(length_bytes)));
    at += std::int64_t(length_bytes);
    std::int64_t length = 0;
    for (unsigned i = 0; i < 4; ++i) length |= std::int64_t{little_endian[i]} << 8 * i;
    if (length > longest_header)
        throw Error(ErrorKind::unsupported_file, path,
                    "has a header of " + std::to_string(length) + " bytes; up to " + std::to_string(longest_header) + " bytes are read");
    std::string text(std::size_t(length), '\0');
    read(at, std::as_writable_bytes(std::span(text)));
    NpyHeader header = parse_dictionary(text, path, version[0] < 3 ? Longs::accept : Longs::refuse);
    header.end = at + length;
    return header;
}

NpyType parse_npy_type(std::string_view descr, const std::string& path) {
    const char order = descr.empty() ? '\0' : descr[0];
    const std::string_view code = std::string_view("<>=|").find(order) == std::string_view::npos ? descr : descr.substr(1);
    const ArrayType* const stored = array_type(code, &ArrayType::code);
    if (!stored) refuse_type(descr, code, path);
    const std::endian byte_order = order == '<' ? std::endian::little : order == '>' ? std::endian::big : std::endian::native;
    return {stored->type, stored->name, stored->samples, byte_order};
}

VolumeInfo describe_array(const NpyHeader& header, const NpyType& type, const std::string& path) {
    std::vector<std::int64_t> axes = header.shape;
    if (header.order == ArrayOrder::c) std::ranges::reverse(axes);
    if (axes.empty()) throw Error(ErrorKind::unsupported_file, path, "holds one number without axes, and not an image");
    VolumeInfo info;
    info.path = path;
    info.format = "NumPy";
    info.extent = {axes[0], axes.size() > 1 ? axes[1] : 1, axes.size() > 2 ? axes[2] : 1};
    info.type = type.type;
    info.stored_type = type.name;
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    for (std::size_t axis = 3; axis < axes.size(); ++axis) info.volumes = checked_bytes({axes[axis], 1, 1}, info.volumes, path);
    ArrayAxes array{header.order, int(std::min<std::size_t>(axes.size(), 3))};
    if (axes.size() > 3) array.volumes.assign(axes.begin() + 3, axes.end());
    info.details = NumpyDetails{std::move(array)};
    return info;
}

std::string npy_header_text(ScalarType type, ArrayOrder order, std::span<const std::int64_t> axes) {
    std::vector<std::int64_t> shape(axes.begin(), axes.end());
    if (order == ArrayOrder::c) std::ranges::reverse(shape);
    const ArrayType* const stored = array_type(name_of(type), &ArrayType::name);
    const char byte_order = size_of(type) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
    std::string text = "{'descr': '" + std::string(1, byte_order) + std::string(stored->code) + "', 'fortran_order': ";
    text += order == ArrayOrder::fortran ? "True, 'shape': (" : "False, 'shape': (";
    for (const std::int64_t extent : shape) text += (text.ends_with('(') ? "" : ", ") + std::to_string(extent);
    text += shape.size() == 1 ? ",), }" : "), }";

    constexpr std::size_t alignment = 64, prefix = npy_magic.size() + 4;  // prefix: magic, version, length
    const std::size_t length = (prefix + text.size() + alignment) / alignment * alignment - prefix;
    text.resize(length - 1, ' ');
    const std::string version_and_length{'\1', '\0', char(length & 0xff), char(length >> 8)};
    return std::string(npy_magic) + version_and_length + text + "\n";
}

std::string npy_label_header(const LabelVolume& volume) {
    const VolumeInfo& like = *volume.like;
    const ArrayAxes* const of_input = array_of(like.details);
    const ArrayAxes array = of_input ? *of_input : ArrayAxes{ArrayOrder::fortran, dimensions_to_write(like)};
    std::vector<std::int64_t> axes{like.extent.nx, like.extent.ny, like.extent.nz};
    if (volume.volumes == 1) axes.resize(std::size_t(array.count));
    else if (of_input && volume.volumes == like.volumes) axes.insert(axes.end(), array.volumes.begin(), array.volumes.end());
    else axes.push_back(volume.volumes);
    return npy_header_text(volume.type, array.order, axes);
}

}  // namespace voxcc::io
