"""What a citation being read says, as references."""

from __future__ import annotations

from renvoi.cite._engine import Engine, step_of
from renvoi.cite._names import Names
from renvoi.cite._state import Draft, Scope, Setting
from renvoi.ids import clean_number
from renvoi.types import Path, Reference, Step

_FURTHER = 3  # sections that an amending act may have behind a transitional one


class Writer:
    """Makes the references of one text, left to right."""

    def __init__(self, engine: Engine, text: str, names: Names, setting: Setting) -> None:
        self.engine = engine
        self.text = text
        self.names = names
        self.setting = setting
        self.last: Draft | None = None  # the last reference with an article of its own, for "that Article"
        self.latest: dict[str, Draft] = {}  # the last reference that names a level: for "that paragraph"; "": of any
        self.start = self.end = 0  # where the citation stands
        self.leads = ""  # the level that the text's first citation begins with: its lead-in completes it
        self.carried = setting.carried
        self.note = len(setting.path) == 1 and setting.path[0].level == "note"  # of no section of its own
        self.worked = setting.address  # the place in the amended act named last

    def reference(self, draft: Draft) -> Reference:
        """Return what a draft says, completed by the setting."""
        steps = draft.steps
        scope = draft.scope
        if scope == "here" and len(steps) > 1 and steps[0][1] == "":
            steps = steps[1:]
        path = tuple([step_of(level.name, number) for level, number in steps])
        until = None if draft.until is None else (*path[:-1], Step(path[-1].level, draft.until))
        foreign = self.setting.act if draft.start >= self.setting.act_after else None
        act = draft.act if draft.closed else foreign
        if self.carried and act is not None and not draft.closed and self._is_consolidated(draft):
            act = None
        if scope == "here" and act is not None and not draft.closed and path[0].number and not self.carried:
            path, until, scope = self._addressed(draft, path, until)
        if scope == "here" and self.note and self.last is not None and path[0].number and not draft.closed:
            path, until, scope, act = self._behind_last(self.last, path, until)
        lead = self.setting.lead
        if lead is not None and scope == "here" and not draft.closed and path[0].number and path[0].level == self.leads:
            whole = self.engine.merge(lead.path, path)
            if len(whole) > len(path):
                until = None if until is None else (*whole[:-1], until[-1])
                path, scope, act = whole, lead.scope, lead.act
        if act is None and path[0].level == "art" and self.setting.top not in ("art", ""):
            act = self.names.eu_act_near(draft)
        if steps[0][0].name in self.engine.grammar.articles and not draft.silent:
            self.last = draft
        if not draft.silent and draft.steps[0][1]:
            for level, _ in draft.steps:
                self.latest[level.name] = draft
            self.latest[""] = draft
        if draft.closed and draft.act:
            self.names.last_act = draft.act
        if act is not None and act == self.setting.act and scope == "act":
            self.worked = path
        kind = "other_act" if act else ("relative" if scope != "act" else "internal")
        return Reference(draft.start, draft.end, path, until, act, scope, kind)

    def _behind_last(self, last: Draft, path: Path, until: Path | None) -> tuple[Path, Path | None, Scope, str | None]:
        """Complete a path in a note by the section named last: "tilføjelse af § 70, stk. 4, hvorefter stk. 4 blev
        stk. 5"."""
        cited = tuple([step_of(level.name, number) for level, number in last.steps])
        whole = self.engine.merge(cited, path)
        return whole, None if until is None else (*whole[:-1], until[-1]), last.scope, last.act if last.closed else None

    def _is_consolidated(self, draft: Draft) -> bool:
        """Tell whether a section is the consolidated act's and not of the act that made its transitional part.

        An amending act has no sections with letters, and few behind the one that says when it enters into force; what
        is "som affattet ved denne lovs § 1" or "hidtil gældende" is the act's that it amends.
        """
        level, number = draft.steps[0]
        if level.name != self.setting.top or number not in self.setting.numbers:
            return False
        if not number.isdigit():
            return True
        if len(draft.steps) > 1 and draft.steps[1][0].name == "point":
            return False  # "§ 1, nr. 5": an amendment
        own = next((step.number for step in self.setting.path if step.level == self.setting.top), "")
        if own.isdigit() and int(number) > int(own) + _FURTHER:
            return True
        changed = self.engine.changed.match(self.text, self.end)
        return bool(changed or self.engine.in_force.search(self.text, max(0, self.start - 60), self.start))

    def _addressed(self, draft: Draft, path: Path, until: Path | None) -> tuple[Path, Path | None, Scope]:
        """Complete a path by the place in the amended act that the amending provision has named."""
        address = self.worked
        if self.setting.quoted:
            address = self.setting.address
            for label in self.engine.quoted_label.finditer(self.text, 0, draft.start):
                name = label.lastgroup or ""
                address = self.engine.merge(address, (Step(name.rstrip("_"), clean_number(label[name])),))
        whole = self.engine.merge(address, path)
        if whole == path:
            return path, until, draft.scope
        return whole, None if until is None else (*whole[:-1], until[-1]), "act"


def as_excepted(r: Reference) -> Reference:
    """Return a reference as one named after "bortset fra"."""
    return Reference(r.start, r.end, r.path, r.until, r.act, r.scope, r.kind, True)
