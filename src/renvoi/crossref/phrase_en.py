"""English: how a rule becomes a question, and how the substance of a cited rule is named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from renvoi.crossref.statements import HOLE, Scene, Statement

language = "en"

_SEVERAL = r"⟦\d+⟧(?:(?:, | and | or |, and |, or )⟦\d+⟧)*"
_LEADS = (
    r"(?:,? (?:which (?:is|are) )?(?:as )?(?:referred to|laid down|set out|provided for|specified|listed|described|mentioned|defined|covered|granted|"
    r"established|designated|adopted|issued|imposed|required|paid|carried out|kept|taken) (?:in|by|under|pursuant to|in accordance with) "
    r"|,? (?:pursuant to|under|in accordance with|within the meaning of|by virtue of|on the basis of|for the purposes? of|without prejudice to|subject to|"
    r"by way of derogation from|with the exception of) | in | of )"
)
_PHRASE = re.compile(rf"(?P<noun>[\w’'-]+)(?P<by>{_LEADS})(?P<holes>{_SEVERAL})(?P<comma>,?)")
_CASE = re.compile(
    rf"^(?:In|On|For) (?:the )?(?:cases?|situations?|circumstances|event)(?:{_LEADS})⟦(?P<n>\d+)⟧,? (?P<rest>.+)$"
    r"|^Where ⟦(?P<m>\d+)⟧,? applies, (?P<rest2>.+)$"
)
_SCOPE = re.compile(
    r"^⟦(?P<n>\d+)⟧,? shall (?P<no>not )?(?:also |likewise )?apply(?: mutatis mutandis)?,? (?P<rest>(?:to|where|during|in|if|when|until|unless) .+)$"
)
_FRONT = re.compile(
    rf"^(?:By way of derogation from|Without prejudice to|For the purposes of|Subject to|In accordance with) {_SEVERAL},? "
)
_TAIL = re.compile(
    r"\b(?:(?P<sub>where|if|when|provided that|unless)(?P<subject>(?: [\w’-]+){0,5})|(?P<prep>in the event of|on the grounds of|because of|to|by|of|for))$"
)
_AUX = re.compile(r"^(?P<s>.+?) (?P<aux>shall|may|must|is|are|has|have|can|will)(?P<no> not)? (?P<r>.+)$")
_RELATIVE = re.compile(r"\b(?:which|who|that|whose|where|when|if|whether|as)$")
_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_UNIT = r"(?:days?|weeks?|months?|years?|hours?|minutes)(?: days?)?"
_DROP = re.compile(r"\b(?:nevertheless|however|also|likewise|furthermore|moreover),? ", re.I)


def item(text: str) -> str:
    """Return an item of a list as it stands inside a sentence, without what joins it to the next."""
    return _lower(re.sub(r"(?:[,;]? (?:and|or))?[ ,.;:]*$", "", text))


def cut_holes(text: str) -> str | None:
    """Return a text without its citations; None where one is needed by the sentence."""
    text = _FRONT.sub("", text)
    text = re.sub(rf"\([^()]*{_SEVERAL}[^()]*\)", "", text)
    text = re.sub(rf"(?<=\w){_LEADS}{_SEVERAL}(?: (?:of|to) (?:this|that) \w+)?,?(?= |$|[.;:,])", "", text)
    if HOLE.search(text):
        return None
    return _capital(re.sub(r"\s+([,.;:])", r"\1", re.sub(r"\s+", " ", text)).strip())


def questions(statement: Statement) -> Iterator[tuple[str, str]]:
    """Yield (pattern, question), the most natural first."""
    text = statement.text.rstrip(" .;:,")
    if statement.lead_in:
        text = f"{statement.lead_in.rstrip(' :')} {item(text)}"
    if re.search(r"enter into force|\bmeans\b|definitions apply|delegated act|shall apply from", text):
        return
    for pattern, asked in _asked(_capital(_FRONT.sub("", _DROP.sub("", text))), statement):
        shaped = _tidy(_ask_for_the_number(_tidy(asked)))
        if not HOLE.search(shaped):
            yield pattern, shaped


def _asked(text: str, statement: Statement) -> Iterator[tuple[str, str]]:
    if match := _SCOPE.match(text):
        scene = statement.scenes.get(int(match["n"]))
        rest, before = _filled(match["rest"], statement)
        rule = _rule(scene) if scene else None
        if rule and rest and not before:
            yield "scope", f"Does the rule that {_lower(rule)} apply {rest}?"
        return
    if match := _CASE.match(text):
        scene = statement.scenes.get(int(match["n"] or match["m"]))
        rest, before = _filled(match["rest"] or match["rest2"], statement)
        question = _invert(rest)
        if scene and question and not before:
            if tail := _when(scene):
                yield "cases", f"{question} {tail}?"
            elif rule := _rule(scene):
                yield "cases_said", f"{rule}: {_lower_first(question)} in such a case?"
        return
    rest, before = _filled(text, statement)
    question = _invert(rest)
    if question:
        if before:
            question = _ask_for_the_number(f"{question}?")
            yield "said", f"Given that {_lower(before)}, {_lower_first(question)}"
        else:
            yield "inverted", f"{question}?"


def _filled(text: str, statement: Statement) -> tuple[str, str]:
    """Put the substance of what is cited in the place of each citation.

    Returns:
        The text, "" where a citation stays; and a rule to be said before it, where the substance fits nowhere else.
    """
    before = ""
    for _ in range(4):
        match = _PHRASE.search(text)
        if not match:
            break
        numbers = [int(n) for n in re.findall(r"⟦(\d+)⟧", match["holes"])]
        scene = next((statement.scenes[n] for n in numbers if n in statement.scenes), None)
        by = match["by"].strip(" ,")
        if by.startswith(("with the exception", "subject to", "without prejudice")):
            return "", ""
        named = _named(match["noun"], scene) if scene and by not in ("of",) else None
        if scene and named is None and not before:
            before = _rule(scene) or ""
            if not before or by in ("of",):
                return "", ""
        after = text[match.end() :]
        closing = (
            "," if match["comma"] and re.match(r" (?:where|which|who|and|but|if|provided|unless)\b", after) else ""
        )
        if named and re.search(r", which\b", named) and after:
            closing = ","
        front = text[: match.start()]
        if named is None:
            pointing = "such " if re.search(r"[^s]s$", match["noun"]) else "that "
            front = re.sub(r"\bThe $", _capital(pointing), re.sub(r"\bthe $", pointing, front))
        text = front + (named or match["noun"]) + closing + after
    return ("", "") if HOLE.search(text) else (text, before)


def _named(noun: str, scene: Scene) -> str | None:
    """Return a noun with what tells it: 'obligation' > 'obligation to carry blankets'."""
    rule = scene.text.rstrip(" .;:,")
    if scene.lead_in:
        what = item(rule)
        stem = re.sub(r"(?:ies|es|s|y)$", "", noun.lower())
        if match := re.search(
            rf"\b(?P<n>{re.escape(stem)}\w{{0,3}}) (?P<rest>(?:who|which|under|older|accompanying|of|for|on|with|longer|shorter) .+)$",
            what,
        ):
            return f"{noun} {match['rest']}"
        rule = f"{scene.lead_in.rstrip(' :')} {what}"
    if scene.is_open:
        return None
    if match := re.search(r"\bshall (?P<no>not )?(?P<phrase>(?!be\b|have\b|apply\b|mean\b).+)$", rule):
        phrase = re.split(r", (?:provided|unless|where|if|when|save|except)\b", match["phrase"])[0]
        if noun.lower() in ("obligation", "duty", "obligations", "duties", "requirement") and not match["no"]:
            return f"{noun} to {phrase}"
    if (match := re.search(r"\b(?:have|has) the right to (?P<phrase>.+)$", rule)) and noun.lower() in (
        "right",
        "rights",
    ):
        return f"{noun} to {match['phrase']}"
    return None


def _when(scene: Scene) -> str | None:
    """Return the cited case as a clause: 'where the operator has failed to run a service'."""
    if not scene.lead_in:
        return None
    tail = _TAIL.search(scene.lead_in.rstrip(" :,"))
    if not tail or tail["prep"] in ("to", "by", "of", "for"):
        return f"{what}" if re.match(r"(?:where|while|when|if|on|during) ", what := item(scene.text)) else None
    if tail["sub"]:
        return f"{'where' if tail['sub'] == 'unless' else tail['sub']}{tail['subject']} {item(scene.text)}"
    return f"{tail['prep']} {item(scene.text)}"


def _rule(scene: Scene) -> str | None:
    if scene.is_open:
        return None
    text = scene.text.rstrip(" .;:,")
    rule = f"{scene.lead_in.rstrip(' :')} {item(text)}" if scene.lead_in else text
    rule = re.split(r"(?:,|;) (?:provided that|unless|save|except)\b", rule)[0]
    return rule if 3 <= len(rule.split()) <= 36 else None


def _invert(text: str) -> str | None:
    """Return a statement as a yes-no question, without its mark."""
    if not text:
        return None
    front = ""
    if match := re.match(
        r"(?P<front>(?:Where|If|When|In|On|For|During|Before|After|Upon|Within) [^,]+), (?P<main>.+)$", text
    ):
        front, text = match["front"], _capital(match["main"])
    at = 0
    match_aux = None
    while True:
        match_aux = (
            _AUX.match(text[at:])
            if at == 0
            else re.match(
                r"^(?P<s>.*?) (?P<aux>shall|may|must|is|are|has|have|can|will)(?P<no> not)? (?P<r>.+)$", text[at:]
            )
        )
        if not match_aux:
            return _plain(text, front)
        subject = text[: at + match_aux.end("s")]
        if _in_relative(subject):
            at += match_aux.end("aux") if at == 0 else match_aux.end("aux")
            continue
        break
    aux, no, rest = match_aux["aux"], match_aux["no"] or "", match_aux["r"]
    subject = _lower(subject)
    head = re.split(r",| (?:to|of|which|who|in|on|by|under|referred|laid|longer|with)\b", subject)[0]
    if subject.startswith("no ") and aux in ("shall", "may"):
        return f"May {'an' if re.match('no [aeiou]', subject) else 'a'} {subject[3:]} {rest}" + (
            f" {_lower(front)}" if front else ""
        )
    if aux == "shall" and re.match(
        r"be (?!\w+(?:ed|en|wn|ne)\b|made\b|paid\b|set\b|sent\b|kept\b|left\b|held\b|taken\b|borne\b|free\b|drawn\b)",
        rest,
    ):
        verb = "Are" if re.search(r"(?:[^s]s|persons|people)$", subject.split(",")[0].split(" which")[0]) else "Is"
        rest = rest[3:]
    elif aux == "shall" and rest.startswith(("have ", "apply")):
        verb = "Do" if re.search(r"[^s]s$", head) else "Does"
    else:
        verb = {"shall": "Must", "must": "Must"}.get(aux, _capital(aux))
    no = "" if verb in ("May", "Must", "Is", "Are", "Does", "Do") else no
    end = f" {_lower(front)}" if front else ""
    return f"{verb} {subject}{no} {rest}{end}"


def _plain(text: str, front: str) -> str | None:
    if match := re.match(r"(?P<s>.+?) (?P<not>does not apply|do not apply|applies|apply) (?P<r>.+)$", text):
        does = "Do" if match["not"] in ("do not apply", "apply") else "Does"
        return f"{does} {_lower(match['s'])} apply {match['r']}" + (f" {_lower(front)}" if front else "")
    return None


def _in_relative(subject: str) -> bool:
    """Tell whether a verb after these words still belongs to a relative clause."""
    last = list(re.finditer(r"\b(?:which|who|whose|where|when|if|whether)\b", subject))
    return bool(last) and not re.search(
        r"\b(?:shall|may|must|is|are|was|were|has|have|had|runs?|\w+s|\w+ed)\b.*$", subject[last[-1].end() :]
    )


def _ask_for_the_number(question: str) -> str:
    """Ask for a term instead of naming it: the answer stands in the target."""
    if match := re.match(
        rf"^(?:Is|Must) (?P<what>(?:the|that|this)? ?(?:[\w-]+ )?(?:period|interval|time limit)\b.*?) (?:be )?{_NUMBER} {_UNIT}\b(?P<rest>.*)\?$",
        question,
    ):
        return f"How long is {match['what']}{match['rest']}?"
    if match := re.match(
        rf"^(?P<aux>Must) (?P<what>.+?) within {_NUMBER} {_UNIT}\b(?: of [\w -]+)?(?P<rest>.*)\?$", question
    ):
        return f"Within what period must {match['what']}{match['rest']}?"
    return question


def _tidy(text: str) -> str:
    text = re.sub(r",(?:\s*,)+", ",", re.sub(r"\s+", " ", text))
    return re.sub(r"\s*,?\s*([?])", r"\1", re.sub(r"\s+,", ",", text))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _lower(text: str) -> str:
    first = text.split(" ", 1)[0]
    if first in ("Member", "Commission", "Council", "Union", "European") or (len(first) > 1 and first[1:2].isupper()):
        return text
    return text[:1].lower() + text[1:]
