"""Runs Rasa's shell: `python -m bot.shell` takes the arguments of `rasa shell`.

Ctrl-C at a choice of buttons ends the shell; Rasa 3.6 by itself fails there and then hangs.
"""

from __future__ import annotations

import sys

from questionary import Question
from rasa.__main__ import main as rasa
from rasa.cli import utils

_choose = utils.payload_from_button_question


async def _choose_or_stop(question: Question) -> str:
    try:
        return str(await _choose(question))
    except AttributeError:  # nothing was chosen
        return "/stop"


def main() -> None:
    """Run `rasa shell`."""
    utils.payload_from_button_question = _choose_or_stop
    sys.argv[1:1] = ["shell"]
    rasa()


if __name__ == "__main__":
    main()
