"""`hymem remember`: a statement told as a fact, which is found from now on."""

import click

from serving.cli.options import WORDS, command, json_option, opened_memory
from serving.cli.printing import say, say_json


@command('hymem remember "Deploys go out on Thursdays."', 'hymem remember "Ada is away in May." --category team')
@click.argument("text", nargs=-1, required=True, type=WORDS)
@click.option("--category", metavar="NAME", type=WORDS, default="general", show_default=True, help="Its kind.")
@click.option("--tags", metavar="WORDS", default="", help="Words by which it is found, too.")
@json_option
def remember(text: tuple[str, ...], category: str, tags: str, as_json: bool) -> None:
    """Tell a fact in your own words; it is recalled at once, without a dream.

    A fact that was told before keeps its number and its trust. `hymem show facts` lists them.
    """
    with opened_memory(create=True) as memory:
        fact_id = memory.remember(" ".join(text), category, tags)
    say_json({"fact_id": fact_id}) if as_json else say(f"Remembered as fact {fact_id}.")
