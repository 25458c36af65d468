"""`make mutation ARGS="[MODULE…]"`: mutmut over the rules of the contexts named, all of them when none is.

MODULE is a context (`collection`, `matching`, `sources`, …) or a file (`daemon/posting/rules/lists.py`). mutmut changes
every function of the rules in many small ways (an operator, a constant, an argument, a branch), one at a time, and runs
the tests of the rules that call it. For each file: mutants, how many were killed, the score; then every survivor as
a diff. Ends with 1 when a file's score is under 90 %. What mutmut does not change: what stands outside functions (word
lists, expressions) and properties. It works on a copy under `.cache/mutation`; `--children N` are its processes.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".cache" / "mutation"
LEAST_SCORE = 0.90

RULES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("rules.py", "rules/*.py", "wording/*.py")
    for path in (ROOT / "daemon").rglob(pattern)
    if path.name != "__init__.py"
)
_COPIED = ("daemon", "tests", "migrations", "pyproject.toml")
_TESTS = ("tests/rules", "tests/sources/test_discovery.py")

_KILLED = {1, 3, 36, 24, -24, 152, 255}
"""mutmut's codes for a mutant that a test noticed, or that never ended."""


@dataclass(kw_only=True)
class Score:
    """What became of the mutants of one file."""

    path: str
    killed: int = 0
    survivors: list[str] = field(default_factory=list)
    """mutmut's names of the mutants that no test noticed, also those that no test calls."""

    @property
    def mutants(self) -> int:
        return self.killed + len(self.survivors)

    @property
    def share(self) -> float:
        return self.killed / self.mutants if self.mutants else 1.0


def main(arguments: Sequence[str]) -> int:
    """Mutate, test, report."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--children", type=int, default=2)
    given = parser.parse_args(arguments)
    paths = [path for path in RULES if not given.modules or any(_is_of(path, each) for each in given.modules)]
    if not paths:
        print(f"no rules of {', '.join(given.modules)}; there are {', '.join(RULES)}", file=sys.stderr)
        return 2
    _prepare(paths)
    _in_the_copy(str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", str(given.children))
    scores = [_score(path) for path in paths]
    for score in scores:
        mark = "" if score.share >= LEAST_SCORE else "  UNDER 90 %"
        print(f"{score.path:50} {score.mutants:5} mutants, {score.killed:5} killed, {score.share:6.1%}{mark}")
    mutants, killed = sum(score.mutants for score in scores), sum(score.killed for score in scores)
    print(f"{'all':50} {mutants:5} mutants, {killed:5} killed, {killed / max(1, mutants):6.1%}", flush=True)
    print(_diffs([name for score in scores for name in score.survivors]))
    return 0 if all(score.share >= LEAST_SCORE for score in scores) else 1


def _is_of(path: str, module: str) -> bool:
    return (
        path == module or fnmatch(path, f"daemon/{module.replace('.', '/')}/*") or path == f"daemon/{module}/rules.py"
    )


def _prepare(paths: Sequence[str]) -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for name in _COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, WORK / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, WORK / name)
    settings = {
        "source_paths": ["daemon"],
        "only_mutate": paths,
        "also_copy": ["migrations"],
        "pytest_add_cli_args_test_selection": _TESTS,
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "--engines", "sqlite"],
    }
    lines = ["[mutmut]"]
    for name, values in settings.items():
        lines += [f"{name}=", *(f"    {value}" for value in values)]
    (WORK / "setup.cfg").write_text("\n".join(lines) + "\n")


def _in_the_copy(*command: str, given: str = "") -> str:
    done = subprocess.run(command, cwd=WORK, input=given, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        # Its progress is one line that is written over and over.
        last = "\n".join(line.rpartition("\r")[2] for line in (done.stdout + done.stderr).splitlines()[-40:])
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{last}")
    return done.stdout


def _diffs(names: Sequence[str]) -> str:
    """What each mutant changed; all by one process, for mutmut takes a second to start."""
    program = (
        "import sys\nfrom mutmut.mutation.diff_apply import find_mutant, get_diff_for_mutant\n"
        "for name in sys.stdin.read().split():\n"
        "    print(f'# {name}', get_diff_for_mutant(name, path=find_mutant(name).path), sep='\\n')\n"
    )
    return _in_the_copy(sys.executable, "-c", program, given="\n".join(names))


def _score(path: str) -> Score:
    score = Score(path=path)
    found = WORK / "mutants" / f"{path}.meta"
    codes = json.loads(found.read_text())["exit_code_by_key"] if found.exists() else {}
    for name, code in codes.items():
        if code in _KILLED:
            score.killed += 1
        else:
            score.survivors.append(name)
    return score


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
