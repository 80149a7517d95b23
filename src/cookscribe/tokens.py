"""Penn Treebank tokens in pure Python: what the published evaluators see of a caption.

The usual caption scorers start a Java program, Stanford's PTBTokenizer (CoreNLP 3.4.1, lower case), and drop the
punctuation from what it prints. `ptb_tokens` gives the same tokens without Java. Its rules were written after reading
later versions of CoreNLP's published lexer grammar (which is under the GPL), then corrected by comparing with the
program itself, on every real sentence the tests can reach and on random text.

Like the evaluators it first turns every non-ASCII character into a blank. Some consequences worth knowing:

- brackets survive as `-lrb-`, `-rrb-` (the list of punctuation names them in capitals, the text is lower case);
- `1 1/2` is one token joined by a no-break space;
- contractions are split (`do n't`), hyphenated words, fractions and abbreviations are kept whole.

A caption is read as one line: line breaks inside it count as blanks, and unlike in the Java program a neighbouring
caption never changes how it is split.
"""

from __future__ import annotations

import re
from functools import lru_cache

# What the evaluators drop. The capitals never match, because the tokens are in lower case by then.
PUNCTUATION = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])

_NBSP = "\u00a0"
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_LINE_BREAK = re.compile(r"[\n\r\x0b\x0c]")
_PLAIN = re.compile(r"([A-Za-z \t]*?)([A-Za-z]*)(\.?)\s*")
_LONE_WORD = re.compile(r"[A-Za-z]+(?=[ \t\n])")
# Words that are cut in two although they are nothing but letters: word -> length of the second part.
_FUSED = {"cannot": 3, "gonna": 2, "gotta": 2, "lemme": 2, "gimme": 2, "wanna": 2}

_ABBREVIATIONS = (
    # months, days, states, companies, degrees: a full stop after these belongs to the word
    r"(?i:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|thurs|fri"
    r"|ala|ariz|calif|colo|conn|ct|dak|fla|ga|ind|kans?|ky|md|mich|minn|mo|mont|neb|nev|okla|penn|tenn|va|vt|wisc?|wyo"
    r"|inc|cos?|corp|pp?t[ye]s?|ltd|plc|rt|bancorp|bhd|assn|univ|intl|sys|tel|est|ext|sq|jr|bros|(?:ed|ph)\.d|esq|etc|al|seq|bldg)"
    r"|A[zZ]|A(?i:rk)|D(?i:el)|I(?i:ll)|L(?i:a)|M(?i:ass)|M(?i:iss)|O(?i:re)|P(?i:a)|T(?i:ex)|W(?i:ash)"
)
_TITLES = (  # titles and other words usually followed by a name
    r"(?i:mr|mrs|ms|drs?|profs?|sens?|reps?|attys?|lt|col|gen|messrs|govs?|adm|rev|maj|sgt|cpl|pvt|capt|ste?|ave|pres|lieut"
    r"|hon|brig|co?mdr|pfc|spc|supts?|det|mt|ft|adj|adv|asst|assoc|ens|insp|mlle|mme|msgr|sfc"
    r"|invt|elec|natl|m[ft]g|dept|blvd|rd|vs|alex|wm|jos|cie|a\.k\.a|cf|treas|ph|sr)|M(?i:iss)"
)
_FILE_ENDINGS = (
    r"(?i:bat|bmp|c|class|cgi|cpp|dll|docx?|exe|gif|gz|h|html?|jar|java|jpe?g|mov|mp3|pdf|php|pl|png|ppt|ps|py|sql|tar|txt|wav|x|xml"
    r"|zip)"
)
_BEFORE_NUMBERS = r"(?i:ca|figs?|prop|nos?|art|bldg|pp|op)"
# "vitamin C. The" ends a sentence; "vitamin C. the" does not. Only these words with a capital decide so.
_SENTENCE_OPENERS = (
    r"(?:A(?i:bout|ccording|dditionally|fter|n|s|t|)|B(?i:ut)|D(?i:id|uring)|E(?i:arlier)|H(?i:e|er|ere|ow|owever)|I(?i:f|n|t)"
    r"|L(?i:ast)|M(?i:any|ore|r\.|s\.)|N(?i:ow)|O(?i:nce|ne|ther|ur)|S(?i:he|ince|o|ome|uch)"
    r"|T(?i:hat|he|heir|hen|here|hese|hey|his)|W(?i:e|hen|hile|hat|ho|hy)|Y(?i:et|ou))"
)
_ACRONYM = r"(?:[A-Za-z](?:\.[A-Za-z])*|(?i:(?:canada|sino|korean|eu|japan|non)-u\.s|u\.s\.-(?:u\.k|u\.s\.s\.r)))"
_APOSTROPHE = r"(?:'|&(?i:apos);)"
_APOSTROPHE_OR_TICK = r"(?:['`]|&(?i:apos);)"
_LETTER = r"(?:[A-Za-z]|&[aeiouAEIOU](?i:acute|grave|uml);)"
_WORD = rf"{_LETTER}(?:{_LETTER}|[0-9])*(?:[.!?]{_LETTER}(?:{_LETTER}|[0-9])*)*"
_NUMERAL = r"(?:[0-9]*(?:[.:,][0-9]+)+|[0-9]+)"
_AUXILIARY = rf"{_APOSTROPHE}(?:[msdMSD]|(?i:re|ve|ll))"
_NOT = rf"(?i:n){_APOSTROPHE_OR_TICK}(?i:t)"
_ELISION = rf"(?:[dDoOlL]{_APOSTROPHE_OR_TICK}[A-Za-z0-9])?"
_TAG_NAME = r"[A-Za-z][A-Za-z0-9_:.\-]*"
_SPACE = r"[ \t\n]"
_URL_END = r"[^ \t\n\"<>|.!?(){},\-]"


def _rules() -> tuple[re.Pattern[str], ...]:
    """Token shapes. At each place the longest wins (what must follow counts), of equals the first.

    Group 1 is the token; what is outside of it must follow and is read again.
    """
    hyphenated = r"[A-Za-z0-9][A-Za-z0-9.,]*(?:-(?:[A-Za-z](?:\.[A-Za-z])+\.|[A-Za-z0-9]+))+"
    thing = rf"{_ELISION}[A-Za-z0-9]+(?:[\-_]{_ELISION}[A-Za-z0-9]+)*"
    tag = (
        rf"<(?:[!?][A-Za-z\-][^>\n]*|/?{_TAG_NAME}(?:[ ]+(?:{_TAG_NAME}|{_TAG_NAME}[ ]*=[ ]*(?:'[^'\n]*'|\"[^\"\n]*\""
        rf"|{_TAG_NAME})))*[ ]*/?)[ ]*>"
    )
    capitals = r"[A-Z]+(?:(?:[+&]|&(?i:amp);)[A-Z]+)+"
    shapes = (
        r"((?i:c\+\+|[cf]#))",
        r"((?i:can))(?i:not)",
        r"('(?i:t))(?i:was)",
        rf"({_APOSTROPHE}(?i:t))(?i:is)",
        r"((?i:gon|got|lem|gim|wan))(?:(?<=(?i:gon))(?i:na)|(?<=(?i:got))(?i:ta)|(?<=(?i:[le]m))(?i:me)|(?<=(?i:im))(?i:me)"
        r"|(?<=(?i:wan))(?i:na))",
        rf"({tag})",
        r"(&(?i:md|mdash|ndash|amp|ht|tl|ur|lr|qc|ql|qr|odq|cdq|#[0-9]+);)",
        rf"({_WORD}){_AUXILIARY}",
        rf"([A-Za-z]*[A-MO-Za-mo-z]){_NOT}",
        rf"({_WORD})",
        rf"({_APOSTROPHE}(?i:n){_APOSTROPHE}?|(?i:dunkin|somethin|ol){_APOSTROPHE}|{_APOSTROPHE}(?i:em|till?|cause)"
        rf"|{_APOSTROPHE}[2-9]0(?i:s)|[A-HJ-XZn]{_APOSTROPHE_OR_TICK}[A-Za-z]{{2,}}"
        rf"|[A-Za-z]+[aeiouyAEIOUY]{_APOSTROPHE_OR_TICK}[aeiouA-Z][A-Za-z]*"
        r"|(?i:cont'd\.?|'twixt|nor'easter|c'mon|e'er|s'mores|ev'ry|li'l|nat'l))",
        rf"([lLdDjJ]{_APOSTROPHE})",
        rf"((?i:y){_APOSTROPHE})[A-Za-z]",
        rf"((?i:ftp|svn|svn\+ssh|http|https|mailto)://[^ \t\n\"<>|()]+{_URL_END})",
        r"((?:(?i:www)\.(?:[^ \t\n\"<>|.!?(){},]+\.)+[a-zA-Z]{2,4}"
        r"|(?:[^ \t\n\"`'<>|.!?(){},-_$]+\.)+(?i:com|net|org|edu))"
        rf"(?:/[^ \t\n\"<>|()]+{_URL_END})?)",
        r"((?:&(?i:lt);|<)?[a-zA-Z0-9][^ \t\n\"<>|(){}]*@"
        r"(?:[^ \t\n\"<>|(){}.]+\.)*[^ \t\n\"<>|(){}.]+(?:&(?i:gt);|>)?)",
        r"(@[a-zA-Z_][a-zA-Z_0-9]*|#[A-Za-z]+)",
        rf"({_AUXILIARY}|{_NOT})[^A-Za-z]",
        r"([0-9]{1,2}[\-/][0-9]{1,2}[\-/][0-9]{2,4})",
        rf"([\-+]?{_NUMERAL})",
        r"((?:[0-9]{1,4}[\- ])?[0-9]{1,4}\\?/[0-9]{1,4})",
        r"(-(?i:[lr][rcs]b)-|(?i:c\.d\.s|pro-|anti-|s&(?:amp;)?p-500|s&(?:amp;)?ls))",
        r"([A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:\\?/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2})",
        r"([A-Z]*\$|#)",
        rf"([A-Za-z])\.{_SPACE}+(?:{_SENTENCE_OPENERS}|{tag}){_SPACE}",
        rf"({_BEFORE_NUMBERS}\.){_SPACE}?[0-9]",
        rf"((?i:so|no)\.){_SPACE}+(?i:africa|korea|cal)",
        rf"((?:{_ABBREVIATIONS})\.)(?s:..|)",
        rf"((?:{_TITLES}|{_ACRONYM})\.)",
        rf"({_APOSTROPHE}[0-9][0-9]){_SPACE}",
        rf"([A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*\.{_FILE_ENDINGS})(?:{_SPACE}|[.?!,\"'<])",
        rf"({_WORD}\.)[,;:]",
        r"((?:\([0-9]{2,3}\) ?|(?:\+\+?)?(?:[0-9]{2,4}[\- ])?[0-9]{2,4}[\- ])[0-9]{3,4}[\- ]?[0-9]{3,5}"
        r"|(?:(?:\+\+?)?[0-9]{2,4}\.)?[0-9]{2,4}\.[0-9]{3,4}\.[0-9]{3,5})",
        r"((?:'|``?|&(?i:apos);))[A-Za-z][^ \t\n]",
        r"(&(?i:quot);|''|``|[\"`']|&(?i:apos);)",
        r"(<<|>>|<|>|&(?i:lt|gt);)",
        r"([<>]?[:;=][\-o*']?[()DPdpO\\{@|\[\]])[^A-Za-z0-9]",
        r"([\-\^x=~<>']_[\-\^x=~<>']|\([\-\^x=~<>'][_.]?[\-\^x=~<>']\))",
        r"([{}\[\]()]|-+|\.{3,}|\.[ ](?:\.[ ])+\.|@+|#+|_+|\*+|(?:\\\*){1,3}|[,;:.=/+%&~^|\\]|[?!]+)",
        rf"({hyphenated})",
        rf"({hyphenated}\.)[,;:]",
        rf"({thing}\.)[,;:]",
        rf"({thing})",
        rf"({capitals}\.)[,;:]",
        rf"({capitals})",
    )
    return tuple(re.compile(shape) for shape in shapes)


_RULES = _rules()
_BEFORE_STOP = re.compile(rf"{_ABBREVIATIONS}|{_TITLES}|[A-Za-z]")
_REWRITTEN = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "''", '"': "''", "&apos;": "'"} | {
    f"&{name};": "--" for name in ("md", "mdash", "ndash")
}


def _spelling(token: str) -> str:
    """How a token is written out: lower case, brackets named, blanks inside it made no-break."""
    token = token.lower()
    if token in _REWRITTEN:
        return _REWRITTEN[token]
    if token in _ENTITIES:
        return _ENTITIES[token]
    if token.startswith("..") or token.startswith(". "):
        return "..."
    if token.startswith("---") and len(token) <= 4 and not token.strip("-"):
        return "--"
    if token[0] in ":;=<>(+0123456789^x~-'":
        token = token.replace("(", "-lrb-").replace(")", "-rrb-").replace(" ", _NBSP)
    if token[0] == "<":
        token = token.replace(" ", _NBSP)
    return token.replace("&apos;", "'").replace("&amp;", "&")


def _lex(text: str) -> list[str]:
    text += "\n"
    tokens: list[str] = []
    place = 0
    while place < len(text):
        if text[place] in " \t\n":
            place += 1
            continue
        plain = _LONE_WORD.match(text, place)
        if plain and plain.group().lower() not in _FUSED:
            tokens.append(plain.group().lower())
            place = plain.end()
            continue
        best, end = 0, place
        for rule in _RULES:
            match = rule.match(text, place)
            if match and match.end() - place > best:
                best, end = match.end() - place, match.end(1)
        if not best:  # a character the tokenizer does not know is left out
            place += 1
            continue
        tokens.append(_spelling(text[place:end]))
        place = end
    return tokens


@lru_cache(maxsize=1 << 17)
def _cached(text: str) -> tuple[str, ...]:
    text = _LINE_BREAK.sub(" ", _NOT_ASCII.sub(" ", text))
    plain = _PLAIN.fullmatch(text)
    # Nearly all captions are letters and blanks, some with a full stop that belongs to no abbreviation.
    if plain and not (plain[3] and (not plain[2] or _BEFORE_STOP.fullmatch(plain[2]))):
        words = (plain[1] + plain[2]).lower().split()
        if _FUSED.keys().isdisjoint(words):
            return tuple(words)
    return tuple(token for token in _lex(text.replace("&nbsp;", " ")) if token not in PUNCTUATION)


def ptb_tokens(text: str) -> list[str]:
    """Lower-case Penn Treebank tokens of one caption, without punctuation.

    >>> ptb_tokens("Don't over-mix 1 1/2 cups (optional).")[:3]
    ['do', "n't", 'over-mix']
    """
    return list(_cached(text))
