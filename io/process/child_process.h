// A process of its own for code that may not survive a corrupt or hostile file (libhdf5, ITK, GDCM).
//
// The child is a fork of this process without its descriptors, and without the right to write files, to open connections or to start
// programs. It has a limit of memory, and a limit of processor time for each request. Whatever happens to it, this process goes on and
// receives an Error.
#pragma once
#include "io/process/channel.h"

#include <sys/types.h>
#include <functional>

namespace voxcc::io {

struct ChildLimits {
    std::int64_t memory = std::int64_t{512} << 20;  // bytes of address space beyond what this process has mapped
    int processor_seconds = 10;                     // per request, see limit_processor_time()
};

class ChildProcess {
public:
    using Serve = std::function<void(Channel&)>;
    /// Starts the child, which calls `serve` once and ends. An Error that `serve` throws is sent as the answer (put_error).
    /// @param path the file that is named in errors
    /// @param kept_descriptor stays open in the child beside the channel; -1: none
    /// @throw Error out_of_memory, io_error if no process can be started
    ChildProcess(const std::string& path, const ChildLimits& limits, int kept_descriptor, const Serve& serve);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Runs `talk(channel)`, a conversation with the child.
    /// @throw Error what the child answered; bad_data if the child crashed, took too long or sent nonsense; out_of_memory if it was killed
    template <class Talk>
    auto ask(const Talk& talk) {
        try {
            return talk(channel_);
        } catch (const Channel::Closed&) {
            throw cause_of_death();
        } catch (const Channel::Invalid&) {
            throw nonsense();
        }
    }

private:
    Error cause_of_death();
    Error nonsense() const;
    std::string path_;
    ChildLimits limits_;
    pid_t child_ = 0;
    int fd_ = -1;
    Channel channel_{-1};
};

/// For the child: ends this process after so many seconds of processor time from now on. 0: no limit.
void limit_processor_time(int seconds);

/// For the child: raises the limit of memory to `bytes` beyond what is mapped now, up to a few GiB.
void allow_memory(std::int64_t bytes);

}  // namespace voxcc::io
