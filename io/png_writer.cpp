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
// Without these functions, libpng prints messages on stderr. The caller throws the error, as one line.
void silent(png_structp, png_const_charp) {}
[[noreturn]] void jump(png_structp png, png_const_charp) { png_longjmp(png, 1); }

}  // namespace

void write_png(const Picture& picture, OutputFile& file) {
    if (picture.width > 1'000'000 || picture.height > 1'000'000)
        throw Error(ErrorKind::picture_too_large, file.target(),
                    "would be " + std::to_string(picture.width) + " x " + std::to_string(picture.height) + " pixels");
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
        png_set_IHDR(png, info, png_uint_32(picture.width), png_uint_32(picture.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png, info);
        for (std::int64_t y = 0; y < picture.height; ++y) png_write_row(png, picture.pixels[std::size_t(y * picture.width)].data());
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
