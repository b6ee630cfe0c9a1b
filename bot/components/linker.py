"""The NLU component that finds the names of the knowledge bases in what people say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rasa.engine.graph import ExecutionContext, GraphComponent
from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.engine.storage.resource import Resource
from rasa.engine.storage.storage import ModelStorage
from rasa.nlu.constants import TOKENS_NAMES
from rasa.nlu.extractors.extractor import EntityExtractorMixin
from rasa.nlu.tokenizers.tokenizer import Token, Tokenizer
from rasa.nlu.utils import write_json_to_file
from rasa.shared.exceptions import InvalidConfigException
from rasa.shared.nlu.constants import ENTITIES, TEXT
from rasa.shared.nlu.training_data.message import Message
from rasa.shared.nlu.training_data.training_data import TrainingData
from rasa.shared.utils.io import read_json_file
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from bot.components.linking import Linker, Mention, pronouns
from explainer.catalog import name_index
from explainer.names import normalise

_TOKENS = TOKENS_NAMES[TEXT]
_VOCABULARY_FILE = "vocabulary.json"


# a tokenizer too, in Rasa's terms: only then does the recipe have it process the training data
@DefaultV1Recipe.register(
    [DefaultV1Recipe.ComponentType.MESSAGE_TOKENIZER, DefaultV1Recipe.ComponentType.ENTITY_EXTRACTOR],
    is_trainable=True,
)
class KnowledgeBaseLinker(GraphComponent, EntityExtractorMixin):
    """Links names to IRIs, and hides them from the intent classifier.

    Names are read from the knowledge bases when Rasa starts, so a model serves any knowledge base: in training and in
    use alike every name becomes one token whose lemma says only what kind of name it was ("xindividual"). Each reading
    of a name is an entity `individual` or `concept` with the IRI as its value; several readings share a span. A name
    that no knowledge base has is an entity `unknown`, a word that points back a `pronoun`, with the words as value.
    """

    @classmethod
    def required_components(cls) -> list[type]:
        """Needs tokens."""
        return [Tokenizer]

    def __init__(
        self, config: dict[str, Any], model_storage: ModelStorage, resource: Resource, vocabulary: list[str]
    ) -> None:
        unknown = set(config) - set(self.get_default_config()) - {"name"}
        if unknown:
            raise InvalidConfigException(f"{type(self).__name__} has no option {', '.join(sorted(unknown))}.")
        self._model_storage = model_storage
        self._resource = resource
        self._linker = Linker(name_index(), vocabulary)

    @classmethod
    def create(
        cls,
        config: dict[str, Any],
        model_storage: ModelStorage,
        resource: Resource,
        execution_context: ExecutionContext,
    ) -> KnowledgeBaseLinker:
        """A linker that is yet to be trained."""
        return cls(config, model_storage, resource, [])

    @classmethod
    def load(
        cls,
        config: dict[str, Any],
        model_storage: ModelStorage,
        resource: Resource,
        execution_context: ExecutionContext,
        **kwargs: Any,
    ) -> KnowledgeBaseLinker:
        """A linker with the vocabulary of a trained model and the names of today's knowledge bases."""
        with model_storage.read_from(resource) as directory:
            return cls(config, model_storage, resource, read_json_file(directory / _VOCABULARY_FILE))

    def train(self, training_data: TrainingData) -> Resource:
        """Learn the words that questions are made of: all that is not part of a name."""
        words = {
            normalise(token.text)
            for example in training_data.training_examples
            for token in example.get(_TOKENS) or []
            if not any(_overlap(token, entity) for entity in example.get(ENTITIES, []))
        }
        vocabulary = sorted((words | ENGLISH_STOP_WORDS) - {""})
        with self._model_storage.write_to(self._resource) as directory:
            write_json_to_file(directory / _VOCABULARY_FILE, vocabulary)
        return self._resource

    def process_training_data(self, training_data: TrainingData) -> TrainingData:
        """Hide the annotated names."""
        for example in training_data.training_examples:
            tokens = example.get(_TOKENS)
            if tokens:
                spans = [(e["start"], e["end"], e["entity"]) for e in example.get(ENTITIES, [])]
                spans += _spans(pronouns([token.text for token in tokens]), tokens)
                example.set(_TOKENS, list(_masked(tokens, spans, {})))
        return training_data

    def process(self, messages: list[Message]) -> list[Message]:
        """Link and hide the names in messages."""
        for message in messages:
            tokens = message.get(_TOKENS)
            if not tokens:
                continue
            linked = self._linker.link([token.text for token in tokens])
            text = message.get(TEXT)
            entities = [e for m in linked.mentions for e in _entities(m, tokens, text)]
            message.set(ENTITIES, message.get(ENTITIES, []) + self.add_extractor_name(entities), add_to_output=True)
            message.set(_TOKENS, list(_masked(tokens, _spans(linked.mentions, tokens), linked.spelling)))
        return messages


_FEATURISED_AS = {"pronoun": "xindividual", "individual": "xindividual", "concept": "xconcept", "unknown": "xunknown"}


def _entities(mention: Mention, tokens: list[Token], text: str) -> Iterator[dict[str, Any]]:
    start, end = tokens[mention.start].start, tokens[mention.end - 1].end
    readings: list[tuple[str, str]] = [(entry.kind, entry.iri) for entry in mention.entries]
    for kind, value in readings or [(mention.kind, text[start:end])]:
        yield {"entity": kind, "value": value, "start": start, "end": end, "confidence_entity": 1.0}


def _spans(mentions: Iterable[Mention], tokens: list[Token]) -> list[tuple[int, int, str]]:
    return [(tokens[m.start].start, tokens[m.end - 1].end, m.kind) for m in mentions]


def _masked(tokens: list[Token], spans: list[tuple[int, int, str]], spelling: dict[int, str]) -> Iterator[Token]:
    """The tokens with each span made one token that is featurised as the kind of its name."""
    begun = set()
    for i, token in enumerate(tokens):
        span = next((s for s in spans if s[0] < token.end and token.start < s[1]), None)
        if span is None:
            word = spelling.get(i, normalise(token.text))
            yield Token(token.text, token.start, token.end, lemma=word.replace("'", "").replace("’", ""))
        elif span not in begun:
            begun.add(span)
            yield Token(token.text, span[0], span[1], lemma=_FEATURISED_AS[span[2]])


def _overlap(token: Token, entity: dict[str, Any]) -> bool:
    return bool(entity["start"] < token.end and token.start < entity["end"])
