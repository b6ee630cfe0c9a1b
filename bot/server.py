"""Runs rasa-sdk's action server on loopback with the knowledge bases loaded beforehand: `python -m bot.server PORT`."""

from __future__ import annotations

import os
import sys

from rasa_sdk import endpoint

from explainer import catalog


def main() -> None:
    """Load everything that the first question would else wait for, then serve."""
    for served in catalog.served():
        _ = served.kb
    catalog.name_index()
    os.environ.setdefault("SANIC_HOST", "127.0.0.1")
    endpoint.run("actions", port=int(sys.argv[1]), cors_origins=[])


if __name__ == "__main__":
    main()
