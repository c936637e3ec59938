// The words, lines and values of a legacy VTK file, in the order of the file.
#pragma once
#include "io/files/checked_file.h"

#include <optional>

namespace voxcc::io {

/// The start of a word for a message. Bytes that are not text of ASCII become '?'.
// "DIMENSION" -> "'DIMENSION'"
std::string in_quotes(std::string_view word);

/// Reads text from any position of a file. Not thread-safe.
class VtkWords {
public:
    /// @param file must outlive this object
    explicit VtkWords(const InputFile& file) : file_(file), buffer_(std::size_t{1} << 16) {}
    std::int64_t position() const { return begin_ + std::int64_t(used_); }  // byte offset of the next character
    void seek(std::int64_t position);
    /// Passes blanks, line ends and the word after them. @return the word, valid until the next call; empty at the end of the file
    /// @throw Error invalid_file if the word is longer than 4096 bytes; io_error
    std::string_view word();
    /// Passes the next word if it is this one in upper or lower case. Otherwise, nothing is passed.
    /// @param keyword in lower case
    bool pass(std::string_view keyword);
    /// Passes a line with its end. @return the line without its end @throw Error truncated_file at the end of the file; invalid_file as
    /// word()
    std::string line();
    /// Passes the end of a line. @throw Error invalid_file if characters other than blanks come before it
    void end_line();
    /// Passes the blank or line end after a word. @throw Error truncated_file at the end of the file
    void pass_end_of_word();
    bool at_end() { return !next(); }
    bool is_at_blank();  // or at a line end
    std::byte byte();    // passes a byte; @throw Error truncated_file
    /// Passes bytes. @throw Error truncated_file if the file has fewer
    void skip(std::int64_t bytes);
    /// Passes a word that is a number. @param field name for errors @throw Error invalid_file, truncated_file
    std::int64_t integer(std::string_view field);
    double finite_number(std::string_view field);

private:
    std::optional<char> next();  // the next character, which is not passed
    std::string_view number_word(std::string_view field);
    [[noreturn]] void refuse_number(std::string_view field, const char* kind) const;

    const InputFile& file_;
    std::vector<std::byte> buffer_;
    std::int64_t begin_ = 0;             // byte offset of the buffer
    std::size_t used_ = 0, filled_ = 0;  // of the buffer
    std::string word_;
};

}  // namespace voxcc::io
