"""Takes one flag or barrier at a time out of synchronised kernels.

For each kernel: how many flags and barriers `ascend-insert-sync` put in, and how
many of the variants that lack one of them `ascend-verify-sync` still accepts.
"""

import re
import subprocess
import sys
from pathlib import Path

PREPARE = [
    "--ascend-multi-buffer",
    "--ascend-plan-memory",
    "--ascend-insert-sync",
]


def run(tool: str, text: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([tool, *arguments], input=text, capture_output=True, text=True, check=False)


def variants(text: str) -> tuple[list[str], list[str]]:
    """The kernel without each flag group, and without each barrier."""
    lines = text.splitlines()
    group = re.compile(r"ascend\.(?:set_flag|wait_flag|cross_set|cross_wait) .*group (\d+)$")
    groups: dict[int, set[int]] = {}
    barriers: list[int] = []
    for number, line in enumerate(lines):
        if match := group.search(line):
            groups.setdefault(int(match[1]), set()).add(number)
        elif "ascend.barrier" in line:
            barriers.append(number)

    def without(removed: set[int]) -> str:
        return "\n".join(line for number, line in enumerate(lines) if number not in removed)

    return (
        [without(removed) for _, removed in sorted(groups.items())],
        [without({number}) for number in barriers],
    )


def accepted(tool: str, programs: list[str]) -> int:
    """How many of the programs verify; all in one process."""
    if not programs:
        return 0
    result = run(tool, "\n// -----\n".join(programs), ["--ascend-verify-sync", "--split-input-file"])
    rejected = len(re.findall(r"error: (?:internal|unsupported): ", result.stderr))
    # The reproducer that the tool writes is announced as one more error.
    errors = re.findall(r"error: (?!Failures have been detected)", result.stderr)
    other = len(errors) - rejected
    if other:
        sys.exit(f"unexpected errors:\n{result.stderr}")
    return len(programs) - rejected


def main() -> None:
    tool = sys.argv[1]
    for path in sorted(Path(sys.argv[2]).glob("*.mlir")):
        prepared = run(tool, path.read_text(), PREPARE)
        if prepared.returncode != 0:
            sys.exit(f"{path.name}: {prepared.stderr}")
        whole = accepted(tool, [prepared.stdout])
        flags, barriers = variants(prepared.stdout)
        print(
            f"{path.stem}: whole {'accepted' if whole else 'REJECTED'},"
            f" {len(flags)} flags, {len(barriers)} barriers,"
            f" accepted without one: {accepted(tool, flags)} and {accepted(tool, barriers)}"
        )


if __name__ == "__main__":
    main()
