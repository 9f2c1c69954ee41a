"""What a check found, how bad that is, and what to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hymem.errors import BusyError, ConfigError, HyMemError, ModelError, NewerSchemaError, StoreError

Level = Literal["ok", "note", "warning", "error"]

LEVELS: Final[tuple[Level, ...]] = ("ok", "note", "warning", "error")
WARNED: Final = 1
"""The exit code where the worst finding is a warning."""

REPAIR: Final = "`hymem doctor --repair`"

_REMEDIES: Final = {
    NewerSchemaError: "upgrade HyMem: pip install --upgrade hymem",
    BusyError: "wait for the other process to end, then look again",
    StoreError: "mend what it says, restore a backup of the file, or choose another HYMEM_ROOT",
    ConfigError: "correct the variable that it names; `hymem config` tells where its value came from",
    ModelError: "check the endpoint, the model's name and the key; `hymem config` shows them",
}


@dataclass(frozen=True)
class Finding:
    """What a check found, how bad that is, and what to do about it: every finding that is not "ok" has a remedy."""

    check: str
    level: Level
    message: str
    remedy: str = ""
    exit_code: int = 0


def error_finding(check: str, error: HyMemError, remedy: str = "") -> Finding:
    """An error as a finding, with the remedy of its kind unless there is a better one."""
    told = remedy or next((told for kind, told in _REMEDIES.items() if isinstance(error, kind)), "")
    return Finding(check, "error", str(error), told, error.exit_code)


def exit_code(findings: Sequence[Finding]) -> int:
    """The worst finding's: an error's own code, 1 for a warning, 0 where all is well."""
    worst = max(findings, key=lambda finding: LEVELS.index(finding.level), default=None)
    if worst is None or worst.level in ("ok", "note"):
        return 0
    return worst.exit_code if worst.level == "error" else WARNED
