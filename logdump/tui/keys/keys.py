"""The table of keys, from which the bindings, the footer, the help and the documents are generated.

A key enters a command line, types the beginning of one, or runs an action of the screen.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from textual.binding import Binding, BindingType

from logdump.language.words import first_word


class Area(enum.Enum):
    """The place of the keyboard in which a key acts."""

    RECORDS = "the record list"
    TEXT = "the panes of text"
    ROW = "the page of a row"
    HEX = "the hex page"
    TIMELINE = "the timeline"
    SIDE_BY_SIDE = "the page of two trails"
    PLACES = "the output page, if a line of it is about a place"
    ANSWER = "the output page, while a table in it is wider than the page"
    SHAPE = "the strip over the list"
    CHOICES = "the panes of tables, transactions, marks, files, findings, columns and changes of a row"
    PANES = "every pane"
    PROMPT = "the prompt"
    EVERYWHERE = "everywhere"


class Key(NamedTuple):
    """One binding.

    Attributes:
        id: its name in the keymap file.
        keys: Textual's names of the keys, separated by commas.
        what: its description in the help.
        area: the area in which it acts.
        sends: the command line that it enters; ``<rba>``, ``<seqno>`` and ``<time>`` are replaced by those of the
            cursor.
        types: the text that it writes into the prompt.
        acts: the action of the screen.
        short: its word in the footer; empty if it is not shown there.
        weight: if the footer lacks room, keys with the least weight are kept.
        pane: the only pane of its area in which it acts; empty if it acts in each.
    """

    id: str
    keys: str
    what: str
    area: Area
    sends: str = ""
    types: str = ""
    acts: str = ""
    short: str = ""
    weight: int = 5
    pane: str = ""

    @property
    def command(self) -> str:
        """The first word of the line that it enters or types, empty if there is none."""
        return first_word(self.sends or self.types)[0].upper()

    @property
    def action(self) -> str:
        """The action of the binding."""
        if self.sends:
            return f"app.{'send_of_cursor' if '<' in self.sends else 'send'}({self.sends!r})"
        return f"app.type_in({self.types!r})" if self.types else self.acts


KEYS = (
    Key("next", "n", "next record", Area.PANES, sends="NEXT", short="next", weight=1),
    Key(
        "next_transaction",
        "right_square_bracket",
        "next transaction",
        Area.PANES,
        sends="SFNT",
        short="transaction",
        weight=4,
    ),
    Key("transaction_before", "left_square_bracket", "transaction before", Area.PANES, sends="TRANSACTION PREVIOUS"),
    Key("transaction_begin", "B", "begin of this transaction", Area.PANES, sends="TRANSACTION BEGIN"),
    Key("transaction_end", "E", "end of this transaction", Area.PANES, sends="TRANSACTION END"),
    Key("definition", "S", "the definition in force (schema)", Area.PANES, acts="app.go_to_related('definition')"),
    Key("lob_row", "L", "the row of this LOB or fragment", Area.PANES, acts="app.go_to_related('row of its LOB')"),
    Key("back", "ctrl+o", "back to where the last jump began", Area.PANES, acts="app.jump_back"),
    Key("same_table", "right_curly_bracket", "next record of this table", Area.PANES, sends="SAMETABLE NEXT"),
    Key(
        "same_table_before", "left_curly_bracket", "record of this table before", Area.PANES, sends="SAMETABLE PREVIOUS"
    ),
    Key("find", "slash", "find text, HEX bytes or column = value", Area.PANES, types="find ", short="find", weight=3),
    Key("find_next", "greater_than_sign", "next match", Area.PANES, sends="FIND NEXT"),
    Key("find_before", "less_than_sign", "match before", Area.PANES, sends="FIND PREVIOUS"),
    Key("safe", "a", "where Replicat may restart safely", Area.PANES, sends="SAFE", short="safe", weight=3),
    Key("explain", "e", "what a restart at the record would do", Area.PANES, sends="EXPLAIN RESTART AT <seqno> <rba>"),
    Key("row", "R", "all changes of the row of the record", Area.PANES, sends="ROW"),
    Key("filter", "f", "filter", Area.PANES, types="filter include ", short="filter", weight=3),
    Key("filter_off", "F", "show all records again", Area.PANES, sends="FILTER CLEAR ALL"),
    Key("go_to", "g", "go to an RBA", Area.PANES, types="pos ", short="goto", weight=3),
    Key("start", "home", "first record", Area.PANES, sends="POS FIRST"),
    Key("end", "G,end", "end of the file", Area.PANES, sends="POS EOF", short="end", weight=6),
    Key("across", "A", "read on over the files of the trail", Area.PANES, sends="ACROSS ON"),
    Key(
        "next_finding",
        "exclamation_mark",
        "next finding of DOCTOR: damage, a restart, a cut, a missing file",
        Area.PANES,
        acts="app.go_to_finding(1)",
    ),
    Key("finding_before", "at", "finding before", Area.PANES, acts="app.go_to_finding(-1)"),
    Key("findings", "P", "findings of the trail (problems)", Area.PANES, acts="app.show_choices('findings')"),
    Key("good_header", "b", "next good header", Area.PANES, sends="SFH"),
    Key("count", "c", "count by table", Area.PANES, sends="COUNT DETAIL", short="count", weight=6),
    Key("save", "s", "save from here on", Area.PANES, acts="app.save_from_here"),
    Key("values", "r", "the row: its values before and after", Area.PANES, acts="app.show_tab('values')"),
    Key("detail", "d", "detail", Area.PANES, acts="app.show_tab('detail')"),
    Key("hex", "h", "hex", Area.PANES, acts="app.show_tab('hex')"),
    Key("tokens", "o", "tokens", Area.PANES, acts="app.show_tab('tokens')"),
    Key("header", "i", "file header", Area.PANES, acts="app.show_tab('header')"),
    Key(
        "timeline",
        "l",
        "timeline: lags of heartbeats, else volume; open transactions",
        Area.PANES,
        acts="app.show_tab('timeline')",
    ),
    Key("two_trails", "D", "two trails side by side, compared last", Area.PANES, acts="app.show_tab('side-by-side')"),
    Key("output", "v", "output of the commands", Area.PANES, acts="app.show_tab('output')"),
    Key("shape", "Z", "the strip over the list: records over time", Area.PANES, acts="app.show_shape"),
    Key("tables", "t", "tables", Area.PANES, acts="app.show_choices('tables')", short="tables"),
    Key("transactions", "x", "transactions", Area.PANES, acts="app.show_choices('transactions')", short="transactions"),
    Key("marks", "M", "marks", Area.PANES, acts="app.show_choices('marks')"),
    Key("files", "T", "files of the trail", Area.PANES, acts="app.show_choices('files')"),
    Key("columns", "C", "columns of the list: hide, widen, order", Area.PANES, acts="app.show_choices('columns')"),
    Key("trails", "O", "start page: the trails of the folder", Area.PANES, acts="app.show_start_page"),
    Key("mark", "m", "mark this record with the letter that follows", Area.PANES, acts="app.await_letter('mark')"),
    Key(
        "to_mark",
        "apostrophe",
        "to the mark of the letter that follows; ' again: back",
        Area.PANES,
        acts="app.await_letter('go')",
    ),
    Key("follow", "w", "follow the end of the trail as it grows", Area.PANES, acts="app.follow"),
    Key("copy_rba", "y", "copy the RBA", Area.PANES, acts="app.copy_rba"),
    Key("copy_json", "J", "copy the row as JSON", Area.PANES, acts="app.copy_row('json')"),
    Key("copy_sql", "Q", "copy the row as the SQL that repeats its change", Area.PANES, acts="app.copy_row('sql')"),
    Key("copy_csv", "V", "copy the row as CSV, names and values", Area.PANES, acts="app.copy_row('csv')"),
    Key("copy_text", "Y", "copy the text of the pane", Area.PANES, acts="app.copy_text"),
    Key("margin", "N", "names and values in the margin: on, off", Area.PANES, acts="app.toggle_margin"),
    Key(
        "prompt",
        "colon",
        "an empty line in the prompt",
        Area.PANES,
        acts="app.to_prompt",
        short="prompt",
        weight=0,
    ),
    Key("next_pane", "tab", "the next pane", Area.PANES, acts="app.focus_next"),
    Key("scan_on", "ctrl+l", "continue a scan that was stopped", Area.PANES, acts="app.scan_on"),
    Key("maximise", "backslash", "the lower pane alone, or both", Area.PANES, acts="app.maximise_pane"),
    Key(
        "enlarge",
        "plus",
        "more room for the pane with the keyboard; again: all of it",
        Area.PANES,
        acts="app.enlarge(1)",
    ),
    Key("shrink", "underscore", "less room for the pane with the keyboard", Area.PANES, acts="app.enlarge(-1)"),
    Key(
        "leave_pane",
        "escape",
        "leave the pane, back to the records",
        Area.PANES,
        acts="app.leave",
        short="records",
        weight=1,
    ),
    Key(
        "quit",
        "q",
        "leave the pane; in the records: end the session, after a question if a filter or marks would be lost",
        Area.PANES,
        acts="app.leave_or_quit",
    ),
    Key("choose_down", "down,j", "next line", Area.CHOICES, acts="choose(1)"),
    Key("choose_up", "up,k", "line before", Area.CHOICES, acts="choose(-1)"),
    Key("choose_page_down", "pagedown,space", "a page on", Area.CHOICES, acts="choose_page(1)"),
    Key("choose_page_up", "pageup", "a page back", Area.CHOICES, acts="choose_page(-1)"),
    Key(
        "choose",
        "enter",
        "go there; a table: filter to it; a column: hide or show it",
        Area.CHOICES,
        acts="take('enter')",
        short="go there",
        weight=1,
    ),
    Key(
        "choose_end",
        "e",
        "go to the end of the transaction",
        Area.CHOICES,
        acts="take('end')",
        short="end",
        weight=2,
        pane="transactions",
    ),
    Key(
        "choose_save",
        "s",
        "save the transaction",
        Area.CHOICES,
        acts="take('save')",
        short="save",
        weight=3,
        pane="transactions",
    ),
    Key(
        "sort",
        "r",
        "sort transactions by bytes, records, duration",
        Area.CHOICES,
        acts="sort",
        short="sort",
        weight=2,
        pane="transactions",
    ),
    Key(
        "undo_row",
        "u",
        "the SQL that takes all changes of the row back",
        Area.CHOICES,
        acts="take('undo')",
        short="undo row",
        weight=2,
        pane="story",
    ),
    Key(
        "undo_transaction",
        "U",
        "the SQL that takes the transaction of the change back",
        Area.CHOICES,
        acts="take('undo_transaction')",
        short="undo transaction",
        weight=2,
        pane="story",
    ),
    Key(
        "hide_column",
        "minus",
        "hide the column, or show it",
        Area.CHOICES,
        acts="column('hide')",
        short="hide",
        weight=1,
        pane="columns",
    ),
    Key(
        "wider",
        "right",
        "the column two cells wider",
        Area.CHOICES,
        acts="column('wider')",
        short="wider",
        weight=1,
        pane="columns",
    ),
    Key(
        "narrower",
        "left",
        "the column two cells narrower",
        Area.CHOICES,
        acts="column('narrower')",
        short="narrower",
        weight=2,
        pane="columns",
    ),
    Key(
        "column_left",
        "less_than_sign",
        "the column further to the left",
        Area.CHOICES,
        acts="column('left')",
        short="to the left",
        weight=2,
        pane="columns",
    ),
    Key(
        "column_right",
        "greater_than_sign",
        "the column further to the right",
        Area.CHOICES,
        acts="column('right')",
        short="to the right",
        weight=2,
        pane="columns",
    ),
    Key("read", "enter", "the detail pane", Area.RECORDS, acts="app.enter_pane"),
    Key("down", "down,j", "next row", Area.RECORDS, acts="move(1)"),
    Key("up", "up,k", "row before", Area.RECORDS, acts="move(-1)"),
    Key("page_down", "pagedown,space", "a page on", Area.RECORDS, acts="page(1)"),
    Key("page_up", "pageup", "a page back", Area.RECORDS, acts="page(-1)"),
    Key("line_down", "down,j", "a line on", Area.TEXT, acts="lines(1)"),
    Key("line_up", "up,k", "a line back", Area.TEXT, acts="lines(-1)"),
    Key("text_page_down", "pagedown,space", "a page on", Area.TEXT, acts="pages(1)"),
    Key("text_page_up", "pageup", "a page back", Area.TEXT, acts="pages(-1)"),
    Key("line_word", "enter", "what the fields of the line mean (HELP)", Area.TEXT, acts="app.help_of_field"),
    Key(
        "open_place",
        "enter",
        "go to the record that the line is about",
        Area.PLACES,
        acts="open_place",
        short="record",
        weight=1,
    ),
    Key(
        "copy_line",
        "y",
        "copy the line, such as an ALTER command",
        Area.PLACES,
        acts="app.copy_line",
        short="copy",
        weight=3,
    ),
    Key(
        "further_right",
        "right",
        "wide tables further to the right",
        Area.ANSWER,
        acts="sideways(1)",
        short="next columns",
        weight=1,
    ),
    Key(
        "further_left",
        "left",
        "wide tables further to the left",
        Area.ANSWER,
        acts="sideways(-1)",
        short="columns before",
        weight=1,
    ),
    Key("copy_value", "y", "copy the value", Area.ROW, acts="app.copy_value", short="copy", weight=3),
    Key(
        "open_value",
        "enter",
        "the whole value: wrapped, searched, hex, saved",
        Area.ROW,
        acts="app.open_value",
        short="value",
        weight=1,
    ),
    Key("next_changed", "n", "next column that differs", Area.ROW, acts="changed(1)", short="next changed", weight=1),
    Key("changed_before", "p", "column before that differs", Area.ROW, acts="changed(-1)", short="before", weight=2),
    Key(
        "hide_unchanged",
        "u",
        "changed columns alone, or all",
        Area.ROW,
        acts="hide_unchanged",
        short="changed alone",
        weight=1,
    ),
    Key(
        "field_word",
        "enter",
        "what the field means (HELP)",
        Area.HEX,
        acts="app.help_of_field",
        short="meaning",
        weight=2,
    ),
    Key("next_field", "right", "next field", Area.HEX, acts="field(1)", short="next field", weight=1),
    Key("field_before", "left", "field before", Area.HEX, acts="field(-1)", short="field before", weight=3),
    Key("field_below", "down,j", "next line with a field", Area.HEX, acts="field_line(1)", short="next line", weight=3),
    Key("field_above", "up,k", "line with a field before", Area.HEX, acts="field_line(-1)"),
    Key(
        "later",
        "right",
        "next beat, interval, end of a transaction",
        Area.TIMELINE,
        acts="point(1)",
        short="later",
        weight=1,
    ),
    Key(
        "earlier",
        "left",
        "beat, interval, end of a transaction before",
        Area.TIMELINE,
        acts="point(-1)",
        short="earlier",
        weight=2,
    ),
    Key(
        "next_way",
        "down,j",
        "next way of the beats; then open transactions",
        Area.TIMELINE,
        acts="way(1)",
        short="way",
        weight=3,
    ),
    Key("way_before", "up,k", "way before", Area.TIMELINE, acts="way(-1)"),
    Key("open_record", "enter", "go to the record", Area.TIMELINE, acts="open_record", short="record", weight=1),
    Key(
        "explain_lag",
        "e",
        "explain the lag at this time",
        Area.TIMELINE,
        sends="EXPLAIN LAG AT <time>",
        short="explain",
        weight=1,
    ),
    Key("next_column", "right", "next column with records", Area.SHAPE, acts="column(1)", short="later", weight=1),
    Key("column_before", "left", "column before", Area.SHAPE, acts="column(-1)", short="earlier", weight=2),
    Key("stretch", "space", "begin a stretch here", Area.SHAPE, acts="begin_stretch", short="from here", weight=1),
    Key(
        "take_stretch",
        "enter",
        "go to the column; filter to the stretch",
        Area.SHAPE,
        acts="take_stretch",
        short="go there, filter",
        weight=1,
    ),
    Key(
        "leave_shape", "escape", "all records again, back to the list", Area.SHAPE, acts="app.leave_shape", short="all"
    ),
    Key(
        "next_difference",
        "right_square_bracket",
        "next difference",
        Area.SIDE_BY_SIDE,
        acts="difference(1)",
        short="next difference",
        weight=1,
    ),
    Key("difference_before", "left_square_bracket", "difference before", Area.SIDE_BY_SIDE, acts="difference(-1)"),
    Key("first_trail", "left", "the first trail", Area.SIDE_BY_SIDE, acts="side(0)"),
    Key("second_trail", "right", "the second trail", Area.SIDE_BY_SIDE, acts="side(1)", short="second trail"),
    Key(
        "open_side",
        "enter",
        "go to the record; of the second trail: the line for it",
        Area.SIDE_BY_SIDE,
        acts="open_side",
        short="record",
        weight=1,
    ),
    Key(
        "leave_trails",
        "escape",
        "stop the comparison; else back to the records",
        Area.SIDE_BY_SIDE,
        acts="leave",
        short="records",
        weight=2,
    ),
    Key(
        "complete",
        "tab",
        "complete the word; in an empty line: the next pane",
        Area.PROMPT,
        acts="complete",
        short="complete",
        weight=1,
    ),
    Key(
        "search_history",
        "ctrl+r",
        "earlier lines that hold what is typed",
        Area.PROMPT,
        acts="search_history",
        short="search",
        weight=4,
    ),
    Key(
        "leave_prompt",
        "escape",
        "drop the line, to the records or to the page of two trails",
        Area.PROMPT,
        acts="app.leave",
        short="records",
        weight=1,
    ),
    Key("older", "up", "the line before", Area.PROMPT, acts="recall(-1)", short="history", weight=3),
    Key("newer", "down", "the line after", Area.PROMPT, acts="recall(1)"),
    Key(
        "stop",
        "ctrl+c",
        "stop the command, or clear the line",
        Area.EVERYWHERE,
        acts="app.stop",
        short="stop",
        weight=2,
    ),
    Key("help", "question_mark", "these keys", Area.PANES, acts="app.show_help", short="help", weight=0),
    Key("palette", "ctrl+p", "all commands", Area.EVERYWHERE, acts="app.show_palette", short="commands", weight=3),
    Key("suspend", "ctrl+z", "suspend the program; fg continues", Area.EVERYWHERE, acts="app.suspend_process"),
    Key("exit", "ctrl+q", "end the session", Area.EVERYWHERE, sends="EXIT", short="quit", weight=4),
)


def bindings(area: Area) -> list[BindingType]:
    """Return the bindings of an area, for its widget."""
    is_everywhere = area is Area.EVERYWHERE
    return [
        Binding(key.keys, key.action, key.what, id=key.id, show=False, priority=is_everywhere)
        for key in KEYS
        if key.area is area
    ]
