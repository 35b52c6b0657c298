"""Danish statutes and orders."""

from renvoi.grammar import ActNames, Example, Grammar, Level

_DASH = r"\s?[-\u2010-\u2015]\s?"
_NOT_WORD = r"(?![\wæøå])"
# "§ 83 i denne lov": "i" is a preposition unless punctuation or a further unit follows; `maybe` asks the act itself.
_LETTER = (
    rf"(?:[a-hj-zæøåA-HJ-Z]{_NOT_WORD}(?!\.[a-zæøå])|i(?=\s?[,.;:)]|{_DASH}\d|\si\s|$)"
    rf"|(?:aa|bb|cc|dd|ee|ff|gg|hh){_NOT_WORD})"
)
_SECTION = rf"\d{{1,4}}(?:\s?{_LETTER}|{_NOT_WORD})"
# "nr. 1-2 b, 2 d-2 j og 2 i, 4"
_APART = (
    rf"\s(?:[a-hj-z](?=\s?[,.;:)]|\s(?:og|eller|samt|i)\s|{_DASH}\d|$)"
    rf"|i(?=\s?[,.;:)]|\s(?:og|eller|samt)\s\d|{_DASH}\d))"
)
_COUNT = rf"\d{{1,3}}(?:{_APART}|[a-zæøå]?{_NOT_WORD})"
_FEW = rf"\d{{1,2}}[a-zæøå]?{_NOT_WORD}"
# "§ 79 i finder anvendelse": asked only if the act has a § 79 i.
_REALLY_I = (
    r"\si(?=\s)(?!\s(?:den|det|de|denne|dette|disse|lov|samme|en|et|[\wæøå]*lov(?:en|s)?|forordning|kapitel|direktiv"
    r"|bekendtgørelse|[\wæøå]*forordning|barnets|henhold|medfør|det omfang|forbindelse|stedet)\b)"
)

da = Grammar(
    language="da",
    levels=(
        Level(
            "part", 1, r"(?:[Aa]fsnit(?:tet)?)", r"[IVXL]+(?:\s[A-Z])?\b|\d+\b", absolute=True, inside=("art", "subpar")
        ),
        Level(
            "chap",
            2,
            r"(?:[Kk]apitel|[Kk]apitlerne|[Kk]ap\.)",
            rf"(?:{_SECTION}|[IVX]+(?:\s[A-H]\b)?(?!\w))",
            ordinal_marks=r"kapitel\b(?!\s\d)",
            absolute=True,
        ),
        Level("annex", 2, r"(?:[Bb]ilag(?:et|ene)?)(?: nr\.)?", rf"{_SECTION}|[IVX]+\b", absolute=True),
        Level("part2", 3, r"(?:[Aa]fsnit|[Dd]el|[Aa]fdeling)", r"[A-Z]\b|\d+\b", lone=False),
        Level("art", 10, r"(?:[Aa]rtikel|[Aa]rtiklerne|[Aa]rt\.)", _SECTION, absolute=True),
        Level("sec", 10, r"§§?", _SECTION, plural=r"§§", absolute=True, maybe=_REALLY_I, letters_go_on=True),
        Level("subsec", 20, r"(?:[Ss]tk\.|[Ss]tykke)", _FEW, ordinal_marks=r"(?:stk\.|stykke)"),
        # EU acts in Danish: "artikel 433, 1.-3. afsnit"
        Level("subpar", 25, "", ordinal_marks=r"afsnit\b"),
        Level("point", 30, r"(?:[Nn]r\.|[Nn]ummer|[Pp]unkt|[Pp]kt\.)", rf"{_COUNT}(?!\.? af \d)(?!/\d)"),
        Level(
            "letter",
            40,
            r"(?:[Ll]itra|[Ll]it\.)",
            rf"(?:[a-hj-zæøå]|i(?=\s?[,.;:)]|\s(?:og|eller|samt)\s|{_DASH}|$)|aa|bb|cc|dd){_NOT_WORD}",
            letters=True,
        ),
        Level("indent", 45, "", ordinal_marks=r"led(?: i)? (?=indled)|pind"),
        Level("sent", 50, "", ordinal_marks=r"(?:pkt\.|punktum(?:mer)?)", fragment=True),
        Level("limb", 60, "", ordinal_marks=r"led(?:\b|\.)", fragment=True),
    ),
    list_and=r",\s(?:og|eller|samt)\s|,\s|\s(?:og|eller|samt|og/eller)\s(?:fra\s)?",
    list_to=rf"{_DASH}|\stil\s(?=\d)",
    stop_after=r"\d|[.,]\d|\.?(?:(?:\s?,\s?|\s(?:og|eller)\s|\s?-\s?)\d+\.)*\s?(?:pkt|punktum|led\b|stk|stykke|afsnit)"
    r"|\.\s(?:januar|februar|marts|april|maj|juni|juli|august|september|oktober|november|december)"
    r"|\s(?:år|måned|dag|uge|kr|pct|procent|mio|time|halve|hele|gange)",
    joins={
        "apart": r",?\s(?:jf\.|men)\s?dog(?:\s(?:også|ikke))?\s(?:efter\s)?",
        "with": r",?\s\(?jf\.?\s(?:(?:også|tillige|herved|for så vidt angår)\s)?|,?\s(?:sammenholdt med|i forbindelse med)\s",
        "except": r",?\s(?:bortset fra|undtagen|med undtagelse af)\s",
        "of": r",?\si\s(?:lovens\s(?=kapitel))?(?=§|stk|nr|artikel|bilag|kapitel|denne p|samme p|dette k|nærværende p)",
        "and": r",?\s(?:og|eller|samt|såvel som|og/eller|henholdsvis)\s"
        r"(?:(?:efter|i|af|til|fra|med|for|om|ved|reglerne i|jf\.|henholdsvis|i medfør af|i henhold til|omfattet af)\s)?",
        "to": rf"\stil\s(?=§|stk|nr)|{_DASH}(?=§|stk|nr)",
        "comma": r",\s?|\s",
        "act": r",?\s(?:i|af|til|efter)\s(?:den (?:(?:tidligere|hidtil|nu|indtil (?:den )?\d+\. \w+ \d{4}) gældende|tidligere|dagældende|nugældende) )?|(?P<version>,?\s\(?jf\.\s)|\s",
    },
    ordinals={
        **{f"{n}": str(n) for n in range(1, 30)},
        **{
            f"{n}{suffix}": str(n)
            for n in range(1, 15)
            for suffix in ("ste", "den", "det", "die", "dje", "de", "te", "nde")
        },
        **{
            word: str(n)
            for n, word in enumerate(
                ("første", "andet", "tredje", "fjerde", "femte", "sjette", "syvende", "ottende", "niende", "tiende"), 1
            )
        },
        "anden": "2",
        "sidste": "last",
    },  # fmt: skip
    ordinal=r"\b\d{1,2}(?:\.|ste|den|det|die|dje|de|te|nde)|\b(?:første|andet|anden|tredje|fjerde|femte|sjette|syvende|sidste)\b",
    styles={
        "part": "afsnit {}",
        "chap": "kapitel {}",
        "annex": "bilag {}",
        "art": "artikel {}",
        "sec": "§ {spaced}",
        "subsec": "stk. {}",
        "subpar": "{}. afsnit",
        "point": "nr. {}",
        "letter": "litra {}",
        "sent": "{}. pkt.",
        "limb": "{}. led",
        "indent": "{}. pind",
        "quote": "citat {}",
        "note": "note {}",
        "tail": "slutning {}",
        "trans": "overgang {}",
        "preamble": "indledning {}",
        "closing": "underskrift {}",
    },  # fmt: skip
    chunk_levels=("subsec", "sec"),
    articles=("sec",),
    seeds=r"§|tk\.|tykke|nr\.|Nr\.|ummer|unkt|pkt\.|Pkt\.|itra|lit\.|Lit\.|rtik|art\.|Art\.|apit|ap\.|fsnit|ilag|aragraf|pind|led",
    leads=r"denne|dette|nærværende|samme|nævnte|foregående|følgende",
    acts=ActNames(
        this=r"\b(?:(?:i|af|til|efter)\s)?\b(?P<before_this>denne lovs|nærværende lovs|denne bekendtgørelses)\b"
        r"|\b(?:denne|nærværende) (?:lov|bekendtgørelse|lovbekendtgørelse|anordning)\b",
        enabling=r"\bloven\b|\b[Ll]ovens\b",
        same=r"\bhvis(?= § \d+(?:, nr\. \d[^,§]{0,20})? (?:angår|vedrører|ændrer)\b)|\b(?:samme|nævnte|sidstnævnte|den nævnte|den pågældende) (?:lovs?|bekendtgørelses?|forordnings?|direktivs?)\b"
        r"|\b(?:[Ff]orordningens?|[Dd]irektivets?|[Kk]onventionens?)\b(?! (?:om|nr|af|\())",
        also_called=(
            (r"forordning", r"(?i).*forordning"),
            (r"direktiv", r"(?i).*direktiv"),
            (r"konvention", r"(?i).*konvention"),
        ),  # fmt: skip
        genitive=r"\b(?:(?:[A-ZÆØÅ]{2,5}-)?[A-ZÆØÅa-zæøå][a-zæøå-]+(?:lovens|kodeksens|forordningens|direktivets|bekendtgørelsens|ordningens|traktatens|"
        r"konventionens|cirkulærets|vedtægternes)|Grundlovens|barnets lovs|[a-zæøå-]{4,}lovs(?=\s§)|[A-ZÆØÅ][a-zæøå-]+lovens)\b",
        closed=r"\b(?:\d{4}-)?[a-zæøåA-ZÆØÅ-]{2,}(?:loven|traktaten|konventionen|protokollen|kodeksen)\b|\b1\d{3}-protokollen\b|\bbarnets lov\b"
        r"|\bDen Europæiske Menneskerettighedskonvention\b"
        r"|\b(?:(?:Europa-Parlamentets og Rådets|Rådets|Kommissionens|Europa-Parlamentets) )?(?:gennemførelses|delegerede? )?"
        r"(?:[Ff]orordning|[Dd]irektiv|afgørelse|rammeafgørelse)(?: \((?:EU|EF|EØF|Euratom)\))?(?: nr\.)? \d+/\d+(?:/\w+)?"
        r"|\b[a-zæøå]+lov af \d+\.? \w+ \d{4}|\b(?:[Ll]ov|[Ll]ovbekendtgørelse|[Bb]ekendtgørelse|lovanordning|[Aa]nordning|[Cc]irkulære|kongelig anordning) nr\. \d+ af \d+\.? \w+ \d{4}"
        r"|\b(?:[A-ZÆØÅ]{2,5}-)?[A-ZÆØÅa-zæøå][a-zæøå-]{3,}(?:forordningen|direktivet|bekendtgørelsen|cirkulæret)\b",
        opening=r"\b(?:(?:Europa-Parlamentets og Rådets|Rådets|Kommissionens|Europa-Parlamentets) (?=forordning|direktiv))?(?:[Ll]ov|[Bb]ekendtgørelse|[Ff]orordning(?:en)?|[Dd]irektiv(?:et)?|[Aa]nordning|[Cc]irkulære|[Kk]onvention(?:en)?) (?:(?:nr\. \d+ )?af \d+\.? \w+ \d{4} )?om (?=\w)"
        r"|\b(?:[Kk]onvention|[Pp]rotokol)(?:len|en)? af \d+\.? \w+ \d{4} til (?=\w)",
        stop=r"finder|skal|kan|må|gælder|gjaldt|omfatter|omfattet|har|havde|er|var|bliver|blev|der|som (?:affattet|indsat|ændret|foreslået)|(?<!virksomhed )som|(?<!til )at|hvis|når|hvor|medmindre|"
        r"uanset|såfremt|jf|jfr|under ophold|efter|skønnes|anses|fastsætter|fastsættes|anvendes|indbetales|udgør|sker|foretages|"
        r"ophæves|træder|ydes|kræves|udbetales|tildeles|meddeles|indsættes|bortset|dog|ikke|in?den for|ved siden|i det omfang|"
        r"og (?:regler|efter|i|§|§§|lov|lovens|bestemmelser|forordning|bekendtgørelse|som|til|artikel|kapitel|bilag|[a-zæøå]+loven|[a-zæøå]+lovens)|"
        r"eller (?:regler|efter|i|de|§|§§|artikel|kapitel|lov|tilsvarende|[a-zæøå]+loven|[a-zæøå]+lovens|der|for)|samt|med senere|med de|"
        r"(?<!om )(?:tilsvarende )?anvendelse|i sager|i tilfælde|i forbindelse|§|§§|stk|nr|kapitel|kapitlerne|[a-zæøå]+(?:ges|ses|des|tes|res|kes|les|ves)",
        changed=r",?\s(?:som|der\ser|der\sblev)\s(?:senest\s)?(?:affattet|indsat|ændret|foreslået|ophævet|nyaffattet|henholdsvis)\b",
        in_force=r"gældende\s(?:(?:regler|bestemmelser?|sanktionsregler|affattelse)\s(?:i|af|efter)\s)?$",
        trailing=r"\s(?:og|eller|samt)$",
        defined=r"(?:i det følgende (?:benævnt|kaldet) [„”\"»]?"
        r"|\((?=[\w -]{2,50}(?:lov|forordning|direktiv|bekendtgørelse|konvention|cirkulære)(?:en|et)\)))"
        r"(?P<name>[\w -]{3,60}?)[”\"«,.;)]",
        amended=r"^I (?P<amends>(?:lov|bekendtgørelse|[a-zæøå-]+loven|anordning|barnets lov)\b.{0,600}?(?:foretages|ændres|affattes|indsættes|ophæves))"
        # A consolidated act carries the transitional provisions of the acts that amended it.
        r"|^(?P<carries>(?=Lov nr\. \d+ af )(?=.{0,900}(?:indeholder|har) (?:følgende|nedenstående)))",
        goes_on=r" af (?!d(?:en|et|e|isse)\b|en\b|et\b|\w+(?:en|et|erne|ens)\b)[a-zæøå]",
        pointer=r"(?!x)x",
        kinds=r"\b(?:Europa-Parlamentets og Rådets|Rådets|Kommissionens|Europa-Parlamentets)(?= (?:forordning|direktiv))|\b(?:bekendtgørelse af )?(?:den |ny |tidligere |gældende )*\blov om (?:ændring af lov om )?|\bbekendtgørelse af\b"
        r"|\bm\.\s?v\b\.?|\bmv\b\.?|\bm\.\s?m\b\.?|\blovbekendtgørelse\b|\blov nr\. \d+ af \d+\.? \w+ \d{4}( om)?"
        r"|\blovbekendtgørelse nr\. \d+ af \d+\.? \w+ \d{4}|\blbk nr\. \d+ af \d+\.? \w+ \d{4}|(?<=loven)s\b",
        version=r"\b(?:ændret|ændringer)\b[^,;]*$|\bjf\. $",
        genitive_ending="s",
        repeal=r"^(?:, jf\. [^;:]{,80})?,?(?: (?:ophæves|finder(?: tilsvarende)? anvendelse)\b[^.;:§]{,30}| bortset fra )$",
        seeds=r"lov|Lov|hvis|odeks|rotokol|ekendtg|rdning|irektiv|raktat|onvention|irkul|edtægt|uropa-|ådets|ommission|ennemf|eleger|fgørelse",
    ),
    anchors={
        r"[Dd]en foregående paragraf\b": "preceding:sec",
        r"[Dd]en følgende paragraf\b": "following:sec",
        r"(?:det )?foregående stykke\b": "preceding:subsec",
        r"(?:denne|nærværende) paragrafs?\b": "here:sec",
        r"(?:dette|nærværende) stykke\b": "here:subsec",
        r"(?:dette|nærværende) kapitels?\b": "here:chap",
        r"(?:dette|nærværende) afsnits?\b": "here:part",
        r"(?:samme|nævnte) paragrafs?\b": "mentioned:sec",
        r"samme stykkes?\b": "mentioned:subsec",
    },
    exceptions=r"bortset fra|undtagen|med undtagelse af|undtaget herfra er",
    optional=(("subsec", "1"),),
    examples=(
        Example("Reglerne i §§ 12 a-12 c finder anvendelse.", ("§ 12 a", "§ 12 b", "§ 12 c"), "§ 99/stk. 1"),
        Example(
            "jf. § 7, stk. 1, nr. 2, og stk. 2, 2. pkt.", ("§ 7/stk. 1/nr. 2", "§ 7/stk. 2/2. pkt."), "§ 99/stk. 1"
        ),
        Example("Straffelovens § 124 gælder ikke.", ("straffeloven|§ 124",), "§ 99/stk. 1"),
    ),
)
