# The files of the wheel voxcc-cli (pyproject.toml): the program, and the licences of voxcc and of the libraries that the program contains.
install(TARGETS voxcc RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${SKBUILD_METADATA_DIR}/licenses COMPONENT wheel)
foreach(package libbz2-dev libcli11-dev libdeflate-dev libexpat1-dev libisal-dev libjpeg62-turbo-dev libjs-chart.js liblerc-dev liblzma-dev libpng-dev libssl-dev libstb-dev libtiff-dev
                libzstd-dev nlohmann-json3-dev zlib1g-dev)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION ${SKBUILD_METADATA_DIR}/licenses RENAME ${package}.txt COMPONENT wheel OPTIONAL)
endforeach()
