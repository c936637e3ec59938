// Whether child processes are restricted. AddressSanitizer opens and writes files, so its builds do not restrict them.
#pragma once

namespace voxcc::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sandboxed = false;
#else
inline constexpr bool sandboxed = true;
#endif

}  // namespace voxcc::test
