// Targets for the checks that run before ITK and OpenJPEG open a file.
#include "io/files/checked_file.h"
#include "io/formats/itk/itk_guard.h"
#include "io/formats/jpeg2000/jpeg2000_image.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <array>

namespace voxcc::fuzz {
namespace {

/// The first byte chooses the extension; the rest is the file.
void run_itk_headers(Input input) {
    constexpr std::array names{"x.png", "x.jpg", "x.bmp", "x.unknown", "x.pic"};
    if (input.empty()) return;
    const std::string path = put_scratch(names[input[0] % names.size()], input.subspan(1));
    accepts([&] { io::check_whole(path, io::recognise_for_itk(path)); });
}

void run_jpeg2000(Input input) {
    const std::string path = put_scratch("x.jp2", input);
    accepts([&] {
        const io::Codestream codestream = io::read_jpeg2000_image(io::InputFile(path)).codestream;
        const io::ByteRange& bytes = codestream.bytes;
        if (bytes.begin < 0 || bytes.begin >= bytes.end || bytes.end + codestream.unused_bytes > std::int64_t(input.size()))
            fault("the codestream is not in the file");
        if (codestream.components.empty() || codestream.decoded_bytes() <= 0) fault("the image has no samples");
    });
}

const Registered itk_headers(
    {.name = "itk_headers", .run = run_itk_headers, .longest = 4096, .mutate = mutate_png, .dictionary = "itk_headers.dict"});
const Registered jpeg2000({.name = "jpeg2000", .run = run_jpeg2000, .longest = 4096, .mutate = mutate_fields});

}  // namespace
}  // namespace voxcc::fuzz
