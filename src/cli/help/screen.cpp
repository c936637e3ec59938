// Help screens.
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

namespace voxcc::cli {
namespace {

constexpr std::size_t text_column = 30, columns = 100;

/// The text in the right column, which begins at `column`. A text that is too long continues below.
std::string row(const std::string& left, const std::string& text, std::size_t column) {
    const std::string lines = wrapped(text, columns - column);
    const std::string below = "\n" + std::string(column, ' ');
    std::string right;
    for (std::size_t at = 0; at + 1 < lines.size(); ++at) right += lines[at] == '\n' ? below : std::string(1, lines[at]);
    return left + (left.size() + 2 <= column ? std::string(column - left.size(), ' ') : below) + right + "\n";
}

/// Long names are aligned, with or without a short name. If the names do not fit, only the first is shown; the text must state the others.
// "  -o, --output PATH        label volume", "      --mask PATH          label only ..."
std::string line_of(const HelpEntry& entry) {
    const std::string indent = entry.names.front().starts_with("--") ? "      " : "  ";
    HelpEntry shown = entry;
    if (indent.size() + shown.synopsis().size() + 2 > text_column) shown.names.resize(1);
    return row(indent + shown.synopsis(), entry.text + (entry.fallback.empty() ? "" : " (default: " + entry.fallback + ")"), text_column);
}

std::string groups_of(const HelpPage& page) {
    std::string text;
    for (const HelpGroup& group : page.groups) {
        text += "\n" + group.title + ":\n";
        for (const HelpEntry& entry : group.entries) text += line_of(entry);
    }
    return text;
}

std::string end_of(const HelpPage& page) {
    std::string text = "\nExamples:\n";
    for (const Example& example : page.prose.examples) text += "  # " + example.purpose + "\n  " + example.command + "\n";
    text += "\nExit codes: " + exit_line(page.prose) + "\n";
    const std::string manual = page.command.empty() ? "man voxcc" : "man voxcc-" + page.command;
    return text + "Docs: " + manual + ", docs/reference/cli/" + (page.command.empty() ? "README" : page.command) +
           ".md; in docs: " + joined(page.prose.pages, ", ") + "\n";
}

}  // namespace

std::string screen_of_command(const HelpPage& page) {
    return page.title() + ": " + page.summary + "\n\nUsage: " + page.usage + "\n" + groups_of(page) + end_of(page);
}

std::string screen_of_program(const HelpBook& book) {
    std::string text = "voxcc: " + book.program.summary + "\n\nUsage: " + book.program.usage + "\n\nCommands:\n";
    for (const HelpPage& command : book.commands) text += row("  " + command.command, command.summary, 14);
    return text + groups_of(book.program) + end_of(book.program);
}

}  // namespace voxcc::cli
