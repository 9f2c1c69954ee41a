"""HyMem: a local, embedded, explainable memory for AI agents.

    from hymem import build_from_env

    memory = build_from_env()
    memory.log_message("monday", "user", "We moved from Docker to uv.")
    memory.dream()
    print(memory.augment("What do we use instead of Docker?").graph_facts)

Importing this package loads the standard library only; `HyMem` and `build_from_env` come with their first use.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serving.environment import build_from_env
    from serving.memory import HyMem

__version__ = "0.1.0"
__all__ = ["HyMem", "build_from_env"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from serving import environment

        return getattr(environment, name)
    raise AttributeError(f"module 'hymem' has no attribute {name!r}")
