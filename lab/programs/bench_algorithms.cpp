// `voxcc bench` without input files, with the same options and the same table. It needs neither ITK nor HDF5, so that it also runs on a GPU
// machine without these libraries.
//
//   bench_algorithms --device cuda --algorithms buf,bke --tests average,steps --size 512 --repeat 20 --csv results.csv
#include "lab/evaluations/bench.h"
#include "lab/interface/lab.h"
#include "lab/programs/program.h"

#include <cstdio>
#include <fstream>
#include <iostream>

namespace {

using namespace voxcc;

/// The options of `voxcc bench`, which assign to `options`.
std::vector<bench::ProgramOption> options_of(bench::Options& options) {
    std::vector<bench::ProgramOption> all;
    for (const bench::OptionText& option : bench::option_texts())
        all.push_back({option.name, option.metavar, option.help, [&](const std::string& text) { option.assign(options, text); }});
    return all;
}

/// Prints one line on stderr per 10 % of the work.
class Progress {
public:
    void operator()(std::int64_t done, std::int64_t total) {
        const int tenth = total > 0 ? int(10 * done / total) : 0;
        if (tenth == std::exchange(tenth_, tenth)) return;
        std::fprintf(stderr, "bench_algorithms: %d %%\n", 10 * tenth);
    }

private:
    int tenth_ = 0;
};

void run(const bench::Options& options) {
    std::ofstream file;
    if (!options.csv.empty()) {
        file.open(options.csv);
        if (!file) throw Error(ErrorKind::cannot_create, options.csv, "cannot be written");
    }
    std::ostream& out = options.csv.empty() ? std::cout : file;
    bench::run(options, VOXCC_VERSION, {}, [&](std::string_view text) { out << text << std::flush; },
               {Progress{}, [](const std::string& text) { std::fprintf(stderr, "bench_algorithms: note: %s\n", text.c_str()); }});
    if (!out) throw Error(ErrorKind::io_error, options.csv.empty() ? "stdout" : options.csv, "writing failed");
}

}  // namespace

int main(int argc, char** argv) {
    add_published_algorithms();
    bench::Options options;
    return bench::run_program({.name = "bench_algorithms",
                               .purpose = "Measures algorithms on generated volumes, as `voxcc bench` does.",
                               .arguments = {},
                               .options = options_of(options),
                               .run = [&](const std::vector<std::string>&) { run(options); }},
                              argc, argv);
}
