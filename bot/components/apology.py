"""The policy that speaks when an action could not."""

from __future__ import annotations

from typing import Any

from rasa.core.featurizers.precomputation import MessageContainerForCoreFeaturization
from rasa.core.policies.policy import Policy, PolicyPrediction, SupportedData
from rasa.engine.graph import ExecutionContext
from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.engine.storage.resource import Resource
from rasa.engine.storage.storage import ModelStorage
from rasa.shared.core.constants import ACTION_LISTEN_NAME
from rasa.shared.core.domain import Domain
from rasa.shared.core.events import BotUttered, UserUttered
from rasa.shared.core.generator import TrackerWithCachedStates
from rasa.shared.core.trackers import DialogueStateTracker

APOLOGY = "utter_unavailable"
_ABOVE_RULES = 7  # RulePolicy has priority 6
_SILENT_BY_NATURE = {ACTION_LISTEN_NAME, "action_session_start", "action_restart"}


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.POLICY_WITHOUT_END_TO_END_SUPPORT, is_trainable=True)
class ApologyPolicy(Policy):
    """Predicts an apology where an action has run and nothing was said.

    Every action of Whyif says something. When the action server does not answer, Rasa logs the failure and goes on in
    silence; on every channel this policy then tells the person so, who would else wait for nothing.
    """

    @staticmethod
    def supported_data() -> SupportedData:
        """Nothing is learned from stories, so there is no need for any."""
        return SupportedData.ML_AND_RULE_DATA

    @staticmethod
    def get_default_config() -> dict[str, Any]:
        """Above the rules, whose turn it would be."""
        return {"priority": _ABOVE_RULES}

    def __init__(
        self,
        config: dict[str, Any],
        model_storage: ModelStorage,
        resource: Resource,
        execution_context: ExecutionContext,
    ) -> None:
        super().__init__(config, model_storage, resource, execution_context)

    @classmethod
    def load(
        cls,
        config: dict[str, Any],
        model_storage: ModelStorage,
        resource: Resource,
        execution_context: ExecutionContext,
        **kwargs: Any,
    ) -> ApologyPolicy:
        """Nothing was stored."""
        return cls(config, model_storage, resource, execution_context)

    def train(self, training_trackers: list[TrackerWithCachedStates], domain: Domain, **kwargs: Any) -> Resource:
        """Nothing to learn."""
        return self._resource

    def predict_action_probabilities(
        self,
        tracker: DialogueStateTracker,
        domain: Domain,
        rule_only_data: dict[str, Any] | None = None,
        precomputations: MessageContainerForCoreFeaturization | None = None,
        **kwargs: Any,
    ) -> PolicyPrediction:
        """The apology after a silent action, listening after the apology, else no opinion."""
        action = _next_action(tracker)
        if action is None:
            return self._prediction(self._default_predictions(domain))
        probabilities = self._default_predictions(domain)
        probabilities[domain.index_for_action(action)] = 1.0
        return self._prediction(probabilities)


def _next_action(tracker: DialogueStateTracker) -> str | None:
    latest: str | None = tracker.latest_action_name
    if latest == APOLOGY:
        return str(ACTION_LISTEN_NAME)
    if latest is None or latest in _SILENT_BY_NATURE or not latest.startswith("action_"):
        return None
    said = next(e for e in reversed(tracker.applied_events()) if isinstance(e, (BotUttered, UserUttered)))
    return APOLOGY if isinstance(said, UserUttered) else None
