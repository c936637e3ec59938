// `voxcc generate`: makes and writes a test volume block by block.
#include <voxcc/source.h>

#include "io/files/checked_file.h"
#include "src/commands/overwrite.h"
#include "src/errors/exit_codes.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/options/options.h"
#include "src/pipeline/generated_reader.h"

namespace voxcc {
namespace {

bool is_seeded(const TestVolumeRecipe& recipe) {
    const RidgeFamily family = recipe.ridge.family;
    switch (recipe.kind) {
        case TestVolumeKind::random:
        case TestVolumeKind::blobs:
        case TestVolumeKind::dry_earth: return true;
        case TestVolumeKind::ridge: return family == RidgeFamily::random_instancing || family == RidgeFamily::random_merging;
        default: return false;
    }
}

void say_what(const TestVolumeRecipe& recipe, const Reporter& reporter) {
    if (is_seeded(recipe)) reporter.note("seed " + std::to_string(recipe.seed));
    for (const Connectivity c : {Connectivity::c6, Connectivity::c26}) {
        const Connectivity shown = reduced(c, recipe.extent);
        if (const auto components = known_components(recipe, shown))
            reporter.note(counted(*components, "component") + " at connectivity " + std::to_string(number_of(shown)));
    }
}

}  // namespace

int run_generate(const GenerateOptions& options) {
    const Reporter reporter(options.messages);
    const TestVolumeRecipe& recipe = options.recipe;
    const io::VolumeInfo info = info_of_test_volume(recipe);
    const Extent& extent = recipe.extent;
    io::OutputFiles outputs(overwrite_of(options.existing), {});
    const auto writer = io::create_label_volume(
        {.path = options.output, .type = ScalarType::u8, .like = &info, .compress = options.compress, .largest = 1, .zarr = options.zarr},
        outputs);
    const auto volume = make_within_memory(recipe, "generate");
    ProgressBar progress(options.messages);
    std::vector<std::uint8_t> voxels;
    for (std::int64_t block = 0; block < writer->blocks(); ++block) {
        const RowRange rows = writer->rows_of(block);
        voxels.resize(std::size_t(rows.count * extent.nx));
        for (std::int64_t row = rows.first; row < rows.end(); ++row)
            volume->fill_row(row % extent.ny, row / extent.ny,
                             std::span(voxels).subspan(std::size_t((row - rows.first) * extent.nx), std::size_t(extent.nx)));
        writer->append(block, writer->encode(block, std::as_bytes(std::span(voxels))));
        progress.update("generate", rows.end(), extent.rows());
    }
    writer->finish();
    reporter.warnings(outputs.publish());
    say_what(recipe, reporter);
    return int(ExitCode::ok);
}

}  // namespace voxcc
