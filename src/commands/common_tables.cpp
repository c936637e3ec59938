#include "src/commands/common_tables.h"

#include "src/commands/label_outputs.h"
#include "src/pipeline/input_list.h"
#include "src/pipeline/label_table.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/sidecar.h"
#include "src/pipeline/summary_table.h"

#include <algorithm>

namespace voxcc {
namespace {

bool has_common_table(const LabelOptions& options) {
    const auto is_common = [&](const std::string& path) { return !path.empty() && is_common_output(path, options); };
    return !options.summary.empty() || is_common(options.stats) ||
           std::ranges::any_of(side_tables, [&](SideTable side) { return is_common(path_of(side, options)); });
}

}  // namespace

io::OutputFile* table_file(const std::string& path, io::OutputFiles& outputs) { return path == "-" ? nullptr : &outputs.create(path); }

CommonTables::CommonTables(const LabelOptions& options, OutputClaims& claims, io::OutputFiles& outputs)
    : options_(options), outputs_(outputs) {
    if (has_common_table(options)) form_ = common_form(options);
    start_side_tables(claims);
    start_summary(claims);
    start_components(claims);
}

void CommonTables::check(const std::string& path, const std::string& option, OutputClaims& claims) const {
    claims.add(path, option);
    if (path != "-") outputs_.check(path);
}

void CommonTables::start_side_tables(OutputClaims& claims) {
    SideTablePaths paths;
    for (const SideTable side : side_tables) {
        const std::string& path = path_of(side, options_);
        if (path.empty() || !is_common_output(path, options_)) continue;
        check(path, option_of(side), claims);
        paths[side] = path;
    }
    side_tables_.emplace(paths, options_, SideTableForm{Merged::yes, form_}, outputs_);
}

void CommonTables::start_summary(OutputClaims& claims) {
    if (options_.summary.empty()) return;
    check(options_.summary, "--summary", claims);
    volumes_.emplace(table_file(options_.summary, outputs_), io::table_format(options_.summary), summary_columns(form_));
}

void CommonTables::start_components(OutputClaims& claims) {
    if (options_.stats.empty()) return;
    for (const BatchInput& input : options_.inputs)
        check_component_output(expand(options_.stats, input, std::nullopt), options_.table,
                               label_extras(options_, Merged::yes, {.further = further_columns(options_)}));
    if (!is_common_output(options_.stats, options_)) return;
    check(options_.stats, "--stats", claims);
    const std::string sidecar = sidecar_of(options_.stats, options_);
    claims.add(sidecar, "--sidecar");
    columns_ = label_columns(options_, Merged::yes, form_);
    components_.emplace(options_.stats, outputs_, columns_, label_extras(options_, Merged::yes, form_));
    if (!sidecar.empty()) write_sidecar(options_.stats, columns_, outputs_);
}

void CommonTables::add(const LabelledVolume& volume) {
    if (components_) add_rows(volume, options_, columns_, *components_);
    if (volumes_) volumes_->row(summary_row(summary_of(volume, form_), form_));
    side_tables_->add(volume);
}

void CommonTables::finish() {
    if (components_) components_->finish();
    if (volumes_) volumes_->finish();
    side_tables_->finish();
}

}  // namespace voxcc
