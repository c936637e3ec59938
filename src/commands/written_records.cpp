#include "src/commands/written_records.h"

#include <filesystem>

namespace voxcc {

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
    std::vector<FileRecord> records;
    for (const auto& file : outputs_.files()) {
        if (file->is_stream()) continue;
        records.push_back(records_.at(file->temporary()).get());
        records.back().path = file->target();
    }
    add_records_of_folders(outputs_, records);
    return records;
}

void add_records_of_folders(const io::OutputFiles& outputs, std::vector<FileRecord>& records) {
    for (const auto& folder : outputs.folders()) {
        records.push_back(record_of_folder(folder->temporary()));
        records.back().path = folder->target();
    }
}

}  // namespace voxcc
