#include "io/formats/dicom/dicom_dimensions.h"

#include "io/formats/dicom/dicom_tags.h"
#include "io/formats/dicom/dicom_values.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

namespace voxcc::io {
namespace {

using Divides = DicomDimension::Divides;

constexpr double missing = std::numeric_limits<double>::lowest();

/// A dimension whose values are in a functional group.
struct KnownDimension {
    const char *name, *unit;
    char axis;
    Divides divides;
    std::uint32_t group, element;
    enum class Value : std::uint8_t { number, text } value;
};

// In the order in which they are tried. The axes follow the usual names: T time, C channels.
constexpr std::array known_dimensions{
    KnownDimension{"segment", "", 'C', Divides::always, tag::segment_group, tag::segment, KnownDimension::Value::number},
    KnownDimension{"stack", "", 'S', Divides::always, tag::content_group, tag::stack, KnownDimension::Value::text},
    KnownDimension{"type", "", 'C', Divides::on_repeats, tag::mr_type_group, tag::frame_type, KnownDimension::Value::text},
    KnownDimension{"type", "", 'C', Divides::on_repeats, tag::ct_type_group, tag::frame_type, KnownDimension::Value::text},
    KnownDimension{"type", "", 'C', Divides::on_repeats, tag::pet_type_group, tag::frame_type, KnownDimension::Value::text},
    KnownDimension{"component", "", 'C', Divides::on_repeats, tag::mr_type_group, tag::complex_component, KnownDimension::Value::text},
    KnownDimension{"echo time", "ms", 'E', Divides::on_repeats, tag::echo_group, tag::echo_time, KnownDimension::Value::number},
    KnownDimension{"b-value", "s/mm2", 'B', Divides::on_repeats, tag::diffusion_group, tag::b_value, KnownDimension::Value::number},
    KnownDimension{"trigger delay", "ms", 'T', Divides::on_repeats, tag::cardiac_group, tag::trigger_delay, KnownDimension::Value::number},
    KnownDimension{"time point", "", 'T', Divides::on_repeats, tag::content_group, tag::time_index, KnownDimension::Value::number},
    KnownDimension{"time", "s", 'T', Divides::on_repeats, tag::time_group, tag::time_offset, KnownDimension::Value::number},
    KnownDimension{"acquisition", "", 'T', Divides::on_repeats, tag::content_group, tag::acquisition, KnownDimension::Value::number},
};

/// A dimension of nuclear medicine, whose values are a vector of the object.
struct Vector {
    const char* name;
    char axis;
    std::uint32_t element;
};

constexpr std::array vectors{
    Vector{"energy window", 'C', tag::energy_vector},  Vector{"detector", 'D', tag::detector_vector},
    Vector{"phase", 'P', tag::phase_vector},           Vector{"rotation", 'R', tag::rotation_vector},
    Vector{"R-R interval", 'B', tag::beat_vector},     Vector{"time slot", 'T', tag::time_slot_vector},
    Vector{"time slice", 'T', tag::time_slice_vector},
};

// Elements of dimensions that are positions in space.
constexpr std::array spatial{tag::position,          tag::orientation,     tag::number_in_stack,   tag::position_group,
                             tag::orientation_group, tag::volume_position, tag::volume_orientation};

class DimensionsReader {
public:
    DimensionsReader(const DicomBytes& bytes, const DicomDataSet& data, const std::vector<DicomGroups>& groups, DicomObject& object)
        : bytes_(bytes), data_(data), groups_(groups), object_(object) {}

    void read() {
        if (object_.frames.size() < 2) return;
        if (!groups_.empty()) {
            for (const KnownDimension& dimension : known_dimensions) read_known(dimension);
            read_directions();
            read_indices();
        }
        for (const Vector& vector : vectors) read_vector(vector);
    }

private:
    // Adds a dimension if its values differ. @param value_of returns the value of a frame
    bool add(DicomDimension dimension, const std::function<double(std::size_t)>& value_of) {
        std::vector<double> values(object_.frames.size());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(i);
        if (std::ranges::all_of(values, [&](double value) { return value == values.front(); })) return false;
        for (std::size_t i = 0; i < values.size(); ++i) object_.frames[i].dimensions.push_back(values[i]);
        object_.dimensions.push_back(std::move(dimension));
        return true;
    }

    // The same for values that are texts.
    void add_texts(DicomDimension dimension, const std::function<std::string(std::size_t)>& text_of) {
        std::map<std::string, double> indices;
        std::vector<std::string> texts;
        std::vector<double> values(object_.frames.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string text = text_of(i);
            const auto [entry, is_new] = indices.emplace(text, double(texts.size()));
            if (is_new) texts.push_back(text);
            values[i] = entry->second;
        }
        dimension.texts = std::move(texts);
        add(std::move(dimension), [&](std::size_t i) { return values[i]; });
    }

    void read_known(const KnownDimension& known_dimension) {
        const DicomDimension dimension{known_dimension.name, known_dimension.unit, known_dimension.axis, known_dimension.divides};
        const auto item_of = [&](std::size_t i) { return groups_[i].find(known_dimension.group); };
        const std::size_t before = object_.dimensions.size();
        if (known_dimension.value == KnownDimension::Value::text)
            add_texts(dimension, [&](std::size_t i) {
                const DicomDataSet* const item = item_of(i);
                return item ? DicomValues(bytes_, *item).text(known_dimension.element) : std::string();
            });
        else
            add(dimension, [&](std::size_t i) {
                const DicomDataSet* const item = item_of(i);
                return item ? DicomValues(bytes_, *item).number(known_dimension.element).value_or(missing) : missing;
            });
        if (object_.dimensions.size() > before) used_.push_back(known_dimension.element);
    }

    void read_directions() {
        add_texts({"gradient", "", 'B', Divides::on_repeats}, [&](std::size_t i) {
            const DicomDataSet* const diffusion = groups_[i].find(tag::diffusion_group);
            const DicomDataSet* const gradient = diffusion ? diffusion->item(tag::direction_groups) : nullptr;
            std::string text;
            if (!gradient) return text;
            for (const double x : DicomValues(bytes_, *gradient).numbers(tag::gradient_direction))
                text += (text.empty() ? "" : " ") + std::to_string(x);
            return text;
        });
    }

    // The dimensions that the object lists itself, except positions and the dimensions above.
    void read_indices() {
        constexpr std::size_t most = 32;
        const DicomElement* const list = data_.find(tag::index_sequence);
        if (list && list->items.size() > most)
            throw Error(ErrorKind::unsupported_file, bytes_.path(),
                        "has " + std::to_string(list->items.size()) + " dimensions; up to 32 are read");
        for (std::size_t k = 0; list && k < list->items.size(); ++k) {
            const auto element = std::uint32_t(DicomValues(bytes_, list->items[k]).number(tag::index_pointer).value_or(0));
            const auto is_element = [&](std::uint32_t other) { return other == element; };
            if (std::ranges::any_of(spatial, is_element) || std::ranges::any_of(used_, is_element)) continue;
            add({"dimension " + tag_text(element), "", 'C', Divides::on_repeats}, [&](std::size_t i) {
                const DicomDataSet* const content = groups_[i].find(tag::content_group);
                if (!content) return missing;
                const std::vector<double> indices = DicomValues(bytes_, *content).numbers(tag::index_values);
                return k < indices.size() ? indices[k] : missing;
            });
        }
    }

    void read_vector(const Vector& vector) {
        const std::vector<double> values = DicomValues(bytes_, data_).numbers(vector.element);
        if (values.size() != object_.frames.size()) return;
        add({vector.name, "", vector.axis, Divides::always}, [&](std::size_t i) { return values[i]; });
    }

    const DicomBytes& bytes_;
    const DicomDataSet& data_;
    const std::vector<DicomGroups>& groups_;
    DicomObject& object_;
    std::vector<std::uint32_t> used_;  // elements of dimensions that were added
};

}  // namespace

const DicomDataSet* DicomGroups::find(std::uint32_t group) const {
    const DicomDataSet* const item = own ? own->item(group) : nullptr;
    return item || !shared ? item : shared->item(group);
}

void read_dimensions(const DicomBytes& bytes, const DicomDataSet& data, const std::vector<DicomGroups>& groups, DicomObject& object) {
    DimensionsReader(bytes, data, groups, object).read();
}

}  // namespace voxcc::io
