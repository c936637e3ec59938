// The options of `voxcc report`.
#include "src/cli/cli_parts.h"
#include "src/cli/label_checks.h"
#include "src/errors/program_error.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace voxcc::cli {
namespace {

void check_output(const std::string& path) {
    if (path.empty()) throw ProgramError(ErrorKind::invalid_argument, "report", "needs an output", "name it with -o, as in -o report.html");
    std::string extension = std::filesystem::path(path).extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
    if (extension != ".html")
        throw ProgramError(ErrorKind::invalid_argument, "--output", "'" + path + "' does not end in .html",
                           "use a name such as report.html");
}

void check_volumes(const ReportOptions& options) {
    if (options.labels.empty() && !options.beside.empty())
        throw ProgramError(ErrorKind::invalid_argument, "--beside", "needs another label volume", "add --labels");
    if (options.input.tolerance != GridTolerance{} && options.beside.empty() && (options.images.empty() || options.labels.empty()))
        throw ProgramError(ErrorKind::invalid_argument, "--geometry-tolerance", "compares the grids of two volumes, but there is only one",
                           "add --images and --labels");
}

}  // namespace

Subcommand add_report(CLI::App& program) {
    const auto options = std::make_shared<ReportOptions>();
    CLI::App* app = program.add_subcommand("report", "write a web page with slices, plots and tables");
    add_message_options(*app, options->messages);
    add_files(*app, "TABLE", "tables of 'voxcc label --stats', 'voxcc stats' or 'voxcc match': .csv .tsv .json", options->tables)
        ->required();
    add_path(*app, "--images", "image behind the slices; several volumes: with {stem} or {file}", options->images)
        ->group(help_group::input);
    add_path(*app, "--labels", "label volume over the slices; with {stem} or {file}", options->labels)->group(help_group::input);
    add_path(*app, "--beside", "second label volume, shown beside --labels; with {stem} or {file}", options->beside)
        ->group(help_group::input);
    add_path(*app, "--provenance", "summary of 'voxcc label --json'; with {stem}", options->provenance)->group(help_group::input);
    add_input(*app, options->input, Volumes::one);
    add_spacing(*app, options->input);
    add_tolerance(*app, options->input);
    add_path(*app, "-o,--output", "web page (required): .html", options->output)->group(help_group::output);
    add_summary(*app, options->summary);
    add_value(*app, "--title", "TEXT", "title of the page (default: Connected components)", [options](const Argument& argument) {
        options->title = argument.text;
    })->group(help_group::output);
    add_force(*app, options->existing);
    return {app, [options] {
                check_output(options->output);
                check_tables({{"--summary", options->summary}});
                refuse_all_volumes(options->input);
                check_volumes(*options);
                return Command{[options] { return run_report(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
