#include "src/pipeline/label_writing.h"

#include "src/messages/program_error.h"

#include <voxcc/turnstile.h>

namespace voxcc {

ScalarType label_type_for(const LabelOptions& options, const std::string& path, std::uint64_t count) {
    if (!options.dtype) return io::smallest_label_type(path, count);
    const std::uint64_t largest =
        visit_scalar(*options.dtype, []<class T>(std::type_identity<T>) { return std::uint64_t(std::numeric_limits<T>::max()); });
    if (count > largest)
        throw ProgramError(ErrorKind::invalid_file, path,
                           std::to_string(count) + " labels do not fit into " + std::string(name_of(*options.dtype)),
                           "leave --dtype out, or use a wider type");
    return *options.dtype;
}

namespace {

/// Passes one block to the writer. @param raw the painted labels of the block
void write_block(io::LabelWriter& writer, std::int64_t block, std::span<const std::byte> raw, Turnstile& turnstile) {
    if (writer.stores_plain()) return writer.write_plain(block, raw);
    const io::EncodedBlock encoded = writer.encode(block, raw);
    if (!turnstile.enter(block)) return;
    writer.append(block, encoded);
    turnstile.pass();
}

}  // namespace

void write_label_volume(const io::LabelVolume& volume, const Painter& painter, RunContext& context) {
    const auto writer = io::create_label_volume(volume, context.outputs);
    const std::int64_t row_bytes = volume.like->extent.nx * size_of(volume.type);
    Turnstile turnstile;
    context.pool.for_each(writer->blocks(), [&](std::int64_t block) {
        thread_local std::vector<std::byte> raw;
        const RowRange rows = writer->rows_of(block);
        try {
            raw.resize(std::size_t(rows.count * row_bytes));
            painter.paint(rows, raw.data(), block_runs::Stores::cached);
            write_block(*writer, block, raw, turnstile);
        } catch (...) {
            turnstile.fail();
            throw;
        }
        context.progress.update("write", rows.end(), volume.like->extent.rows());
    });
    writer->finish();
}

}  // namespace voxcc
