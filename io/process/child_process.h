// A child process for code that can crash on a corrupt or hostile file (libhdf5, ITK, GDCM).
//
// The child is a fork of this process without its descriptors. It cannot write files, open connections or start programs, and it has a
// limit on memory, on processor time and on idle time per request. Whatever happens in the child, this process continues and receives an
// Error.
#pragma once
#include "io/process/channel.h"

#include <sys/types.h>
#include <functional>

namespace voxcc::io {

struct ChildLimits {
    std::int64_t memory = std::int64_t{512} << 20;  // bytes of address space beyond the mapped bytes of this process
    int processor_seconds = 10;                     // per request; see limit_processor_time()
    int idle_seconds = 60;                          // without using the processor while this process waits for an answer
};

/// The library crashed in the child. If an allocation has failed that the library did not check, a second attempt can succeed.
class LibraryCrash : public Error {
public:
    using Error::Error;
};

/// A running child process. The destructor ends it. Not thread-safe.
class ChildProcess {
public:
    using Serve = std::function<void(Channel&)>;
    /// Starts the child, which calls `serve` once and ends. An Error thrown by `serve` is sent as the answer (put_error).
    /// @param path file named in errors
    /// @param kept_descriptor stays open in the child in addition to the channel; -1: none
    /// @throw Error out_of_memory, io_error if the process cannot be started
    ChildProcess(const std::string& path, const ChildLimits& limits, int kept_descriptor, const Serve& serve);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Runs `exchange(channel)`, which sends a request and receives the answer. @return the result of `exchange`
    /// @throw Error the error that the child sent; corrupt_file if it took too long or sent invalid values; out_of_memory if it was killed;
    /// LibraryCrash (corrupt_file) if it crashed; io_error if it was idle for once to twice ChildLimits::idle_seconds, for example because
    /// a disk does not answer
    template <class Exchange>
    auto ask(const Exchange& exchange) {
        try {
            return exchange(channel_);
        } catch (const Channel::Closed&) {
            throw_cause_of_death();
        } catch (const Channel::Invalid&) {
            throw nonsense();
        }
    }

    /// Must be called with the new limit if the child changes it with limit_processor_time(); errors name the limit.
    void set_processor_seconds(int seconds) { limits_.processor_seconds = seconds; }

private:
    void require_progress();
    [[noreturn]] void throw_cause_of_death();
    Error nonsense() const;
    std::string path_;
    ChildLimits limits_;
    pid_t child_ = 0;
    int fd_ = -1;
    std::int64_t used_nanoseconds_ = -1;  // processor time of the child when require_progress() was called last
    Channel channel_{-1};
};

/// Must be called in the child: ends the process after `seconds` of processor time from now. 0: no limit.
void limit_processor_time(int seconds);

/// Must be called in the child: raises the memory limit to `bytes` beyond the mapped bytes, up to a maximum of a few GiB.
void allow_memory(std::int64_t bytes);

}  // namespace voxcc::io
