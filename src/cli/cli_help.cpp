// The options of `voxcc help`.
#include "src/cli/cli_parts.h"
#include "src/cli/help/formats.h"
#include "src/errors/program_error.h"
#include "src/messages/report.h"
#include "src/options/nearest.h"
#include "src/provenance/version.h"

#include <algorithm>

namespace voxcc::cli {
namespace {

enum class HelpFormat { screen, markdown, man, json, bash, zsh, fish, columns, formats };

const std::vector<Choice<HelpFormat>> formats{
    {"text", HelpFormat::screen}, {"markdown", HelpFormat::markdown}, {"man", HelpFormat::man},
    {"json", HelpFormat::json},   {"bash", HelpFormat::bash},         {"zsh", HelpFormat::zsh},
    {"fish", HelpFormat::fish},   {"columns", HelpFormat::columns},   {"formats", HelpFormat::formats}};

struct HelpOptions {
    std::string command;  // empty: the program
    HelpFormat format = HelpFormat::screen;
};

// "0.1.0+abc1234" -> "0.1.0"
std::string release() { return version().substr(0, version().find('+')); }

std::string text_about_program(const HelpBook& book, HelpFormat format) {
    switch (format) {
        case HelpFormat::markdown: return markdown_of_program(book);
        case HelpFormat::man: return man_of_program(book, release());
        case HelpFormat::json: return json_of_program(book, release());
        case HelpFormat::bash: return bash_completion(book);
        case HelpFormat::zsh: return zsh_completion(book);
        case HelpFormat::fish: return fish_completion(book);
        case HelpFormat::columns: return markdown_of_columns();
        case HelpFormat::formats: return markdown_of_volume_formats();
        case HelpFormat::screen: break;
    }
    return screen_of_program(book);
}

/// @throw Error invalid_argument for the completions and the tables, which do not describe one command
std::string text_about_command(const HelpPage& page, HelpFormat format) {
    switch (format) {
        case HelpFormat::screen: return screen_of_command(page);
        case HelpFormat::markdown: return markdown_of_command(page);
        case HelpFormat::man: return man_of_command(page, release());
        case HelpFormat::json: return json_of_command(page, release());
        default:
            throw ProgramError(ErrorKind::invalid_argument, "--format", "only text, markdown, man and json describe one command",
                               "leave out the command");
    }
}

std::string help_text(const HelpBook& book, const HelpOptions& options) {
    if (options.command.empty()) return text_about_program(book, options.format);
    const auto page = std::ranges::find(book.commands, options.command, &HelpPage::command);
    if (page != book.commands.end()) return text_about_command(*page, options.format);
    std::vector<std::string> names;
    for (const HelpPage& command : book.commands) names.push_back(command.command);
    throw ProgramError(ErrorKind::invalid_argument, options.command, "unknown command" + nearest_hint(options.command, names),
                       "see 'voxcc --help'");
}

}  // namespace

Subcommand add_help(CLI::App& program) {
    const auto options = std::make_shared<HelpOptions>();
    CLI::App* app = program.add_subcommand("help", "print the help of voxcc or of a command");
    std::string names;
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
        names += (names.empty() ? "" : "|") + command->get_name();
    app->add_option("COMMAND", options->command, "command to describe (default: voxcc itself)")->type_name(names);
    add_choice<HelpFormat>(*app, "--format", "text, markdown, man, json; bash, zsh, fish; tables: columns, formats (default: text)",
                           formats, [options](HelpFormat format) { options->format = format; })
        ->option_text("FORMAT")
        ->group(help_group::output);
    return {app, [options, &program] {
                const std::string text = help_text({page_of(program), pages_of_commands(program)}, *options);
                return Command{[text] {
                                   print_result(text);
                                   return int(ExitCode::ok);
                               },
                               {}};
            }};
}

}  // namespace voxcc::cli
