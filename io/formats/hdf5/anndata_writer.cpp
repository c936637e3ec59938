// Writer of AnnData files.
#include "io/anndata.h"
#include "io/formats/hdf5/anndata_column.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace voxcc::io {
namespace {

using namespace hdf5;

constexpr std::uint64_t rows_together = 4096;

class Writer final : public AnnDataWriter {
public:
    Writer(OutputFile& output, AnnDataForm form)
        : output_(output),
          form_(std::move(form)),
          file_(output),
          names_("/obs/_index", AnnDataType::text, std::nullopt, rows_together),
          values_("/X", AnnDataType::f64, form_.variables.size(), rows_together),
          positions_("/obsm/spatial", AnnDataType::f64, form_.axes, rows_together) {
        put_encoding(file_, file_, "anndata", "0.1.0");
        for (const char* group : {"/layers", "/obsm", "/obsp", "/uns", "/uns/voxcc", "/varm", "/varp"})
            make_group(file_, group, "dict", "0.1.0");
        make_frame("/obs", form_.columns);
        make_frame("/var", {});
        for (const std::string& column : form_.columns) columns_.emplace_back(file_, "/obs/" + column, rows_together);
        write_texts("/var/_index", form_.variables);
    }

    void row(const AnnDataRow& row) override {
        if (row.cells.size() != columns_.size() || row.values.size() != form_.variables.size() || row.position.size() != form_.axes)
            throw Error(ErrorKind::internal, output_.target(), "a row does not fit the columns");
        waiting_.names.push_back(in_utf8(row.name));
        auto column = columns_.begin();
        for (const Cell& cell : row.cells) (column++)->add(cell);
        for (const double value : row.values) waiting_.values.push_back(value + 0.0);
        for (const double value : row.position) waiting_.positions.push_back(value + 0.0);
        if (waiting_.names.size() == rows_together) flush(GrowingDataset::Rows::some);
    }

    void finish(const std::vector<std::pair<std::string, std::string>>& texts) override {
        const Lock lock;
        flush(GrowingDataset::Rows::all);
        write_text("/uns/voxcc/version", VOXCC_VERSION);
        for (const auto& [name, text] : texts) write_text("/uns/voxcc/" + name, text);
        const std::uint64_t rows = names_.rows();
        columns_.clear();
        for (GrowingDataset* dataset : {&names_, &values_, &positions_}) dataset->close();
        file_.check(H5Fflush(file_, H5F_SCOPE_LOCAL), "write");
        file_.close();
        verify(rows);
        output_.close();
    }

private:
    void make_frame(const std::string& path, const std::vector<std::string>& columns) {
        const Id group = make_group(file_, path, "dataframe", "0.2.0");
        put_text_attribute(file_, group, "_index", "_index");
        put_text_list_attribute(file_, group, "column-order", columns);
    }

    void write_texts(const std::string& path, const std::vector<std::string>& texts) {
        std::vector<std::string> valid;
        std::ranges::transform(texts, std::back_inserter(valid), in_utf8);
        std::vector<const char*> values;
        for (const std::string& text : valid) values.push_back(text.c_str());
        GrowingDataset(path, AnnDataType::text, std::nullopt, rows_together)
            .append(file_, values.data(), values.size(), GrowingDataset::Rows::all);
    }

    void write_text(const std::string& path, const std::string& text) {
        const std::string action = "write " + path;
        const Id type = text_type(file_), space = file_.own(H5Screate(H5S_SCALAR), action);
        const Id creation = file_.own(H5Pcreate(H5P_DATASET_CREATE), action);
        file_.check(H5Pset_obj_track_times(creation, 0), action);
        const Id dataset = file_.own(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), action);
        put_encoding(file_, dataset, "string", "0.2.0");
        const char* const value = text.c_str();
        file_.check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), action);
    }

    void flush(GrowingDataset::Rows which) {
        const Lock lock;
        const std::uint64_t rows = waiting_.names.size();
        std::vector<const char*> names;
        for (const std::string& name : waiting_.names) names.push_back(name.c_str());
        names_.append(file_, names.data(), rows, which);
        values_.append(file_, waiting_.values.data(), rows, which);
        positions_.append(file_, waiting_.positions.data(), rows, which);
        for (AnnDataColumn& column : columns_) column.flush(which);
        waiting_ = {};
    }

    /// Opens the written file, and compares the number of rows.
    void verify(std::uint64_t rows) const {
        const InputFile input(output_.temporary());
        const File file(input, ExternalFiles::refuse);
        for (const char* path : {"/obs/_index", "/X", "/obsm/spatial"}) {
            const Id dataset = file.own(H5Dopen2(file, path, H5P_DEFAULT), "read back the table");
            const Id space = file.own(H5Dget_space(dataset), "read back the table");
            std::array<hsize_t, 2> size{};
            const bool is_readable = H5Sget_simple_extent_ndims(space) <= 2 && H5Sget_simple_extent_dims(space, size.data(), nullptr) > 0;
            if (!is_readable || size[0] != rows)
                throw Error(ErrorKind::io_error, output_.target(), "reads back differently from what was written");
        }
    }

    struct Waiting {
        std::vector<std::string> names;
        std::vector<double> values, positions;
    };

    OutputFile& output_;
    AnnDataForm form_;
    File file_;
    GrowingDataset names_, values_, positions_;
    std::vector<AnnDataColumn> columns_;
    Waiting waiting_;  // rows since the last flush()
};

}  // namespace

void check_anndata(const std::string& path, const std::vector<std::string>& columns) {
    constexpr std::size_t most_columns = 4000;  // an attribute has 64 KiB, and each text in it 16 bytes
    if (columns.size() > most_columns)
        throw Error(ErrorKind::cannot_create, path,
                    "has " + std::to_string(columns.size()) + " columns, but AnnData files can list at most 4000; choose fewer columns");
    for (const std::string& column : columns)  // "/" and "." are parts of paths in HDF5, and _index is the column of the names
        if (column.find('/') != std::string::npos || column == "." || column == "_index" || in_utf8(column) != column)
            throw Error(ErrorKind::invalid_argument, path,
                        "cannot have the column '" + in_utf8(column) + "', because AnnData files have no column of this name; rename it");
}

std::unique_ptr<AnnDataWriter> create_anndata(OutputFile& file, AnnDataForm form) {
    check_anndata(file.target(), form.columns);
    const Lock lock;
    return std::make_unique<Writer>(file, std::move(form));
}

}  // namespace voxcc::io
