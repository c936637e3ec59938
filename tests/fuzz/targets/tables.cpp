// Targets for tables and for the JSON summary of a run.
#include "io/table_reader.h"
#include "src/report/run_summary.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

namespace voxcc::fuzz {
namespace {

void read_table(const char* name, Input input) {
    const std::string path = put_scratch(name, input);
    accepts([&] {
        io::read_table(path, [](const std::vector<std::string>& columns, const std::vector<io::Cell>& row) {
            if (columns.size() != row.size()) fault("a row has another number of cells than the table has columns");
        });
    });
}

void run_csv(Input input) { read_table("x.csv", input); }
void run_tsv(Input input) { read_table("x.tsv", input); }
void run_json_table(Input input) { read_table("x.json", input); }

void run_summary(Input input) {
    const std::string path = put_scratch("run.json", input);
    accepts([&] { report::read_run_summary(path).shown.dump(); });
}

const Registered csv({.name = "csv", .run = run_csv, .longest = 2048, .mutate = mutate_table, .dictionary = "table.dict"});
const Registered tsv({.name = "tsv", .run = run_tsv, .longest = 2048, .mutate = mutate_table, .dictionary = "table.dict"});
const Registered json_table(
    {.name = "json_table", .run = run_json_table, .longest = 2048, .mutate = mutate_json, .dictionary = "json.dict"});
const Registered summary({.name = "summary", .run = run_summary, .longest = 4096, .mutate = mutate_json, .dictionary = "json.dict"});

}  // namespace
}  // namespace voxcc::fuzz
