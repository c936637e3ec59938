// The one exception type of the project. It has a kind, a subject and a cause; the program adds the remedy and the exit code.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace voxcc {

/// States what is wrong. Callers decide by the kind what to do about an error.
enum class ErrorKind : std::uint8_t {
    // Options and arguments
    invalid_argument,          // the value of an argument is not allowed
    unsupported,               // arguments that do not go together
    unsupported_by_algorithm,  // the algorithm cannot do what the arguments require; choices(): algorithms that can, if any are named
    unsupported_by_device,     // the algorithm cannot do it on a GPU, but can on the CPU
    unsupported_label_type,    // the file format cannot hold labels of this type
    no_such_algorithm,         // this build has no algorithm with this name
    unknown_format,            // the file name does not state a known format; choices(): names that do
    several_volumes,           // the file holds several volumes and none is chosen; choices(): their numbers
    no_such_volume,            // the file does not hold the chosen volume; choices(): the numbers of its volumes, if it holds several
    several_datasets,          // the file holds several datasets and none is chosen; choices(): their paths
    no_such_dataset,           // the file does not hold the chosen dataset; choices(): the paths of its datasets
    several_series,            // the folder holds several image series
    unsupported_by_reader,     // the chosen reader does not read the file, or reads it differently; choices(): the reader that reads it
    picture_too_large,         // the volume has too many columns or rows for a picture
    bad_configuration,         // a configuration file or an environment variable; thrown only by the program
    // Content of files and volumes
    invalid_file,        // the content breaks the rules of its format
    unsupported_file,    // the content is valid, but cannot be read
    no_header,           // the file does not state the extent and type of its voxels
    corrupt_file,        // the stored bytes are damaged
    truncated_file,      // the end of the file is missing
    damaged_file,        // corrupt or truncated
    wrong_size,          // the file does not have the size that its header states
    several_values,      // voxels are vectors, colours or complex numbers
    external_file,       // the file refers to another file, which is not permitted
    changed_file,        // the file has changed while it was read
    interrupted_output,  // the publication of the file together with others was interrupted, and some of these files are older than others
    invalid_extent,      // an extent is not positive, or too large
    labels_too_large,    // the labels do not fit the type or the format; choices(): formats that can hold them, if any are named
    // Files that are not there or cannot be used
    missing_file,    // the input does not exist
    missing_part,    // the input consists of several files and some do not exist
    not_a_file,      // the input is not a regular file
    cannot_create,   // the output cannot be created
    exists,          // the output exists and must not be overwritten
    is_input,        // the output is also an input
    missing_folder,  // the folder of the output does not exist
    io_error,        // reading or writing failed
    disk_full,       // no space is left for the output
    file_in_use,     // another program writes the file
    no_permission,   // the system refuses access
    // The machine
    no_device,       // the device or instruction set does not exist, or cannot be used; choices(): the instruction sets that can be used
    device_failure,  // an operation of the GPU failed
    device_memory,   // the GPU has too little memory
    out_of_memory,   // the host has too little memory, or a table would have too many entries
    process_limit,   // the system does not allow more threads or processes
    internal,        // a fault of the library or its installation; choices(): what permits the call in spite of it, if anything does
};

/// The last enumerator of ErrorKind.
inline constexpr ErrorKind last_error_kind = ErrorKind::internal;

/// @return whether the content of a file or volume causes errors of this kind
constexpr bool is_about_content(ErrorKind kind) { return kind >= ErrorKind::invalid_file && kind <= ErrorKind::labels_too_large; }

/// An error with its kind, its subject (a file, the field of an options struct, or a device) and its cause. what() is "subject: cause".
class Error : public std::runtime_error {
public:
    /// @param choices the values that would be valid, as text, for example "0..5"; empty if the kind does not have choices
    Error(ErrorKind kind, std::string subject, std::string cause, std::string choices = {})
        : std::runtime_error(subject + ": " + cause),
          kind_(kind),
          subject_(std::move(subject)),
          cause_(std::move(cause)),
          choices_(std::move(choices)) {}
    ErrorKind kind() const { return kind_; }
    const std::string& subject() const { return subject_; }
    const std::string& cause() const { return cause_; }
    const std::string& choices() const { return choices_; }

private:
    ErrorKind kind_;
    std::string subject_, cause_, choices_;
};

}  // namespace voxcc
