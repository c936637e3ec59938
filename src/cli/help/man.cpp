// Manual pages, in the man macros of troff.
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

#include <cctype>

namespace voxcc::cli {
namespace {

/// A hyphen would become a typographic one, so that an option could not be copied from the page.
std::string troff(const std::string& text) {
    return replaced(text, [](char c) -> std::string {
        if (c == '\\') return "\\e";
        if (c == '-') return "\\-";
        if (c == '\'') return "\\(aq";
        if (c == '~') return "\\(ti";
        if (c == '^') return "\\(ha";
        return std::string(1, c);
    });
}

/// Text between backticks becomes bold. Lines that start with a dot would be macros.
std::string paragraph(const std::string& text) {
    bool bold = false;
    const std::string marked = replaced(troff(text), [&bold](char c) -> std::string {
        if (c != '`') return std::string(1, c);
        bold = !bold;
        return bold ? "\\fB" : "\\fR";
    });
    std::string lines = wrapped(marked, 78);
    for (std::size_t at = 0; at != std::string::npos && at < lines.size();) {
        if (lines[at] == '.') lines.insert(at, "\\&");
        at = lines.find('\n', at);
        if (at != std::string::npos) ++at;
    }
    return lines;
}

/// "-o, --output PATH" with the names in bold and the value in italics
std::string synopsis(const HelpEntry& entry) {
    std::vector<std::string> names;
    for (const std::string& name : entry.names) names.push_back((entry.is_operand() ? "\\fI" : "\\fB") + troff(name) + "\\fR");
    return joined(names, ", ") + (entry.metavar.empty() ? "" : " \\fI" + troff(entry.metavar) + "\\fR") + "\n";
}

std::string entry_text(const HelpEntry& entry) {
    const std::string text = entry.text + (entry.fallback.empty() ? "" : " (default: " + entry.fallback + ")");
    const std::vector<std::string> words = entry.unstated_words();
    return paragraph(words.empty() ? text : text + "; values: " + joined(words, ", "));
}

std::string options(const HelpPage& page) {
    std::string text = ".SH OPTIONS\n";
    for (const HelpGroup& group : page.groups) {
        text += ".SS " + group.title + "\n";
        for (const HelpEntry& entry : group.entries) text += ".TP\n" + synopsis(entry) + entry_text(entry);
    }
    return text;
}

std::string examples(const HelpPage& page) {
    std::string text = ".SH EXAMPLES\n", macro;
    for (const Example& example : page.prose.examples) {
        text += macro + paragraph(example.purpose + ":") + ".PP\n.nf\n.RS 4\n" + troff(example.command) + "\n.RE\n.fi\n";
        macro = ".PP\n";
    }
    return text;
}

std::string item(const std::string& name, const std::string& text) { return ".TP\n.B " + troff(name) + "\n" + paragraph(text); }

std::string exit_status(const HelpPage& page) {
    std::string text = ".SH EXIT STATUS\n";
    for (const ExitText& exit : exit_texts()) {
        text += item(std::to_string(int(exit.code)), std::string(exit.meaning));
        if (exit.code == ExitCode::ok && !page.prose.code_1.word.empty()) text += item("1", page.prose.code_1.meaning);
    }
    return text;
}

std::string environment() {
    std::string text = ".SH ENVIRONMENT\n";
    for (const VariableText& variable : variable_texts()) text += item(std::string(variable.name), std::string(variable.meaning));
    return text;
}

/// @param commands names of commands; "" is the program
std::string see_also(const HelpPage& page, const std::vector<std::string>& commands) {
    std::string text = ".SH SEE ALSO\n";
    for (const std::string& command : commands)
        text += ".BR " + troff(command.empty() ? "voxcc" : "voxcc-" + command) + " (1)" + (command == commands.back() ? "\n" : " ,\n");
    std::vector<std::string> documents;
    for (const std::string& document : page.prose.pages) documents.push_back("`docs/" + document + "`");
    return text + ".PP\n" + paragraph("Documents: " + joined(documents, ", "));
}

std::string start(const HelpPage& page, const std::string& version) {
    const std::string name = page.command.empty() ? "voxcc" : "voxcc-" + page.command;
    const std::string capitals = replaced(name, [](char c) { return std::string(1, char(std::toupper(static_cast<unsigned char>(c)))); });
    const std::string operands = page.usage.substr(page.title().size());
    std::string text = ".TH " + capitals + " 1 \"\" \"voxcc " + version + "\" \"voxcc manual\"\n.SH NAME\n" + name + " \\- " +
                       troff(page.summary) + "\n.SH SYNOPSIS\n.B " + page.title() + "\n" + troff(operands.substr(1)) +
                       "\n.SH DESCRIPTION\n";
    std::string macro;
    for (const std::string& description : page.prose.description) {
        text += macro + paragraph(description);
        macro = ".PP\n";
    }
    return text;
}

}  // namespace

std::string man_of_command(const HelpPage& page, const std::string& version) {
    std::vector<std::string> related{""};
    related.insert(related.end(), page.prose.commands.begin(), page.prose.commands.end());
    return start(page, version) + options(page) + examples(page) + exit_status(page) + environment() + see_also(page, related);
}

std::string man_of_program(const HelpBook& book, const std::string& version) {
    std::string commands = ".SH COMMANDS\n";
    std::vector<std::string> names;
    for (const HelpPage& page : book.commands) {
        commands += item(page.command, page.summary);
        names.push_back(page.command);
    }
    return start(book.program, version) + commands + options(book.program) + examples(book.program) + exit_status(book.program) +
           environment() + see_also(book.program, names);
}

}  // namespace voxcc::cli
