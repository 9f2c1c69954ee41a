from hypothesis import given
from hypothesis import strategies as st

from hymem.models.rules import extract
from hymem.models.rules.frames import FRAMES
from hymem.vocabulary import MARKER_KINDS, PREDICATES


def stated(text, speaker="user"):
    return {
        f"{triple.subject} {triple.predicate} {triple.object} {'+' if triple.polarity > 0 else '-'}"
        for triple in extract(text, speaker).triples
    }


def test_every_predicate_of_the_vocabulary_can_be_stated():
    said = """We use Redis. The worker depends on libpq. I prefer tea. I hate YAML. I avoid ORMs. Vite replaced webpack.
    pandas 3 conflicts with numpy 1. The app is deployed to Fly. The lexer is part of the compiler. k8s stands
    for Kubernetes. DiskStore implements Storage. The image includes ffmpeg. Ruff is configured in ruff.toml. The agent
    requires Go 1.22. The job runs on ARM64. The gateway talks to Kafka. protoc generates the stubs. The parser is
    tested with pytest."""

    assert {triple.predicate for triple in extract(said).triples} == set(PREDICATES)


def test_every_effect_of_a_frame_names_a_slot_that_the_frame_fills():
    for frames in FRAMES.values():
        for frame in frames:
            filled = {"I", "T" if frame.subject == "D" else frame.subject, *frame.elements}
            assert {end for effect in frame.effects for end in (effect.subject, effect.object)} <= filled


def test_negation_turns_polarity_and_a_double_one_turns_it_back():
    assert stated("We no longer use Redis.") == {"user uses Redis -"}
    assert stated("I don't use Slack anymore.") == {"user uses Slack -"}
    assert stated("we stopped using Travis") == {"user uses Travis -"}
    assert stated("The api does not depend on Celery.") == {"api depends_on Celery -"}
    assert stated("Do not forget to use uv.") == {"user uses uv +"}
    assert stated("We not only use Redis but also Kafka.") == {"user uses Redis +", "user uses Kafka +"}


def test_what_is_asked_supposed_planned_wished_or_reported_is_no_fact():
    unreal = """Should we use Redis?
    If we used Redis, sessions would be faster.
    We might use Redis.
    We plan to use Redis.
    I want to use Redis.
    I'm thinking of using Redis.
    We will use Redis.
    I wish we used Redis.
    Maybe we use Redis.
    Next week we use Redis.
    He said we use Redis.
    I heard that GitHub uses Redis.
    Can you write a script that uses Redis?
    Write a worker that connects to Redis.
    Suppose the api uses Redis.
    You should use Redis.
    I was going to use Redis."""

    assert [line for line in unreal.splitlines() if stated(line)] == []


def test_a_question_does_not_swallow_the_statement_before_it():
    assert stated("I'm using Flask 2.3.1, can you help me with sessions?") == {"user uses Flask +"}


def test_a_replacement_says_what_came_what_went_and_what_replaced_what():
    moved = {"uv replaces pip +", "user uses uv +", "user uses pip -"}

    assert stated("We moved from pip to uv.") == moved
    assert stated("We switched to uv from pip.") == moved
    assert stated("We replaced pip with uv.") == moved
    assert stated("We now use uv instead of pip.") == moved
    assert stated("We dropped pip for uv.") == moved


def test_what_is_preferred_to_another_replaces_it_only_where_something_was_switched():
    assert stated("Pieter uses Figma rather than Sketch.") == {"Pieter uses Figma +", "Pieter uses Sketch -"}
    assert stated("We use uv instead of pip.") == {"user uses uv +", "user uses pip -"}


def test_what_was_moved_is_what_the_clause_before_has_given_up():
    moved = {"ticket printer uses RabbitMQ -", "ticket printer uses NATS +", "NATS replaces RabbitMQ +"}

    assert stated("The ticket printer no longer uses RabbitMQ, we moved it to NATS.") == moved
    assert stated("The ticket printer no longer uses RabbitMQ. We've moved it to NATS.") == moved
    assert stated("The ticket printer used RabbitMQ, but we moved it to NATS.") == moved
    assert stated("The ticket printer uses RabbitMQ, we moved it to NATS.") == {"ticket printer uses RabbitMQ +"}
    assert stated("We moved it to NATS.") == set()


def test_a_capital_makes_a_name_of_a_noun_only_where_a_technology_follows():
    assert stated("Billing depends on Redis. It talks to Kafka.") == {
        "Billing depends_on Redis +",
        "Billing connects_to Kafka +",
    }
    assert stated("Search no longer needs Solr.") == {"Search depends_on Solr -"}
    general = "Life depends on Python. Success needs Docker. Teams use Jira. Billing depends on patience."
    assert stated(general) == set()


def test_nobody_here_is_none_of_us():
    assert stated("Nobody here uses Docker.") == {"user uses Docker -"}
    assert stated("None of us uses Docker.") == {"user uses Docker -"}
    assert stated("Nobody uses Docker. Nobody here uses Docker properly. Nobody here used Docker.") == set()


def test_what_we_do_not_need_we_do_not_depend_on():
    assert stated("We don't need Kubernetes.") == {"user depends_on Kubernetes -"}
    assert stated("We don't need Docker to run the tests. I don't need Docker help.") == set()


def test_a_thing_uses_what_it_is_made_of_and_it_is_the_thing():
    assert stated("The frontend is a Svelte app and we deploy it to Netlify.") == {
        "frontend uses Svelte +",
        "frontend deploys_to Netlify +",
    }
    assert stated("My brother is a Python developer. The site is not a Rails app.") == set()
    assert stated("The API uses Postgres and we host it on RDS.") == {"API uses Postgres +"}


def test_a_program_runs_on_languages_and_platforms_and_uses_the_rest():
    assert stated("The worker is still on Python 3.9.") == {"worker runs_on Python +"}
    assert stated("The worker runs on Python 3.9.") == {"worker runs_on Python +"}
    assert stated("The worker is on Postgres 15.") == {"worker uses Postgres +"}
    assert stated("We are on Python 3.9.") == {"user uses Python +"}


def test_what_a_person_is_to_the_speaker_is_no_part_of_the_name():
    assert stated("My colleague Tomas uses Vim.") == {"Tomas uses Vim +"}
    assert stated("Our product manager Kim uses Linear.") == {"Kim uses Linear +"}
    assert stated("The client Hexo uses Redis.") == {"client Hexo uses Redis +"}


def test_resources_are_no_dependencies():
    assert stated("Postgres requires 8 GB of RAM on our box. The api needs disk space.") == set()
    assert stated("The worker needs 4 GB of RAM and Redis.") == {"worker depends_on Redis +"}


def test_a_change_of_home_is_no_change_of_tools():
    assert stated("I moved from Utrecht to Leiden in May.") == set()


def test_we_is_the_project_that_the_message_has_named():
    assert stated("I'm building HyMem. We use FastAPI.") == {"user part_of HyMem +", "HyMem uses FastAPI +"}


def test_it_is_what_the_sentence_before_was_about():
    assert stated("Our API is written in Rust. It talks to Postgres.") == {
        "API uses Rust +",
        "API connects_to Postgres +",
    }
    assert stated("The weather is nice. It depends on the wind.") == set()


def test_the_first_person_is_whoever_speaks():
    assert stated("I use Neovim.", speaker="Mina") == {"Mina uses Neovim +"}


def test_lists_are_taken_whole_also_after_a_colon():
    assert stated("The auth service depends on Redis, Postgres and libpq.") == {
        "auth service depends_on Redis +",
        "auth service depends_on Postgres +",
        "auth service depends_on libpq +",
    }
    assert stated("The monorepo contains three packages: core, cli and web.") == {
        "monorepo contains core +",
        "monorepo contains cli +",
        "monorepo contains web +",
    }


def test_an_or_leaves_open_which_one_is_meant():
    assert stated("We use Kafka or RabbitMQ.") == set()


def test_a_contrast_denies_its_second_half():
    assert stated("Prod runs on Kubernetes, not on ECS.") == {"Prod runs_on Kubernetes +", "Prod runs_on ECS -"}


def test_copulas_tell_what_plays_a_role():
    assert stated("Our CI is GitHub Actions now, CircleCI is gone.") == {
        "CI uses GitHub Actions +",
        "user uses CircleCI -",
    }
    assert stated("My favorite editor is Helix.") == {"user prefers Helix +"}


def test_versions_amounts_and_times_stand_beside_the_names():
    [version] = extract("billing-service needs postgres >= 15").triples
    [bound] = extract("Our app requires Node 20 or newer.").triples
    [amount] = extract("The archive needs 2 TB of S3 storage.").triples
    [since] = extract("We've used Redis since 2023.").triples

    assert (version.object, version.value_text, version.value_numeric) == ("postgres", ">= 15", 15)
    assert (bound.object, bound.value_text, bound.value_numeric) == ("Node", ">= 20", 20)
    assert (amount.object, amount.value_text, amount.value_numeric, amount.value_unit) == (
        "S3 storage",
        "2 TB",
        2,
        "TB",
    )
    assert since.temporal_scope == "since 2023"


def test_idioms_and_vague_things_are_no_entities():
    idle = """I use the opportunity to thank you.
    I'm using my weekend to rest.
    He runs on coffee.
    That depends on the weather.
    This contains a few problems.
    I need to run to the store.
    I love it.
    I prefer the second option.
    The meeting runs on Tuesdays."""

    assert [line for line in idle.splitlines() if stated(line)] == []


def test_advice_to_another_person_says_nothing_of_the_speaker():
    assert stated("nick42: use apt-get instead of dpkg", speaker="Ann") == set()
    assert stated("you need to install build-essential", speaker="Ann") == set()
    assert stated("try it with Docker, use Debian", speaker="Ann") == set()


def test_an_address_in_front_is_not_part_of_the_statement():
    assert stated("nick42, I use HexChat", speaker="Ann") == {"Ann uses HexChat +"}


def test_technologies_files_and_teams_are_typed_and_nothing_else_is():
    found = extract(
        "We use Postgres and Quillfeed. Ruff is configured in ruff.toml. Jo leads the infra team."
    ).entity_types

    assert {entity.name: entity.type for entity in found} == {
        "Postgres": "database",
        "Ruff": "tool",
        "ruff.toml": "file",
        "infra team": "team",
    }


def test_dutch_and_chinese_speakers_are_understood_in_the_plainest_cases():
    assert stated("We gebruiken Postgres.") == {"user uses Postgres +"}
    assert stated("Ik gebruik liever uv dan pip.") == {"user prefers uv +"}
    assert stated("Geen Docker meer.") == {"user uses Docker -"}
    assert stated("We zijn overgestapt van Jenkins naar GitLab.") == {
        "GitLab replaces Jenkins +",
        "user uses GitLab +",
        "user uses Jenkins -",
    }
    assert stated("我们不用Docker，改用Podman") == {"user uses Docker -", "user uses Podman +"}


@given(st.text(alphabet=st.sampled_from("weuse Redis,andI'm.not\n\"`:;!?-(5)ΩÉ我")), st.sampled_from(["user", "Zoë"]))
def test_every_quote_stands_in_the_message_and_every_item_in_the_vocabulary(text, speaker):
    found = extract(text, speaker)

    assert all(item.quote in text for item in (*found.triples, *found.markers))
    assert all(triple.predicate in PREDICATES and triple.polarity in (1, -1) for triple in found.triples)
    assert all(triple.subject.casefold() != triple.object.casefold() for triple in found.triples)
    assert all(marker.kind in MARKER_KINDS for marker in found.markers)


@given(st.text())
def test_no_text_is_too_strange_to_be_read_twice_alike(text):
    assert extract(text) == extract(text)
