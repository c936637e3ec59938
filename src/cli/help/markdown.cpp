// Pages in Markdown, for docs/reference/cli.
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

namespace voxcc::cli {
namespace {

constexpr std::size_t page_width = 120, most_words = 12;

/// In a table, "|" would end the cell, also in code.
std::string markdown_cell(const std::string& text) {
    return replaced(text, [](char c) { return c == '|' ? "\\|" : c == '<' ? "&lt;" : c == '*' ? "\\*" : std::string(1, c); });
}

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string row_of(const HelpEntry& entry) {
    const std::string synopsis = replaced(entry.synopsis(), [](char c) { return c == '|' ? "\\|" : std::string(1, c); });
    return "| " + code(synopsis) + " | " + markdown_cell(entry.text) + " | " + markdown_cell(entry.fallback) + " |\n";
}

/// The values of an option, if its row in the table does not state all of them.
std::string values_of(const HelpEntry& entry) {
    std::vector<std::string> words = entry.unstated_words();
    if (words.empty() || words.size() > most_words) return {};
    for (std::string& word : words) word = code(word);
    return "\n" + wrapped("Values of " + code(entry.names.back()) + ": " + joined(words, ", ") + ".", page_width);
}

std::string table_of(const HelpGroup& group) {
    std::string text = "\n### " + group.title + "\n| option | meaning | default |\n|---|---|---|\n", values;
    for (const HelpEntry& entry : group.entries) {
        text += row_of(entry);
        values += values_of(entry);
    }
    return text + values;
}

std::string options_of(const HelpPage& page) {
    std::string text = "\n## Options\n";
    for (const HelpGroup& group : page.groups) text += table_of(group);
    return text;
}

std::string description_of(const HelpPage& page) {
    std::string text;
    for (const std::string& paragraph : page.prose.description) text += "\n" + wrapped(paragraph, page_width);
    return text;
}

std::string examples_of(const HelpPage& page) {
    std::string text = "\n## Examples\n```sh\n";
    for (const Example& example : page.prose.examples) text += "# " + example.purpose + "\n" + example.command + "\n";
    return text + "```\n";
}

std::string exit_codes_text(const HelpPage& page) {
    std::string text = "\n## Exit codes\n| code | meaning |\n|---|---|\n";
    for (const ExitText& exit : exit_texts()) {
        text += "| " + std::to_string(int(exit.code)) + " | " + std::string(exit.meaning) + " |\n";
        if (exit.code == ExitCode::ok && !page.prose.code_1.word.empty()) text += "| 1 | " + page.prose.code_1.meaning + " |\n";
    }
    return text;
}

std::string links_of(const HelpPage& page) {
    std::vector<std::string> links;
    if (!page.command.empty()) links.push_back("[all commands](README.md)");
    for (const std::string& command : page.prose.commands) links.push_back("[voxcc " + command + "](" + command + ".md)");
    for (const std::string& document : page.prose.pages)
        links.push_back("[" + document.substr(document.find('/') + 1) + "](../../" + document + ")");
    return "\n" + wrapped("See also: " + joined(links, ", ") + ".", page_width);
}

std::string start_of(const HelpPage& page, const std::string& readers) {
    return "# " + page.title() + "\n\n" + wrapped(readers, page_width) + "\n## Synopsis\n```text\n" + page.usage + "\n```\n" +
           page.title() + ": " + page.summary + ".\n";
}

}  // namespace

std::string markdown_of_command(const HelpPage& page) {
    return start_of(page, "For users who look for an option of `" + page.title() + "`. The text is the output of `voxcc help " +
                              page.command + " --format markdown`.") +
           "\n## Description" + description_of(page) + options_of(page) + examples_of(page) + exit_codes_text(page) + links_of(page);
}

std::string markdown_of_program(const HelpBook& book) {
    std::string text =
        start_of(book.program, "For users who look for a command. The text is the output of `voxcc help --format markdown`.") +
        "\n## Description" + description_of(book.program) + "\n## Commands\n| command | does |\n|---|---|\n";
    for (const HelpPage& command : book.commands)
        text += "| [" + command.title() + "](" + command.command + ".md) | " + markdown_cell(command.summary) + " |\n";
    text += options_of(book.program) + examples_of(book.program) + exit_codes_text(book.program);
    text += "\n## Environment\n| variable | meaning |\n|---|---|\n";
    for (const VariableText& variable : variable_texts())
        text += "| " + code(std::string(variable.name)) + " | " + markdown_cell(std::string(variable.meaning)) + " |\n";
    return text + links_of(book.program);
}

}  // namespace voxcc::cli
