# Sets VOXCC_PYTHON_MODULE and Python_EXECUTABLE in a build with tests, if VOXCC_PYTHON has nanobind and the headers of Python.
# The thread sanitizer cannot be loaded into a Python that was compiled without it.
if(NOT VOXCC_PYTHON_MODULE AND VOXCC_TESTS AND VOXCC_PYTHON AND NOT VOXCC_SANITIZE MATCHES "thread")
  execute_process(
    COMMAND ${VOXCC_PYTHON} -c "import nanobind, pathlib, sysconfig; (pathlib.Path(sysconfig.get_path('include')) / 'Python.h').open()"
    RESULT_VARIABLE python_lacks OUTPUT_QUIET ERROR_QUIET)
  if(NOT python_lacks)
    set(VOXCC_PYTHON_MODULE ON)
    set(Python_EXECUTABLE ${VOXCC_PYTHON})
  endif()
endif()
