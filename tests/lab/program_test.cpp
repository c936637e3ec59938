// Tests the command line of the benchmark programs.
#include "lab/programs/program.h"

#include <doctest/doctest.h>
#include <voxcc/error.h>

#include "lab/interface/option_values.h"

using namespace voxcc;
using namespace voxcc::bench;

namespace {

/// What a program has received.
struct Received {
    int code = 0;
    std::string arguments;  // each with a blank behind it
    std::int64_t repeat = 0;
    bool is_quick = false;
};

/// Runs a program with the arguments FILE and [PART]. @param run called at the end of its run
Received run_with(
    std::vector<std::string> words, const std::function<void()>& run = [] {}) {
    Received received;
    const Program program{
        .name = "program",
        .purpose = "Tests.",
        .arguments = {"FILE", "[PART]"},
        .options = {{"--repeat", "N", "runs", [&](const std::string& text) { received.repeat = integer_of("--repeat", text, 1, 9); }},
                    {"--quick", "", "be quick", [&](const std::string&) { received.is_quick = true; }}},
        .run = [&](const std::vector<std::string>& arguments) {
            for (const std::string& argument : arguments) received.arguments += argument + " ";
            run();
        }};
    words.insert(words.begin(), "program");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    received.code = run_program(program, int(pointers.size()), pointers.data());
    return received;
}

int code_of(ErrorKind kind) {
    return run_with({"a.nii"}, [&] { throw Error(kind, "subject", "cause"); }).code;
}

}  // namespace

TEST_CASE("benchmark programs: options and arguments in any order") {
    const Received received = run_with({"--quick", "a.nii", "--repeat", "3", "shape"});
    CHECK(received.code == 0);
    CHECK(received.arguments == "a.nii shape ");
    CHECK(received.repeat == 3);
    CHECK(received.is_quick);
    CHECK(run_with({"a.nii"}).arguments == "a.nii ");
}

TEST_CASE("benchmark programs: --help does not run the program") {
    const Received received = run_with({"--help"});
    CHECK(received.code == 0);
    CHECK(received.arguments.empty());
}

TEST_CASE("benchmark programs: a wrong command line is an error, and nothing runs") {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{},
                                                                                       {"a.nii", "shape", "more"},
                                                                                       {"a.nii", "--unknown"},
                                                                                       {"a.nii", "--repeat"},
                                                                                       {"a.nii", "--repeat", "x"},
                                                                                       {"a.nii", "--repeat", "3x"},
                                                                                       {"a.nii", "--repeat", ""},
                                                                                       {"a.nii", "--repeat", "10"}}) {
        const Received received = run_with(words);
        CHECK(received.code == 64);
        CHECK(received.arguments.empty());
    }
}

TEST_CASE("benchmark programs: errors have the exit codes of voxcc") {
    CHECK(code_of(ErrorKind::invalid_argument) == 64);
    CHECK(code_of(ErrorKind::several_volumes) == 64);
    CHECK(code_of(ErrorKind::truncated_file) == 65);
    CHECK(code_of(ErrorKind::missing_file) == 66);
    CHECK(code_of(ErrorKind::no_device) == 69);
    CHECK(code_of(ErrorKind::internal) == 70);
    CHECK(code_of(ErrorKind::out_of_memory) == 71);
    CHECK(code_of(ErrorKind::cannot_create) == 73);
    CHECK(code_of(ErrorKind::disk_full) == 74);
    CHECK(run_with({"a.nii"}, [] { throw std::bad_alloc(); }).code == 71);
    CHECK(run_with({"a.nii"}, [] { throw std::runtime_error("fault"); }).code == 70);
}

TEST_CASE("benchmark programs: values of options") {
    CHECK(real_of("--above", "-0.5") == -0.5);
    CHECK(real_of("--above", "1e3") == 1000);
    CHECK_THROWS_AS(real_of("--above", "nan"), Error);
    CHECK_THROWS_AS(real_of("--above", "1,5"), Error);
    CHECK(connectivity_of("--connectivity", "18") == Connectivity::c18);
    CHECK_THROWS_AS(connectivity_of("--connectivity", "7"), Error);
    CHECK(isa_of("--isa", "portable") == Isa::portable);
    CHECK_THROWS_AS(isa_of("--isa", "avx"), Error);
}
