#include "io/formats/hdf5/hdf5_attributes.h"

#include <cstring>

namespace voxcc::io::hdf5 {
namespace {

constexpr hssize_t most_values = 64;
constexpr std::size_t longest_text = 65536;

std::optional<hssize_t> small_count(hid_t space) {
    const hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (n < 1 || n > most_values) return {};
    return n;
}

bool is_number(hid_t type) {
    const H5T_class_t type_class = H5Tget_class(type);
    return type_class == H5T_INTEGER || type_class == H5T_FLOAT;
}

Id open_attribute(hid_t object, const char* name) {
    if (H5Aexists(object, name) <= 0) return {};
    return Id(H5Aopen(object, name, H5P_DEFAULT));
}

std::vector<std::string> variable_texts(const File& file, const std::string& name, hid_t attribute, hid_t type, hid_t space,
                                        std::size_t count) {
    std::vector<char*> pointers(count, nullptr);
    file.check(H5Aread(attribute, type, pointers.data()), "read the attribute " + name);
    std::vector<std::string> texts;
    for (const char* text : pointers) texts.emplace_back(text ? text : "", text ? ::strnlen(text, longest_text) : 0);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    return texts;
}

std::vector<std::string> fixed_texts(const File& file, const std::string& name, hid_t attribute, hid_t type, std::size_t count) {
    const std::size_t length = H5Tget_size(type);
    if (length < 1 || length > longest_text) throw Error(ErrorKind::invalid_file, file.path(), "the attribute " + name + " is too long");
    std::vector<char> bytes(count * length);
    file.check(H5Aread(attribute, type, bytes.data()), "read the attribute " + name);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.emplace_back(bytes.data() + i * length, ::strnlen(bytes.data() + i * length, length));
    return texts;
}

}  // namespace

std::optional<std::vector<double>> number_attribute(hid_t object, const char* name) {
    const Lock lock;
    const Id attribute = open_attribute(object, name);
    if (attribute < 0) return {};
    const Id space(H5Aget_space(attribute)), type(H5Aget_type(attribute));
    const auto count = small_count(space);
    if (!count || !is_number(type)) return {};
    std::vector<double> values(static_cast<std::size_t>(*count));
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
    return values;
}

std::optional<std::vector<std::string>> text_attribute(const File& file, hid_t object, const char* name) {
    const Lock lock;
    const Id attribute = open_attribute(object, name);
    if (attribute < 0) return {};
    const Id space(H5Aget_space(attribute)), type(H5Aget_type(attribute));
    const auto count = small_count(space);
    if (!count || H5Tget_class(type) != H5T_STRING) return {};
    return H5Tis_variable_str(type) > 0 ? variable_texts(file, name, attribute, type, space, std::size_t(*count))
                                        : fixed_texts(file, name, attribute, type, std::size_t(*count));
}

std::optional<std::vector<double>> number_dataset(const File& file, const std::string& path) {
    const Lock lock;
    if (H5Lexists(file, path.c_str(), H5P_DEFAULT) <= 0) return {};
    H5L_info_t link{};
    if (H5Lget_info(file, path.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) return {};
    const Id dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
    if (dataset < 0) return {};
    const Id space(H5Dget_space(dataset)), type(H5Dget_type(dataset)), creation(H5Dget_create_plist(dataset));
    const auto count = small_count(space);
    // ITK writes these datasets contiguous and inside the file. Requiring this avoids filters, which are not trusted.
    if (!count || !is_number(type) || H5Pget_layout(creation) != H5D_CONTIGUOUS || H5Pget_external_count(creation) != 0) return {};
    std::vector<double> values(static_cast<std::size_t>(*count));
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return {};
    return values;
}

}  // namespace voxcc::io::hdf5
