#include "src/pipeline/size_sum.h"

#include "io/table_reader.h"
#include "src/pipeline/bids.h"
#include "src/pipeline/columns.h"

#include <algorithm>

namespace voxcc {
namespace {

std::optional<double> number_in(const io::Cell& cell) {
    const io::Cell value = io::with_value(cell);
    if (const auto* const natural = std::get_if<std::uint64_t>(&value)) return double(*natural);
    if (const auto* const real = std::get_if<double>(&value)) return *real;
    return std::nullopt;
}

/// The columns that the volumes need. The table has `volume_mm3` if no volume states another column.
TableForm form_of(const std::vector<VolumeSummary>& volumes, const std::vector<SizeSum>& sums) {
    TableForm form;
    form.spaces = {.planes = false, .volumes = false};
    std::vector<std::string> files;
    for (const VolumeSummary& volume : volumes) {
        files.push_back(volume.file);
        if (volume.volume) form.volume = VolumeColumn::add;
    }
    for (const SizeSum& sum : sums) {
        form.units = sum.units().value_or(form.units);
        form.spaces.planes = form.spaces.planes || sum.spaces().planes;
        form.spaces.volumes = form.spaces.volumes || sum.spaces().volumes;
    }
    if (!form.spaces.planes) form.spaces.volumes = true;
    form.entities = subject_entities(files);
    return form;
}

}  // namespace

SizeSum::SizeSum(const std::vector<std::string>& columns) {
    for (const Units units : all_units)
        for (const auto& [space, name] : {std::pair(Space::volume, "volume_" + unit_of(Quantity::volume, units).page),
                                          std::pair(Space::plane, "area_" + unit_of(Quantity::area, units).page)}) {
            const auto found = std::ranges::find(columns, name);
            if (found == columns.end()) continue;
            columns_.push_back({std::size_t(found - columns.begin()), space});
            units_ = units;
        }
    if (!columns_.empty()) space_ = columns_.front().space;
}

void SizeSum::add(const std::vector<io::Cell>& row) {
    bool has_size = false;
    for (const Column& column : columns_) {
        const std::optional<double> size = number_in(row[column.place]);
        if (!size) continue;
        space_ = column.space;
        total_ += *size;
        has_size = true;
    }
    is_complete_ = is_complete_ && has_size;
}

std::optional<double> SizeSum::total() const { return is_complete_ && !columns_.empty() ? std::optional(total_) : std::nullopt; }

Spaces SizeSum::spaces() const {
    const auto has = [&](Space space) { return std::ranges::find(columns_, space, &Column::space) != columns_.end(); };
    return {.planes = has(Space::plane), .volumes = has(Space::volume)};
}

void SummaryTable::write(const std::string& path, io::OutputFiles& outputs) const {
    io::TableWriter table(path == "-" ? nullptr : &outputs.create(path), io::table_format(path), columns);
    for (const std::vector<io::Cell>& row : rows) table.row(row);
    table.finish();
}

SummaryTable summary_table(std::vector<VolumeSummary> volumes, const std::vector<SizeSum>& sums) {
    const TableForm form = form_of(volumes, sums);
    SummaryTable table{summary_columns(form), {}};
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        volumes[i].space = sums[i].space();
        volumes[i].size = sums[i].total();
        table.rows.push_back(summary_row(volumes[i], form));
    }
    return table;
}

}  // namespace voxcc
