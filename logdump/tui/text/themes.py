"""Four themes, chosen by LOGDUMP_THEME or in the palette (Ctrl+P theme); nothing is shown by colour alone.

``terminal`` uses the terminal's own colours, which costs the fewest bytes and fits light and dark ones; ``mono`` uses
none, and is what NO_COLOR asks for.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

_ANSI = {"border-blurred": "ansi_default", "input-cursor-text-style": "reverse"} | {
    f"{name}-{ground}": "ansi_default"
    for name in ("ansi", "block-cursor", "input-cursor", "input-selection", "screen-selection")
    for ground in ("background", "foreground")
}
_STYLES = ("dim", "warn", "zero", "printable", "blank", "control", "high", "insert", "update", "delete", "ddl", "key")
_BRACKETS = ("bracket0", "bracket1", "bracket2", "bracket3")


def _variables(dim_style: str, *colours: str) -> dict[str, str]:
    """The variables of layout.tcss: a colour for each style that has one of its own."""
    return {"style-dim-style": dim_style} | {
        f"style-{name}": one for name, one in zip((*_STYLES, *_BRACKETS), colours, strict=True)
    }


def _ansi_theme(name: str, styles: dict[str, str]) -> Theme:
    return Theme(
        name=name,
        ansi=True,
        primary="ansi_default",
        secondary="ansi_default",
        warning="ansi_default",
        error="ansi_default",
        success="ansi_default",
        accent="ansi_default",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        variables=_ANSI | styles,
    )


THEMES = {
    "terminal": _ansi_theme(
        "logdump-terminal",
        _variables(
            "dim",
            *("ansi_default", "ansi_red", "ansi_default", "ansi_cyan", "ansi_green", "ansi_yellow", "ansi_magenta"),
            *("ansi_green", "ansi_yellow", "ansi_red", "ansi_magenta", "ansi_cyan"),
            *("ansi_blue", "ansi_cyan", "ansi_magenta", "ansi_green"),
        ),
    ),
    "dark": Theme(
        name="logdump-dark",
        primary="#7aa2d8",
        foreground="#d5d8de",
        background="#14171c",
        surface="#14171c",
        panel="#20252d",
        dark=True,
        variables=_variables(
            "none",
            *("#7f8896", "#e0787a", "#5b6370", "#7cc5c9", "#8fbf7f", "#d7b26d", "#b39ddb"),
            *("#8fbf7f", "#d7b26d", "#e0787a", "#b39ddb", "#7cc5c9"),
            *("#6f9bd8", "#5fb3a8", "#c08ad6", "#a9b665"),
        ),
    ),
    "light": Theme(
        name="logdump-light",
        primary="#245a9c",
        foreground="#1d2126",
        background="#fbfbf9",
        surface="#fbfbf9",
        panel="#e9e9e4",
        dark=False,
        variables=_variables(
            "none",
            *("#6a717b", "#a8201a", "#8d939b", "#0b6e75", "#2f6b22", "#8a5a00", "#6a3fa0"),
            *("#2f6b22", "#8a5a00", "#a8201a", "#6a3fa0", "#0b6e75"),
            *("#2258a8", "#0b6e75", "#8a3aa8", "#5c6b00"),
        ),
    ),
    "mono": _ansi_theme("logdump-mono", _variables("dim", *["ansi_default"] * len((*_STYLES, *_BRACKETS)))),
}


def theme_for(environment: Mapping[str, str], chosen: str = "") -> Theme:
    """The theme that the environment names, else the one that was chosen on the screen."""
    if environment.get("NO_COLOR"):
        return THEMES["mono"]
    return THEMES.get(environment.get("LOGDUMP_THEME", chosen).lower(), THEMES["terminal"])
