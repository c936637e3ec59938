#include "io/files/checked_file.h"
#include "tests/io/files.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <csignal>
#include <thread>
#include <vector>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

void write_file(OutputFiles& outputs, const std::string& target, std::string_view text) {
    OutputFile& file = outputs.create(target);
    file.write(text);
    file.close();
}

// Limits the size of written files to `bytes` until destroyed. write() then fails as on a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &old_) == 0);
        const rlimit limit{bytes, old_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit old_{};
    void (*handler_)(int);
};

}  // namespace

TEST_CASE("input: missing, folder, device, FIFO, dangling link") {
    const TemporaryFolder folder;
    CHECK(kind_of([&] { InputFile(folder / "missing"); }) == ErrorKind::missing_file);
    CHECK(kind_of([&] { InputFile(folder / "missing" + "/below"); }) == ErrorKind::missing_file);
    CHECK(kind_of([&] { InputFile(folder.path.string()); }) == ErrorKind::invalid_file);
    CHECK(kind_of([&] { InputFile("/dev/null"); }) == ErrorKind::not_a_file);
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    CHECK(kind_of([&] { InputFile(folder / "fifo"); }) == ErrorKind::not_a_file);  // must not wait for a writer
    std::filesystem::create_symlink("nowhere", folder / "link");
    CHECK(kind_of([&] { InputFile(folder / "link"); }) == ErrorKind::missing_file);
}

TEST_CASE("input: reads return all bytes, or an error that states how many are missing") {
    const TemporaryFolder folder;
    put_file(folder / "x", "0123456789");
    const InputFile file(folder / "x");
    CHECK(file.size() == 10);
    std::string piece(4, '\0');
    const auto bytes = std::as_writable_bytes(std::span(piece));
    file.read(6, bytes);
    CHECK(piece == "6789");
    CHECK(file.read_some(8, bytes) == 2);
    CHECK(file.read_some(20, bytes) == 0);
    CHECK(kind_of([&] { file.read(8, bytes); }) == ErrorKind::truncated_file);
    CHECK(message_of([&] { file.read(8, bytes); }).find("expected 12 bytes, got 10") != std::string::npos);
}

TEST_CASE("output: appears only when published; otherwise leaves no files") {
    const TemporaryFolder folder;
    {
        OutputFiles outputs(Overwrite::refuse, {});
        write_file(outputs, folder / "x", "text");
        CHECK_FALSE(std::filesystem::exists(folder / "x"));
        CHECK(folder.entries() == 1);
    }
    CHECK(folder.entries() == 0);
    OutputFiles outputs(Overwrite::refuse, {});
    OutputFile& file = outputs.create(folder / "x");
    file.write("0123456789");
    file.write_at(2, std::as_bytes(std::span("AB", 2)));
    file.write("+");
    CHECK(file.position() == 11);
    CHECK(kind_of([&] { outputs.publish(); }) == ErrorKind::internal);  // not closed yet
    file.close();
    write_file(outputs, folder / "y", "second");
    outputs.publish();
    CHECK(content_of(folder / "x") == "01AB456789+");
    CHECK(content_of(folder / "y") == "second");
    CHECK(folder.entries() == 2);
}

TEST_CASE("output: one existing file may be replaced, other files are still refused") {
    const TemporaryFolder folder;
    put_file(folder / "x", "old");
    put_file(folder / "y", "old");
    FileSet inputs;
    inputs.add(folder / "z");
    OutputFiles outputs(Overwrite::refuse, std::make_shared<const FileSet>(inputs));
    outputs.allow_replacing(folder / "x");
    outputs.allow_replacing(folder / "z");
    write_file(outputs, folder / "x", "new");
    CHECK(kind_of([&] { outputs.check(folder / "y"); }) == ErrorKind::exists);
    CHECK(kind_of([&] { outputs.check(folder / "z"); }) == ErrorKind::is_input);
    REQUIRE(outputs.files().size() == 1);
    CHECK(outputs.files().front()->target() == folder / "x");
    outputs.publish();
    CHECK(content_of(folder / "x") == "new");
    CHECK(content_of(folder / "y") == "old");
}

TEST_CASE("output: an existing file is refused, or replaced with its mode kept") {
    const TemporaryFolder folder;
    put_file(folder / "x", "old");
    REQUIRE(::chmod((folder / "x").c_str(), 0640) == 0);
    {
        OutputFiles outputs(Overwrite::refuse, {});
        CHECK(kind_of([&] { outputs.check(folder / "x"); }) == ErrorKind::exists);
        CHECK(kind_of([&] { outputs.create(folder / "x"); }) == ErrorKind::exists);
    }
    {
        OutputFiles outputs(Overwrite::allow, {});
        write_file(outputs, folder / "x", "new");
        CHECK(content_of(folder / "x") == "old");
    }
    CHECK(content_of(folder / "x") == "old");
    OutputFiles outputs(Overwrite::allow, {});
    write_file(outputs, folder / "x", "new");
    outputs.publish();
    CHECK(content_of(folder / "x") == "new");
    struct stat st {};
    REQUIRE(::stat((folder / "x").c_str(), &st) == 0);
    CHECK((st.st_mode & 0777) == 0640);
    CHECK(folder.entries() == 1);
}

TEST_CASE("output: a file that another process creates meanwhile is not overwritten") {
    const TemporaryFolder folder;
    {
        OutputFiles outputs(Overwrite::refuse, {});
        write_file(outputs, folder / "x", "ours");
        put_file(folder / "x", "theirs");
        CHECK(kind_of([&] { outputs.publish(); }) == ErrorKind::exists);
    }
    CHECK(content_of(folder / "x") == "theirs");
    CHECK(folder.entries() == 1);
}

TEST_CASE("output: an input is never overwritten, under any of its names") {
    const TemporaryFolder folder;
    put_file(folder / "in", "input");
    std::filesystem::create_hard_link(folder / "in", folder / "hard");
    std::filesystem::create_symlink(folder / "in", folder / "soft");
    std::filesystem::create_directory_symlink(folder.path, folder / "elsewhere");
    const auto inputs = std::make_shared<FileSet>();
    for (const char* name : {"missing", "in"}) inputs->add(folder / name);
    OutputFiles outputs(Overwrite::allow, inputs);
    for (const char* name : {"in", "hard", "soft", "./in", "missing", "elsewhere/in", "elsewhere/missing"}) {
        const std::string target = folder / name;
        CHECK(message_of([&] { outputs.create(target); }).find("is an input") != std::string::npos);
        CHECK(kind_of([&] { outputs.check(target); }) == ErrorKind::is_input);
    }
    CHECK(content_of(folder / "in") == "input");
}

TEST_CASE("output: targets that cannot be created or replaced") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::allow, {});
    CHECK(kind_of([&] { outputs.create(folder / "missing" + "/x"); }) == ErrorKind::missing_folder);
    CHECK(kind_of([&] { outputs.create(folder.path.string()); }) == ErrorKind::cannot_create);
    CHECK(kind_of([&] { outputs.create("/dev/null"); }) == ErrorKind::cannot_create);
    put_file(folder / "file", "");
    CHECK(kind_of([&] { outputs.create(folder / "file" + "/x"); }) == ErrorKind::cannot_create);
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    CHECK(kind_of([&] { outputs.create(folder / "fifo"); }) == ErrorKind::cannot_create);
    std::filesystem::create_symlink("nowhere", folder / "link");
    CHECK(kind_of([&] { outputs.create(folder / "link"); }) == ErrorKind::cannot_create);
    CHECK(kind_of([&] { outputs.create(folder / std::string(300, 'n')); }) == ErrorKind::cannot_create);
    if (::geteuid() == 0) {
        MESSAGE("SKIPPED: root may write in any folder");
    } else {
        REQUIRE(::mkdir((folder / "closed").c_str(), 0500) == 0);
        CHECK(kind_of([&] { outputs.check(folder / "closed/x"); }) == ErrorKind::no_permission);
    }
}

TEST_CASE("output: names of up to 255 bytes") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    const std::string umlaut = "\xc3\xa4";
    std::string two_bytes;
    while (two_bytes.size() < 250) two_bytes += umlaut;
    for (const std::string& name : {std::string(242, 'n'), std::string(251, 'n') + ".nii", two_bytes + "x.nii", two_bytes + ".nii"}) {
        CAPTURE(name);
        const OutputFile& file = outputs.create(folder / name);
        CHECK(file.temporary().size() - folder.path.string().size() - 1 <= 255);
        CHECK(file.temporary().ends_with(name.substr(name.size() - 4)));
        const std::string hidden = std::filesystem::path(file.temporary()).filename().string();
        CHECK((hidden.find(umlaut[1]) == std::string::npos || hidden.find(umlaut[1]) > hidden.find(umlaut[0])));
    }
    CHECK(folder.entries() == 4);
    CHECK(kind_of([&] { outputs.check(folder / std::string(256, 'n')); }) == ErrorKind::cannot_create);
}

TEST_CASE("output: a disk that becomes full at any byte leaves no files") {
    const TemporaryFolder folder;
    put_file(folder / "x", "old");
    const std::string text(100, 'x');
    for (const rlim_t limit : {0, 1, 50, 99}) {
        CAPTURE(limit);
        {
            OutputFiles outputs(Overwrite::allow, {});
            const FileSizeLimit full(limit);
            CHECK(kind_of([&] { write_file(outputs, folder / "x", text); }) == ErrorKind::disk_full);
        }
        CHECK(content_of(folder / "x") == "old");
        CHECK(folder.entries() == 1);
    }
    OutputFiles outputs(Overwrite::allow, {});
    const FileSizeLimit enough(100);
    write_file(outputs, folder / "x", text);
    outputs.publish();
    CHECK(content_of(folder / "x") == text);
}

TEST_CASE("output: threads create files side by side, each of its own") {
    constexpr int threads = 4, files = 200;
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    const auto name_of = [&](int thread, int file) { return folder / std::to_string(thread) + "_" + std::to_string(file); };
    {
        std::vector<std::jthread> writers;
        for (int thread = 0; thread < threads; ++thread)
            writers.emplace_back([&, thread] {
                for (int file = 0; file < files; ++file) write_file(outputs, name_of(thread, file), name_of(thread, file));
            });
    }
    outputs.publish();
    CHECK(folder.entries() == threads * files);
    for (int thread = 0; thread < threads; ++thread)
        for (int file = 0; file < files; ++file) CHECK(content_of(name_of(thread, file)) == name_of(thread, file));
}

TEST_CASE("output: new folders are removed if nothing is published") {
    const TemporaryFolder folder;
    {
        OutputFiles outputs(Overwrite::refuse, {});
        outputs.create_folder(folder / "slices");
        write_file(outputs, folder / "slices" + "/s0", "0");
    }
    CHECK(folder.entries() == 0);
    {
        OutputFiles outputs(Overwrite::refuse, {});
        outputs.create_folder(folder / "slices");
        write_file(outputs, folder / "slices" + "/s0", "0");
        outputs.publish();
    }
    CHECK(content_of(folder / "slices" + "/s0") == "0");
    {
        OutputFiles outputs(Overwrite::refuse, {});
        outputs.create_folder(folder / "slices");  // exists already, so it must not be removed
    }
    CHECK(std::filesystem::is_directory(folder / "slices"));
    put_file(folder / "file", "");
    OutputFiles outputs(Overwrite::refuse, {});
    CHECK(kind_of([&] { outputs.create_folder(folder / "file"); }) == ErrorKind::cannot_create);
    CHECK(kind_of([&] { outputs.create_folder(folder / "missing" + "/below"); }) == ErrorKind::missing_folder);
}

TEST_CASE("output: a signal handler removes exactly the unpublished files") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    write_file(outputs, folder / "published", "p");
    outputs.publish();
    OutputFiles unfinished(Overwrite::refuse, {});
    unfinished.create_folder(folder / "slices");
    for (int i = 0; i < 300; ++i) unfinished.create(folder / "slices" + "/s" + std::to_string(i));
    unfinished.create(folder / "x");
    remove_temporaries();
    CHECK(content_of(folder / "published") == "p");
    CHECK(folder.entries() == 1);
}

TEST_CASE("output: a signal handler removes folders after their files") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    outputs.create_folder(folder / "slices");
    outputs.create(folder / "slices" + "/s0").write("text");
    outputs.create(folder / "x");
    CHECK(folder.entries() == 2);
    remove_temporaries();
    CHECK(folder.entries() == 0);
}

TEST_CASE("new folders: empty folders are removed, inner folders first") {
    const TemporaryFolder folder;
    {
        NewFolders made;
        made.make_with_parents(folder / "a/b/c");
        made.make_with_parents(folder / "a/b/d/");
        made.make_with_parents(folder / "new/../e");
        CHECK(std::filesystem::is_directory(folder / "a/b/c"));
        CHECK(std::filesystem::is_directory(folder / "a/b/d"));
        CHECK(std::filesystem::is_directory(folder / "e"));
        put_file(folder / "a/b/c/file", "kept");
    }
    CHECK(folder.entries() == 1);
    CHECK(content_of(folder / "a/b/c/file") == "kept");
    CHECK_FALSE(std::filesystem::exists(folder / "a/b/d"));
    {
        NewFolders made;
        made.make_with_parents(folder / "a/b/c");  // exists already, so it must not be removed
        CHECK(kind_of([&] { made.make_with_parents(folder / "a/b/c/file/x"); }) == ErrorKind::missing_folder);
        CHECK(kind_of([&] { made.make(folder / "missing" + "/x"); }) == ErrorKind::missing_folder);
    }
    CHECK(std::filesystem::is_directory(folder / "a/b/c"));
}

TEST_CASE("new folders: a signal handler removes nested folders") {
    const TemporaryFolder folder;
    NewFolders made;
    made.make_with_parents(folder / "a/b/c");
    remove_temporaries();
    CHECK(folder.entries() == 0);
}

TEST_CASE("system errors have the exit code of their cause") {
    const auto kind = [](int number, Access access) { return system_error("path", "do it", number, access).kind(); };
    CHECK(kind(ENOENT, Access::read) == ErrorKind::missing_file);
    CHECK(kind(ENOENT, Access::write) == ErrorKind::missing_folder);
    CHECK(kind(EACCES, Access::read) == ErrorKind::no_permission);
    CHECK(kind(EROFS, Access::write) == ErrorKind::no_permission);
    CHECK(kind(ENOSPC, Access::write) == ErrorKind::disk_full);
    CHECK(kind(EIO, Access::read) == ErrorKind::io_error);
    CHECK(kind(ENOMEM, Access::read) == ErrorKind::out_of_memory);
    CHECK(std::string(system_error("path", "do it", EIO, Access::read).what()).starts_with("path: cannot do it: "));
}
