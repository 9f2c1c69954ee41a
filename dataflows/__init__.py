"""How memory forms: one Hamilton module per chapter, frames in, frames out, no SQL, no clock, no environment, no files.

Chunking → extraction → canonicalization → mentions → evidence → decay → inference → profile → insights. `dreaming`
builds the driver and runs it; `materialization` turns its tables into rows for the store.
"""

from hamilton import registry

registry.disable_autoload()  # before its decorators are imported, or they bring in every library that it has a plugin for
registry.load_extension("pandas")
