"""Whether everything is as it should be, what to do where it is not, and what may be put right at once.

Each check is a file that gives findings; `examination` runs them in the order in which trouble spreads: settings, packages,
database, files, models. Looking changes nothing. Imports nothing by itself, as every command loads this package's neighbours.
"""
