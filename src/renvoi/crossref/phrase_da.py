"""Danish: how a rule becomes a question, and how the substance of a cited rule is named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from renvoi.crossref.statements import HOLE, Scene, Statement

language = "da"

# Finite verbs that carry the main clauses of Danish acts; the passive in -es is recognised by its ending.
_VERBS = frozenset(
    """er var har havde bliver kan skal må vil bør gælder finder omfatter træffer udgør bortfalder ophører betaler hæfter
    fastsætter bestemmer påhviler tilkommer afgør meddeler yder giver modtager indtræder forudsætter kræver vælger består
    udpeger nedsætter forhøjer regulerer foretager fører træder løber hviler beregner udbetaler opkræver kommer går falder
    påser afholder tilfalder indgår indeholder angår vedrører medfører begynder anses fremgår følger tilhører bevarer
    mister overtager afgiver fremsætter indgiver forelægger orienterer underretter ansætter afskediger leder varetager
    udfører sikrer stiller godkender registrerer offentliggør udsteder tilbagekalder nedlægger opretter etablerer tilbyder
    iværksætter administrerer vejleder bistår dækker refunderer udreder henlægger opgør står ligger sker mangler dør
    finansierer svarer drager bærer deltager optager stemmer repræsenterer indkalder forpligter berettiger tillader
    forbyder forfalder bestyrer sælger køber lejer udlejer ejer bebor benytter anvender behandler trækker forholder
    samtykker fritager udelukker tildeler fordeler vedligeholder overfører indbetaler tilbagebetaler anmelder indberetter
    videregiver opbevarer sletter forsømmer overstiger opfylder ønsker undlader tilsidesætter overtræder""".split()
)
_PASSIVE = re.compile(r"[a-zæøå]{2,}(?:ges|ves|ses|les|tes|des|kes|bes|pes|mes|res|gøres|ies|jes|nes|fås|ås)$")
_NOT_PASSIVE = re.compile(
    r"(?:ernes|enes|inges|heds|onernes|landes|dagenes|årenes|alles|andres|deres|vores|jeres|sammes)$"
)
_SUBORDINATE = re.compile(
    r"^(?:og |eller |men )?(?:der|som|hvor\w*|hvis|når|at|om|medmindre|såfremt|jf\.|idet|hvad|efterhånden|inden|indtil|"
    r"mens|selv om|uanset|bortset|herunder|dog|end|fordi|da|før|efter at)\b",
    re.I,
)
_FRONT = re.compile(
    r"^(?:Ved|I|Efter|For|Til|På|Under|Med|Inden|Ud over|Uanset|Fra|Over|Om|Mod|Mellem|Senest|Foruden|Hos|Af|Ud|Bortset)\b"
)
_TAIL = re.compile(
    r"(?:\b(?P<antecedent>(?:(?:for|af|til|om|på|ved|med|i|over for) )?(?:(?:en|et|den|det|de|alle) )?[\w-]+), (?P<rel>der|som)"
    r"|\b(?P<sub>hvis|når|såfremt|medmindre|hvor|fordi)"
    r"|\b(?P<prep>på grund af|af hensyn til|med henblik på|skyldes|om|for|ved|af|til|i form af|over for|mod|vedrørende))$"
)
_CONNECT = (
    r"(?:,? (?:som|der) (?:er )?(?:nævnt|omhandlet|omfattet|angivet|fastsat|anført|omtalt|nævnes|omtales) (?:i|af|efter) "
    r"|,? (?:som )?(?:nævnt|omhandlet|omfattet|angivet|fastsat|anført) (?:i|af|efter) |,? jf\. (?:dog )?| efter reglerne i "
    r"| efter bestemmelserne i | efter | i henhold til | i medfør af | i overensstemmelse med | i strid med | fra | i | af )"
)
_PHRASE = re.compile(rf"(?P<noun>[\w-]+)(?P<by>{_CONNECT})⟦(?P<n>\d+)⟧(?P<comma>,?)")
_CASES = re.compile(
    rf"^(?:I|Ved|For) (?:de )?(?:(?:i|efter) ⟦(?P<a>\d+)⟧,? (?:nævnte |omhandlede )?(?P<noun_a>[\w-]+)"
    rf"|(?P<noun>[\w-]+)(?:{_CONNECT})⟦(?P<n>\d+)⟧),? (?P<rest>.+)$"
)
_SCOPE = re.compile(
    r"^⟦(?P<n>\d+)⟧,? (?:gælder|finder|er) (?:(?:dog|også|tillige|heller|tilsvarende|ikke) )*(?:anvendelse ?|til hinder ?)?"
    r"(?P<rest>(?:for|på|ved|i(?! øvrigt)|når|hvis|til|over for|med hensyn til) .*)$"
)
_COUNT = r"(?:\d+|en|én|et|ét|to|tre|fire|fem|seks|syv|otte|ni|ti|tolv)"
_UNIT = r"(?:dage?|uger?|måneder|måned|år|arbejdsdage|hverdage|timer)"
_DROP = re.compile(r"\b(?:dog|således|imidlertid|endvidere|desuden|tillige|herefter|derfor|da) (?!at\b)")
_ADVERBS = re.compile(r"(?:(?:ikke|kun|alene|altid|aldrig|også|ligeledes|hvert år)\b ?)+")
_AUXILIARIES = ("er", "har", "bliver", "kan", "skal")
_PARTICIPLE = re.compile(
    r"(?:eret|edt|ttet|sat|fet|stedt|delt|lagt|agt|kendt|ydet|givet|krevet|talt|ævnt|ukket|truffet|udøvet|omfattet)$"
)
_NAME = re.compile(
    r"(?!.*[Bb]estyrelsen)(?:.*(?:tilsynet|styrelsen|fonden|\.dk|tinget|Nationalbank)$|Danmarks?$|Statsforvaltningen)"
)
_BANS = ("forbud", "forbuddet", "forbuddene")
_GENERIC = re.compile(
    r"(?:sag|afgørelse|klage|spørgsmål|beslutning|bestemmelse|regel|regler|oplysning|ansøgning|anmodning|aftale)", re.I
)


def item(text: str) -> str:
    """Return an item of a list as it stands inside a sentence, without what joins it to the next."""
    return _lower(re.sub(r"(?:,? (?:og|eller|samt))?[ ,.;:]*$", "", text))


def cut_holes(text: str) -> str | None:
    """Return a text without its citations; None where one is needed by the sentence."""
    several = r"⟦\d+⟧(?:(?:, (?:og |eller )?| og | eller | samt )⟦\d+⟧)*"
    text = re.sub(r"\(jf\.[^)]*\)", "", text)
    text = re.sub(rf",? jf\. (?:dog )?(?:også )?{several}(?P<comma>,?)(?= |$|[.,:;])", _kept_comma, text)
    text = re.sub(rf"(?<=\w){_CONNECT}(?:og )?{several}(?P<comma>,?)(?= |$|[.,:;])", _kept_comma, text)
    if HOLE.search(text):
        return None
    return re.sub(r"\s+([,.;:])", r"\1", re.sub(r"\s+", " ", text)).strip()


def _kept_comma(match: re.Match[str]) -> str:
    """Keep the comma after a citation where it closes a clause that began before."""
    before = match.string[: match.start()]
    opened = re.search(r"(?:^|, |\b)(?:der|som|hvor|hvis|når)\b[^,]*$", before) or _is_conditional(match.string)
    return match["comma"] if opened else ""


def questions(statement: Statement) -> Iterator[tuple[str, str]]:
    """Yield (pattern, question), the most natural first."""
    text = statement.text.rstrip(" .;:")
    if statement.lead_in:
        text = f"{statement.lead_in.rstrip(' :')} {item(text)}"
    text = _DROP.sub("", text)
    if re.search(r"\bforstås\b|\bherved\b|træder i kraft|har virkning", text):
        return
    for pattern, asked in _asked(text, statement):
        shaped = _tidy(_ask_for_the_number(_tidy(asked)))
        if not HOLE.search(shaped):
            yield pattern, shaped


def _asked(text: str, statement: Statement) -> Iterator[tuple[str, str]]:
    if match := _SCOPE.match(text):
        yield from _scope(match, statement)
        return
    if match := _CASES.match(text):
        scene = statement.scenes.get(int(match["n"] or match["a"]))
        rest, before = _fill(match["rest"], statement)
        noun = match["noun"] or match["noun_a"]
        if scene and rest and not before and _is_verb(rest.split()[0]):
            named = _when(scene) if re.match(r"tilfælde|situation", noun) else _with(" ved ", _named(noun, scene))
            if named:
                yield "cases", f"{_capital(rest)}{named}?"
                return
    filled, before = _fill(text, statement)
    if filled and (question := _invert(filled)):
        if before:
            question = question if _conditional(filled) or " kun " in question else _without_conditions(question)
            if len(question.split()) >= 5:
                yield "when", f"Når {before}, {_lower(question)}?"
        else:
            yield "inverted", f"{re.split(r', (?:medmindre|herunder|men|idet|jf|samt)', question)[0]}?"


def _scope(match: re.Match[str], statement: Statement) -> Iterator[tuple[str, str]]:
    """'§ 4 gælder ikke for X' > 'Gælder det også for X, at <rule of § 4>?'."""
    scene = statement.scenes.get(int(match["n"]))
    rest, before = _fill(re.sub(r"^på ", "for ", match["rest"]), statement)
    if not scene or not rest or before or scene.is_open:
        return
    rule = _rule(scene)
    if clause := _subordinate(rule):
        yield "scope", f"Gælder det også {rest}, at {clause}?"


def _fill(text: str, statement: Statement) -> tuple[str, str]:
    """Put the substance of what is cited in the place of each citation.

    Returns:
        The text, "" where a citation stays; and a clause to be said before it, where the substance fits nowhere else.
    """
    text = re.sub(
        r"\b(?:de af |[Dd]en |[Dd]et |[Dd]e )?i ⟦(\d+)⟧,? (?:nævnte|omhandlede) (?P<noun>[\w-]+)",
        r"\g<noun> efter ⟦\1⟧",
        text,
    )
    before = ""
    for _ in range(4):
        match = _PHRASE.search(text)
        if not match:
            break
        scene = statement.scenes.get(int(match["n"]))
        by = match["by"].strip(" ,")
        if by == "i strid med":  # what is forbidden cannot be left out, and is not to be guessed
            return "", ""
        if scene is None and not by.startswith("jf"):
            return "", ""
        named: str | None = match["noun"] if scene is None else None
        if scene and by not in ("fra", "i", "af") or scene and match["noun"].lower() in _BANS:
            named = _named(match["noun"], scene)
        if scene and named is None:
            clause = _subordinate(_rule(scene)) if not scene.is_open else None
            if (
                before
                or not clause
                or by in ("fra", "i", "af")
                and not match["noun"].lower().startswith(("forbud", "frist", "pligt", "ret"))
            ):
                return "", ""
            if _is_verb(match["noun"]) or _PARTICIPLE.search(match["noun"]):
                return "", ""
            before = _shortened(clause)
            text, match = _pointed(text, match)
            named = match["noun"]
        assert named is not None
        after = text[match.end() :]
        needed = re.search(r", (?:der|som|hvor|når|hvis)\b", named) or re.match(
            r" (?:der|som|når|hvis|hvor\w*|men|og|jf)\b", after
        )
        inside = re.search(r", (?:der|som|hvor)\b[^,]*$", text[: match.start()]) or _is_conditional(text)
        comma = needed and (match["comma"] or "," in named) or inside and match["comma"]
        closing = "," if comma and after.strip(" .") and after[:1] == " " else ""
        text = text[: match.start()] + named + closing + after
    return ("", "") if HOLE.search(text) else (text, before)


def _pointed(text: str, match: re.Match[str]) -> tuple[str, re.Match[str]]:
    """Make the noun before a citation that goes point to what was said: 'de opgaver' > 'disse opgaver'."""
    start, noun = match.start(), match["noun"]
    if article := re.search(r"\b(?P<a>[Dd]et?|[Dd]en|[Dd]e) $", text[:start]):
        new = {"de": "disse", "den": "denne", "det": "dette"}[article["a"].lower()]
        text = f"{text[: article.start()]}{_capital(new) if article['a'][0] == 'D' else new} {text[start:]}"
    elif noun[-2:] == "er" and not re.search(r"(?:denne|disse|alle|andre|\w+s) $", text[:start]):
        text = (
            f"{text[:start]}{'Sådanne' if noun[0].isupper() else 'sådanne'} {_lower(noun)}{text[start + len(noun) :]}"
        )
    found = _PHRASE.search(text)
    assert found
    return text, found


def _named(noun: str, scene: Scene) -> str | None:
    """Return a noun with what tells it: 'Nedsættelse' > 'Nedsættelse for personer, der er under uddannelse'."""
    if re.match(r"(?:tilfælde|situation)", noun):
        case = _when(scene)
        return noun + re.sub(r"^, (?:når|hvis|såfremt)\b", ", hvor", case) if case and case.startswith(",") else None
    if scene.lead_in:
        return _named_by_item(noun, item(scene.text), scene.lead_in.rstrip(" :,"))
    rule = scene.text.rstrip(" .;:")
    if completed := _completed(noun, rule):
        return completed
    match = re.search(r"\b(?:skal|må ikke|kan)\b (?P<phrase>.+)$", rule)
    if match and not scene.is_open:
        phrase = _shortened(match["phrase"])
        if _starts_with_infinitive(phrase):
            if noun.lower().startswith(("pligt", "forpligtelse", "adgang", "ret", "beføjelse")):
                return f"{noun} til at {phrase}"
            if noun.lower() in _BANS:
                return f"{noun} mod at {phrase}"
    return None


def _named_by_item(noun: str, what: str, lead_in: str) -> str | None:
    if what.lower().startswith(noun.lower()) and not _main_clause(what):
        return noun + what[len(noun) :]
    if completed := _completed(noun, what):
        return completed
    first = what.split()[0]
    if noun.lower() in _BANS and first.endswith("es"):
        return f"{noun} mod at {first[:-1]}{what[len(first) :]}"
    tail = _TAIL.search(lead_in)
    if not tail:
        return None
    if tail["rel"]:
        antecedent = tail["antecedent"]
        bare = re.sub(r"^(?:for|af|til|om|på|ved|med|i|over for) ", "", antecedent)
        words = bare.split()
        if _is_verb(words[0]) and len(words) > 1:
            bare = " ".join(words[1:])
        if bare.split()[-1].lower() == noun.lower():
            return f"{noun}, {tail['rel']} {what}"
        if _GENERIC.match(noun):
            return f"{noun} om {bare}, {tail['rel']} {what}"
        preposition = re.match(r"(?:for|af|til|om|på|ved|med|i|over for) ", antecedent)
        return f"{noun} {preposition[0] if preposition else 'af '}{bare}, {tail['rel']} {what}"
    if tail["sub"]:
        if not re.search(r"(?:ing|else|afslag|ophør)(?:en|er|erne|et)?$", noun.lower()) and not _GENERIC.match(noun):
            return None
        return f"{noun}, {'hvor' if tail['sub'] == 'medmindre' else tail['sub']} {what}"
    preposition_ = "om" if _GENERIC.match(noun) else "på grund af" if tail["prep"] == "skyldes" else tail["prep"]
    return f"{noun} {preposition_} {what}"


def _completed(noun: str, text: str) -> str | None:
    """Complete a noun with the words that follow it in the cited text: 'Retten' > 'Retten til at færdes til fods'."""
    stem = re.sub(r"(?:erne|ene|en|et|er|e|n|t)$", "", noun.lower())
    stem = re.sub(r"tt$", "t", stem)
    if len(stem) < 3:
        return None
    for match in re.finditer(rf"\b{re.escape(stem)}\w{{0,4}} (?P<rest>(?:til|om|på|for|af|ved|mod|i) .+)$", text, re.I):
        rest = re.split(r"(?<=\w{3}), (?=og |eller |når |hvis |jf)|[.;:]", match["rest"])[0]
        if 2 <= len(rest.split()) <= 18 and (re.match(r"\w+ at ", rest) or not _main_clause(rest)):
            return f"{noun} {rest}"
    return None


def _when(scene: Scene) -> str | None:
    """Return the cited case as the end of a question: ', når fraværet skyldes sygdom'."""
    if not scene.lead_in:
        clause = None if scene.is_open else _subordinate(scene.text.rstrip(" .;:"))
        return f", når {clause}" if clause else None
    lead_in, what = scene.lead_in.rstrip(" :,"), item(scene.text)
    tail = _TAIL.search(lead_in)
    if not tail:
        return f", når det drejer sig om {what}" if not _is_verb(what.split()[0]) else None
    if tail["sub"]:
        return f", {tail['sub'] if tail['sub'] != 'medmindre' else 'når'} {what}"
    if tail["rel"]:
        antecedent = re.sub(r"^(?:for|af|til|om|på|ved|med|i|over for) ", "", tail["antecedent"])
        words = antecedent.split()
        antecedent = " ".join(words[1:]) if _is_verb(words[0]) and len(words) > 1 else antecedent
        return f", når det drejer sig om {antecedent}, {tail['rel']} {what}"
    if tail["prep"] == "skyldes":
        cause = re.search(r"\b(?:når|hvis) (.+)$", lead_in)
        return f", når {cause[1]} {what}" if cause else f" på grund af {what}"
    return (
        f", når det drejer sig om {what}" if tail["prep"] in ("om", "for", "til", "af") else f" {tail['prep']} {what}"
    )


def _rule(scene: Scene) -> str:
    text = scene.text.rstrip(" .;:,")
    return f"{scene.lead_in.rstrip(' :')} {item(text)}" if scene.lead_in else text


def _invert(text: str) -> str | None:
    """Return a statement as a yes-no question, without its mark: the finite verb first."""
    if condition := _conditional(text):
        return f"{_capital(condition[1])}, hvis {condition[0]}"
    parts = _main_clause(text)
    if parts is None or not parts[0]:
        return None
    front, verb, rest = parts
    if _FRONT.match(front) or _SUBORDINATE.match(front) and not front.startswith("Der"):
        comma = "," if _SUBORDINATE.match(front) or re.search(r", (?:der|som|hvor)\b", rest) else ""
        return f"{_capital(verb)} {rest}{comma} {_lower(front.rstrip(','))}"
    return f"{_capital(verb)} {_lower(front)} {rest}"


def _conditional(text: str) -> tuple[str, str] | None:
    """Split 'Er fristen overskredet, hæfter stifterne' into 'fristen er overskredet' and 'hæfter stifterne'."""
    match = re.match(r"(?P<verb>[A-ZÆØÅ][a-zæøå]+) (?P<inner>.+?), (?P<main>(?P<next>[a-zæøå]+) .+)$", text)
    if not match or not _is_verb(match["verb"]) or not _is_verb(match["next"]):
        return None
    verb, inner = match["verb"].lower(), match["inner"]
    if verb in ("mangler", "foreligger", "findes", "opstår"):
        return f"der {verb} {inner}", match["main"]
    if verb in _AUXILIARIES and (
        predicate := re.match(
            r"(?P<s>.+?) (?P<p>(?:ikke )?(?:\w+(?:et|ede|givet|fået|truffet|lagt|sket)|gyldig|til stede|i restance)\b.*)$",
            inner,
        )
    ):
        return f"{predicate['s']} {verb} {predicate['p']}", match["main"]
    first = inner.split()[0]
    if re.search(r"(?:en|et|ne|loven)$", first) and first not in ("en", "et", "den"):
        return f"{first} {verb} {inner[len(first) :].strip()}".strip(), match["main"]
    return None


def _main_clause(text: str) -> tuple[str, str, str] | None:
    """Split a main clause into what stands before the finite verb, the verb, and the rest."""
    at = 0
    for number, segment in enumerate(re.split(r"(?<=,) ", text)):
        if not _SUBORDINATE.match(segment) or (number == 0 and segment.startswith("Der ")):
            for match in re.finditer(r"[\wæøåÆØÅ-]+", segment):
                word = match[0]
                infinitive = segment[: match.start()].endswith(("at ", "at kunne "))
                if _is_verb(word) and (at or match.start()) and not infinitive:
                    start = at + match.start()
                    return text[:start].strip(), word.lower(), text[start + len(word) :].strip()
                if word in ("som", "hvis", "når", "hvor", "der"):
                    break  # a clause opened without a comma: look for the verb after the next one
        at += len(segment) + 1
    return None


def _subordinate(rule: str) -> str | None:
    """Return a main clause in the order of a subordinate one: 'X kan ikke Y' > 'x ikke kan y'."""
    rule = _DROP.sub("", rule).rstrip(" .;:")
    parts = _main_clause(rule)
    if parts is None or _is_conditional(rule):
        return None
    subject, verb, rest = parts
    if _FRONT.match(subject) and (moved := re.match(r"(?P<s>(?:der|[\wæøå]+(?:en|et|ne)))\b ?(?P<r>.*)$", rest)):
        adverb = _ADVERBS.match(moved["r"])
        middle, rest = (adverb[0], moved["r"][adverb.end() :]) if adverb else ("", moved["r"])
        return f"{moved['s']} {middle}{_lower(subject.rstrip(','))} {verb} {rest}".strip()
    if not subject or _FRONT.match(subject) or (_SUBORDINATE.match(subject) and not subject.startswith("Der")):
        return None
    adverb = _ADVERBS.match(rest)
    if adverb:
        return f"{_lower(subject)} {adverb[0].strip()} {verb} {rest[adverb.end() :]}".strip()
    return f"{_lower(subject)} {verb} {rest}".strip()


def _shortened(clause: str) -> str:
    """Return a clause without the conditions that follow it."""
    return re.split(r", (?:når|hvis|medmindre|såfremt|dog|jf\.|idet|senest|men)\b|[;:]", clause)[0]


def _without_conditions(question: str) -> str:
    """Return a question without the conditions after it; "" where they stand in its middle."""
    short = _shortened(question)
    in_middle = re.match(r"(?:Skal|Kan|Må|Bør|Vil)\b", question) and re.search(
        r", [a-zæøå]{3,}es?\b", question[len(short) :]
    )
    return "" if in_middle else short


def _is_verb(word: str) -> bool:
    low = word.lower()
    return low in _VERBS or bool(_PASSIVE.search(low) and not _NOT_PASSIVE.search(low))


def _starts_with_infinitive(phrase: str) -> bool:
    return bool(re.match(r"(?:ikke )?[a-zæøå]+(?:[^s]e|å|bo|gå|stå|få|se)\b", phrase))


def _ask_for_the_number(question: str) -> str:
    """Ask for a term instead of naming it: the answer stands in the target."""
    number = rf"{_COUNT} {_UNIT}"
    if match := re.match(
        rf"^(?:Er|Udgør) (?P<what>(?:fristen|varslet|perioden)\b.*?) {number}\b(?P<rest>.*)\?$", question
    ):
        how = "langt" if match["what"].startswith("varslet") else "lang"
        return f"Hvor {how} er {match['what']}{match['rest']}?"
    if match := re.match(
        rf"^(?P<verb>Skal|Kan) (?P<what>.+?),? (?:senest|inden(?: for)?) {number}\b(?P<rest>.*)\?$", question
    ):
        return f"Inden hvilken frist {match['verb'].lower()} {match['what']}{match['rest']}?"
    return question


def _with(before: str, text: str | None) -> str | None:
    return None if text is None else before + text


def _tidy(text: str) -> str:
    text = re.sub(r",(?:\s*,)+", ",", re.sub(r"\s+", " ", text))
    return re.sub(r"\s*,?\s*([?:])", r"\1", re.sub(r"\s+,", ",", text))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _is_conditional(text: str) -> bool:
    """Tell whether a sentence opens with its verb: 'Inddrager Finanstilsynet …', 'Er fristen …'."""
    first, _, rest = text.partition(" ")
    if first.lower() in _VERBS:
        return True
    return first.endswith("r") and bool(re.match(r"(?:[A-ZÆØÅ]|(?:en|et|den|det|der)\b|\w{3,}(?:en|et|erne) )", rest))


def _lower(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text if (len(first) > 1 and first[1:2].isupper()) or _NAME.match(first) else text[:1].lower() + text[1:]
