// The data of a page as JSON. The scripts of the page read it.
#pragma once
#include "src/report/picture.h"
#include "src/report/summary.h"
#include "src/report/volume_names.h"

#include <nlohmann/json.hpp>

namespace voxcc::report {

using Json = nlohmann::ordered_json;

/// The data of one volume without its pictures: names, sums, histograms and rows. Numbers in rows have 6 significant digits.
Json json_of(const TableVolume& volume, const VolumeName& name);

/// A picture. Voxels are compressed with deflate and written as base64. @param rows number of rows of the table on the page
Json json_of(const Picture& picture, std::size_t rows);

/// Adds the robust z-scores of the number of components, the total size and the largest size to the volumes of a page, as `z`.
/// @param volumes results of json_of()
void add_scores(Json& volumes);

/// JSON that may stand inside a <script> element: ASCII, without '<'.
std::string script_text(const Json& data);

}  // namespace voxcc::report
