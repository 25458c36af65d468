"""What the source tree promises and no other tool checks. Import directions are import-linter's (pyproject.toml).

Each test lists every offence as `file:line what`, so that one run tells all that is to be done.
"""

from __future__ import annotations

import ast
import functools
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from daemon.tables import metadata

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = sorted((ROOT / "daemon").rglob("*.py"))
MIGRATIONS = sorted((ROOT / "migrations").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
EVERYTHING = [*PRODUCT, *MIGRATIONS, *TESTS]

FILE_LINES = 400
FUNCTION_LINES = 60

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(nodes: Iterable[ast.AST]) -> Iterator[Function]:
    return (node for node in nodes if isinstance(node, Function))


def calls(nodes: Iterable[ast.AST], *names: str) -> Iterator[ast.Call]:
    """Calls of a function by its bare name or as an attribute."""
    for node in nodes:
        if isinstance(node, ast.Call):
            called = node.func
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", None)
            if name in names:
                yield node


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module, or name in a module, that is imported, with its line: `sqlalchemy.exc.DBAPIError`."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def comments(path: Path) -> list[tuple[int, str]]:
    with tokenize.open(path) as file:
        tokens = tokenize.generate_tokens(file.readline)
        return [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]


def test_the_tree_is_found() -> None:
    assert len(PRODUCT) > 50
    assert len(MIGRATIONS) >= 3
    assert len(TESTS) > 10


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {named(path): len(path.read_text("utf-8").splitlines()) for path in EVERYTHING}
    assert {name: length for name, length in lengths.items() if length > FILE_LINES} == {}


def test_no_function_is_longer_than_60_lines() -> None:
    lengths = {
        f"{named(path)}:{function.lineno} {function.name}": (function.end_lineno or 0) - function.lineno + 1
        for path in EVERYTHING
        for function in functions(nodes_of(path))
    }
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


def test_a_transaction_is_opened_by_actions_only() -> None:
    opened = [
        f"{named(path)}:{call.lineno}"
        for path in PRODUCT
        if path.name != "actions.py" and "actions" != path.parent.name != "db"
        for call in calls(nodes_of(path), "transaction")
    ]
    assert opened == []


def test_sql_stands_in_stores_and_tables_only() -> None:
    where_sql_lives = {"store.py", "tables.py", "schema.py", "ddl.py"}
    # Errors and addresses are no SQL.
    harmless = ("sqlalchemy.exc.", "sqlalchemy.URL", "sqlalchemy.make_url")
    constructs = [
        f"{named(path)}:{line} {name}"
        for path in PRODUCT
        if path.name not in where_sql_lives and path.parent.name not in {"store", "db"}
        for line, name in imports(path)
        if name.split(".")[0] == "sqlalchemy" and not name.startswith(harmless)
    ]
    assert constructs == []


def test_nothing_but_the_web_the_composition_root_and_the_demo_serves_http() -> None:
    serving = [
        f"{named(path)}:{line}"
        for path in PRODUCT
        if not named(path).startswith(("daemon/web/", "daemon/demo/", "daemon/app.py"))
        for line, name in imports(path)
        if name.startswith("aiohttp.web")
    ]
    assert serving == []


def test_only_settings_log_and_sdnotify_read_the_environment() -> None:
    allowed = ("daemon/settings.py", "daemon/log.py", "daemon/sdnotify.py", "daemon/demo/")
    reads = [
        f"{named(path)}:{node.lineno}"
        for path in PRODUCT
        if not named(path).startswith(allowed)
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    ]
    assert reads == []


def test_nothing_is_printed_past_terminal_and_log() -> None:
    printed = [
        f"{named(path)}:{call.lineno}"
        for path in [*PRODUCT, *MIGRATIONS]
        if not named(path).startswith("daemon/demo/")
        for call in calls(nodes_of(path), "print")
        if isinstance(call.func, ast.Name)
    ]
    assert printed == []


def test_every_public_module_class_and_function_says_what_it_does() -> None:
    silent = []
    for path in PRODUCT:
        tree = tree_of(path)
        if tree.body and not ast.get_docstring(tree):
            silent.append(named(path))
        silent += [
            f"{named(path)}:{node.lineno} {node.name}"
            for node in tree.body
            if isinstance(node, Function | ast.ClassDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        ]
    assert silent == []


def test_nothing_is_left_for_later() -> None:
    later = ["TO" + "DO", "FIX" + "ME", "XXX", "HACK"]
    left = [
        f"{named(path)}:{line} {comment}"
        for path in EVERYTHING
        for line, comment in comments(path)
        if any(word in comment for word in later)
    ]
    left += [
        f"{named(path)}:{node.lineno}"
        for path in EVERYTHING
        for node in nodes_of(path)
        if isinstance(node, ast.Name) and node.id == "NotImplemented" + "Error"
    ]
    assert left == []


def test_no_exception_is_swallowed_in_silence() -> None:
    silent = [
        f"{named(path)}:{node.lineno}"
        for path in [*PRODUCT, *MIGRATIONS]
        for node in nodes_of(path)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"}))
        and all(isinstance(step, ast.Pass | ast.Continue) for step in node.body)
    ]
    assert silent == []


def test_no_type_error_is_silenced_without_a_reason() -> None:
    marks = [
        f"{named(path)}:{line} {comment}"
        for path in EVERYTHING
        for line, comment in comments(path)
        if comment.startswith("# type: ignore") and "]  # " not in comment
    ]
    assert marks == []


def test_no_instant_is_made_without_a_zone() -> None:
    """What ruff's DTZ rules allow in the demo, they must not allow in what the demo shows."""
    naive = [
        f"{named(path)}:{call.lineno}"
        for path in PRODUCT
        for call in calls(nodes_of(path), "utcnow", "utcfromtimestamp", "today")
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in {"datetime", "date"}
    ]
    assert naive == []


def test_every_test_asserts_something() -> None:
    shared = {
        function.name
        for path in TESTS
        if not path.name.startswith("test_")
        for function in functions(nodes_of(path))
        if any(isinstance(node, ast.Assert) for node in ast.walk(function))
    }
    empty = []
    for path in TESTS:
        if not path.name.startswith("test_"):
            continue
        # A helper that asserts counts where it is called, one level deep.
        own = {function.name for function in functions(nodes_of(path)) if _asserts(function, shared)}
        empty += [
            f"{named(path)}:{test.lineno} {test.name}"
            for test in functions(nodes_of(path))
            if test.name.startswith("test_") and not _asserts(test, shared | own)
        ]
    assert empty == []


def _asserts(function: Function, helpers: set[str]) -> bool:
    nodes = list(ast.walk(function))
    return any(isinstance(node, ast.Assert) for node in nodes) or any(calls(nodes, "raises", "fail", *helpers))


def test_the_tables_of_the_code_are_the_tables_of_the_migrations() -> None:
    written = {
        node.value
        for path in MIGRATIONS
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert len(metadata.tables) > 20
    assert sorted(metadata.tables.keys() - written) == []


def test_a_table_variable_has_the_name_of_its_table() -> None:
    names = [
        (target.id, call.args[0].value)
        for path in PRODUCT
        if path.name == "tables.py"
        for statement in tree_of(path).body
        if isinstance(statement, ast.Assign)
        and isinstance(target := statement.targets[0], ast.Name)
        and isinstance(call := statement.value, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "Table"
        and isinstance(call.args[0], ast.Constant)
    ]
    assert len(names) == len(metadata.tables)
    assert [pair for pair in names if pair[0] != pair[1]] == []


def test_no_file_names_a_machine_or_a_registry() -> None:
    places = ["/work/" + "main", "pypi" + ".org", "python" + "hosted", "--index" + "-url", "deb.debian" + ".org"]
    others = (ROOT / name for name in ("Makefile", "constraints.txt", "pyproject.toml", "README.md", ".ci/run"))
    files = [*EVERYTHING, *others, *(ROOT / "systemd").iterdir()]
    found = [(named(path), place) for path in files for place in places if place in path.read_text("utf-8")]
    assert found == []
