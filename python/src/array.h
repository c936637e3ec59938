// A NumPy array that a call reads or writes, through the buffer protocol of Python.
#pragma once
#include <voxcc/source.h>

#include <nanobind/nanobind.h>

#include <span>

namespace voxcc::python {

namespace nb = nanobind;

/// Holds the buffer of an array, which can neither move nor be freed meanwhile. Must be made and destroyed with the GIL.
class Array {
public:
    enum class Use { read, write };
    /// @throw nb::python_error BufferError or ValueError if the object has no buffer, or none that can be written; Error invalid_argument
    ///     if it does not hold booleans, integers or floats of 16 to 64 bits
    Array(nb::handle object, Use use);
    ~Array();
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    std::byte* data() const { return static_cast<std::byte*>(buffer_.buf); }
    int dimensions() const { return buffer_.ndim; }
    std::span<const Py_ssize_t> shape() const { return {buffer_.shape, std::size_t(buffer_.ndim)}; }
    std::span<const Py_ssize_t> strides() const { return {buffer_.strides, std::size_t(buffer_.ndim)}; }
    std::int64_t bytes() const { return buffer_.len; }
    ScalarType type() const { return type_; }  // f32 for halves
    Storage storage() const { return storage_; }

private:
    Py_buffer buffer_{};
    ScalarType type_ = ScalarType::u8;
    Storage storage_ = Storage::native;
};

}  // namespace voxcc::python
