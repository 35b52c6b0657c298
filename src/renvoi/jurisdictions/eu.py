"""Acts of the European Union, in English."""

from renvoi.grammar import ActNames, Example, Grammar, Level

_TO = r"\sto\s|\s?[-\u2010-\u2015]\s?"
_ARTICLE = r"\d{1,3}[a-z]{0,2}(?![\w/])"
_POINT = (
    r"(?:\([a-z]{1,5}\)|(?<![a-z]\), )(?<![a-z]\) and )(?<![a-z]\) or )(?<![a-z]\), and )(?<![a-z]\), or )\(\d{1,3}[a-z]?\)"  # "point (h), (2) to (6)"
    r"|\d{1,3}(?:\.\d{1,3})+[a-z]?(?!\d)\.?(?=[\s,;.)]|$)|\d{1,3}[a-z]?(?![\w/.]\d|[\w/])"
    r"|(?<=oint )[A-Za-z](?=[),.;]|\s(?:of|and|or|to)\s|$))"
)
_ROMAN = r"[IVXLC]+[a-z]?\b|\d+[a-z]?\b"
_WORDS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth",
)  # fmt: skip
_ORDINAL = r"\b(?:" + "|".join((*_WORDS, "last", "final", "sole", "only")) + r")\b"

eu = Grammar(
    language="en",
    levels=(
        Level("part", 1, r"\bParts?\b", r"(?:[IVX]+\b|One\b|Two\b|Three\b|Four\b|Five\b|Six\b|Seven\b|[A-Z]\b|\d+\b)", absolute=True, inside=("annex", "part2")),
        Level("title", 2, r"\bTitles?\b", r"[IVXLC]+[a-z]?\b", absolute=True),
        Level("chap", 3, r"\bChapters?\b", _ROMAN),
# "the Annex" is the only one: a document has it as annex 1.
        Level("annex", 3, r"\bAnnex(?:es)?\b(?=\s[IVXLC\d])|(?<![Tt]hat )(?<![Tt]his )(?<!\ban )(?<!ach )(?=\bAnnex\b(?!\s[IVXLC\d]))",
              r"[IVXLC]+[a-z]?\b|\d+\b|Annex\b(?!\s[IVXLC\d])", absolute=True),
        Level("rec", 3, r"\b[Rr]ecitals?\b", r"\(?\d{1,3}[a-z]?\)?(?!\w)", absolute=True),
        Level("sect", 4, r"\b[Ss]ections?\b", r"[IVX]+\b|\d+(?:\.\d+)*\b|[A-Z]\b", letters=True),
        Level("part2", 4, r"\bParts?\b", r"(?:[A-Z]|\d+)\b", lone=False),
        Level("art", 10, r"\b[Aa]rticles?\b", _ARTICLE, plural=r"Articles", absolute=True),
        Level("para", 20, r"\b[Pp]aragraphs?\b", r"\(?\d{1,3}[a-z]{0,2}\)?(?![\w/])"),
        Level("subpar", 30, "", ordinal_marks=r"(?:sub-?paragraphs?|paragraphs?)\b"),
        Level("point", 40, r"\b(?:[Pp]oints?|[Ss]ub-?points?|[Ll]etters?|[Ii]tems?)\b", _POINT, plural=r"[Pp]oints"),
        Level("point2", 41, "", lone=False),
        Level("point3", 42, "", lone=False),
        Level("indent", 45, "", ordinal_marks=r"indents?\b"),
        Level("sent", 50, "", ordinal_marks=r"sentences?\b", fragment=True),
    ),
    list_and=r",\s(?:and|or|and/or)\s|,\s|\s(?:and|or|and/or)\s",
    list_to=_TO,
    stop_after=r"\d|[.,]\d|/\d|\s(?:years?|months?|days?|weeks?|hours?|%|EUR|per cent|thereof\sto)",
    joins={
        "with": r",?\s(?:in conjunction with|read in conjunction with|read together with|in combination with)\s(?:the\s)?",
        "except": r",?\s(?:with the exception of|except for|except|other than)\s(?:the\s)?",
        "to": r"\sto\s(?=\(|\d|[Aa]rticle|point|paragraph)",
        "of": r"(?:,?\srespectively)?,?\s(?:of|in(?! particular)|under)\s(?:the\s)?",
        "and": r",?\s(?:and|or|and/or|as well as|nor)\s(?:(?:in|with|of|to|by|from|under|pursuant to|referred to in|for)\s)?(?:the\s)?",
        "comma": r",\s(?:in particular|especially)\s(?:the\s)?|,\s(?:the\s)?|\s",
        "act": r"(?:,?\srespectively)?,?\s(?:of|in|to|under)\s(?:the\s)?|,?\s",
    },
    ordinals={
        **{word: str(n) for n, word in enumerate(_WORDS, 1)},
        "annex": "1", "sole": "1", "only": "1", "last": "last", "final": "last",
        "one": "I", "two": "II", "three": "III", "four": "IV", "five": "V", "six": "VI", "seven": "VII",
    },  # fmt: skip
    ordinal=_ORDINAL,
    styles={
        "part": "Part {}", "title": "Title {}", "chap": "Chapter {}", "sect": "Section {}", "annex": "Annex {}",
        "rec": "recital {}", "art": "Article {}", "para": "par. {}", "subpar": "subpar. {}", "point": "point ({})",
        "indent": "indent {}", "sent": "sentence {}", "note": "note {}", "quote": "quotation {}", "tail": "ending {}",
        "preamble": "preamble {}", "closing": "closing {}",
    },  # fmt: skip
    printed={"para": "({})"},  # Article 17(2)
    chunk_levels=("para", "art"),
    articles=("art",),
    seeds=r"rticle|ragraph|oint|etter|tem|ecital|nnex|hapter|ection|itle|Part|indent|entence",
    leads=r"[Tt]his|[Tt]hat|present|said|preceding|previous|following",
    acts=ActNames(
        this=r"\b(?:[Tt]his|the present) (?:Regulation|Directive|Decision|Act|Treaty|Agreement)\b",
        same=r"\b(?:[Tt]hat|the said|the same|the latter) (?:Regulation|Directive|Decision|Act|Agreement|Convention|Charter)\b|\bthere(?:of|to)\b",
        enabling=r"(?!x)x",
        genitive=r"(?!x)x",
        closed=r"\b(?:(?:Council|Commission|European Parliament and Council|Delegated|Implementing|Framework) )*"
        r"(?:Regulations?|Directives?|Decisions?|Recommendation) (?:\((?:EU|EC|EEC|EU, Euratom|EC, Euratom|Euratom|EU, ECSC|ECSC)(?:, \w+)?\) )?"
        r"(?:No )?\d{1,4}/\d{1,4}(?:/(?:EU|EC|EEC|JHA|CFSP|Euratom|ECSC)(?:, Euratom)?)?"
        r"|\b(?:TFEU|TEU|EC Treaty|EEC Treaty|EAEC Treaty)\b|\bTreat(?:y|ies)(?: on (?:the Functioning of the )?European Union"
        r"| establishing the European (?:Economic )?Community)?(?=\W|$)|\bCharter(?: of Fundamental Rights of the European Union)?\b"
        r"|(?<=\bthe )(?:(?!Council|Commission|Delegated|Implementing|Member)[A-Z][a-z]+ ){1,3}(?:Directive|Regulation)\b(?! \(?(?:E[A-Z]|\d|No))"
        r"|\b(?:Financial Regulation|Staff Regulations|Conditions of Employment(?: of Other Servants)?|Rules of Procedure|Statute of the Court(?: of Justice of the European Union)?)\b"
        r"|\bProtocol No \d+\b|\b(?:the )?(?:[A-Z][\w-]+ )?Act (?:of )?\d{4}\b",
        opening=r"\b(?:Convention|Agreement|Protocol) (?:on|for|relating to|between) ",
        stop=r"shall|should|may|must|is|are|was|were|has|have|applies|apply|which|that|where|when|unless|if|including|as|provided|in (?:order|accordance)|with|by|at|from|for",
        defined=r"\((?:‘|\"|“|the ‘)(?P<name>[A-Z][\w -]{2,60}?)(?:’|\"|”)\)|[‘“\"](?P<alias>x{99})",
        amended=r"^(?P<amends>(?=.{0,120}?(?:Regulation|Directive|Decision) ).{0,400}?"
        r"\b(?:is|are|shall be) (?:hereby )?(?:amended|replaced|inserted|added|deleted)\b[^:]{0,80}:?$)",
        kinds=r"\b(?:Council|Commission|European Parliament and Council|Delegated|Implementing|of the European Parliament and of the Council)\b",
        correlation=r"(?i)(?:table of equivalence|correlation tables?|table of correlation)",
        further=r"(?:,\s|,?\sand\s)(?P<name>\((?:EU|EC|EEC|EU, Euratom)\)\s(?:No\s)?\d{1,4}/\d{1,4}|\d{2,4}/\d{1,4}/(?:EU|EC|EEC|JHA)|(?:\(EEC\) )?No \d{1,4}/\d{2,4})",
        same_names=(
            (r"(?:the )?Treaty on European Union|TEU", "teu"),
            (r"(?:the )?Treaty on the Functioning of the European Union|TFEU", "tfeu"),
            (r"(?:the )?Charter(?: of Fundamental Rights of the European Union)?", "charter"),
            (r"(?:the )?(?:EC Treaty|Treaty establishing the European Community)", "ec treaty"),
        ),
        seeds=r"egulation|irective|ecision|ecommendation|Act|reat|greement|onvention|harter|rotocol|thereof|thereto|ouncil"
        r"|ommission|uropean P|elegated|mplementing|ramework|TFEU|TEU|onditions of|ules of|tatute",
    ),
    anchors={
        r"(?:[Tt]his|the present) Article\b": "here:art",
        r"(?:[Tt]his|the present) paragraph\b": "here:para",
        r"(?:[Tt]his|the present) subparagraph\b": "here:subpar",
        r"(?:[Tt]his|the present) point\b": "here:point",
        r"(?:[Tt]his|the present) Chapter\b": "here:chap",
        r"(?:[Tt]his|the present) Title\b": "here:title",
        r"(?:[Tt]his|the present) Section\b": "here:sect",
        r"(?:[Tt]his|the present) Annex\b": "here:annex",
        r"(?:[Tt]hat|the said) Article\b": "mentioned:art",
        r"(?:[Tt]hat|the said) paragraph\b": "mentioned:para",
        r"(?:[Tt]hat|the said) subparagraph\b": "mentioned:subpar",
        r"(?:[Tt]hat|the said) point\b": "mentioned:point",
        r"(?:[Tt]hat|the said) Annex\b": "mentioned:annex",
        r"(?:[Tt]hat|the said) Section\b": "mentioned:sect",
        r"(?:[Tt]hat|the said) Chapter\b": "mentioned:chap",
        r"(?:[Tt]he )?(?:preceding|previous) paragraph\b": "preceding:para",
        r"(?:[Tt]he )?(?:preceding|previous) subparagraph\b": "preceding:subpar",
        r"(?:[Tt]he )?(?:preceding|previous) Article\b": "preceding:art",
        r"(?:[Tt]he )?following paragraph\b": "following:para",
    },
    exceptions=r"with the exception of(?: the)?|except for(?: the)?",
    optional=(("subpar", "1"),),
    same_levels=(("para", "point"), ("para", "subpar"), ("point", "para")),
    parens={
        r"[ivx]+": ("point2", "point3", "point"),
        r"\d{1,3}[a-z]{0,2}": ("para", "point", "point2"),
        r"[a-z]{1,2}": ("point", "point2", "point3"),
    },
    examples=(
        Example("Article 5(2)(a)", ("Article 5/par. 2/point (a)",), "Article 99/par. 1"),
        Example("Articles 12 to 15 and Article 22(1) and (4)", (
            "Article 12", "Article 13", "Article 14", "Article 15", "Article 22/par. 1", "Article 22/par. 4",
        ), "Article 99/par. 1"),
        Example("points (b) and (c) of the first subparagraph of paragraph 2", (
            "Article 6/par. 2/subpar. 1/point (b)", "Article 6/par. 2/subpar. 1/point (c)",
        ), "Article 6/par. 1"),
    ),
)  # fmt: skip
