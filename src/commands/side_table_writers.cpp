#include "src/commands/side_table_writers.h"

namespace voxcc {

SideTableWriters::SideTableWriters(const SideTablePaths& paths, const LabelOptions& options, const SideTableForm& form,
                                   io::OutputFiles& outputs)
    : options_(options), form_(form) {
    for (const auto& [table, path] : paths) {
        if (path.empty()) continue;
        io::OutputFile* const file = path == "-" ? nullptr : &outputs.create(path);
        writers_.try_emplace(table, file, io::table_format(path), columns_of(table, options, form));
    }
}

void SideTableWriters::add(const LabelledVolume& volume) {
    for (auto& [table, writer] : writers_) add_rows(table, volume, options_, form_, writer);
}

void SideTableWriters::finish() {
    for (auto& [table, writer] : writers_) writer.finish();
}

}  // namespace voxcc
