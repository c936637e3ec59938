// The options of `voxcc label` that name a file of each input. Their values may contain words in braces, and a column of the list of inputs
// can state them.
#pragma once
#include "src/options/options.h"

#include <array>
#include <string>
#include <string_view>

namespace voxcc {

/// One of these options. `--intensity` is not one of them, because it can be repeated.
struct PathOption {
    std::string_view name;  // also of the column: "mask"
    std::string& (*path)(LabelOptions&);
};

inline constexpr std::array path_options{
    PathOption{"mask", [](LabelOptions& o) -> std::string& { return o.mask; }},
    PathOption{"preview-image", [](LabelOptions& o) -> std::string& { return o.preview_image; }},
    PathOption{"output", [](LabelOptions& o) -> std::string& { return o.output; }},
    PathOption{"masked-output", [](LabelOptions& o) -> std::string& { return o.masked_output; }},
    PathOption{"size-output", [](LabelOptions& o) -> std::string& { return o.size_output; }},
    PathOption{"mask-output", [](LabelOptions& o) -> std::string& { return o.mask_output; }},
    PathOption{"stats", [](LabelOptions& o) -> std::string& { return o.stats; }},
    PathOption{"contacts", [](LabelOptions& o) -> std::string& { return o.contacts; }},
    PathOption{"local-maxima", [](LabelOptions& o) -> std::string& { return o.intensity.local_maxima; }},
    PathOption{"json", [](LabelOptions& o) -> std::string& { return o.json; }},
    PathOption{"preview", [](LabelOptions& o) -> std::string& { return o.preview; }},
    PathOption{"lut", [](LabelOptions& o) -> std::string& { return o.lut; }}};

}  // namespace voxcc
