// Volumes in memory: extent, axes, rows, type of a voxel, and views of voxels and labels at any strides.
#pragma once
#include <voxcc/error.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

// Functions with this macro are compiled for CPU threads and, with nvcc, also for the GPU.
#ifdef __CUDACC__
#define VOXCC_HD __host__ __device__
#else
#define VOXCC_HD
#endif

namespace voxcc {

/// The number of voxels along x (fastest in memory and file), y and z (slowest). A 2D image has nz = 1.
// {4, 3, 2}: 24 voxels in 6 rows; voxel (x, y, z) has index x + 4 * (y + 3 * z)
struct Extent {
    std::int64_t nx = 0, ny = 0, nz = 0;
    constexpr std::int64_t rows() const { return ny * nz; }
    constexpr std::int64_t voxels() const { return nx * ny * nz; }
    bool operator==(const Extent&) const = default;
};

/// Rows [first, first + count) in raster order. Row r has y = r % ny and z = r / ny.
// ny = 3: the rows {2, 2} are (y 2, z 0) and (y 0, z 1)
struct RowRange {
    std::int64_t first = 0, count = 0;
    constexpr std::int64_t end() const { return first + count; }
    bool operator==(const RowRange&) const = default;
};

enum class ScalarType : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 };

/// Calls f(std::type_identity<T>{}), where T is the C++ type of `type`, and returns its result.
// visit_scalar(ScalarType::u16, []<class T>(std::type_identity<T>) { return sizeof(T); })  ->  2
template <class F>
decltype(auto) visit_scalar(ScalarType type, F&& f) {
    switch (type) {
        case ScalarType::u8: return f(std::type_identity<std::uint8_t>{});
        case ScalarType::i8: return f(std::type_identity<std::int8_t>{});
        case ScalarType::u16: return f(std::type_identity<std::uint16_t>{});
        case ScalarType::i16: return f(std::type_identity<std::int16_t>{});
        case ScalarType::u32: return f(std::type_identity<std::uint32_t>{});
        case ScalarType::i32: return f(std::type_identity<std::int32_t>{});
        case ScalarType::u64: return f(std::type_identity<std::uint64_t>{});
        case ScalarType::i64: return f(std::type_identity<std::int64_t>{});
        case ScalarType::f32: return f(std::type_identity<float>{});
        case ScalarType::f64: return f(std::type_identity<double>{});
    }
    throw Error(ErrorKind::internal, "scalar type", "unknown value " + std::to_string(int(type)));
}

/// Bytes per voxel.
constexpr std::int64_t size_of(ScalarType type) {
    switch (type) {
        case ScalarType::u8:
        case ScalarType::i8: return 1;
        case ScalarType::u16:
        case ScalarType::i16: return 2;
        case ScalarType::u32:
        case ScalarType::i32:
        case ScalarType::f32: return 4;
        default: return 8;
    }
}

/// The name of the type in numpy: "uint8", "int16", "float32", ...
constexpr std::string_view name_of(ScalarType type) {
    constexpr std::array<std::string_view, 10> names{"uint8", "int8",   "uint16", "int16",   "uint32",
                                                     "int32", "uint64", "int64",  "float32", "float64"};
    return names[std::size_t(type)];
}

/// The ScalarType of an arithmetic C++ type.
// float -> f32; bool and unsigned char -> u8
template <class T>
constexpr ScalarType scalar_type_of() {
    if constexpr (std::is_same_v<T, float>) return ScalarType::f32;
    else if constexpr (std::is_same_v<T, double>) return ScalarType::f64;
    else if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? ScalarType::i8 : ScalarType::u8;
    else if constexpr (sizeof(T) == 2) return std::is_signed_v<T> ? ScalarType::i16 : ScalarType::u16;
    else if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? ScalarType::i32 : ScalarType::u32;
    else return std::is_signed_v<T> ? ScalarType::i64 : ScalarType::u64;
}

/// Computes nx * ny * nz * bytes_per_voxel without overflow. Sizes from a file header must be checked with this function.
/// @param subject file name, subject of the error
/// @throw Error invalid_extent if an extent is not positive, or if the product exceeds 2^63 - 1
inline std::int64_t checked_bytes(const Extent& e, std::int64_t bytes_per_voxel, std::string_view subject) {
    std::int64_t product = bytes_per_voxel;
    for (const std::int64_t n : {e.nx, e.ny, e.nz}) {
        if (n <= 0) throw Error(ErrorKind::invalid_extent, std::string(subject), "an extent of " + std::to_string(n) + " voxels");
        if (__builtin_mul_overflow(product, n, &product))
            throw Error(ErrorKind::invalid_extent, std::string(subject), "the header claims more than 2^63 bytes of voxels");
    }
    return product;
}

enum class Axis : std::uint8_t { x, y, z };

/// Some of the axes x, y and z.
// {{true, false, false}}: only x
struct AxisSet {
    std::array<bool, 3> axes{};
    bool any() const { return axes[0] || axes[1] || axes[2]; }
    bool operator==(const AxisSet&) const = default;
};

/// Distances in bytes between neighbouring voxels along x, y and z. They may be negative.
// 4 x 2 x 1 voxels of u16, x fastest: {2, 8, 16}
using Strides = std::array<std::int64_t, 3>;

/// Voxels in host memory. The caller owns them. They must stay allocated and unchanged until the last call of Labelling::paint().
struct VolumeView {
    const std::byte* voxels = nullptr;  // the voxel (0, 0, 0); the pointer and all strides must be aligned for the type
    ScalarType type = ScalarType::u8;
    Extent extent;
    Strides strides{};
};

/// Labels in host memory, one integer per voxel. The caller owns them. Labels of different voxels must not overlap.
struct LabelView {
    std::byte* labels = nullptr;  // the label of voxel (0, 0, 0); the pointer and all strides must be aligned for the type
    ScalarType type = ScalarType::u32;
    Strides strides{};
};

/// Strides of nx * ny * nz elements without gaps, x fastest: a C array [z][y][x].
// {4, 2, 1}, 2 bytes -> {2, 8, 16}
constexpr Strides dense(const Extent& extent, std::int64_t element_bytes) {
    return {element_bytes, element_bytes * extent.nx, element_bytes * extent.nx * extent.ny};
}

/// A view of voxels without gaps, x fastest: a C array [z][y][x].
template <class T>
VolumeView view(const T* voxels, const Extent& extent) {
    return {reinterpret_cast<const std::byte*>(voxels), scalar_type_of<T>(), extent, dense(extent, sizeof(T))};
}

/// A view of voxels at any strides.
/// @param voxels_apart strides in voxels, not in bytes
// A Fortran array a(nx, ny, nz), numbered by its first index first: extent {nx, ny, nz}, strides {1, nx, nx * ny}
// The same array, numbered by its last index first: extent {nz, ny, nx}, strides {nx * ny, nx, 1}
template <class T>
VolumeView view(const T* voxels, const Extent& extent, const Strides& voxels_apart) {
    constexpr auto bytes = std::int64_t(sizeof(T));
    return {reinterpret_cast<const std::byte*>(voxels),
            scalar_type_of<T>(),
            extent,
            {bytes * voxels_apart[0], bytes * voxels_apart[1], bytes * voxels_apart[2]}};
}

}  // namespace voxcc
