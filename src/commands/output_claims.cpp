#include "src/commands/output_claims.h"

#include "src/errors/program_error.h"

namespace voxcc {

void OutputClaims::add(const std::string& target, const std::string& claimant) {
    const auto place = io::file_place(target);
    if (target.empty() || io::is_stdout(target) || !place) return;
    std::lock_guard lock(mutex_);
    const auto [at, is_new] = claimants_.emplace(*place, claimant);
    if (!is_new)
        throw ProgramError(ErrorKind::invalid_argument, claimant, "would write '" + target + "', as '" + at->second + "' does",
                           "rename one of them, or use different names of outputs");
}

}  // namespace voxcc
