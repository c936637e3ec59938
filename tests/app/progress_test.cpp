// Tests the line of the progress bar for every width of a terminal.
#include "src/messages/progress.h"

#include "io/table.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace voxcc;

namespace {

const ProgressLine batch{
    .input = 12, .inputs = 236, .name = "ds/sub-03/anat/lesions.nii.gz", .stage = "label", .percent = 67, .seconds_left = 200};

}  // namespace

TEST_CASE("the line of a batch") {
    CHECK(text_of(batch, 120) == "[12/236] ds/sub-03/anat/lesions.nii.gz label [####################          ] 67 %, 3 min left");
    CHECK(text_of(batch, 80) == "[12/236] ds/sub-03/anat/lesions.nii.gz label [##########     ] 67 %, 3 min left");
    CHECK(text_of(batch, 70) == "[12/236] ds/sub-03/anat/lesions.nii.gz label 67 %, 3 min left");
    CHECK(text_of(batch, 50) == "[12/236] ...lesions.nii.gz label 67 %, 3 min left");
    CHECK(text_of(batch, 40) == "[12/236] label 67 %, 3 min left");
    CHECK(text_of(batch, 20) == "[12/236] label 67 %");
    CHECK(text_of(batch, 15) == "[12/236] 67 %");
}

TEST_CASE("the line of one input") {
    CHECK(text_of({.stage = "write", .percent = 5}, 80) == "write [#                             ] 5 %");
    CHECK(text_of({.stage = "write", .percent = 100, .seconds_left = 7300}, 30) == "write 100 %, 2 h left");
    CHECK(text_of({.inputs = 3, .percent = 33, .seconds_left = 9}, 200).starts_with("[0/3] ["));
}

TEST_CASE("a line is always shorter than the terminal") {
    for (const std::string& name : {std::string(), std::string("a.nii"), std::string(300, 'x'),
                                    std::string("gr\xc3\xb6\xc3\x9f"
                                                "e/\xc3\xa4\xc3\xb6\xc3\xbc.nii")})
        for (const std::int64_t seconds : {0, 3, 500, 90'000})
            for (std::size_t columns = 0; columns <= 400; ++columns) {
                ProgressLine line = batch;
                line.name = name, line.seconds_left = seconds;
                const std::string text = text_of(line, columns);
                CHECK(io::terminal_columns_of(text) < std::max<std::size_t>(columns, 1));
                CHECK((columns < 6 || text.find("67 %") != std::string::npos));
                line.inputs = 0;
                CHECK(io::terminal_columns_of(text_of(line, columns)) < std::max<std::size_t>(columns, 1));
            }
}
