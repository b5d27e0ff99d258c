"""What Textual works out again for every app and every message, worked out once for all apps of the tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, ClassVar

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.message import Message
from textual.message_pump import MessagePump

Rules = dict[str, Any]
Handler = tuple[type, Callable[..., Any]]
Selected = tuple[object, ...]


_OF_THE_APP = {"ansi", "dark", "inline", "light", "nocolor"}
"""Pseudo-classes that all widgets of an app have from it."""


class Sheet:
    """Rules in use: apps with the same style sheets and the same theme have the same."""

    known: ClassVar[dict[tuple[int, ...], Sheet]] = {}

    def __init__(self, rules: list[RuleSet]) -> None:
        used = {name for rule in rules for name in rule.pseudo_classes}
        self.rules = rules  # which keeps them, so that no other gets their identity
        self.pseudo_classes = sorted(used - Stylesheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE)
        self.of_widgets = [name for name in self.pseudo_classes if name not in _OF_THE_APP]
        self.found: dict[Selected, tuple[Rules, bool]] = {}
        self._kept: dict[frozenset[tuple[str, int]], Rules] = {}

    def keep(self, selected: Selected, rules: Rules, *, has_hover: bool) -> None:
        """Keep the rules of a node under what has selected them; the same rules are the same object."""
        same = frozenset((name, id(value)) for name, value in rules.items())
        self.found[selected] = self._kept.setdefault(same, rules), has_hover


class Kept(dict[Any, Any]):
    """In place of the styles that Textual keeps during one update: what it finds is kept under a key of ours."""

    def get(self, _key: object, _default: object = None) -> None:
        """Return nothing: it is asked only for what is not known."""


def _sheet_of(sheet: Stylesheet) -> Sheet:
    rules = sheet.rules
    known: Sheet | None = getattr(sheet, "_known", None)
    if known is None or sheet._known_by is not rules:  # type: ignore[attr-defined]
        known = Sheet.known.setdefault(tuple(map(id, rules)), Sheet(rules))
        sheet._known, sheet._known_by = known, rules  # type: ignore[attr-defined]
    return known


def _what_selects(node: DOMNode, sheet: Sheet) -> Selected:
    """What a selector can ask of a node and of those around it."""
    found: list[object] = []
    one: object = node
    while isinstance(one, DOMNode):
        checks = one._PSEUDO_CLASSES
        found += type(one), one._id, frozenset(one._classes)
        names = sheet.of_widgets if isinstance(one._parent, DOMNode) else sheet.pseudo_classes
        found += [name for name in names if name in checks and checks[name](one)]
        one = one._parent
    return tuple(found)


APPLY = Stylesheet.apply
_NOTHING = None, None, None


def apply_once(sheet: Stylesheet, node: DOMNode, *, animate: bool = False, **_: object) -> None:
    """In place of :meth:`Stylesheet.apply`: only what has changed, and rules that another node has got already."""
    known = _sheet_of(sheet)
    selected = _what_selects(node, known)
    last_sheet, last_selected, last_rules = getattr(node, "_selected", _NOTHING)
    if last_sheet is known and last_selected == selected:
        node.notify_style_update()
    elif selected in known.found:
        rules, node._has_hover_style = known.found[selected]
        node._has_focus_within = node._has_order_style = node._has_odd_or_even = False
        if last_sheet is known and last_rules is rules:
            node.notify_style_update()
        else:
            sheet.replace_rules(node, rules, animate=animate)  # type: ignore[arg-type]
        sheet._process_component_classes(node)
        node._selected = known, selected, rules  # type: ignore[attr-defined]
    else:
        kept = Kept()
        APPLY(sheet, node, animate=animate, cache=kept)
        node._selected = _NOTHING  # type: ignore[attr-defined]
        for rules in kept.values():
            known.keep(selected, rules, has_hover=node._has_hover_style)
            node._selected = known, selected, known.found[selected][0]  # type: ignore[attr-defined]


_HANDLERS: dict[tuple[type, str, type], list[Handler] | None] = {}
GET_DISPATCH_METHODS = MessagePump._get_dispatch_methods


def _handlers(pump: type, name: str, message: type) -> list[Handler] | None:
    """The methods of a class that handle a message; None where that depends on who has sent it."""
    kinds = [one for one in message.__mro__ if issubclass(one, Message)]
    found: list[Handler] = []
    for cls in pump.__mro__:
        decorated = cls.__dict__.get("_decorated_handlers") or {}
        for method, selectors in (one for kind in kinds for one in decorated.get(kind, ())):
            if selectors:
                return None
            if all(method is not other for _, other in found):
                found.append((cls, method))
        named = cls.__dict__.get(f"_{name}") or cls.__dict__.get(name)
        if named is not None and not getattr(named, "_textual_on", None):
            found.append((cls, named))
    return found


def dispatch_methods(
    pump: MessagePump, name: str, message: Message
) -> Iterator[tuple[type, Callable[[Message], Awaitable[object]]]]:
    """In place of :meth:`MessagePump._get_dispatch_methods`."""
    key = type(pump), name, type(message)
    if key not in _HANDLERS:
        _HANDLERS[key] = _handlers(*key)
    handlers = _HANDLERS[key]
    if handlers is None:
        yield from GET_DISPATCH_METHODS(pump, name, message)
        return
    for cls, method in handlers:
        if message._no_default_action:
            break
        yield cls, method.__get__(pump, cls)
