#include "src/cli/usage_errors.h"

#include "src/options/nearest.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>

namespace voxcc::cli {
namespace {

[[noreturn]] void refuse(const std::string& subject, const std::string& cause, const std::string& remedy = {}) {
    throw ProgramError(ErrorKind::invalid_argument, subject, cause, remedy);
}

/// The names of the options with their dashes: "--output", "-o", ...
std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

std::vector<std::string> command_names(const CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
    return names;
}

/// A name that other programs use, and what to write instead. Options of `label` only.
struct Habit {
    std::string_view name, remedy;
};

// FSL cluster, AFNI 3dClusterize, c3d, ITK-based tools
constexpr std::array<Habit, 17> option_habits{{
    {"-i", "write the file name without an option, as in 'voxcc label IN -o OUT'"},
    {"-in", "write the file name without an option, as in 'voxcc label IN -o OUT'"},
    {"-inset", "write the file name without an option, as in 'voxcc label IN -o OUT'"},
    {"--in", "write the file name without an option, as in 'voxcc label IN -o OUT'"},
    {"--input", "write the file name without an option, as in 'voxcc label IN -o OUT'"},
    {"--out", "use --output"},
    {"--oindex", "use --output"},
    {"-pref_map", "use --output"},
    {"--thresh", "use --threshold"},
    {"--conn", "use --connectivity"},
    {"-NN", "use --connectivity 6, 18 or 26 instead of -NN 1, 2 or 3"},
    {"-clust_nvox", "use --min-size"},
    {"--minsize", "use --min-size"},
    {"--minextent", "use --min-size"},
    {"-comp", "leave it out: 'voxcc label' labels the components"},
    {"--verb", "use --verbose"},
    {"--overwrite", "use --force"},
}};
constexpr std::array<Habit, 7> command_habits{{
    {"cluster", "use 'voxcc label IN -o OUT'"},
    {"3dClusterize", "use 'voxcc label IN -o OUT'"},
    {"3dclust", "use 'voxcc label IN -o OUT'"},
    {"connected-components", "use 'voxcc label IN -o OUT'"},
    {"components", "use 'voxcc label IN -o OUT'"},
    {"measure", "use 'voxcc stats LABELS -o TABLE'"},
    {"diff", "use 'voxcc compare A B'"},
}};

std::string remedy_for(std::span<const Habit> habits, const std::string& name) {
    const auto found = std::ranges::find(habits, name, &Habit::name);
    return found == habits.end() ? std::string() : std::string(found->remedy);
}

[[noreturn]] void refuse_unknown_option(const std::string& name, const CLI::App& command) {
    const std::string remedy = command.get_name() == "label" ? remedy_for(option_habits, name) : "";
    refuse(name, "unknown option" + (remedy.empty() ? nearest_hint(name, option_names(command)) : ""), remedy);
}

/// Removes a dash that is not '-' from the start: en dash, em dash and minus sign in UTF-8.
std::string without_long_dash(const std::string& text) {
    for (const std::string_view dash : {"\u2013", "\u2014", "\u2212"})
        if (text.starts_with(dash)) return text.substr(dash.size());
    return text;
}

/// Finds the long option whose name, or the start of whose name, was written with one dash. @return its name; empty if none matches
// "-connectivity", "-thresh"  ->  "--connectivity", "--threshold"; "-o", "-oout.nii"  ->  ""
std::string meant_with_two_dashes(const CLI::App& program, const std::string& text) {
    constexpr std::size_t least = 4;  // "-out"
    if (text.size() < least || !text.starts_with('-') || text.starts_with("--")) return {};
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
        for (const std::string& name : option_names(*command))
            if (name.starts_with("-" + text)) return name;
    return {};
}

std::string metavar_of(const CLI::Option* option) { return option ? option->get_type_name() : std::string("VALUE"); }

/// An option at the end of the command line that has no value.
ProgramError missing_value(const CLI::App* command, const std::vector<std::string>& arguments) {
    std::string name = arguments.back();
    const CLI::Option* option = command ? command->get_option_no_throw(name) : nullptr;
    if (option && !option->get_lnames().empty()) name = "--" + option->get_lnames().front();
    const bool rule = name == "--threshold";  // the shell removes an unquoted rule: --threshold >200
    return {ErrorKind::invalid_argument, name, "has no value",
            rule ? "write a rule after it, and quote it: '>200'" : "write a value after it: " + metavar_of(option)};
}

/// "voxcc compare A B", with "-o OUTPUT" for commands that need it
std::string usage_of(const CLI::App& command) {
    std::string usage = "voxcc " + command.get_name();
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional()) usage += " " + option->get_name(true);
    if (command.get_name() == "stats" || command.get_name() == "generate") usage += " -o OUTPUT";
    return usage;
}

}  // namespace

std::string help_of(const CLI::App* command) { return "'voxcc " + (command ? command->get_name() + " " : "") + "--help'"; }

void refuse_wrong_dashes(const CLI::App& program, const std::vector<std::string>& arguments) {
    for (auto argument = arguments.begin() + 1; argument != arguments.end() && *argument != "--"; ++argument) {
        const std::string name = argument->substr(0, argument->find('='));
        std::error_code ignored;
        if (const std::string rest = without_long_dash(name); rest != name && !std::filesystem::exists(*argument, ignored))
            refuse(*argument, "begins with a dash of a word processor",
                   "write the option with '-' from the keyboard, as in " + std::string(rest.size() > 1 ? "--" : "-") + rest);
        const bool one_dash = name.starts_with('-') && !name.starts_with("--");
        if (const std::string remedy = remedy_for(option_habits, name); one_dash && !remedy.empty()) refuse(name, "unknown option", remedy);
        if (const std::string meant = meant_with_two_dashes(program, name); !meant.empty())
            refuse(name, "a long option begins with two dashes", "write " + meant);
    }
}

void refuse_extras_of_program(const CLI::App& program, const CLI::App* command) {
    const std::vector<std::string> extras = program.remaining();
    if (extras.empty()) return;
    const std::string &extra = extras.front(), name = extra.substr(0, extra.find('='));
    if (!extra.starts_with('-')) {
        const std::string remedy = remedy_for(command_habits, extra);
        refuse(extra, "unknown command" + (remedy.empty() ? nearest_hint(extra, command_names(program)) : ""), remedy);
    }
    if (command && command->get_option_no_throw(name))
        refuse(name, "stands before the command", "write it after the command, as in 'voxcc " + command->get_name() + " " + name + " ...'");
    refuse_unknown_option(name, program);
}

void refuse_extras_of_command(const CLI::App& command) {
    const std::vector<std::string> extras = command.remaining();
    if (extras.empty()) return;
    const std::string& extra = extras.front();
    if (extra.starts_with('-')) refuse_unknown_option(extra.substr(0, extra.find('=')), command);
    const bool has_output = command.get_option_no_throw("--output") != nullptr;
    refuse(extra, "one argument too many", has_output ? "name an output with -o, as in -o " + extra : "write '" + usage_of(command) + "'");
}

ProgramError usage_error(const CLI::ParseError& error, const CLI::App* command, const std::vector<std::string>& arguments) {
    const std::string subject = command ? command->get_name() : "voxcc", text = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return missing_value(command, arguments);
    if (dynamic_cast<const CLI::ExcludesError*>(&error)) return {ErrorKind::invalid_argument, subject, text, "use one of them"};
    if (dynamic_cast<const CLI::RequiredError*>(&error) && command)
        return {ErrorKind::invalid_argument, subject, text.substr(0, text.find(" is required")) + " is missing",
                "write '" + usage_of(*command) + "'"};
    return {ErrorKind::invalid_argument, subject, text, "see " + help_of(command)};
}

}  // namespace voxcc::cli
