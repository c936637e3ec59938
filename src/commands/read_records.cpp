#include "src/commands/read_records.h"

#include "io/files/pipe_input.h"
#include "src/pipeline/input.h"
#include "src/pipeline/naming.h"

#include <algorithm>
#include <set>

namespace voxcc {
namespace {

namespace fs = std::filesystem;

/// Sets the size and the time of the last change; a pipe has neither. @return whether the path is a regular file or a pipe
bool look_at(ReadFile& file) {
    std::error_code unknown;
    if (io::pipe_identity(file.path)) return true;
    if (!fs::is_regular_file(file.path, unknown)) return false;
    file.bytes = fs::file_size(file.path, unknown);
    if (!unknown) file.written = fs::last_write_time(file.path, unknown);
    return !unknown;
}

/// Adds the files of one input. A path that cannot be opened is left out; the run reports it.
void add_input(const std::string& input, ReadFile::Use use, InputOptions options, std::vector<ReadFile>& files) {
    if (input.empty()) return;
    if (use == ReadFile::Use::companion) options.raw.reset();
    for (const std::string& name : files_of_input(input, options)) {
        ReadFile file{.path = name, .use = use, .bytes = 0, .written = {}};
        if (look_at(file)) files.push_back(file);  // leaves out a folder or template, which is listed beside its slices
    }
}

}  // namespace

std::vector<ReadFile> ReadRecords::files_of(const BatchInput& input) const {
    std::vector<ReadFile> files;
    const FilesBeside beside = files_beside(options_, input);
    add_input(input.name, ReadFile::Use::input, options_.input, files);
    add_input(beside.mask, ReadFile::Use::companion, options_.input, files);
    std::set<std::vector<ReadFile>> of_images;  // several images can be channels of one file
    for (const IntensityImage& image : beside.images) {
        std::vector<ReadFile> own;
        add_input(image.path, ReadFile::Use::companion, options_.input, own);
        if (of_images.insert(own).second) files.insert(files.end(), own.begin(), own.end());
    }
    add_input(beside.preview_image, ReadFile::Use::companion, options_.input, files);
    add_input(options_.threshold_from, ReadFile::Use::companion, options_.input, files);
    return files;
}

std::vector<FileRecord> ReadRecords::of(const std::vector<ReadFile>& files, const Hashed& hashed) {
    std::vector<FileRecord> records;
    std::int64_t before = 0;  // bytes of the earlier files of the input
    for (const ReadFile& file : files) {
        const Hashed hashed_here = [&](std::int64_t bytes) { return !hashed || hashed(before + bytes); };
        if (file.use == ReadFile::Use::companion) {
            records.push_back(of_companion(file, hashed_here));
        } else {
            records.push_back(record_of(file.path, hashed_here));
            before += records.back().bytes;
        }
    }
    return records;
}

FileRecord ReadRecords::of_companion(const ReadFile& file, const Hashed& hashed) {
    const std::lock_guard lock(mutex_);
    if (const auto known = of_companions_.find(file); known != of_companions_.end()) return known->second;
    bool is_complete = true;
    const FileRecord record = record_of(file.path, [&](std::int64_t) { return is_complete = hashed(0); });
    if (is_complete) of_companions_.emplace(file, record);
    return record;
}

namespace {

std::int64_t bytes_of_input(const std::vector<ReadFile>& files) {
    std::int64_t bytes = 0;
    for (const ReadFile& file : files)
        if (file.use == ReadFile::Use::input) bytes += std::int64_t(file.bytes);
    return bytes;
}

struct EndOfChecksum {
    ReadPace& pace;
    ~EndOfChecksum() { pace.end_checksum(); }
};

}  // namespace

RecordsDuringRun::RecordsDuringRun(ReadRecords& records, const BatchInput& input, std::int64_t window)
    : files_(records.files_of(input)), pace_(bytes_of_input(files_), window) {
    // A pipe that does not end would be copied without end, so it is hashed after the labelling has found the end of the volume.
    const bool has_pipe = std::ranges::any_of(files_, [](const ReadFile& file) { return io::pipe_identity(file.path).has_value(); });
    records_ = std::async(has_pipe ? std::launch::deferred : std::launch::async | std::launch::deferred,
                          [this, &records] { return hash(records); });
    // If the system cannot start a thread, too, wait() computes the records.
    if (records_.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) pace_.end_checksum();
}

std::vector<FileRecord> RecordsDuringRun::hash(ReadRecords& records) {
    const EndOfChecksum end{pace_};
    return records.of(files_, [this, stop = stop_.get_token()](std::int64_t bytes) { return pace_.hashed(bytes, stop); });
}

std::vector<FileRecord> RecordsDuringRun::wait() {
    pace_.end_labelling();
    std::vector<FileRecord> records = records_.get();
    for (const ReadFile& file : files_) {
        ReadFile now = file;
        if (!look_at(now) || now != file) throw Error(ErrorKind::changed_file, file.path, "has changed while it was read");
    }
    return records;
}

}  // namespace voxcc
