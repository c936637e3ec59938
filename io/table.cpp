#include "io/table.h"

#include "io/anndata.h"
#include "io/files/transfer.h"
#include "io/optional_libraries.h"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

namespace voxcc::io {
namespace {

constexpr const char* table_extensions = ".csv, .tsv or .json";
constexpr std::size_t flush_at = std::size_t{1} << 20;  // bytes

// JSON must be UTF-8, but file names need not be: invalid bytes become U+FFFD.
std::string json_text(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string csv_text(const std::string& text) {
    const std::string safe = is_formula(text) ? "'" + text : text;
    if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
    std::string quoted = "\"";
    for (const char c : safe) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

std::string tsv_text(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '\t': escaped += "\\t"; break;
            case '\n': escaped += "\\n"; break;
            case '\r': escaped += "\\r"; break;
            case '\\': escaped += "\\\\"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

void write_to_stdout(std::string_view text) {
    if (const int error = write_all(STDOUT_FILENO, std::as_bytes(std::span(text))))
        throw system_error("stdout", "write", error, Access::write);
}

/// The extension of a name, in lower case.
std::string table_extension_of(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return extension;
}

/// Whether all characters are one number without a sign, in decimal notation.
bool is_unsigned_number(std::string_view text) {
    if (text.empty() || !(text.front() == '.' || (text.front() >= '0' && text.front() <= '9'))) return false;
    double ignored = 0;
    return std::from_chars(text.data(), text.data() + text.size(), ignored).ptr == text.data() + text.size();
}

}  // namespace

bool is_formula(std::string_view text) {
    const std::size_t start = text.find_first_not_of("\t\r\n");
    if (start == std::string_view::npos || std::string_view("=+-@").find(text[start]) == std::string_view::npos) return false;
    const bool has_sign = text[start] == '+' || text[start] == '-';
    return !has_sign || !is_unsigned_number(text.substr(start + 1));
}

std::size_t terminal_columns_of(std::string_view text) {
    return std::size_t(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_anndata_path(const std::string& path) { return table_extension_of(path) == ".h5ad"; }

std::string component_table_extensions() { return has_hdf5() ? ".csv, .tsv, .json or .h5ad" : table_extensions; }

TableFormat table_format(const std::string& path) {
    if (path == "-") return ::isatty(STDOUT_FILENO) ? TableFormat::aligned : TableFormat::csv;
    const std::string extension = table_extension_of(path);
    if (extension == ".csv") return TableFormat::csv;
    if (extension == ".tsv") return TableFormat::tsv;
    if (extension == ".json") return TableFormat::json;
    if (is_anndata_path(path))
        throw Error(ErrorKind::unknown_format, path, "an AnnData file can hold only the table of components", table_extensions);
    throw Error(ErrorKind::unknown_format, path, "the extension is not a table format", table_extensions);
}

TableWriter::TableWriter(OutputFile* file, TableFormat format, std::vector<std::string> columns)
    : file_(file), format_(format), columns_(std::move(columns)) {
    buffer_.reserve(flush_at + (flush_at >> 4));
    if (format_ == TableFormat::json) {
        buffer_ += '[';
        for (std::string& column : columns_) column = json_text(column) + ':';  // stored in escaped form, because every row repeats it
        return;
    }
    if (format_ == TableFormat::aligned) return;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (i > 0) buffer_ += format_ == TableFormat::csv ? ',' : '\t';
        put_text(columns_[i]);
    }
    buffer_ += '\n';
}

void TableWriter::row(const std::vector<Cell>& cells) {
    if (cells.size() != columns_.size())
        throw Error(ErrorKind::internal, "table",
                    std::to_string(cells.size()) + " cells for " + std::to_string(columns_.size()) + " columns");
    ++rows_;
    if (format_ != TableFormat::aligned || !widths_.empty()) return put_row(cells);
    constexpr std::size_t most = 1000;
    waiting_.push_back(cells);
    if (waiting_.size() == most) put_aligned();
}

void TableWriter::put_row(const std::vector<Cell>& cells) {
    if (format_ == TableFormat::aligned) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::size_t begin = buffer_.size();
            put(cells[i]);
            const std::size_t width = terminal_columns_of(std::string_view(buffer_).substr(begin));
            const std::string blanks(widths_[i] > width ? widths_[i] - width : 0, ' ');
            const bool is_text = std::holds_alternative<std::string>(cells[i]), is_last = i + 1 == cells.size();
            if (!is_text) buffer_.insert(begin, blanks);
            else if (!is_last) buffer_ += blanks;
            buffer_ += is_last ? "\n" : "  ";
        }
        if (buffer_.size() >= flush_at) flush();
        return;
    }
    const bool json = format_ == TableFormat::json;
    const char separator = format_ == TableFormat::tsv ? '\t' : ',';
    if (json) buffer_ += rows_ == 1 ? "\n{" : ",\n{";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) buffer_ += separator;
        if (json) buffer_ += columns_[i];
        put(cells[i]);
    }
    buffer_ += json ? '}' : '\n';
    if (buffer_.size() >= flush_at) flush();
}

void TableWriter::put(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return put_text(*text);
    const bool is_json = format_ == TableFormat::json;
    if (const auto* numeral = std::get_if<Numeral>(&cell)) {
        buffer_ += is_json && numeral->text == "-0" ? "0" : numeral->text;
        return;
    }
    const auto* real = std::get_if<double>(&cell);
    if (std::holds_alternative<std::monostate>(cell) || (real && std::isnan(*real))) {
        buffer_ += is_json ? "null" : "n/a";
        return;
    }
    std::array<char, 32> digits;  // the longest double has 24 characters
    const auto write = [&](auto value) { return std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr; };
    const auto* natural = std::get_if<std::uint64_t>(&cell);
    const char* const end = real ? write(*real + 0.0) : natural ? write(*natural) : write(std::get<std::int64_t>(cell));  // -0 + 0 is 0
    const std::string_view quote = is_json && real && std::isinf(*real) ? "\"" : "";  // JSON has no infinite numbers
    buffer_.append(quote).append(digits.data(), std::size_t(end - digits.data())).append(quote);
}

void TableWriter::put_text(const std::string& text) {
    const bool is_empty_line = text.empty() && columns_.size() == 1;  // which readers skip
    switch (format_) {
        case TableFormat::csv: buffer_ += is_empty_line ? "\"\"" : csv_text(text); break;
        case TableFormat::tsv: buffer_ += is_empty_line ? "n/a" : tsv_text(text); break;
        case TableFormat::json: buffer_ += json_text(text); break;
        case TableFormat::aligned: buffer_ += text; break;
    }
}

/// Writes the header and the rows that wait for the widths of the columns.
void TableWriter::put_aligned() {
    std::vector<std::size_t> widths;
    for (const std::string& column : columns_) widths.push_back(terminal_columns_of(column));
    for (const std::vector<Cell>& row : waiting_)
        for (std::size_t i = 0; i < row.size(); ++i) {
            put(row[i]);
            widths[i] = std::max(widths[i], terminal_columns_of(buffer_));
            buffer_.clear();
        }
    widths_ = std::move(widths);
    // A header stands where the cells of its column stand.
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool is_text = !waiting_.empty() && std::holds_alternative<std::string>(waiting_.front()[i]);
        const std::string blanks(widths_[i] - terminal_columns_of(columns_[i]), ' ');
        const bool is_last = i + 1 == columns_.size();
        buffer_ += is_text ? columns_[i] + (is_last ? "" : blanks) : blanks + columns_[i];
        buffer_ += is_last ? "\n" : "  ";
    }
    for (const std::vector<Cell>& row : waiting_) put_row(row);
    waiting_.clear();
}

void TableWriter::flush() {
    if (file_) file_->write(buffer_);
    else write_to_stdout(buffer_);
    buffer_.clear();
}

void TableWriter::finish() {
    if (format_ == TableFormat::aligned && widths_.empty()) put_aligned();
    if (format_ == TableFormat::json) buffer_ += "\n]\n";
    flush();
    if (file_) file_->close();
}

}  // namespace voxcc::io
