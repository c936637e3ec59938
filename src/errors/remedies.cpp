#include "src/errors/remedies.h"

#include "src/errors/program_error.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace voxcc {
namespace {

/// @return `before` and the choices of the error; nothing if it has no choices
std::string with_choices(const std::string& before, const Error& error) {
    return error.choices().empty() ? std::string() : before + error.choices();
}

std::string remedy_of_algorithm(const Error& error) {
    return error.choices().empty() ? "use --algorithm block-runs" : "use one of " + error.choices();
}

std::string remedy_of_device(const Error& error) {
    return error.choices().empty() ? "use --device cpu or auto" : "use one of " + error.choices();
}

std::string remedy_of_volume(const Error& error) {
    return error.choices().empty() ? "leave --volume out" : "choose one with --volume " + error.choices();
}

/// The remedy that follows from the kind and the choices; empty if the kind has none of its own.
std::string remedy_of(const Error& error) {
    switch (error.kind()) {
        case ErrorKind::invalid_argument:
        case ErrorKind::unknown_format: return with_choices("use ", error);
        case ErrorKind::unsupported_by_algorithm: return remedy_of_algorithm(error);
        case ErrorKind::unsupported_by_device: return "use --device cpu";
        case ErrorKind::unsupported_label_type: return "choose another --dtype or leave it out";
        case ErrorKind::no_such_algorithm: return "see 'voxcc algorithms'";
        case ErrorKind::several_volumes:
        case ErrorKind::no_such_volume: return remedy_of_volume(error);
        case ErrorKind::several_datasets: return with_choices("choose one with --dataset: ", error);
        case ErrorKind::no_such_dataset: return with_choices("choose one with --dataset: ", error);
        case ErrorKind::unsupported_by_reader: return with_choices("read it with --reader ", error);
        case ErrorKind::several_series: return "put the files of one series in a folder of its own";
        case ErrorKind::picture_too_large: return "leave out --preview for such a volume";
        case ErrorKind::corrupt_file: return "the file is corrupt; copy or download it again";
        case ErrorKind::truncated_file: return "the file is truncated; copy or download it again";
        case ErrorKind::damaged_file: return "the file is truncated or corrupt; copy or download it again";
        case ErrorKind::wrong_size: return "the file is truncated or its header is wrong; copy or download it again";
        case ErrorKind::no_header: return "state them with --raw, as in --raw uint16,512x512x300";
        case ErrorKind::external_file: return "read it with --allow-external if you trust the file";
        case ErrorKind::changed_file: return "read it again when no program writes to it";
        case ErrorKind::interrupted_output: return "run the command that writes it again, with --force";
        case ErrorKind::labels_too_large: return with_choices("write ", error);
        case ErrorKind::exists: return "overwrite it with --force, or name another output";
        case ErrorKind::is_input: return "name another output";
        case ErrorKind::missing_folder: return "make the folder first";
        case ErrorKind::disk_full: return "free some space; nothing was left behind";
        case ErrorKind::file_in_use: return "wait for it, or set HDF5_USE_FILE_LOCKING=FALSE";
        case ErrorKind::no_device: return remedy_of_device(error);
        case ErrorKind::device_failure: return "use --device cpu and report this";
        case ErrorKind::device_memory: return "use --device cpu, or a smaller volume";
        case ErrorKind::process_limit: return "allow more processes (ulimit -u), or end others";
        case ErrorKind::internal: return with_choices("if you trust the file, read it with --allow-", error);
        default: return {};
    }
}

/// The remedy of kinds whose errors can have advice of their own in the cause. @param help the command that prints the help
std::string general_remedy_of(const Error& error, const std::string& help) {
    switch (error.kind()) {
        case ErrorKind::missing_file:
            return error.subject().find('*') == std::string::npos ? "check the path" : "check the pattern, because no file matches it";
        case ErrorKind::missing_part: return "put the missing file in the same folder";
        case ErrorKind::not_a_file: return "give the name of a file";
        case ErrorKind::no_permission: return "change the permissions with chmod, or ask the owner for access";
        case ErrorKind::cannot_create: return "name another output";
        case ErrorKind::io_error: return error.subject() == "stdout" ? "check where stdout goes" : "check the disk, and try again";
        case ErrorKind::invalid_file: return "copy or download it again, or save it again with the program that wrote it";
        case ErrorKind::unsupported_file: return "save it in another way, for example as .nii.gz or .tif";
        case ErrorKind::several_values: return "extract one channel first, because labelling needs one number per voxel";
        case ErrorKind::invalid_extent: return "use a smaller volume";
        case ErrorKind::labels_too_large: return "use a wider --dtype, or leave it out";
        case ErrorKind::several_datasets:
        case ErrorKind::no_such_dataset: return "list the datasets with 'voxcc info'";
        case ErrorKind::bad_configuration: return "see " + help + " for names and values";
        case ErrorKind::out_of_memory: return "use fewer threads (-t), or set --max-memory";
        case ErrorKind::internal: return "this is a fault of voxcc; please report it";
        default: return "see " + help;
    }
}

/// Messages of libraries may end in advice about one file: "CAUSE; ADVICE". @return the cause and the advice, which is empty if there is
/// none
// "holds several frames; name the file itself"  ->  {"holds several frames", "name the file itself"}
std::pair<std::string, std::string> divided(const std::string& cause) {
    const std::size_t at = cause.rfind("; ");
    if (at == std::string::npos) return {cause, ""};
    return {cause.substr(0, at), cause.substr(at + 2)};
}

/// @return whether the subject of a library error of this kind is a field of an options struct, and not a file
bool subject_is_field(ErrorKind kind) {
    for (const ErrorKind with_field : {ErrorKind::invalid_argument, ErrorKind::unsupported, ErrorKind::unsupported_by_algorithm,
                                       ErrorKind::no_such_algorithm, ErrorKind::no_device})
        if (kind == with_field) return true;
    return false;
}

/// Replaces the name of a field by the name of its option.
// "device cuda:1"  ->  "--device cuda:1"
std::string shown_subject(const Error& error) {
    constexpr std::array<std::string_view, 14> fields{"algorithm", "device",      "isa",          "shape",      "size",
                                                      "density",   "order",       "tile",         "scale",      "level",
                                                      "factor",    "granularity", "subdivisions", "probability"};
    const std::string& subject = error.subject();
    const std::string_view field = std::string_view(subject).substr(0, subject.find(' '));
    const bool is_option = subject_is_field(error.kind()) && std::find(fields.begin(), fields.end(), field) != fields.end();
    return (is_option ? "--" : "") + subject;
}

}  // namespace

std::string ErrorMessage::text() const { return subject + ": " + cause + (remedy.empty() ? "" : "; " + remedy); }

ExitCode exit_code_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::invalid_argument:
        case ErrorKind::unsupported:
        case ErrorKind::unsupported_by_algorithm:
        case ErrorKind::unsupported_by_device:
        case ErrorKind::unsupported_label_type:
        case ErrorKind::no_such_algorithm:
        case ErrorKind::unknown_format:
        case ErrorKind::several_volumes:
        case ErrorKind::no_such_volume:
        case ErrorKind::several_datasets:
        case ErrorKind::no_such_dataset:
        case ErrorKind::several_series:
        case ErrorKind::unsupported_by_reader:
        case ErrorKind::picture_too_large: return ExitCode::usage;
        case ErrorKind::invalid_file:
        case ErrorKind::unsupported_file:
        case ErrorKind::no_header:
        case ErrorKind::corrupt_file:
        case ErrorKind::truncated_file:
        case ErrorKind::damaged_file:
        case ErrorKind::wrong_size:
        case ErrorKind::several_values:
        case ErrorKind::external_file:
        case ErrorKind::changed_file:
        case ErrorKind::interrupted_output:
        case ErrorKind::invalid_extent:
        case ErrorKind::labels_too_large: return ExitCode::bad_data;
        case ErrorKind::bad_configuration: return ExitCode::bad_config;
        case ErrorKind::missing_file:
        case ErrorKind::missing_part:
        case ErrorKind::not_a_file: return ExitCode::no_input;
        case ErrorKind::cannot_create:
        case ErrorKind::exists:
        case ErrorKind::is_input:
        case ErrorKind::missing_folder: return ExitCode::cannot_create;
        case ErrorKind::io_error:
        case ErrorKind::disk_full:
        case ErrorKind::file_in_use: return ExitCode::io_error;
        case ErrorKind::no_permission: return ExitCode::no_permission;
        case ErrorKind::no_device: return ExitCode::no_device;
        case ErrorKind::device_memory:
        case ErrorKind::out_of_memory:
        case ErrorKind::process_limit: return ExitCode::out_of_memory;
        case ErrorKind::device_failure:
        case ErrorKind::internal: return ExitCode::internal;
    }
    return ExitCode::internal;
}

ErrorMessage message_of(const Error& error, const std::string& help) {
    const ExitCode exit = exit_code_of(error.kind());
    const auto* of_program = dynamic_cast<const ProgramError*>(&error);
    const std::string remedy = of_program ? of_program->remedy() : remedy_of(error);
    const std::string subject = of_program ? error.subject() : shown_subject(error);
    if (!remedy.empty()) return {exit, subject, error.cause(), remedy};
    auto [cause, advice] = divided(error.cause());
    return {exit, subject, cause, advice.empty() ? general_remedy_of(error, help) : advice};
}

}  // namespace voxcc
