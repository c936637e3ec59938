// Publication of several files, its journal, and temporary files of killed processes.
#include "io/files/publication.h"
#include "io/files/checked_file.h"
#include "io/files/journal.h"
#include "io/files/temporary_names.h"
#include "tests/io/files.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <thread>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

// Two files with contents of different lengths, so that their stamps differ whatever the clock of the file system.
struct OldAndNew {
    TemporaryFolder folder;
    std::string x = folder / "x", y = folder / "y", new_x = folder / "new-x", new_y = folder / "new-y";
    OldAndNew() {
        put_file(x, "old x");
        put_file(y, "old y");
        put_file(new_x, "new content of x");
        put_file(new_y, "new content of y");
    }
    bool all_old() const { return content_of(x) == "old x" && content_of(y) == "old y" && folder.entries() == 2; }
    JournalRecord record() const { return {{"x", stamp_of(x), stamp_of(new_x)}, {"y", stamp_of(y), stamp_of(new_y)}}; }
};

constexpr const char* journal = ".voxcc-publication";

// Writes the journal of a publication that is killed before its first rename.
void put_journal(const OldAndNew& files) {
    const std::string path = files.folder / journal;
    {
        const auto locked = Journal::try_lock(files.folder.path.string());
        REQUIRE(locked);
        locked->add(files.record());
        std::filesystem::create_hard_link(path, files.folder / "copy");
    }
    CHECK_FALSE(std::filesystem::exists(path));  // all files were old when it was unlocked
    std::filesystem::rename(files.folder / "copy", path);
}

bool is_interrupted(const std::string& path) {
    return kind_of([&] { InputFile{path}; }) == ErrorKind::interrupted_output;
}

void publish(std::vector<Unpublished> files, Overwrite overwrite) {
    for (Unpublished& file : files) file.overwrite = overwrite;
    publish_together(files);
}

}  // namespace

TEST_CASE("publication: all files, and no other file remains") {
    const OldAndNew files;
    publish({{files.new_x, files.x}, {files.new_y, files.y}}, Overwrite::allow);
    CHECK(content_of(files.x) == "new content of x");
    CHECK(content_of(files.y) == "new content of y");
    CHECK(files.folder.entries() == 2);
}

TEST_CASE("publication: an error restores replaced files") {
    for (const char* overwritten : {"y", "absent"}) {
        const OldAndNew files;
        std::filesystem::remove(files.new_y);
        CHECK(kind_of([&] { publish({{files.new_x, files.x}, {files.new_y, files.folder / overwritten}}, Overwrite::allow); }).has_value());
        CHECK(files.all_old());
    }
}

TEST_CASE("publication: an error removes new files, and leaves files of others") {
    const OldAndNew files;
    CHECK(kind_of([&] { publish({{files.new_x, files.folder / "z"}, {files.new_y, files.y}}, Overwrite::refuse); }) == ErrorKind::exists);
    CHECK(files.all_old());
}

TEST_CASE("publication: a file that cannot be replaced because its folder is missing") {
    const OldAndNew files;
    CHECK(kind_of([&] {
              publish({{files.new_x, files.x}, {files.new_y, files.folder / "missing/y"}}, Overwrite::allow);
          }) == ErrorKind::missing_folder);
    CHECK(files.all_old());
}

TEST_CASE("publication: targets in two folders") {
    const OldAndNew files;
    const TemporaryFolder other;
    put_file(other / "new", "new");
    publish({{files.new_x, files.x}, {other / "new", other / "z"}}, Overwrite::allow);
    CHECK(content_of(files.x) == "new content of x");
    CHECK(content_of(other / "z") == "new");
    CHECK(other.entries() == 1);
}

TEST_CASE("publication: a symbolic link is replaced, and restored") {
    const OldAndNew files;
    const std::string link = files.folder / "link";
    std::filesystem::create_symlink("x", link);
    CHECK(kind_of([&] { publish({{files.new_x, link}, {files.folder / "missing", files.y}}, Overwrite::allow); }).has_value());
    CHECK(std::filesystem::is_symlink(link));
    put_file(files.new_x, "new content of x");
    publish({{files.new_x, link}}, Overwrite::allow);
    CHECK_FALSE(std::filesystem::is_symlink(link));
    CHECK(content_of(files.x) == "old x");
}

TEST_CASE("publication: publications of the same folder wait for each other") {
    const OldAndNew files;
    std::atomic<bool> unlocked{false};
    auto locked = Journal::try_lock(files.folder.path.string());
    REQUIRE(locked);
    CHECK_FALSE(Journal::try_lock(files.folder.path.string()));
    std::thread other([&] {
        publish({{files.new_x, files.x}, {files.new_y, files.y}}, Overwrite::allow);
        CHECK(unlocked);
    });
    CHECK(content_of(files.x) == "old x");
    unlocked = true;
    locked.reset();
    other.join();
    CHECK(content_of(files.y) == "new content of y");
    CHECK(files.folder.entries() == 2);
}

TEST_CASE("publication: a signal handler waits for its end") {
    std::atomic<bool> begun{false}, ended{false};
    std::thread other([&] {
        const UninterruptedSection section;
        begun = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ended = true;
    });
    while (!begun) std::this_thread::yield();
    remove_temporaries();
    CHECK(ended);
    other.join();
}

TEST_CASE("journal: old beside new is refused; all old, all new and later files are not") {
    const OldAndNew files;
    put_journal(files);
    put_file(files.folder / "other", "other");
    CHECK_FALSE(is_interrupted(files.x));  // killed before the first rename
    std::filesystem::rename(files.new_x, files.x);
    CHECK(is_interrupted(files.x));
    CHECK(is_interrupted(files.y));
    CHECK_FALSE(is_interrupted(files.folder / "other"));
    CHECK(kind_of([&] { InputFile{files.folder / "absent"}; }) == ErrorKind::missing_file);
    remove_settled_journal(files.folder.path.string());
    CHECK(std::filesystem::exists(files.folder / journal));
    SUBCASE("the last rename") { std::filesystem::rename(files.new_y, files.y); }
    SUBCASE("another program writes one of the files") { put_file(files.y, "something else"); }
    SUBCASE("the new file is removed") { std::filesystem::remove(files.x); }
    CHECK_FALSE(is_interrupted(files.y));
    remove_settled_journal(files.folder.path.string());
    CHECK_FALSE(std::filesystem::exists(files.folder / journal));
}

TEST_CASE("journal: the next publication of the files removes it, one of other files does not") {
    const OldAndNew files;
    put_journal(files);
    std::filesystem::rename(files.new_x, files.x);
    {
        OutputFiles outputs(Overwrite::allow, {});
        for (const char* name : {"a", "b"}) outputs.create(files.folder / name).close();
        outputs.publish();
    }
    CHECK(is_interrupted(files.y));
    OutputFiles outputs(Overwrite::allow, {});
    for (const std::string& target : {files.x, files.y}) {
        OutputFile& file = outputs.create(target);
        file.write("third content");
        file.close();
    }
    outputs.publish();
    CHECK_FALSE(is_interrupted(files.x));
    CHECK_FALSE(std::filesystem::exists(files.folder / journal));
}

TEST_CASE("journal: a file is found under any path that leads to it") {
    const OldAndNew files;
    const TemporaryFolder elsewhere;
    put_journal(files);
    std::filesystem::rename(files.new_x, files.x);
    std::filesystem::create_symlink(files.y, elsewhere / "link");
    std::filesystem::create_directory_symlink(files.folder.path, elsewhere / "folder");
    CHECK(is_interrupted(elsewhere / "link"));
    CHECK(is_interrupted(elsewhere / "folder/y"));
    CHECK(is_interrupted(files.folder / "./y"));
}

TEST_CASE("journal: incomplete and foreign content has no effect") {
    const OldAndNew files;
    put_journal(files);
    std::filesystem::rename(files.new_x, files.x);
    const std::string path = files.folder / journal, complete = content_of(path);
    for (std::size_t length = 0; length < complete.size(); ++length) {
        CAPTURE(length);
        put_file(path, complete.substr(0, length));
        CHECK_FALSE(is_interrupted(files.x));
    }
    for (const std::string& text : {std::string("text\n"), std::string(1000, '\0'), std::string("file 1 2 x\0end\0", 15),
                                    std::string("publication\0file 1@ -1@99999999999999999999 x\0end\0", 51)}) {
        put_file(path, text);
        CHECK_FALSE(is_interrupted(files.x));
    }
    // A publication after an incomplete record is not lost.
    put_file(path, complete.substr(0, complete.size() - 1));
    put_file(files.folder / "new-z", "z");
    {
        const auto locked = Journal::try_lock(files.folder.path.string());
        REQUIRE(locked);
        locked->add({{"z", {}, stamp_of(files.folder / "new-z")}, {"y", stamp_of(files.y), stamp_of(files.new_y)}});
        std::filesystem::rename(files.new_y, files.y);
    }
    CHECK(is_interrupted(files.y));
}

TEST_CASE("temporary files: files of ended processes are removed, other files stay") {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::ofstream(temporary_path(folder / "x")) << "left by a killed process";
        ::_exit(0);
    }
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    put_file(temporary_path(folder / "y"), "of this process");
    put_file(folder / ".voxcc-0123456789abcdef-999999999-0-z", "of another machine");
    put_file(folder / ".voxcc-notes", "of a user");
    CHECK(folder.entries() == 4);
    put_file(folder / journal, "");
    remove_stale_temporaries(folder.path.string());
    CHECK(folder.entries() == 5);  // with a journal, nothing is removed
    std::filesystem::remove(folder / journal);
    remove_stale_temporaries(folder.path.string());
    CHECK(folder.entries() == 3);
}
