// A table that `voxcc join` reads and writes: the output, read again, must be the same for a second pass.
#include "io/table_reader.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace voxcc::fuzz {
namespace {

// Only tables whose names can be written in every format are compared: at least one name, and distinct names that begin with a letter. A
// JSON row may have no members, but `voxcc join` always writes the column `file`. A JSON row cannot have two members of one name, the
// reader of CSV removes a byte order mark, and the writer puts an apostrophe before a formula.
void require_usual(std::vector<std::string> names, const std::string& path) {
    std::ranges::sort(names);
    const bool have_letters =
        std::ranges::all_of(names, [](const auto& name) { return !name.empty() && std::isalpha(std::uint8_t(name[0])); });
    if (names.empty() || !have_letters || std::ranges::adjacent_find(names) != names.end())
        throw Error(ErrorKind::invalid_file, path, "has a name that is not compared");
}

// Writes the rows of a table into another table. @return the text of the output
std::string copy_table(const std::string& from, const std::string& to) {
    io::OutputFiles outputs(io::Overwrite::allow, {});
    io::OutputFile& file = outputs.create(to);
    std::optional<io::TableWriter> writer;
    const auto start = [&](const std::vector<std::string>& columns) { writer.emplace(&file, io::table_format(to), columns); };
    const auto columns = io::read_table(from, [&](const std::vector<std::string>& names, std::vector<io::Cell>& row) {
        if (names.size() != row.size()) fault("a row has another number of cells than the table has columns");
        require_usual(names, from);
        if (!writer) start(names);
        writer->row(row);
    });
    require_usual(columns, from);
    if (!writer) start(columns);
    writer->finish();
    outputs.publish();
    return io::InputFile(to).text();
}

/// The first byte chooses the formats of input and output; the rest is the table.
void run(Input input) {
    constexpr std::array extensions{".csv", ".tsv", ".json"};
    if (input.empty()) return;
    const std::string from = extensions[input[0] % extensions.size()], to = extensions[input[0] / extensions.size() % extensions.size()];
    const std::string path = put_scratch("from" + from, input.subspan(1)), once = scratch("once" + to), twice = scratch("twice" + to);
    accepts([&] {
        const std::string first = copy_table(path, once);
        if (first.size() <= std::string_view("[]\n\n").size()) return;  // JSON keeps no columns without rows
        std::string second;
        if (!accepts([&] { second = copy_table(once, twice); })) fault("a table that was written is refused");
        if (first != second) fault("a second pass changes a table");
    });
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    if (size < 2 || seed % 16 == 0) return mutate_bytes(data, size, most);
    const Mutator change = data[0] % 3 == 2 ? mutate_json : mutate_table;
    return 1 + change(data + 1, size - 1, most - 1, seed);
}

const Registered join({.name = "join", .run = run, .longest = 2048, .mutate = mutate, .dictionary = "table.dict"});

}  // namespace
}  // namespace voxcc::fuzz
