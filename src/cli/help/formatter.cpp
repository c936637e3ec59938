#include "src/cli/help/formatter.h"

#include "src/cli/help/formats.h"

namespace voxcc::cli {

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const {
    const bool complete = mode == CLI::AppFormatMode::All;
    if (app->get_parent()) return complete ? screen_of_command(page_of(*app)) : short_screen_of_command(page_of(*app));
    const HelpBook book{page_of(*app), pages_of_commands(*app)};
    return complete ? screen_of_program(book) : short_screen_of_program(book);
}

}  // namespace voxcc::cli
