#include "python/src/level.h"

#include "python/src/axes.h"
#include "python/src/images.h"

namespace voxcc::python {

Bound level_of_array(const Array& voxels, const Array* mask, const LevelRule& rule) {
    const WithoutGil no_gil;
    const Axes axes(voxels, Order::c, Axes::none);
    const Extent& e = axes.extent;
    Signals signals;
    std::vector<const Array*> arrays{&voxels};
    if (mask) arrays.push_back(mask);
    const ArrayRows sources(arrays, axes, signals);
    LevelValues values{.type = voxels.type()};
    if (!mask) values.count = std::uint64_t(e.voxels());
    values.each_part = [&](const LevelValues::Part& part) {
        RowSource& rows = *sources.rows().front();
        const std::size_t bytes = std::size_t(e.nx * size_of(voxels.type()));
        std::vector<std::byte> buffer, mask_buffer;
        std::vector<std::uint64_t> bits(std::size_t(words_of(e.nx)));
        for (std::int64_t row = 0; row < e.rows(); ++row) {
            if (mask) {
                RowSource& inside = *sources.rows().back();
                inside.pack(inside.fetch({row, 1}, mask_buffer), {row, 1}, 0, bits.data());
            }
            part({rows.values(rows.fetch({row, 1}, buffer), {row, 1}, 0), bytes}, mask ? bits.data() : nullptr);
        }
    };
    try {
        return level_of(rule, values);
    } catch (const UndefinedLevel& undefined) {
        throw Error(ErrorKind::invalid_argument, "threshold",
                    std::string("the array has ") + undefined.what() + (mask ? " inside the mask" : ""));
    }
}

}  // namespace voxcc::python
