// Changes elements of DICOM files: lengths, types and tags; moves, repeats and removes elements, and puts them into sequences.
#include "tests/fuzz/mutators/bytes.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

#include <array>
#include <string_view>

namespace voxcc::fuzz {
namespace {

constexpr std::uint64_t first_element = 132, undefined = 0xffffffff;
constexpr std::string_view types = "AEASATCSDADSDTFDFLISLOLTPNSHSLSSSTTMUIULUSOBODOFOLOVOWSQSVUCUNURUTUVUJXX";
constexpr std::string_view long_types = "OBODOFOLOVOWSQSVUCUNURUTUV";

/// An element or an item, with the bytes of its header: 8, or 12 for a type with a long length.
struct Element {
    std::uint64_t at = 0, header = 8, length = 0;
    bool has_type = false;
    std::uint64_t end() const { return at + header + (length == undefined ? 0 : length); }
};

bool has_long_length(const FileBytes& file, std::uint64_t at) {
    for (std::size_t i = 0; i < long_types.size(); i += 2)
        if (file.bytes[at + 4] == std::uint8_t(long_types[i]) && file.bytes[at + 5] == std::uint8_t(long_types[i + 1])) return true;
    return false;
}

bool is_upper(std::uint8_t byte) { return byte >= 'A' && byte <= 'Z'; }

Element element_at(const FileBytes& file, std::uint64_t at) {
    Element element{at};
    element.has_type = file.get(at, 2) != 0xfffe && is_upper(file.bytes[at + 4]) && is_upper(file.bytes[at + 5]);
    if (!element.has_type) element.length = file.get(at + 4, 4);
    else if (!has_long_length(file, at)) element.length = file.get(at + 6, 2);
    else element.header = 12, element.length = file.get(at + 8, 4);
    return element;
}

bool is_container(const FileBytes& file, const Element& element) {
    const bool is_sequence = element.has_type && file.bytes[element.at + 4] == 'S' && file.bytes[element.at + 5] == 'Q';
    return element.length == undefined || is_sequence || file.get(element.at, 2) == 0xfffe || file.get(element.at, 2) == 0x5200;
}

// The elements in the order of the file, with those inside of sequences.
std::vector<Element> elements_of(const FileBytes& file) {
    std::vector<Element> found;
    for (std::uint64_t at = first_element; at + 12 <= file.size();) {
        const Element element = element_at(file, at);
        found.push_back(element);
        at = is_container(file, element) ? at + element.header : element.end();
        if (at <= element.at || at > file.size()) break;
    }
    return found;
}

void put_length(FileBytes& file, const Element& element, std::uint64_t length) {
    if (element.header == 12) file.put(element.at + 8, 4, length);
    else if (element.has_type) file.put(element.at + 6, 2, length);
    else file.put(element.at + 4, 4, length);
}

using Bytes = std::vector<std::uint8_t>;

Bytes copy_of(const FileBytes& file, const Element& element) {
    const auto begin = file.bytes.begin() + std::ptrdiff_t(element.at);
    return {begin, begin + std::ptrdiff_t(std::min<std::uint64_t>(element.end(), file.size()) - element.at)};
}

void insert(FileBytes& file, std::uint64_t at, const Bytes& bytes) {
    file.bytes.insert(file.bytes.begin() + std::ptrdiff_t(at), bytes.begin(), bytes.end());
}

void remove(FileBytes& file, const Element& element) {
    const auto begin = file.bytes.begin() + std::ptrdiff_t(element.at);
    file.bytes.erase(begin, begin + std::ptrdiff_t(std::min<std::uint64_t>(element.end(), file.size()) - element.at));
}

// Puts an element into one item of a sequence without lengths.
void wrap(FileBytes& file, const Element& element, Choices& choices) {
    static constexpr std::array<std::uint8_t, 8> item{0xfe, 0xff, 0x00, 0xe0, 0xff, 0xff, 0xff, 0xff}, item_end{0xfe, 0xff, 0x0d, 0xe0},
        sequence_end{0xfe, 0xff, 0xdd, 0xe0};
    Bytes wrapped{0x00, 0x52, 0x30, 0x92};
    if (choices.one_in(2)) wrapped[2] = 0x29;
    if (element.has_type) wrapped.insert(wrapped.end(), {'S', 'Q', 0, 0});
    wrapped.insert(wrapped.end(), 4, 0xff);
    const Bytes content = copy_of(file, element);
    for (const auto& part : {std::span<const std::uint8_t>(item), std::span<const std::uint8_t>(content),
                             std::span<const std::uint8_t>(item_end), std::span<const std::uint8_t>(sequence_end)})
        wrapped.insert(wrapped.end(), part.begin(), part.end());
    remove(file, element);
    insert(file, element.at, wrapped);
}

// Replaces a part of a value, and corrects the length.
void resize_value(FileBytes& file, const Element& element, Choices& choices) {
    const std::uint64_t value = element.at + element.header;
    if (element.length == undefined || !file.contains(value, element.length)) return;
    const Bytes text = choices.one_in(2) ? Bytes{'\\', '1'} : Bytes{'1', 'e', '3', ' '};
    insert(file, value + choices.below(element.length + 1), text);
    put_length(file, element, element.length + text.size());
}

void change(FileBytes& file, Choices& choices) {
    const std::vector<Element> elements = elements_of(file);
    if (elements.empty()) return;
    const Element element = choices.of(elements), other = choices.of(elements);
    switch (choices.below(9)) {
        case 0: return put_length(file, element, choices.one_in(4) ? undefined : choices.value(element.length, file.size()));
        case 1: {
            const std::uint64_t type = choices.below(types.size() / 2) * 2;
            if (element.has_type)
                file.bytes[element.at + 4] = std::uint8_t(types[type]), file.bytes[element.at + 5] = std::uint8_t(types[type + 1]);
            return;
        }
        case 2: return file.put(element.at, 4, file.get(other.at, 4));
        case 3: return file.put(element.at + 2 * choices.below(2), 2, choices.below(1 << 16));
        case 4: return remove(file, element);
        case 5: return insert(file, element.at, copy_of(file, other));
        case 6: return wrap(file, element, choices);
        case 7: return resize_value(file, element, choices);
        default: {
            const unsigned width = 1u << choices.below(4);
            const std::uint64_t at =
                element.at + element.header + choices.below(std::min<std::uint64_t>(element.length, 64) / width) * width;
            return file.put(at, width, choices.value(file.get(at, width), file.size()));
        }
    }
}

}  // namespace

std::size_t mutate_dicom(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    if (size <= first_element || choices.one_in(4)) return mutate_bytes(data, size, most);
    FileBytes file(data, size);
    for (std::uint64_t changes = 1 + choices.below(2); changes > 0; --changes) change(file, choices);
    return file.store(data, most);
}

}  // namespace voxcc::fuzz
