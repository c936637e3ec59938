#include "src/commands/written_records.h"

#include <filesystem>
#include <optional>

namespace voxcc {
namespace {

// Records of all outputs in the order of their creation, then of the Zarr folders.
// @param record returns the record of a file, or nothing
template <class Record>
std::vector<FileRecord> records_with(const io::OutputFiles& outputs, const Record& record) {
    std::vector<FileRecord> records;
    const auto add = [&](std::optional<FileRecord> added, const std::string& target) {
        if (!added) return;
        records.push_back(std::move(*added));
        records.back().path = target;
    };
    for (const auto& file : outputs.files())
        if (!file->is_stream()) add(record(file->temporary()), file->target());
    for (const auto& folder : outputs.folders()) add(record_of_folder(folder->temporary()), folder->target());
    return records;
}

}  // namespace

WrittenRecords::WrittenRecords(io::OutputFiles& outputs) : outputs_(outputs) {
    outputs_.when_written([this](const io::OutputFile& file) { start(file); });
}

WrittenRecords::~WrittenRecords() {
    outputs_.when_written({});
    stop_.request_stop();
}

void WrittenRecords::start(const io::OutputFile& file) {
    constexpr std::uintmax_t bytes_for_a_thread = 1 << 20;  // 0.5 ms of hashing; a run can write thousands of small files
    std::error_code unknown;
    const bool large = std::filesystem::file_size(file.temporary(), unknown) >= bytes_for_a_thread && !unknown;
    if (large && last_) last_->wait();
    const auto policy = large ? std::launch::async | std::launch::deferred : std::launch::deferred;
    std::future<FileRecord>& record = records_[file.temporary()];
    record = std::async(policy, [path = file.temporary(), stop = stop_.get_token()] {
        return record_of(path, [&](std::int64_t) { return !stop.stop_requested(); });
    });
    if (large) last_ = &record;
}

std::vector<FileRecord> WrittenRecords::take() {
    outputs_.when_written({});
    return records_with(outputs_, [this](const std::string& file) -> std::optional<FileRecord> {
        const auto record = records_.find(file);
        return record == records_.end() ? std::nullopt : std::optional(record->second.get());
    });
}

std::vector<FileRecord> records_of(const io::OutputFiles& outputs) {
    return records_with(outputs, [](const std::string& file) { return record_of(file); });
}

}  // namespace voxcc
