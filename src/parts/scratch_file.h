// A temporary file of the merge. It has no name, so that it disappears with the process, and merges at the same time do not share it.
#pragma once
#include <voxcc/parts.h>

#include <string>

namespace voxcc::parts {

/// Bytes in a file of a folder. The file is created when the first bytes are appended.
class ScratchFile : public Scratch {
public:
    explicit ScratchFile(std::string folder) : folder_(std::move(folder)) {}
    ~ScratchFile() override;
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    /// @throw Error cannot_create, no_permission, disk_full, io_error
    std::uint64_t append(std::span<const std::byte> bytes) override;
    void write(std::uint64_t place, std::span<const std::byte> bytes) override;
    void read(std::uint64_t place, std::span<std::byte> to) override;

private:
    /// Writes or reads all bytes. @param call pwrite or pread
    template <class Call, class Bytes>
    void transfer(const std::string& action, const Call& call, std::uint64_t place, Bytes bytes) const;
    [[noreturn]] void fail(const std::string& action, int error) const;
    std::string folder_;
    int file_ = -1;
    std::uint64_t bytes_ = 0;
};

}  // namespace voxcc::parts
