// Whether the tests run under a sanitizer. Tests are then ten times as slow and use smaller sets of volumes.
#pragma once

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
