"""English verb forms, made from the base form: enough for cooking verbs, regular and irregular."""

import re
from enum import Enum

_VOWELS = "aeiou"


class Form(Enum):
    """What a form of a verb is: chop, chops, chopping, chopped."""

    BASE = "base"
    THIRD = "third"
    ING = "ing"
    PAST = "past"


def _pasts(table: str) -> dict[str, tuple[str, ...]]:
    """Base form and its pasts, of entries "bite bit bitten" between commas."""
    return {verb: tuple(pasts) for verb, *pasts in map(str.split, table.split(","))}


# Pasts and participles that the rules below would not make. Verbs that stay the same are listed with themselves.
_IRREGULAR_PAST = _pasts(
    """
    beat beat beaten, become became become, begin began begun, bend bent, bind bound, bite bit bitten, blow blew
    blown, break broke broken, bring brought, build built, burn burned burnt, burst burst, buy bought, catch caught,
    choose chose chosen, cling clung, come came come, cut cut, dig dug, do did done, draw drew drawn, drink drank
    drunk, eat ate eaten, fall fell fallen, feed fed, find found, fling flung, freeze froze frozen, get got gotten,
    give gave given, go went gone, grind ground, grow grew grown, hang hung hanged, hit hit, hold held, keep kept,
    lay laid, leave left, let let, light lit lighted, make made, put put, rise rose risen, run ran run, saw sawed
    sawn, set set, sew sewed sewn, shake shook shaken, shave shaved shaven, shrink shrank shrunk shrunken, shred
    shredded shred, shut shut, sit sat, slide slid, slit slit, spin spun, spill spilled spilt, split split, spread
    spread, stand stood, stick stuck, strew strewed strewn, strike struck, string strung, sweep swept, swell swelled
    swollen, swing swung, take took taken, tear tore torn, throw threw thrown, wet wet wetted, wind wound, wring
    wrung
    """
)
# Stress on the last syllable doubles the consonant; English spelling does not show stress, so these are named.
_DOUBLING = frozenset({"begin", "transfer", "unwrap", "rewrap", "reset"})
# Spellings that no rule gives, common misspellings among them.
_OWN_SPELLING: dict[str, dict[Form, tuple[str, ...]]] = {
    "saute": {Form.ING: ("sauteing", "sauteeing"), Form.PAST: ("sauteed", "saute")},
    "sautee": {Form.ING: ("sauteeing",), Form.PAST: ("sauteed",)},
    "puree": {Form.ING: ("pureeing", "pureing"), Form.PAST: ("pureed",)},
    "flambe": {Form.ING: ("flambeing",), Form.PAST: ("flambeed", "flambe")},
    "tie": {Form.ING: ("tying",)},
    "dye": {Form.ING: ("dyeing",)},
    "singe": {Form.ING: ("singeing",)},
    "marinate": {Form.PAST: ("marinated", "marinaded"), Form.ING: ("marinating", "marinading")},
    "refrigerate": {Form.BASE: ("refrigerate", "refridgerate"), Form.PAST: ("refrigerated", "refridgerated")},
}


def verb_forms(verb: str) -> dict[str, Form]:
    """All written forms of a verb with what they are; of equal forms (cut, cut) the earlier kind in `Form` stays.

    A hyphenated verb is inflected at its last part: "stir-fry" has "stir-fried".
    """
    first, hyphen, last = verb.rpartition("-")
    own = _OWN_SPELLING.get(last, {})
    forms: dict[str, Form] = {}
    for kind, made in (
        (Form.BASE, (last,)),
        (Form.THIRD, (_third(last),)),
        (Form.ING, (_with_suffix(last, "ing"),)),
        (Form.PAST, _IRREGULAR_PAST.get(last) or (_with_suffix(last, "ed"),)),
    ):
        for form in own.get(kind, made):
            forms.setdefault(first + hyphen + form, kind)
    return forms


def _third(verb: str) -> str:
    if re.search(rf"[^{_VOWELS}]y$", verb):
        return verb[:-1] + "ies"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb + "s"


def _with_suffix(verb: str, suffix: str) -> str:
    if suffix == "ed" and re.search(rf"[^{_VOWELS}]y$", verb):
        return verb[:-1] + "ied"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + suffix
    if verb.endswith("e") and suffix == "ed":
        return verb + "d"
    if verb in _DOUBLING or re.fullmatch(rf"[^{_VOWELS}]*(?:qu)?[{_VOWELS}y][^{_VOWELS}wxy]", verb):
        return verb + verb[-1] + suffix
    return verb + suffix
