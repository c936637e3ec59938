// Integers of 128 bits, which the compilers offer as an extension.
#pragma once

namespace voxcc {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

}  // namespace voxcc
