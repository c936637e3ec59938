#include "src/cli/help/formatter.h"

#include "src/cli/help/formats.h"

namespace voxcc::cli {

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
    return app->get_parent() ? screen_of_command(page_of(*app)) : screen_of_program({page_of(*app), pages_of_commands(*app)});
}

}  // namespace voxcc::cli
