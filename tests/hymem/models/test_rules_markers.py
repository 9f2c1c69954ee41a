import pytest

from hymem.models.rules import extract


def marked(text):
    return [(marker.kind, marker.statement) for marker in extract(text).markers]


@pytest.mark.parametrize(
    ("text", "kind", "statement"),
    [
        ("I prefer short answers.", "preference", "I prefer short answers"),
        ("I'd rather use tabs than spaces.", "preference", "I'd rather use tabs than spaces"),
        ("Always run the linter first.", "preference", "Always run the linter first"),
        ("Never use tabs.", "rejection", "Never use tabs"),
        ("Stop using Docker", "rejection", "Stop using Docker"),
        ("I hate YAML", "rejection", "I hate YAML"),
        ("Please don't mock the database.", "rejection", "don't mock the database"),
        ("Please answer in Dutch.", "style", "answer in Dutch"),
        ("Keep your answers short, please", "style", "Keep your answers short"),
        ("Always include code snippets when I ask about errors.", "style",
         "Always include code snippets when I ask about errors"),
        ("No, I meant the staging server.", "correction", "No, I meant the staging server"),
        ("That's wrong, the port is 8080.", "correction", "That's wrong, the port is 8080"),
        ("Please call me Lena.", "preference", "called Lena"),
        ("Don't call me Helen.", "rejection", "called Helen"),
        ("Gebruik nooit tabs.", "rejection", "Gebruik nooit tabs"),
    ],
)  # fmt: skip
def test_explicit_signals_are_marked_in_their_own_words(text, kind, statement):
    assert marked(text) == [(kind, statement)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I hate waiting for code reviews, and I like small pull requests.",
         [("rejection", "I hate waiting for code reviews"), ("preference", "I like small pull requests")]),
        ("I love TOML but hate YAML.", [("preference", "I love TOML"), ("rejection", "I hate YAML")]),
        ("Never use tabs; always run the linter.",
         [("rejection", "Never use tabs"), ("preference", "always run the linter")]),
        ("I hate YAML, but I might like TOML.", [("rejection", "I hate YAML")]),
        ("I like tea, coffee and cake.", [("preference", "I like tea, coffee and cake")]),
        ("That's wrong, the port is 8080.", [("correction", "That's wrong, the port is 8080")]),
    ],
)  # fmt: skip
def test_every_part_of_a_sentence_is_a_signal_of_its_own(text, parts):
    assert marked(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "Don't worry about it.",
        "I'd love to hear more about that!",
        "I love it!",
        "Would you prefer tabs?",
        "I don't know.",
        "Never mind.",
        "He said I prefer tea.",
        "If I prefer one I will say so.",
        "I'm tired and cross today.",
        "nick42: never run that as root",
        "Call me when the build is done.",
        "Call me Monday.",
    ],
)
def test_courtesies_moods_questions_and_advice_are_no_signals(text):
    assert marked(text) == []


def test_a_signal_is_found_in_front_of_a_question():
    said = "I'm a bit stressed about our budget, and I prefer using Excel for control, so can you help me make it work?"

    assert marked(said) == [("preference", "I prefer using Excel for control")]
