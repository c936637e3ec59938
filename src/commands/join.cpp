// `voxcc join`: writes the rows of several tables into one table, whose column `file` states from which table or volume a row is.
#include "io/table_reader.h"
#include "src/commands/joined_volumes.h"
#include "src/commands/overwrite.h"
#include "src/errors/exit_codes.h"
#include "src/errors/program_error.h"
#include "src/messages/report.h"
#include "src/pipeline/input.h"
#include "src/pipeline/input_list.h"
#include "src/pipeline/naming.h"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace voxcc {
namespace {

constexpr const char* file_column = "file";

/// The cell of the column `file` for the rows of a table.
// "{stem}.nii.gz", "tables/a.tsv" -> "a.nii.gz"; "{table}", "tables/a.tsv" -> "tables/a.tsv"
std::string file_cell(const std::string& name, const std::string& table) {
    constexpr std::string_view placeholder = "{table}";
    const std::string without_extension = std::filesystem::path(table).replace_extension().string();
    std::string cell;
    std::size_t at = 0;
    for (std::size_t found; (found = name.find(placeholder, at)) != std::string::npos; at = found + placeholder.size())
        cell += expand(name.substr(at, found - at), {without_extension}, std::nullopt) + table;
    return cell + expand(name.substr(at), {without_extension}, std::nullopt);
}

std::optional<std::size_t> position_of_file(const std::vector<std::string>& columns) {
    const auto found = std::find(columns.begin(), columns.end(), file_column);
    return found == columns.end() ? std::nullopt : std::optional(std::size_t(found - columns.begin()));
}

/// The columns of a table, with `file` at the place that it has in the table of a batch: before `volume` and `slice`.
// {"label", "volume"} -> {"label", "file", "volume"}
std::vector<std::string> with_file(std::vector<std::string> columns) {
    if (!position_of_file(columns)) {
        const auto next =
            std::find_if(columns.begin(), columns.end(), [](const auto& name) { return name == "volume" || name == "slice"; });
        columns.insert(next, file_column);
    }
    return columns;
}

/// Writes the rows of all tables. The first table decides the columns.
class JoinedTable {
public:
    JoinedTable(const JoinOptions& options, io::OutputFile* file) : options_(options), file_(file) {}

    void add(const std::string& table) {
        const std::string name = file_cell(options_.file, table);
        bool has_rows = false;
        const auto add_row = [&](const std::vector<std::string>& columns, std::vector<io::Cell>& row) {
            require(columns, table);
            if (!position_of_file(columns)) row.insert(row.begin() + std::ptrdiff_t(*position_of_file(columns_)), name);
            if (!options_.summary.empty()) volumes_.add_row(columns_, row, table);
            has_rows = true;
            writer_->row(row);
        };
        // A JSON table without rows has no columns.
        const auto columns = io::read_table(table, add_row);
        if (!columns.empty()) require(columns, table);
        if (!has_rows && !position_of_file(columns)) volumes_.add_table(name, columns);
    }
    void finish() {
        if (!writer_) writer_.emplace(file_, io::table_format(options_.output), std::vector<std::string>{file_column});
        writer_->finish();
    }

    SummaryTable summary() const { return volumes_.summary(); }

private:
    /// Starts the output with the columns of the first table. @throw ProgramError if a later table has other columns
    void require(const std::vector<std::string>& columns, const std::string& table) {
        if (!writer_) {
            first_ = table;
            columns_ = with_file(columns);
            writer_.emplace(file_, io::table_format(options_.output), columns_);
        }
        const std::vector<std::string> own = with_file(columns);
        if (own == columns_) return;
        const auto [in_first, in_own] = std::mismatch(columns_.begin(), columns_.end(), own.begin(), own.end());
        const std::string cause = in_own == own.end() ? "does not have the column '" + *in_first + "'"
                                                      : "has the column '" + *in_own + "' where the first table has " +
                                                            (in_first == columns_.end() ? "no further column" : "'" + *in_first + "'");
        throw ProgramError(ErrorKind::invalid_file, table, cause + "; the first table is " + first_,
                           "join tables that were made with the same options");
    }
    const JoinOptions& options_;
    io::OutputFile* const file_;
    std::string first_;
    std::vector<std::string> columns_;
    std::optional<io::TableWriter> writer_;
    JoinedVolumes volumes_;  // with --summary
};

}  // namespace

int run_join(const JoinOptions& options) {
    const std::vector<std::string> tables = all_inputs(options.tables, options.list);
    std::vector<std::string> read = tables;
    read.push_back(file_of_list(options.list));
    io::OutputFiles outputs(overwrite_of(options.existing), files_read({}, read, {}));
    JoinedTable joined(options, options.output == "-" ? nullptr : &outputs.create(options.output));
    for (const std::string& table : tables) joined.add(table);
    joined.finish();
    if (!options.summary.empty()) joined.summary().write(options.summary, outputs);
    outputs.publish();
    return int(ExitCode::ok);
}

}  // namespace voxcc
