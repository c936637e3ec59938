#include "src/pipeline/level.h"

#include <voxcc/source.h>
#include "src/errors/program_error.h"
#include "src/pipeline/foreground_rows.h"
#include "src/pipeline/input.h"

namespace voxcc {
namespace {

/// Passes the rows of an image with the bits of a mask.
void each_masked_row(const LevelVoxels& voxels, const LevelValues::Part& part) {
    const Extent& extent = voxels.image.info().extent;
    const ForegroundPacker packer(voxels.mask->info().type, rule_of_mask(voxels.mask->info()));
    std::vector<std::uint64_t> bits(std::size_t(words_of(extent.nx)));
    RowStream images(voxels.image), masks(*voxels.mask);
    for (std::int64_t row = 0; row < extent.rows(); ++row) {
        const std::span<const std::byte> values = images.next();
        packer.pack(default_isa(), masks.next().data(), extent.nx, bits.data());
        part(values, bits.data());
    }
}

/// Rewinds the readers before and after each pass.
LevelValues values_of(const LevelVoxels& voxels) {
    const io::VolumeInfo& info = voxels.image.info();
    LevelValues values{.type = info.type, .slope = info.scaling.slope, .intercept = info.scaling.intercept};
    if (!voxels.mask) values.count = std::uint64_t(info.extent.voxels());
    values.each_part = [voxels](const LevelValues::Part& part) {
        const auto rewind = [&voxels] {
            voxels.image.rewind();
            if (voxels.mask) voxels.mask->rewind();
        };
        rewind();
        if (voxels.mask) each_masked_row(voxels, part);
        else for_each_piece(voxels.image, [&](std::span<const std::byte> bytes) { part(bytes, nullptr); });
        rewind();
    };
    return values;
}

}  // namespace

Bound level_of(const ThresholdRule& threshold, const LevelVoxels& voxels) {
    if (!threshold.level) return threshold.rule.low;
    try {
        return level_of(*threshold.level, values_of(voxels));
    } catch (const UndefinedLevel& undefined) {
        const std::string where = voxels.mask ? " inside the mask" : " in it";
        throw ProgramError(ErrorKind::invalid_file, voxels.image.info().path, undefined.what() + where + ", so the level is not defined",
                           "give --threshold a number, as in --threshold 100");
    }
}

ThresholdRule fixed_threshold(const LabelOptions& options) {
    ThresholdRule threshold = threshold_of(options);
    if (options.threshold_from.empty()) return threshold;
    const auto reader = open(choose_volume(options.threshold_from, options.input));
    threshold.rule.low = level_of(threshold, {*reader});
    threshold.level.reset();
    return threshold;
}

ForegroundRule resolve(const ThresholdRule& threshold, const LevelVoxels& voxels, ForegroundRule::Take take) {
    const io::Scaling& scaling = voxels.image.info().scaling;
    ForegroundRule rule = threshold.rule;
    rule.slope = scaling.slope;
    rule.intercept = scaling.intercept;
    rule.take = take;
    rule.low = level_of(threshold, voxels);
    return rule;
}

}  // namespace voxcc
