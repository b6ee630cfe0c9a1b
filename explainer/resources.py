"""Where the templates and demo knowledge bases are: beside the packages in a checkout, inside them when installed."""

from __future__ import annotations

from pathlib import Path


def directory(name: str) -> Path:
    """The folder `templates` or `data`."""
    package = Path(__file__).resolve().parent
    installed = package / name
    return installed if installed.is_dir() else package.parent / name


def demo_knowledge_bases() -> tuple[Path, ...]:
    """The knowledge bases that come with Whyif, in alphabetical order."""
    return tuple(sorted(directory("data").glob("*.ttl")))
