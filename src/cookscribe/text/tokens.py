"""Penn Treebank tokens as caption evaluators see them, without Java.

Published scores are computed on the tokens of one particular Java program, in lower case and without punctuation. This
module was written from that program's observable behaviour alone: what it prints for made-up probes gave the rules and
the lists of words below, and what it prints for real sentences checks them.

The program reads from left to right and takes, at each place, the longest piece that any rule accepts; of two equally
long pieces the rule named first wins. A rule may look ahead: what it has to see behind the token counts towards the
length, yet is read again for the next token. Here a rule is a regular expression whose whole match is the piece, and
whose first group, where it has one, is the token.
"""

import re
from functools import lru_cache

PUNCTUATION = frozenset(["''", "'", "`", "``", ".", "?", "!", ",", ":", "-", "--", "...", ";"])
"""Tokens that evaluators drop. Brackets survive: their names are looked up in capitals, which no token has."""


def word_set(words: str) -> frozenset[str]:
    """The words of a text with blanks between them."""
    return frozenset(words.split())


def _any_of(words: str) -> str:
    return "(?:" + "|".join(words.split()) + ")"


# Abbreviations keep their full stop. These may end a sentence: they look at one more character, so that no longer word
# such as `etc.x` is made of them.
_CLOSING = _any_of(
    "al ala apr ariz assn aug bancorp bhd bldg blvd bros calif co colo conn corp cos ct dak dec esq est etc ext "
    "feb fla fri ga inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn mo mon mont neb nev nov oct okla "
    "penn plc pte pty rd rt sep sept seq sq sr sys tel tenn thu thurs tue tues univ va vt wed wis wisc wyo ph\\.d"
)
# These stand before a name.
_OPENING = _any_of(
    "adj adm adv alex assoc asst atty attys ave brig capt cf cie cmdr col comdr cpl dept det dr drs elec ens ft "
    "gen gov hon insp jos lieut lt maj messrs mfg mlle mme mr mrs ms mt mtg natl pfc ph prof pvt rep reps rev sen "
    "sens sfc sgt spc st ste supt vs wm"
)
# These are words as well (wash, miss, la), and abbreviations with a capital only.
_STATES = "Ark Az Del Ill La Mass Miss Ore Pa Tex Wash"
_STATES = _any_of(f"{_STATES} {_STATES.upper()}")
# Before one of these words with a capital or a tag, `C.` is a letter that ends a sentence, not an initial.
_SENTENCE_STARTS = (
    "A About According After An As At But Earlier He Her Here However If In It Last Many More Now Once One Other "
    "Our She Since So Some Such That The Their Then There These They This We What When While Yet You Mr\\. Ms\\."
)
_SENTENCE_STARTS = _any_of(f"{_SENTENCE_STARTS} {_SENTENCE_STARTS.upper()}")
_FILE_ENDINGS = _any_of(
    "c h x gz pl ps py bat bmp cgi cpp dll docx? exe gif html? jar jpe?g mov pdf php png ppt sql tar txt wav xml "
    "zip java class"
)

_L, _W = "[A-Za-z]", "[A-Za-z0-9]"
_END = f"(?!{_W})"
_PART = f"(?:[dloDLO]'{_W}{{2,}}|{_W}+)"
_WORD = f"{_PART}(?:[-_]{_PART})*"
_INITIALS = rf"(?:{_L}\.)"
_DOTTED = f"{_L}{_W}*(?:[.?!]{_L}{_W}*)"  # to be followed by + or *
_ADDRESS, _ADDRESS_END = r"""[^\s"<>|(){}]""", r"""[^\s"<>|(){}.,!?-]"""
_PATH = rf"""(?:/[^\s"<>|()]+{_ADDRESS_END})?"""
_SITE = "[a-z#%&*+~]+"
_HOST = r"""[^\s"<>|(){}.]+"""
_ATTRIBUTE = r"""(?:\s+[^\s<>="()|,/]+(?:\s*=\s*(?:'[^']*'|"[^"]*"))?)"""
_TAG_NAME = rf"""{_L}[^\s"<>=()|,/]*"""
_TAG = rf"(?:<[!?]?{_TAG_NAME}{_ATTRIBUTE}*\s*/?\s*>|</{_TAG_NAME}\s*>|<!--[^>]*-->)"

# Characters a rule may start with (a: letter, 1: digit, *: any other), and the rule.
_RULES = (
    # Contractions and their parts.
    ("a", r"(?i:(can)not|(gon|wan)na|(got)ta|(lem|gim)me)" + _END),
    ("a", f"((?i:{_L}*[a-mo-z]))(?i:n't)"),
    ("a1", f"({_WORD})'(?i:[sdm]|ll|re|ve)(?!{_L})"),
    ("a", f"({_DOTTED}+)'(?i:[sdm]|ll|re|ve)(?!{_L})"),
    ("a", f"(?i:n't|ol'{_END}|[dlj]')|([Yy]'){_L}"),
    ("a", f"[A-HJ-XZn]'{_L}{{2,}}|{_L}+[AEIOUYaeiouy]'[A-Zaeiou]{_L}*"),
    ("a", "(?i:c'mon|c'est|e'er|ev'ry|li'l|nat'l|s'mores)"),
    ("*", f"(?i:'n'|'(?:[sdmn]|ll|re|ve)(?!{_L})|'(?:em|till?|cause)|('t)(?:is|was))"),
    ("*", r"(?i:'\d0s|'\d\d(?=\s|$))"),
    # Abbreviations, initials and acronyms.
    ("a", rf"({_L})\.\s+(?:{_SENTENCE_STARTS}|{_TAG})(?:\s|$)"),
    ("a", rf"((?i:{_CLOSING})\.|{_STATES}\.)[\s\S]?"),
    ("a", rf"(?i:{_OPENING})\."),
    ("a", r"((?i:art|figs?|nos?|op|pp)\.) ?\d"),
    ("a", f"{_INITIALS}+"),
    ("a", r"[A-Z]+(?:[&+][A-Z]+)+|[A-Z]+\$|[Cc]\+\+|[CFcf]#"),
    # Numbers, dates, fractions, telephone numbers. A blank inside becomes a no-break space.
    ("1*", r"[-+]?(?:\d*(?:[.,:]\d+)+|\d+)"),
    ("1", r"\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|(?:\d{1,4}[- ])?\d{1,4}\\?/\d{1,4}"),
    ("1*", r"(?:\+?\d{2,4}[- ])?(?:\(\d{2,3}\) ?|\+?\d{2,4}[- ])\d{3,4}[- ]?\d{3,5}"),
    # Words: with hyphens, with a full stop that another mark follows, with dots or slashes inside.
    ("a1", _WORD),
    ("a1", rf"({_WORD}\.)[,;:]"),
    ("a1", f"{_W}[A-Za-z0-9.,]*(?:-(?:{_INITIALS}{{2,}}|{_W}+))+"),
    ("a1", rf"{_W}+(?:-{_L}+)*(?:\\?/{_W}+(?:-{_L}+)*){{1,2}}"),
    ("a", f"{_DOTTED}+"),
    ("a", rf"({_DOTTED}+\.)[,;:]"),
    # Addresses, files, tags, names of the net.
    ("a1*", f"<?{_W}{_ADDRESS}*@(?:{_HOST}\\.)*{_HOST}>?"),
    ("a", rf"(?i:https?://{_ADDRESS}+\.{_ADDRESS}*{_ADDRESS_END})"),
    ("a*", rf"{_SITE}(?:\.{_SITE})*\.(?i:com|net|org|edu){_PATH}"),
    ("a", rf"(?i:www(?:\.[^\s\"<>|(){{}}.!?,]+)+\.[a-z]{{2,4}}){_PATH}"),
    ("a1", rf"{_W}+(?:\.{_W}+)*\.(?i:{_FILE_ENDINGS})(?=[\s.,;:?!]|$)"),
    ("*", _TAG),
    ("*", rf"#{_L}+|@[A-Za-z_]\w*|&(?:\#\d+|[A-Z]{{2}}|[aeiouAEIOU](?:acute|grave|uml));|&[lg]t;"),
    # Marks: runs that stay together, faces, anything else alone.
    ("*", r"\*+|_+|#+|@+|<<|>>|[?!]+|-+|\.{3,}|''|``|\\\*"),
    ("a*", rf"[<>]?[:;=][-o*']?[][()@\\{{|dpDOP]{_END}|[\^x=~<>'-]_[\^x=~<>'-]"),
    ("*", r"\S"),
)
_BY_START = {kind: [re.compile(rule) for starts, rule in _RULES if kind in starts] for kind in "a1*"}
# Most words of most captions: letters before a blank. No rule above makes more of them than a word.
_PLAIN = re.compile(r" *([A-Za-z]+(?:-[A-Za-z]+)*)(?=,?(?: |$))")
_SPLIT_WORDS = {"cannot", "gonna", "wanna", "gotta", "lemme", "gimme"}

_NOT_PRINTED = re.compile(r"[^!-~]")
_ENTITIES = {"&amp;": "&", "&apos;": "'", "&quot;": '"', "&nbsp;": " ", "&mdash;": "--", "&MD;": "--"}
_ENTITY = re.compile("|".join(_ENTITIES))
_SPELLED = {
    **{"[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-", '"': "''"},
    **{"&lt;": "<", "&gt;": ">", "---": "--", "----": "--"},
}
_ROUND = str.maketrans({"(": "-lrb-", ")": "-rrb-", " ": "\u00a0"})


def _longest(text: str, place: int) -> str:
    """The token that starts at a place which holds no blank."""
    first = text[place]
    kind = "a" if first.isalpha() else "1" if first.isdigit() else "*"
    longest, token = place, first
    for rule in _BY_START[kind]:
        match = rule.match(text, place)
        if match and match.end() > longest:
            longest = match.end()
            token = match[match.lastindex or 0]
    return token


def _spelled(token: str) -> str:
    """Square and curly brackets have names where they stand alone, round ones everywhere; inner blanks do not break."""
    if token.startswith("..."):
        return "..."
    return _SPELLED.get(token) or token.lower().translate(_ROUND)


@lru_cache(maxsize=200_000)
def _cached(text: str) -> tuple[str, ...]:
    text = _NOT_PRINTED.sub(" ", text)
    if "&" in text:
        text = _ENTITY.sub(lambda match: _ENTITIES[match[0]], text)
    text = text.rstrip(" ")
    tokens: list[str] = []
    place = 0
    while place < len(text):
        plain = _PLAIN.match(text, place)
        if plain and (word := plain[1].lower()) not in _SPLIT_WORDS:
            tokens.append(word)
            place = plain.end()
        elif text[place] == " ":
            place += 1
        else:
            token = _longest(text, place)
            place += len(token)
            tokens.append(_spelled(token))
    return tuple(token for token in tokens if token not in PUNCTUATION)


def ptb_tokens(text: str) -> list[str]:
    """Lower-case Penn Treebank tokens of one caption without punctuation. Line breaks and non-ASCII are blanks."""
    return list(_cached(text))
