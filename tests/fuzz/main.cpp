// The functions that libFuzzer calls. The name of the program, or of the symbolic link by which it is started, chooses the target.
#include <voxcc/error.h>
#include "tests/fuzz/registry.h"
#include "tests/fuzz/shared_coverage.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace voxcc::fuzz {
namespace {

const Target* chosen = nullptr;
std::uint64_t runs = 0, accepted = 0;

// One line per target: name, longest input, dictionary, and the target whose seeds it uses.
void print_targets() {
    for (const Target& target : targets()) {
        const std::string_view seeds = target.seeds.empty() ? target.name : target.seeds;
        std::printf("%s %zu %s %s\n", std::string(target.name).c_str(), target.longest, std::string(target.dictionary).c_str(),
                    std::string(seeds).c_str());
    }
}

void print_accepted() { std::fprintf(stderr, "accepted: %lu of %lu\n", accepted, runs); }

}  // namespace

std::size_t mutate_bytes(std::uint8_t* data, std::size_t size, std::size_t most) { return LLVMFuzzerMutate(data, size, most); }

bool accepts(const std::function<void()>& action) {
    ++runs;
    try {
        action();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
        return false;
    }
    ++accepted;
    return true;
}

void fault(std::string_view message) {
    std::fprintf(stderr, "fault: %.*s\n", int(message.size()), message.data());
    std::abort();
}

}  // namespace voxcc::fuzz

using namespace voxcc::fuzz;

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    if (*count == 2 && std::strcmp((*arguments)[1], "--targets") == 0) {
        print_targets();
        std::exit(0);
    }
    std::string name = (*arguments)[0];
    name = name.substr(name.rfind('/') + 1);
    for (const Target& target : targets())
        if (target.name == name) chosen = &target;
    if (!chosen) {
        std::fprintf(stderr, "'%s' is not a fuzz target; start the program by the name of a target\n", name.c_str());
        std::exit(64);
    }
    share_coverage_with_children();
    std::atexit(print_accepted);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen->run({data, size});
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return chosen->mutate ? chosen->mutate(data, size, most, seed) : LLVMFuzzerMutate(data, size, most);
}
