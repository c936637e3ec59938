"""Random changes of files, and runs of the program on them. Only the standard library, so that other machines can run them, too."""

import os
import random
import resource
import subprocess
import time
from pathlib import Path

MEGABYTE = 1 << 20
TIME = 20  # seconds
ERROR = "voxcc: error:"
# Success, a damaged file, a damaged choice of a volume (64), a damaged name of a file (66, 77), a claim of more memory than there is.
CODES = (0, 64, 65, 66, 71, 77)


def flip(generator, content):
    content[generator.randrange(len(content))] ^= 1 << generator.randrange(8)


def set_byte(generator, content):
    content[generator.randrange(len(content))] = generator.choice((0, 1, 255, 127, 128, generator.randrange(256)))


def cut(generator, content):
    begin = generator.randrange(len(content))
    del content[begin : generator.choice((len(content), begin + generator.randint(1, 16)))]


def splice(generator, content):
    begin, target, count = (generator.randrange(len(content)) for _ in range(3))
    count = count % 64 + 1
    content[target : target + count] = content[begin : begin + count]


def insert(generator, content):
    at = generator.randrange(len(content) + 1)
    content[at:at] = bytes(generator.randrange(256) for _ in range(generator.randint(1, 8)))


def near_the_start(change):
    """Headers are small, and each byte of them has a meaning."""

    def changed(generator, content):
        head = content[:600]
        change(generator, head)
        content[:600] = head

    return changed


CHANGES = [flip, flip, set_byte, set_byte, cut, splice, insert]
CHANGES += [near_the_start(change) for change in (flip, flip, set_byte, set_byte, insert)]


def mutate(generator, content):
    """1 to 3 changes."""
    changed = bytearray(content)
    for _ in range(generator.choice((1, 1, 1, 2, 3))):
        if changed:
            generator.choice(CHANGES)(generator, changed)
    return bytes(changed)


def read_files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


def write_mutant(files, generator, folder):
    """Writes the files of a volume, one of them changed. Returns the changed name."""
    name = generator.choice(sorted(files))
    for other, content in files.items():
        path = Path(folder) / other
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(mutate(generator, content) if other == name else content)
    return name


def generator_of(kind, seed, number):
    return random.Random(f"{kind} {seed} {number}")


def run(program, path, out, *options):
    """Labels a volume and writes the values of its foreground. Returns the exit code, the error lines, bytes of memory and seconds."""
    out.unlink(missing_ok=True)
    command = [program, "label", path, "--masked-output", out, "--force", "-q", "-t", "1", *options]
    begin = time.monotonic()
    child = subprocess.Popen(
        list(map(str, command)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (TIME, TIME)),
    )
    messages = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    # Before it starts the program, the child process has the memory of this process.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "code": child.returncode,
        "errors": [line for line in messages.splitlines() if line.startswith(ERROR)],
        "memory": usage.ru_maxrss * 1024 if usage.ru_maxrss > own else 0,
        "seconds": time.monotonic() - begin,
    }


def fault_of(done, file_bytes, volume_bytes):
    """Returns what is wrong with a run, or an empty text."""
    if done["code"] < 0:
        return f"ended by signal {-done['code']}"
    if done["code"] not in CODES:
        return f"exit code {done['code']}"
    if len(done["errors"]) != (done["code"] != 0):
        return f"{len(done['errors'])} error lines with exit code {done['code']}"
    most = 200 * MEGABYTE + 10 * file_bytes + volume_bytes
    if done["memory"] > most:
        return f"{done['memory'] >> 20} MB of memory, at most {most >> 20} MB are expected"
    return ""
