import pytest

from hymem.errors import ModelRefusedError
from hymem.models.chat import ChatReply, ChatRequest, LLMClient
from hymem.models.embedding import EmbeddingClient
from hymem.testing import HashedWordsEmbedder, ScriptedModel


def about(text: str) -> ChatRequest:
    return ChatRequest("extraction", "two words", "and three more", material={"text": text})


def test_a_scripted_model_is_a_client_that_answers_from_its_script_and_counts_words_as_tokens():
    model = ScriptedModel({"hello": {"triples": []}, "bye": "some text"}, model="script-1")

    assert isinstance(model, LLMClient)
    assert model.complete(about("hello")) == ChatReply('{"triples": []}', "script-1", 5, 2)
    assert model.complete(about("bye")).text == "some text"
    assert model.requests == [about("hello"), about("bye")]


def test_a_scripted_model_can_fail_and_can_be_a_function():
    with pytest.raises(ModelRefusedError):
        ScriptedModel({"hello": ModelRefusedError("no")}).complete(about("hello"))
    assert ScriptedModel(str.upper).complete(about("hello")).text == "HELLO"
    assert ScriptedModel(str.upper).complete(ChatRequest("summary", "", "the user part")).text == "THE USER PART"


def test_what_is_not_scripted_is_an_error_unless_there_is_an_answer_for_others():
    with pytest.raises(LookupError, match="nothing is scripted for 'hello'"):
        ScriptedModel({}).complete(about("hello"))
    assert ScriptedModel({}, others="").complete(about("hello")).text == ""


def test_a_hashed_words_embedder_finds_texts_as_near_as_they_share_words():
    model = HashedWordsEmbedder()
    asked, near, far = model.embed(["We use Redis", "redis, we use", "cats sleep all day"])

    assert isinstance(model, EmbeddingClient)
    assert asked @ near == pytest.approx(1.0, abs=1e-6)
    assert asked @ far < 0.5
    assert model.embed(["", "…"]).shape == (2, 256)
    assert model.requests == [["We use Redis", "redis, we use", "cats sleep all day"], ["", "…"]]


def test_a_hashed_words_embedder_fails_as_long_as_it_is_told_to():
    model = HashedWordsEmbedder(trouble=ModelRefusedError("no"))
    with pytest.raises(ModelRefusedError):
        model.embed(["a"])
    model.trouble = None
    assert model.embed([]).shape == (0, 256)
