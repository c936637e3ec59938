#include "io/formats/itk/itk_call.h"

#include "io/header_text.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace voxcc::io {
namespace {

// @return the message without the source file and object of ITK, which precede it on separate lines or before "): "; at most 200 bytes
std::string one_line(std::string_view text) {
    if (const std::size_t object = text.find("): "); object != text.npos) text.remove_prefix(object + 3);
    text = trim(text);
    return std::string(trim(text.substr(0, std::min<std::size_t>(text.find('\n'), 200))));
}

}  // namespace

Error translated(const std::string& path) {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return {ErrorKind::out_of_memory, path, "no memory for its voxels"};
    } catch (const itk::ExceptionObject& error) {
        return {ErrorKind::invalid_file, path, "cannot be read: " + one_line(error.GetDescription())};
    } catch (const std::exception& error) {
        return {ErrorKind::invalid_file, path, "cannot be read: " + one_line(error.what())};
    } catch (...) {
        return {ErrorKind::invalid_file, path, "cannot be read"};
    }
}

ScalarType scalar_type_of(itk::IOComponentEnum component, const std::string& path) {
    using Component = itk::IOComponentEnum;
    switch (component) {
        case Component::UCHAR: return ScalarType::u8;
        case Component::CHAR: return ScalarType::i8;
        case Component::USHORT: return ScalarType::u16;
        case Component::SHORT: return ScalarType::i16;
        case Component::UINT: return ScalarType::u32;
        case Component::INT: return ScalarType::i32;
        case Component::ULONG: return voxcc::scalar_type_of<unsigned long>();
        case Component::LONG: return voxcc::scalar_type_of<long>();
        case Component::ULONGLONG: return ScalarType::u64;
        case Component::LONGLONG: return ScalarType::i64;
        case Component::FLOAT: return ScalarType::f32;
        case Component::DOUBLE: return ScalarType::f64;
        default:
            throw Error(ErrorKind::unsupported_file, path,
                        "voxels of type " + itk::ImageIOBase::GetComponentTypeAsString(component) + " are not read");
    }
}

ScalarType scalar_type_of(const itk::ImageIOBase& image, const std::string& path) {
    if (image.GetPixelType() != itk::IOPixelEnum::SCALAR || image.GetNumberOfComponents() != 1)
        throw Error(ErrorKind::several_values, path,
                    "its voxels are vectors or colours (" + std::to_string(image.GetNumberOfComponents()) + " components)");
    return scalar_type_of(image.GetComponentType(), path);
}

ScalarType colour_type_of(const itk::ImageIOBase& image, const std::string& path) {
    const unsigned channels = image.GetNumberOfComponents();
    const ScalarType channel = scalar_type_of(image.GetComponentType(), path);
    if ((channels != 3 && channels != 4) || (channel != ScalarType::u8 && channel != ScalarType::u16))
        throw Error(ErrorKind::several_values, path,
                    "its voxels have " + std::to_string(channels) + " channels of type " + std::string(name_of(channel)) +
                        "; colours have 3 or 4 channels of uint8 or uint16");
    return channel == ScalarType::u8 ? ScalarType::u32 : ScalarType::u64;
}

namespace {

template <class Channel, class Colour>
void pack_all(std::span<const std::byte> channels, int count, std::byte* to) {
    for (std::size_t at = 0; at < channels.size(); to += sizeof(Colour)) {
        Colour colour = 0;
        for (int c = 0; c < count; ++c, at += sizeof(Channel)) {
            Channel channel;
            std::memcpy(&channel, channels.data() + at, sizeof channel);
            colour |= Colour(channel) << (8 * sizeof(Channel) * std::size_t(c));
        }
        std::memcpy(to, &colour, sizeof colour);
    }
}

}  // namespace

void pack_colours(std::span<const std::byte> channels, int count, ScalarType type, std::byte* to) {
    if (type == ScalarType::u32) pack_all<std::uint8_t, std::uint32_t>(channels, count, to);
    else pack_all<std::uint16_t, std::uint64_t>(channels, count, to);
}

Extent extent_of(itk::ImageIOBase& image, const std::string& path) {
    const unsigned dimensions = image.GetNumberOfDimensions();
    for (unsigned axis = 4; axis < dimensions; ++axis)
        if (image.GetDimensions(axis) > 1)
            throw Error(ErrorKind::unsupported_file, path, "has " + std::to_string(dimensions) + " dimensions; up to 4 are read");
    const auto size = [&](unsigned axis) { return axis < dimensions ? std::int64_t(image.GetDimensions(axis)) : 1; };
    const Extent extent{size(0), size(1), size(2)};
    checked_bytes(extent, 8, path);
    return extent;
}

Steps lps_steps_of(const itk::ImageIOBase& image) {
    Steps steps{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}};
    const unsigned dimensions = std::min(3u, image.GetNumberOfDimensions());
    for (unsigned axis = 0; axis < dimensions; ++axis) {
        const std::vector<double> direction = image.GetDirection(axis);
        for (unsigned row = 0; row < 3; ++row)
            steps.columns[axis][row] = (row < direction.size() ? direction[row] : 0) * image.GetSpacing(axis);
        steps.origin[axis] = image.GetOrigin(axis);
    }
    return steps;
}

void read_slices(itk::ImageIOBase& image, std::int64_t first, std::int64_t count, std::int64_t volume, std::byte* to) {
    const unsigned dimensions = image.GetNumberOfDimensions();
    itk::ImageIORegion region(dimensions);
    for (unsigned axis = 0; axis < dimensions; ++axis) {
        region.SetIndex(axis, 0);
        region.SetSize(axis, image.GetDimensions(axis));
    }
    if (image.CanStreamRead() && dimensions > 2) {
        region.SetIndex(2, first);
        region.SetSize(2, itk::SizeValueType(count));
    }
    if (image.CanStreamRead() && dimensions > 3) {
        region.SetIndex(3, volume);
        region.SetSize(3, 1);
    }
    image.SetIORegion(region);
    image.Read(to);
}

}  // namespace voxcc::io
