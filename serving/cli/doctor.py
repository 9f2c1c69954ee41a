"""`hymem doctor`: whether everything is as it should be, and what to do where it is not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from serving.cli.options import command, json_option, root_named
from serving.cli.printing import harmless, say, say_json

if TYPE_CHECKING:
    from serving.doctor import Finding


@command("hymem doctor", "hymem doctor --online --json")
@click.option("--online", is_flag=True, help="Also ask the language model a question.")
@click.option("--repair", is_flag=True, help="Build broken search indexes anew, and put drifted names right.")
@json_option
def doctor(online: bool, repair: bool, as_json: bool) -> None:
    """Check that all is well, and say what to do where it is not.

    Settings, key, database, search index, vectors, lock, dreams, files and disk are looked at, with --online the model too.
    Nothing is changed without --repair. The exit code is that of the worst finding: 0 where all is well, 1 for warnings, and
    for errors the codes of every command (2 settings, 5 database, 7 model).
    """
    from serving.doctor import examine, exit_code

    findings = examine(root_named(), online, repair)
    if as_json:
        say_json({"exit_code": exit_code(findings), "findings": list(findings)})
    else:
        _tell(findings)
    click.get_current_context().exit(exit_code(findings))


def _tell(findings: "Sequence[Finding]") -> None:
    width = max(len(finding.check) for finding in findings)
    for finding in findings:
        mark = {"ok": "ok", "note": "--"}.get(finding.level, finding.level.upper())
        say(f"{mark:8}{finding.check:{width}}  {harmless(finding.message)}")
        if finding.remedy:
            say(f"{'':8}{'':{width}}  {harmless(finding.remedy)}")
