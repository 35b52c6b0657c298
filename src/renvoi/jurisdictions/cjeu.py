"""How the courts of the European Union cite judgments, from the 1950s on, in English."""

from __future__ import annotations

from renvoi.case_grammar import CaseExample, CaseGrammar

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_SUFFIX = r"(?:\s?-?\s?(?:PPU|RENV|REV|DEP|RX(?:[-\s]II)?|INTP|AJ|OPPO?|SA|TO|P\s?-\s?R|P\s?\((?:R|I)\)|P|R(?:\s?II)?)(?![\w']))*"
_NUMBER = rf"[CTF]\s?-{{1,2}}\s?\d{{1,4}}\s?/\s?\d{{2}}(?!\d){_SUFFIX}"
_CUT = rf"[CTF]\s?-{{1,2}}\s?\d{{1,4}}/(?:\d{{2}}(?!\d))?{_SUFFIX}"  # the year may be lost
_JOIN = r"(?:\s?,\s?(?:and\s)?|\s?(?:and|to|&|et)\s|\s?-\s?)"
_OLD = rf"(?:[CTF]\s)?\d{{1,3}}/\d{{2}}(?![\d/]){_SUFFIX}"
_PAGE = r"(?:(?:I+\s?-{0,2}\s?)?(?:[AB]\s?-?\s?)?(?:\d\s?-\s?)?\d+|I+(?:-?A)?(?![A-Za-z]))"
_NOUN = r"(?:judgments?|orders?|Opinions?|ruling|case(?=\s*[,.)]|\s(?:where|in|which|that|the|is|was|concern)))"

cjeu = CaseGrammar(
    name="cjeu",
    starts=r"[CTF](?:\s?-|\s\d)|\d{1,3}(?:/|,\s|\sand\s|\sto\s)|E[UC]|CE:|[Pp]ar|PAR|[Pp]oint|\u00a7|Opinion|judgm|order|conteste|"
    r"that\s|those\s|these\s|the\s(?:same|latter|former|two|three|four|five)\s|said\s|aforem|cited|mentio|referr|already|[Ii]bid|loc\.|op\.",
    number=rf"(?<![\w/-]){_NUMBER}(?:{_JOIN}(?:Case\s)?(?:{_NUMBER}|{_OLD}))*",
    cut_number=rf"(?<![\w/-]){_CUT}(?:(?:,\s|\s?and\s|\s?to\s){_CUT})*(?=[A-ZÀ-Ž\u2018\s,.;)\]])"
    r"|(?:(?<=Case\s)|(?<=Cases\s))\d{1,3}/(?=[A-ZÀ-Ž][^\W\d])",
    old_number=rf"(?<![\w/.-])(?:\d{{1,3}}(?:,\s|\sand\s|\sto\s))*{_OLD}(?:{_JOIN}{_OLD})*",
    old_number_before=r"(?<![A-Za-z])(?:Cases?|Cases? No\.?|CASES?)\s?$",
    old_number_after=r"\s?[,)(;]*\s*(?:not published,?\s*)?\(?(?:ECLI:)?EU:[CTF]:|\s?[,)]?\s*\[\d{4}\]\s?ECR",
    ecli=r"(?:ECLI:)?EU\s?[:;]\s?(?:[CTF]\s?:\s?)?\d{4}\s?[:,]\s?(?:\d{1,5}(?!\d)|X{2,4}\b)|(?P<foreign>(?:ECLI:)?CE:ECHR:[\w:]+)",
    opinion_number=r"\bOpinion\s\d{1,2}/\d{2}(?![\d/])",
    date=rf"(?<!\d)\d{{1,2}}\s(?:{_MONTH})(?:\s\d{{4}})?(?!\d)",
    today=r"[Tt]oday's\s(?:date\b|(?=judgment|order))|delivered\stoday",
    head=r"\b(?:[Jj]udgment(?P<plural>s)?|[Oo]rder(?:s)?|(?<![Aa]n )Opinions?)\b",
    head_by=r"(?:\s(?:of|by|from|in|on|given|delivered|made|the|this|that|Court|Courts|Justice|First|Instance|General|Civil|"
    r"Service|Tribunal|President|Vice-President|Grand|Chamber|European|Communities|Union|Full|its|Second|Third|Fourth|"
    r"Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|ECtHR|Human|Rights|EFTA|case|cases|CJEU|EU)|\s?[(),])*\s?",
    case_word=r"\b(?:[Jj]oined\s)?[Cc]ases?\s(?:No\.?\s)?$|\bCASES?\s$",
    reporter=rf"\[\d{{4}}\]\s?ECR(?:-SC)?(?:\s?-?\s?{_PAGE})?(?:,?\s(?:and|at)\s(?:I+-?\s?\w*-)?{_PAGE})?",
    pin_word=r"(?:\b(?:[Pp]aragraphs?|PARAGRAPHS?|[Pp]aras?\.|[Pp]aras?(?=\s\d)|[Pp]oints?)|§§?)",
    pin_item=rf"\d{{1,4}}(?![\d/]|\s?\(|\.\d|\s(?:{_MONTH})\b)",
    pin_join=r"\s?(?:,?\s?(?:and|or|as well as)|,|&|;)\s?(?:also\s)?(?:(?:in\sparticular,?|especially|"
    r"inter\salia,?)\s)?"
    r"(?:(?:in|at|from|of|to)\s)?(?:(?:paragraphs?|points?)\s)?",
    pin_range=r"\s?(?:to|-)\s?(?:paragraph\s)?",
    et_seq=r"\s?,?\set\sseq\.?|\sff\.?",
    page=r"\b(?:at\s)?(?:p{1,2}\.|pages?)\s?(?:[IVX]+-)?\d+(?:(?:\s?-\s?|,\s|\sand\s|\set\s)(?:[IVX]+-)?\d+)*",
    filler=r";\s?$|not\s(?:yet\s)?(?:published|reported)(?:\sin\sthe\sE(?:CR|uropean\sCourt\sReports))?|published\sin\sthe\sECR"
    r"|;?\s?\(?\u2018[^\u2018';]{1,90}'?\)?|\('[^']{1,60}'\)|and\s(?:the\s)?(?:other\s)?case-law\s(?:there\s)?cited(?:\sthere(?:in)?)?"
    r"|in\sparticular,?|and\sin\sparticular|especially|inter\salia|in\sfine|(?:at|see|cited)(?=\s?$)"
    r"|(?:cited|mentioned|referred\sto)\sin\sparagraphs?\s\d+\s(?:above|of\s(?:this|the\spresent)\sjudgment)|delivered\stoday|upheld\son\sappeal|[\s,()\[\]]",
    cited_above=r"(?:already\s)?(?:cited|mentioned|referred\sto)\s(?:above|earlier|in\sfootnote\s\d+(?:\sabove)?)|"
    r"\b[Ii]bid(?:em|\.)?|loc\.\scit\.|op\.\scit\.",
    under_appeal=r"\b(?:judgments?|orders?)\s(?:under\sappeal|appealed\sagainst)|\bcontested\s(?:judgments?|order)(?!\sof\sthe\sBoard)",
    this_judgment=r",?\s?(?:(?:above|below|hereof|supra|infra)\b|(?:of|in)\s(?:this|the\spresent)\s(?:judgment|order|Opinion|View))",
    own_opinion=r",?\s(?:of|in|to)\s(?:(?:the|his|her|my|their|that|this|said|first|present)\s)*(?:Advocate\sGeneral's\s)?"
    r"(?:Opinion|View|OPINION)\b(?!\s\d)",
    that_judgment=rf"\b(?:(?:that|those|the\ssame|the\slatter|said|aforementioned|these)\s(?:two\s|three\s|four\s)?|the\sformer\s(?=judgment|order)|the\s(?:two|three|four|five)\s)(?P<noun>{_NOUN}|decisions)\b"
    r"(?!-)",
    thereof=r",?\sthereof\b",
    operative=r",?\s(?:of|in)\sthe\soperative\spart(?:\s(?:of|in)\s(?:the\s|that\s)?)?",
    legislation=r"\s?,?\s?(?:thereof,?\s)?(?:of|in|to)\s(?:(?:the|that|those|this|its|said|same|each|first|second|third|present|contested|"
    r"Council|Commission|decision's|Joint|draft|initial|original|statement|its)\s)*(?:[Aa]rticles?|[Aa]nnex|[Dd]irectives?|"
    r"[Rr]egulations?|[Dd]ecisions?|[Pp]rotocol|[Cc]ode|[Ll]aw|[Aa]ct|Charter|TFEU|TEU|EC|[Cc]onvention|[Aa]greement|"
    r"[Ff]ramework|[Gg]uidelines|[Nn]otice|[Cc]ommunication|[Rr]ules|section|Section|statement|[Pp]aragraph|"
    r"[Pp]art|[Cc]hapter|[Rr]ecital|provision|application|response|defence|reply|appeal\b|rejoinder|form|request|order\sfor\sreference|"
    r"national|report|grounds?\sof|preamble)",
    legislation_before=r"(?:\b[Aa]rticles?|\bAnnex|\b[Rr]ules?|\b[Pp]aragraph|\bSection)\s[\w().^-]+,?\s?(?:\([\w]+\),?\s?)*(?:first\s)?$",
    name_word=r"(?:[A-ZÀ-ÖØ-ÞĀ-Ž0-9][\w.'&/+@!-]*|d'[A-Z]\w*|l'[A-Z]\w*|[a-z]{1,2}[A-Z]\w+)",
    name_join=r"(?:v|v\.|v\s\.|and|of|for|the|de|der|den|des|du|del|della|di|da|do|dos|das|la|le|les|van|von|zu|zur|für|und|et|e|i|y|w|en|"
    r"für|per|al|el|in|on|te|ten|ter|af|og|och|na|o|a|&|"
    r"(?:(?<=EUIPO\s)|(?<=OHIM\s)|(?<=OHMI\s))-)",
    institutions=frozenset(
        "Commission|Council|Parliament|European Parliament|European Commission|Council of the European Union|OHIM|"
        "EUIPO|ECB|"
        "European Central Bank|Court of Auditors|Court of Justice|General Court|High Authority|Austria|Belgium|"
        "Bulgaria|Croatia|"
        "Cyprus|Czech Republic|Denmark|Estonia|Finland|France|Germany|Greece|Hungary|Ireland|Italy|Latvia|Lithuania|"
        "Luxembourg|"
        "Malta|Netherlands|Poland|Portugal|Romania|Slovakia|Slovenia|Spain|Sweden|United Kingdom|European Union|"
        "Member States|"
        "Member State|Court|Opinion|"
        "Article|Directive|Regulation|Decision|Treaty|Charter|Case|EU|EC|State|Government".split("|")
    ),
    styles={"para": "paragraph {}"},
    examples=(
        CaseExample(
            "see judgments of 6 March 2031, Alder v Commission, C\u2011900/29\u00a0P, EU:C:2031:111, paragraphs 24 "
            "to 26, and of "
            "7 June 2025, Vest and Others, C-17/23, paragraph 69 and the case-law cited",
            (("C-900/29", (24, 25, 26), "precedent"), ("C-17/23", (69,), "precedent")),
        ),
        CaseExample("Case 900/74 Grimme [1975] ECR 1337, p. 12", (("900/74", (), "precedent"),)),
        CaseExample("in paragraph 33 above, and paragraph 3 of Article 6", (("", (33,), "this_judgment"),)),
        CaseExample(
            "the judgment in Case T-1/30 (EU:T:2031:5), and in particular paragraph 75 of that judgment",
            (("T-1/30", (), "precedent"), ("T-1/30", (75,), "precedent")),
        ),
    ),
)
