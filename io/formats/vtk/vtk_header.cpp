#include "io/formats/vtk/vtk_header.h"

#include "io/formats/vtk/vtk_words.h"
#include "io/header_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace voxcc::io {
namespace {

constexpr std::string_view magic = "# vtk DataFile Version";

// Names are stored with %20 for a blank.
// "my%20scalars" -> "my scalars"
std::string decoded(std::string_view name) {
    std::string text;
    for (std::size_t at = 0; at < name.size(); ++at) {
        unsigned code = 0;
        const char* const digits = name.data() + at + 1;
        if (name[at] != '%' || at + 2 >= name.size() || std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2) {
            text += name[at];
            continue;
        }
        text += char(code);
        at += 2;
    }
    return text;
}

std::string text_of(const Extent& extent) {
    return std::to_string(extent.nx) + " " + std::to_string(extent.ny) + " " + std::to_string(extent.nz);
}

class VtkWalk {
public:
    explicit VtkWalk(const InputFile& file) : path_(file.path()), words_(file) {}
    VtkHeader run() {
        read_first_lines();
        for (std::string word(words_.word()); !word.empty(); word = words_.word()) read_keyword(word);
        if (!has_dimensions()) refuse("has no DIMENSIONS");
        return std::move(header_);
    }

private:
    /// The part of the file to which attributes belong.
    struct Section {
        VtkPlace place;
        std::int64_t tuples;  // per array
    };
    struct Announced {  // an array, before its values
        std::string name;
        VtkType type;
        std::int64_t components, tuples;
    };

    [[noreturn]] void refuse(const std::string& cause) const { throw Error(ErrorKind::invalid_file, path_, cause); }
    bool has_dimensions() const { return header_.points.nx > 0; }
    std::string next_word() {
        std::string word(words_.word());
        if (word.empty()) throw Error(ErrorKind::truncated_file, path_, "ends inside its header");
        return word;
    }
    VtkType next_type() {
        const std::string word = next_word();
        const VtkType* const type = vtk_type(word);
        if (!type) throw Error(ErrorKind::unsupported_file, path_, "values of type " + in_quotes(word) + " are not read");
        return *type;
    }

    void read_first_lines() {
        const std::string first = words_.line();
        const std::string version(trim(std::string_view(first).substr(std::min(magic.size(), first.size()))));
        const bool is_known = version.size() == 3 && version[0] >= '1' && version[0] <= '5' && version[1] == '.' &&
                              std::isdigit(static_cast<unsigned char>(version[2]));
        if (!is_known)
            throw Error(ErrorKind::unsupported_file, path_,
                        "is a VTK file of the version " + in_quotes(version) + ", and the versions 1.0 to 5.1 are read");
        is_by_vtk_ = words_.line() == "vtk output";
        const std::string encoding(trim(words_.line()));
        if (lower_case(encoding) == "binary") header_.encoding = VtkEncoding::binary;
        else if (lower_case(encoding) != "ascii") refuse("has " + in_quotes(encoding) + " in place of ASCII or BINARY");
        if (const std::string keyword = next_word(); lower_case(keyword) != "dataset") refuse_keyword(keyword);
        const std::string dataset = next_word();
        if (lower_case(dataset) != "structured_points")
            throw Error(ErrorKind::unsupported_file, path_,
                        "is a VTK file of " + in_quotes(dataset) + ", and only STRUCTURED_POINTS are read");
    }

    void read_keyword(const std::string& word) {
        const std::string keyword = lower_case(word);
        if (keyword == "field") read_field();
        else if (keyword == "point_data") begin_section(VtkPlace::points, "POINT_DATA");
        else if (keyword == "cell_data") begin_section(VtkPlace::cells, "CELL_DATA");
        else if (!(section_ ? read_attribute(keyword) : read_grid(keyword))) refuse_keyword(word);
    }
    void refuse_keyword(const std::string& word) const {
        refuse("has " + in_quotes(word) + " at byte " + std::to_string(words_.position() - std::int64_t(word.size())) +
               ", where a keyword of VTK must be");
    }

    // ---- the grid

    bool read_grid(const std::string& keyword) {
        if (keyword == "dimensions") read_dimensions();
        else if (keyword == "spacing" || keyword == "aspect_ratio") read_vector(header_.spacing, "SPACING");
        else if (keyword == "origin") read_vector(header_.origin, "ORIGIN");
        else return false;
        return true;
    }
    void read_dimensions() {
        if (has_dimensions()) refuse("has DIMENSIONS twice");
        Extent& points = header_.points;
        for (std::int64_t* const size : {&points.nx, &points.ny, &points.nz}) *size = words_.integer("DIMENSIONS");
        checked_bytes(points, 1, path_);
    }
    void read_vector(std::optional<Vector3>& vector, const char* name) {
        if (vector) refuse(std::string("has ") + name + " twice");
        vector.emplace();
        for (double& number : *vector) number = words_.finite_number(name);
    }
    void begin_section(VtkPlace place, const std::string& keyword) {
        if (std::exchange(passed_[std::size_t(place)], true)) refuse("has " + keyword + " twice");
        if (!has_dimensions()) refuse("has no DIMENSIONS before " + keyword);
        section_ = {place, vtk_extent(header_.points, place).voxels()};
        const std::int64_t stated = words_.integer(keyword);
        if (stated == section_->tuples) return;
        refuse(keyword + " is " + std::to_string(stated) + ", and the DIMENSIONS " + text_of(header_.points) + " mean " +
               std::to_string(section_->tuples));
    }

    // ---- arrays

    bool read_attribute(const std::string& keyword) {
        struct Attribute {
            std::string_view keyword;
            std::int64_t components;
        };
        constexpr std::array attributes{Attribute{"vectors", 3},   Attribute{"normals", 3},    Attribute{"tensors", 9},
                                        Attribute{"tensors6", 6},  Attribute{"global_ids", 1}, Attribute{"pedigree_ids", 1},
                                        Attribute{"edge_flags", 1}};
        const auto* const attribute = std::ranges::find(attributes, keyword, &Attribute::keyword);
        if (attribute != attributes.end()) {
            const std::string name = next_word();
            read_array({name, next_type(), attribute->components, section_->tuples}, VtkUse::named);
        } else if (keyword == "scalars") {
            read_scalars();
        } else if (keyword == "color_scalars") {
            const std::string name = next_word();
            const auto values = header_.encoding == VtkEncoding::text ? VtkValues::fractions : VtkValues::numbers;
            read_array({name, {"unsigned_char", ScalarType::u8, values}, words_.integer("COLOR_SCALARS"), section_->tuples},
                       VtkUse::scalars);
        } else if (keyword == "texture_coordinates") {
            const std::string name = next_word();
            const std::int64_t components = words_.integer("TEXTURE_COORDINATES");
            read_array({name, next_type(), components, section_->tuples}, VtkUse::named);
        } else if (keyword == "lookup_table") {
            const std::string name = next_word();
            constexpr std::int64_t colours_and_opacity = 4;
            pass_array({name, {"unsigned_char", ScalarType::u8}, colours_and_opacity, words_.integer("LOOKUP_TABLE")});
        } else {
            return false;
        }
        return true;
    }

    // "SCALARS name type [components]" and "LOOKUP_TABLE name". VTK requires the second line, but not all programs write it.
    void read_scalars() {
        const std::string name = next_word();
        const VtkType type = next_type();
        const std::string rest = words_.line(), number(trim(rest));
        const std::int64_t after_line = words_.position();
        std::int64_t components = 1;
        if (const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), components);
            !number.empty() && (error != std::errc{} || end != number.data() + number.size()))
            refuse("'SCALARS' has " + in_quotes(number) + " in place of the number of components");
        words_.seek(words_.pass("lookup_table") ? after_name_of_table() : after_line);
        keep(pass_values({name, type, components, section_->tuples}), VtkUse::scalars);
    }
    std::int64_t after_name_of_table() {
        next_word();
        if (header_.encoding == VtkEncoding::binary) words_.end_line();
        return words_.position();
    }

    void read_array(const Announced& array, VtkUse use) { keep(pass_array(array), use); }

    // "FIELD name arrays", then "name components tuples type" and the values of each array. Before POINT_DATA and CELL_DATA, the arrays
    // have values for the data set. NULL_ARRAY takes the place of an array that does not exist.
    void read_field() {
        next_word();
        for (std::int64_t left = words_.integer("FIELD"); left > 0; --left) {
            const std::string name = next_word();
            if (name == "NULL_ARRAY") continue;
            const std::int64_t components = words_.integer(name), tuples = words_.integer(name);
            const VtkArray array = pass_array({name, next_type(), components, tuples});
            if (section_ && tuples == section_->tuples) keep(array, VtkUse::scalars);
        }
    }

    // Passes the values, which begin in the next line, or in a text also in the same line.
    VtkArray pass_array(const Announced& array) {
        if (header_.encoding == VtkEncoding::binary || array.type.values == VtkValues::strings) words_.end_line();
        return pass_values(array);
    }
    VtkArray pass_values(const Announced& announced) {
        const auto& [name, type, components, tuples] = announced;
        std::int64_t count = 0;
        if (components < 0 || tuples < 0 || __builtin_mul_overflow(components, tuples, &count))
            refuse(in_quotes(name) + " has " + std::to_string(tuples) + " values of " + std::to_string(components) + " components");
        VtkArray array{.name = decoded(name), .type = type, .components = components, .offset = words_.position()};
        io::pass_values(words_, {header_.encoding, type, count}, path_, name);
        array.end = words_.position();
        if (header_.encoding == VtkEncoding::binary && count > 0 && !words_.is_at_blank()) warn_of_missing_byte(name);
        pass_metadata(words_, components, path_);
        return array;
    }
    // If a byte of binary values is lost, the line end after them is taken for their last byte. ITK writes no line end at the end of a
    // file.
    void warn_of_missing_byte(const std::string& name) {
        if (header_.warnings.empty() && (is_by_vtk_ || !words_.at_end()))
            header_.warnings.push_back("no line end follows the values of " + in_quotes(name) +
                                       "; compare them, because a byte could be missing");
    }
    void keep(VtkArray array, VtkUse use) {
        if (array.type.values == VtkValues::strings) return;
        array.place = section_->place;
        array.use = use;
        header_.arrays.push_back(std::move(array));
    }

    const std::string& path_;
    VtkWords words_;
    VtkHeader header_;
    std::optional<Section> section_;
    std::array<bool, 2> passed_{};  // POINT_DATA, CELL_DATA
    bool is_by_vtk_ = false;        // the title is the one of VTK's own writer
};

}  // namespace

bool has_vtk_magic(std::span<const std::byte> start) {
    return start.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), start.begin(), [](char c, std::byte b) { return std::byte(c) == b; });
}

Extent vtk_extent(const Extent& points, VtkPlace place) {
    if (place == VtkPlace::points) return points;
    const auto cells = [](std::int64_t count) { return std::max<std::int64_t>(count - 1, 1); };
    return {cells(points.nx), cells(points.ny), cells(points.nz)};
}

VtkHeader read_vtk_header(const InputFile& file) { return VtkWalk(file).run(); }

}  // namespace voxcc::io
