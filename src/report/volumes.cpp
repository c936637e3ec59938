#include "src/report/volumes.h"

#include "io/table_reader.h"
#include "src/errors/program_error.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace voxcc::report {
namespace {

/// The identity of a volume: its table, and the texts of the cells `file` and `volume`.
using Key = std::array<std::string, 3>;

std::optional<std::size_t> position(const std::vector<std::string>& columns, const std::string& name) {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) return {};
    return std::size_t(found - columns.begin());
}

/// The positions of the columns that a report uses.
struct Positions {
    std::size_t voxels;
    std::optional<std::size_t> size, file, volume;
    std::optional<std::size_t> side;  // in tables of `voxcc match --stats`
};

// The columns volume_mm3 and area_mm2, with any unit.
bool is_size_column(const std::string& name) { return name.starts_with("volume_") || name.starts_with("area_"); }

Positions positions_of(const std::vector<std::string>& columns, const std::string& table) {
    const auto voxels = position(columns, "voxels");
    if (!voxels || !position(columns, "label"))
        throw ProgramError(ErrorKind::invalid_file, table, "does not have the columns 'label' and 'voxels'",
                           "give a table that 'voxcc label --stats', 'voxcc stats' or 'voxcc match --stats' has written");
    const auto size = std::find_if(columns.begin(), columns.end(), is_size_column);
    return {.voxels = *voxels,
            .size = size == columns.end() ? std::nullopt : std::optional(std::size_t(size - columns.begin())),
            .file = position(columns, "file"),
            .volume = position(columns, "volume"),
            .side = position(columns, "partner") ? position(columns, "side") : std::nullopt};
}

std::string text_of(const io::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* whole = std::get_if<std::uint64_t>(&cell)) return std::to_string(*whole);
    return {};
}

void set_size_per_voxel(TableVolume& volume, const Positions& at, const std::vector<io::Cell>& row) {
    if (!at.size || volume.size_per_voxel > 0 || !(number_in(row[*at.size]) > 0)) return;
    const std::string& column = volume.columns[*at.size];
    volume.size_per_voxel = number_in(row[*at.size]) / number_in(row[at.voxels]);
    volume.size_unit = column.substr(column.find('_') + 1);
}

/// Reads one table and adds its volumes.
class TableCollector {
public:
    TableCollector(std::string table, std::size_t rows_limit, std::vector<TableVolume>& volumes)
        : table_(std::move(table)), rows_limit_(rows_limit), volumes_(volumes) {}

    /// @return the columns of the table
    std::vector<std::string> read() {
        return io::read_table(table_, [this](const std::vector<std::string>& columns, std::vector<io::Cell>& row) { add(columns, row); });
    }

private:
    void add(const std::vector<std::string>& columns, std::vector<io::Cell>& row) {
        if (!positions_) positions_ = positions_of(columns, table_);
        if (is_of_b(row)) return;
        for (io::Cell& cell : row) cell = io::with_value(std::move(cell));
        require_voxels(row);
        TableVolume& volume = volume_of(columns, row);
        set_size_per_voxel(volume, *positions_, row);
        volume.sizes.push_back(number_in(row[positions_->voxels]));
        volume.size_sum.add(row);
        volume.rows.push_back(std::move(row));
        if (volume.rows.size() >= 2 * rows_limit_) keep_largest(volume, rows_limit_);
    }

    /// Whether a row of `voxcc match --stats` is an object of B. Its label is a label of another volume.
    bool is_of_b(const std::vector<io::Cell>& row) const { return positions_->side && text_of(row[*positions_->side]) == "b"; }

    /// Sizes above 2^53 are not exact as doubles.
    void require_voxels(const std::vector<io::Cell>& row) const {
        const double voxels = number_in(row[positions_->voxels]);
        if (!(voxels >= 1 && voxels <= 0x1p53))
            throw ProgramError(ErrorKind::invalid_file, table_, "has a row whose number of voxels is not a number from 1 to 2^53");
    }

    TableVolume& volume_of(const std::vector<std::string>& columns, const std::vector<io::Cell>& row) {
        const auto cell = [&](const std::optional<std::size_t>& column) { return column ? text_of(row[*column]) : std::string(); };
        const auto [at, is_new] = indices_.emplace(Key{table_, cell(positions_->file), cell(positions_->volume)}, volumes_.size());
        if (is_new) {
            TableVolume volume = empty_volume(table_, columns);
            if (positions_->file) volume.file = cell(positions_->file);
            if (positions_->volume)
                if (const auto* number = std::get_if<std::uint64_t>(&row[*positions_->volume])) volume.volume = std::int64_t(*number);
            volumes_.push_back(std::move(volume));
        }
        return volumes_[at->second];
    }

    const std::string table_;
    const std::size_t rows_limit_;
    std::vector<TableVolume>& volumes_;
    std::optional<Positions> positions_;
    std::map<Key, std::size_t> indices_;
};

}  // namespace

std::optional<std::size_t> column_of(const TableVolume& volume, const std::string& name) { return position(volume.columns, name); }

TableVolume empty_volume(const std::string& table, const std::vector<std::string>& columns) {
    TableVolume volume;
    volume.table = table;
    volume.columns = columns;
    volume.size_sum = SizeSum(columns);
    return volume;
}

double number_in(const io::Cell& cell) {
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    if (const auto* whole = std::get_if<std::uint64_t>(&cell)) return double(*whole);
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return double(*whole);
    return 0;
}

std::vector<TableVolume> read_volumes(const std::vector<std::string>& tables, std::size_t rows_limit) {
    std::vector<TableVolume> volumes;
    std::vector<TableVolume> without_rows;
    for (const std::string& table : tables) {
        const std::size_t before = volumes.size();
        const std::vector<std::string> columns = TableCollector(table, rows_limit, volumes).read();
        if (volumes.size() > before) continue;
        const bool has_columns = !columns.empty();  // a JSON table without rows has no columns
        if (has_columns) positions_of(columns, table);
        const bool is_batch = position(columns, "file").has_value();
        (is_batch ? without_rows : volumes).push_back(empty_volume(table, columns));
    }
    if (volumes.empty()) volumes = without_rows;
    for (TableVolume& volume : volumes) keep_largest(volume, rows_limit);
    return volumes;
}

SummaryTable summary_of(const std::vector<TableVolume>& volumes) {
    std::vector<VolumeSummary> summaries;
    std::vector<SizeSum> sums;
    const TableVolume* first = nullptr;  // with a unit
    for (const TableVolume& volume : volumes) {
        const auto units = volume.size_sum.units();
        if (units && !first) first = &volume;
        if (units && units != first->size_sum.units())
            throw ProgramError(ErrorKind::invalid_argument, "--summary",
                               "has one unit, but " + first->table + " has sizes in " + std::string(name_of(*first->size_sum.units())) +
                                   ", and " + volume.table + " in " + std::string(name_of(*units)),
                               "give tables of one unit, made with --units");
        summaries.push_back({.file = volume.file.value_or(volume.table),
                             .volume = volume.volume,
                             .sizes = {volume.sizes.begin(), volume.sizes.end()},
                             .foreground = volume.foreground,
                             .voxels_in_volume = volume.voxels_in_volume});
        sums.push_back(volume.size_sum);
    }
    return summary_table(std::move(summaries), sums);
}

void keep_largest(TableVolume& volume, std::size_t limit) {
    if (volume.rows.size() <= limit) return;
    const std::size_t voxels = *column_of(volume, "voxels");
    std::vector<std::size_t> order(volume.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return number_in(volume.rows[a][voxels]) > number_in(volume.rows[b][voxels]); });
    order.resize(limit);
    std::sort(order.begin(), order.end());
    std::vector<std::vector<io::Cell>> kept;
    for (const std::size_t row : order) kept.push_back(std::move(volume.rows[row]));
    volume.rows = std::move(kept);
}

std::vector<std::size_t> shared_rows(const std::vector<TableVolume>& volumes, std::size_t cell_limit) {
    const auto cells = [&](std::size_t i) { return volumes[i].rows.size() * volumes[i].columns.size(); };
    std::vector<std::size_t> order(volumes.size()), rows(volumes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cells(a) < cells(b); });
    for (std::size_t done = 0; done < order.size(); ++done) {
        const std::size_t volume = order[done], share = cell_limit / (order.size() - done);
        const std::size_t columns = std::max<std::size_t>(volumes[volume].columns.size(), 1);
        rows[volume] = std::min(volumes[volume].rows.size(), share / columns);
        cell_limit -= rows[volume] * columns;
    }
    return rows;
}

}  // namespace voxcc::report
