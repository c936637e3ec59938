#include "io/formats/nrrd/nrrd_axes.h"

#include <algorithm>

namespace voxcc::io {
namespace {

/// What an axis is for. values: a fixed number of values per voxel, such as red, green and blue.
enum class Role : std::uint8_t { space, volumes, values, unknown };

struct Axis {
    NrrdAxis of_space;
    Role role = Role::unknown;
    bool is_time = false;
    std::int64_t step = 1;  // in samples
};

Role role_of(const std::string& kind) {
    constexpr std::array<std::string_view, 2> space{"domain", "space"};
    constexpr std::array<std::string_view, 6> volumes{"list", "time", "vector", "point", "scalar", "stub"};
    constexpr std::array<std::string_view, 2> unknown{"none", "???"};
    const auto is_one_of = [&](const auto& kinds) { return std::ranges::find(kinds, kind) != kinds.end(); };
    if (is_one_of(space)) return Role::space;
    if (is_one_of(volumes)) return Role::volumes;
    return is_one_of(unknown) ? Role::unknown : Role::values;
}

std::vector<std::string> words_of(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    std::vector<std::string> words;
    for (std::size_t at = text.find_first_not_of(blanks); at != text.npos; at = text.find_first_not_of(blanks, at)) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        words.push_back(lower_case(text.substr(at, end - at)));
        at = end;
    }
    return words;
}

std::vector<std::string> split_directions(std::string_view text) {  // "(1,0,0) none (0,1,0)"; blanks inside the brackets are allowed
    std::vector<std::string> parts;
    for (std::size_t at = text.find_first_of("(n"); at != text.npos; at = text.find_first_of("(n", at)) {
        const std::size_t end = text[at] == '(' ? text.find(')', at) : at + 3;
        parts.emplace_back(text.substr(at, end == text.npos ? end : end + 1 - at));
        at = end == text.npos ? end : end + 1;
    }
    return parts;
}

/// Reads fields with one entry per axis.
class AxisFields {
public:
    AxisFields(const Fields& fields, const std::string& path) : fields_(fields), path_(path) {}

    std::vector<Axis> read() {
        const auto sizes = parse_integers(required_field(fields_, "sizes", path_), path_, "sizes");
        const std::int64_t dimension = parse_integer(required_field(fields_, "dimension", path_), path_, "dimension");
        if (dimension < 1 || dimension > 16 || std::size_t(dimension) != sizes.size())
            throw Error(ErrorKind::invalid_file, path_,
                        "dimension " + std::to_string(dimension) + " with " + std::to_string(sizes.size()) + " sizes");
        axes_.resize(sizes.size());
        std::int64_t samples = 1;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            axes_[i].of_space.size = sizes[i];
            axes_[i].step = samples;
            samples = checked_bytes({sizes[i], 1, 1}, samples, path_);
        }
        read_kinds();
        if (const std::string* directions = find_field(fields_, {"space directions"})) read_directions(*directions);
        else read_spacings();
        return std::move(axes_);
    }

private:
    void expect(std::size_t count, std::string_view field) const {
        if (count != axes_.size())
            throw Error(ErrorKind::invalid_file, path_,
                        "'" + std::string(field) + "' is not given for each of the " + std::to_string(axes_.size()) + " axes");
    }

    void read_kinds() {
        const std::string* const kinds = find_field(fields_, {"kinds"});
        if (!kinds) return;
        const std::vector<std::string> words = words_of(*kinds);
        expect(words.size(), "kinds");
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            axes_[i].role = role_of(words[i]);
            axes_[i].is_time = words[i] == "time";
        }
    }

    // An axis without a direction is not an axis of space, whatever its kind is.
    void read_directions(const std::string& directions) {
        const auto parts = split_directions(directions);
        expect(parts.size(), "space directions");
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const bool has_direction = parts[i] != "none";
            if (has_direction) axes_[i].of_space.step = parse_vector(parts[i], path_, "space directions");
            if (axes_[i].role == Role::unknown || axes_[i].role == Role::space) axes_[i].role = has_direction ? Role::space : Role::volumes;
        }
    }

    void read_spacings() {
        if (const std::string* spacings = find_field(fields_, {"spacings"})) {
            const auto numbers = parse_doubles(*spacings, path_, "spacings");
            expect(numbers.size(), "spacings");
            for (std::size_t i = 0; i < axes_.size(); ++i)
                if (numbers[i] > 0) axes_[i].of_space.spacing = numbers[i];
        }
        if (const std::string* units = find_field(fields_, {"units"})) {
            const auto texts = quoted_texts(*units);
            expect(texts.size(), "units");
            for (std::size_t i = 0; i < axes_.size(); ++i) axes_[i].of_space.unit = texts[i];
        }
    }

    const Fields& fields_;
    const std::string& path_;
    std::vector<Axis> axes_;
};

bool counts(const Axis& axis) { return axis.of_space.size > 1; }

/// The axes of a volume, and the axis that counts volumes.
struct Divided {
    std::vector<const Axis*> space;
    const Axis* volumes = nullptr;  // null: one volume
};

// Axes after the third axis of space count volumes, as unnamed axes in other formats do. Values after all axes of space are planes.
Divided divide(const std::vector<Axis>& axes, const std::string& path) {
    Divided divided;
    const Axis* values = nullptr;
    std::size_t counting = 0;
    for (const Axis& axis : axes) {
        const bool is_space = axis.role == Role::space || axis.role == Role::unknown;
        if (is_space && divided.space.size() < 3) {
            if (values) throw Error(ErrorKind::several_values, path, "its voxels are vectors or colours");
            divided.space.push_back(&axis);
            continue;
        }
        if (!counts(axis)) continue;
        if (axis.role == Role::values) values = &axis;
        divided.volumes = &axis;
        ++counting;
    }
    if (divided.space.empty()) throw Error(ErrorKind::several_values, path, "its voxels are vectors or colours");
    if (counting > 1)
        throw Error(ErrorKind::unsupported_file, path,
                    "has " + std::to_string(divided.space.size()) + " axes of space and " + std::to_string(counting) +
                        " others; one axis beside space is read");
    return divided;
}

}  // namespace

const std::string& required_field(const Fields& fields, std::string_view name, const std::string& path) {
    const std::string* value = find_field(fields, {name});
    if (!value) throw Error(ErrorKind::invalid_file, path, "its header has no '" + std::string(name) + "'");
    return *value;
}

Vector3 parse_vector(std::string_view text, const std::string& path, std::string_view field) {
    const auto numbers = parse_doubles(text, path, field);
    if (numbers.size() < 2 || numbers.size() > 3)
        throw Error(ErrorKind::invalid_file, path, "'" + std::string(field) + "' is not of two or three numbers");
    return {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0};
}

std::vector<std::string> quoted_texts(std::string_view text) {
    std::vector<std::string> texts;
    for (std::size_t at = text.find('"'); at != text.npos; at = text.find('"', at)) {
        const std::size_t end = text.find('"', at + 1);
        if (end == text.npos) break;
        texts.emplace_back(text.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    return texts;
}

NrrdShape shape_of_nrrd(const Fields& fields, const std::string& path) {
    const std::vector<Axis> axes = AxisFields(fields, path).read();
    const Divided divided = divide(axes, path);
    NrrdShape shape;
    for (const Axis* axis : divided.space) shape.space.push_back(axis->of_space);
    if (!divided.volumes) return shape;
    shape.volumes = divided.volumes->of_space.size;
    if (divided.volumes->is_time) shape.volume_axes = {{"T", shape.volumes}};
    const auto follows = [&](const Axis* axis) { return counts(*axis) && axis->step > divided.volumes->step; };
    if (std::ranges::none_of(divided.space, follows)) return shape;
    shape.interleaving = Interleaving{{1, 1, 1}, divided.volumes->step};
    for (std::size_t i = 0; i < divided.space.size(); ++i) shape.interleaving->voxel[i] = divided.space[i]->step;
    return shape;
}

}  // namespace voxcc::io
