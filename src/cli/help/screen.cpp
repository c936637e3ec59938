// Help screens.
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

#include <algorithm>

namespace voxcc::cli {
namespace {

constexpr std::size_t columns = 80, command_column = 14, option_column = 30, daily_column = 28;

/// Puts `indent` in front of each line but the first.
// "one\ntwo\n", "  " -> "one\n  two\n"
std::string indented(const std::string& lines, const std::string& indent) {
    std::string text;
    for (std::size_t at = 0; at < lines.size(); ++at)
        text += lines[at] == '\n' && at + 1 < lines.size() ? "\n" + indent : std::string(1, lines[at]);
    return text;
}

/// The text in the right column, which begins at `column`. A text that is too long continues below.
std::string row(const std::string& left, const std::string& text, std::size_t column) {
    const std::string below(column, ' ');
    const std::string gap = left.size() + 2 <= column ? std::string(column - left.size(), ' ') : "\n" + below;
    return left + gap + indented(wrapped(text, columns - column), below);
}

std::string screen_paragraph(const std::string& text) {
    const std::string below = "    ";
    return indented(wrapped(text, columns - below.size()), below);
}

/// Long names are aligned, with or without a short name. If the names do not fit, only the first is shown; the text must state the others.
// "  -o, --output PATH        label volume", "      --mask PATH          label only ..."
std::string line_of(const HelpEntry& entry, const std::string& text, std::size_t column) {
    const std::string indent = entry.names.front().starts_with("--") ? "      " : "  ";
    HelpEntry shown = entry;
    if (indent.size() + shown.synopsis().size() + 2 > column) shown.names.resize(1);
    return row(indent + shown.synopsis(), text, column);
}

std::string complete_text(const HelpEntry& entry) {
    return entry.text + (entry.fallback.empty() ? "" : " (default: " + entry.fallback + ")");
}

std::string groups_of(const HelpPage& page) {
    std::string text;
    for (const HelpGroup& group : page.groups) {
        text += "\n" + group.title + ":\n";
        for (const HelpEntry& entry : group.entries) text += line_of(entry, complete_text(entry), option_column);
    }
    return text;
}

/// A command for a shell, in lines that end with a backslash.
std::string lines_of_command(const std::string& command) {
    const std::string start = "  ", below = "      ", end = " \\";
    if (start.size() + command.size() <= columns) return start + command + "\n";
    const std::string lines = wrapped(command, columns - below.size() - end.size());
    return start + replaced(lines.substr(0, lines.size() - 1), [&](char c) { return c == '\n' ? end + "\n" + below : std::string(1, c); }) +
           "\n";
}

std::string lines_of(const Example& example) { return "  # " + example.purpose + "\n" + lines_of_command(example.command); }

std::string end_of(const HelpPage& page) {
    std::string text = "\nExamples:\n";
    for (const Example& example : page.prose.examples) text += lines_of(example);
    text += "\n" + screen_paragraph("Exit codes: " + exit_line(page.prose));
    const std::string manual = page.command.empty() ? "man voxcc" : "man voxcc-" + page.command;
    return text + screen_paragraph("Docs: " + manual + ", docs/reference/cli/" + (page.command.empty() ? "README" : page.command) +
                                   ".md; in docs: " + joined(page.prose.pages, ", "));
}

/// The title of the page and the usage.
std::string start_of(const HelpPage& page) {
    return screen_paragraph(page.title() + ": " + page.summary) + "\nUsage: " + page.usage + "\n";
}

std::string commands_of(const HelpBook& book, CommandUse use, const std::string& title) {
    std::string text = "\n" + title + ":\n";
    for (const HelpPage& command : book.commands)
        if (command.prose.use == use) text += row("  " + command.command, command.summary, command_column);
    return text;
}

constexpr const char* daily_commands = "Daily commands";

}  // namespace

std::string screen_of_command(const HelpPage& page) { return start_of(page) + groups_of(page) + end_of(page); }

std::string screen_of_program(const HelpBook& book) {
    return start_of(book.program) + commands_of(book, CommandUse::daily, daily_commands) +
           commands_of(book, CommandUse::parts, "Commands for one volume on several machines") +
           commands_of(book, CommandUse::other, "Other commands") + groups_of(book.program) + end_of(book.program);
}

std::string short_screen_of_command(const HelpPage& page) {
    std::string text = start_of(page) + "\nDaily options:\n";
    for (const HelpEntry& entry : page.entries())
        for (const DailyOption& option : page.prose.daily)
            if (std::ranges::find(entry.names, option.name) != entry.names.end())
                text += line_of(entry, option.text.empty() ? complete_text(entry) : option.text, daily_column);
    text += "\nExample:\n" + lines_of_command(page.prose.examples.front().command);
    return text + "\nAll options: " + page.title() + " --help\n";
}

std::string short_screen_of_program(const HelpBook& book) {
    std::vector<std::string> others;
    for (const HelpPage& command : book.commands)
        if (command.prose.use != CommandUse::daily) others.push_back(command.command);
    return start_of(book.program) + commands_of(book, CommandUse::daily, daily_commands) + "\n" +
           screen_paragraph("Other commands: " + joined(others, ", ")) + "\nExample:\n" + lines_of(book.program.prose.examples.front()) +
           "\n" +
           screen_paragraph("Help: voxcc COMMAND -h (daily options), voxcc COMMAND --help (all options), voxcc --help (all commands)") +
           "Manual: docs/manual/README.md\n";
}

}  // namespace voxcc::cli
