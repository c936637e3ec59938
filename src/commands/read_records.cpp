#include "src/commands/read_records.h"

#include "src/pipeline/input.h"

#include <filesystem>

namespace voxcc {
namespace {

/// Adds the records of the files of one volume. A path that cannot be opened is left out; the run reports it.
void add_volume(const std::string& path, const InputOptions& input, std::vector<FileRecord>& records) {
    if (path.empty()) return;
    std::error_code unknown;
    for (const std::string& file : io::files_of_volume(path, open_options(input)))
        if (std::filesystem::is_regular_file(file, unknown))  // leaves out a folder or template, which is listed beside its slices
            records.push_back(record_of(file));
}

}  // namespace

std::vector<FileRecord> ReadRecords::of(const std::string& input) {
    std::vector<FileRecord> records;
    add_volume(input, options_.input, records);
    std::lock_guard lock(mutex_);
    if (!of_companions_) {
        std::vector<FileRecord> companions;
        for (const std::string& path : {options_.mask, options_.intensity}) add_volume(path, options_.input, companions);
        of_companions_ = std::move(companions);
    }
    records.insert(records.end(), of_companions_->begin(), of_companions_->end());
    return records;
}

}  // namespace voxcc
