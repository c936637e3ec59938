#include "io/formats/tiff/tiff_handle.h"

#include "io/failed_allocation.h"

#include <array>
#include <cstdio>

namespace voxcc::io {
namespace {

constexpr std::int64_t alloc_floor = 64 << 20;  // bytes for the tables and buffers of libtiff, in addition to the file size

tmsize_t no_write(thandle_t, void*, tmsize_t) { return 0; }
int no_close(thandle_t) { return 0; }
int no_map(thandle_t, void**, toff_t*) { return 0; }
void no_unmap(thandle_t, void*, toff_t) {}

std::string text_of(const char* format, va_list arguments) {
    std::array<char, 400> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    return text.data();
}

// Each handle keeps its own messages. Functions of libtiff without a handle would print on stderr.
void silence_libtiff() {
    static const bool is_silent [[maybe_unused]] = (TIFFSetErrorHandler(nullptr), TIFFSetWarningHandler(nullptr), true);
}

// A codec can report each row of a hostile file.
void keep(std::vector<std::string>& messages, const std::string& message) {
    constexpr std::size_t most_messages = 8;
    if (messages.size() < most_messages) messages.push_back(message);
}

// Checks what libtiff tolerates: it reads a truncated offset of the next directory as the end of the chain, and ignores tags whose values
// are unreadable. Both would lose pages of the volume.
void check_directory(const TiffHandle& tiff) {
    tiff.require_memory();
    const StoredDirectory& directory = tiff.directory();
    const auto size = std::uint64_t(tiff.file().size());
    for (std::uint64_t i = 0; i < directory.entries(); ++i) {
        const StoredEntry entry = directory.entry(i);
        if (entry.tag != TIFFTAG_IMAGEDESCRIPTION && entry.tag != TIFFTAG_XRESOLUTION && entry.tag != TIFFTAG_YRESOLUTION) continue;
        if (entry.value_at > size || entry.bytes() > size - entry.value_at)
            tiff.fail("the values of tag " + std::to_string(entry.tag) + " lie outside the file");
    }
}

}  // namespace

TiffHandle::TiffHandle(const std::string& path) : TiffHandle(std::make_shared<const InputFile>(path), Memory::limited) {}

TiffHandle TiffHandle::reopened() const { return TiffHandle(source_->file, Memory::unlimited); }

TiffHandle::TiffHandle(std::shared_ptr<const InputFile> opened, Memory memory) : source_(std::make_unique<Source>(std::move(opened))) {
    silence_libtiff();
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    if (!options) throw Error(ErrorKind::out_of_memory, file().path(), "cannot open with libtiff");
    if (memory == Memory::limited) TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), file().size() + alloc_floor);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &complain, source_.get());
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &warn, source_.get());
    // m: no memory map, because a file that shrinks would cause SIGBUS. c: do not merge or split strips.
    forget_failed_allocations();
    tiff_.reset(TIFFClientOpenExt(file().path().c_str(), "rmc", source_.get(), &read, &no_write, &seek, &no_close, &size, &no_map,
                                  &no_unmap, options.get()));
    if (!tiff_) fail("not a TIFF, or its first page cannot be read");
    check_directory(*this);
}

bool TiffHandle::next_directory() {
    if (TIFFLastDirectory(get())) return false;
    forget_failed_allocations();
    if (!TIFFReadDirectory(get())) fail("the chain of pages is broken, the file is truncated or corrupt");
    check_directory(*this);
    return true;
}

void TiffHandle::select_directory(std::uint64_t offset) {
    forget_failed_allocations();
    if (!TIFFSetSubDirectory(get(), offset)) fail("a page cannot be read");
    require_memory();
}

const StoredDirectory& TiffHandle::directory() const {
    const TiffForm form{TIFFIsBigTIFF(get()) != 0, TIFFIsByteSwapped(get()) != 0};
    const std::uint64_t begin = TIFFCurrentDirOffset(get());
    if (!directory_ || directory_->begin() != begin) directory_ = StoredDirectory::read(file(), form, begin);
    if (!directory_) fail("the page directory at byte " + std::to_string(begin) + " is truncated");
    return *directory_;
}

template <class T>
std::optional<T> TiffHandle::stored_value(std::uint16_t tag, std::uint16_t type) const {
    const StoredDirectory& stored = directory();
    for (std::uint64_t i = 0; i < stored.entries(); ++i) {
        const StoredEntry entry = stored.entry(i);
        if (entry.tag != tag) continue;
        if (entry.type != type || entry.count == 0) return {};
        T value;
        file().read(std::int64_t(entry.value_at), std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    return {};
}

std::optional<double> TiffHandle::inverse_rational(std::uint16_t tag) const {
    const auto fraction = stored_value<std::array<std::byte, 8>>(tag, TIFF_RATIONAL);
    if (!fraction) return {};
    const bool is_swapped = TIFFIsByteSwapped(get());
    const auto numerator = load<std::uint32_t>(fraction->data(), is_swapped),
               denominator = load<std::uint32_t>(fraction->data() + 4, is_swapped);
    if (numerator == 0 || denominator == 0) return {};
    return double(denominator) / numerator;
}

std::optional<std::uint16_t> TiffHandle::stored_short(std::uint16_t tag) const {
    const auto bytes = stored_value<std::array<std::byte, 2>>(tag, TIFF_SHORT);
    if (!bytes) return {};
    return load<std::uint16_t>(bytes->data(), TIFFIsByteSwapped(get()));
}

std::uint64_t TiffHandle::stored_count(std::uint16_t tag) const {
    const StoredDirectory& stored = directory();
    for (std::uint64_t i = 0; i < stored.entries(); ++i)
        if (const StoredEntry entry = stored.entry(i); entry.tag == tag) return entry.count;
    return 0;
}

std::optional<std::string> TiffHandle::stored_text(std::uint16_t tag) const {
    constexpr std::uint64_t most_characters = 1000;
    const StoredDirectory& stored = directory();
    for (std::uint64_t i = 0; i < stored.entries(); ++i) {
        const StoredEntry entry = stored.entry(i);
        if (entry.tag != tag || entry.type != TIFF_ASCII) continue;
        std::string text(std::size_t(std::min(entry.count, most_characters)), '\0');
        file().read(std::int64_t(entry.value_at), std::as_writable_bytes(std::span(text)));
        return text.substr(0, text.find('\0'));
    }
    return {};
}

void TiffHandle::require_memory() const {
    if (allocation_failed()) throw Error(ErrorKind::out_of_memory, file().path(), "libtiff needs more memory");
}

void TiffHandle::fail(const std::string& cause) const {
    require_memory();
    if (source_->error) std::rethrow_exception(source_->error);
    std::string message = source_->complaint;
    if (message.empty() && !messages().empty()) message = messages().front();
    throw Error(ErrorKind::invalid_file, file().path(), cause + (message.empty() ? "" : " (" + message + ")"));
}

tmsize_t TiffHandle::read(thandle_t handle, void* to, tmsize_t bytes) {
    auto& source = *static_cast<Source*>(handle);
    if (source.position < 0 || bytes <= 0 || source.error) return 0;
    try {
        const std::size_t got = source.file->read_some(source.position, {static_cast<std::byte*>(to), std::size_t(bytes)});
        source.position += std::int64_t(got);
        return tmsize_t(got);
    } catch (...) {
        source.error = std::current_exception();
        return 0;
    }
}

toff_t TiffHandle::seek(thandle_t handle, toff_t offset, int whence) {
    auto& source = *static_cast<Source*>(handle);
    const std::int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? source.position : source.file->size();
    source.position = std::int64_t(toff_t(from) + offset);
    return toff_t(source.position);
}

toff_t TiffHandle::size(thandle_t handle) { return toff_t(static_cast<Source*>(handle)->file->size()); }

int TiffHandle::complain(TIFF*, void* handle, const char*, const char* format, va_list arguments) {
    auto& source = *static_cast<Source*>(handle);
    source.complaint = text_of(format, arguments);
    keep(source.messages, source.complaint);
    return 1;
}

int TiffHandle::warn(TIFF*, void* handle, const char*, const char* format, va_list arguments) {
    keep(static_cast<Source*>(handle)->messages, text_of(format, arguments));
    return 1;
}

}  // namespace voxcc::io
