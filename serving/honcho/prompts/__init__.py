"""The prompts of the server, as Markdown."""
