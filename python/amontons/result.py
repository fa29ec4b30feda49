"""Results: a summary, tables, and what can be made of them (pandas, xarray, matplotlib, files)."""
from __future__ import annotations

import html
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from ._declarations import ffi
from ._library import c_text, lib, take_text, text_of
from .errors import WithheldWarning, check, unknown


class _Lent:
    """Numbers in the library's memory: NumPy arrays made of it keep their owner alive."""

    def __init__(self, pointer: Any, count: int, owner: Any):
        self._owner = owner
        address = int(ffi.cast("uintptr_t", pointer))
        self.__array_interface__ = {"data": (address, True), "shape": (count,), "typestr": "<f8", "version": 3}


class Summary(Mapping[str, Any]):
    """Scalars by name, evidence included; also as attributes: ``summary.energy_residual``."""

    def __init__(self, result: Any, owner: Any):
        self._result, self._owner = result, owner
        self._values: dict[str, Any] = {}
        for index in range(lib.am_result_scalar_count(result)):
            scalar = lib.am_result_scalar(result, index)
            self._values[text_of(scalar.name)] = self._value(scalar)
        self._index = {name: index for index, name in enumerate(self._values)}

    @staticmethod
    def _value(scalar: Any) -> Any:
        if scalar.kind == lib.AM_SCALAR_NUMBER:
            return scalar.number
        if scalar.kind == lib.AM_SCALAR_COUNT:
            return int(scalar.number)
        if scalar.kind == lib.AM_SCALAR_FLAG:
            return scalar.number != 0.0
        return text_of(scalar.text) if scalar.kind == lib.AM_SCALAR_TEXT else None

    def __getitem__(self, name: str) -> Any:
        return self._values[self._known(name)]

    def _known(self, name: str) -> str:
        if name not in self._values:
            raise unknown("value of the summary", name, self._values)
        return name

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name not in values:
            raise AttributeError(str(unknown("value of the summary", name, values)))
        return values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def unit(self, name: str) -> str:
        """The unit of a value, "" where it has none."""
        return text_of(lib.am_result_scalar_unit(self._result, self._index[self._known(name)]))

    def about(self, name: str) -> str:
        """One sentence about a value."""
        return text_of(lib.am_result_scalar_about(self._result, self._index[self._known(name)]))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._values if name.isidentifier())]

    def __repr__(self) -> str:
        width = max(map(len, self._values), default=0)
        return "\n".join(f"{name:<{width}}  {value!r} {self.unit(name)}".rstrip() for name, value in self.items())


class Table(Mapping[str, Any]):
    """Columns by name as NumPy arrays. Numbers are not copied: the arrays are read-only and look at the library's
    memory, which lives as long as they do. Flags are 1.0, 0.0 or NaN (not known), counts are whole or NaN (none)."""

    def __init__(self, table: Any, owner: Any):
        self._table, self._owner = table, owner
        self.name = text_of(lib.am_table_name(table))
        self._rows = lib.am_table_rows(table)
        self._names = [text_of(lib.am_table_column_name(table, i)) for i in range(lib.am_table_columns(table))]
        self._index = {name: i for i, name in enumerate(self._names)}

    def __getitem__(self, name: str) -> NDArray[Any]:
        column = self._place(name)
        if self.kind(name) == "text":
            return numpy.array([text_of(lib.am_table_text(self._table, i, column)) for i in range(self._rows)], object)
        pointer = lib.am_table_numbers(self._table, column)
        if pointer == ffi.NULL:
            return numpy.zeros(0)
        return numpy.asarray(_Lent(pointer, self._rows, self._owner))

    def _place(self, name: str) -> int:
        if name not in self._index:
            raise unknown(f"column of the table {self.name}", name, self._names)
        return self._index[name]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def rows(self) -> int:
        return self._rows

    def kind(self, name: str) -> str:
        """ "number", "text", "flag" or "count"."""
        return ("number", "text", "flag", "count")[lib.am_table_column_kind(self._table, self._place(name))]

    def unit(self, name: str) -> str:
        return text_of(lib.am_table_column_unit(self._table, self._place(name)))

    def about(self, name: str) -> str:
        """One sentence about a column."""
        return text_of(lib.am_table_column_about(self._table, self._place(name)))

    def typed(self, name: str) -> NDArray[Any]:
        """The column as what it is: flags as bool and counts as int, where all of them are known."""
        values, kind = self[name], self.kind(name)
        if kind in ("flag", "count") and not numpy.isnan(values).any():
            return values.astype(bool if kind == "flag" else numpy.int64)
        return values

    def to_pandas(self) -> Any:
        """A DataFrame; units and sentences are in its ``attrs``."""
        import pandas

        frame = pandas.DataFrame({name: self.typed(name) for name in self}, copy=False)
        frame.attrs["units"] = {name: self.unit(name) for name in self}
        frame.attrs["about"] = {name: self.about(name) for name in self}
        return frame

    def __repr__(self) -> str:
        return f"<Table {self.name}: {self._rows} rows, columns {', '.join(self._names)}>"


class Tables(Mapping[str, Any]):
    """Tables by name: DataFrames where pandas is installed, otherwise :class:`Table`. ``tables.numpy(name)`` is always
    the latter."""

    def __init__(self, result: Any, owner: Any):
        self._owner = owner
        self._made = [lib.am_result_table(result, i) for i in range(lib.am_result_table_count(result))]
        self._index = {text_of(lib.am_table_name(table)): table for table in self._made}
        self._cache: dict[str, Any] = {}

    def numpy(self, name: str) -> Table:
        if name not in self._index:
            raise unknown("table", name, self._index)
        return Table(self._index[name], self._owner)

    def __getitem__(self, name: str) -> Any:
        if name not in self._cache:
            table = self.numpy(name)
            try:
                self._cache[name] = table.to_pandas()
            except ImportError:
                self._cache[name] = table
        return self._cache[name]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return "\n".join(repr(self.numpy(name)) for name in self) or "no tables"


# Values of a summary that say why something was withheld: counts with their reason, and reasons alone.
_COUNTED = {"stability_withheld": ("points have no verdict on stability", "stability_reason"),
            "failed": ("points or starts failed", "first_failure"), "undecided": ("starts have no known fate", ""),
            "unchecked_decisions": ("decisions were not checked to be the only ones", ""),
            "unconfirmed": ("eigenvalues were not computed on the full problem", ""),
            "unfinished": ("branches were not followed to an end", ""),
            "search_lost": ("starts came to no periodic motion", ""),
            "fold_curves_lost": ("folds were not followed over the second number", ""),
            "bifurcation_curves_lost": ("bifurcations were not followed over the second number", "")}
_WITHHELD = {"undecided_because": "uniqueness is not decided", "uncertified_because": "unstable pairs were not counted",
             "fold_lost": "folds were not followed", "bifurcation_lost": "bifurcations were not followed",
             "search_without_starts": "no motions were followed in time", "fewer_modes": "there are fewer modes than asked for"}


MARGINAL = "the unit circle is within the uncertainty of the largest multiplier"


def tell(sentence: str) -> None:
    """A warning at the line of the user's that asked."""
    frame, level, here = sys._getframe(1), 2, os.path.dirname(__file__)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, WithheldWarning, stacklevel=level)


class Expectation:
    """One value that the study says must come out."""

    def __init__(self, struct: Any):
        self.name, self.wanted, self.got = text_of(struct.name), text_of(struct.wanted), text_of(struct.got)
        self.tolerance, self.ok = struct.tolerance, bool(struct.ok)

    def __repr__(self) -> str:
        return f"<{self.name}: wanted {self.wanted}, got {self.got}, {'ok' if self.ok else 'NOT met'}>"


class Result:
    """What a study gave: ``summary``, ``tables``, ``expect``, and the figure it asks for."""

    def __init__(self, run: Any):
        self._run = run
        self._report = lib.am_run_report(run)
        self.summary = Summary(self._report.result, run)
        self.tables = Tables(self._report.result, run)
        self._warn()

    def _warn(self) -> None:
        """Verdicts that were withheld, and what a figure or an expectation named and the run did not have."""
        for figure in (False, True):
            mistake = lib.am_run_mistake(self._run, figure)
            if mistake != ffi.NULL:
                tell(text_of(mistake.message))
        said = self.summary
        for name in said:
            kind = name.rpartition(".")[2]
            if kind in _COUNTED and said[name]:
                what, key = _COUNTED[kind]
                reason = said.get(name[:-len(kind)] + key) if key else None
                tell(f"{said[name]} {what}" + (f": {reason}" if reason else ""))
            elif kind in _WITHHELD and said[name] not in (None, "", "none"):
                tell(f"{_WITHHELD[kind]}: {said[name]}")
            elif kind == "stable" and said[name] is None:
                tell("whether it is stable is not decided: " + MARGINAL)

    @property
    def analysis(self) -> str:
        return text_of(self._report.analysis)

    @property
    def title(self) -> str:
        return text_of(self._report.title)

    @property
    def seconds(self) -> float:
        """What the computation took."""
        return self._report.seconds

    @property
    def interrupted(self) -> bool:
        return bool(lib.am_run_interrupted(self._run))

    @property
    def met(self) -> bool:
        """Every expectation was met."""
        return bool(lib.am_run_met(self._run))

    @property
    def expect(self) -> list[Expectation]:
        return [Expectation(self._report.expectations[i]) for i in range(self._report.expectation_count)]

    def to_json(self, tables: bool = True) -> str:
        """The document of ``amontons run --json``."""
        err = ffi.new("am_error *")
        return take_text(lib.am_output_json(self._report, tables, 0, ffi.NULL, err), err)

    def save(self, folder: str | os.PathLike[str]) -> list[str]:
        """Writes everything that ``amontons run --out`` does; returns the names of the files."""
        err, files = ffi.new("am_error *"), ffi.new("char ***")
        check(lib.am_output_folder(self._report, c_text(os.fsencode(folder), "the name of a folder"), files, err), err)
        names, i = [], 0
        while files[0][i] != ffi.NULL:
            names.append(text_of(files[0][i]))
            i += 1
        lib.am_output_files_free(files[0])
        return names

    def to_xarray(self, table: str | None = None) -> Any:
        """A Dataset: a table over a grid (a sweep, a map of starts) with its axes as dimensions, any other with its rows
        as one. Without a name: the sweep, or the longest table."""
        from ._grids import dataset

        return dataset(self, table)

    def plot(self, ax: Any = None, *, x: str | None = None, y: str | Sequence[str] | None = None,
             value: str | None = None, table: str | None = None) -> Any:
        """Draws with matplotlib and returns the axes (a list of them, where there are panels): the study's figure, or
        columns of a table, one or several (``y``) over another (``x``), as lines; with ``value`` as a map of it. Without
        ``table``: the longest one that has these columns."""
        from ._figure import draw, draw_columns

        if x is None and y is None and value is None:
            return draw(self, ax)
        return draw_columns(self, ax, x, y, value, table)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(repr(value))}</td>"
                       f"<td>{html.escape(self.summary.unit(name))}</td></tr>" for name, value in self.summary.items())
        picture = ""
        if self._report.figure != ffi.NULL:
            from ._figure import as_svg

            picture = as_svg(self)
        return f"<h4>{html.escape(self.title or self.analysis)}</h4>{picture}<table>{rows}</table>"

    def __repr__(self) -> str:
        name = f" {self.title!r}" if self.title else ""
        return f"<Result of {self.analysis}{name}: {len(self.summary)} values, tables {', '.join(self.tables) or 'none'}>"
