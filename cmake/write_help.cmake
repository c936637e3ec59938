# Lets the program write its manual pages and completions: cmake -D VOXCC=PROGRAM -D FOLDER=FOLDER -P write_help.cmake
# FOLDER/man1, FOLDER/bash, FOLDER/zsh and FOLDER/fish are written anew, so that they contain no page of a command that was removed.
function(write file)
  execute_process(COMMAND ${VOXCC} help ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND ${VOXCC} help --format text OUTPUT_VARIABLE screen COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\nMessages:\n.*" "" commands "${screen}")  # the commands come before the options
string(REGEX MATCHALL "\n  [a-z]+" commands "${commands}")
if(NOT commands)
  message(FATAL_ERROR "'${VOXCC} help' lists no commands")
endif()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man1 ${FOLDER}/bash ${FOLDER}/zsh ${FOLDER}/fish)
write(man1/voxcc.1 --format man)
foreach(command ${commands})
  string(STRIP "${command}" command)
  write(man1/voxcc-${command}.1 ${command} --format man)
endforeach()
write(bash/voxcc --format bash)
write(zsh/_voxcc --format zsh)
write(fish/voxcc.fish --format fish)
