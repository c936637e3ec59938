#include "src/commands/read_records.h"

#include "src/pipeline/input.h"

namespace voxcc {
namespace {

namespace fs = std::filesystem;

/// Sets the size and the time of the last change. @return whether the path is a regular file
bool look_at(ReadFile& file) {
    std::error_code unknown;
    if (!fs::is_regular_file(file.path, unknown)) return false;
    file.bytes = fs::file_size(file.path, unknown);
    if (!unknown) file.written = fs::last_write_time(file.path, unknown);
    return !unknown;
}

/// Adds the files of one volume. A path that cannot be opened is left out; the run reports it.
void add_volume(const std::string& path, ReadFile::Use use, const InputOptions& input, std::vector<ReadFile>& files) {
    if (path.empty()) return;
    for (const std::string& name : io::files_of_volume(path, open_options(input))) {
        ReadFile file{.path = name, .use = use, .bytes = 0, .written = {}};
        if (look_at(file)) files.push_back(file);  // leaves out a folder or template, which is listed beside its slices
    }
}

}  // namespace

std::vector<ReadFile> ReadRecords::files_of(const std::string& input) const {
    std::vector<ReadFile> files;
    add_volume(input, ReadFile::Use::input, options_.input, files);
    for (const std::string& path : {options_.mask, options_.intensity}) add_volume(path, ReadFile::Use::companion, options_.input, files);
    return files;
}

std::vector<FileRecord> ReadRecords::of(const std::vector<ReadFile>& files, const std::stop_token& stop) {
    std::vector<FileRecord> records;
    for (const ReadFile& file : files)
        records.push_back(file.use == ReadFile::Use::companion ? of_companion(file, stop) : record_of(file.path, stop));
    return records;
}

FileRecord ReadRecords::of_companion(const ReadFile& file, const std::stop_token& stop) {
    const std::lock_guard lock(mutex_);
    if (const auto known = of_companions_.find(file); known != of_companions_.end()) return known->second;
    const FileRecord record = record_of(file.path, stop);
    if (!stop.stop_requested()) of_companions_.emplace(file, record);
    return record;
}

RecordsDuringRun::RecordsDuringRun(ReadRecords& records, const std::string& input) : files_(records.files_of(input)) {
    // If the system cannot start a thread, wait() computes the records.
    records_ = std::async(std::launch::async | std::launch::deferred,
                          [&records, this, stop = stop_.get_token()] { return records.of(files_, stop); });
}

std::vector<FileRecord> RecordsDuringRun::wait() {
    std::vector<FileRecord> records = records_.get();
    for (const ReadFile& file : files_) {
        ReadFile now = file;
        if (!look_at(now) || now != file) throw Error(ErrorKind::changed_file, file.path, "has changed while it was read");
    }
    return records;
}

}  // namespace voxcc
