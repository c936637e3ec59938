#include "io/tiff_handle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

namespace voxcc::io {
namespace {

constexpr std::int64_t alloc_floor = 64 << 20;  // libtiff's own tables and buffers, beyond what a file of this size can hold

int silent(TIFF*, void*, const char*, const char*, va_list) { return 1; }
tmsize_t no_write(thandle_t, void*, tmsize_t) { return 0; }
int no_close(thandle_t) { return 0; }
int no_map(thandle_t, void**, toff_t*) { return 0; }
void no_unmap(thandle_t, void*, toff_t) {}

template <class T>
T load(const std::byte* from, bool swapped) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), from, sizeof(T));
    if (swapped) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

}  // namespace

TiffHandle::TiffHandle(const std::string& path) : source_(std::make_unique<Source>(path)) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    if (!options) throw Error(ExitCode::out_of_memory, path, "cannot open with libtiff");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), file().size() + alloc_floor);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &complain, source_.get());
    // Warnings are about tags nobody here reads; what matters is checked where it is used.
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &silent, nullptr);
    // m: no memory map, a file that shrinks meanwhile would be SIGBUS. c: strips as they are in the file.
    tiff_.reset(TIFFClientOpenExt(path.c_str(), "rmc", source_.get(), &read, &no_write, &seek, &no_close, &size, &no_map, &no_unmap,
                                  options.get()));
    if (!tiff_) fail("not a TIFF, or its first page cannot be read");
}

bool TiffHandle::next_directory() {
    if (TIFFLastDirectory(get())) return false;
    if (!TIFFReadDirectory(get())) fail("the chain of pages is broken, the file is cut short or corrupt");
    return true;
}

void TiffHandle::select_directory(std::uint64_t offset) {
    if (!TIFFSetSubDirectory(get(), offset)) fail("a page cannot be read");
}

std::optional<double> TiffHandle::inverse_rational(std::uint16_t tag) const {
    const bool big = TIFFIsBigTIFF(get()), swapped = TIFFIsByteSwapped(get());
    const std::size_t entry_bytes = big ? 20 : 12, count_bytes = big ? 8 : 2;
    const auto directory = std::int64_t(TIFFCurrentDirOffset(get()));
    std::array<std::byte, 8> count_field{};
    file().read(directory, std::span(count_field).first(count_bytes));
    const std::uint64_t count = big ? load<std::uint64_t>(count_field.data(), swapped) : load<std::uint16_t>(count_field.data(), swapped);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 4096); ++i) {
        std::array<std::byte, 20> entry{};
        file().read(directory + std::int64_t(count_bytes + i * entry_bytes), std::span(entry).first(entry_bytes));
        if (load<std::uint16_t>(entry.data(), swapped) != tag) continue;
        if (load<std::uint16_t>(entry.data() + 2, swapped) != TIFF_RATIONAL) return {};
        std::array<std::byte, 8> fraction{};
        if (big) std::memcpy(fraction.data(), entry.data() + 12, 8);
        else file().read(load<std::uint32_t>(entry.data() + 8, swapped), fraction);
        const auto numerator = load<std::uint32_t>(fraction.data(), swapped),
                   denominator = load<std::uint32_t>(fraction.data() + 4, swapped);
        if (numerator == 0 || denominator == 0) return {};
        return double(denominator) / numerator;
    }
    return {};
}

void TiffHandle::fail(const std::string& cause) const {
    if (source_->error) std::rethrow_exception(source_->error);
    throw Error(ExitCode::bad_data, file().path(), cause + (source_->complaint.empty() ? "" : " (" + source_->complaint + ")"));
}

tmsize_t TiffHandle::read(thandle_t handle, void* to, tmsize_t bytes) {
    auto& source = *static_cast<Source*>(handle);
    if (source.position < 0 || bytes <= 0 || source.error) return 0;
    try {
        const std::size_t got = source.file.read_some(source.position, {static_cast<std::byte*>(to), std::size_t(bytes)});
        source.position += std::int64_t(got);
        return tmsize_t(got);
    } catch (...) {
        source.error = std::current_exception();
        return 0;
    }
}

toff_t TiffHandle::seek(thandle_t handle, toff_t offset, int whence) {
    auto& source = *static_cast<Source*>(handle);
    const std::int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? source.position : source.file.size();
    source.position = std::int64_t(toff_t(from) + offset);
    return toff_t(source.position);
}

toff_t TiffHandle::size(thandle_t handle) { return toff_t(static_cast<Source*>(handle)->file.size()); }

int TiffHandle::complain(TIFF*, void* source, const char*, const char* format, va_list arguments) {
    std::array<char, 400> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    static_cast<Source*>(source)->complaint = text.data();
    return 1;
}

}  // namespace voxcc::io
