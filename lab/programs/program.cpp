#include "lab/programs/program.h"

#include <voxcc/error.h>
#include "src/errors/remedies.h"

#include <algorithm>
#include <cstdio>
#include <new>

namespace voxcc::bench {
namespace {

std::string usage_of(const Program& program) {
    std::string text = "Usage: " + program.name;
    for (const std::string& argument : program.arguments) text += " " + argument;
    text += " [OPTION VALUE]...\n" + program.purpose + "\n";
    for (const ProgramOption& option : program.options) {
        std::string name = option.name + " " + option.metavar;
        name.resize(std::max<std::size_t>(name.size(), 28), ' ');
        text += "  " + name + option.help + "\n";
    }
    return text;
}

/// Assigns the options. @return the other arguments. @throw Error invalid_argument
std::vector<std::string> assign_options(const Program& program, const std::vector<std::string>& words) {
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (!word.starts_with('-')) {
            arguments.push_back(word);
            continue;
        }
        const auto option = std::ranges::find(program.options, word, &ProgramOption::name);
        if (option == program.options.end()) throw Error(ErrorKind::invalid_argument, word, "is not an option");
        if (!option->metavar.empty() && ++i == words.size()) throw Error(ErrorKind::invalid_argument, word, "has no value");
        option->assign(option->metavar.empty() ? std::string() : words[i]);
    }
    return arguments;
}

void check_number(const Program& program, const std::vector<std::string>& arguments) {
    const std::size_t most = program.arguments.size();
    const auto needed = std::size_t(std::ranges::count_if(program.arguments, [](const std::string& name) { return name[0] != '['; }));
    if (arguments.size() < needed) throw Error(ErrorKind::invalid_argument, program.arguments[arguments.size()], "is missing");
    if (arguments.size() > most) throw Error(ErrorKind::invalid_argument, arguments[most], "is one argument too many");
}

int report(const Program& program, const std::string& message, ExitCode code) {
    const std::string help = code == ExitCode::usage ? "; see '" + program.name + " --help'" : "";
    std::fprintf(stderr, "%s: error: %s%s\n", program.name.c_str(), message.c_str(), help.c_str());
    return int(code);
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
    try {
        const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
        if (words == std::vector<std::string>{"--help"}) {
            std::fputs(usage_of(program).c_str(), stdout);
            return int(ExitCode::ok);
        }
        const std::vector<std::string> arguments = assign_options(program, words);
        check_number(program, arguments);
        program.run(arguments);
        return int(ExitCode::ok);
    } catch (const Error& error) {
        return report(program, error.what(), exit_code_of(error.kind()));
    } catch (const std::bad_alloc&) {
        return report(program, "memory: there is not enough", ExitCode::out_of_memory);
    } catch (const std::exception& error) {
        return report(program, error.what(), ExitCode::internal);
    }
}

}  // namespace voxcc::bench
