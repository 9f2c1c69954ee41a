"""How memory forms: one Hamilton module per chapter, frames in, frames out, no SQL, no clock, no environment, no files.

Chunking → extraction → canonicalization → mentions → evidence → decay → graph → inference → profile → insights; beside them
session windows → experience; at the end retention, horizon and embeddings. The shell around them is not so pure: `driver`
joins the chapters; `dreaming` reads the ledger and the clock, runs the driver and writes the tables and the files; `asking`
and `embedding` wait for models and keep each answer as it comes; `scaling` and `workers` share the
asking. `materialization` turns frames into rows for the store.
"""

from hamilton import registry

registry.disable_autoload()  # before its decorators are imported, or they bring in every library that it has a plugin for
registry.load_extension("pandas")
