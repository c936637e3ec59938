// A child process for code that can crash on a corrupt or hostile file (libhdf5, ITK, GDCM).
//
// The child is a fork of this process without its descriptors. It can only read, compute and answer (sandbox.h), and it has a limit on
// memory, on processor time and on idle time per request. This process sets and watches the limits, so that the child cannot change them.
// Whatever happens in the child, this process continues and receives an Error.
#pragma once
#include "io/process/channel.h"

#include <sys/types.h>
#include <functional>

namespace voxcc::io {

struct ChildLimits {
    std::int64_t memory = base_memory;  // bytes of address space beyond the mapped bytes of this process
    int processor_seconds = 10;         // per request
    int idle_seconds = 60;              // without using the processor while this process waits for an answer

    static constexpr std::int64_t base_memory = std::int64_t{128} << 20;  // for the libraries, beside the content of the file
};

/// What the child can read.
struct ChildInputs {
    int descriptor = -1;                // stays open in the child in addition to the channel; -1: none
    std::vector<std::string> readable;  // files and folders that the child may open; empty: it cannot open files
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
    /// @throw Error out_of_memory, io_error if the process cannot be started
    ChildProcess(const std::string& path, const ChildLimits& limits, const ChildInputs& inputs, const Serve& serve);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Runs `exchange(channel)`, which sends a request and receives the answer. @return the result of `exchange`
    /// @throw Error the error that the child sent; corrupt_file if it took too long or sent invalid values; out_of_memory if it was killed;
    /// LibraryCrash (corrupt_file) if it crashed; internal if it could not be restricted (io/sandbox.h); io_error if it was idle for
    /// ChildLimits::idle_seconds, for example because a disk does not answer
    template <class Exchange>
    auto ask(const Exchange& exchange) {
        try {
            begin_request();
            return exchange(channel_);
        } catch (const Channel::Closed&) {
            throw_cause_of_death();
        } catch (const Channel::Invalid&) {
            throw nonsense();
        }
    }

    /// Replaces the limits of the next requests.
    /// @param memory bytes beyond the mapped bytes of this process at the start
    void allow(std::int64_t memory, int processor_seconds);

private:
    void begin_request();
    std::int64_t used_nanoseconds() const;
    void require_progress();
    [[noreturn]] void throw_slow() const;
    [[noreturn]] void throw_cause_of_death();
    Error nonsense() const;
    std::string path_;
    ChildLimits limits_;
    pid_t child_ = 0;
    int fd_ = -1;
    std::int64_t mapped_ = -1;            // bytes of address space in the child at its start; -1: it has not sent them so far
    std::int64_t used_before_ = 0;        // processor time of the child in ns when the request began
    std::int64_t used_when_waiting_ = 0;  // the same, when require_progress() last saw progress
    int idle_ = 0;                        // calls of require_progress() without progress
    Channel channel_{-1};
};

}  // namespace voxcc::io
