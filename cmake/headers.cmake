# precompile_headers(TARGET [HEADER]...): compiles the headers of the standard library that most files include, and each HEADER, as in
# <zlib.h>, once for the target. Builds with a compiler launcher do without: ccache does not store files that use precompiled headers. The
# builds with sanitizers in .ci/run use the precompiled headers.
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

# compile_in_groups(TARGET [FOLDER]...): compiles the sources of each FOLDER (default: of each folder) in groups of up to ten files, with one
# run of the compiler per group, which reads the headers once for all of them. So names in anonymous namespaces must differ within a folder.
# A source with compile options of its own is compiled alone. With -DVOXCC_GROUPS=OFF, all sources are, for editors that need a command per
# file.
function(compile_in_groups target)
  if(NOT VOXCC_GROUPS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^[a-z].*\\.cpp$")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    if(ARGN AND NOT folder IN_LIST ARGN)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "in_${folder}" group)
    if(NOT DEFINED number_${group})
      set(number_${group} 0)
    endif()
    math(EXPR part "${number_${group}} / 10")
    math(EXPR number_${group} "${number_${group}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
