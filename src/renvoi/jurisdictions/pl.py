"""Polish statutes, codes and regulations."""

from renvoi.grammar import ActNames, Example, Grammar, Level

_DASH = r"\s?[-\u2010-\u2015]\s?"
_END = r"(?![\wąćęłńóśźż])"
_SUPER = r"(?:\^\d+[a-z]*|[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:[ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ]+|[a-hj-np-tvxy](?!\w))?|\(\d{1,2}[a-z]{0,2}\))"
# A superscript flattened to a blank: "art. 209 1 § 4".
_FLAT = r"\s\d{1,2}[a-z]?(?=\s?(?:,|§|-|–|ust|pkt|lit|i\s|oraz|lub|$|\.(?:\s|$)|Kodeks|ustaw))"
# A letter that stands apart: "art. 71 c ust. 1"; prepositions and "i" are no such letters.
_ROMAN_ARTICLE = r"[IVX]{1,6}(?=\s(?:ust\.|pkt|§|lit\.|[Uu]mowy|Konwencji|Protokołu|i\s[IVX])|$)"
_APART = r"\sa(?=\s(?:ust\.|pkt|§))|\s[b-hj-np-tvxy](?=\s?(?:ust\.|pkt|§|[-–]\d|otrzymuje|oraz\s|w\sbrzmieniu)|$)"
_ARTICLE = rf"(?:{_ROMAN_ARTICLE}|\d{{1,4}}(?:{_SUPER}|{_APART}|[a-zł]{{1,4}}{_SUPER}?{_END}|{_FLAT}|{_END}))"
_COUNT = rf"\d{{1,3}}(?:{_SUPER}|[a-zł]{{1,3}}{_END}|{_END})"
# "lit. a i c-i" against "lit. a i w art. 5": a preposition is a letter only before punctuation or a join.
_WORDS = "od|na|do|po|za|we|ze|ku|co|to|by|bo|ma|im|go|mu|je|ta|te|ci|ty|my|on|ja|tj|są"  # two letters, no number
_LETTER = rf"(?!(?:{_WORDS})\b)(?:[a-hj-np-tvxyzł]{{1,2}}|[a-z]{{2}}|[iwouz](?=\s?(?:[,.;)]|[-–]|i\s|oraz\s|lub\s|albo\s|$|–)|\s(?:ustawy|tiret|i\s)))(?:{_SUPER})?{_END}"
_STEMS = (
    "pierwsz drug trzec czwart piąt szóst siódm ósm dziewiąt dziesiąt jedenast dwunast trzynast czternast piętnast "
    "szesnast siedemnast osiemnast dziewiętnast dwudziest"
).split()
_ENDINGS = ("a", "ą", "e", "ego", "ej", "emu", "i", "ia", "ią", "ie", "iego", "iej", "iemu", "im", "y", "ym")
_ORDINAL = rf"\b(?:{'|'.join(_STEMS)})(?:{'|'.join(sorted(_ENDINGS, key=len, reverse=True))})\b"
_DIVISION = rf"(?:(?!CN\b)[IVXLC]+[A-Za-z]?\b|\d+[a-z]{{0,2}}\b|{_ORDINAL})"
_NAMED = r"(?:[IVXLC]+\b|" + _ORDINAL + ")"  # parts and books have no Arabic numbers: "w części 2 mln zł"
_CAPITAL = "[A-ZĄĆĘŁŃÓŚŹŻ(„]"
# "Art. 5." and "§ 2." before a sentence are labels of provisions, not references to them.
_ARTICLE_MARK = rf"(?:\bart\.|\bArt\.(?!\s?\d+\S*\.\s(?:{_CAPITAL}|\d|§)))"
_SECTION_MARK = (
    rf"(?:(?<=[\wąęóśćżźńł,(–-]\s)§{{1,2}}|(?<=[⁰¹²³⁴⁵⁶⁷⁸⁹\da-z(])§{{1,2}}|§{{1,2}}(?!\s?\d+\S*\.\s{_CAPITAL}))"
)

pl = Grammar(
    language="pl",
    levels=(
        Level("part", 0, r"\b[Cc]zęści(?:ą|ach)?", _NAMED, absolute=True),
        Level("book", 1, r"\b[Kk]si(?:ędze|ęgi|ęga|ęgą|ąg)", _NAMED, absolute=True),
        Level("title", 2, r"\b[Tt]ytu(?:ł(?:u|em|y|ów|ach)?|le)", _NAMED),
        Level("div", 3, r"\b[Dd]zia(?:ł(?:u|em|y|ów|ach)?|le)", _DIVISION),
        Level("chap", 4, r"\b[Rr]ozdzia(?:ł(?:u|em|y|ów|ach)?|le)", _DIVISION),
        Level("subdiv", 5, r"\b[Oo]ddzia(?:ł(?:u|em|y|ów|ach)?|le)", _DIVISION),
        Level("annex", 2, r"(?:[Zz]ałącznik(?:u|iem|i|ów|ach)?)\s(?:nr\s)?", r"\d+[a-z]?\b", absolute=True),
        Level("art", 10, _ARTICLE_MARK, _ARTICLE, absolute=True),
        Level("sec", 10, "", absolute=True, lone=False),
        Level("para", 20, r"(?:\b[Uu]st\.)", _COUNT),
        Level("para§", 20, _SECTION_MARK, _COUNT, outside_article="sec"),
        Level("point", 30, r"(?:\b[Pp]kt|\b[Pp]unkt(?:u|cie|y|ów)?)", rf"(?:{_COUNT}|[a-z](?=\s(?:rozporz|dyrekt)|$))"),
        Level("letter", 40, r"(?:\b[Ll]it\.)", _LETTER, letters=True),
        Level("dindent", 46, r"podwójn(?:e|ego|ym) tiret", _ORDINAL + r"|\d+"),
        Level("indent", 45, r"\btiret", _ORDINAL + r"|\d+"),
        Level("sent", 50, r"\bzdani(?:e|a|u|em|ach)", _ORDINAL + r"|\d\b", fragment=True),
    ),
    list_and=r",\s|\s(?:i|oraz|lub|albo|bądź|a także|jak i)\s",
    # "ust. 1 – w przypadku" is no range: a dash with a blank before it joins numbers only.
    list_to=r"[-\u2010-\u2015]\s?(?=[\dA-Za-z])|\s[-\u2010-\u2015]\s?(?=\d)(?!\d+\s(?:lat|dni|miesi|%|zł))|\sdo\s(?=\d)",
    stop_after=r"\d|[.,]\d|\)|\s?(?:%|dni|lat|miesi|r\.|zł|tys|godz|procent)",
    joins={
        "apart": r",?\s(?:z\szastrzeżeniem|z uwzględnieniem)\s",
        "with": r",?\s(?:w związku z|w zw\. z|w połączeniu z)\s",
        "except": r"\s?,?\s(?:z wyjątkiem|z wyłączeniem)\s(?:przepis\w+\s)?",
        "anew": r",?\s(?:i|oraz|lub|albo|a także)\sprzepis\w+\s(?=rozdz)",
        "and": r",?\s(?:i|oraz|lub|albo|bądź|a także|jak i|jak również|ani|względnie)\s(?:w\s|z\s|na podstawie\s|o których mowa w\s|z art)?",
        "to": rf"{_DASH}(?=art|ust|pkt|§)|\sdo\s(?=art|ust|pkt|§|lit)",
        "scope": r"\sw zakresie\s(?=art\.)",
        "in": r"\s(?:w|po|przed)\s(?=ust\.|pkt|§|lit\.|zdani|tiret|art\.|rozdzi|dzial)"
        r"|\s(?=(?:działu|tytułu|części|księgi|rozdziału)\s)",
        "comma": r"\s?,\s(?:w\s)?|\s|(?<=[\d⁰¹²³⁴⁵⁶⁷⁸⁹])(?=ust|pkt|§|lit)",
        "act": r"(?:,\szwan\w+ dalej [„\"][^”\"]{3,60}[”\"])?\s?,?\s(?:w\s(?:tabeli|kolumnie|wierszu)\s)?(?:(?:w\s)?lp\.\s\d+\s)?(?:przepisów\s|do\s)?|\s?[-–−]\s",
    },
    ordinals={stem + ending: str(n) for n, stem in enumerate(_STEMS, 1) for ending in _ENDINGS},
    ordinal=_ORDINAL,
    styles={
        "book": "księga {}",
        "title": "tytuł {}",
        "part": "część {}",
        "div": "dział {}",
        "chap": "rozdział {}",
        "subdiv": "oddział {}",
        "annex": "załącznik nr {}",
        "art": "art. {}",
        "para": "ust. {}",
        "para§": "§ {}",
        "sec": "§ {}",
        "point": "pkt {}",
        "letter": "lit. {}",
        "indent": "tiret {}",
        "dindent": "podwójne tiret {}",
        "sent": "zdanie {}",
        "tail": "zakończenie {}",
        "quote": "cytat {}",
        "note": "przypis {}",
        "preamble": "wstęp {}",
        "closing": "podpis {}",
    },  # fmt: skip
    printed={"": " "},  # art. 5 ust. 1 pkt 2
    chunk_levels=("indent", "letter", "point", "para", "art", "sec"),
    articles=("art", "sec"),
    seeds=r"§|rt\.|st\.|pkt|unkt|it\.|tiret|zdan|ozdzia|zia|ytu|ddzia|zęś|ałącz|siąg|sięg|rtyku|aragraf|stęp",
    leads=r"niniejsz\w+|tego|tym|poprzedzając\w+|podwójn\w+",
    acts=ActNames(
        this=r"\b(?:niniejsz(?:ej|a|ą) ustaw(?:y|ie|a|ą|ę)|niniejsz(?:ego|e|ym|emu) (?:rozporządzeni(?:a|e|u|em)|kodeks(?:u|em|ie)?))\b",
        same=r"\b(?:tej|tych|tejże|wymienionej|powołanej) (?:[Uu]staw(?:y|ie|ą)?|[Uu]mow(?:y|ie|ą)|Konwencji|[Dd]yrektywy)\b"
        r"|\b(?:tego|tym|temu) (?:rozporządzeni(?:a|u|em)|[Kk]odeks(?:u|em|ie)|Traktatu|Protokołu)\b",
        enabling=r"(?!x)x",
        genitive=r"(?!x)x",
        closed=r"\bKodeks(?:u|owi|em|ie)? (?:pracy|cywiln\w+|karn\w+ skarbow\w+|karn\w+ wykonawcz\w+|karn\w+|wyborcz\w+|morski\w*|"
        r"postępowania (?:cywilnego|karnego|administracyjnego|w sprawach o wykroczenia)|spółek handlowych|"
        r"rodzinn\w+ i opiekuńcz\w+|wykroczeń)"
        r"|\bkodeks(?:u|em|ie)? (?:pracy|cywiln\w+|karn\w+)"
        r"|\bOrdynacj[aięą] podatkow\w+|\bordynacj[aięą] podatkow\w+|\bKonstytucj[aięą](?: Rzeczypospolitej Polskiej)?"
        # cut off or left away: the title after the date
        r"|\bustaw(?:y|ie|ą|ę) z dnia \d{1,2} \w+ \d{4} ?r\.(?!\s?(?:\(|[-–−]|o\s|w sprawie))"
        r"|\bunijn\w+ kodeks\w* celn\w+|\bTraktat\w* o \w+ Unii Europejskiej|\bTFUE\b|\bTUE\b"
        r"|\b(?:[Rr]ozporządzeni[aeu]\w*|[Dd]yrektyw[ayęąie]+|[Dd]ecyzj[aięą])(?:\s(?:Parlamentu Europejskiego i Rady|Rady|Komisji|"
        r"delegowan\w+ Komisji|wykonawcz\w+ Komisji|wykonawcz\w+|delegowan\w+))*(?: \((?:UE|WE|EWG|Euratom)(?:, Euratom)?\))?(?: nr)? \d{1,4}/\d{1,4}(?:/\w+)?",
        opening=r"\b[Uu]staw(?:a|y|ie|ę|ą|om|ach|ami)?(?: z dnia \d{1,2} \w+ \d{4} ?r\.)?(?: \(Dz\.[^()]*\))?\s?(?:[-–−]\s|o (?=\w)|w sprawie )"
        r"|\b(?:[Uu]mow(?:y|ie|ą)|[Pp]orozumieni(?:a|u|em)) (?=między )|\bKonwencj[iąę] (?=\w)|\b(?:Pierwszego |Drugiego |Trzeciego )?Protoko(?:łu|łem|le) (?=\w)"
        r"|\bPraw(?:o|a|ie|em|u) (?=\w+(?:owe|owego|owym|ego|skie|skiego|czne|cznego|ne|nego|ym)\b)"
        r"|\b[Rr]ozporządzeni(?:e|a|u|em)(?= Ministra| Rady Ministrów| Prezesa| Prezydenta)",
        stop=r"stosuje|nie|jest|są|był[aoy]?|oraz (?:w|art|z|ustaw\w+|przepis\w+|art\.)|lub (?:w|art|ustaw\w+|z)|i (?:w|art|ustaw\w+)|w (?:zakresie|brzmieniu|związku|przypadku|terminie|trybie|celu|rozumieniu|części)|zachow\w+|"
        r"zwan\w+|wprowadza|wchodzi|uchyla|może|mogą|któr\w+|z wyjątkiem|jeżeli|przysługuje|albo|bez|dokonuj\w+|podlega\w*|otrzymuj\w+|"
        r"art|ust|pkt|na (?:podstawie|zasadach)|do dnia|od dnia|przed dniem|po dniu|z (?:tym|zastrzeżeniem|późn)|z dnia|"
        r"wydan\w+|obowiązując\w+|uważa|staje|stają|(?<!wbrew )przepis\w*|zalicza|ustala|traci|utrzymuj\w+|wykonuj\w+|przekazuj\w+|określ\w+|składa|otrzymał\w*|prowadz(?:i|ą)|realizuj(?:e|ą)|sporządza",
        defined=r"(?:zwan\w+ dalej|dalej jako|zwany dalej) [„\"](?P<name>[^”\"]{3,80})[”\"]",
        amended=r"^W (?P<amends>(?:ustawie|dekrecie)(?= z dnia)|rozporządzeniu(?= (?:Prezydenta|Rady Ministrów|Ministra|Prezesa)))"
        r"(?=.{0,5000}?(?:wprowadza się|brzmienie|brzmieniu|dodaje się|uchyla się|skreśla się|zastępuje się|\) w (?:art\.|§|załącznik)))"
        r"|(?P<repeals>^(?:Z dniem .{5,40} )?(?:[Tt]raci moc|[Uu]chyla się|[Tt]racą moc)(?=.{0,20}ustaw)|^(?=ustawa z dnia))",
        # "stosuje się przepisy Kodeksu X, z wyjątkiem art. 5": nothing of the citing act stands in between
        repeal=r"^(?!.*(?:\bart\.|§|\bust\.|niniejsz|\.\s[A-ZŁŚŻ][a-ząćęłńóśźż]{2}))[^;]{0,250}$",
        pointer=r"\b(?:ustaw(?:y|ie|ą|ę) (?:zmieniane[jg]?|uchylane[jg]?|wymienione[j]?|wskazane[j]?|powołane[j]?|określone[j]?|zmienian[aą]|uchylan[aą]) w\b|ustaw(?:y|ie|ą|ę), (?:o )?któr(?:ej|ych) mowa w\b"
        r"|rozporządzeni(?:a|u|em)(?:, o którym mowa| wymienion(?:ego|ym)| zmienian(?:ego|ym)) w\b)",
        kinds=r"\bustaw(?:a|y|ie|ę|ą)?\b|\bz dnia \d{1,2} \w+ \d{4} ?r\.?|\b[-–−]\b|\bo(?= )|Rzeczypospolitej Polskiej|\bDz\. ?U\.",
        well_known=(),
        of_sections=r"(?i)rozporządz|uchwał|zarządz|regulamin|statut",
        same_names=(
            (r"TUE|Traktat\w* o Unii Europejskiej", "teu"),
            (r"TFUE|Traktat\w* o funkcjonowaniu Unii Europejskiej", "tfeu"),
        ),
        also_called=((r"ustaw", r"(?i)(?:ustaw|ordynacj|kodeks|praw)"),),
        same_is_other=True,
        seeds=r"ustaw|Ustaw|iniejsz|umow|Umow|onwencj|yrektyw|odeks|ozporz|raktat|rotok|rdynacj|onstytuc|TFUE|TUE|ecyzj|orozum|Praw",
    ),
    anchors={
        r"(?:niniejsz\w+|tego|tym) artykułu?\b": "here:art",
        r"(?:niniejsz\w+|tego|tym) rozdzia(?:łu|le)\b": "here:chap",
        r"(?:niniejsz\w+|tego|tym) dzia(?:łu|le)\b": "here:div",
        r"(?:niniejsz\w+|tego|tym) oddzia(?:łu|le)\b": "here:subdiv",
        r"(?:niniejsz\w+|tego|tym) tytu(?:łu|le)\b": "here:title",
        r"\bartyku(?:łu|le|łem) poprzedzając\w+|poprzedzając\w+ artyku(?:łu|le|łem)\b": "preceding:art",
        r"\bparagraf(?:u|ie|em) poprzedzając\w+|poprzedzając\w+ paragraf(?:u|ie|em)\b": "preceding:para",
        r"\bustęp(?:u|ie|em) poprzedzając\w+|poprzedzając\w+ ustęp(?:u|ie|em)\b": "preceding:para",
    },
    exceptions=r"z wyjątkiem|z wyłączeniem",
    quoted_label=rf"(?:^|[„.;”]\s?)(?:Art\.\s?(?P<art>\d+[a-zł]{{0,4}}{_SUPER}?)\.|(?P<para>\d{{1,2}}[a-z]{{0,2}})\.\s(?={_CAPITAL})"
    rf"|§\s?(?P<para_>\d+[a-z]{{0,2}}{_SUPER}?)\.\s(?={_CAPITAL}))",
    optional=(("para", "1"),),
    examples=(
        Example("na zasadach określonych w art. 5 ust. 2 niniejszej ustawy", ("art. 5/ust. 2",), "art. 9/ust. 1"),
        Example("w ust. 1 i 2 pkt 3", ("art. 30/ust. 1", "art. 30/ust. 2/pkt 3"), "art. 30/ust. 4"),
        Example("w art. 7 Konstytucji", ("Konstytucja|art. 7",), "art. 9/ust. 1"),
    ),
)
