#include "src/pipeline/component_output.h"

#include <algorithm>
#include <limits>

namespace voxcc {
namespace {

/// The columns of some members, in their order.
std::vector<TableColumn> columns_of(const std::vector<TableColumn>& all, const std::vector<std::string_view>& stems) {
    std::vector<TableColumn> columns;
    for (const std::string_view stem : stems)
        std::ranges::copy_if(all, std::back_inserter(columns), [&](const TableColumn& column) {
            return column.family->repeat == ColumnFamily::Members::listed && column.family->members[column.member].stem == stem;
        });
    return columns;
}

std::vector<double> numbers_of(const std::vector<TableColumn>& columns, const ComponentValues& values) {
    std::vector<double> numbers;
    for (const io::Cell& cell : component_row(columns, values)) {
        const auto* number = std::get_if<double>(&cell);
        numbers.push_back(number ? *number : std::numeric_limits<double>::quiet_NaN());
    }
    return numbers;
}

/// A whole number or a text; "" for another cell.
std::string text_of(const io::Cell& cell) {
    return std::visit(
        []<class T>(const T& value) -> std::string {
            if constexpr (std::is_integral_v<T>) return std::to_string(value);
            else if constexpr (std::is_same_v<T, std::string>) return value;
            else return "";
        },
        cell);
}

bool is_plane(const ExtraColumns& extras) { return extras.form.spaces.planes && !extras.form.spaces.volumes && !extras.slice; }

}  // namespace

void check_component_output(const std::string& path, const TableChoice& choice, const ExtraColumns& extras) {
    if (path.empty()) return;
    if (io::is_anndata_path(path))
        return io::check_anndata(path, choice.columns.empty() ? names_of(table_columns(extras)) : choice.columns);
    try {
        io::table_format(path);
    } catch (const Error& error) {
        throw Error(error.kind(), path, error.cause(), error.choices().empty() ? std::string() : io::component_table_extensions());
    }
}

ComponentOutput::ComponentOutput(const std::string& path, io::OutputFiles& outputs, std::vector<TableColumn> columns,
                                 const ExtraColumns& extras)
    : columns_(std::move(columns)), extras_(extras) {
    io::OutputFile* const file = path == "-" ? nullptr : &outputs.create(path);
    if (file && io::is_anndata_path(path)) start_anndata(*file);
    else text_.emplace(file, io::table_format(path), names_of(columns_));
}

void ComponentOutput::start_anndata(io::OutputFile& file) {
    const std::vector<TableColumn> all = table_columns(extras_);
    AnnDataOutput& anndata = anndata_.emplace();
    anndata.means = columns_of(all, {"intensity_mean"});
    anndata.positions = columns_of(all, {"centroid_x", "centroid_y", "centroid_z"});
    anndata.indices = columns_of(all, {"centroid_i", "centroid_j", "centroid_k"});
    if (is_plane(extras_))
        for (std::vector<TableColumn>* axes : {&anndata.positions, &anndata.indices}) axes->pop_back();
    anndata.unit = name_of(extras_.form.units);
    io::AnnDataForm form{names_of(columns_), {}, anndata.positions.size()};
    for (const std::string& image : extras_.images) form.variables.push_back(image.empty() ? "intensity" : image);
    anndata.writer = io::create_anndata(file, std::move(form));
}

std::vector<TableColumn> ComponentOutput::columns() const {
    std::vector<TableColumn> columns = columns_;
    if (anndata_)
        for (const auto* others : {&anndata_->means, &anndata_->positions, &anndata_->indices})
            std::ranges::copy(*others, std::back_inserter(columns));
    return columns;
}

std::string ComponentOutput::name_of_row(const ComponentValues& values) const {
    std::string name;
    for (const auto& [is_part, cell] : {std::pair(extras_.file, &values.file), {extras_.volume, &values.volume}})
        if (const std::string part = is_part ? text_of(*cell) : ""; !part.empty()) name += part + ":";
    return name + text_of(values.label);
}

void ComponentOutput::put(const ComponentValues& values, AnnDataOutput& to) const {
    using Position = AnnDataOutput::Position;
    if (to.position == Position::unknown) to.position = values.properties.has_world ? Position::world : Position::voxels;
    to.writer->row({name_of_row(values), component_row(columns_, values), numbers_of(to.means, values),
                    numbers_of(to.position == Position::world ? to.positions : to.indices, values)});
}

void ComponentOutput::row(const ComponentValues& values) {
    if (text_) text_->row(component_row(columns_, values));
    else put(values, *anndata_);
}

void ComponentOutput::finish() {
    if (text_) return text_->finish();
    const bool in_voxels = anndata_->position == AnnDataOutput::Position::voxels;
    anndata_->writer->finish({{"spatial_unit", in_voxels ? "voxel" : anndata_->unit}});
}

}  // namespace voxcc
