"""`hymem dream`: learn from what was said."""

import re
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

from hymem.errors import ModelError
from serving.cli.guard import Interrupted
from serving.cli.options import WORDS, as_of_option, command, json_option, opened_memory, root_named
from serving.cli.printing import counted, note, say, say_json
from serving.cli.progress import progress_bar

if TYPE_CHECKING:
    from hymem.records import DreamRun

ALL = "all"
NOTHING_TO_DO = "nothing to do"


class Budget(click.ParamType):
    """A number of chunks, or all of them."""

    name = "budget"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; 0 stands for all."""
        if str(value).strip().lower() == ALL:
            return 0
        text = str(value).strip()
        if not re.fullmatch("[1-9][0-9]{0,8}", text):
            self.fail(f"{value!r} is neither a number of chunks from 1 on, nor all", param, ctx)
        return int(text)


class Setting(click.ParamType):
    """A parameter with its value."""

    name = "setting"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Both as text; whether they make sense is the configuration's to say."""
        name, equals, text = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not of the form NAME=VALUE", param, ctx)
        return name.strip(), text.strip()


@command(
    "hymem dream",
    "hymem dream --budget all",
    "HYMEM_LLM_MODEL=rules hymem dream --json",
    "hymem dream --dry-run --set decay_window_days=14",
    "hymem dream --budget all --executor dask --address tcp://scheduler:8786",
)
@click.option(
    "--budget", metavar="N|all", type=Budget(), help="Chunks, and session windows, to ask about at most; 50 by default."
)
@click.option("--ask-again", "again", metavar="RUN", help="Ask anew what a dream had asked whose replies were undone.")
@click.option("--dry-run", is_flag=True, help="Print what would be another, ask no model, and write nothing.")
@click.option(
    "--set", "settings", metavar="NAME=VALUE", type=Setting(), multiple=True, help="With --dry-run: as if it were so."
)
@click.option("--without", metavar="SESSION", type=WORDS, multiple=True, help="With --dry-run: as if it had not been.")
@click.option(
    "--executor",
    type=click.Choice(["threads", "dask", "ray"]),
    help="Ask the model on other threads, or on a cluster's workers: one is started for this dream.",
)
@click.option("--address", metavar="URL", help="The running Dask or Ray cluster to ask on.")
@as_of_option
@json_option
def dream(
    budget: int | None,
    again: str | None,
    dry_run: bool,
    settings: tuple[tuple[str, str], ...],
    without: tuple[str, ...],
    executor: str | None,
    address: str | None,
    as_of: str | None,
    as_json: bool,
) -> None:
    """Learn from what was said since the last dream.

    The language model is asked about every new chunk of conversation; its replies are kept the moment they arrive, and memory
    is computed from all of them: the graph, the profile, USER.md and MEMORY.md. Where nothing has changed, nothing is done.

    The model is the one of HYMEM_LLM_MODEL; with HYMEM_LLM_MODEL=rules, a grammar takes its place, and no key is needed. The
    exit code is 7 where the model was asked and nothing was answered.

    With --dry-run it is computed what memory would be, from the replies that there are, and printed what would be another: facts,
    profile, insights and lines of both files.
    """
    if dry_run:
        if budget is not None or again is not None:
            raise click.UsageError("--dry-run asks no model: leave out --budget and --ask-again")
        _rehearse(settings, without, as_of, as_json)
        return
    if settings or without or as_of is not None:
        raise click.UsageError(
            "--set, --without and --as-of go with --dry-run: they change no memory, they only ask what if"
        )
    if address is not None and executor is None:
        raise click.UsageError("--address goes with --executor dask or --executor ray")
    if again is not None:
        with opened_memory() as memory:
            memory.ask_again(again)
    with _ended_like_ctrl_c():
        run = _dreamt(budget, executor, address)
    if run is None:
        say_json({"outcome": NOTHING_TO_DO}) if as_json else say("Nothing to do: memory is up to date.")
        return
    say_json(run) if as_json else _tell(run)
    if run.asked and not run.answered:
        click.get_current_context().exit(ModelError.exit_code)


def _rehearse(
    settings: tuple[tuple[str, str], ...], without: tuple[str, ...], as_of: str | None, as_json: bool
) -> None:
    from serving.cli.difference import tell_difference

    with opened_memory() as memory:
        config = memory.config.with_texts(dict(settings)) if settings else None
        found = memory.what_if(as_of=as_of, without=without, config=config)
    tell_difference(found, as_json)


@contextmanager
def _ended_like_ctrl_c() -> Generator[None]:
    """Let a dream that a scheduler or a service manager ends (SIGTERM) keep as much as one that a person ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _dreamt(budget: int | None, executor: str | None, address: str | None) -> "DreamRun | None":
    """The dream's run; None where there was nothing to do."""
    from serving.idle import is_idle_here

    if is_idle_here(root_named()):
        return None
    try:
        with opened_memory(need_llm=True) as memory, progress_bar("Dreaming") as show:
            run = memory.dream(budget=budget, progress=show, executor=executor, address=address)
    except KeyboardInterrupt:
        raise Interrupted("interrupted: every reply that had come is kept; `hymem dream` goes on from there") from None
    return run if run.run_id else None


def _tell(run: "DreamRun") -> None:
    say(f"{run.asked} asked, {run.answered} answered, {run.failed} failed.")
    facts, wishes = (run.changed.get(table, 0) for table in ("knowledge_graph", "profile_entries"))
    say(
        f"Learnt: {counted(facts, 'fact')} and {counted(wishes, 'profile entry').replace('entrys', 'entries')} changed."
    )
    if run.waiting:
        say(
            f"{counted(run.waiting, 'question')} waiting: `hymem dream` goes on, `hymem dream --budget all` asks them all."
        )
    if run.quarantined:
        note(
            f"{counted(run.quarantined, 'question')} left alone after three failures, until the model or the prompt changes."
        )
    for warning in run.warnings:
        note(f"warning: {warning}")
