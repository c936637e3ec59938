// Removal of the rights that a process needs not have to read untrusted bytes.
#pragma once

namespace voxcc::io {

/// Permanently makes system calls fail with EPERM that write, create, rename or remove files, open connections, start programs or change
/// other processes. Reading files, using memory and sending over open descriptors stay allowed. Without system call filters in the kernel
/// (seccomp), and under AddressSanitizer, only the limit on written files applies.
void give_up_rights();

}  // namespace voxcc::io
