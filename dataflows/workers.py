"""Who a dream's questions are shared with: this process's threads, or the workers of a Dask or Ray cluster.

A cluster is started for the dream and ended after it, on this machine's loopback, or it is one that runs already.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from hamilton.execution.executors import MultiThreadingExecutor, TaskExecutor

from hymem.errors import ConfigError, InputError
from hymem.settings import refuse_usage_statistics

EXECUTORS: Final = ("threads", "dask", "ray")

PATIENCE: Final = 5
"""Seconds until a cluster that does not answer is given up."""


@dataclass(frozen=True)
class Workforce:
    """Who answers batches: Hamilton's executor, and how many batches it answers at a time."""

    executor: TaskExecutor
    workers: int


def workforce(name: str, address: str | None = None) -> AbstractContextManager[Workforce]:
    """Workers to share the asking with, started here and ended again, or found at the `address` of a running cluster.

    Raises `InputError` for a name that is none of `EXECUTORS`, and `ConfigError` where the library for it is missing or
    nobody answers at the address.
    """
    if name not in EXECUTORS:
        raise InputError(f"{name!r} is no executor: choose one of {', '.join(EXECUTORS)}")
    if name == "threads" and address is not None:
        raise InputError("threads have no address: leave it out, or choose dask or ray")
    return {"threads": _threads, "dask": _dask, "ray": _ray}[name](address)


@contextmanager
def _threads(_: str | None) -> Iterator[Workforce]:
    workers = os.cpu_count() or 1
    yield Workforce(MultiThreadingExecutor(max_tasks=workers), workers)


@contextmanager
def _dask(address: str | None) -> Iterator[Workforce]:
    try:
        from dask.distributed import Client, LocalCluster
        from hamilton.plugins.h_dask import DaskExecutor
    except ImportError as error:
        raise ConfigError("Dask is not installed: pip install 'hymem[dask]'") from error
    with ExitStack() as held:
        at: Any = address
        if address is None:
            undrawn: Any = {"host": "127.0.0.1", "dashboard_address": None}
            at = held.enter_context(LocalCluster(n_workers=os.cpu_count(), threads_per_worker=1, **undrawn))
        try:
            client = held.enter_context(Client(at, set_as_default=False, timeout=PATIENCE))
        except (OSError, ValueError) as error:
            raise ConfigError(f"no Dask scheduler answers at {address}: {error}") from error
        threads: Any = client.nthreads()
        yield Workforce(DaskExecutor(client=client), max(1, sum(threads.values())))


@contextmanager
def _ray(address: str | None) -> Iterator[Workforce]:
    refuse_usage_statistics()
    try:
        ray: Any = import_module("ray")
        from hamilton.plugins.h_ray import RayTaskExecutor
    except ImportError as error:
        raise ConfigError("Ray is not installed: pip install 'hymem[ray]'") from error
    here = {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    try:
        ray.init(address=address or "local", log_to_driver=False, **({} if address else here))
    except (ConnectionError, ValueError) as error:
        raise ConfigError(f"no Ray cluster answers at {address}: {error}") from error
    try:
        yield Workforce(RayTaskExecutor(skip_init=True), max(1, int(ray.cluster_resources().get("CPU", 1))))
    finally:
        ray.shutdown()
