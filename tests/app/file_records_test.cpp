// Checksums that are computed while an input is labelled and while outputs are synced.
#include "src/commands/read_records.h"
#include "src/commands/written_records.h"
#include "tests/io/files.h"

#include <doctest/doctest.h>

using namespace voxcc;
using namespace voxcc::test;

namespace {

constexpr std::int64_t no_limit = std::int64_t{1} << 40;

std::string some_bytes(std::size_t count, char first) {
    std::string bytes(count, first);
    for (std::size_t i = 0; i < count; i += 100) bytes[i] = char(i / 100);
    return bytes;
}

/// A folder with a raw volume, a mask and an intensity image.
struct Files {
    TemporaryFolder folder;
    LabelOptions options;
    std::string input = folder / "in.raw";
    Files() {
        options.mask = folder / "mask.raw";
        options.intensity.images = {{"", folder / "intensity.raw"}};
        put_file(input, some_bytes(5'000'000, 'a'));
        put_file(options.mask, some_bytes(1'000, 'b'));
        put_file(options.intensity.images[0].path, some_bytes(3'000'000, 'c'));
    }
};

}  // namespace

TEST_CASE("records during a run equal the records before a run") {
    const Files files;
    ReadRecords records(files.options);
    const auto before = records.of(records.files_of({files.input}));
    REQUIRE(before.size() == 3);
    for (const std::int64_t window : {no_limit, std::int64_t{100'000}}) {
        RecordsDuringRun during(records, {files.input}, window);
        CHECK(during.pace().is_limited() == (window != no_limit));
        for (int row = 1; row <= 10; ++row) during.pace().labelled(row / 10.);
        CHECK(during.wait() == before);
    }
    ReadRecords other(files.options);  // without the records of mask and intensity image
    RecordsDuringRun without_labelling(other, {files.input}, 1);
    CHECK(without_labelling.wait() == before);
}

TEST_CASE("records during a run: an input that changes before the end is an error") {
    const Files files;
    for (const std::string& name : {files.input, files.options.mask, files.options.intensity.images[0].path}) {
        ReadRecords records(files.options);
        RecordsDuringRun during(records, {files.input}, no_limit);
        std::ofstream(name, std::ios::app) << "more";
        CHECK(kind_of([&] { (void)during.wait(); }) == ErrorKind::changed_file);
    }
}

TEST_CASE("records during a run end early with the run, also while the checksum waits for the labelling") {
    const Files files;
    ReadRecords records(files.options);
    for (const std::int64_t window : {no_limit, std::int64_t{1}}) RecordsDuringRun(records, {files.input}, window);
    CHECK(records.of(records.files_of({files.input})).back().bytes == 3'000'000);  // incomplete records are not kept
}

TEST_CASE("written records are the records of the outputs, in the order of their creation") {
    const TemporaryFolder folder;
    io::OutputFiles outputs(io::Overwrite::refuse, {});
    WrittenRecords records(outputs);
    for (const std::size_t bytes : {3'000'000, 10, 2'000'000, 0, 4'000'000}) {
        io::OutputFile& file = outputs.create(folder / ("out" + std::to_string(bytes)));
        file.write(some_bytes(bytes, 'd'));
        file.close();
    }
    const std::vector<FileRecord> written = records.take();
    outputs.publish();
    REQUIRE(written.size() == 5);
    for (const FileRecord& record : written) CHECK(record == record_of(record.path));
}

TEST_CASE("written records: without take(), no temporary file remains") {
    const TemporaryFolder folder;
    {
        io::OutputFiles outputs(io::Overwrite::refuse, {});
        const WrittenRecords records(outputs);
        io::OutputFile& file = outputs.create(folder / "out");
        file.write(some_bytes(20'000'000, 'e'));
        file.close();
    }
    CHECK(folder.entries() == 0);
}
