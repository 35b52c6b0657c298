"""Acts of the United Kingdom and other Acts drafted like them."""

from renvoi.grammar import ActNames, Example, Grammar, Level

_SECTION = r"\d{1,4}[A-Z]{0,3}(?![\w/])"
_PART = r"\([0-9]{1,3}[A-Z]{0,2}\)"

uk = Grammar(
    language="en",
    levels=(
        Level("part", 1, r"\bParts?\b", r"[IVX]+\b|\d+[A-Z]?\b", absolute=True),
        Level("chap", 2, r"\bChapters?\b", r"[IVX]+\b|\d+[A-Z]?\b"),
        Level("annex", 2, r"\bSchedules?\b", r"\d+[A-Z]?\b", absolute=True),
        Level("sec", 10, r"(?:\b[Ss]ections?\b|\bss?\.)", _SECTION, plural=r"[Ss]ections|ss\.", absolute=True),
        Level("art", 10, r"\b[Aa]rticles?\b", _SECTION, plural=r"Articles", absolute=True),
        Level("para", 20, r"\b[Pp]aragraphs?\b", rf"{_SECTION}|\([a-z]{{1,3}}\)"),
        Level("subsec", 20, r"\b[Ss]ubsections?\b", _PART),
        Level("point", 30, "", lone=False),
        Level("point2", 31, "", lone=False),
    ),
    list_and=r",\s(?:and|or)\s|,\s|\s(?:and|or)\s",
    list_to=r"\sto\s|\s?[-\u2010-\u2015]\s?",
    stop_after=r"\d|[.,]\d|\s(?:years?|months?|days?|weeks?|per cent)",
    joins={
        "with": r",?\s(?:as applied by|read with)\s",
        "to": r"\sto\s(?=\(|\d|section)",
        "of": r",?\s(?:of|in|to)\s(?:the\s)?|\s(?=thereof)",
        "and": r",?\s(?:and|or|and/or|nor)\s(?:(?:in|of|under|by)\s)?",
        "comma": r",\s|\s",
        "act": r",?\s(?:of|to|in)\s(?:the\s)?|,?\s",
    },
    ordinals={},
    ordinal=r"(?!)",
    styles={
        "part": "Part {}", "chap": "Chapter {}", "sec": "s. {}", "art": "art. {}", "para": "para. {}",
        "subsec": "({})", "point": "point {}", "annex": "Sch. {}", "note": "note {}", "tail": "ending {}",
        "preamble": "preamble {}", "closing": "closing {}",
    },  # fmt: skip
    chunk_levels=("subsec", "sec"),
    articles=("sec", "art"),
    seeds=r"ection|ss?\.|rtic|aragraph|thereof|chedule|Part|hapter",
    leads=r"[Tt]his|[Tt]hat",
    acts=ActNames(
        this=r"\b[Tt]his (?:Act|Order|Measure)\b",
        same=r"\b(?:that|the said) (?:Act|Order|Measure)\b",
        enabling=r"(?!x)x",
        genitive=r"(?!x)x",
        closed=r"\b(?:[A-Z][\w'’-]+(?: (?:of|and|the|to|for|in|on)\b| \([A-Z][\w ]+\)| [A-Z][\w'’-]+)* )?(?:Act|Measure|Order) \d{4}\b"
        r"|\b(?:principal|1[89]\d\d|20\d\d) Act\b",
        opening=r"(?!x)x",
        stop=r"(?!x)x",
        defined=r"[“\"](?:the )?(?P<name>(?:principal|\d{4}) (?:Act|Order))[”\"] means (?:the )?(?P<means>[A-Z][\w ()'’-]+? \d{4})",
        amended=r"(?!x)x",
        kinds=r"(?!x)x",
    ),
    anchors={
        r"[Tt]his section\b": "here:sec", r"[Tt]hat section\b|thereof\b": "mentioned:sec", r"[Tt]his subsection\b": "here:subsec",
        r"[Tt]hat subsection\b": "mentioned:subsec", r"[Tt]his Part\b": "here:part", r"[Tt]his Schedule\b": "here:annex",
    },  # fmt: skip
    parens={r"\d{1,3}[A-Z]{0,2}": ("subsec",), r"[ivx]+": ("point2", "point"), r"[a-z]{1,2}": ("point2", "point")},
    examples=(
        Example("sections 4(2) and 5 and subsection (3)", ("s. 4/(2)", "s. 5", "s. 9/(3)"), "s. 9/(1)"),
    ),
)  # fmt: skip
