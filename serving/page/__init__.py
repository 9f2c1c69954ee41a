"""The page: memory in a browser, to look into it, to question it, and to put it right.

The page itself is a handful of files in `web/` that a browser runs as they are. What it shows are answers of HyMem's own verbs,
as JSON. Everything comes from the one server, and its headers say so: nothing else is loaded, and no text runs.
"""
