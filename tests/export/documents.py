"""Random recipes for the writers: any text, any order of times that a recipe allows."""

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

origins = st.none() | st.builds(
    CueEvidence,
    span=st.floats(0, 1).map(lambda start: Span(start=start, end=start)),
    source=st.sampled_from(["heard", "read"]),
    text=names,
)
timers = st.builds(Timer, seconds=st.integers(1, 9000).map(float), most=st.none() | st.just(9000.0), origin=origins)
heats = st.builds(Temperature, degrees=st.integers(0, 500).map(float), scale=st.none() | st.just("C"), origin=origins)


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """A valid recipe with up to eight steps, possibly overlapping, possibly of no length."""
    duration = draw(st.floats(1, 20_000))
    ingredients = tuple(draw(st.lists(names, max_size=5, unique=True)))
    times = sorted(draw(st.lists(st.floats(0, 1), max_size=8)))
    steps = []
    for start in times:
        end = start + (1 - start) * draw(st.floats(0, 1))
        steps.append(
            Step(
                span=Span(start=start * duration, end=end * duration),
                sentence=draw(sentences),
                confidence=draw(st.none() | st.floats(0, 1)),
                ingredients=tuple(draw(st.lists(st.sampled_from(ingredients), unique=True)) if ingredients else ()),
                timers=tuple(draw(st.lists(timers, max_size=1))),
                temperatures=tuple(draw(st.lists(heats, max_size=1))),
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
        evidence = Evidence(
            candidates=tuple(Candidate(span=step.span, score=0.5, step=n) for n, step in enumerate(steps)),
            steps=tuple(
                StepEvidence(
                    event_probability=0.4,
                    actions=(Influence(name="chop", weight=0.7),),
                    change=tuple(0.1 * n for n, _ in enumerate(ingredients)),
                )
                for _ in steps
            ),
        )
    return Recipe(
        title=draw(names),
        ingredients=ingredients,
        amounts=tuple(draw(st.lists(amounts, max_size=4))),
        servings=draw(st.none() | st.builds(Servings, people=st.integers(1, 12), origin=origins)),
        total_time=draw(st.none() | timers),
        steps=tuple(steps),
        video=Video(name=draw(st.sampled_from(["soup.mp4", "my <dinner> & more.mp4"])), duration=duration),
        made_by=MadeBy(model="kitchen", simulated=draw(st.booleans())),
        evidence=evidence,
        warnings=tuple(draw(st.lists(names, max_size=2))),
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
