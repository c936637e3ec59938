// Whether the tests run under a sanitizer, ten times as slow, so that exhaustive sets are made smaller.
#pragma once

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
