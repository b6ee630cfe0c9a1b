"""Random small knowledge bases for property tests: three classes, two roles, three individuals."""

from __future__ import annotations

from hypothesis import strategies as st

from explainer.concepts import TOP, Concept, Exists, Name, conjunction, role_assertion
from explainer.ontology import ABox, Ontology, RoleInclusion, Subsumption

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
