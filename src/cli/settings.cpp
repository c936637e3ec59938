#include "src/cli/settings.h"

#include "io/files/checked_file.h"
#include "src/errors/program_error.h"
#include "src/errors/remedies.h"
#include "src/options/nearest.h"
#include "src/options/numbers.h"

#include <unistd.h>
#include <CLI/Config.hpp>
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

namespace voxcc::cli {
namespace {

bool is_switch(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

/// The options that have a long name, with this name without "--". --help is left out.
// "--min-size" -> {"min-size", option}
std::vector<std::pair<std::string, CLI::Option*>> settable_options(CLI::App& command) {
    std::vector<std::pair<std::string, CLI::Option*>> found;
    for (CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            if (name != "help") found.emplace_back(name, option);
    return found;
}

/// Sets an option. @param source source of the value, the subject of errors. @throw Error bad_configuration
void set(CLI::Option& option, const std::string& value, const std::string& source) {
    if (is_switch(option) && value != "true" && value != "false" && value != "1" && value != "0")
        throw ProgramError(ErrorKind::bad_configuration, source, "'" + value + "' is neither true nor false", "write true or false");
    try {
        option.add_result(value);
        option.run_callback();
    } catch (const Error& error) {
        const ErrorMessage message = message_of(error);
        throw ProgramError(message.exit == ExitCode::usage ? ErrorKind::bad_configuration : error.kind(), source,
                           message.subject + " " + message.cause, message.remedy);
    } catch (const CLI::Error& error) {
        throw ProgramError(ErrorKind::bad_configuration, source, error.what());
    }
}

/// The variable that sets an option.
// "min-size" -> "VOXCC_MIN_SIZE"
std::string variable_of(const std::string& option) {
    std::string variable = "VOXCC_";
    for (const char c : option) variable += c == '-' ? '_' : char(std::toupper(static_cast<unsigned char>(c)));
    return variable;
}

/// Refuses variables whose names are similar to the variable of an option. Programs that load modules set others, such as VOXCC_ROOT.
/// @return warnings of the other unknown variables
/// @throw Error bad_configuration
// VOXCC_THREDS=4 -> error that names VOXCC_THREADS; VOXCC_ROOT=/opt -> warning
std::vector<std::string> check_variables(CLI::App& command) {
    constexpr std::string_view prefix = "VOXCC_";
    // The tests and the build use these.
    std::vector<std::string> known{"TEST_DATA", "CC3D_TESTS", "PYTHON", "BUILD", "BUILD_CONFIG"};  // without the prefix
    for (CLI::App* other : command.get_parent()->get_subcommands([](CLI::App*) { return true; }))
        for (const auto& [name, option] : settable_options(*other)) known.push_back(variable_of(name).substr(prefix.size()));
    std::vector<std::string> variables, warnings;
    for (const std::string& rest : known) variables.push_back(std::string(prefix) + rest);
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry, name = text.substr(0, text.find('='));
        if (!name.starts_with(prefix)) continue;
        const std::string rest = name.substr(prefix.size());
        if (std::ranges::find(known, rest) != known.end()) continue;
        if (!nearest_hint(rest, known).empty())
            throw ProgramError(ErrorKind::bad_configuration, name, "is not a setting of voxcc" + nearest_hint(name, variables),
                               "rename the variable, or remove it with 'unset " + name + "'");
        warnings.push_back(name + ": is not a setting of voxcc, so it has no effect");
    }
    return warnings;
}

/// What to do about an unknown key.
std::string remedy_for_key(const std::string& key, const CLI::App& command) {
    if (key.find_first_of(":{}") != std::string::npos) return "write the file as TOML, as in threads = 4";
    return "use the long names of the options of 'voxcc " + command.get_name() + "'";
}

std::vector<CLI::ConfigItem> read_items(const std::string& path) {
    constexpr std::int64_t longest = 1 << 20;
    const io::InputFile file(path);
    if (file.size() > longest)
        throw ProgramError(ErrorKind::bad_configuration, path, "is too long for a configuration file", "give a TOML file");
    const std::string text = file.text();
    if (text.find('\0') != std::string::npos)
        throw ProgramError(ErrorKind::bad_configuration, path, "is not a text file", "give a TOML file");
    std::istringstream stream(text);
    try {
        return CLI::ConfigTOML().from_config(stream);
    } catch (const CLI::Error& error) {
        throw ProgramError(ErrorKind::bad_configuration, path, error.what());
    }
}

/// The values of a key that may have several. @throw Error bad_configuration
std::vector<std::string> values_of(const CLI::ConfigItem& item, const std::string& source) {
    for (const std::string& value : item.inputs) {
        // CLI11 ends a line at '#' even inside quotes. A truncated text must not be used, for example as a file name.
        if (std::count(value.begin(), value.end(), '"') % 2 != 0 || value.starts_with('\''))
            throw ProgramError(ErrorKind::bad_configuration, source, "has a quote without its partner",
                               "close the quote, and do not use # in quotes");
    }
    return item.inputs;
}

/// The value of a key as on the command line. CLI11 splits arrays and unquoted texts into parts. Only parts that are numbers may be joined.
/// @throw Error bad_configuration
// [0.5, 0.5, 2] -> "0.5,0.5,2"
std::string value_of(const CLI::ConfigItem& item, const std::string& source) {
    std::string value;
    for (const std::string& part : values_of(item, source)) {
        if (item.inputs.size() > 1 && !number_in<double>(part))
            throw ProgramError(ErrorKind::bad_configuration, source, "is not one value", "quote texts, and set each key once");
        value += (value.empty() ? "" : ",") + part;
    }
    return value;
}

}  // namespace

std::vector<std::string> apply_environment(CLI::App& command) {
    std::vector<std::string> warnings = check_variables(command);
    for (const auto& [name, option] : settable_options(command)) {
        const std::string variable = variable_of(name);
        const char* value = std::getenv(variable.c_str());
        if (value && *value && option->count() == 0) set(*option, value, variable);
    }
    return warnings;
}

void apply_config(CLI::App& command, const std::string& path) {
    auto options = settable_options(command);
    std::erase_if(options, [](const auto& named) { return named.first == "config"; });
    std::set<std::string> seen;
    for (const CLI::ConfigItem& item : read_items(path)) {
        if (item.parents.size() > 1 || (item.parents.size() == 1 && item.parents[0] != command.get_name()))
            throw ProgramError(ErrorKind::bad_configuration, path, "has a section that is not [" + command.get_name() + "]",
                               "write the keys at the top of the file, or below [" + command.get_name() + "]");
        if (item.name == "++" || item.name == "--") continue;  // CLI11 marks the start and the end of a section by these names
        const auto found = std::find_if(options.begin(), options.end(), [&](const auto& named) { return named.first == item.name; });
        if (found == options.end()) {
            std::vector<std::string> names;
            for (const auto& [name, option] : options) names.push_back(name);
            throw ProgramError(ErrorKind::bad_configuration, path, "unknown key '" + item.name + "'" + nearest_hint(item.name, names),
                               remedy_for_key(item.name, command));
        }
        const std::string source = path + ": " + item.name;
        if (!seen.insert(item.name).second)
            throw ProgramError(ErrorKind::bad_configuration, source, "is set twice", "remove one of the lines");
        if (found->second->count() > 0) continue;
        if (item.name == "intensity") {
            for (const std::string& value : values_of(item, source)) set(*found->second, value, source);
            continue;
        }
        const std::string value = value_of(item, source);
        // Only these options take a list. CLI11 also joins the values of a key that is set on two lines.
        if (item.inputs.size() > 1 && item.name != "spacing" && item.name != "percentiles")
            throw ProgramError(ErrorKind::bad_configuration, source, "has several values", "set the key once, to one value");
        set(*found->second, value, source);
    }
}

}  // namespace voxcc::cli
