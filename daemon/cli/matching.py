"""`gonggo criteria`: what the person looks for, and what the stored postings make of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from daemon.cli.arguments import row_id
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.matching.model import (
    CriteriaFull,
    CriteriaTarget,
    CriterionExists,
    InvalidCriterion,
    UnknownCriterion,
)
from daemon.terminal import Column, show_table

criteria = typer.Typer()

_KINDS = {
    "keyword": CriteriaTarget.KEYWORD_GROUP,
    "exclusion": CriteriaTarget.EXCLUSION_KEYWORD,
    "arrangement": CriteriaTarget.WORK_ARRANGEMENT_KEYWORD,
}
"""Words for the kinds of criteria on the command line."""

Kind = Annotated[str, typer.Argument(metavar="KIND")]


def _kind_named(given: str) -> CriteriaTarget:
    """The kind of that name. Raises CommandFailed naming those there are."""
    try:
        return _KINDS[given.strip().lower()]
    except KeyError:
        raise CommandFailed(ExitCode.USAGE, "error.criterion_kind", value=given, kinds=", ".join(_KINDS)) from None


@contextmanager
def _explained() -> Iterator[None]:
    """Turn the refusals of the actions into sentences."""
    try:
        yield
    except InvalidCriterion as error:
        raise CommandFailed(ExitCode.USAGE, f"invalid.{error.field.partition('.')[0]}") from error
    except CriterionExists as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.criterion_exists", id=error.id, name=error.name) from error
    except CriteriaFull as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.criteria_full", limit=error.limit) from error
    except UnknownCriterion as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.criterion_unknown", id=error.id) from error


@criteria.command("list")
def show_criteria(context: typer.Context) -> int:
    """Show the criteria in force."""
    from daemon.matching.actions.criteria import current_criteria

    shell: Shell = context.obj
    found = shell.ask(current_criteria)
    rows = [("keyword", group.id, group.display_name, ", ".join(group.synonyms)) for group in found.keyword_groups]
    rows += [("exclusion", each.id, each.keyword, "") for each in found.exclusion_keywords]
    rows += [("arrangement", each.id, each.keyword, "") for each in found.work_arrangement_keywords]
    if not rows:
        shell.say("criteria.none")
        return ExitCode.GOOD
    show_table(
        (
            Column(title=shell.text("column.kind")),
            Column(title=shell.text("column.id"), number=True),
            Column(title=shell.text("column.name")),
            Column(title=shell.text("column.synonyms")),
        ),
        rows,
    )
    shell.say("criteria.revision", revision=found.criteria_revision)
    return ExitCode.GOOD


@criteria.command("add")
def add_criterion(
    context: typer.Context,
    kind: Kind,
    word: Annotated[str, typer.Argument(metavar="WORD")],
    synonym: Annotated[list[str] | None, typer.Option("--synonym", metavar="WORD")] = None,
) -> int:
    """Look for a word, or rule it out; a keyword without synonyms stands for itself."""
    from daemon.matching.actions import criteria as actions

    shell: Shell = context.obj
    target = _kind_named(kind)
    if synonym and target is not CriteriaTarget.KEYWORD_GROUP:
        raise CommandFailed(ExitCode.USAGE, "error.synonym", kind=kind)
    with _explained():
        match target:
            case CriteriaTarget.KEYWORD_GROUP:
                added = shell.ask(lambda db: actions.add_keyword_group(db, word, synonym or [word]))
            case CriteriaTarget.EXCLUSION_KEYWORD:
                added = shell.ask(lambda db: actions.add_exclusion_keyword(db, word))
            case _:
                added = shell.ask(lambda db: actions.add_work_arrangement_keyword(db, word))
    shell.say("criteria.added", word=word, id=added.id, revision=added.criteria_revision)
    return ExitCode.GOOD


@criteria.command("remove")
def remove_criterion(
    context: typer.Context, kind: Kind, id: Annotated[int, typer.Argument(metavar="NUMBER", parser=row_id)]
) -> int:
    """Look for a word no more, or rule it out no more."""
    from daemon.matching.actions import criteria as actions

    shell: Shell = context.obj
    target = _kind_named(kind)
    with _explained():
        revision = shell.ask(lambda db: actions.remove_criterion(db, target, id))
    shell.say("criteria.removed", id=id, revision=revision)
    return ExitCode.GOOD


@criteria.command("preview")
def preview_criteria(context: typer.Context, words: Annotated[list[str], typer.Argument(metavar="WORD")]) -> int:
    """Show which stored postings one of the words would match, without keeping it."""
    from daemon.matching.actions.preview import KnownTitles, preview_criteria

    shell: Shell = context.obj
    with _explained():
        found = shell.ask(lambda db: preview_criteria(db, KnownTitles(), words))
    shell.say(
        "criteria.previewed", matched=found.matched_count, total=found.posting_count, excluded=found.excluded_count
    )
    if found.postings:
        show_table(
            (
                Column(title=shell.text("column.id"), number=True),
                Column(title=shell.text("column.title")),
                Column(title=shell.text("column.synonyms")),
                Column(title=shell.text("column.excluded_by")),
            ),
            [
                (one.job_posting_id, one.title, ", ".join(one.matched_synonyms), one.excluded_by or "")
                for one in found.postings
            ],
        )
    return ExitCode.GOOD


@criteria.command("re-evaluate")
def re_evaluate(context: typer.Context, force: Annotated[bool, typer.Option("--force")] = False) -> int:
    """Judge the stored postings by the criteria in force; no site is asked."""
    from daemon.matching.actions import evaluation

    shell: Shell = context.obj
    done = shell.ask(lambda db: evaluation.re_evaluate(db, force=force))
    shell.say(
        "criteria.re_evaluated",
        evaluated=done.evaluated_count,
        skipped=done.skipped_count,
        revision=done.criteria_revision,
    )
    return ExitCode.GOOD
