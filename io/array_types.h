// The types of the elements of NumPy and Zarr arrays.
#pragma once
#include "io/io.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace voxcc::io {

/// A type of elements, and the type of the voxels that they become.
struct ArrayType {
    std::string_view code, name;  // in NumPy: "u2", "uint16"
    ScalarType type;
    Samples samples = Samples::voxels;
    std::int64_t bytes() const { return samples == Samples::halves ? 2 : size_of(type); }
};

inline constexpr std::array array_types{
    ArrayType{"b1", "bool", ScalarType::u8},     ArrayType{"u1", "uint8", ScalarType::u8},
    ArrayType{"i1", "int8", ScalarType::i8},     ArrayType{"u2", "uint16", ScalarType::u16},
    ArrayType{"i2", "int16", ScalarType::i16},   ArrayType{"u4", "uint32", ScalarType::u32},
    ArrayType{"i4", "int32", ScalarType::i32},   ArrayType{"u8", "uint64", ScalarType::u64},
    ArrayType{"i8", "int64", ScalarType::i64},   ArrayType{"f2", "float16", ScalarType::f32, Samples::halves},
    ArrayType{"f4", "float32", ScalarType::f32}, ArrayType{"f8", "float64", ScalarType::f64}};

/// Finds a type by its code or its name. @param member &ArrayType::code or &ArrayType::name @return null if no type has it
// "u2", &ArrayType::code  ->  {"u2", "uint16", u16}
inline const ArrayType* array_type(std::string_view text, std::string_view ArrayType::*member) {
    const auto found = std::ranges::find(array_types, text, member);
    return found == array_types.end() ? nullptr : &*found;
}

}  // namespace voxcc::io
