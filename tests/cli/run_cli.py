"""Runs the command-line cases: python3 run_cli.py [--update] [PATTERN...]. $VOXCC is the program.

A case is a file cases/NAME.case with steps. Each step begins with `cmd:`. sh runs all steps of a case in one new folder, which contains
the files of make_inputs.py:

    cmd: voxcc compare two.nii swapped.nii
    exit: 0
    stdout:
        same partition: 2 components
    stderr:

stdout is compared exactly, except that a line `...` stands for any number of lines. In lines of stderr, * stands for any text. Both are
indented by four spaces, may be omitted if empty, and are compared without trailing empty lines. --update replaces expectations that
differ by the actual results. VOXCC_* variables of the caller are not passed to the cases. The note on the choice of --device auto is
removed from stderr, because it appears only on a machine with a usable GPU.
"""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import make_inputs

CASES = pathlib.Path(__file__).resolve().parent / "cases"
TIMEOUT = 20  # seconds per step; steps are much faster


def parse(text):
    """@return the lines before the first step (a comment), and a list of steps: dicts with the keys cmd, exit, stdout, stderr."""
    head, steps, block, blanks = [], [], None, 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("cmd:"):
            steps.append({"cmd": line[4:].strip(), "exit": 0, "stdout": [], "stderr": []})
            block, blanks = None, 0
        elif not steps:
            head.append(line)
        elif line.startswith("exit:"):
            steps[-1]["exit"] = int(line[5:])
        elif line in ("stdout:", "stderr:"):
            block, blanks = line[:-1], 0
        elif line.startswith("    ") and block:
            steps[-1][block] += [""] * blanks + [line[4:]]
            blanks = 0
        elif line.strip():
            raise SystemExit(f"line {number} is no part of a case: {line!r}")
        else:
            blanks += 1  # blank lines belong to the block only if the block continues
    return head, steps


def show(head, steps):
    """The inverse of parse()."""
    lines = list(head)
    for index, step in enumerate(steps):
        if index:
            lines.append("")
        lines += [f"cmd: {step['cmd']}", f"exit: {step['exit']}"]
        for block in ("stdout", "stderr"):
            if step[block]:
                lines += [f"{block}:"] + ["    " + line if line else "" for line in step[block]]
    return "\n".join(lines) + "\n"


def run(command, folder, program):
    foreign = lambda name: name.startswith("VOXCC") or name in ("CI", "NO_COLOR")
    environment = {name: value for name, value in os.environ.items() if not foreign(name)}
    environment.update(LC_ALL="C", PATH=f"{folder / 'bin'}{os.pathsep}{environment['PATH']}", HOME=str(folder))
    result = subprocess.run(
        ["sh", "-c", command], cwd=folder / "work", env=environment, capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    decode = lambda stream: stream.decode("utf-8", "backslashreplace").rstrip("\n").splitlines()
    messages = [line for line in decode(result.stderr) if not line.startswith("voxcc: note: device: ")]
    return {"cmd": command, "exit": result.returncode, "stdout": decode(result.stdout), "stderr": messages}


def same_stdout(expected, got):
    """Compares line by line. An expected line "..." stands for any number of lines."""
    if not expected or not got:
        return all(line == "..." for line in expected) and not got
    if expected[0] == "...":
        return any(same_stdout(expected[1:], got[skip:]) for skip in range(len(got) + 1))
    return expected[0] == got[0] and same_stdout(expected[1:], got[1:])


def same_stderr(expected, got):
    matches = lambda pattern, line: re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), line)
    return len(expected) == len(got) and all(map(matches, expected, got))


def problems(expected, got):
    """One message per difference."""
    found = []
    if expected["exit"] != got["exit"]:
        found.append(f"exit {got['exit']}, expected {expected['exit']}")
    if not same_stdout(expected["stdout"], got["stdout"]):
        found.append("stdout is\n" + "\n".join(f"    {line}" for line in got["stdout"]))
    if not same_stderr(expected["stderr"], got["stderr"]):
        found.append("stderr is\n" + "\n".join(f"    {line}" for line in got["stderr"]))
    return found


def run_case(path, program, update):
    """@return the number of failed steps"""
    head, steps = parse(path.read_text())
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin" / "voxcc").symlink_to(program)
        (folder / "work").mkdir()
        for file, content in make_inputs.files().items():
            (folder / "work" / file).write_bytes(content)
        for step in steps:
            got = run(step["cmd"], folder, program)
            found = problems(step, got)
            if not found:
                continue
            if update:
                if same_stdout(step["stdout"], got["stdout"]):
                    got["stdout"] = step["stdout"]
                if same_stderr(step["stderr"], got["stderr"]):
                    got["stderr"] = step["stderr"]
                step.update(got)
            else:
                failed += 1
                print(f"FAILED {path.name}: {step['cmd']}\n  " + "\n  ".join(found))
    if update:
        path.write_text(show(head, steps))
    return failed


def main(arguments):
    update = "--update" in arguments
    patterns = [a for a in arguments if not a.startswith("--")] or ["*"]
    program = os.environ.get("VOXCC")
    if not program or not os.access(program, os.X_OK):
        raise SystemExit("set VOXCC to the program under test")
    paths = sorted(p for p in CASES.glob("*.case") if any(fnmatch.fnmatch(p.stem, pattern) for pattern in patterns))
    if not paths:
        raise SystemExit("no such case")
    failed = sum(run_case(path, pathlib.Path(program).resolve(), update) for path in paths)
    print(f"{len(paths)} cases, {failed} steps failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
