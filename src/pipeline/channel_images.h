// Intensity images of all channels of a file: --intensity 'image.ome.tif[c=*]' stands for one image per channel.
#pragma once
#include "io/io.h"
#include "src/options/options.h"

#include <string>
#include <vector>

namespace voxcc {

/// Whether an intensity image stands for all channels of its file. Depends on the text only; false for a text that is not valid.
// "image.ome.tif[c=*]", "{stem}.ome.tif[c=*,t=0]" -> true; "image.ome.tif[c=DAPI]" -> false
bool names_all_channels(const std::string& input);

/// Whether one of the images stands for all channels, so that their number and the columns are not known yet.
bool has_all_channels(const IntensityOptions& options);

/// The prefixes of the columns of all channels. A name of a channel becomes a prefix in these steps:
///  - each run of characters other than letters, digits and '_' of ASCII becomes '_'; at the start and the end, it is left out;
///  - a prefix that begins with a digit gets a 'c' in front;
///  - a channel without a name, or whose name has no such character, gets 'c' and its position;
///  - channels with equal prefixes get '_' and their positions at the end.
// {"DAPI", "CD45-PE", "488", "µ", "CD3", "CD3"} -> {"DAPI", "CD45_PE", "c488", "c3", "CD3_4", "CD3_5"}
std::vector<std::string> channel_prefixes(const io::VolumeAxis& channels);

/// Replaces each image that stands for all channels by one image per channel, in the order of the channels. Its name is channel_prefixes(),
/// after the name of the image and '_' if the image has a name. Reads the headers of the images.
/// @param inputs of the run. The images of all inputs must have equal channels. Images that cannot be read have no effect, unless no image
/// can be read: the run reports them when it measures their inputs
/// @throw Error invalid_argument if two inputs have different channels; no_such_volume if a file has no axis C, or more than 4096 channels;
/// the exceptions of io::describe_volume()
// ct=image.ome.tif[c=*] with DAPI and CD45 -> ct_DAPI=image.ome.tif[c=DAPI], ct_CD45=image.ome.tif[c=CD45]
IntensityOptions with_channel_images(IntensityOptions options, const InputOptions& input, const std::vector<BatchInput>& inputs);

/// The options of a run whose images are known one by one: see above. Also checks the options whose meaning depends on the columns.
/// @throw also the exceptions of check_image_columns() and check_table_options()
LabelOptions with_channel_images(LabelOptions options);
StatsOptions with_channel_images(StatsOptions options);

}  // namespace voxcc
