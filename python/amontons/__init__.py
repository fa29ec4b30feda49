"""Amontons: structures with dry friction, exactly.

>>> import amontons
>>> result = amontons.run({"model": {"kind": "klarbring", "stiffness": [[1, 1], [1, 2]], "mass": 1, "friction": 0.25,
...                                  "load_rate": [-1.0, -0.99]},
...                        "analysis": {"kind": "motion", "until": 38}})
>>> result.summary["state_changes"]
9
>>> result.tables.numpy("events")["t"].flags.writeable
False

Studies are what the command runs (:func:`run`, :class:`Study`); :class:`System` takes matrices from NumPy and SciPy.
Options, tables and columns have the names that ``amontons help`` lists. Units: any consistent set.
"""
from ._library import lib as _lib
from ._library import text_of as _text_of
from ._parts import Contact, Load
from .errors import (Error, EvidenceError, FileError, InputError, Interrupted, LimitReached, NoState, OutOfMemory,
                     SeveralStates, UnknownName, Unsupported, WithheldWarning)
from .motion import Event, Motion, Samples, Switch
from .orbit import OrbitGradient
from .result import Result, Summary, Table, Tables
from .study import Model, Study, run
from .system import Motions, System

__version__ = "0.1.0"
version = _text_of(_lib.am_version())  # of the C library in use, with its commit
__all__ = ["Contact", "Error", "Event", "EvidenceError", "FileError", "InputError", "Interrupted", "LimitReached",
           "Load", "Model", "Motion", "Motions", "NoState", "OrbitGradient", "OutOfMemory", "Result",
           "Samples", "SeveralStates", "Study", "Summary", "Switch", "System", "Table", "Tables", "UnknownName", "Unsupported",
           "WithheldWarning", "run", "version"]
