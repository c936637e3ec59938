# precompile_headers(TARGET [HEADER]...): compiles the headers of the standard library that most files include, and each HEADER, as in
# <zlib.h>, once for the target. Builds with a compiler launcher do without: ccache does not store files that use precompiled headers. So
# .ci/run, which uses ccache, checks that each file includes what it needs. Its builds with sanitizers use the precompiled headers.
#
# <nlohmann/json.hpp> must be named only for targets whose files use it: GCC instantiates templates of this header in each file, which takes
# a second.
function(precompile_headers target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  set(headers "<algorithm>;<array>;<chrono>;<cmath>;<condition_variable>;<functional>;<map>;<memory>;<mutex>;<optional>;<set>;<span>;<sstream>;<string>;<thread>;<vector>" ${ARGN})
  list(TRANSFORM headers REPLACE ">" "$<ANGLE-R>")
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
  target_precompile_headers(${target} PRIVATE ${headers})
  # GCC 12 does not know that a precompiled header was a system header, and reports false warnings about std::string.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
endfunction()
