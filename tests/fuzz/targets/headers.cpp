// Targets for the checks that run before ITK and OpenJPEG open a file.
#include "io/files/checked_file.h"
#include "io/formats/biorad/biorad.h"
#include "io/formats/bmp/bmp.h"
#include "io/formats/jpeg/jpeg.h"
#include "io/formats/jpeg2000/jpeg2000_image.h"
#include "io/formats/png/png.h"
#include "io/unreadable.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <algorithm>
#include <array>

namespace voxcc::fuzz {
namespace {

/// A format that only ITK reads.
struct Guarded {
    bool (*is_content)(const io::UnknownFile& file);
    const io::ItkOnly& format;
};
constexpr std::array guarded{Guarded{io::is_png, io::png_by_itk}, Guarded{io::is_jpeg, io::jpeg_by_itk},
                             Guarded{io::is_bmp, io::bmp_by_itk}, Guarded{io::is_biorad, io::biorad_by_itk}};

void check_as_guarded(const std::string& path, Input content) {
    io::DecodedFile file(path);
    const io::UnknownFile unknown{file, std::as_bytes(content.first(std::min<std::size_t>(content.size(), 1024)))};
    for (const Guarded& known : guarded)
        if (known.is_content(unknown)) return known.format.check(io::InputFile(path));
    io::refuse_unknown_format(path);
}

/// The first byte chooses the extension; the rest is the file.
void run_itk_headers(Input input) {
    constexpr std::array names{"x.png", "x.jpg", "x.bmp", "x.unknown", "x.pic"};
    if (input.empty()) return;
    const std::string path = put_scratch(names[input[0] % names.size()], input.subspan(1));
    accepts([&] { check_as_guarded(path, input.subspan(1)); });
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
