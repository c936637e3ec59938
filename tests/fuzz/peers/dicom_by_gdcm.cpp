// DICOM files that voxcc reads must have the same elements for GDCM, which decodes their pixels: a checked file is the file that is
// decoded.
#include "io/formats/dicom/dicom_elements.h"
#include "io/formats/dicom/dicom_object.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <gdcmReader.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>
#include <cstring>
#include <sstream>

namespace voxcc::fuzz {
namespace {

const gdcm::DataElement* find(const gdcm::DataSet& set, std::uint32_t tag) {
    const gdcm::Tag wanted(std::uint16_t(tag >> 16), std::uint16_t(tag));
    return set.FindDataElement(wanted) ? &set.GetDataElement(wanted) : nullptr;
}

std::span<const char> value_of(const gdcm::DataElement& element) {
    const gdcm::ByteValue* const value = element.GetByteValue();
    return value ? std::span(value->GetPointer(), std::size_t(value->GetLength())) : std::span<const char>();
}

void compare_elements(const io::DicomBytes& bytes, const io::DicomDataSet& mine, const gdcm::DataSet& other) {
    for (const io::DicomElement& element : mine.elements) {
        const gdcm::DataElement* const found = find(other, element.tag);
        if (!found) fault("GDCM does not have the element " + io::tag_text(element.tag));
        const bool is_converted = element.order == std::endian::big;  // GDCM changes the byte order while it reads
        if (!element.items.empty() || element.length == 0 || is_converted) continue;
        std::vector<std::byte> value(element.length);
        bytes.read(element.value, value);
        const std::span<const char> stored = value_of(*found);
        if (stored.size() != value.size() || std::memcmp(stored.data(), value.data(), value.size()) != 0)
            fault("GDCM has another value of " + io::tag_text(element.tag));
    }
}

void compare_pixels(const io::DicomStoredPixels& mine, const gdcm::DataSet& other) {
    const gdcm::DataElement* const found = find(other, mine.tag);
    if (!found) fault("GDCM has no pixel data");
    if (mine.fragments.empty()) {
        if (std::int64_t(value_of(*found).size()) != mine.length) fault("GDCM has pixel data of another length");
        return;
    }
    const gdcm::SequenceOfFragments* const fragments = found->GetSequenceOfFragments();
    if (!fragments || fragments->GetNumberOfFragments() + 1 != mine.fragments.size()) fault("GDCM has another number of fragments");
    for (std::size_t i = 1; i < mine.fragments.size(); ++i)
        if (fragments->GetFragment(i - 1).GetVL() != mine.fragments[i].length) fault("GDCM has a fragment of another length");
}

// Where the pixel data end. GDCM also reads what follows, and ends the process if that is not an element.
std::int64_t end_of(const io::DicomFile& file, std::int64_t size) {
    constexpr std::int64_t delimiter = 8;
    if (!file.pixels) return size;
    if (file.pixels->fragments.empty()) return file.pixels->offset + file.pixels->length;
    return file.pixels->fragments.back().offset + file.pixels->fragments.back().length + delimiter;
}

std::size_t sequences_in(const io::DicomDataSet& set) {
    std::size_t count = 0;
    for (const io::DicomElement& element : set.elements) {
        count += element.items.empty() ? 0 : 1;
        for (const io::DicomDataSet& item : element.items) count += sequences_in(item);
    }
    return count;
}

// voxcc skips the content of sequences that it does not use. GDCM reads it, and takes any amount of memory for what it finds there.
bool has_skipped_sequences(const io::DicomFile& file, Input input) {
    constexpr std::string_view header("SQ\0\0", 4);
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    std::size_t count = 0;
    for (std::size_t at = text.find(header); at != text.npos; at = text.find(header, at + 1)) ++count;
    return count != sequences_in(file.data);
}

void run(Input input) {
    gdcm::Trace::WarningOff();
    gdcm::Trace::ErrorOff();
    gdcm::Trace::DebugOff();
    const std::string path = put_scratch("x.dcm", input);
    std::optional<io::DicomFile> file;
    std::optional<io::DicomBytes> bytes;
    accepts([&] {
        if (!std::holds_alternative<io::DicomObject>(io::read_dicom(path))) return;
        file = io::parse_dicom(bytes.emplace(path));
    });
    if (!file || bytes->size() != std::int64_t(input.size())) return;  // not a deflated data set: offsets count inflated bytes
    if (has_skipped_sequences(*file, input)) return;
    const Input read = input.first(std::size_t(end_of(*file, bytes->size())));
    std::istringstream stream(std::string(read.begin(), read.end()), std::ios::binary);
    gdcm::Reader reader;
    reader.SetStream(stream);
    if (!reader.Read()) return;  // GDCM refuses more files
    compare_elements(*bytes, file->data, reader.GetFile().GetDataSet());
    if (file->pixels) compare_pixels(*file->pixels, reader.GetFile().GetDataSet());
}

const Registered dicom_by_gdcm(
    {.name = "dicom_by_gdcm", .run = run, .longest = 4096, .mutate = mutate_dicom, .dictionary = "dicom.dict", .seeds = "dicom"});

}  // namespace
}  // namespace voxcc::fuzz
