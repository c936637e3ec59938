#include "src/cli/cli.h"

#include "src/cli/cli_parts.h"
#include "src/cli/first_words.h"
#include "src/cli/help/formatter.h"
#include "src/cli/settings.h"
#include "src/cli/usage_errors.h"
#include "src/errors/program_error.h"
#include "src/messages/report.h"
#include "src/provenance/version.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>  // the constructor of CLI::App creates one
#include <algorithm>
#include <cstdlib>

namespace voxcc {
namespace {

using cli::Subcommand;

Command print_command(const std::string& text, ExitCode code = ExitCode::ok) {
    return {[text, code] {
                print_result(text);
                return int(code);
            },
            {}};
}

/// Converts the arguments for CLI11: in reverse order, without the name of the program. CLI11 would use the next argument as the value of
/// "--output=", take "=x" as the value of "-o=x", parse the file name "[a,b]" as a list, and parse "-x" after "--" as an option. The first
/// two are refused here. File names of the other two forms get the prefix "./".
/// @throw Error invalid_argument for an option that ends in "="
// {"voxcc", "label", "-v", "--", "-x.nii"} -> {"./-x.nii", "-v", "label"}
std::vector<std::string> for_cli11(const std::vector<std::string>& arguments) {
    const auto options_end = std::find(arguments.begin() + 1, arguments.end(), "--");
    std::vector<std::string> safe;
    for (auto argument = arguments.begin() + 1; argument != arguments.end(); ++argument) {
        const bool may_be_option = argument < options_end;
        if (argument == options_end) continue;
        if (may_be_option && argument->starts_with("--") && argument->ends_with("="))
            throw ProgramError(ErrorKind::invalid_argument, argument->substr(0, argument->size() - 1), "has no value",
                               "write a value after '='");
        const bool is_letter = argument->size() > 2 && (*argument)[0] == '-' && std::isalpha(static_cast<unsigned char>((*argument)[1]));
        if (may_be_option && is_letter && (*argument)[2] == '=')
            throw ProgramError(ErrorKind::invalid_argument, argument->substr(0, 2), "has its value after '=', as only long options have",
                               "write '" + argument->substr(0, 2) + " " + argument->substr(3) + "'");
        const bool misread = (argument->starts_with("[") && argument->ends_with("]")) || (!may_be_option && argument->starts_with("-"));
        safe.push_back(misread ? "./" + *argument : *argument);
    }
    std::reverse(safe.begin(), safe.end());
    return safe;
}

/// The command that the arguments name; null if they name none.
const Subcommand* chosen(const std::vector<Subcommand>& commands) {
    for (const Subcommand& command : commands)
        if (command.app->parsed()) return &command;
    return nullptr;
}

const CLI::App* app_of(const Subcommand* command) { return command ? command->app : nullptr; }

/// Parses the arguments with CLI11. Then sets the options that are not given from the environment and from the configuration file.
Command understand(CLI::App& program, const std::vector<Subcommand>& commands, const std::string& config,
                   const std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    for (const Subcommand& command : commands) names.push_back(command.app->get_name());
    cli::refuse_wrong_dashes(program, arguments);
    program.parse(for_cli11(cli::with_checked_first_words(arguments, names)));
    const Subcommand* command = chosen(commands);
    cli::refuse_extras_of_program(program, app_of(command));
    if (!command) throw ProgramError(ErrorKind::invalid_argument, "voxcc", "needs a command");
    cli::refuse_extras_of_command(*command->app);
    const std::vector<std::string> warnings = cli::apply_environment(*command->app);
    if (!config.empty()) cli::apply_config(*command->app, config);
    Command understood = command->finish();
    Reporter(understood.messages).warnings(warnings);
    return understood;
}

}  // namespace

Command parse_command_line(const std::vector<std::string>& arguments) {
    CLI::App program("label and measure the connected components of volumes and images", "voxcc");
    program.formatter(std::make_shared<cli::HelpFormatter>());
    program.set_help_flag("-h", "print a short help with the daily options");
    program.set_help_all_flag("--help", "print this help");
    program.allow_extras();
    program.require_subcommand(0, 1);  // 0: understand() reports a missing command; 1: later words are not commands
    // The text is made below, when it is needed, because it starts the HDF5 library.
    program.set_version_flag("-V,--version", "", "print the versions of voxcc and its libraries, and the CPU instructions");
    std::string config;
    const std::vector<Subcommand> commands{cli::add_label(program, arguments, config),
                                           cli::add_stats(program),
                                           cli::add_report(program),
                                           cli::add_info(program),
                                           cli::add_verify(program),
                                           cli::add_compare(program),
                                           cli::add_match(program),
                                           cli::add_join(program),
                                           cli::add_split(program),
                                           cli::add_merge(program),
                                           cli::add_relabel(program),
                                           cli::add_tree(program),
                                           cli::add_map(program),
                                           cli::add_generate(program),
                                           cli::add_algorithms(program),
                                           cli::add_bench(program),
                                           cli::add_help(program)};
    if (arguments.size() < 2) return print_command(program.help(), ExitCode::usage);
    const auto help = [&](CLI::AppFormatMode mode) {
        const CLI::App* command = app_of(chosen(commands));
        return print_command((command ? command : &program)->help("voxcc", mode));
    };
    try {
        return understand(program, commands, config, arguments);
    } catch (const CLI::CallForHelp&) {
        return help(CLI::AppFormatMode::Normal);
    } catch (const CLI::CallForAllHelp&) {
        return help(CLI::AppFormatMode::All);
    } catch (const CLI::CallForVersion&) {
        return print_command(version_text());
    } catch (const CLI::ParseError& error) {
        throw cli::usage_error(error, app_of(chosen(commands)), arguments);
    } catch (const Error& error) {
        const ErrorMessage message = message_of(error, cli::help_of(app_of(chosen(commands))));
        if (message.exit != ExitCode::usage) throw;
        throw ProgramError(error.kind(), message.subject, message.cause, message.remedy);
    }
}

LogFormat wanted_log_format(const std::vector<std::string>& arguments) {
    const char* variable = std::getenv("VOXCC_LOG_FORMAT");
    LogFormat format = variable && std::string(variable) == "json" ? LogFormat::json : LogFormat::text;
    for (std::size_t i = 1; i < arguments.size() && arguments[i] != "--"; ++i) {
        const std::string given =
            arguments[i] == "--log-format" && i + 1 < arguments.size() ? "--log-format=" + arguments[i + 1] : arguments[i];
        if (given == "--log-format=json") format = LogFormat::json;
        if (given == "--log-format=text") format = LogFormat::text;
    }
    return format;
}

}  // namespace voxcc
