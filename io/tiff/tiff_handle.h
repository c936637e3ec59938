// libtiff over a checked file: failed reads and what libtiff complains about become errors; nothing reaches stderr.
#pragma once
#include "io/checked_file.h"

#include <tiffio.h>
#include <memory>
#include <optional>
#include <string>

namespace voxcc::io {

/// A TIFF opened for reading, at its first directory. Directories (pages) are known by their offset in the file.
class TiffHandle {
public:
    /// @throw Error no_input, no_permission; bad_data if it is not a TIFF or its first directory is truncated
    explicit TiffHandle(const std::string& path);
    TIFF* get() const { return tiff_.get(); }
    const InputFile& file() const { return source_->file; }
    /// Goes to the next directory. @return false after the last
    /// @throw Error bad_data if the chain loops or leaves the file, or if the directory does not lie completely inside the file
    bool next_directory();
    void select_directory(std::uint64_t offset);
    /// 1 / a RATIONAL tag of the current directory: with a resolution tag, the units a pixel. In full precision, of which libtiff keeps
    /// 24 bits; empty if absent, zero or not finite.
    std::optional<double> inverse_rational(std::uint16_t tag) const;
    /// Throws what really went wrong: a failed read of the file, else `cause` and libtiff's last complaint as bad_data.
    [[noreturn]] void fail(const std::string& cause) const;

private:
    struct Source {
        explicit Source(const std::string& path) : file(path) {}
        InputFile file;
        std::int64_t position = 0;
        std::exception_ptr error;  // exceptions cannot pass through libtiff
        std::string complaint;
    };
    struct Closer {
        void operator()(TIFF* tiff) const { TIFFClose(tiff); }
    };
    static tmsize_t read(thandle_t source, void* to, tmsize_t size);
    static toff_t seek(thandle_t source, toff_t offset, int whence);
    static toff_t size(thandle_t source);
    static int complain(TIFF*, void* source, const char* module, const char* format, va_list arguments);

    std::unique_ptr<Source> source_;
    std::unique_ptr<TIFF, Closer> tiff_;
};

}  // namespace voxcc::io
