// Checksums of the files that a run of `voxcc label` writes.
#pragma once
#include "io/files/checked_file.h"
#include "src/messages/file_record.h"

#include <future>
#include <map>
#include <stop_token>

namespace voxcc {

/// Computes the record of each output while the output is synced. Large files are read by one more thread, one file after the other: a
/// file is not synced before the earlier file is hashed. Not thread-safe.
class WrittenRecords {
public:
    /// Must be constructed before an output is created. @param outputs must outlive this object
    explicit WrittenRecords(io::OutputFiles& outputs);
    ~WrittenRecords();
    WrittenRecords(const WrittenRecords&) = delete;
    WrittenRecords& operator=(const WrittenRecords&) = delete;
    /// Waits for the records of all outputs, in the order of their creation. Outputs that are not closed, such as the table of
    /// --summary, have no record. @throw the exceptions of record_of()
    std::vector<FileRecord> take();

private:
    void start(const io::OutputFile& file);
    io::OutputFiles& outputs_;
    std::stop_source stop_;
    std::map<std::string, std::future<FileRecord>> records_;  // by temporary name
    std::future<FileRecord>* last_ = nullptr;                 // of the last large file
};

/// The records of all outputs, which must be complete and not published. Reads every file.
/// @throw the exceptions of record_of()
std::vector<FileRecord> records_of(const io::OutputFiles& outputs);

}  // namespace voxcc
