#include "src/pipeline/match_tables.h"

#include "src/errors/program_error.h"
#include "src/pipeline/bids.h"

namespace voxcc {

void MatchTables::check() const {
    for (const std::string& path : {paths_.pairs, paths_.stats, paths_.summary})
        if (!path.empty() && path != "-") outputs_.check(path);
}

void MatchTables::begin(const Form& form, const MatchValues& values) {
    form_ = form;
    const auto start = [&](std::optional<io::TableWriter>& table, const std::string& path, std::vector<std::string> columns) {
        if (!path.empty()) table.emplace(path == "-" ? nullptr : &outputs_.create(path), io::table_format(path), std::move(columns));
    };
    std::vector<std::string> pairs = pair_columns(form.space, form.units), stats = object_columns(form.space, form.units, changes_);
    add_names(pairs, origin_), add_names(stats, origin_);
    start(pairs_, paths_.pairs, pairs), start(stats_, paths_.stats, stats);
    std::vector<std::string> summary;
    add_names(summary, {.file = true, .entities = origin_.entities});
    summary.insert(summary.end(), {"file_b", "objects_a", "objects_b"});
    for (const NamedCells& cells : {metrics_of(values), changes_of(values)})
        for (const auto& [name, cell] : cells) summary.push_back(name);
    start(summary_, paths_.summary, summary);
}

void MatchTables::add(const MatchedPair& pair) {
    const Form form{pair.units, pair.volumes.space};
    if (!form_) begin(form, pair.values);
    if (form != *form_ && (pairs_ || stats_))
        throw ProgramError(ErrorKind::invalid_file, pair.a,
                           form.space != form_->space ? "has another number of dimensions than the volumes before, in one table"
                                                      : "has another unit of length than the volumes before, in one table",
                           "write one table per input, with {stem} in its name");
    const OriginCells cells{.file = pair.a, .volume = {}, .entities = entity_values(pair.a, origin_.entities), .further = {}};
    const auto adder = [&](io::TableWriter& table) {
        return [&](std::vector<io::Cell> row) {
            add_cells(row, origin_, cells);
            table.row(row);
        };
    };
    if (pairs_) add_pairs(pair.volumes, adder(*pairs_));
    if (stats_) add_objects(pair.volumes, pair.values.changes ? &*pair.values.changes : nullptr, adder(*stats_));
    if (!summary_) return;
    std::vector<io::Cell> row;
    add_cells(row, {.file = true, .entities = origin_.entities}, cells);
    row.insert(row.end(), {io::Cell(pair.b), io::Cell(pair.values.objects_a), io::Cell(pair.values.objects_b)});
    for (const NamedCells& named : {metrics_of(pair.values), changes_of(pair.values)})
        for (const auto& [name, cell] : named) row.push_back(cell);
    summary_->row(row);
}

void MatchTables::finish() {
    for (auto* table : {&pairs_, &stats_, &summary_})
        if (*table) (*table)->finish();
}

}  // namespace voxcc
