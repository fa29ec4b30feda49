"""Studies: what the command runs, from a file, a text or a dict."""
from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, Union

from ._declarations import ffi
from ._library import c_text, lib, own_model, take_text, text_of
from ._values import Arrays, text_of_value
from .errors import Error, Interrupted, check, check_made, error_of, unknown
from .progress import Progress, Report
from .result import Result

Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]

# A place in the text that a dict becomes, or a setting as the command takes it.
_WRITTEN = re.compile(r"study:\d+:\d+: |--set [^=]*=[^:]*: ")
_LATER = re.compile(r"\bstudy:\d+:\d+: ")


class Model(MutableMapping[str, float]):
    """The numbers of a study's structure by name: ``model["contacts.0.friction"] = 0.4``.

    What is set here is used by the next run of the study. Names are those of ``amontons show --numbers``.
    """

    def __init__(self, study: Study):
        self._study = study
        err = ffi.new("am_error *")
        opened = study._opened()
        self._model = own_model(check_made(lib.am_study_open_model(opened, err), err), opened)

    def _find(self, name: str) -> int:
        index = lib.am_model_find(self._model, c_text(str(name), "the name of a number"))
        if index >= len(self):
            raise unknown("number of the structure", name, self)
        return index

    def __getitem__(self, name: str) -> float:
        return lib.am_model_value(self._model, self._find(name))

    def __setitem__(self, name: str, value: float) -> None:
        err = ffi.new("am_error *")
        check(lib.am_model_set(self._model, self._find(name), float(value), err), err)
        self._study["model." + name] = float(value)

    def __delitem__(self, name: str) -> None:
        raise TypeError("the numbers of a structure cannot be removed")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and lib.am_model_find(self._model, c_text(name, "the name of a number")) < len(self)

    def __iter__(self) -> Iterator[str]:
        return (text_of(lib.am_model_name(self._model, i)) for i in range(len(self)))

    def __len__(self) -> int:
        return lib.am_model_count(self._model)

    def __repr__(self) -> str:
        return f"<Model with {len(self)} numbers>"


class Study:
    """A study: a model, a question about it, what to show and what must come out.

    ``source`` is the path of a study file, the text of one (with a line break in it), or a dict. Settings replace or add
    fields by path, as ``--set`` does: ``Study("belt.yaml", **{"model.friction": 0.3})``. Nothing is read before it is
    needed; :meth:`check` reads and checks all of it.

    >>> study = Study({"model": {"kind": "klarbring", "stiffness": [[1, 1], [1, 2]], "mass": 1, "friction": 0.25,
    ...                          "load_rate": [-1.0, -0.99]},
    ...                "analysis": {"kind": "motion", "until": 38}})
    >>> study.run().summary.state_changes
    9
    """

    def __init__(self, source: Source, /, *, full: bool = False, allow_read: Sequence[str] = (), **settings: Any):
        self._arrays = Arrays()
        self._full = full
        self._allowed = [os.fsencode(folder) for folder in allow_read]
        self._settings: dict[str, Any] = dict(settings)
        self._study: Any = None
        self._path: bytes | None = None
        self._text = ""
        self._is_dict = isinstance(source, Mapping)
        if isinstance(source, Mapping):
            self._text, self._name = text_of_value(source, self._arrays), "study"
        elif isinstance(source, str) and "\n" in source:
            self._text, self._name = source, "study"
        else:
            self._path, self._name = os.fsencode(source), os.fsdecode(source)

    def __setitem__(self, path: str, value: Any) -> None:
        """Replaces or adds a field: ``study["analysis.until"] = 10``."""
        self._settings[path] = value
        self._study = None

    def _opened(self) -> Any:
        if self._study is None:
            self._study = self._open()
        return self._study

    def _open(self) -> Any:
        arrays = Arrays() if not len(self._arrays) else self._arrays
        pairs = [(ffi.new("char[]", c_text(path, "the path of a field")),
                  ffi.new("char[]", c_text(text_of_value(value, arrays, path), path)))
                 for path, value in self._settings.items()]
        settings = ffi.new("am_setting[]", max(len(pairs), 1))
        for at, (path, value) in zip(settings, pairs):
            at.path, at.value = path, value
        folders = [ffi.new("char[]", c_text(folder, "a folder of allow_read")) for folder in self._allowed]
        allowed = ffi.new("char *[]", folders or [ffi.NULL])
        options = ffi.new("am_study_options *")
        options.setting_count, options.settings, options.full = len(pairs), settings, self._full
        options.allowed_count, options.allowed = len(folders), ffi.cast("const char *const *", allowed)
        options.array_count, options.arrays = len(arrays), arrays.structs()
        err = ffi.new("am_error *")
        if self._path is not None:
            made = lib.am_study_open(c_text(self._path, "the path of a study"), options, err)
        else:
            made = lib.am_study_open_text(self._name.encode(), c_text(self._text, "a study"), options, err)
        if made == ffi.NULL:
            raise self._failure(err)
        return ffi.gc(made, lib.am_study_free)

    def _failure(self, err: Any) -> Error:
        """The exception for a failure. Of a dict, the field says where it is, not the line of a text that nobody wrote."""
        failure = error_of(err)
        if self._is_dict:
            sentence = _WRITTEN.sub("", failure.message, 1) if _WRITTEN.match(failure.message) else failure.message
            placed = failure.field and sentence != failure.message
            failure.message = _LATER.sub("", f"{failure.field}: {sentence}" if placed else sentence)
            failure.args = (failure.message,)
        return failure

    def check(self) -> Study:
        """Reads and checks everything, and begins a run, which refuses what is wrong with starts, loads and options.
        Raises :class:`InputError` with the sentence of the command."""
        err = ffi.new("am_error *")
        if lib.am_study_begin(self._opened(), err) != lib.AM_OK:
            raise self._failure(err)
        return self

    @property
    def analysis(self) -> str:
        """The kind of the question, or "sweep"."""
        return text_of(lib.am_study_analysis(self._opened()))

    @property
    def title(self) -> str:
        return text_of(lib.am_study_title(self._opened()))

    @property
    def model(self) -> Model:
        """The numbers of the structure, by name."""
        return Model(self)

    def show(self) -> str:
        """The study with its model written out as ``kind: structure``."""
        err = ffi.new("am_error *")
        return take_text(lib.am_study_show(self._opened(), err), err)

    def run(self, *, threads: int = 0, progress: Report = None) -> Result:
        """Runs the study. ``threads``: 0 for all cores; results do not depend on it. ``progress``: True for a bar, False
        for none, or a function of the fraction done (which stops the run by returning False); by default a bar in
        terminals and notebooks."""
        study = self._opened()
        heard = Progress(progress, threads)
        err = ffi.new("am_error *")
        run = lib.am_study_run(study, heard.struct, err)
        made = ffi.gc(run, lib.am_run_free) if run != ffi.NULL else None
        heard.finish()
        if made is None:
            raise self._failure(err)
        result = Result(made)
        if result.interrupted:
            raise Interrupted(text_of(err.message), result=result)
        return result

    def __repr__(self) -> str:
        return f"<Study {pathlib.Path(self._name).name}>"


def run(source: Source, /, *, threads: int = 0, progress: Report = None, full: bool = False,
        allow_read: Sequence[str] = (), **settings: Any) -> Result:
    """Runs a study file, text or dict: ``run("belt.yaml", **{"model.friction": 0.3})``. See :class:`Study`."""
    return Study(source, full=full, allow_read=allow_read, **settings).run(threads=threads, progress=progress)
