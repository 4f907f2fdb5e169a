"""How many elements a parser has open while it reads a page, at most.

A parser takes time for each tag in proportion to the elements that are open, so a page with very
many of them takes quadratic time.  `OpenElements` follows the rules by which a parser opens and
closes elements.  Where these depend on what it does not follow (select, template, frameset, the
inside of drawings), it closes less than the parser: an element that may be open counts as open.

An entry is *sure* if the parser certainly has it open.  An end tag closes everything down to the
element of its name only if that entry is sure, and nothing in between keeps the parser from it;
else all entries from there on become *unsure*.  The last entry is closed by its end tag in any
case: if the parser has it open it is the last one there too.

Formatting that was open in something closed counts as open again, unless a cell of a table is
closed around it, since the parser opens it again later.

So the parser has at most those open that are counted here, and those that it adds itself: rows and
their groups in a table, and formatting left open, which `sanitise` bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foragers.compiled import compiled
from foragers.parsing.html.element_kinds import FLAGS, HIDDEN, ElementKind
from foragers.parsing.html.tokens import (
    RAW_TEXT,
    TOKEN,
    attribute_count,
    closes_itself,
    raw_end,
)

MAX_ATTRIBUTES = 128
MAX_WEIGHT = 400_000
"""The largest number of tags and attributes parsed, at about 200 bytes of memory each."""
MAX_WORK = 50_000_000
"""The largest sum over all start tags of the elements that are open."""
SHORT = 32
"""Attributes of so many bytes are few; counting is slow."""


SURE, FOREIGN, UNSURE = range(3)
_NOT_OPENED = ElementKind.VOID | ElementKind.ONCE | ElementKind.RAW
_SIBLINGS = (
    ElementKind.HEADING
    | ElementKind.OPTION
    | ElementKind.OPTGROUP
    | ElementKind.LI
    | ElementKind.DEFINITION
    | ElementKind.BUTTON
    | ElementKind.ONE_AT_A_TIME
    | ElementKind.TABLE
    | ElementKind.RUBY
    | ElementKind.FRAMESET
)
_NOT_PLAIN = (
    _NOT_OPENED
    | _SIBLINGS
    | ElementKind.CLOSES_P
    | ElementKind.PART
    | ElementKind.DRAWING
    | ElementKind.ALWAYS_UNSURE
)
_KEEPS_P = ElementKind.SCOPE | ElementKind.BUTTON


def _keeps(flags: int) -> int:
    """Return the kinds of elements behind which an end tag does not reach those of its name."""
    if flags & ElementKind.TABLE:
        return ElementKind.DOUBTFUL
    if flags & ElementKind.PART:
        return ElementKind.DOUBTFUL | ElementKind.TABLE
    if flags & ElementKind.P:
        return _KEEPS_P
    if flags & ElementKind.LI:
        return ElementKind.SCOPE | ElementKind.LIST
    if flags & ElementKind.HEADING:
        return ElementKind.SCOPE | ElementKind.HEADING
    if flags & (ElementKind.BLOCK | ElementKind.BUTTON | ElementKind.DEFINITION | ElementKind.MARK):
        return ElementKind.SCOPE
    return ElementKind.SPECIAL


@dataclass(slots=True)
class OpenElementsInPython:
    """The elements that a parser may have open: their names, kinds, and how sure that is.

    FOREIGN ones are elements of a drawing or formula that are certainly open.
    """

    names: list[bytes] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    counts: dict[bytes, int] = field(default_factory=dict)
    doubts: int = 0
    drawings: int = 0
    markups: int = 0

    def __len__(self) -> int:
        return len(self.names)

    @property
    def is_sure(self) -> bool:
        """Whether the last element is certainly open."""
        return bool(self.states) and self.states[-1] == SURE

    @property
    def last_name(self) -> bytes:
        """The name of the last element."""
        return self.names[-1] if self.names else b""

    def hide(self, number: int) -> None:
        """Open some elements of unknown names, which nothing closes."""
        for _ in range(number):
            self._push(HIDDEN, FLAGS[HIDDEN], UNSURE)

    def end(self, name: bytes) -> bool:
        """Read an end tag; return whether an HTML element is certainly closed by it."""
        flags = FLAGS.get(name, 0)
        if self.states and self.states[-1] == FOREIGN and self._ends_foreign(name, flags):
            return False
        if not self.counts.get(name):
            return False
        last = len(self.names) - 1
        if self.names[last] == name:
            is_sure = self.states[last] == SURE
            self._remove(last)
            return is_sure
        place = self._last(name)
        if flags & ElementKind.FORM:
            self._doubt(place)
            return False
        return self._close(place, _keeps(flags))

    def start(self, name: bytes, attributes: bytes) -> None:
        """Read a start tag."""
        flags = FLAGS.get(name, 0)
        if self.states and self.states[-1] == FOREIGN:
            if not flags & ElementKind.BREAKS_OUT:
                self._start_foreign(name, flags, attributes)
                return
            self._leave_foreign()
        if flags & _NOT_PLAIN and not self._prepare(name, flags, attributes):
            return
        state = SURE
        if self.doubts or flags & ElementKind.ALWAYS_UNSURE:
            state = UNSURE
        elif flags & ElementKind.DRAWING:
            state = FOREIGN
        self._push(name, flags, state)

    def _prepare(self, name: bytes, flags: int, attributes: bytes) -> bool:
        """Close what a start tag closes; return whether an element is to be opened."""
        is_item = flags & (ElementKind.LI | ElementKind.DEFINITION)
        if is_item:  # Before the paragraph, which may be around what keeps it from its like.
            self._close_like(name, flags)
        if flags & ElementKind.CLOSES_P and self.counts.get(b"p"):
            place = len(self.names) - 1
            if self.names[place] != b"p":
                place = self._last(b"p")
            if flags & ElementKind.TABLE:  # It does so in some pages only.
                self._doubt(place)
            else:
                self._close(place, _KEEPS_P)
        if flags & ElementKind.PART:
            self._start_part(name, flags)
            return False
        if flags & _NOT_OPENED:
            # In a drawing, which may have ended, they are opened.
            return bool(self.drawings) and not flags & (ElementKind.BREAKS_OUT | ElementKind.RAW)
        if flags & _SIBLINGS and not is_item:
            self._close_siblings(name, flags)
        return not (flags & ElementKind.DRAWING and closes_itself(attributes))

    def _push(self, name: bytes, flags: int, state: int) -> None:
        self.names.append(name)
        self.flags.append(flags)
        self.states.append(state)
        self.counts[name] = self.counts.get(name, 0) + 1
        if flags & ElementKind.DOUBTFUL:
            self.doubts += 1
            self.drawings += bool(flags & ElementKind.DRAWING)
            self.markups += bool(flags & ElementKind.MARKUP)

    def _remove(self, place: int) -> None:
        """Close an entry and all behind it."""
        if place == len(self.names) - 1 and not self.flags[place] & ElementKind.DOUBTFUL:
            self.counts[self.names.pop()] -= 1
            self.flags.pop()
            self.states.pop()
            return
        for name, flags in zip(self.names[place:], self.flags[place:], strict=True):
            self.counts[name] -= 1
            if flags & ElementKind.DOUBTFUL:
                self.doubts -= 1
                self.drawings -= bool(flags & ElementKind.DRAWING)
                self.markups -= bool(flags & ElementKind.MARKUP)
        del self.names[place:], self.flags[place:], self.states[place:]

    def _cut(self, place: int, is_ended: bool = True) -> None:
        """Close an entry, which its end tag may end, and all behind it.

        Formatting that is closed without its end tag is opened again.
        """
        names, flags, states = self.names[place:], self.flags[place:], self.states[place:]
        clears = not any(flag & ElementKind.MARK for flag in flags)
        again: list[bytes] = []
        for number, (name, flag, state) in enumerate(zip(names, flags, states, strict=True)):
            if clears and state == SURE and flag & ElementKind.CLEARING:
                break  # Formatting in a cell ends with it.
            if flag & ElementKind.FORMATTING and (number or not is_ended):
                again.append(name)
        self._remove(place)
        for name in again:
            self._push(name, FLAGS[name], UNSURE)

    def _doubt(self, place: int) -> None:
        """Let an entry and all behind it be unsure."""
        self.states[place:] = [UNSURE] * (len(self.states) - place)

    def _last(self, name: bytes) -> int:
        """Return the place of the last element of a name, -1 if there is none."""
        place = len(self.names) - 1 if self.counts.get(name) else -1
        while place >= 0 and self.names[place] != name:
            place -= 1
        return place

    def _last_of(self, kinds: int) -> int:
        """Return the place of the last element of some kinds, -1 if there is none."""
        place = len(self.flags) - 1
        while place >= 0 and not self.flags[place] & kinds:
            place -= 1
        return place

    def _close(self, place: int, keeps: int) -> bool:
        """Close all from an entry on if the parser certainly does, else let them be unsure."""
        if place == len(self.names) - 1 and self.states[place] == SURE:
            self._remove(place)
            return True
        if self.states[place] == SURE and not any(flag & keeps for flag in self.flags[place + 1 :]):
            self._cut(place)
            return True
        self._doubt(place)
        return False

    def _close_unless_kept(self, place: int, keeps: int) -> None:
        """Do the same, but change nothing if an element certainly keeps the parser from it."""
        for number in range(place + 1, len(self.flags)):
            if self.states[number] == SURE and self.flags[number] & keeps:
                return
        self._close(place, keeps)

    def _ends_foreign(self, name: bytes, flags: int) -> bool:
        """Read an end tag inside of a drawing; return whether that is all."""
        if flags & (ElementKind.P | ElementKind.BR):
            self._leave_foreign()
            return False
        place = len(self.names) - 1
        while place >= 0 and self.states[place] == FOREIGN:
            if self.names[place] == name:
                self._remove(place)
                return True
            place -= 1
        return False

    def _first_foreign(self) -> int:
        """Return where the elements of the drawing begin that is open."""
        place = len(self.names)
        while place > 0 and self.states[place - 1] == FOREIGN:
            place -= 1
        return place

    def _leave_foreign(self) -> None:
        """Close the drawing or formula that is open."""
        self._remove(self._first_foreign())

    def _start_foreign(self, name: bytes, flags: int, attributes: bytes) -> None:
        """Read a start tag inside of a drawing or formula."""
        if flags & ElementKind.FONT:  # It ends the drawing if it has some attributes.
            self._doubt(self._first_foreign())
            self._push(name, flags, UNSURE)
        elif not flags & ElementKind.RAW and not closes_itself(attributes):
            self._push(name, flags, UNSURE if flags & ElementKind.HTML_INSIDE else FOREIGN)

    def _close_siblings(self, name: bytes, flags: int) -> None:
        """Close what an element closes that cannot stand inside of its like."""
        if flags & ElementKind.HEADING:
            self._close_last(self._last_of(ElementKind.HEADING))
        elif flags & (ElementKind.OPTION | ElementKind.OPTGROUP):
            self._close_last(self._last_of(ElementKind.OPTION))
            if flags & ElementKind.OPTGROUP and self.counts.get(name):
                self._doubt(self._last(name))
        elif flags & ElementKind.RUBY:
            place = len(self.flags)
            while place > 0 and self.flags[place - 1] & ElementKind.IMPLIED:
                place -= 1
            self._doubt(place)
        elif flags & ElementKind.FRAMESET:
            self._doubt(0)
        else:
            self._close_like(name, flags)

    def _close_like(self, name: bytes, flags: int) -> None:
        """Close the last element like a new one, and all in it, if the parser does."""
        is_definition = flags & ElementKind.DEFINITION
        place = self._last_of(ElementKind.DEFINITION) if is_definition else self._last(name)
        if place < 0:
            return
        if flags & ElementKind.ONE_AT_A_TIME:
            self._close(place, ElementKind.SPECIAL)
        elif flags & ElementKind.BUTTON:
            self._close_unless_kept(place, ElementKind.SCOPE)
        elif flags & ElementKind.TABLE:
            self._close_unless_kept(place, ElementKind.CLEARING | ElementKind.DOUBTFUL)
        else:
            self._close_unless_kept(place, ElementKind.STOPS_ITEM)

    def _close_last(self, place: int) -> None:
        """Close an entry if it is the last one; else it may be closed."""
        if place >= 0:
            if place == len(self.names) - 1:
                self._remove(place)
            else:
                self._doubt(place)

    def _start_part(self, name: bytes, flags: int) -> None:
        """Read the start tag of a part of a table, which closes all up to where it belongs."""
        table = self._last(b"table")
        if table < 0 and not self.doubts:
            return  # The parser ignores it.
        is_sure = table >= 0 and self.states[table] == SURE
        if not is_sure or any(flag & ElementKind.DOUBTFUL for flag in self.flags[table + 1 :]):
            self._doubt(max(table, 0))
            if not flags & ElementKind.VOID:
                self._push(name, flags, UNSURE)
            return
        around = 0
        if flags & ElementKind.CELL:
            around = ElementKind.ROW
        elif flags & ElementKind.ROW:
            around = ElementKind.ROW_GROUP
        place = max(table, self._last_of(around)) + 1
        if place < len(self.names):
            self._cut(place, is_ended=False)
        if not flags & ElementKind.VOID:
            self._push(name, flags, UNSURE if flags & ElementKind.ALWAYS_UNSURE else SURE)


class Nesting(NamedTuple):
    """Tags and attributes of a page, the sum of open elements over its tags, and most of them.

    Once a limit is exceeded, the rest of the page is not counted.
    """

    weight: int
    work: int
    most_open: int
    most_attributes: int

    @property
    def is_bounded(self) -> bool:
        """Whether the page can be parsed in time and memory linear in its size."""
        return (
            self.weight <= MAX_WEIGHT
            and self.work <= MAX_WORK
            and self.most_attributes <= MAX_ATTRIBUTES
        )


def _attributes(attributes: bytes, uncounted: int) -> int:
    """Return how many attributes a tag may have; few bytes are not counted."""
    size = len(attributes)
    return size // 2 if size <= uncounted else attribute_count(attributes)


def nesting_in_python(body: bytes) -> Nesting:
    """Count the tags of a page, their attributes, and the elements that they may leave open."""
    elements = OpenElementsInPython()
    position = weight = work = most_open = most_attributes = 0
    # An attribute takes two bytes or more.
    uncounted = SHORT if len(body) > 2 * MAX_WEIGHT else 2 * MAX_ATTRIBUTES
    while weight <= MAX_WEIGHT and work <= MAX_WORK and most_attributes <= MAX_ATTRIBUTES:
        match = TOKEN.search(body, position)
        if match is None:
            break
        position = match.end()
        name, attributes, end, ignored, data = match.groups()
        hidden = 0
        if name is not None:
            name, count = name.lower(), _attributes(attributes, uncounted)
            weight += 1 + count
            most_attributes = max(most_attributes, count)
            elements.start(name, attributes)
            work += len(elements)
            if name in RAW_TEXT:
                after = raw_end(body, name, position)
                if elements.markups:  # It may be markup.
                    hidden = body.count(b"<", position, after)
                position = after
        elif end is not None:
            weight += 1 + _attributes(ignored, uncounted)
            elements.end(end.lower())
        elif data is not None:
            after = body.find(b"]]>" if elements.markups else b">", position)
            after = after if after >= 0 else len(body)
            if elements.markups:
                hidden = body.count(b"<", position, after)
            position = after
        if hidden:
            elements.hide(min(hidden, MAX_WEIGHT))
            weight += hidden
            work += hidden * len(elements)
        most_open = max(most_open, len(elements))
    return Nesting(weight, work, most_open, most_attributes)


def _prepared() -> Any | None:
    """Return the compiled twin of both, if there is one."""
    library = compiled("foragers.parsing.html._nesting")
    if library is not None:
        library.prepare(FLAGS, MAX_WEIGHT, MAX_WORK, MAX_ATTRIBUTES, SHORT)
    return library


_LIBRARY = _prepared()
OpenElements = OpenElementsInPython if _LIBRARY is None else _LIBRARY.OpenElements


def nesting(body: bytes) -> Nesting:
    """Count the same, compiled if possible."""
    if _LIBRARY is None:
        return nesting_in_python(body)
    return Nesting(*_LIBRARY.nesting(body))
