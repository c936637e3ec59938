#include "io/codecs/zip/zip_member_reader.h"
#include "io/codecs/zip/zip_records.h"
#include "io/contiguous_reader.h"
#include "io/formats/npy/npy_header.h"
#include "tests/io/nifti_files.h"

#include <zlib.h>
#include <atomic>
#include <map>
#include <thread>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

constexpr std::int64_t volumes = 5, header_bytes = 352, volume_bytes = small_voxels * 2;

/// A NIfTI file of 5 volumes of 12 voxels that count up: volume 1 has the values 12 to 23.
std::string five_volumes() {
    Bytes file = small_header();
    file.put<std::int16_t>(40, 4);
    file.put<std::int16_t>(48, volumes);
    for (std::int16_t i = 0; i < volumes * small_voxels; ++i) file.append(i);
    return file.text;
}

/// The same volumes as NRRD. @param encoding gzip, hex or ascii
std::string nrrd_of_five_volumes(const std::string& encoding) {
    const std::string voxels = five_volumes().substr(std::size_t(header_bytes));
    std::string text = "NRRD0004\ntype: int16\ndimension: 4\nsizes: 3 2 2 5\nkinds: domain domain domain list\nendian: little\n";
    text += "encoding: " + encoding + "\n\n";
    if (encoding == "gzip") return text + gzipped(voxels);
    for (std::size_t i = 0; i < voxels.size(); i += encoding == "hex" ? 1 : 2) {
        if (encoding == "hex") text += {"0123456789abcdef"[static_cast<unsigned char>(voxels[i]) >> 4], "0123456789abcdef"[voxels[i] & 15]};
        else text += std::to_string(voxels[i]) + " ";
    }
    return text;
}

OpenOptions volume_with(std::int64_t number, const std::shared_ptr<KeptFiles>& kept) { return {.volume = number, .kept = kept}; }

double first_of(std::int64_t volume) { return double(volume * small_voxels); }

std::unique_ptr<ContiguousDecoder> decoder_at(const std::string& path, std::int64_t position) {
    auto file = std::make_unique<DecodedFile>(path);
    std::vector<std::byte> bytes(static_cast<std::size_t>(position));
    file->read(0, bytes);
    CHECK(file->position() == position);
    const ContiguousVoxels voxels{.offset = header_bytes, .bytes = volumes * volume_bytes, .bytes_per_voxel = 2};
    return std::make_unique<ContiguousDecoder>(std::move(file), voxels);
}

/// An archive of the arrays `a` and `b` of 5 volumes of 12 values. The values of `a` count up; the values of `b` are 100 more.
std::string two_arrays() {
    std::string archive;
    std::vector<ZipMember> members;
    for (const std::int16_t first : {0, 100}) {
        Bytes content{npy_header_text(ScalarType::i16, ArrayOrder::c, std::vector<std::int64_t>{3, 2, 2, volumes}), std::endian::little};
        for (std::int16_t i = 0; i < volumes * small_voxels; ++i) content.append(std::int16_t(first + i));
        const std::string& text = content.text;
        ZipMember member{.name = first == 0 ? "a.npy" : "b.npy"};
        member.crc = std::uint32_t(crc32(0, reinterpret_cast<const Bytef*>(text.data()), uInt(text.size())));
        member.stored = member.size = std::int64_t(text.size());
        member.header_at = std::int64_t(archive.size());
        archive += zip::local_header(member) + text;
        members.push_back(member);
    }
    return archive + zip::directory_of(members, std::int64_t(archive.size()));
}

/// Reads the first `count` volumes and verifies the rest. @return the kind of the error
std::optional<ErrorKind> kind_of_reading_volumes(const std::string& path, std::int64_t count, std::shared_ptr<KeptFiles> kept) {
    return kind_of([&] {
        for (std::int64_t v = 0; v < count; ++v) values_of(*open_volume(path, volume_with(v, kept)));
        if (!kept) return;
        const auto warnings = kept->decoders.verify_rest();
        CHECK(warnings.empty());
    });
}

}  // namespace

TEST_CASE("kept decoders: a reader gets the decoder that has the fewest bytes to skip") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.nii.gz", other = folder / "b.nii.gz";
    put_file(path, gzipped(five_volumes()));
    put_file(other, gzipped(five_volumes()));
    KeptDecoders decoders;
    auto first = decoders.take(decoder_at(path, 300), 352), second = decoders.take(decoder_at(path, 300), 352);
    const KeptDecoder *at_390 = nullptr, *at_420 = nullptr;
    std::vector<std::byte> bytes(90);
    first->file().read(300, bytes);
    at_390 = first.get();
    decoders.keep(std::move(first));
    bytes.resize(120);
    second->file().read(300, bytes);
    at_420 = second.get();
    decoders.keep(std::move(second));
    CHECK(decoders.take(decoder_at(path, 300), 380)->position() == 300);   // both have passed the offset
    CHECK(decoders.take(decoder_at(other, 300), 450)->position() == 300);  // of another file
    CHECK(decoders.take(decoder_at(path, 410), 415)->position() == 410);   // nearer than the kept decoder
    auto third = decoders.take(decoder_at(path, 300), 450);
    CHECK(third.get() == at_420);
    CHECK(decoders.exchange(std::move(third), 400).get() == at_390);
    auto fourth = decoders.take(decoder_at(path, 300), 420);
    CHECK(fourth.get() == at_420);
    const auto fifth = decoders.exchange(std::move(fourth), 360);  // none is left: opens the file again
    CHECK(fifth.get() != at_420);
    CHECK(fifth->position() == 0);
}

TEST_CASE("kept decoders: volumes are read in any order, several times, and side by side") {
    const TemporaryFolder folder;
    const std::map<std::string, std::string> files{{"a.nii.gz", gzipped(five_volumes())},
                                                   {"a.nii", five_volumes()},
                                                   {"gzip.nrrd", nrrd_of_five_volumes("gzip")},
                                                   {"hex.nrrd", nrrd_of_five_volumes("hex")},
                                                   {"ascii.nrrd", nrrd_of_five_volumes("ascii")}};
    for (const auto& [name, content] : files) {
        const std::string path = folder / name;
        put_file(path, content);
        for (const std::vector<std::int64_t>& order :
             std::vector<std::vector<std::int64_t>>{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {1, 1, 1, 3, 3}}) {
            const auto kept = std::make_shared<KeptFiles>();
            for (const std::int64_t v : order) {
                const auto reader = open_volume(path, volume_with(v, kept)), beside = open_volume(path, volume_with(v, kept));
                reader->use_threads(3);
                for (int pass = 0; pass < 3; ++pass) {
                    CHECK(values_of(*reader, 1).front() == first_of(v));
                    CHECK(values_of(*beside).back() == first_of(v) + small_voxels - 1);
                    reader->rewind();
                    beside->rewind();
                }
            }
            CHECK(kept->decoders.verify_rest().empty());
        }
        const auto kept = std::make_shared<KeptFiles>();
        std::atomic<std::int64_t> next = 0, right = 0;
        {
            std::vector<std::jthread> readers;
            for (int i = 0; i < 3; ++i)
                readers.emplace_back([&] {
                    for (std::int64_t v = next++; v < volumes; v = next++)
                        if (values_of(path, volume_with(v, kept)).front() == first_of(v)) ++right;
                });
        }
        CHECK(right == volumes);
        CHECK(kept->decoders.verify_rest().empty());
    }
}

TEST_CASE("kept decoders: damage after the last volume is found as without them") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.nii.gz", raw = five_volumes(), good = gzipped(raw);
    std::string wrong_sum = good;
    wrong_sum[wrong_sum.size() - 8] ^= 1;
    const std::vector<std::string> damaged{wrong_sum, good.substr(0, good.size() - 4), good + "x", gzipped(raw.substr(0, raw.size() - 1)),
                                           gzipped(raw.substr(0, std::size_t(header_bytes + 2 * volume_bytes)))};
    for (const std::string& content : damaged) {
        put_file(path, content);
        for (const std::int64_t count : {1, 2, 5}) {
            const auto expected = kind_of_reading_volumes(path, count, nullptr);
            CHECK(expected);
            const auto found = kind_of_reading_volumes(path, count, std::make_shared<KeptFiles>());
            CHECK(found);
            if (count < 3) CHECK(found == expected);  // a later volume that is not in the content is found where it is read
        }
    }
    put_file(path, gzipped(raw + "more"));
    for (const std::int64_t count : {2, 5}) {
        const auto kept = std::make_shared<KeptFiles>();
        std::vector<std::string> warnings;
        for (std::int64_t v = 0; v < count; ++v) {
            const auto reader = open_volume(path, volume_with(v, kept));
            values_of(*reader);
            if (has_warning(reader->info(), "4 bytes after the voxels are ignored")) warnings.push_back("of the reader");
        }
        for (const auto& [of, text] : kept->decoders.verify_rest()) {
            CHECK(of == path);
            warnings.push_back(text);
        }
        CHECK(warnings == std::vector<std::string>{count == 5 ? "of the reader" : "4 bytes after the voxels are ignored"});
    }
}

TEST_CASE("kept decoders: damage of NRRD is found as without them") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.nrrd", gzip = nrrd_of_five_volumes("gzip"), text = nrrd_of_five_volumes("ascii");
    std::string wrong_sum = gzip, in_the_middle = text;
    wrong_sum[wrong_sum.size() - 8] ^= 1;
    in_the_middle[in_the_middle.size() - 60] = 'x';
    for (const std::string& content : {wrong_sum, gzip.substr(0, gzip.size() - 4), in_the_middle, text.substr(0, text.size() - 20)}) {
        put_file(path, content);
        for (const std::int64_t count : {1, 2, 5}) {
            const auto expected = kind_of_reading_volumes(path, count, nullptr);
            CHECK(expected);
            CHECK(kind_of_reading_volumes(path, count, std::make_shared<KeptFiles>()) == expected);
        }
    }
    // After an error, no reader continues with the decoder.
    put_file(path, in_the_middle);
    const auto kept = std::make_shared<KeptFiles>();
    CHECK(values_of(path, volume_with(0, kept)).front() == 0);
    for (int again = 0; again < 2; ++again) CHECK(kind_of([&] { values_of(path, volume_with(4, kept)); }) == ErrorKind::invalid_file);
    CHECK(values_of(path, volume_with(1, kept)).front() == first_of(1));
    CHECK(kind_of([&] { kept->decoders.verify_rest(); }) == ErrorKind::invalid_file);
}

TEST_CASE("kept decoders: two headers describe one data file") {
    const TemporaryFolder folder;
    std::string numbers;
    for (int i = 0; i < volumes * small_voxels; ++i) numbers += std::to_string(i) + " ";
    put_file(folder / "numbers.txt", numbers);
    const auto kept = std::make_shared<KeptFiles>();
    const auto first_voxel = [&](const std::string& type, std::int64_t volume) {
        const std::string header = "NRRD0004\ntype: " + type + "\ndimension: 4\nsizes: 3 2 2 5\nkinds: domain domain domain list\n";
        put_file(folder / type + ".nhdr", header + "endian: little\nencoding: ascii\ndata file: numbers.txt\n");
        OpenOptions options = volume_with(volume, kept);
        options.external = ExternalFiles::allow;
        return values_of(folder / type + ".nhdr", options).front();
    };
    CHECK(first_voxel("int16", 0) == 0);
    CHECK(first_voxel("uint8", 2) == first_of(2));  // would continue with the decoder of int16
    CHECK(first_voxel("int16", 1) == first_of(1));
    CHECK(first_voxel("uint8", 4) == first_of(4));

    const std::string as_signed = folder / "signed.hdr", as_unsigned = folder / "unsigned.hdr";
    for (const std::string& path : {as_signed, as_unsigned}) {
        Bytes header{five_volumes().substr(0, std::size_t(header_bytes)), std::endian::little};
        header.put<std::int16_t>(70, path == as_signed ? 4 : 512);  // datatype
        header.put<float>(108, 0);                                  // vox_offset
        header.text.replace(344, 4, std::string("ni1\0", 4));
        put_file(path, header.text);
    }
    std::string voxels = five_volumes().substr(std::size_t(header_bytes));
    voxels[std::size_t(2 * volume_bytes + 1)] = char(0x80);
    put_file(folder / "signed.img.gz", gzipped(voxels));
    std::filesystem::create_hard_link(folder / "signed.img.gz", folder / "unsigned.img.gz");
    CHECK(values_of(as_signed, volume_with(0, kept)).front() == 0);
    CHECK(values_of(as_unsigned, volume_with(2, kept)).front() == 32768 + first_of(2));
    CHECK(kept->decoders.verify_rest().empty());
}

TEST_CASE("kept decoders: a file that was replaced is read from its start") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.nii.gz";
    put_file(path, gzipped(five_volumes()));
    const auto kept = std::make_shared<KeptFiles>();
    CHECK(values_of(path, volume_with(0, kept)).front() == 0);
    Bytes changed{five_volumes(), std::endian::little};
    changed.put<std::int16_t>(std::size_t(header_bytes + volume_bytes), 77);
    put_file(folder / "b", gzipped(changed.text));
    const auto reader = open_volume(path, volume_with(2, kept));
    std::filesystem::rename(folder / "b", path);
    CHECK(values_of(path, volume_with(1, kept)).front() == 77);
    CHECK(values_of(*reader).front() == first_of(2));
    reader->rewind();  // its file has no name any more
    CHECK(values_of(*reader).front() == first_of(2));
}

TEST_CASE("kept decoders: an array in an archive is decoded once") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.npz";
    put_file(path, two_arrays());
    const InputFile file(path);
    const ZipMember member = read_zip_directory(file).front();
    const auto fresh = [&] {
        const auto open = [member](const InputFile& from) { return open_zip_member(from, member); };
        auto of_member = std::make_unique<DecodedFile>(path, FilePart{member.offset, member.size, open});
        return std::make_unique<ContiguousDecoder>(std::move(of_member), ContiguousVoxels{});
    };
    const auto kept = std::make_shared<KeptFiles>();
    const auto volume_of = [&](const std::string& array, std::int64_t number) {
        OpenOptions options = volume_with(number, kept);
        options.dataset = array;
        return options;
    };
    CHECK(values_of(path, volume_of("a", 0)).front() == first_of(0));
    const std::int64_t second = member.size - (volumes - 1) * volume_bytes;
    CHECK(kept->decoders.take(fresh(), second)->position() == second);  // at the start of volume 1
    kept->decoders.keep(nullptr);
    CHECK(kept->decoders.verify_rest().empty());

    for (const std::vector<std::int64_t>& order : std::vector<std::vector<std::int64_t>>{{0, 1, 2, 3, 4}, {4, 2, 2, 0}})
        for (const std::int64_t v : order) {
            const auto of_a = open_volume(path, volume_of("a", v)), of_b = open_volume(path, volume_of("b", v));
            for (int pass = 0; pass < 2; ++pass) {
                CHECK(values_of(*of_a).front() == first_of(v));
                CHECK(values_of(*of_b).back() == first_of(v) + 100 + small_voxels - 1);
                of_a->rewind();
                of_b->rewind();
            }
        }
    CHECK(kept->decoders.verify_rest().empty());

    std::string damaged = two_arrays();
    damaged[std::size_t(member.offset + member.size - 1)] ^= 1;
    put_file(path, damaged);
    for (const std::int64_t count : {1, 5}) {
        const auto read = [&] {
            for (std::int64_t v = 0; v < count; ++v) values_of(path, volume_of("a", v));
            kept->decoders.verify_rest();
        };
        CHECK(kind_of(read) == ErrorKind::corrupt_file);
    }
}
