// `voxcc bench` without input files, with the same options and the same table. It needs neither ITK nor HDF5, so that it also runs on a GPU
// machine without these libraries.
//
//   bench_algorithms --device cuda --algorithms buf,bke --tests average,steps --size 512 --repeat 20 --csv results.csv
#include "bench/evaluations/bench.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace {

using namespace voxcc;

void print_help() {
    std::puts("Usage: bench_algorithms [OPTION VALUE]...");
    for (const bench::OptionText& option : bench::option_texts())
        std::printf("  %-28s%s\n", (option.name + " " + option.metavar).c_str(), option.help.c_str());
}

bench::Options parse(int argc, char** argv) {
    bench::Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const auto& texts = bench::option_texts();
        const auto option = std::find_if(texts.begin(), texts.end(), [&](const bench::OptionText& o) { return o.name == name; });
        if (option == texts.end()) throw Error(ErrorKind::invalid_argument, name, "unknown option; see 'bench_algorithms --help'");
        if (option->metavar.empty()) {
            option->assign(options, {});
            continue;
        }
        if (++i == argc) throw Error(ErrorKind::invalid_argument, name, "has no value");
        option->assign(options, argv[i]);
    }
    return options;
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
    try {
        if (argc == 2 && std::string_view(argv[1]) == "--help") print_help();
        else run(parse(argc, argv));
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "bench_algorithms: error: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
