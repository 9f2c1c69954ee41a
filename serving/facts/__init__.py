"""Told facts as a store of their own: `MemoryStore`, by the names that hermes-agent's built-in store has."""

from serving.facts.memory_store import MemoryStore

__all__ = ["MemoryStore"]
