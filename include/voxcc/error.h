// The one exception type of the project. Libraries throw it, main prints it once.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace voxcc {

/// Exit codes of the program (README.md); an error carries the one that says who is to blame.
enum class ExitCode : int {
    ok = 0,
    differs = 1,    // `compare` found a difference, or some files of a batch failed
    usage = 64,     // the command line
    bad_data = 65,  // the content of a file
    no_input = 66,  // a file that is not there
    no_device = 69,
    internal = 70,  // us
    out_of_memory = 71,
    cannot_create = 73,  // an output that may not be made, or not be overwritten
    io_error = 74,       // reading or writing failed, disk full
    no_permission = 77,
    bad_config = 78,
    hangup = 129,  // 128 + the signal that ended the program
    interrupted = 130,
    terminated = 143,
};

/// File (or option), cause, remedy; the remedy may be empty. what() is "file: cause; remedy".
class Error : public std::runtime_error {
public:
    Error(ExitCode code, std::string subject, std::string cause, std::string remedy = {})
        : std::runtime_error(subject + ": " + cause + (remedy.empty() ? "" : "; " + remedy)),
          code_(code),
          subject_(std::move(subject)),
          cause_(std::move(cause)),
          remedy_(std::move(remedy)) {}
    ExitCode code() const { return code_; }
    const std::string& subject() const { return subject_; }
    const std::string& cause() const { return cause_; }
    const std::string& remedy() const { return remedy_; }

private:
    ExitCode code_;
    std::string subject_, cause_, remedy_;
};

}  // namespace voxcc
