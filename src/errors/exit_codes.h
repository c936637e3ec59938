// The exit codes of the program, as README.md lists them.
#pragma once

namespace voxcc {

enum class ExitCode : int {
    ok = 0,
    differs = 1,    // `compare` found a difference, or some files of a batch failed
    usage = 64,     // the command line
    bad_data = 65,  // the content of a file
    no_input = 66,  // an input that does not exist
    no_device = 69,
    internal = 70,  // a fault of voxcc or of its installation
    out_of_memory = 71,
    cannot_create = 73,  // an output that cannot be created, or must not be overwritten
    io_error = 74,       // reading or writing failed, or the disk is full
    no_permission = 77,
    bad_config = 78,
    hangup = 129,  // 128 + the signal that ended the program
    interrupted = 130,
    terminated = 143,
};

}  // namespace voxcc
