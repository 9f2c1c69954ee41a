"""`hymem reembed`: from one embedding model to another."""

from serving.cli.options import command, json_option, opened_memory
from serving.cli.printing import counted, note, say, say_json
from serving.cli.progress import progress_bar


@command("hymem reembed", "HYMEM_EMBEDDING_MODEL=local hymem reembed --json")
@json_option
def reembed(as_json: bool) -> None:
    """Drop all vectors and embed every text anew, with the embedding model of HYMEM_EMBEDDING_MODEL.

    Vectors of two models cannot be compared, so a dream refuses to mix them. Keyword and graph recall work meanwhile.
    """
    with opened_memory(need_llm=True) as memory, progress_bar("Embedding") as show:
        run = memory.reembed(progress=show)
    if as_json:
        say_json(run)
        return
    say(f"{counted(run.embedded, 'text')} embedded.")
    for warning in run.warnings:
        note(f"warning: {warning}")
