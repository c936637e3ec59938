#include "io/formats/hdf5/hdf5_dataset.h"

#include <array>

namespace voxcc::io::hdf5 {
namespace {

// h5py stores a numpy bool as an enumeration of FALSE and TRUE over int8.
bool is_boolean(hid_t type) {
    if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
    for (const auto& [name, expected] : {std::pair{"FALSE", 0}, std::pair{"TRUE", 1}}) {
        signed char value = -1;
        if (H5Tenum_valueof(type, name, &value) < 0 || value != expected) return false;
    }
    return true;
}

std::optional<ScalarType> integer_voxel(std::size_t bytes, H5T_sign_t sign) {
    const bool is_signed = sign == H5T_SGN_2;
    if (bytes < 1 || bytes > 8) return {};
    if (bytes == 1) return is_signed ? ScalarType::i8 : ScalarType::u8;
    if (bytes == 2) return is_signed ? ScalarType::i16 : ScalarType::u16;
    if (bytes <= 4) return is_signed ? ScalarType::i32 : ScalarType::u32;
    return is_signed ? ScalarType::i64 : ScalarType::u64;
}

std::string name_of_class(H5T_class_t type_class) {
    switch (type_class) {
        case H5T_TIME: return "time";
        case H5T_STRING: return "string";
        case H5T_BITFIELD: return "bitfield";
        case H5T_OPAQUE: return "opaque";
        case H5T_COMPOUND: return "compound";
        case H5T_REFERENCE: return "reference";
        case H5T_VLEN: return "variable length";
        case H5T_ARRAY: return "array";
        default: return "unknown type";
    }
}

bool is_inside(std::size_t first, std::size_t count, std::size_t limit) { return first <= limit && count <= limit - first; }

// libhdf5 1.10 does not check the positions of the bits in a type from a file. With wrong positions it reads outside of the elements.
bool has_bits_outside(const File& file, hid_t type, H5T_class_t type_class, const std::string& action) {
    const int offset = file.check(H5Tget_offset(type), action);
    const std::size_t precision = H5Tget_precision(type);
    if (precision == 0 || !is_inside(std::size_t(offset), precision, 8 * H5Tget_size(type))) return true;
    if (type_class != H5T_FLOAT) return false;
    std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
    file.check(H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits), action);
    return !is_inside(sign, 1, precision) || !is_inside(exponent, exponent_bits, precision) ||
           !is_inside(mantissa, mantissa_bits, precision);
}

}  // namespace

Element element_of(const File& file, hid_t dataset, const std::string& path) {
    const std::string action = "read the type of " + path;
    Element element;
    element.stored = file.own(H5Dget_type(dataset), action);
    H5T_class_t type_class = file.check(H5Tget_class(element.stored), action);
    bool boolean = false;
    if (type_class == H5T_ENUM) {
        boolean = is_boolean(element.stored);
        element.stored = file.own(H5Tget_super(element.stored), action);
        type_class = file.check(H5Tget_class(element.stored), action);
    }
    const bool is_number = type_class == H5T_INTEGER || type_class == H5T_FLOAT;
    if (is_number && has_bits_outside(file, element.stored, type_class, action))
        throw Error(ErrorKind::invalid_file, file.path(), path + " has a type whose bits lie outside of its bytes");
    element.bytes = H5Tget_size(element.stored);
    const std::string bits = std::to_string(8 * element.bytes);
    if (type_class == H5T_INTEGER) {
        const H5T_sign_t sign = file.check(H5Tget_sign(element.stored), action);
        element.voxel = boolean ? ScalarType::u8 : integer_voxel(element.bytes, sign);
        element.name = boolean ? "bool" : (sign == H5T_SGN_2 ? "int" : "uint") + bits;
        // 0 and 1 have the same bits with and without a sign.
        if (boolean) element.stored = file.own(H5Tcopy(H5T_NATIVE_UINT8), action);
    } else if (type_class == H5T_FLOAT) {
        if (element.bytes >= 1 && element.bytes <= 8) element.voxel = element.bytes <= 4 ? ScalarType::f32 : ScalarType::f64;
        element.name = "float" + bits;
    } else {
        element.name = name_of_class(type_class);
    }
    H5Eclear2(H5E_DEFAULT);  // clears errors of is_boolean(), which looks up names that can be missing
    return element;
}

hid_t native_type(ScalarType type) {
    switch (type) {
        case ScalarType::u8: return H5T_NATIVE_UINT8;
        case ScalarType::i8: return H5T_NATIVE_INT8;
        case ScalarType::u16: return H5T_NATIVE_UINT16;
        case ScalarType::i16: return H5T_NATIVE_INT16;
        case ScalarType::u32: return H5T_NATIVE_UINT32;
        case ScalarType::i32: return H5T_NATIVE_INT32;
        case ScalarType::u64: return H5T_NATIVE_UINT64;
        case ScalarType::i64: return H5T_NATIVE_INT64;
        case ScalarType::f32: return H5T_NATIVE_FLOAT;
        case ScalarType::f64: return H5T_NATIVE_DOUBLE;
    }
    return H5I_INVALID_HID;
}

std::optional<ElementFormat> format_of(const File& file, const Element& element) {
    const std::string action = "compare types";
    const auto is = [&](hid_t type) { return file.check(H5Tequal(element.stored, type), action) > 0; };
    const auto other_order = [&](const Id& type) {
        const H5T_order_t order = H5Tget_order(type) == H5T_ORDER_LE ? H5T_ORDER_BE : H5T_ORDER_LE;
        file.check(H5Tset_order(type, order), action);
    };
    const Id own = file.own(H5Tcopy(native_type(*element.voxel)), action);
    ElementFormat format{*element.voxel, Conversion::none, std::int64_t(element.bytes)};
    if (is(own)) return format;
    other_order(own);
    format.conversion = Conversion::swap_bytes;
    if (is(own)) return format;
    const Id half = file.own(H5Tcopy(H5T_NATIVE_FLOAT), action);
    file.check(H5Tset_fields(half, 15, 10, 5, 0, 10), action);
    file.check(H5Tset_size(half, 2), action);
    file.check(H5Tset_ebias(half, 15), action);
    format.conversion = Conversion::half;
    if (is(half)) return format;
    other_order(half);
    format.conversion = Conversion::swapped_half;
    if (is(half)) return format;
    return {};
}

}  // namespace voxcc::io::hdf5
