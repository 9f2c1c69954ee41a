"""What can go wrong, said so that the reader knows what to do next.

HyMemError
├── ConfigError        a setting is missing, malformed or contradictory
├── InputError         what a caller handed over cannot be taken as it is
│   ├── UnknownError   it names a session, message, edge or entity that is not there
│   │   └── UnknownFactError   it names a told fact that is not there; a KeyError too
│   ├── RefusedFactError       a told fact cannot be taken as it is; a ValueError too
│   ├── ConflictError  it contradicts what is there
│   └── ReadOnlyError  it would change a view of memory
├── StoreError         the database cannot be opened, read or written
│   ├── NewerSchemaError   it was made by a newer HyMem
│   └── BusyError          another process holds it, or holds the dream
└── ModelError         a language or embedding model did not give an answer
    ├── ModelUnavailableError   down, slow or rate-limited, after every retry
    ├── ModelRefusedError       the key, the model name or the request was refused: asking again is no use
    └── ReplyError              it answered, and the answer cannot be read
"""


class HyMemError(Exception):
    """The root of everything that HyMem raises on purpose; `exit_code` is the command line's."""

    exit_code = 1


class ConfigError(HyMemError):
    """A setting is missing, malformed or contradictory."""

    exit_code = 2


class InputError(HyMemError):
    """What a caller handed over cannot be taken as it is; nothing of it was stored."""

    exit_code = 3


class ConflictError(InputError):
    """The request contradicts what is there."""


class UnknownError(InputError):
    """The request names something that is not there."""

    exit_code = 4


class ReadOnlyError(InputError):
    """The request would change a view of memory, which can only be read."""


class UnknownFactError(UnknownError, KeyError):
    """There is no such told fact, or it is another peer's."""

    __str__ = Exception.__str__  # a KeyError would put quotation marks around it


class RefusedFactError(InputError, ValueError):
    """A told fact cannot be taken as it is."""


class StoreError(HyMemError):
    """The database cannot be opened, read or written."""

    exit_code = 5


class NewerSchemaError(StoreError):
    """The database was made by a newer HyMem; nothing was written."""


class BusyError(StoreError):
    """Another process holds the database, or is dreaming."""

    exit_code = 6


class ModelError(HyMemError):
    """A language or embedding model did not give an answer."""

    exit_code = 7


class ModelUnavailableError(ModelError):
    """The endpoint is down, slow or rate-limited, after every retry."""


class ModelRefusedError(ModelError):
    """The endpoint refused the key, the model name or the request: asking again is no use."""


class ReplyError(ModelError):
    """The model answered, and its answer cannot be read."""
