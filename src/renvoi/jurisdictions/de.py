"""German federal acts."""

from renvoi.grammar import ActNames, Example, Grammar, Level

_DASH = r"\s?[-\u2010-\u2015]\s?"
_END = r"(?![\wäöüß])"
# "§ 5 a Abs. 1", but not "§ 92 zu" or "§ 17 ff."
_SECTION = rf"\d{{1,4}}(?:(?!ff\b)[a-z]{{1,2}}{_END}|\s[a-eg-z](?=\s(?:Abs|Satz|S\.|Nr)|[,;)])|{_END})"
_COUNT = rf"\d{{1,3}}[a-z]{{0,2}}{_END}"
_ORDINALS = ("erst", "zweit", "dritt", "viert", "fünft", "sechst", "siebt", "acht", "neunt", "zehnt")
_ORDINAL = r"\b(?:erst|zweit|dritt|viert|fünft|sechst|siebt|acht|neunt|zehnt)(?:e|er|en|em|es)\b"

_NTH_STEMS = (
    "Erst", "Zweit", "Dritt", "Viert", "Fünft", "Sechst", "Siebt", "Acht", "Neunt", "Zehnt", "Elft", "Zwölft",
    "Dreizehnt", "Vierzehnt",
)  # fmt: skip
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV")
_NTH = rf"(?:{'|'.join(_NTH_STEMS)})e[ns]?"
_DATED = r"vom \d{1,2}\. \w+ \d{4}"
_NO_ACT = r"(?:Rechtsv|V|Rechtsanw|An|Zu|Ein|Neu|Um|Ab|Unter|Rang)(?:er)?ordnung\b|Vertrag|[Gg]esetz(?:es|e)?\b|\w*[Vv]ertrag(?:es|s)?\b(?<!Einigungsvertrages)(?<!Einigungsvertrag)"

de = Grammar(
    language="de",
    levels=(
        Level("book", 1, r"(?:Buch(?:es|s)?|Buche)", r"[IVX]+\b|\d+\b", lone=False, absolute=True),
        Level("part", 2, r"(?:Teil(?:e|es|s)?)", r"[IVX]+\b|\d+\b", lone=False, absolute=True),
        Level("chap", 3, r"\bKapitel(?:s|n)?", r"[IVX]+\b|\d+[a-z]?\b", ordinal_marks=r"Kapitels?\b"),
        Level("sect", 4, r"\bAbschnitt(?:e|es|s|en)?", r"[IVX]+\b|\d+[a-z]?\b", ordinal_marks=r"Abschnitts?\b"),
        Level("title", 5, r"\bTitel(?:s|n)?", r"[IVX]+\b|\d+[a-z]?\b", lone=False),
        Level("annex", 2, r"(?:Anlagen?)", r"\d+[a-z]?\b|[IVX]+\b", absolute=True),
        Level("part2", 5, r"Teil(?:e|es|s)?", r"[A-Z]\b", lone=False),
        Level("sec", 10, r"§§?", _SECTION, plural=r"§§", absolute=True, inside=("art", "sec2")),
        Level("sec2", 12, "", lone=False),  # "Artikel 246a § 1 Absatz 2"
        Level("art", 10, r"(?:\bArtikel[ns]?|\bArt\.)", _SECTION, plural=r"Artikeln", absolute=True),
        Level("para", 20, r"(?:\bAbsatz(?:es)?|\bAbsätze[n]?|\bAbs\.)", _COUNT),
        Level("sent", 30, r"(?:\bSatz(?:es)?|\bSätzen?|(?<=\w )(?<!Nr\. \d )(?<!Nr\. \d\d )(?<![IL] )(?<!L \d )(?<!L \d\d )(?<!L \d\d\d )\bS\.)", _COUNT, fragment=True),
        Level("point", 40, r"(?:\bNummern?|(?<!Bl\. )(?<!Bl\. I )(?<!Bl\. II )\bNr\.|\bNrn\.|\bZiffern?|\bZiff\.)", _COUNT),
        Level("letter", 50, r"(?:\bBuchstaben?s?|\bBuchst\.|\blit\.)", rf"[a-z]{{1,2}}{_END}", letters=True),
        Level("dletter", 55, r"(?:\bDoppelbuchstaben?s?)", rf"[a-z]{{2}}{_END}", letters=True),
        Level("half", 60, r"(?:\bHalbsatz(?:es)?|\bHalbs\.)", _COUNT, ordinal_marks=r"Halbsatz(?:es)?", fragment=True),
        Level("alt", 61, r"(?:\bAlternative|\bAlt\.)", _COUNT, ordinal_marks=r"(?:Alternativen?|Alt\.)", fragment=True),
    ),
    list_and=r",\s(?:und|oder|sowie)\s|,\s|\s(?:und|oder|sowie|bzw\.|und/oder)\s",
    list_to=rf"{_DASH}|\sbis\s(?=\w)",
    stop_after=r"\d|[.,]\d|\.\s?[A-ZÄÖÜ][a-z]+(?:ar|er|il|ai|ni|li|st|rz)\b|\s(?:\d{3}\sEuro|Jahre|Monat|Tag|Woche|Stunde|Euro|Prozent|vom\sHundert|v\.\s?H)",
    joins={
        "with": r",?\s(?:i\.\s?V\.\s?m\.|in Verbindung mit|(?:jeweils\s)?(?:auch\s)?in Verbindung mit)\s(?:den\s|dem\s|der\s|einer\sRechtsverordnung\snach\s)?",
        "except": r",?\s(?:mit Ausnahme|außer)\s(?:des\s|der\s|von\s)?",
        "to": r"\sbis\s(?=§|Abs|Satz|Nr|Nummer|Buch)",
        "and": r",?\s(?:und|oder|sowie|bzw\.|noch|als auch)\s"
        r"(?:(?:nach|in|den|des|der|dem|die|das|entgegen|im Sinne|im Sinne des|gemäß|von|aus|mit|auf Grund|aufgrund)\s){0,2}",
        "more": r",\sdie\s(?=§§)",
        "comma": r",\s?(?:(?:des|der|den|dem|auch)\s)?|\s",
        "act": r",?\s(?:des\s|der\s|dem\s|zum\s|zur\s)?",
    },
    ordinals={stem + ending: str(n) for n, stem in enumerate(_ORDINALS, 1) for ending in ("e", "er", "en", "em", "es")},
    ordinal=_ORDINAL,
    styles={
        "book": "Buch {}", "part": "Teil {}", "chap": "Kapitel {}", "sect": "Abschnitt {}", "title": "Titel {}", "annex": "Anlage {}", "sec": "§ {}",
        "art": "Artikel {}", "para": "Abs. {}", "sent": "Satz {}", "point": "Nr. {}", "letter": "Buchst. {}",
        "dletter": "Doppelbuchst. {}", "half": "Halbsatz {}", "alt": "Alt. {}", "note": "Fußnote {}", "tail": "Schluss {}",
        "quote": "Zitat {}", "preamble": "Eingangsformel {}", "closing": "Schlussformel {}",
    },  # fmt: skip
    printed={"": " "},  # § 5 Abs. 2 Nr. 1
    bare_division="Abschnitt",
    chunk_levels=("para", "sec"),
    articles=("sec", "art"),
    seeds=r"§|rtikel|Art\.|Abs|atz|ätze|S\.|umm|Nr|iffer|iff\.|uchst|lit\.|lternativ|Alt\.|apitel|bschnitt|nlage|aragra",
    leads=r"dessen|deren|diese[rsm]|vorhergehenden?",
    acts=ActNames(
        this=r"\b(?:diese[sr]?|vorliegenden?) (?:Gesetz(?:es|e)?|Verordnung|Buch(?:es|s)?|Gesetzbuch(?:es|s)?)\b",
        same=r"\b(?:jene[sr]|dessel?ben|genannten) (?:Gesetz(?:es|e)?|Verordnung)\b",
        enabling=r"(?!x)x",
        genitive=r"(?!x)x",
        closed=r"\b(?:(?:Delegierten?|Durchführungs)[- ]?)?(?:[Vv]erordnung|Richtlinie|[Bb]eschluss(?:es)?|Entscheidung|Rahmenbeschluss(?:es)?)"
        r"(?: \((?:EU|EG|EWG|Euratom)(?:, Euratom)?\))?(?: Nr\.)? \d{1,4}/\d{1,4}(?:/\w+)?"
        rf"|\b{_NTH} Buch(?:es|s|e)? (?:des )?Sozialgesetzbuch(?:es|s)?|\b{_NTH} Buch(?:es|s)\b(?! (?:des|der)\b)"
        r"|\bBürgerlichen Gesetzbuch(?:es|s)|\bGrundgesetz(?:es)?|\bStrafgesetzbuch(?:es|s)|\bInternationalen Gesundheitsvorschriften(?: \(\d{4}\))?"
        rf"|\b(?:Gesetz(?:es|e)?|Verordnung|Richtlinie) {_DATED}"
        rf"|\b(?!{_NO_ACT})(?:[A-ZÄÖÜ][a-zäöüß]+en )?(?:[A-ZÄÖÜ][\wäöüß-]*- (?:(?:und|oder) )?)?(?:[A-ZÄÖÜ]|(?<=- und )-[a-zäöü])[\wäöüß-]*"
        rf"(?:[Gg]esetz(?:es|e)?|gesetzbuch(?:es|s)?|ordnung|vertrag(?:es|s)?|übereinkommens?|kodex)\b(?! zu[mr] (?:Gesetz|[A-ZÄÖÜ]\w+ Gesetz|[A-ZÄÖÜ]\w+(?:gesetz|ordnung)))(?: {_DATED})?"
        r"|\b(?!BGBl|RGBl|ABl)(?:[A-ZÄÖÜ][a-zäöü]*[A-ZÄÖÜ]+\w*|BGB|StGB|GG|AO|EStG|UStG|SGB [IVX]+|AufenthG|ZPO|StPO|HGB|VwGO|VwVfG|MVG)\b(?!-)",
        opening=r"\b(?:Gesetz(?:es|e)?|Verordnung|Abkommens?|Übereinkommens?|Protokolls?|Vertrag(?:es|s)?) (?:über|zur|zum|vom|zu) (?:d(?:ie|en|as|er) )?"
        r"|\b[A-ZÄÖÜ][\wäöüß-]*(?:gesetz(?:es|e)?|verordnung|bestimmung(?:en)?) zu[mr] (?=Gesetz|[A-ZÄÖÜ]\w+ Gesetz|[A-ZÄÖÜ]\w+(?:gesetz|ordnung))",
        stop=r"in der|findet|finden|gilt|gelten|ist|sind|hat|haben|wird|werden|kann|können|soll|sollen|darf|dürfen|bleibt|bleiben|"
        r"entsprechend|nicht|nach|sowie|soweit|wenn|sofern|oder|genannten|bezeichneten|erteilt|durch|steht|zugelassen",
        defined=r"\((?P<name>[A-ZÄÖÜ][\wäöüß-]{2,40})\)",
        amended=r"(?!x)x(?P<amends>x)",
        # "Das Gesetz über X in der Fassung der Bekanntmachung vom …, mit Ausnahme der §§ 3 und 4"
        repeal=r"^(?: in der Fassung .*)?,? (?:mit Ausnahme|außer) (?:der|des|von) $",
        version=r"\bgeändert durch (?:Artikel \d+ des |das )?$",
        kinds=rf"\bGesetz(?:es|e)?\b(?= )|\bdes\b|\bder\b|(?<=\w\wgesetz) {_DATED}|(?<=\w\wgesetzes) {_DATED}",
        trailing=r"(?:\s[a-zäöüß][\wäöüß-]*)+$",  # a long name ends with a noun: "… über die Flüchtlinge genießen"
        same_names=(
            *((rf"{stem}\w* Buch\w*(?: (?:des )?Sozialgesetzbuch\w*)?|SGB {roman}", f"sgb {n}") for n, (stem, roman) in enumerate(zip(_NTH_STEMS, _ROMAN, strict=True), 1)),
            (r"BGB|Bürgerliche\w* Gesetzbuch\w*", "bgb"),
            (r"EGBGB|Einführungsgesetz\w* zum Bürgerlichen Gesetzbuch\w*", "egbgb"),
            (r"AufenthG(?: 2004)?|Aufenthaltsgesetz\w*", "aufenthg"),
            (r"IfSG|Infektionsschutzgesetz\w*", "ifsg"),
            (r"GG|Grundgesetz\w*", "grundgesetz"),
            (r"AO|Abgabenordnung", "abgabenordnung"),
            (r"EStG|Einkommensteuergesetz\w*", "estg"),
            (r"StGB|Strafgesetzbuch\w*", "stgb"),
            (r"ZPO|Zivilprozessordnung", "zpo"),
            (r"StPO|Strafprozessordnung", "stpo"),
            (r"HGB|Handelsgesetzbuch\w*", "hgb"),
            (r"EUV|Vertrag\w* über die Europäische Union", "teu"),
            (r"AEUV|Vertrag\w* über die Arbeitsweise der Europäischen Union", "tfeu"),
        ),
        # A capital inside a word: "AufenthG".
        seeds=r"esetz|rdnung|ertrag|bereinkommen|Buch|ichtlinie|orschriften|odex|estimmung|eschlu|ntscheidung|bkommen|rotokoll|"
        + "|".join(rf"{capital}(?<=\w\w)" for capital in "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ"),
    ),
    anchors={
        r"\b(?:dessen|deren)(?=\s(?:Abs|Satz|Sätze|Nummer|Nr))": "mentioned:sec",
        r"(?:dieser|diesem|dieses) Paragra(?:phen|fen)\b": "here:sec",
        r"(?:dieses|diesem) Absatz(?:es)?\b": "here:para",
        r"(?:dieses|diesem) Abschnitt(?:es|s)?\b": "here:sect",
        r"(?:dieses|diesem) Kapitels?\b": "here:chap",
        r"(?:[Dd]er|[Dd]em|[Dd]es) vorhergehenden? Paragra(?:ph|f)(?:en)?\b": "preceding:sec",
    },
    exceptions=r"mit Ausnahme (?:des|der|von)|außer",
    optional=(("para", "1"),),
    same_levels=(("dletter", "letter"),),
    blank_nests=True,
    examples=(
        Example("§ 3 Abs. 2 Satz 1 Nr. 2 Buchst. a", ("§ 3/Abs. 2/Satz 1/Nr. 2/Buchst. a",), "§ 9/Abs. 1"),
        Example("Absatz 1 Satz 2", ("§ 9/Abs. 1/Satz 2",), "§ 9/Abs. 3"),
    ),
)  # fmt: skip
