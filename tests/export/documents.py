"""Random recipes for the writers: any text, any order of times that a recipe allows."""

from typing import Any

from hypothesis import strategies as st

from cookscribe.recipe import (
    Amount,
    Candidate,
    CueEvidence,
    Evidence,
    Influence,
    MadeBy,
    Recipe,
    Servings,
    Span,
    Step,
    StepEvidence,
    Temperature,
    Timer,
    Video,
)

# Everything XML-ish, Markdown-ish, Cooklang-ish and line-ending-ish turns up often.
nasty = st.sampled_from(
    ["<b>", "&", "-->", "@salt{}", "#pot", "~{5%min}", "--", "[-", "-]", "\\", "|||", "\n", "é", "火", ";", "="]
)
words = st.lists(
    st.one_of(st.sampled_from(["chop", "the", "onion", "add 5 minutes", "salt"]), nasty), min_size=1, max_size=8
)
sentences = words.map(lambda parts: "mix " + " ".join(parts))
names = st.one_of(
    st.sampled_from(["salt", "olive oil", "onion", "<script>alert(1)</script>", "salt & pepper", "egg (large)"]),
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=12).filter(
        str.strip
    ),
)

files = st.sampled_from(["soup.mp4", "my <dinner> & more.mp4"])
probabilities = st.floats(0, 1)
spans = st.tuples(probabilities, probabilities).map(lambda pair: Span(start=min(pair), end=max(pair)))


@st.composite
def recipes(
    draw: st.DrawFn,
    names: st.SearchStrategy[str] = names,
    sentences: st.SearchStrategy[str] = sentences,
    files: st.SearchStrategy[str] = files,
) -> Recipe:
    """A valid recipe of such texts, with up to eight steps, possibly overlapping, possibly of no length."""

    def some(strategy: st.SearchStrategy[Any], most: int) -> Any:
        return st.lists(strategy, max_size=most).map(tuple)

    cues = st.builds(
        CueEvidence, span=spans, source=st.sampled_from(["heard", "read", "seen"]), text=names, confidence=probabilities
    )
    origins = st.none() | cues
    timers = st.builds(Timer, seconds=st.integers(1, 9000).map(float), most=st.none() | st.just(9e3), origin=origins)
    heats = st.builds(
        Temperature, degrees=st.integers(-18, 500).map(float), scale=st.none() | st.sampled_from("CF"), origin=origins
    )
    influences = some(st.builds(Influence, name=names, weight=probabilities), 2)
    duration = draw(st.floats(1, 20_000))
    ingredients = tuple(draw(st.lists(names, max_size=5, unique=True)))
    steps = []
    for start in sorted(draw(st.lists(probabilities, max_size=8))):
        end = start + (1 - start) * draw(probabilities)
        steps.append(
            Step(
                span=Span(start=start * duration, end=end * duration),
                sentence=draw(sentences),
                confidence=draw(st.none() | probabilities),
                ingredients=tuple(draw(st.lists(st.sampled_from(ingredients), unique=True)) if ingredients else ()),
                actions=draw(some(names, 3)),
                picture=draw(st.none() | st.just(start * duration)),
                timers=draw(some(timers, 2)),
                temperatures=draw(some(heats, 2)),
            )
        )
    amounts = st.builds(
        Amount,
        ingredient=st.sampled_from(ingredients or ("salt",)),
        quantity=st.sampled_from(["", "2", "1 1/2", "2-3", "a few", "{}%<b>"]),
        unit=st.sampled_from(["", "tbsp", "(14 oz) can", "pinch", "@#~"]),
        origin=origins,
    )
    evidence = None
    if draw(st.booleans()):
        seen = st.builds(
            StepEvidence,
            event_probability=st.none() | probabilities,
            actions=influences,
            ingredients=influences,
            change=st.just(tuple(0.1 * n for n, _ in enumerate(ingredients))),
        )
        chosen = (Candidate(span=step.span, score=0.5, step=n) for n, step in enumerate(steps))
        others = st.builds(Candidate, span=spans, score=probabilities, caption=names)
        evidence = Evidence(
            candidates=(*chosen, *draw(some(others, 2))),
            steps=tuple(draw(seen) for _ in steps),
            cues=draw(some(cues, 3)),
        )
    return Recipe(
        title=draw(names),
        ingredients=ingredients,
        amounts=draw(some(amounts, 4)),
        servings=draw(st.none() | st.builds(Servings, people=st.integers(1, 12), origin=origins)),
        total_time=draw(st.none() | timers),
        steps=tuple(steps),
        video=Video(name=draw(files), duration=duration, url=draw(st.none() | st.just("https://example.org/soup?a=1"))),
        made_by=MadeBy(version=draw(st.just("") | names), model="kitchen", simulated=draw(st.booleans())),
        evidence=evidence,
        warnings=draw(some(names, 2)),
    )


def soup() -> Recipe:
    """A small fixed recipe with an overlap, a short step, amounts, a timer and evidence."""
    heard = CueEvidence(span=Span(start=33, end=35), source="heard", text="two tablespoons of butter")
    steps = (
        Step(span=Span(start=12.5, end=30), sentence="chop the onion", confidence=0.9, ingredients=("onion",)),
        Step(
            span=Span(start=34, end=60.25),
            sentence="fry it in butter for 5 minutes",
            confidence=0.3,
            ingredients=("butter",),
            timers=(Timer(seconds=300.0),),
        ),
        Step(span=Span(start=58, end=61), sentence="add salt & pepper", ingredients=("salt",)),
        Step(
            span=Span(start=80, end=118),
            sentence="pour in the stock and simmer",
            ingredients=("stock", "onion"),
            timers=(Timer(seconds=1200.0, most=1800.0),),
            temperatures=(Temperature(degrees=190.0, scale="C"),),
        ),
    )
    return Recipe(
        title="Onion soup",
        ingredients=("onion", "butter", "salt", "stock"),
        amounts=(
            Amount(ingredient="onion", quantity="1/2"),
            Amount(ingredient="butter", quantity="2", unit="tbsp", origin=heard),
            Amount(ingredient="butter", quantity="1", unit="tbsp"),
        ),
        servings=Servings(people=4, most=6),
        total_time=Timer(seconds=2700.0),
        steps=steps,
        video=Video(name="soup.mp4", duration=120.0),
        made_by=MadeBy(version="1", model="kitchen", simulated=True),
        evidence=Evidence(
            candidates=(
                *(Candidate(span=step.span, score=0.8, step=n) for n, step in enumerate(steps)),
                Candidate(span=Span(start=5, end=20), score=0.2, caption="peel the onion"),
            ),
            steps=tuple(
                StepEvidence(
                    event_probability=0.6, actions=(Influence(name="chop", weight=0.5),), change=(0.1, 0.2, 0.0, 0.4)
                )
                for _ in steps
            ),
            cues=(heard, CueEvidence(span=Span(start=80, end=84), source="read", text="<b>stock</b>", confidence=0.8)),
        ),
        warnings=("the sound was not used",),
    )
