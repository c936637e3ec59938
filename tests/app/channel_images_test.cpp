#include "src/pipeline/channel_images.h"
#include "src/pipeline/axis_positions.h"

#include <doctest/doctest.h>
#include <voxcc/error.h>

using namespace voxcc;

namespace {

io::VolumeAxis channels(std::vector<std::string> names) {
    return {.name = "C", .size = std::int64_t(names.size()), .positions = std::move(names)};
}

/// The cause of the error about a name.
std::string refusal(const std::string& name, const io::VolumeAxis& axis) {
    try {
        position_named("a.tif", name, axis);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::no_such_volume);
        return error.cause();
    }
    return "none";
}

}  // namespace

TEST_CASE("channel images: texts that stand for all channels") {
    CHECK(names_all_channels("a.tif[c=*]"));
    CHECK(names_all_channels("{dir}/a.ome.tif[t=0,C=*]"));
    CHECK(names_all_channels("a.zarr:/0[c=*]"));
    CHECK_FALSE(names_all_channels("a.tif"));
    CHECK_FALSE(names_all_channels("a.tif[t=*]"));
    CHECK_FALSE(names_all_channels("a.tif[c=\"*\"]"));
    CHECK_FALSE(names_all_channels("a.tif[c=*,c=1]"));
}

TEST_CASE("channel images: prefixes of columns") {
    using Names = std::vector<std::string>;
    CHECK(channel_prefixes(channels({"DAPI", "CD45-PE", "488", "\xc2\xb5", "CD3", "CD3"})) ==
          Names{"DAPI", "CD45_PE", "c488", "c3", "CD3_4", "CD3_5"});
    CHECK(channel_prefixes(channels({"(A)  B.", "_x_", "", "c2"})) == Names{"A_B", "_x_", "c2_2", "c2_3"});
    CHECK(channel_prefixes({.name = "C", .size = 2}) == Names{"c0", "c1"});
}

TEST_CASE("channel images: positions of names") {
    const io::VolumeAxis axis = channels({"DAPI", "CD3", "", "CD45", "CD3", "dapi2"});
    CHECK(position_named("a.tif", "CD45", axis) == 3);
    CHECK(refusal("CD3", axis) == "has the name 'CD3' twice: at the positions 1 and 4 of its axis C");
    CHECK(refusal("dapi", axis) == "has no channel with the name 'dapi', nearest: 'DAPI'");
    CHECK(refusal("zzzzz", axis) == "has no channel with the name 'zzzzz'");
    CHECK(refusal("DAPI", {.name = "C", .size = 2}) == "states no names of its axis C, so 'DAPI' cannot be found");
    CHECK(refusal("DAPI", {.name = "C", .size = 2, .positions = {}, .ignored_names = "states 1 name for 2 channels"}) ==
          "states 1 name for 2 channels, so 'DAPI' cannot be found");
}
