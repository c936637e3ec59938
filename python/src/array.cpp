#include "python/src/array.h"

#include <bit>
#include <cstring>

namespace voxcc::python {
namespace {

/// The type of an element.
struct Element {
    ScalarType type;
    enum class Width { full, half } width = Width::full;
};

/// @param code the letter of the module `struct` of Python
Element element_of(char code, Py_ssize_t bytes) {
    using enum ScalarType;
    const auto of_size = [&](std::array<ScalarType, 4> types) { return types[std::size_t(std::countr_zero(std::size_t(bytes)))]; };
    if (std::has_single_bit(std::size_t(bytes)) && bytes <= 8) {
        if (code == '?' || std::strchr("BHILQN", code)) return {of_size({u8, u16, u32, u64})};
        if (std::strchr("bhilqn", code)) return {of_size({i8, i16, i32, i64})};
        if (code == 'e') return {f32, Element::Width::half};
        if (code == 'f') return {f32};
        if (code == 'd') return {f64};
    }
    throw Error(ErrorKind::invalid_argument, "array", "elements must be booleans, integers or floats of 16, 32 or 64 bits");
}

}  // namespace

Array::Array(nb::handle object, Use use) {
    const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (use == Use::write ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &buffer_, flags) != 0) throw nb::python_error();
    try {
        const char* format = buffer_.format ? buffer_.format : "B";
        const char order = std::strchr("@=<>!^", *format) ? *format++ : '@';
        const bool big = order == '>' || order == '!', little = order == '<';
        const bool swapped = std::endian::native == std::endian::little ? big : little;
        if (*format == 0 || format[1] != 0) throw Error(ErrorKind::invalid_argument, "array", "elements must be single numbers");
        const Element element = element_of(*format, buffer_.itemsize);
        type_ = element.type;
        if (element.width == Element::Width::half) storage_ = swapped ? Storage::swapped_half : Storage::half;
        else storage_ = swapped && buffer_.itemsize > 1 ? Storage::swapped : Storage::native;
    } catch (...) {
        PyBuffer_Release(&buffer_);
        throw;
    }
}

Array::~Array() { PyBuffer_Release(&buffer_); }

}  // namespace voxcc::python
