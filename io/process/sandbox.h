// What a process may do that reads untrusted bytes.
#pragma once

namespace voxcc::io {

/// From now on, and for good, system calls of this process that write, create, rename or remove files, open connections, start
/// programs or change other processes fail with EPERM. It may read files, use memory and talk over descriptors that are open. Where the
/// kernel offers no filter of system calls (seccomp), and under AddressSanitizer, only the limit on written files holds.
void give_up_rights();

}  // namespace voxcc::io
