#include "src/pipeline/kept_components.h"

#include "src/errors/program_error.h"
#include "src/options/nearest.h"
#include "src/pipeline/label_table.h"

#include <algorithm>

namespace voxcc {
namespace {

/// Which option adds a column to the table, for messages; empty if no option does.
// "sphericity" -> ", which --shape adds"
std::string option_for(const std::string& name) {
    ExtraColumns all{.images = {""}, .percentiles = {}, .shape = true};
    const std::vector<TableColumn> columns = columns_named(table_columns(all), name, Groups::leave_out);
    if (columns.empty()) return "";
    return columns.front().family->image_cell         ? ", which --intensity adds"
           : columns.front().family->group == "shape" ? ", which --shape adds"
                                                      : "";
}

}  // namespace

RowCondition::RowCondition(const std::string& text, const std::string& option, const std::vector<TableColumn>& columns)
    : expression_(text, option) {
    for (const std::string& name : expression_.names()) {
        const std::vector<TableColumn> named = columns_named(columns, name, Groups::leave_out);
        if (named.empty())
            throw ProgramError(ErrorKind::invalid_argument, option,
                               "the table has no column '" + name + "'" + option_for(name) + nearest_hint(name, names_of(columns)),
                               "write a column of docs/reference/columns.md, also without its unit");
        columns_.push_back(named.front());
    }
}

bool RowCondition::is_true(const ComponentValues& values) const {
    const std::vector<io::Cell> cells = component_row(columns_, values);
    return expression_.is_true(cells);
}

void check_condition(const std::string& text, const std::string& option, ExtraColumns extras) {
    RowCondition(text, option, columns_in_all_units(std::move(extras)));
}

void keep_components(const StageResults& results, const LabelOptions& options, Selection& selection, MeasuredComponents& measured) {
    if (options.keep.empty()) return;
    const DescribedVolume& described = results.described;
    TableForm form = form_of(options.units, described.info, space_of_components(described.connectivity, described.info));
    if (results.job.volume) form.volume = VolumeColumn::add;
    const RowCondition condition(options.keep, "--keep", table_columns(label_extras(options, Merged::no, form)));
    LabelledValues values(results, options);
    std::vector<std::uint64_t> kept;  // numbers before
    for (std::uint64_t label = 1; label <= selection.count; ++label)
        if (condition.is_true(values.of(label))) kept.push_back(label);
    if (kept.size() == selection.count) return;

    Selection result;
    result.count = kept.size();
    result.final_numbers.assign(results.labelled.count(), 0);
    for (const std::uint64_t label : kept) {
        result.rows.push_back(selection.row_of(label));
        result.final_numbers[result.rows.back()] = result.rows.size();
    }
    if (!measured.inside.empty()) {
        std::vector<VoxelIndex> inside;
        for (const std::uint64_t label : kept) inside.push_back(measured.inside[label - 1]);
        measured.inside = std::move(inside);
    }
    selection = std::move(result);
    measured.numbers_before_keep = std::move(kept);
}

}  // namespace voxcc
