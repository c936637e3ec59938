#include "tests/fuzz/scratch.h"

#include <fcntl.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>

namespace voxcc::fuzz {
namespace {

std::string make_folder() {
    const char* parent = std::getenv("VOXCC_FUZZ_FOLDER");
    std::string name = std::string(parent ? parent : "/dev/shm") + "/voxcc-fuzz-XXXXXX";
    if (!::mkdtemp(name.data())) fault("cannot create a folder in memory; set VOXCC_FUZZ_FOLDER");
    return name;
}

const std::string& folder() {
    static const std::string name = [] {
        static std::string made;
        static pid_t owner;
        made = make_folder();
        owner = ::getpid();
        std::atexit([] {
            std::error_code ignored;
            if (::getpid() == owner) std::filesystem::remove_all(made, ignored);
        });
        return made;
    }();
    return name;
}

}  // namespace

std::string scratch(const std::string& name) { return folder() + "/" + name; }

std::string put_scratch(const std::string& name, Input content) {
    std::string path = scratch(name);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) fault("cannot write a file in memory");
    for (std::size_t done = 0; done < content.size();) {
        const ssize_t n = ::write(fd, content.data() + done, content.size() - done);
        if (n <= 0) fault("cannot write a file in memory");
        done += std::size_t(n);
    }
    ::close(fd);
    return path;
}

}  // namespace voxcc::fuzz
