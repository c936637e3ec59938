# Sets VOXCC_COMMIT to the first 10 digits of the commit of the source. The value is empty if the commit is not known.
# `git archive` writes the commit and its time into commit.txt (.gitattributes). In a clone, git prints the commit.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt commit_line)
if(NOT commit_line MATCHES "^[0-9a-f]" AND EXISTS ${PROJECT_SOURCE_DIR}/.git)  # without .git, git could find a surrounding repository
  execute_process(
    COMMAND git rev-parse HEAD --git-path logs/HEAD
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE git_lines OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE git_failed)
  if(NOT git_failed)
    string(REPLACE "\n" ";" git_lines "${git_lines}")
    list(GET git_lines 0 commit_line)
    list(GET git_lines 1 git_log)
    # A new commit changes this file. The next build then configures again.
    get_filename_component(git_log "${git_log}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
    if(EXISTS ${git_log})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${git_log})
    endif()
  endif()
endif()
string(REGEX MATCH "^[0-9a-f]+" VOXCC_COMMIT "${commit_line}")
string(SUBSTRING "${VOXCC_COMMIT}" 0 10 VOXCC_COMMIT)
if(VOXCC_COMMIT)
  message(STATUS "voxcc: version ${PROJECT_VERSION}, commit ${VOXCC_COMMIT}")
else()
  message(STATUS "voxcc: version ${PROJECT_VERSION}, commit not known")
endif()
