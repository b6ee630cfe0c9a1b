"""Runs rasa-sdk's action server on loopback with the knowledge bases loaded beforehand: `python -m bot.server PORT`."""

from __future__ import annotations

import os
import sys

from rasa_sdk import endpoint

from explainer import catalog, speech
from explainer.suggestions import suggest


def main() -> None:
    """Load everything that the first question would else wait for, then serve."""
    catalog.name_index()
    for suggestion in suggest(limit=2 * len(catalog.served())):
        if suggestion.individual and suggestion.concept:
            explanation = suggestion.home.explain(suggestion.individual, suggestion.concept)
            speech.first_answer(suggestion.home.say, explanation, asked_why_not=False)
    os.environ.setdefault("SANIC_HOST", "127.0.0.1")
    endpoint.run("actions", port=int(sys.argv[1]), cors_origins=[])


if __name__ == "__main__":
    main()
