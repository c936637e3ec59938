// libtiff on top of a checked file. Failed reads and messages of libtiff become errors; nothing is printed on stderr.
#pragma once
#include "io/files/checked_file.h"
#include "io/formats/tiff/stored_directory.h"

#include <tiffio.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace voxcc::io {

/// A TIFF opened for reading, positioned at its first directory. A directory (page) is identified by its offset in the file. Not
/// thread-safe.
class TiffHandle {
public:
    /// @throw Error missing_file, no_permission; about the content if it is not a TIFF or its first directory is truncated
    explicit TiffHandle(const std::string& path);
    /// The same file without a limit on the memory of libtiff, for a process that has a limit of its own. @throw Error as TiffHandle()
    TiffHandle reopened() const;
    TIFF* get() const { return tiff_.get(); }
    const InputFile& file() const { return *source_->file; }
    /// Moves to the next directory. @return false after the last directory
    /// @throw Error about the content if the chain loops or leaves the file, or if the directory is not completely inside the file
    bool next_directory();
    /// Moves to the directory at `offset`. @throw Error about the content
    void select_directory(std::uint64_t offset);
    /// The bytes of the current directory, which are read once. They are valid until another directory is current.
    /// @throw Error about the content if it is truncated
    const StoredDirectory& directory() const;
    /// The inverse of a RATIONAL tag of the current directory, for a resolution tag the units per pixel. It has full precision; libtiff
    /// keeps 24 bits. @return empty if the tag is absent, not RATIONAL, or zero
    std::optional<double> inverse_rational(std::uint16_t tag) const;
    /// The first value of a tag of the current directory, also if libtiff ignores it because it is not valid.
    /// @return empty if the tag is absent or not SHORT
    std::optional<std::uint16_t> stored_short(std::uint16_t tag) const;
    /// The text of a tag of the current directory, up to its first zero. @return empty if the tag is absent or not ASCII
    std::optional<std::string> stored_text(std::uint16_t tag) const;
    /// The number of values of a tag of the current directory, as the file states it. @return 0 if the tag is absent
    std::uint64_t stored_count(std::uint16_t tag) const;
    /// Throws if an allocation of libtiff has failed, which libtiff reports as a corrupt or missing tag. @throw Error out_of_memory
    void require_memory() const;
    void forget_messages() { source_->messages.clear(); }
    /// The first errors and warnings of libtiff since forget_messages().
    const std::vector<std::string>& messages() const { return source_->messages; }
    /// Throws the error of a failed read if there was one, else about the content with `cause` and the last error of libtiff, or
    /// its first warning.
    [[noreturn]] void fail(const std::string& cause) const;

private:
    struct Source {
        explicit Source(std::shared_ptr<const InputFile> opened) : file(std::move(opened)) {}
        std::shared_ptr<const InputFile> file;
        std::int64_t position = 0;
        std::exception_ptr error;           // of a failed read; C++ exceptions must not pass through libtiff
        std::string complaint;              // the last error
        std::vector<std::string> messages;  // errors and warnings
    };
    struct Closer {
        void operator()(TIFF* tiff) const { TIFFClose(tiff); }
    };
    enum class Memory { limited, unlimited };  // of one allocation of libtiff
    TiffHandle(std::shared_ptr<const InputFile> file, Memory memory);
    template <class T>
    std::optional<T> stored_value(std::uint16_t tag, std::uint16_t type) const;
    static tmsize_t read(thandle_t source, void* to, tmsize_t size);
    static toff_t seek(thandle_t source, toff_t offset, int whence);
    static toff_t size(thandle_t source);
    static int complain(TIFF*, void* source, const char* module, const char* format, va_list arguments);
    static int warn(TIFF*, void* source, const char* module, const char* format, va_list arguments);

    std::unique_ptr<Source> source_;
    std::unique_ptr<TIFF, Closer> tiff_;
    mutable std::optional<StoredDirectory> directory_;  // the last directory that was asked for
};

}  // namespace voxcc::io
