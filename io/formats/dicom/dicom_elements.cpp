#include "io/formats/dicom/dicom_elements.h"

#include "io/formats/dicom/dicom_syntax.h"
#include "io/formats/dicom/dicom_tags.h"
#include "io/formats/dicom/dicom_values.h"

#include <algorithm>
#include <cstdio>

namespace voxcc::io {
namespace {

constexpr std::uint32_t undefined_length = 0xffffffff;
constexpr std::int64_t preamble = 128, magic = 4;

struct Known {
    std::uint32_t tag;
    DicomType type;
};

// The elements that are kept, in the order of their tags, with their types (PS3.6).
constexpr std::array known_elements{
    Known{tag::sop_class_of_file, {'U', 'I'}},
    Known{tag::transfer_syntax, {'U', 'I'}},
    Known{tag::image_type, {'C', 'S'}},
    Known{tag::sop_class, {'U', 'I'}},
    Known{tag::modality, {'C', 'S'}},
    Known{tag::frame_type, {'C', 'S'}},
    Known{tag::complex_component, {'C', 'S'}},
    Known{tag::slice_thickness, {'D', 'S'}},
    Known{tag::slice_distance, {'D', 'S'}},
    Known{tag::frame_time, {'D', 'S'}},
    Known{tag::frame_times, {'D', 'S'}},
    Known{tag::imager_spacing, {'D', 'S'}},
    Known{tag::direction_groups, {'S', 'Q'}},
    Known{tag::echo_time, {'F', 'D'}},
    Known{tag::b_value, {'F', 'D'}},
    Known{tag::gradient_direction, {'F', 'D'}},
    Known{tag::echo_group, {'S', 'Q'}},
    Known{tag::diffusion_group, {'S', 'Q'}},
    Known{tag::cardiac_group, {'S', 'Q'}},
    Known{tag::mr_type_group, {'S', 'Q'}},
    Known{tag::ct_type_group, {'S', 'Q'}},
    Known{tag::pet_type_group, {'S', 'Q'}},
    Known{tag::series, {'U', 'I'}},
    Known{tag::position, {'D', 'S'}},
    Known{tag::orientation, {'D', 'S'}},
    Known{tag::stack, {'S', 'H'}},
    Known{tag::number_in_stack, {'U', 'L'}},
    Known{tag::content_group, {'S', 'Q'}},
    Known{tag::position_group, {'S', 'Q'}},
    Known{tag::orientation_group, {'S', 'Q'}},
    Known{tag::time_index, {'U', 'L'}},
    Known{tag::trigger_delay, {'F', 'D'}},
    Known{tag::acquisition, {'U', 'S'}},
    Known{tag::index_values, {'U', 'L'}},
    Known{tag::concatenation, {'U', 'I'}},
    Known{tag::index_pointer, {'A', 'T'}},
    Known{tag::index_group_pointer, {'A', 'T'}},
    Known{tag::index_sequence, {'S', 'Q'}},
    Known{tag::volume_position, {'F', 'D'}},
    Known{tag::volume_orientation, {'F', 'D'}},
    Known{tag::time_offset, {'F', 'D'}},
    Known{tag::volume_position_group, {'S', 'Q'}},
    Known{tag::volume_orientation_group, {'S', 'Q'}},
    Known{tag::time_group, {'S', 'Q'}},
    Known{tag::organization, {'C', 'S'}},
    Known{tag::samples_per_pixel, {'U', 'S'}},
    Known{tag::photometric, {'C', 'S'}},
    Known{tag::frames, {'I', 'S'}},
    Known{tag::increment_pointer, {'A', 'T'}},
    Known{tag::rows, {'U', 'S'}},
    Known{tag::columns, {'U', 'S'}},
    Known{tag::pixel_spacing, {'D', 'S'}},
    Known{tag::bits_allocated, {'U', 'S'}},
    Known{tag::bits_stored, {'U', 'S'}},
    Known{tag::high_bit, {'U', 'S'}},
    Known{tag::is_signed, {'U', 'S'}},
    Known{tag::intercept, {'D', 'S'}},
    Known{tag::slope, {'D', 'S'}},
    Known{tag::lossy, {'C', 'S'}},
    Known{tag::modality_table, {'S', 'Q'}},
    Known{tag::measures_group, {'S', 'Q'}},
    Known{tag::transformation_group, {'S', 'Q'}},
    Known{tag::slide_position_group, {'S', 'Q'}},
    Known{tag::energy_vector, {'U', 'S'}},
    Known{tag::detector_vector, {'U', 'S'}},
    Known{tag::detector_group, {'S', 'Q'}},
    Known{tag::phase_vector, {'U', 'S'}},
    Known{tag::rotation_vector, {'U', 'S'}},
    Known{tag::beat_vector, {'U', 'S'}},
    Known{tag::time_slot_vector, {'U', 'S'}},
    Known{tag::slice_vector, {'U', 'S'}},
    Known{tag::view_vector, {'U', 'S'}},
    Known{tag::time_slice_vector, {'U', 'S'}},
    Known{tag::segment_group, {'S', 'Q'}},
    Known{tag::segment, {'U', 'S'}},
    Known{tag::dose_offsets, {'D', 'S'}},
    Known{tag::dose_scaling, {'D', 'S'}},
    Known{tag::shared_groups, {'S', 'Q'}},
    Known{tag::frame_groups, {'S', 'Q'}},
    Known{tag::offset_table, {'O', 'V'}},
};
static_assert(std::ranges::is_sorted(known_elements, {}, &Known::tag));

const Known* find_known(std::uint32_t tag) {
    const auto found = std::ranges::lower_bound(known_elements, tag, {}, &Known::tag);
    return found != known_elements.end() && found->tag == tag ? &*found : nullptr;
}

constexpr DicomType sequence_type{'S', 'Q'}, unknown_type{'U', 'N'};

constexpr bool is_one_of(const DicomType& type, std::string_view types) {
    for (std::size_t at = 0; at < types.size(); at += 3)
        if (types[at] == type[0] && types[at + 1] == type[1]) return true;
    return false;
}

constexpr std::string_view types_with_long_length = "OB OD OF OL OV OW SQ SV UC UN UR UT UV";
constexpr std::string_view types_with_short_length = "AE AS AT CS DA DS DT FD FL IS LO LT PN SH SL SS ST TM UI UL US";

// The bytes of a file, read in windows, because elements are short.
class Window {
public:
    explicit Window(const DicomBytes& bytes) : bytes_(bytes) {}
    /// @return `count` bytes, at most 16. @throw Error truncated_file
    std::span<const std::byte> at(std::int64_t offset, std::size_t count) {
        if (offset < begin_ || offset + std::int64_t(count) > begin_ + std::int64_t(window_.size())) load(offset, count);
        return std::span(window_).subspan(std::size_t(offset - begin_), count);
    }

private:
    void load(std::int64_t offset, std::size_t count) {
        constexpr std::int64_t most = 1 << 13;
        const std::int64_t rest = std::max<std::int64_t>(bytes_.size() - offset, std::int64_t(count));
        window_.resize(std::size_t(std::min(most, rest)));
        bytes_.read(offset, window_);
        begin_ = offset;
    }
    const DicomBytes& bytes_;
    std::int64_t begin_ = 0;
    std::vector<std::byte> window_;
};

struct Header {
    std::uint32_t tag = 0, length = 0;
    DicomType type{};  // as written; "UN" if it is implied and not known
    std::int64_t value = 0;
};

class Parser {
public:
    explicit Parser(const DicomBytes& bytes) : bytes_(bytes), window_(bytes) {}

    /// Parses the file meta information. @return the offset of the data set
    std::int64_t parse_meta(DicomDataSet& meta) {
        std::int64_t at = preamble + magic;
        while (at < bytes_.size() && number<std::uint16_t>(at, std::endian::little) == 0x0002)
            at = after(header_at(at, bytes_.size(), {}), bytes_.size(), {}, 0, &meta);
        return at;
    }

    std::optional<DicomStoredPixels> parse_data(std::int64_t at, const DicomEncoding& encoding, DicomDataSet& data) {
        while (at < bytes_.size()) {
            const Header header = header_at(at, bytes_.size(), encoding);
            if (header.tag == tag::pixels || header.tag == tag::float_pixels || header.tag == tag::double_pixels) return pixels_of(header);
            at = after(header, bytes_.size(), encoding, 0, &data);
        }
        return std::nullopt;
    }

private:
    template <class T>
    T number(std::int64_t offset, std::endian order) {
        std::array<std::byte, sizeof(T)> bytes{};
        std::ranges::copy(window_.at(offset, sizeof(T)), bytes.begin());
        if (order != std::endian::native) std::ranges::reverse(bytes);
        return std::bit_cast<T>(bytes);
    }

    [[noreturn]] void fail(const std::string& cause) const { throw Error(ErrorKind::damaged_file, bytes_.path(), cause); }

    Header header_at(std::int64_t at, std::int64_t end, const DicomEncoding& encoding) {
        constexpr std::int64_t shortest = 8, longest = 12;
        if (end - at < shortest && end < bytes_.size()) fail("its sequences are corrupt at byte " + std::to_string(at));
        Header header;
        header.tag = std::uint32_t(number<std::uint16_t>(at, encoding.order)) << 16 | number<std::uint16_t>(at + 2, encoding.order);
        header.value = at + shortest;
        header.type = unknown_type;
        if (const Known* const entry = find_known(header.tag)) header.type = entry->type;
        if (encoding.types == DicomEncoding::Types::implied || header.tag >> 16 == 0xfffe) {
            header.length = number<std::uint32_t>(at + 4, encoding.order);
            return header;
        }
        for (std::size_t i = 0; i < 2; ++i) header.type[i] = char(window_.at(at + 4, 2)[i]);
        if (is_one_of(header.type, types_with_short_length)) {
            header.length = number<std::uint16_t>(at + 6, encoding.order);
            return header;
        }
        if (!is_one_of(header.type, types_with_long_length))
            fail("the element " + tag_text(header.tag) + " at byte " + std::to_string(at) +
                 " has a value representation that DICOM does not define");
        header.length = number<std::uint32_t>(at + 8, encoding.order);
        header.value = at + longest;
        return header;
    }

    // Keeps the element in `kept`, if that is not null and the element is used. @return the offset after the element
    std::int64_t after(const Header& header, std::int64_t end, const DicomEncoding& encoding, int depth, DicomDataSet* kept) {
        constexpr std::int64_t header_of_item = 8;
        if (header.tag >> 16 == 0xfffe)  // items and delimiters are not elements
            fail("its sequences are corrupt at byte " + std::to_string(header.value - header_of_item));
        if (kept && kept->find(header.tag)) fail("has the element " + tag_text(header.tag) + " twice");
        DicomElement* const element = kept && find_known(header.tag) ? &kept->elements.emplace_back() : nullptr;
        if (element) {
            const bool is_unknown = header.type == unknown_type;
            element->tag = header.tag;
            element->type = is_unknown ? find_known(header.tag)->type : header.type;
            element->value = header.value;
            element->order = is_unknown ? std::endian::little : encoding.order;
        }
        const bool is_sequence = element && find_known(header.tag)->type == sequence_type;
        if (header.length == undefined_length) {
            if (!may_be_open(header)) fail("the element " + tag_text(header.tag) + " has no length");
            return after_items(header, end, inner_encoding(header, encoding), depth, is_sequence ? &element->items : nullptr);
        }
        const std::int64_t after_value = header.value + std::int64_t(header.length);
        if (after_value > end) refuse_end(header, after_value, end);
        if (is_sequence && header.length > 0 && header.type != sequence_type && header.type != unknown_type)
            fail(tag_text(header.tag) + " is not a sequence");
        if ((is_sequence || header.type == sequence_type) && header.length > 0) {
            after_items(header, after_value, inner_encoding(header, encoding), depth, is_sequence ? &element->items : nullptr);
        } else if (element && !is_sequence) {
            element->length = header.length;
        }
        return after_value;
    }

    // Elements that may have an undefined length: sequences, elements of unknown type, and pixel data in fragments, also of an icon
    // (PS3.5, 7.1.2 and A.4).
    static bool may_be_open(const Header& header) {
        return is_one_of(header.type, "SQ UN") || (header.tag == tag::pixels && is_one_of(header.type, "OB OW"));
    }

    // The content of an element of unknown type has implied types (PS3.5, 6.2.2).
    static DicomEncoding inner_encoding(const Header& header, const DicomEncoding& encoding) {
        return encoding.types == DicomEncoding::Types::written && header.type == unknown_type
                   ? DicomEncoding{DicomEncoding::Types::implied, std::endian::little}
                   : encoding;
    }

    [[noreturn]] void refuse_end(const Header& header, std::int64_t after_value, std::int64_t end) const {
        if (end == bytes_.size())
            throw Error(ErrorKind::truncated_file, bytes_.path(),
                        "the element " + tag_text(header.tag) + " should end at byte " + std::to_string(after_value) + ", the file has " +
                            std::to_string(end) + " bytes");
        fail("the element " + tag_text(header.tag) + " is longer than the sequence around it");
    }

    // @param end of the sequence, or of what contains it if the sequence has no length
    std::int64_t after_items(const Header& header, std::int64_t end, const DicomEncoding& encoding, int depth,
                             std::vector<DicomDataSet>* items) {
        constexpr int deepest = 32;
        if (depth > deepest) fail("its sequences are nested too deeply");
        std::int64_t at = header.value;
        while (header.length == undefined_length || at < end) {
            const Header part = header_at(at, end, encoding);
            if (part.tag == tag::sequence_end && header.length == undefined_length) return after_delimiter(part);
            if (part.tag != tag::item) fail("its sequences are corrupt at byte " + std::to_string(at));
            DicomDataSet* const item = items ? &items->emplace_back() : nullptr;
            if (part.length == undefined_length) {
                at = after_open_item(part.value, end, encoding, depth, item);
                continue;
            }
            at = part.value + std::int64_t(part.length);
            if (at > end) refuse_end(part, at, end);
            // The items of a sequence are walked even if the sequence is not used, because GDCM reads them.
            if (item || header.type == sequence_type) parse_item(part.value, at, encoding, depth, item);
        }
        return at;
    }

    // A delimiter has no value (PS3.5, 7.5). GDCM would read a value of the stated length.
    std::int64_t after_delimiter(const Header& delimiter) {
        if (delimiter.length != 0) fail("the delimiter before byte " + std::to_string(delimiter.value) + " has a length");
        return delimiter.value;
    }

    // @param item where the elements are kept, or null
    void parse_item(std::int64_t at, std::int64_t end, const DicomEncoding& encoding, int depth, DicomDataSet* item) {
        while (at < end) at = after(header_at(at, end, encoding), end, encoding, depth + 1, item);
    }

    std::int64_t after_open_item(std::int64_t at, std::int64_t end, const DicomEncoding& encoding, int depth, DicomDataSet* item) {
        for (;;) {
            const Header part = header_at(at, end, encoding);
            if (part.tag == tag::item_end) return after_delimiter(part);
            at = after(part, end, encoding, depth + 1, item);
        }
    }

    DicomStoredPixels pixels_of(const Header& header) {
        const std::string_view types = header.length == undefined_length ? "OB OW UN" : "OB OD OF OL OV OW UN";
        if (!is_one_of(header.type, types))
            fail("its pixel data have the value representation " + std::string(header.type.begin(), header.type.end()));
        DicomStoredPixels stored{header.tag, header.type, header.value, header.length, {}};
        if (header.length != undefined_length) {
            const std::int64_t end = header.value + std::int64_t(header.length);
            if (end > bytes_.size())
                throw Error(ErrorKind::truncated_file, bytes_.path(),
                            "its pixel data should end at byte " + std::to_string(end) + ", the file has " + std::to_string(bytes_.size()));
            return stored;
        }
        stored.length = 0;
        for (std::int64_t at = header.value;;) {
            const Header part = header_at(at, bytes_.size(), {});
            if (part.tag == tag::sequence_end) {
                after_delimiter(part);
                return stored;
            }
            if (part.tag != tag::item || part.length == undefined_length) fail("its pixel data are corrupt at byte " + std::to_string(at));
            at = part.value + std::int64_t(part.length);
            if (at > bytes_.size()) refuse_end(part, at, bytes_.size());
            stored.fragments.push_back({part.value, part.length});
        }
    }

    const DicomBytes& bytes_;
    Window window_;
};

}  // namespace

const DicomElement* DicomDataSet::find(std::uint32_t tag) const {
    const auto found = std::ranges::find(elements, tag, &DicomElement::tag);
    return found == elements.end() ? nullptr : &*found;
}

const DicomDataSet* DicomDataSet::item(std::uint32_t sequence) const {
    const DicomElement* const element = find(sequence);
    return element && !element->items.empty() ? &element->items.front() : nullptr;
}

bool is_dicom(std::span<const std::byte> start) {
    constexpr std::string_view name = "DICM";
    if (start.size() < std::size_t(preamble + magic)) return false;
    return std::ranges::equal(start.subspan(std::size_t(preamble), name.size()), name,
                              [](std::byte b, char c) { return b == std::byte(c); });
}

DicomFile parse_dicom(DicomBytes& bytes) {
    DicomFile file;
    file.data_from = Parser(bytes).parse_meta(file.meta);
    file.syntax = DicomValues(bytes, file.meta).text(tag::transfer_syntax);
    if (file.syntax.empty()) throw Error(ErrorKind::invalid_file, bytes.path(), "states no transfer syntax");
    const DicomSyntax& syntax = syntax_named(file.syntax, bytes.path());
    if (syntax.codec == DicomSyntax::Codec::deflated) bytes.inflate_from(file.data_from);
    file.encoding = syntax.encoding;
    file.pixels = Parser(bytes).parse_data(file.data_from, syntax.encoding, file.data);
    return file;
}

std::string tag_text(std::uint32_t tag) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "(%04x,%04x)", tag >> 16, tag & 0xffff);
    return text.data();
}

}  // namespace voxcc::io
