// Errors that the program itself throws, with a remedy.
#pragma once
#include <voxcc/error.h>

namespace voxcc {

/// An error of the command line, the configuration or a run. Its subject is printed unchanged, so it can be an option with its dashes.
/// Must be caught by reference: a copy of the base class does not have the remedy.
class ProgramError : public Error {
public:
    /// @param remedy what the user can do, as an imperative; if empty, it follows from the kind (remedies.h)
    ProgramError(ErrorKind kind, std::string subject, std::string cause, std::string remedy = {})
        : Error(kind, std::move(subject), std::move(cause)), remedy_(std::move(remedy)) {}
    const std::string& remedy() const { return remedy_; }

private:
    std::string remedy_;
};

}  // namespace voxcc
