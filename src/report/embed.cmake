# Embeds the files of the page and Chart.js into the program. Sets VOXCC_PAGE_FILES to the source file that contains them.
find_file(VOXCC_CHART_JS chart.min.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
  DOC "chart.min.js of Chart.js 3, for the plots of voxcc report")
if(NOT VOXCC_CHART_JS)
  message(FATAL_ERROR "voxcc: chart.min.js of Chart.js 3 is missing. On Debian, install libjs-chart.js. "
    "On other systems, unpack https://registry.npmjs.org/chart.js/-/chart.js-3.9.1.tgz and add -DVOXCC_CHART_JS=PATH/package/dist/chart.min.js")
endif()
file(STRINGS ${VOXCC_CHART_JS} chart_version REGEX "Chart\\.js v3\\." LIMIT_COUNT 1)
if(NOT chart_version)
  message(FATAL_ERROR "voxcc: ${VOXCC_CHART_JS} is not Chart.js 3; set VOXCC_CHART_JS to its chart.min.js")
endif()

set(page_folder ${CMAKE_CURRENT_LIST_DIR})
set(page_scripts ${VOXCC_CHART_JS})
foreach(name text filter pictures numbers viewer table charts provenance csv marks volumes page)
  list(APPEND page_scripts ${page_folder}/${name}.js)
endforeach()

set(embedded_arrays "")
set(embedded_scripts "")
foreach(path ${page_folder}/page.html ${page_folder}/page.css ${page_folder}/licences.txt ${page_scripts})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  get_filename_component(name ${path} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND embedded_arrays "constexpr unsigned char ${name}[] = {${bytes}};\n")
  if(path IN_LIST page_scripts)
    string(APPEND embedded_scripts "text(${name}), ")
  endif()
endforeach()
set(VOXCC_PAGE_FILES ${CMAKE_CURRENT_BINARY_DIR}/page_files.cpp)
configure_file(${page_folder}/page_files.cpp.in ${VOXCC_PAGE_FILES} @ONLY)
