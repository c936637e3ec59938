// Checksums of the files that a run of `voxcc label` reads.
#pragma once
#include "src/messages/file_record.h"
#include "src/options/options.h"
#include "src/pipeline/read_pace.h"

#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <vector>

namespace voxcc {

/// A file that is read for an input, and its state before it is read.
struct ReadFile {
    std::string path;
    enum class Use : std::uint8_t { input, companion } use = Use::input;  // companion: mask, intensity image or file of the level
    std::uintmax_t bytes = 0;
    std::filesystem::file_time_type written{};
    auto operator<=>(const ReadFile&) const = default;
};

/// Thread-safe.
class ReadRecords {
public:
    /// @param options must outlive this object
    explicit ReadRecords(const LabelOptions& options) : options_(options) {}
    /// All files of an input, then of the mask, the intensity images and the file of --threshold-from. Reads no voxels.
    std::vector<ReadFile> files_of(const BatchInput& input) const;
    /// The records of these files, in their order. The files of companions are read once per run, unless they change.
    /// @param hashed called with the number of bytes of the input that are hashed
    /// @throw the exceptions of record_of()
    std::vector<FileRecord> of(const std::vector<ReadFile>& files, const Hashed& hashed = {});

private:
    FileRecord of_companion(const ReadFile& file, const Hashed& hashed);
    const LabelOptions& options_;
    std::mutex mutex_;
    std::map<ReadFile, FileRecord> of_companions_;
};

/// Computes the records of an input on a thread of its own, while the input is labelled. The destructor ends the thread.
class RecordsDuringRun {
public:
    /// Must be constructed before the input is read.
    /// @param records must outlive this object
    /// @param window see ReadPace
    RecordsDuringRun(ReadRecords& records, const BatchInput& input, std::int64_t window);
    ~RecordsDuringRun() { stop_.request_stop(); }
    RecordsDuringRun(const RecordsDuringRun&) = delete;
    RecordsDuringRun& operator=(const RecordsDuringRun&) = delete;
    /// The labelling of the input must report its position here.
    ReadPace& pace() { return pace_; }
    /// Waits for the records. Must be called once, after the input is read.
    /// @throw Error changed_file if a file has changed since the construction; the exceptions of record_of()
    std::vector<FileRecord> wait();

private:
    std::vector<FileRecord> hash(ReadRecords& records);
    std::vector<ReadFile> files_;
    ReadPace pace_;
    std::stop_source stop_;
    std::future<std::vector<FileRecord>> records_;  // last: its destructor waits for the thread
};

}  // namespace voxcc
