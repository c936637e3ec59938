#include "io/formats/dicom/dicom_fragments.h"

#include "io/formats/dicom/dicom_tags.h"
#include "io/formats/dicom/dicom_values.h"

#include <algorithm>

namespace voxcc::io {
namespace {

constexpr std::int64_t item_header = 8;

// @return the offsets of the frames, relative to the item of the first fragment; empty without a table
std::vector<double> offsets_of(const DicomBytes& bytes, const DicomFile& file) {
    const DicomFragment& table = file.pixels->fragments.front();
    if (table.length == 0) return DicomValues(bytes, file.data).numbers(tag::offset_table);
    DicomDataSet set;
    set.elements.push_back({tag::offset_table, table.length, table.offset, {'U', 'L'}, std::endian::little, {}});
    return DicomValues(bytes, set).numbers(tag::offset_table);
}

}  // namespace

std::vector<std::int64_t> assign_fragments(const DicomBytes& bytes, const DicomFile& file, std::int64_t frames) {
    const std::vector<DicomFragment>& fragments = file.pixels->fragments;
    const auto end = std::int64_t(fragments.size());
    std::vector<std::int64_t> first;
    if (frames == 1) return {1, end};
    if (frames == end - 1) {
        for (std::int64_t i = 1; i <= end; ++i) first.push_back(i);
        return first;
    }
    const std::vector<double> offsets = offsets_of(bytes, file);
    if (std::int64_t(offsets.size()) != frames)
        throw Error(ErrorKind::unsupported_file, bytes.path(),
                    "has " + std::to_string(end - 1) + " fragments for " + std::to_string(frames) +
                        " frames, and no table that assigns them; convert it, for example with 'gdcmconv --raw'");
    const std::int64_t base = fragments[1].offset - item_header;
    for (const double offset : offsets) {
        const auto at = double(base) + item_header + offset;
        const auto found = std::ranges::lower_bound(fragments.begin() + 1, fragments.end(), at, {},
                                                    [](const DicomFragment& f) { return double(f.offset); });
        const std::int64_t index = found - fragments.begin();
        if (index == end || double(found->offset) != at || (first.empty() ? index != 1 : index <= first.back()))
            throw Error(ErrorKind::corrupt_file, bytes.path(), "its table of frames is wrong");
        first.push_back(index);
    }
    first.push_back(end);
    return first;
}

std::int64_t best_ratio(const DicomSyntax& syntax) {
    switch (syntax.codec) {
        case DicomSyntax::Codec::native:
        case DicomSyntax::Codec::deflated:
        case DicomSyntax::Codec::stored: return 8;  // single bits
        case DicomSyntax::Codec::rle: return 64 * 8;
        case DicomSyntax::Codec::library: break;
    }
    // JPEG 2000 and JPEG-LS store an empty slice in a few hundred bytes.
    return syntax.name.ends_with("jpeg") ? 1 << 10 : 1 << 16;
}

}  // namespace voxcc::io
