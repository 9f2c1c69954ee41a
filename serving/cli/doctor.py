"""`hymem doctor`: whether everything is as it should be, and what to do where it is not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from serving.cli.options import command, json_option, root_named
from serving.cli.printing import harmless, say, say_json

if TYPE_CHECKING:
    from serving.doctor.findings import Finding


@command("hymem doctor", "hymem doctor --online --json", "hymem doctor --repair")
@click.option("--online", is_flag=True, help="Also ask the models, to see what they can do.")
@click.option("--repair", is_flag=True, help="Put right what can be without loss, after a backup.")
@json_option
def doctor(online: bool, repair: bool, as_json: bool) -> None:
    """Check that all is well, and say what to do where it is not.

    Settings, packages, database, indexes, vectors, lock, dreams, files and disk are looked at. With --online the models answer
    a few questions, to see whether they keep to a JSON Schema, reason first, and take in long texts.

    Nothing is changed without --repair, which makes broken indexes and drifted names right, takes others' rights to the files
    away and removes what killed processes left; the database is copied before. The exit code is that of the worst finding: 0
    where all is well, 1 for warnings, and for errors the codes of every command (2 settings, 5 database, 7 model).
    """
    from serving.doctor.examination import examine
    from serving.doctor.findings import exit_code

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
