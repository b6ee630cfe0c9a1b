"""Random small knowledge bases for property tests: three classes, two roles, three individuals."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from explainer.concepts import TOP, Concept, Exists, Name, conjunction, role_assertion
from explainer.ontology import ABox, Ontology, Range, RoleChain, RoleInclusion, Subsumption

CLASSES = ("A", "B", "C")
ROLES = ("r", "s")
INDIVIDUALS = ("x", "y", "z")

names = st.sampled_from(CLASSES).map(Name)
concepts = st.recursive(
    names | st.just(TOP),
    lambda inner: (
        st.builds(Exists, st.sampled_from(ROLES), inner) | st.lists(inner, min_size=2, max_size=2).map(conjunction)
    ),
    max_leaves=3,
)
subsumptions = st.builds(Subsumption, concepts, concepts)
role_inclusions = st.lists(st.builds(RoleInclusion, st.sampled_from(ROLES), st.sampled_from(ROLES)), max_size=1)
features = names | st.builds(role_assertion, st.sampled_from(ROLES), st.sampled_from(INDIVIDUALS))


@st.composite
def ontologies(draw: st.DrawFn) -> Ontology:
    definitions: dict[str, tuple[Concept, ...]] = {}
    axioms = draw(st.lists(subsumptions, max_size=4))
    for name in draw(st.lists(st.sampled_from(CLASSES), unique=True, max_size=2)):
        definition = draw(concepts.filter(lambda c, name=name: c not in (TOP, Name(name)) and not isinstance(c, Name)))
        definitions[name] = (definition,)
        axioms += [Subsumption(Name(name), definition), Subsumption(definition, Name(name))]
    return Ontology(
        source="random",
        iri=None,
        subsumptions=tuple(dict.fromkeys(a for a in axioms if a.sup != TOP)),
        role_inclusions=tuple(draw(role_inclusions)),
        definitions=definitions,
        abox=ABox.of({x: draw(st.lists(features, max_size=3)) for x in INDIVIDUALS}),
        classes=CLASSES,
        roles=ROLES,
    )


@st.composite
def ontologies_beyond_elh(draw: st.DrawFn) -> Ontology:
    """With ranges, role chains (transitive roles among them) and nominals as well."""
    role = st.sampled_from(ROLES)
    values = st.builds(role_assertion, role, st.sampled_from(INDIVIDUALS))
    more = draw(st.lists(st.builds(Subsumption, values, names) | st.builds(Subsumption, names, values), max_size=2))
    ontology = draw(ontologies())
    return replace(
        ontology,
        subsumptions=tuple(dict.fromkeys([*ontology.subsumptions, *more])),
        chains=tuple(draw(st.lists(st.builds(RoleChain, role, role, role), max_size=2, unique=True))),
        ranges=tuple(draw(st.lists(st.builds(Range, role, names), max_size=1))),
    )


EIGHT = tuple("stuvwxyz")


@st.composite
def learning_tasks(draw: st.DrawFn) -> tuple[Ontology, tuple[str, ...], tuple[str, ...]]:
    """Eight individuals, each a positive or a negative example."""
    features = names | st.builds(role_assertion, st.sampled_from(ROLES), st.sampled_from(EIGHT))
    abox = ABox.of({x: draw(st.lists(features, max_size=3)) for x in EIGHT})
    positives = draw(st.lists(st.sampled_from(EIGHT), unique=True, min_size=1, max_size=7))
    return replace(draw(ontologies()), abox=abox), tuple(positives), tuple(x for x in EIGHT if x not in positives)
