#include "io/png_writer.h"

#include "io/failed_allocation.h"

#include <png.h>

namespace voxcc::io {
namespace {

struct Sink {
    OutputFile& file;
    std::exception_ptr error;  // stored, because a C++ exception must not pass through libpng, which reports errors by longjmp
};

void write_bytes(png_structp png, png_bytep bytes, std::size_t count) {
    Sink& sink = *static_cast<Sink*>(png_get_io_ptr(png));
    try {
        sink.file.write(std::as_bytes(std::span(bytes, count)));
    } catch (...) {
        sink.error = std::current_exception();
    }
    if (sink.error) png_error(png, "write failed");
}
void flush_nothing(png_structp) {}

/// The pixels of a row; null if row(y) throws. The exception is then in `sink`.
const Pixel* row_or_null(const std::function<const Pixel*(std::int64_t)>& row, std::int64_t y, Sink& sink) {
    try {
        return row(y);
    } catch (...) {
        sink.error = std::current_exception();
        return nullptr;
    }
}

// Without these functions, libpng prints messages on stderr. The caller throws the error, as one line.
void silent(png_structp, png_const_charp) {}
[[noreturn]] void jump(png_structp png, png_const_charp) { png_longjmp(png, 1); }

}  // namespace

void write_png(const Picture& picture, OutputFile& file) {
    const auto row = [&](std::int64_t y) { return picture.pixels.data() + y * picture.width; };
    write_png(picture.width, picture.height, row, file);
}

void write_png(std::int64_t width, std::int64_t height, const std::function<const Pixel*(std::int64_t y)>& row, OutputFile& file) {
    if (width > 1'000'000 || height > 1'000'000)
        throw Error(ErrorKind::picture_too_large, file.target(),
                    "would be " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
    Sink sink{file, nullptr};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, jump, silent);
    png_infop info = png ? png_create_info_struct(png) : nullptr;
    if (!info) {
        png_destroy_write_struct(&png, nullptr);
        throw Error(ErrorKind::out_of_memory, file.target(), "no memory for the PNG writer");
    }
    forget_failed_allocations();
    const bool failed = setjmp(png_jmpbuf(png)) != 0;
    if (!failed) {
        png_set_user_limits(png, 1'000'000, 1'000'000);
        png_set_write_fn(png, &sink, write_bytes, flush_nothing);
        png_set_IHDR(png, info, png_uint_32(width), png_uint_32(height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png, info);
        for (std::int64_t y = 0; y < height; ++y) {
            const Pixel* const pixels = row_or_null(row, y, sink);
            if (!pixels) png_error(png, "no row");
            png_write_row(png, pixels->data());
        }
        png_write_end(png, info);
    }
    const bool without_memory = failed && allocation_failed();
    png_destroy_write_struct(&png, &info);
    if (without_memory) throw Error(ErrorKind::out_of_memory, file.target(), "no memory for the PNG writer");
    if (sink.error) std::rethrow_exception(sink.error);
    if (failed) throw Error(ErrorKind::internal, file.target(), "libpng gave up");
    file.close();
}

}  // namespace voxcc::io
