"""The `whyif` command. Exit status: 0 done, 1 a server failed, 2 something the person can mend (said in one line)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from explainer.errors import WhyifError

if TYPE_CHECKING:
    from explainer.names import NameIndex
    from explainer.reasoner import KnowledgeBase

app = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Ask a knowledge base why. Without a command: chat.",
)

KbOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--kb",
        metavar="FILE",
        help="A knowledge base (RDF or OWL); may be given several times. Default: the demo ones.",
    ),
]

LearnedOption = Annotated[
    list[Path] | None,
    typer.Option("--learned", metavar="FILE", help="Learned rules to explain by, as `whyif learn -o` writes them."),
]


def main() -> None:
    """Entry point: no command means `chat`; errors that the person can mend are one line and exit status 2."""
    arguments = sys.argv[1:]
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("--help", "-h")):
        arguments = ["chat", *arguments]
    try:
        app(arguments, prog_name="whyif")
    except WhyifError as error:
        print(f"whyif: {error}", file=sys.stderr)
        sys.exit(2)


@app.command()
def chat(
    kb: KbOption = None,
    learned: LearnedOption = None,
    port: Annotated[int, typer.Option(metavar="N", min=1, max=65535, help="The port that Rasa answers on.")] = 5005,
) -> None:
    """Train if needed, start everything, and stay until Ctrl-C."""
    from rich.console import Console

    from bot import services

    console = Console(highlight=False)
    kbs = _checked(kb, learned)
    services.require_free(port)
    _end_on_signals()
    model = _trained(console)
    actions_port = services.free_port()
    actions = services.action_server(kbs, actions_port, learned or ())
    rasa = services.rasa_server(kbs, model, port, actions_port)
    stopped = threading.Event()
    try:
        with services.running([actions, rasa]):
            with console.status("Starting the action server …"):
                actions.wait_until_ready()
            with console.status("Starting Rasa (half a minute) …"):
                rasa.wait_until_ready()
            services.watch(actions, stopped)
            _say_where(console, kbs, port)
            while rasa.running():
                stopped.wait(0.3)
            print("whyif: Rasa has ended unexpectedly; its log is in " + str(services.home() / "logs"), file=sys.stderr)
            sys.exit(1)
    except KeyboardInterrupt:
        console.print("\nGoodbye.")
    finally:
        stopped.set()


@app.command()
def shell(kb: KbOption = None, learned: LearnedOption = None) -> None:
    """The same conversation in the terminal: a Rasa shell. Leave it with /stop."""
    from rich.console import Console

    from bot import services

    console = Console(highlight=False)
    kbs = _checked(kb, learned)
    model = _trained(console)
    actions_port = services.free_port()
    actions = services.action_server(kbs, actions_port, learned or ())
    stopped = threading.Event()
    _end_on_signals()
    try:
        with services.running([actions]):
            with console.status("Starting the action server …"):
                actions.wait_until_ready()
            services.watch(actions, stopped)
            environment = {
                **services.environment(kbs, actions_port),
                "LOG_LEVEL": "ERROR",
                "LOG_LEVEL_LIBRARIES": "ERROR",
            }
            command = services.shell_command(model, services.free_port())
            sys.exit(subprocess.run(command, env=environment, cwd=services.home()).returncode)
    except KeyboardInterrupt:
        console.print("\nGoodbye.")
    finally:
        stopped.set()


@app.command()
def explain(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="A knowledge base (RDF or OWL).")],
    individual: Annotated[str, typer.Argument(help="Its IRI, fragment or label.")],
    concept: Annotated[str, typer.Argument(help='A class by the same, or an expression such as "A and (r some B)".')],
    add: Annotated[bool, typer.Option("--add", help="Ask how it could become so.")] = False,
    distance: Annotated[str, typer.Option(metavar="assertions|names", help="What counts as a change.")] = "assertions",
    against: Annotated[str, typer.Option(metavar="negatives|others", help="Whom to compare with.")] = "negatives",
    among: Annotated[str | None, typer.Option(metavar="CLASS", help="Compare with its instances only.")] = None,
    rank: Annotated[str, typer.Option(metavar="min|mean", help="What decides between equal distances.")] = "min",
    top: Annotated[int, typer.Option(metavar="N", min=0, help="How many counterfactuals.")] = 3,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A class or role that may not change; may be repeated.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A class or role that alone may change, with what follows; may be repeated."),
    ] = None,
    max_changes: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The greatest number of changed features.")
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=N", help="What a change of a class or role costs, 1 by default; may be repeated."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the knowledge base of each counterfactual there.")
    ] = None,
    learned: LearnedOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with everything.")] = False,
) -> None:
    """Explain once, without a conversation: why INDIVIDUAL is a CONCEPT, or why not."""
    from explainer import counterfactuals, speech
    from explainer.concepts import TOP
    from explainer.manchester import parse_concept
    from explainer.names import NameIndex
    from explainer.verbalise import Verbaliser

    for option, value, allowed in (
        ("--distance", distance, ("assertions", "names")),
        ("--against", against, ("negatives", "others")),
        ("--rank", rank, ("min", "mean")),
    ):
        if value not in allowed:
            raise WhyifError(f"{option} takes {' or '.join(allowed)}, not “{value}”")
    loaded = _loaded(kb, learned)
    names = NameIndex([loaded.ontology])
    asked = parse_concept(concept, names)
    request = counterfactuals.Request(
        individual=names.resolve(individual, "individual"),
        concept=asked,
        rule=loaded.ontology.rule(asked),
        reading=distance,  # type: ignore[arg-type]
        against=against,  # type: ignore[arg-type]
        among=parse_concept(among, names) if among else TOP,
        rank=rank,  # type: ignore[arg-type]
        add=add,
        keep=frozenset(names.resolve_feature(name) for name in keep or ()),
        only=frozenset(names.resolve_feature(name) for name in only) if only else None,
        max_changes=max_changes,
        weights=tuple(_weight(text, names) for text in weight or ()),
    )
    explanation = counterfactuals.explain(loaded, request)
    say = Verbaliser(loaded)
    if as_json:
        _print_json(speech.as_json(say, explanation, concept))
    else:
        print(speech.answer(say, explanation, top))
    if save:
        from explainer import saving

        for path in saving.save(loaded, kb, explanation, save, top):
            print(f"whyif: wrote {path}", file=sys.stderr)


@app.command()
def learn(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="A knowledge base (RDF or OWL).")],
    target: Annotated[
        str | None, typer.Argument(metavar="CLASS", help="Its IRI, fragment or label; it is hidden while learning.")
    ] = None,
    positive: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Positive examples; may be repeated. Default: the instances of CLASS."),
    ] = None,
    negative: Annotated[
        list[str] | None,
        typer.Option(metavar="C,D", help="Negative examples; may be repeated. Default: the others of their kind."),
    ] = None,
    siblings: Annotated[
        bool, typer.Option("--siblings", help="Take as negatives those of the nearest superclass only.")
    ] = False,
    among: Annotated[str | None, typer.Option(metavar="CLASS", help="Take its instances as examples only.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Learn every class that has two instances or more.")] = False,
    length: Annotated[int, typer.Option(metavar="N", min=1, help="The greatest length of a rule, in symbols.")] = 15,
    time: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="The time for a class.")] = 5.0,
    noise: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=0.5, help="The share of errors allowed in a shorter rule.")
    ] = 0.0,
    cross_validate: Annotated[
        int | None, typer.Option(metavar="K", min=2, help="Report the accuracy on unseen examples, in K parts.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write what was learned as OWL definitions.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with everything.")] = False,
) -> None:
    """Learn from examples what makes something an instance of CLASS."""
    from bot import learning
    from explainer import saving, speech
    from explainer.learning import Limits, cross_validated
    from explainer.names import NameIndex
    from explainer.verbalise import Verbaliser

    if output:
        learning.require_writable(output)
    loaded = _loaded(kb)
    names = NameIndex([loaded.ontology])
    if every:
        tasks = learning.every_class(loaded, siblings, among, names)
    else:
        tasks = [learning.examples(loaded, names, target, positive or (), negative or (), siblings, among)]
    limits = Limits(length=length, seconds=time, noise=noise)
    validated = [cross_validated(loaded, task, cross_validate, limits) if cross_validate else () for task in tasks]
    rules = learning.learned(loaded, tasks, limits)
    if output:
        kept = [rule for rule in rules if rule.found and (rule.useful or not every)]
        saving.save_rules(kept, kb, output)
        print(f"whyif: wrote {len(kept)} definition{'s' if len(kept) != 1 else ''} to {output}", file=sys.stderr)
    say = Verbaliser(loaded)
    found = [speech.rule_as_json(say, *pair, names) for pair in zip(rules, validated, strict=True)]
    if as_json:
        _print_json(found if every else found[0])
    else:
        print(speech.rules_report(found) if every else speech.rule_report(found[0]))


@app.command()
def check(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="A knowledge base (RDF or OWL).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what was read from a knowledge base, and what was left out and why."""
    from explainer import speech
    from explainer.owl import load_ontology

    ontology = load_ontology(kb)
    if as_json:
        _print_json(speech.report_as_json(ontology))
    else:
        print(speech.report(ontology))


def _weight(text: str, names: NameIndex) -> tuple[str, int]:
    name, _, number = text.rpartition("=")
    if not number.isdecimal() or int(number) < 1:
        raise WhyifError(f"--weight takes NAME=N with a whole number N from 1 on, not “{text}”")
    return names.resolve_feature(name), int(number)


def _checked(kbs: list[Path] | None, learned: list[Path] | None) -> list[Path]:
    """The knowledge bases to serve, each read once so that a bad file is reported before anything starts."""
    from explainer.catalog import require_rules_about
    from explainer.resources import demo_knowledge_bases

    paths = list(kbs or demo_knowledge_bases())
    classes = {iri for path in paths for iri in _loaded(path).ontology.classes}
    for path in learned or ():
        require_rules_about(path, classes)
    return paths


def _loaded(path: Path, learned: list[Path] | None = None) -> KnowledgeBase:
    from explainer.catalog import load, require_rules_about
    from explainer.reasoner import KnowledgeBase

    loaded = KnowledgeBase.of(load(path, learned or ()))
    for rules in learned or ():
        require_rules_about(rules, loaded.ontology.classes)
    return loaded


def _trained(console: Any) -> Path:
    from bot import services

    if services.model_path().exists():
        return services.train()
    with console.status("Training the language model (once, under a minute) …"):
        path = services.train()
    console.print("Trained the language model.")
    return path


def _say_where(console: Any, kbs: list[Path], port: int) -> None:
    url = f"http://localhost:{port}/webhooks/rest/webhook"
    console.print(f"Whyif is ready and knows {' and '.join(path.stem for path in kbs)}. Chat")
    console.print(f"  in a terminal:  {'uv run ' if 'UV' in os.environ else ''}whyif shell", soft_wrap=True)
    console.print(f"  over REST:      {url}", soft_wrap=True)
    console.print(
        f'                  curl -s {url} -d \'{{"sender": "me", "message": "What can I ask?"}}\'',
        soft_wrap=True,
        markup=False,
    )
    console.print("Ctrl-C ends it.")


def _end_on_signals() -> None:
    """A closed terminal or a polite kill ends Whyif like Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, interrupt)


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
