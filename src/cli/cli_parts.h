// Functions that the definitions of all subcommands use. Only files in src/cli may include this header, so that no other file needs CLI11.
#pragma once
#include "src/cli/cli.h"
#include "src/cli/help/page.h"
#include "src/cli/values.h"

#include <CLI/App.hpp>

namespace voxcc::cli {

/// A subcommand and its options. CLI11 sets the options.
struct Subcommand {
    CLI::App* app;
    std::function<Command()>
        finish;  // checks combinations of options; must be called when all options are set. @throw Error invalid_argument
};

/// @param arguments argv, for the provenance
/// @param config receives the path of --config
Subcommand add_label(CLI::App& program, const std::vector<std::string>& arguments, std::string& config);
Subcommand add_split(CLI::App& program);
Subcommand add_merge(CLI::App& program);
Subcommand add_relabel(CLI::App& program);
Subcommand add_stats(CLI::App& program);
Subcommand add_map(CLI::App& program);
Subcommand add_compare(CLI::App& program);
Subcommand add_match(CLI::App& program);
Subcommand add_tree(CLI::App& program);
Subcommand add_generate(CLI::App& program);
Subcommand add_info(CLI::App& program);
Subcommand add_verify(CLI::App& program);
Subcommand add_algorithms(CLI::App& program);
Subcommand add_bench(CLI::App& program);
Subcommand add_report(CLI::App& program);
Subcommand add_join(CLI::App& program);
/// Must be called after the other commands are added.
Subcommand add_help(CLI::App& program);

/// Adds an option with one value. The help is one line in lower case without a full stop, and ends with "(default: X)" if there is a
/// default. The metavar also serves completions: PATH and FILE are files, words in lower case are values, as in "auto|LIST". If the help
/// must show a different metavar, set option_text().
/// @param assign is called with the value; may throw Error invalid_argument
// add_value(app, "-t,--threads", "N", "CPU threads", [&](const Argument& a) { ... })
CLI::Option* add_value(CLI::App& app, const std::string& names, const std::string& metavar, const std::string& help,
                       std::function<void(const Argument&)> assign);
/// Same as add_value(), for an option that may be given several times.
/// @param assign is called with all values
CLI::Option* add_values(CLI::App& app, const std::string& names, const std::string& metavar, const std::string& help,
                        std::function<void(const std::vector<Argument>&)> assign);
CLI::Option* add_path(CLI::App& app, const std::string& names, const std::string& help, std::string& path);
CLI::Option* add_switch(CLI::App& app, const std::string& names, const std::string& help, std::function<void()> assign);
CLI::Option* add_file(CLI::App& app, const std::string& metavar, const std::string& help, std::string& path);
CLI::Option* add_files(CLI::App& app, const std::string& metavar, const std::string& help, std::vector<std::string>& paths);

/// A word that an option accepts, and its value.
template <class T>
struct Choice {
    std::string word;
    T value;
};
template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& names, const std::string& help, std::vector<Choice<T>> choices,
                        std::function<void(const T&)> assign) {
    std::vector<std::string> words;
    std::string metavar;
    for (const Choice<T>& choice : choices) {
        words.push_back(choice.word);
        metavar += (metavar.empty() ? "" : "|") + choice.word;
    }
    return add_value(app, names, metavar, help, [=](const Argument& argument) { assign(choices[parse_choice(argument, words)].value); });
}

/// Adds --progress, -q, -v and --log-format.
void add_message_options(CLI::App& app, MessageOptions& messages);
/// Whether a command can process all volumes of a 4D file. A command that needs one volume must call refuse_all_volumes().
enum class Volumes { one, one_or_all };
/// Adds --allow-unsandboxed. It is a property of the machine and not of a file, so it applies to all files of the run.
void add_unsandboxed(CLI::App& app);
/// Adds --dataset, --volume, --allow-external, --allow-unsandboxed, --missing-chunks and --reader.
void add_input(CLI::App& app, InputOptions& input, Volumes volumes = Volumes::one_or_all);
void add_spacing(CLI::App& app, InputOptions& input);
/// Adds --shape.
void add_shape(CLI::App& app, Shape& shape);
void add_inside(CLI::App& app, Inside& inside);
/// Adds --geometry-tolerance, for commands that read several volumes of one grid.
void add_tolerance(CLI::App& app, InputOptions& input);
/// Adds --units. `units` stays empty for auto.
void add_units(CLI::App& app, std::optional<Units>& units);
/// Adds --connectivity. @param help one line
CLI::Option* add_connectivity_number(CLI::App& app, const std::string& help, int& connectivity);
/// Adds --intensity, --percentiles, --local-maxima and --peak-distance.
void add_intensity(CLI::App& app, IntensityOptions& options);
/// Adds the options of label that decide about components and the columns of the table: input, foreground, connectivity, selection,
/// measures.
void add_rules_of_label(CLI::App& app, LabelOptions& options);
/// Adds --dtype. `type` stays empty for auto.
void add_dtype(CLI::App& app, std::optional<ScalarType>& type);
/// Adds --threads.
void add_threads(CLI::App& app, int& threads);
/// Adds --background.
void add_background(CLI::App& app, PartOptions& steps, const std::string& help);

/// Adds --part. `parts` stays empty for all parts.
void add_part_range(CLI::App& app, std::optional<PartRange>& parts);
/// Adds --sidecar.
void add_sidecar(CLI::App& app, Sidecar& sidecar);
void add_contacts(CLI::App& app, std::string& path);
/// Adds --columns and --digits.
void add_table_choice(CLI::App& app, TableChoice& choice);
/// Adds --keep.
void add_keep(CLI::App& app, std::string& expression);
/// Adds --summary.
void add_summary(CLI::App& app, std::string& path);
void add_compress(CLI::App& app, int& level);
/// Adds --ngff and --pyramid.
void add_zarr_form(CLI::App& app, io::ZarrForm& form);
/// @throw Error invalid_argument if the user chose a form, but `output` is not a Zarr output
void check_zarr_form(const io::ZarrForm& form, const std::string& output);
void add_force(CLI::App& app, LabelOptions::Existing& existing);
/// Adds --isa. `isa` stays empty for auto.
void add_isa(CLI::App& app, std::optional<Isa>& isa);
void add_json(CLI::App& app, TextFormat& format);

/// For commands that read one volume. @throw Error invalid_argument for --volume all
void refuse_all_volumes(const InputOptions& input);

}  // namespace voxcc::cli
