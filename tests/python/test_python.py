"""The Python library: studies, structures from NumPy and SciPy, results, engines, failures."""
import ast
import copy
import csv
import doctest
import gc
import importlib.util
import inspect
import json
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import numpy

import amontons

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("AMONTONS_COMMAND", str(ROOT / "build/release/amontons"))
KLARBRING = {"model": {"kind": "klarbring", "stiffness": [[1, 1], [1, 2]], "mass": 1, "friction": 0.25,
                       "load_rate": [-1.0, -0.99]},
             "analysis": {"kind": "motion", "until": 38}}


def oscillator(friction=0.3, **more):
    """Two masses, one of them on a rough surface under a sine."""
    return amontons.System(
        mass=numpy.eye(2), stiffness=numpy.array([[2.0, -1.0], [-1.0, 2.0]]), names=["x", "y"],
        contacts=[amontons.Contact(name="pad", law="held", hold=1, tangent=[1, 0], friction=friction, **more)],
        loads=[amontons.Load(direction=[1, 0], sine={"amplitude": 2.0, "frequency": 0.7})])


def has(name):
    return importlib.util.find_spec(name) is not None


class Studies(unittest.TestCase):
    def test_examples_of_the_documentation_run(self):
        names = ("", ".study", ".system", ".result", ".motion", ".orbit")
        failed = [doctest.testmod(importlib.import_module("amontons" + name)).failed for name in names]
        self.assertEqual(sum(failed), 0)

    def test_studies_give_the_bits_of_the_command(self):
        # A motion with its tables, units and expectations, and laws: what JSON says beyond the tables.
        for study in (ROOT / "gallery" / name for name in ("klarbring/fig4b.yaml", "laws/bilinear.yaml")):
            with self.subTest(study=study.name), tempfile.TemporaryDirectory() as folder:
                printed = subprocess.run([COMMAND, "run", str(study), "--json", "--out", folder], capture_output=True,
                                         text=True, check=True).stdout
                wanted, got = json.loads(printed), json.loads(amontons.run(study, progress=False).to_json())
                for part in ("summary", "summary_units", "tables", "expect", "analysis", "title"):
                    self.assertEqual(wanted[part], got[part], part)

    def test_studies_of_the_gallery_give_the_bits_of_the_command(self):
        # Quick ones: those that the command has run in this build (gallery_FOLDER), where that is not older than the command.
        # AMONTONS_GALLERY=all: every study, which takes ten minutes; the command runs what it has not.
        whole, compared = os.environ.get("AMONTONS_GALLERY") == "all", 0
        results = pathlib.Path(os.environ.get("AMONTONS_GALLERY_RESULTS", "nowhere"))
        for study in sorted((ROOT / "gallery").glob("*/*.yaml")):
            with self.subTest(study=study.name), warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
                warnings.simplefilter("ignore", amontons.WithheldWarning)
                said = results / study.parent.name / study.parent.name / study.stem / "summary.json"
                known = said.exists() and said.stat().st_mtime >= pathlib.Path(COMMAND).stat().st_mtime
                if whole and not known:
                    subprocess.run([COMMAND, "run", str(study), "--quiet", "--out", folder], check=True)
                    said = pathlib.Path(folder, "summary.json")
                wanted = json.loads(said.read_text()) if whole or known else {"seconds": numpy.inf}
                if whole or wanted["seconds"] <= 0.05:
                    self.compare_with_files(amontons.run(study, progress=False), said.parent, wanted)
                    compared += 1
        print(f"{compared} studies of the gallery compared")

    def compare_with_files(self, result, folder, wanted):
        got = json.loads(result.to_json(tables=False))
        self.assertEqual((wanted["summary"], wanted["expect"]), (got["summary"], got["expect"]))
        self.assertGreaterEqual({path.stem for path in folder.glob("*.csv")}, set(result.tables))
        for name in result.tables:
            table = result.tables.numpy(name)
            with open(folder / f"{name}.csv", newline="") as file:
                head, *rows = csv.reader(file)
            self.assertEqual((head, len(rows)), (list(table), table.rows))
            for i, column in enumerate(head):
                cells = [row[i] for row in rows]
                if table.kind(column) == "text":
                    # An apostrophe keeps spreadsheets from reading a formula.
                    texts = ["'" * text.startswith(("=", "+", "-", "@")) + text for text in table[column]]
                    self.assertEqual(cells, texts, f"{name}.{column}")
                else:  # infinities are written, NaN is an empty cell
                    numpy.testing.assert_array_equal([float(cell or "nan") for cell in cells], table[column], f"{name}.{column}")

    def test_settings_replace_fields(self):
        looser = amontons.run(KLARBRING, **{"model.friction": 0.6, "analysis.until": 5})
        self.assertEqual(looser.summary.state_changes, amontons.run(
            {**KLARBRING, "model": {**KLARBRING["model"], "friction": 0.6}, "analysis": {"kind": "motion", "until": 5}}
        ).summary.state_changes)

    def test_the_version_is_that_of_the_command_with_its_commit(self):
        said = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout
        for version in (amontons.version, said.removeprefix("amontons ")):  # which may be built from another one
            self.assertRegex(version, "^" + re.escape(amontons.__version__) + ", commit ([0-9a-f]{40}|unknown)")

    def test_every_key_of_a_study_can_be_set(self):
        self.assertEqual(amontons.Study(KLARBRING, source="a paper", title="A title").check().title, "A title")
        given = {"title": "A title", "source": "a paper", "about": "why", "claims": ["it moves"], "animation": {},
                 "figure": {"x": "t", "y": "x"}, "expect": {"t_end": 2}}
        for study in (oscillator().study("motion", until=2, **given), amontons.Study({
                **KLARBRING, "analysis": {"kind": "motion", "until": 2}}, **{**given, "figure.y": "u1"})):
            result = study.run()
            self.assertEqual((result.title, result.met, len(result.expect)), ("A title", True, 1))
        self.assertEqual(oscillator().motion(until=2, **given).title, "A title")

    def test_numbers_of_a_model_are_known_by_name_and_used_by_the_next_run(self):
        study = amontons.Study(KLARBRING)
        model = study.model
        self.assertEqual(model["friction"], 0.25)
        self.assertEqual(model["stiffness.1.1"], 2.0)
        model["friction"] = 0.6
        self.assertEqual(study.run().summary.state_changes,
                         amontons.run(KLARBRING, **{"model.friction": 0.6}).summary.state_changes)
        with self.assertRaises(KeyError):
            model["frictoin"]

    def test_a_name_that_is_not_there_is_met_with_those_that_come_near(self):
        system, result = oscillator(), amontons.run(KLARBRING)
        asked = {"contacts.0.friction": lambda: system["contacts.0.fricton"], "samples": lambda: result.tables["sample"],
                 "state_changes": lambda: result.summary["state_chnges"], "u1": lambda: result.tables.numpy("samples")["u_1"]}
        for near, ask in asked.items():
            with self.assertRaisesRegex(amontons.UnknownName, f"did you mean .*'{near}'") as raised:
                ask()
            self.assertIsInstance(raised.exception, KeyError)
        with self.assertRaisesRegex(amontons.InputError, "did you mean 'friction'"):
            system["contacts.0.fricton"] = 0.4
        self.assertEqual(system.orbit().summary.x_max, oscillator().orbit().summary.x_max)  # as if it had not been said

    def test_a_wrong_study_raises_the_sentence_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wrong.yaml")
            path.write_text("model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: -1}\n"
                            "analysis: {kind: motion, until: 3}\n")
            said = subprocess.run([COMMAND, "check", str(path)], capture_output=True, text=True)
            with self.assertRaises(amontons.InputError) as raised:
                amontons.Study(path).check()
            self.assertEqual(said.returncode, 2)
            self.assertIn(str(raised.exception), said.stderr + said.stdout)
            self.assertEqual((raised.exception.status, raised.exception.field), ("input", "model.friction"))
            for first, field in (("kin: klarbring\n  kind: klarbring", "model.kin"), ("friction: 0.2", "model")):
                path.write_text(f"model:\n  {first}\nanalysis: {{kind: motion, until: 3}}\n")
                with self.assertRaises(amontons.InputError) as raised:
                    amontons.Study(path).check()
                self.assertEqual(raised.exception.field, field, str(raised.exception))
        with self.assertRaises(amontons.FileError):
            amontons.run("there/is/no/such.yaml")

    def test_random_wrong_studies_raise_the_sentences_of_the_command(self):
        draw, sound = random.Random(8), [{**KLARBRING, "figure": {"x": "u1", "y": "u2"}, "expect": {"state_changes": 9}}, {
            "model": {"kind": "structure", "mass": [[1, 0], [0, 1]], "stiffness": [[2, -1], [-1, 2]], "names": ["x", "y"],
                      "contacts": [{"law": "held", "hold": 1, "tangent": [1, 0], "friction": 0.3}],
                      "loads": [{"direction": [1, 0], "sine": {"amplitude": 2.0, "frequency": 0.7}}]},
            "analysis": {"kind": "orbit"}, "sweep": {"axes": {"model.contacts.0.friction": [0.1, 0.2]}, "outputs": ["x_max"]}}]

        def containers(node):
            items = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
            return [node] * bool(items) + [found for item in items for found in containers(item)]

        def wrong():
            study = copy.deepcopy(draw.choice(sound))
            for _ in range(draw.randint(1, 2)):
                node = draw.choice(containers(study))
                key = draw.choice(list(node) if isinstance(node, dict) else range(len(node)))
                value = draw.choice([None, -1, 0, 1e9, True, "x", "", [], [[]], {}, [1, "a"], {"kind": "motion"}, "\u00fc: '", 10**20])
                if isinstance(node, dict) and draw.random() < 0.3:
                    node[key[1:] + draw.choice("aq")] = node.pop(key)
                elif draw.random() < 0.2:
                    del node[key]
                else:
                    node[key] = value
            return study

        def said(ask):
            try:
                ask()
                return None, ""
            except amontons.InputError as refusal:
                return str(refusal), refusal.field

        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, f"{i}.yaml") for i in range(60)]
            studies = [wrong() for _ in paths]
            for path, study in zip(paths, studies):
                path.write_text(json.dumps(study))
            lines = subprocess.run([COMMAND, "check", *map(str, paths)], capture_output=True, text=True).stderr.splitlines()
            refused = 0
            for path, study in zip(paths, studies):
                line = next((line for line in lines if f"{path}:" in line), None)
                (of_file, field), (of_dict, placed) = said(amontons.Study(path).check), said(amontons.Study(study).check)
                self.assertEqual((of_file is None, of_dict is None), (line is None, line is None), study)
                refused += line is not None
                if line is not None:
                    self.assertTrue(of_file in line and of_dict.removeprefix(placed + ": ") in line, (line, of_file, of_dict))
                    self.assertEqual(field, placed, line)
        self.assertGreater(refused, 30)

    def test_check_refuses_what_the_command_refuses_when_a_run_begins(self):
        wrong = {**KLARBRING, "analysis": {"kind": "motion", "until": 3, "initial": {"displacement": [0, -5]}}}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wrong.yaml")
            path.write_text(json.dumps(wrong))
            said = subprocess.run([COMMAND, "check", str(path)], capture_output=True, text=True).stderr
            for study in (amontons.Study(path), amontons.Study(wrong)):
                for ask in (study.check, study.run):
                    with self.assertRaises(amontons.InputError) as raised:
                        ask()
                    sentence = str(raised.exception).removeprefix(raised.exception.field + ": ")
                    self.assertTrue(sentence in said and raised.exception.field.startswith("analysis.initial"), sentence)

    def test_a_place_in_a_text_that_nobody_wrote_is_not_told(self):
        failing = {**KLARBRING, "analysis": {**KLARBRING["analysis"], "initial": {"displacement": [0, -5]}},
                   "sweep": {"axes": {"model.friction": [0.1, 0.2]}}}
        with self.assertRaises(amontons.Error) as raised:
            amontons.run(failing)
        self.assertRegex(str(raised.exception), "^analysis.initial.*: every point of the sweep failed")
        self.assertNotRegex(str(raised.exception), r"study:\d")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "failing.yaml").write_text(json.dumps(failing))
            said = subprocess.run([COMMAND, "run", "failing.yaml", "--json"], cwd=folder, capture_output=True, text=True).stdout
        self.assertEqual(json.loads(said)["error"]["file"], "failing.yaml")
        self.assertIn("every point of the sweep failed", json.loads(said)["error"]["message"])

    def test_a_mistake_in_a_dict_is_placed_by_its_field(self):
        wrong = {**KLARBRING, "model": {**KLARBRING["model"], "friction": -1}}
        for ask in (lambda: amontons.run(wrong), lambda: amontons.run(KLARBRING, **{"model.friction": -1})):
            with self.assertRaises(amontons.InputError) as raised:
                ask()
            self.assertEqual(raised.exception.field, "model.friction")
            self.assertRegex(str(raised.exception), "^model.friction: friction must be")

    def test_what_a_progress_function_raises_ends_the_run(self):
        class Enough(Exception):
            pass

        def stop(fraction):
            raise Enough

        long = {**KLARBRING, "sweep": {"axes": {"model.friction": {"from": 0.1, "to": 0.9, "count": 4000}}}}
        with self.assertRaises(Enough):
            amontons.run(long, progress=stop)
        with self.assertRaises(amontons.Interrupted):
            amontons.run(long, progress=lambda fraction: False)


class Structures(unittest.TestCase):
    def test_arrays_give_what_numbers_in_the_text_give(self):
        rng = numpy.random.default_rng(3)
        for n in (1, 3, 40):  # 40: beyond what becomes numbers of the study
            a = rng.normal(size=(n, n))
            stiffness, tangent = a @ a.T + n * numpy.eye(n), rng.normal(size=n)
            parts = {"contacts": [{"law": "held", "hold": {"constant": 1}, "tangent": tangent.tolist(), "friction": 0.3}],
                     "loads": [{"direction": tangent.tolist(), "sine": {"amplitude": 3.0, "frequency": 0.7}}]}
            written = amontons.run({"model": {"kind": "structure", "mass": numpy.eye(n).tolist(),
                                              "stiffness": stiffness.tolist(), **parts},
                                    "analysis": {"kind": "motion", "until": 20, "samples": 11}})
            handed = amontons.System(mass=numpy.eye(n), stiffness=stiffness, **parts).motion(until=20, samples=11)
            for name in written.tables.numpy("samples"):
                numpy.testing.assert_array_equal(written.tables.numpy("samples")[name],
                                                 handed.tables.numpy("samples")[name])

    @unittest.skipUnless(has("scipy"), "SciPy is not installed")
    def test_sparse_matrices_give_what_dense_ones_give(self):
        import scipy.sparse

        n = 60
        dense = 2 * numpy.eye(n) - numpy.eye(n, k=1) - numpy.eye(n, k=-1)
        first = numpy.eye(n)[0]
        contact = amontons.Contact(law="held", hold=1, tangent=first, friction=0.3)
        load = amontons.Load(direction=first, sine={"amplitude": 2.0, "frequency": 0.7})
        ends = [amontons.System(mass=matrix(numpy.eye(n)), stiffness=matrix(dense), contacts=[contact], loads=[load])
                .motion(until=5, samples=2).tables.numpy("samples")["q1"][-1]
                for matrix in (numpy.asarray, scipy.sparse.csr_matrix, scipy.sparse.coo_matrix)]
        # The same sums in another order: some roundings of numbers near 1.
        self.assertLess(max(ends) - min(ends), 1e-13)

    def test_sparse_matrices_that_are_none_are_refused_at_their_field(self):
        def sparse(shape, row, col, data):
            made = type("Sparse", (), {"shape": shape, "row": numpy.array(row), "col": numpy.array(col), "data": numpy.array(data)})()
            made.tocoo = lambda: made
            return made

        for row, column, data in (([0], [0, 1], [1.0, 2.0]), ([0, 1], [0, 1], [1.0] * 3), ([0, -1], [0, 1], [1.0, 1.0]),
                                  ([0, 2**40], [0, 1], [1.0, 1.0]), ([0.0, 1.0], [0, 1], [1.0, 1.0]), ([[0, 1]], [[0, 1]], [[1.0, 1.0]])):
            with self.assertRaises(amontons.InputError) as raised:
                amontons.System(mass=numpy.eye(2), stiffness=sparse((2, 2), row, column, data)).stability()
            self.assertEqual(raised.exception.field, "model.stiffness")
        with self.assertRaisesRegex(amontons.InputError, "negative"):
            amontons.System(stiffness=sparse((-2, 2), [0], [0], [1.0])).stability()

    def test_what_a_study_cannot_hold_is_placed_by_its_field(self):
        for field, parts in (("model.contacts.0.friction", {"contacts": [{"friction": object()}]}),
                             ("model.mass.1.0", {"mass": [[1, 0], [numpy.nan, 1]]}), ("model.damping", {"damping": 1j * numpy.eye(2)}),
                             ("model.contacts", {"contacts": 3}), ("model.names", {"names": "xy"})):
            with self.assertRaisesRegex(amontons.InputError, "^" + re.escape(field) + ": ") as raised:
                amontons.System(**{"stiffness": numpy.eye(2), **parts}).motion(until=1)
            self.assertEqual(raised.exception.field, field)

    def test_one_method_per_analysis_takes_the_options_by_their_names(self):
        system = oscillator()
        self.assertAlmostEqual(system.orbit().summary.period, 2 * numpy.pi / 0.7, places=12)
        self.assertEqual(system.motion(until=3, from_=1, samples=3).tables.numpy("samples")["t"][0], 1.0)
        with self.assertRaisesRegex(amontons.InputError, "unknown key 'untill'"):
            system.motion(untill=3)
        system["contacts.0.friction"] = 0.5
        self.assertEqual(system["contacts.0.friction"], 0.5)
        self.assertEqual(system.orbit().summary.x_max, oscillator(0.5).orbit().summary.x_max)

    def test_many_motions_end_where_each_alone_does_whatever_the_threads(self):
        system = oscillator()
        starts = numpy.random.default_rng(5).normal(size=(64, 4))
        one, two = (system.motions(starts, 30.0, threads=threads) for threads in (1, 2))
        numpy.testing.assert_array_equal(one.ends, two.ends)
        for row in (0, 17, 63):
            motion = system.follow_motion(displacement=starts[row, :2], velocity=starts[row, 2:])
            count = sum(1 for _ in motion.events(30.0))
            numpy.testing.assert_array_equal(one.ends[row], numpy.r_[motion.displacement, motion.velocity])
            self.assertEqual(one.events[row], count)

    def test_samples_of_a_motion_are_its_states_at_these_times(self):
        times, over = numpy.linspace(0, 9, 7), ["contacts.0.friction"]
        record = oscillator().follow_motion(over=over).sample(times)
        motion = oscillator().follow_motion(over=over)
        for i, t in enumerate(times):
            list(motion.events(t))
            numpy.testing.assert_array_equal(numpy.r_[record.displacement[i], record.velocity[i]],
                                             numpy.r_[motion.displacement, motion.velocity])
            numpy.testing.assert_array_equal(record.slopes[i], motion.slopes)
        for wrong in ([3.0, 2.0], [numpy.nan], [numpy.inf]):
            with self.assertRaises(amontons.InputError):
                oscillator().follow_motion().sample(wrong)
        with self.assertRaisesRegex(amontons.InputError, "cannot go back"):
            motion.sample([0.5])

    def test_the_sensitivity_of_a_motion_is_its_derivative(self):
        system, start, step = oscillator(), numpy.array([0.3, -0.2, 0.5, 0.1]), 1e-6
        motion = system.follow_motion(displacement=start[:2], velocity=start[2:], sensitivity=True)
        for _ in motion.events(9.0):
            pass
        for j, direction in enumerate(numpy.eye(4)):
            shifts = numpy.array([start + step * direction, start - step * direction])
            ends = system.motions(shifts, 9.0).ends
            # Central differences: error of order step^2, rounding 1e-16/step.
            numpy.testing.assert_allclose(motion.sensitivity[:4, j], (ends[0] - ends[1]) / (2 * step), atol=1e-8)


def jenkins(friction=0.3, spring=1.5, stiffness=2.0, amplitude=1.7, frequency=0.9, damping=0.1):
    """A structure with a slider behind a spring, under a sine."""
    return amontons.System(
        mass=numpy.array([[1, 0.2], [0.2, 1.5]]), damping=numpy.array([[damping, 0], [0, 0.05]]),
        stiffness=numpy.array([[stiffness, 0.3], [0.3, 3]]), names=["x", "y"],
        contacts=[amontons.Contact(law="held", hold=2, tangent=[1, 0], friction=friction, tangential_stiffness=spring)],
        loads=[amontons.Load(direction=[1, 0], sine={"amplitude": amplitude, "frequency": frequency})])


def belt(friction=0.3, static=0.5, speed=0.1, stiffness=1.0, damping=0.02):
    """A mass on a belt, self-excited."""
    return amontons.System(
        mass=[[1.0]], stiffness=[[stiffness]], damping=[[damping]],
        contacts=[amontons.Contact(law="held", hold=1, tangent=[1], friction=friction, static_friction=static,
                                   surface_velocity=speed)])


class Gradients(unittest.TestCase):
    """Against differences of fourth order, of orbits that are exact: error h^4, rounding of closing 1e-13/h."""

    PATHS = {jenkins: {"friction": "contacts.0.friction", "spring": "contacts.0.tangential_stiffness",
                       "stiffness": "stiffness.0.0", "amplitude": "loads.0.sine.amplitude",
                       "frequency": "loads.0.sine.frequency", "damping": "damping.0.0"},
             belt: {"friction": "contacts.0.friction", "static": "contacts.0.static_friction",
                    "speed": "contacts.0.surface_velocity", "stiffness": "stiffness.0.0", "damping": "damping.0.0"}}

    @staticmethod
    def quantities(orbit):
        return numpy.r_[orbit.period, orbit.maximum, orbit.minimum, orbit.amplitude, orbit.switch_times]

    @staticmethod
    def slopes(orbit):
        return numpy.vstack([orbit.period_slopes, orbit.maximum_slopes, orbit.minimum_slopes, orbit.amplitude_slopes,
                             orbit.switch_slopes])

    def check(self, make, given):
        paths = self.PATHS[make]
        orbit = make(**given).orbit_gradient(list(paths.values()))
        self.assertGreater(len(orbit.switch_times), 0)
        for column, name in enumerate(paths):
            step = 1e-3 * given[name]
            wanted = sum(weight * self.quantities(make(**{**given, name: given[name] + place * step}).orbit_gradient(
                [paths[name]])) for place, weight in ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))) / step
            size = max(1.0, abs(wanted).max())
            numpy.testing.assert_allclose(self.slopes(orbit)[:, column], wanted, atol=1e-7 * size, err_msg=name)

    def test_orbits_of_random_structures(self):
        rng = numpy.random.default_rng(4)
        for _ in range(3):
            self.check(jenkins, dict(friction=rng.uniform(0.25, 0.4), spring=rng.uniform(1, 3), damping=0.1,
                                     stiffness=rng.uniform(1.5, 2.5), amplitude=rng.uniform(1.6, 2), frequency=0.9))
            self.check(belt, dict(friction=rng.uniform(0.2, 0.3), static=rng.uniform(0.45, 0.6), damping=0.02,
                                  speed=rng.uniform(0.05, 0.15), stiffness=rng.uniform(0.8, 1.5)))

    @unittest.skipUnless(has("scipy"), "SciPy is not installed")
    def test_a_jenkins_element_is_found_again_from_its_response(self):
        from scipy.optimize import least_squares

        over, frequencies = ["contacts.0.friction", "contacts.0.tangential_stiffness"], (0.7, 0.9, 1.2, 1.5)
        calls = []

        def orbits(p):
            calls.append(p)
            return [jenkins(friction=p[0], spring=p[1], frequency=w).orbit_gradient(over) for w in frequencies]

        measured = [orbit.amplitude[0] for orbit in orbits((0.33, 1.7))]
        calls.clear()
        fit = least_squares(lambda p: [orbit.amplitude[0] - value for orbit, value in zip(orbits(p), measured)],
                            (0.28, 1.4), jac=lambda p: [orbit.amplitude_slopes[0] for orbit in orbits(p)],
                            xtol=1e-14, ftol=1e-14, gtol=1e-14)
        numpy.testing.assert_allclose(fit.x, (0.33, 1.7), rtol=1e-8)

    def test_what_has_no_derivative_is_refused(self):
        curved = amontons.System(mass=[[1.0]], stiffness=[[1.0]], contacts=[amontons.Contact(
            law="held", hold=1, tangent=[1], friction={"law": "tanh", "friction": 0.3, "velocity": 0.1})])
        with self.assertRaisesRegex(amontons.Unsupported, "linear between switches"):
            curved.follow_motion(over=["stiffness.0.0"])
        with self.assertRaises(KeyError):
            belt().orbit_gradient(["frictoin"])
        with self.assertRaises(amontons.InputError):
            belt().orbit_gradient([])
        with self.assertRaises(amontons.InputError):
            belt().follow_motion().slopes


class Results(unittest.TestCase):
    def test_columns_are_not_copied_and_outlive_their_result(self):
        result = amontons.run(KLARBRING, **{"analysis.samples": 100001})
        first, again = (result.tables.numpy("samples")["t"] for _ in range(2))
        self.assertTrue(numpy.shares_memory(first, again))
        self.assertFalse(first.flags.writeable)
        wanted = first.copy()
        del result, again
        gc.collect()
        numpy.testing.assert_array_equal(first, wanted)

    def test_a_column_of_a_million_rows_is_the_memory_of_the_library(self):
        from amontons._declarations import ffi
        from amontons._library import lib

        table = amontons.run(KLARBRING, **{"analysis.samples": 1000000}).tables.numpy("samples")
        address = int(ffi.cast("uintptr_t", lib.am_table_numbers(table._table, list(table).index("t"))))
        self.assertEqual((table["t"].ctypes.data, len(table["t"])), (address, 1000000))

    def test_summary_values_have_types_units_and_sentences(self):
        summary = oscillator().orbit().summary
        self.assertIs(type(summary["stable"]), bool)
        self.assertIs(type(summary.switches), int)
        self.assertEqual(summary.unit("period"), "time")
        self.assertTrue(summary.about("period"))
        with self.assertRaises(AttributeError):
            summary.perid

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_tables_are_data_frames_with_typed_columns(self):
        events = amontons.run(KLARBRING).tables["events"]
        self.assertEqual(list(events.columns[:5]), ["t", "contact", "from", "to", "cause"])
        self.assertEqual(events.attrs["units"]["t"], "time")
        self.assertEqual(len(events), 9)

    @unittest.skipUnless(has("xarray"), "xarray is not installed")
    def test_a_sweep_is_a_labelled_grid(self):
        grid = amontons.run({**KLARBRING, "sweep": {"outputs": ["state_changes"], "axes": {
            "model.friction": {"values": [0.5, 0.2, 0.3]}, "model.mass": {"values": [1, 2]}}}}).to_xarray()
        self.assertEqual(dict(grid.sizes), {"friction": 3, "mass": 2})
        for friction, mass in ((0.2, 1), (0.5, 2)):
            alone = amontons.run(KLARBRING, **{"model.friction": friction, "model.mass": mass}).summary.state_changes
            self.assertEqual(int(grid.state_changes.sel(friction=friction, mass=mass)), alone)

    @unittest.skipUnless(has("xarray"), "xarray is not installed")
    def test_a_sample_beside_a_grid_is_one_dimension_of_it(self):
        drawn = {"from": 0.1, "to": 0.9, "count": 8, "draw": "sobol"}
        made = amontons.run({**KLARBRING, "sweep": {"outputs": ["potential_energy"], "axes": {
            "model.friction": drawn, "analysis.until": [3, 1, 2], "model.mass": drawn}}})
        grid, rows = made.to_xarray(), made.tables.numpy("sweep")
        self.assertEqual(dict(grid.sizes), {"sample": 8, "analysis.until": 3})
        for i in range(rows.rows):
            cell = grid.sel({"analysis.until": rows["analysis.until"][i]}).isel(sample=i // 3)
            self.assertEqual([float(cell[name]) for name in ("friction", "mass", "potential_energy")],
                             [rows[name][i] for name in ("model.friction", "model.mass", "potential_energy")])
        with tempfile.TemporaryDirectory() as folder:
            made.save(folder)
            if has("netCDF4"):
                import xarray

                with xarray.open_dataset(pathlib.Path(folder, "results.nc")) as saved:
                    self.assertEqual(saved.potential_energy.dims, ("sample", "analysis_until"))
                    numpy.testing.assert_array_equal(saved.potential_energy, grid.potential_energy)
                    numpy.testing.assert_array_equal(saved.coords["mass"], grid.mass)
        alone = amontons.run({**KLARBRING, "sweep": {"axes": {"model.friction": drawn, "model.mass": drawn}}}).to_xarray()
        self.assertEqual(dict(alone.sizes), {"sweep": 8})

    def test_what_a_sample_says_of_a_known_function(self):
        # At the beginning the energy is (k x^2 + K)/2, with x in (0, 1), k in (1, 3) and K in (1, 4) where y = 1.
        drawn = {"from": 0, "to": 1, "count": 512, "draw": "sobol"}
        free = amontons.System(mass=numpy.eye(2), stiffness=numpy.eye(2))
        made = free.motion(until=1e-9, samples=2, initial={"displacement": [1, 1]}, sweep={
            "axes": {"analysis.initial.displacement.0": drawn, "model.stiffness.0.0": {**drawn, "from": 1, "to": 3},
                     "model.stiffness.1.1": {**drawn, "from": 1, "to": 4}},
            "outputs": ["potential_energy"], "conditions": {"large": {"output": "potential_energy", "above": 1.5}}})
        said, shares, chance = (made.tables.numpy(name) for name in ("statistics", "sensitivity", "probabilities"))
        energy = made.tables.numpy("sweep")["potential_energy"]
        of_x, of_k, of_both, of_y = 4 / 45, 1 / 108, 1 / 135, 3 / 16  # parts of the variance
        variance = of_x + of_k + of_both + of_y
        self.assertAlmostEqual(said["mean"][0], 19 / 12, delta=2e-3)
        self.assertAlmostEqual(said["deviation"][0] ** 2, variance, delta=0.01 * variance)
        numpy.testing.assert_allclose([said[name][0] for name in ("p05", "median", "p95")],
                                      numpy.quantile(energy, [0.05, 0.5, 0.95]), rtol=1e-14)
        numpy.testing.assert_allclose(shares["first_order"] * variance, [of_x, of_k, of_y], atol=0.01 * variance)
        numpy.testing.assert_allclose(shares["total"] * variance, [of_x + of_both, of_k + of_both, of_y], atol=0.03 * variance)
        self.assertEqual(chance["probability"][0], (energy > 1.5).mean())
        self.assertTrue(chance["low"][0] < chance["probability"][0] < chance["high"][0])

    @unittest.skipUnless(has("xarray"), "xarray is not installed")
    def test_a_map_of_starts_is_a_grid_and_samples_lie_along_time(self):
        axes = {"x": {"from": -1, "to": 1, "count": 5}, "v_x": {"from": 0, "to": 1, "count": 3}}
        made = belt().attractors(starts={"q1": axes["x"], "v1": axes["v_x"]}).to_xarray()
        self.assertEqual(dict(made.sizes), {"q1": 5, "v1": 3})
        numpy.testing.assert_array_equal(made.q1, numpy.linspace(-1, 1, 5))
        samples = belt().motion(until=2, samples=11)
        numpy.testing.assert_array_equal(samples.to_xarray().q1.sel(t=2.0), samples.tables.numpy("samples")["q1"][-1])
        branch = jenkins().response(over="loads.0.sine.frequency", from_=0.8, to=1, harmonics=3).to_xarray("branch")
        self.assertEqual(list(branch.sizes), ["row"])  # it has a column of the name of the table

    @unittest.skipUnless(has("xarray") and has("netCDF4"), "xarray or netCDF4 is not installed")
    def test_xarray_opens_a_saved_sweep_as_the_same_grid(self):
        import xarray

        result = amontons.run({**KLARBRING, "sweep": {"outputs": ["state_changes", "final_state", "exact", "t_end",
                                                                  "energy_residual"],
                                                      "axes": {"model.friction": [0.5, 0.2, 0.3],
                                                               "analysis.until": [4, 38]}}})
        with tempfile.TemporaryDirectory() as folder:
            result.save(folder)
            with xarray.open_dataset(pathlib.Path(folder, "results.nc")) as opened:
                saved = opened.load()
        grid = result.to_xarray().rename({"analysis.until": "analysis_until"})
        self.assertEqual(saved.state_changes.dims, ("friction", "analysis_until"))
        numpy.testing.assert_array_equal(saved.friction, [0.2, 0.3, 0.5])
        numpy.testing.assert_array_equal(saved.analysis_until, [4, 38])
        for name in ("friction", "analysis_until", "state_changes", "final_state", "exact", "t_end"):
            numpy.testing.assert_array_equal(saved[name].values.astype(grid[name].dtype), grid[name].values)
        self.assertEqual(saved.friction.column, "model.friction")
        self.assertEqual((saved.energy_residual.units, saved.energy_residual.long_name),
                         (grid.energy_residual.units, grid.energy_residual.long_name))
        self.assertEqual(saved.exact.dtype, numpy.int8)
        self.assertEqual(saved.exact.flag_meanings, "false true")
        self.assertEqual((saved.t_end.quantity, saved.attrs["Conventions"]), ("time", "CF-1.8"))

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed")
    def test_the_figure_of_a_study_is_drawn_with_its_curves(self):
        import matplotlib

        matplotlib.use("Agg")
        result = amontons.run({**KLARBRING, "figure": {"x": "u1", "y": "u2"}})
        axes = result.plot()
        numpy.testing.assert_array_equal(axes.lines[0].get_xdata(), result.tables.numpy("samples")["u1"])
        self.assertIn("<svg", result._repr_html_())

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed")
    def test_columns_are_drawn_without_a_figure_of_the_study(self):
        import matplotlib
        from matplotlib.figure import Figure

        matplotlib.use("Agg")
        result = amontons.run(KLARBRING)
        ax = result.plot(Figure().add_subplot(), x="t", y=["u1", "u2"])  # `events` has them, too, and is shorter
        numpy.testing.assert_array_equal(ax.lines[1].get_ydata(), result.tables.numpy("samples")["u2"])
        starts = belt().attractors(starts={"q1": {"from": -1, "to": 1, "count": 5}, "v1": {"from": 0, "to": 1, "count": 3}})
        ax = starts.plot(Figure().add_subplot(), x="q1", y="v1", value="fate")
        self.assertEqual(ax.collections[0].get_array().size, 15)
        with self.assertRaisesRegex(amontons.Unsupported, "say what to draw"):
            result.plot()
        with self.assertRaisesRegex(amontons.InputError, "no table has the columns 't', 'nothing'"):
            result.plot(x="t", y="nothing")

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed")
    def test_every_kind_of_figure_is_drawn(self):
        import matplotlib
        from matplotlib.collections import QuadMesh, TriMesh
        from matplotlib.figure import Figure
        from matplotlib.patches import Wedge

        matplotlib.use("Agg")

        def drawn(study, **settings):
            result = amontons.run(study, progress=False, **settings)
            return result, result.plot(Figure().add_subplot())

        result, ax = drawn(ROOT / "gallery/klarbring/fig2b.yaml")
        wedges = [patch for patch in ax.patches if isinstance(patch, Wedge)]
        numpy.testing.assert_array_equal([wedge.theta1 for wedge in wedges], result.tables.numpy("sectors")["from_deg"])
        result, ax = drawn(ROOT / "gallery/attractors/fig9.yaml")  # what a slip diagram excludes, and its paths
        self.assertGreaterEqual({text.get_text() for text in ax.get_legend().get_texts()}, {"$O_{+}^{1}$", "$O_{-}^{2}$"})
        result, ax = drawn(ROOT / "gallery/blocks/stress.yaml")
        mesh = next(part for part in ax.collections if isinstance(part, TriMesh))
        self.assertEqual(len(mesh.get_array()), result.tables.numpy("mesh_nodes").rows)
        result, axes = drawn({**KLARBRING, "figure": {"columns": 2, "panels": [
            {"x": "u1", "y": "u2"}, {"x": "t", "y": "u1"}, {"x": "t", "y": "u2"}]}})
        numpy.testing.assert_array_equal(axes[2].lines[0].get_ydata(), result.tables.numpy("samples")["u2"])
        result, ax = drawn({**KLARBRING, "sweep": {"outputs": ["final_state"], "axes": {
            "model.friction": [0.2, 0.6, 0.9], "analysis.until": [4, 38]}}, "figure": {
                "kind": "map", "x": "model.friction", "y": "analysis.until", "value": "final_state"}})
        grid = next(part for part in ax.collections if isinstance(part, QuadMesh))
        self.assertEqual(grid.get_array().size, 6)

    def test_saved_results_are_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            names = amontons.run(KLARBRING).save(folder)
            self.assertIn("summary.json", names)
            subprocess.run([COMMAND, "verify", folder], check=True, capture_output=True)

    def test_an_orbit_that_rounding_hides_has_no_verdict_and_a_warning(self):
        # Without damping what is free neither grows nor decays.
        free = amontons.System(mass=[[1.0]], stiffness=[[1.0]], contacts=[amontons.Contact(normal=[1], gap=9)], polynomials=[
            {"direction": [1], "terms": [{"coefficient": 0.3, "displacement": 3}]}],
                               loads=[amontons.Load(direction=[1], sine={"amplitude": 0.3, "frequency": 1.7})])
        with self.assertWarnsRegex(amontons.WithheldWarning, "stable is not decided: the unit circle"):
            said = free.orbit(transient=0, initial={"velocity": [-0.27]}).summary
        self.assertEqual((said.stable, round(said.multiplier, 9)), (None, 1))
        damped = belt().orbit_gradient(["stiffness.0.0"])
        self.assertEqual((damped.stable, damped.multiplier < 1 - damped.uncertainty), (True, True))

    def test_what_is_warned_of_is_in_the_tables_of_the_library(self):
        from amontons._library import description
        from amontons.result import _COUNTED, _WITHHELD

        known = {entry["name"] for entry in description()["quantities"] if entry["section"] == "summary"}
        self.assertLessEqual({*_COUNTED, *_WITHHELD, *(reason for _, reason in _COUNTED.values() if reason)}, known)

    def test_what_was_withheld_is_warned_of_where_it_was_asked_for(self):
        few = {**KLARBRING, "sweep": {"axes": {"analysis.max_events": [3, 20]}}}
        with self.assertWarnsRegex(amontons.WithheldWarning, "1 points or starts failed: more than 3 events") as warned:
            amontons.run(few)
        self.assertEqual(warned.filename, __file__)
        symmetric = {"model": {"kind": "klarbring", "stiffness": [[1, 1], [1, 2]], "mass": 1, "friction": 0.25}}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            amontons.run({**symmetric, "analysis": {"kind": "states"}})
        result = oscillator().orbit()
        result.summary = dict(result.summary, stability_withheld=3, stability_reason="a reason", fewer_modes="another")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result._warn()
        self.assertEqual([str(warning.message) for warning in caught],
                         ["3 points have no verdict on stability: a reason", "there are fewer modes than asked for: another"])


def nonsense(draw, folder):
    """What no caller should pass, and a few things that some may."""
    class Liar:  # says that it is a sparse matrix, with entries outside
        shape, row, col, data = (2, 2), numpy.array([0, 5]), numpy.array([-1, 7]), numpy.array([1.0, 2.0])
        tocoo = lambda self: self

    class Hostile:
        __float__ = lambda self: 1 / 0
        __array__ = lambda self, *given, **more: 1 / 0
        __len__ = lambda self: -1

    def broken():
        yield 1.0
        raise RuntimeError("broken")

    return draw.choice([
        None, -1, 0, 2, 3.5, 1e308, 5e-324, float("nan"), float("inf"), 2**31, 2**63, 2**70, True, 1j, "x", "", "samples", "t",
        "contacts.0.friction", "x" * 10000, "a\0b", "\ud800", b"bytes", [], [[]], {}, (), [1, "2"], {1: 2}, {"from": 0, "count": 3},
        numpy.zeros(0), numpy.zeros((2, 2, 2)), numpy.array(["a"]), numpy.full((2, 2), numpy.nan), numpy.ones((4, 4))[::2, ::-1],
        numpy.ones(2, ">f8"), numpy.zeros(2, [("a", "f8")]), numpy.ma.masked_array([1.0, 2.0], [0, 1]), numpy.datetime64("now"),
        numpy.ones((5, 4)), numpy.array(3.0), object(), range(3), broken(), broken, Liar(), Hostile(), memoryview(b"12345678"),
        slice(0, 3), type, os.path.join(folder, "file"), "/nowhere/x", lambda *given: 1 / 0])


def random_calls(seed, count):
    """Takes what the library makes and calls, reads, sets, copies, compares and pickles it with nonsense; what came of it."""
    draw, outcomes = random.Random(seed), set()
    makers = [oscillator, belt, lambda: amontons.Study(KLARBRING), lambda: amontons.run(KLARBRING, progress=False),
              lambda: oscillator().follow_motion(sensitivity=True, over=["stiffness.0.0"]), lambda: amontons.Study(KLARBRING).model,
              lambda: oscillator().motions(numpy.zeros((3, 4)), 3.0), lambda: oscillator().follow_motion().events(3.0),
              lambda: amontons.run(KLARBRING, progress=False).tables.numpy("samples"), lambda: amontons.Load(direction=[1, 0]),
              lambda: belt().orbit_gradient(["stiffness.0.0"])]
    made = [maker() for maker in makers[:4]]

    def some(folder):
        return draw.choice(made) if draw.random() < 0.25 else nonsense(draw, folder)

    def call(thing, folder):
        name = draw.choice([name for name in dir(thing) if not name.startswith("_")] or ["none"])
        value = getattr(thing, name)
        if not callable(value) or inspect.isclass(value):
            return value
        given, named = [], {}
        for wanted in inspect.signature(value).parameters.values():
            if wanted.kind in (wanted.VAR_POSITIONAL, wanted.VAR_KEYWORD) or wanted.default is not wanted.empty and draw.random() < 0.7:
                continue
            passed = some(folder)
            if wanted.name in ("until", "samples", "threads", "transient") and isinstance(passed, (int, float)) and passed > 50:
                passed = 7  # no run that lasts
            given, named = ((given, {**named, wanted.name: passed}) if wanted.kind == wanted.KEYWORD_ONLY else ([*given, passed], named))
        return value(*given, **named)

    def act(folder):
        thing = draw.choice(made)
        return draw.choice([
            lambda: draw.choice(makers)(), lambda: pickle.loads(pickle.dumps(thing)), lambda: copy.deepcopy(thing),
            lambda: (repr(thing), bool(thing), thing == some(folder)) and None, lambda: thing[some(folder)],
            lambda: thing.__setitem__(some(folder), some(folder)), lambda: amontons.System(**{
                key: some(folder) for key in draw.sample(["mass", "stiffness", "names", "contacts", "loads", "nonsense"], 3)}),
            lambda: amontons.run(some(folder), progress=False), *6 * [lambda: call(thing, folder)]])()

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(count):
            try:
                result = act(folder)
                made.extend([result] if type(result).__module__.startswith(("amontons", "numpy")) else [])
                outcomes.add("works")
            except Exception as refusal:
                outcomes.add(type(refusal).__name__)
            del made[:-25]
    return outcomes


class Misuse(unittest.TestCase):
    """Nothing that a user does ends the interpreter: wrong shapes, types and values raise."""

    def test_random_nonsense_raises_or_works(self):
        draw = random.Random(11)
        nonsense = [None, -1, 0, 1e308, float("nan"), float("inf"), "x", "", [], [[]], {}, numpy.zeros(0),
                    numpy.zeros((2, 2, 2)), numpy.array([1j]), numpy.array(["a"]), numpy.full((2, 2), numpy.nan), object(),
                    numpy.ones((3, 2)), True, b"bytes", [1, "2"], {"law": "nothing"}, numpy.float32(1), 2**70]
        keys = ["mass", "stiffness", "damping", "names", "contacts", "loads", "polynomials", "nonsense"]
        outcomes = set()
        for _ in range(300):
            parts = {"mass": numpy.eye(2), "stiffness": numpy.eye(2)}
            for key in draw.sample(keys, draw.randint(1, 3)):
                value = draw.choice(nonsense)
                parts[key] = [value] if key in ("contacts", "loads") and draw.random() < 0.7 else value
            try:
                amontons.System(**parts).motion(until=draw.choice([1.0, 1.0, -1.0, "x", None]), samples=2)
                outcomes.add("works")
            except (amontons.Error, TypeError, AttributeError) as refusal:
                outcomes.add(type(refusal).__name__)
        self.assertIn("InputError", outcomes)

    def test_starts_of_wrong_shapes_are_refused(self):
        for starts in (numpy.zeros(4), numpy.zeros((3, 5)), numpy.zeros((0, 3))):
            with self.assertRaises(amontons.InputError):
                oscillator().motions(starts, 1.0)
        with self.assertRaises(amontons.InputError):
            oscillator().motions(numpy.zeros((1, 4)), float("nan"))
        with self.assertRaises(amontons.InputError):
            oscillator().follow_motion(displacement=[1.0])

    def test_random_steps_of_a_motion_work_or_raise(self):
        draw = random.Random(5)
        nonsense = [None, -1, 0, 3.5, 1e308, float("nan"), float("inf"), "x", [], [[]], {}, numpy.zeros(0), numpy.array([1j, 2]),
                    numpy.array(["1", "2"]), numpy.full(2, numpy.nan), object(), numpy.ones((3, 2)), b"bytes", [1, "2"], 2**70,
                    numpy.ones(4)[::2], numpy.asfortranarray(numpy.ones((2, 2))), numpy.array([None, 1]), [1e308, 1e308],
                    numpy.ones(2, ">f8"), numpy.datetime64("now"), [1, [2]], ["friction"]]
        stop = amontons.System(mass=[[1.0]], stiffness=[[1.0]], loads=[amontons.Load(direction=[1], sine={
            "amplitude": 2, "frequency": 1})], contacts=[amontons.Contact(normal=[1], gap=0.1, restitution=0.5)])
        systems, motion, outcomes = [oscillator(), jenkins(), stop], oscillator().follow_motion(), set()
        of = lambda: draw.choice(nonsense)
        acts = [
            lambda: draw.choice(systems).follow_motion(displacement=draw.choice([None, of()]), sensitivity=draw.random() < 0.5,
                                                       over=draw.choice([(), ["stiffness.0.0"], ["stiffness.0.0"], of()])),
            lambda: motion.start(of(), of(), draw.choice([0.0, of()])), lambda: motion.start([0.5] * motion.coordinates),
            lambda: motion.step(of()), lambda: motion.step(motion.t + 1), lambda: motion.at(of()), lambda: motion.at(motion.t),
            lambda: (motion.forces, motion.states, motion.switches, motion.displacement, motion.velocity, repr(motion)),
            lambda: motion.sensitivity, lambda: motion.slopes, lambda: motion.event_slopes,
            lambda: [event for event in motion.events(motion.t + 3)], lambda: next(motion.events(of()), None),
            lambda: draw.choice(systems).motions(of(), of(), threads=draw.choice([0, 2, of()]))]
        for _ in range(1500):
            try:
                made = draw.choice(acts)()
                motion = made if isinstance(made, amontons.Motion) else motion
                outcomes.add("works")
            except (amontons.Error, TypeError, ValueError, KeyError, OverflowError) as refusal:
                outcomes.add(type(refusal).__name__)
        self.assertLessEqual({"works", "InputError"}, outcomes)

    def test_random_calls_of_all_that_is_public_work_or_raise(self):
        self.assertLessEqual({"works", "InputError", "TypeError"}, random_calls(seed=3, count=500))

    def test_random_calls_in_forked_processes_and_threads_end(self):
        done = self.apart("""
import warnings
warnings.simplefilter("ignore")  # of numpy, met by comparisons of nonsense; catch_warnings is not for threads
random_calls(seed=1, count=30)
for seed in range(2, 5):
    child = os.fork()
    if child == 0:
        random_calls(seed, count=30)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
threads = [threading.Thread(target=random_calls, args=(seed, 60)) for seed in range(5, 9)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
""")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_texts_end_where_their_zero_is(self):
        for ask in (lambda: amontons.run("a\0b.yaml"), lambda: amontons.run("model: 1\n\0"), lambda: oscillator()["stiff\0"],
                    lambda: amontons.run(KLARBRING, **{"model.friction\0": 1}), lambda: amontons.run(KLARBRING).save("a\0b")):
            with self.assertRaisesRegex(amontons.InputError, "zero byte"):
                ask()

    def test_numbers_that_would_lose_something_are_refused(self):
        for start, sentence in (([1j, 0], "complex"), (["1", "2"], "expected numbers"), ([None, 0], "expected numbers"),
                                ([[1], [2, 3]], "no array of numbers")):
            with self.assertRaisesRegex(amontons.InputError, sentence) as raised:
                oscillator().follow_motion(displacement=start)
            self.assertEqual(raised.exception.field, "displacement")

    def test_threads_that_share_a_motion_take_turns(self):
        # Without its lock, the engine's caches are freed by one thread while another reads them: the interpreter ends.
        motion = oscillator().follow_motion(sensitivity=True)

        def use(seed):
            draw = random.Random(seed)
            for _ in range(500):
                draw.choice([lambda: motion.start([draw.uniform(-1, 1), 0]), lambda: motion.step(motion.t + 5),
                             lambda: motion.sensitivity, lambda: motion.switches, lambda: list(motion.events(motion.t + 3))])()

        threads = [threading.Thread(target=use, args=(seed,)) for seed in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(motion.sensitivity.shape, (4, 4))

    def apart(self, text, **more):
        """Runs a program of its own, which must end by itself."""
        return subprocess.run([sys.executable, "-W", "ignore:This process", "-c", "import sys; sys.path.insert(0, 'tests/python'); from test_python import *\n" + text],
                              cwd=ROOT, env={**os.environ, **more}, capture_output=True, text=True, timeout=60)

    def test_a_forked_process_computes_the_same(self):
        done = self.apart("""
starts = numpy.random.default_rng(5).normal(size=(64, 4))
before = oscillator().motions(starts, 10.0, threads=2).ends
child = os.fork()
if child == 0:
    os._exit(0 if (oscillator().motions(starts, 10.0, threads=2).ends == before).all() else 1)
sys.exit(os.waitpid(child, 0)[1])
""")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    LONG = {**KLARBRING, "sweep": {"axes": {"model.friction": {"from": 0.1, "to": 0.9, "count": 1000000}}}}

    def test_ctrl_c_ends_a_run_with_keyboard_interrupt(self):
        done = self.apart("""
import signal
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    amontons.run(Misuse.LONG)
except KeyboardInterrupt:
    print("ended")
""")
        self.assertEqual((done.stdout, done.stderr), ("ended\n", ""))

    def test_the_interpreter_ends_while_a_run_is_under_way(self):
        done = self.apart("""
begun = threading.Event()
threading.Thread(target=lambda: amontons.run(Misuse.LONG, progress=lambda done: begun.set()), daemon=True).start()
begun.wait()
""")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_progress_function_cannot_start_further_work(self):
        with self.assertRaisesRegex(amontons.InputError, "waits for it"):
            amontons.run(self.LONG, progress=lambda done: amontons.run(KLARBRING))
        self.assertEqual(amontons.run(KLARBRING).summary.state_changes, 9)

    def test_structures_and_failures_pass_between_processes(self):
        system = pickle.loads(pickle.dumps(oscillator()))
        self.assertEqual(dict(system.orbit().summary), dict(oscillator().orbit().summary))
        gradient = oscillator().orbit_gradient(["stiffness.0.0"])
        numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(gradient)).maximum_slopes, gradient.maximum_slopes)
        with self.assertRaises(amontons.InputError) as raised:
            amontons.System(mass=numpy.eye(2)).follow_motion()
        passed = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((str(passed), passed.field, passed.status), (str(raised.exception), raised.exception.field, "input"))

    def test_the_garbage_collector_may_free_in_any_order(self):
        # A motion uses its model and its study until it is freed. MALLOC_PERTURB_: freed memory is overwritten.
        done = self.apart("""
gc.disable()
for i in range(10):
    motion = oscillator().follow_motion(sensitivity=True, over=["stiffness.0.0"])
    parts = [motion._model, motion, motion._model._model, motion._motion]
    random.Random(i).shuffle(parts)
    motion.parts = [motion, parts]
    del motion, parts
    gc.collect()
""", MALLOC_PERTURB_="165")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_parts_outlive_what_they_came_from(self):
        motion = oscillator().follow_motion()
        table = amontons.run(KLARBRING).tables.numpy("events")
        gc.collect()
        self.assertEqual([event.switches[0].contact for event in motion.events(1.0)][0], "pad")
        self.assertEqual(len(table["t"]), 9)


class Notebooks(unittest.TestCase):
    def test_every_notebook_runs_and_its_assertions_hold(self):
        books = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
        self.assertGreaterEqual(len(books), 5)
        for book in books:
            text = "\n".join("".join(cell["source"]) for cell in json.loads(book.read_text())["cells"]
                             if cell["cell_type"] == "code")
            with self.subTest(book=book.name):
                if "scipy" in text and not has("scipy"):
                    continue
                exec(compile(text, book.name, "exec"), {"__name__": book.stem})


class Generated(unittest.TestCase):
    def test_every_function_has_type_hints(self):
        # Whether they fit together: mypy --config-file python/mypy.ini python/amontons
        bare = []
        for path in sorted((ROOT / "python/amontons").glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef):
                    given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                    given += [extra for extra in (node.args.vararg, node.args.kwarg) if extra]
                    if any(arg.annotation is None and arg.arg not in ("self", "cls") for arg in given) or (
                            node.returns is None and node.name != "__init__"):
                        bare.append(f"{path.name}: {node.name}")
        self.assertEqual(bare, [])

    def test_every_analysis_of_the_library_is_a_method_with_its_options(self):
        from amontons._library import description

        asked = {schema["name"]: schema for schema in description()["schemas"] if schema["kind"] == "analysis"}
        self.assertEqual(set(asked), {name for name in vars(type(oscillator()).__mro__[1]) if not name.startswith("_")})
        for name, schema in asked.items():
            options = {option.rstrip("_") for option in inspect.signature(getattr(amontons.System, name)).parameters}
            self.assertLessEqual({row["name"] for row in schema["rows"] if row["name"].isidentifier()}, options)

    def test_declarations_and_methods_are_those_of_the_library(self):
        library = os.environ.get("AMONTONS_LIBRARY", str(ROOT / "build/release/libamontons.so"))
        subprocess.run([sys.executable, str(ROOT / "python/generate.py"), "--check", "--library", library], check=True)

    @unittest.skipUnless(has("setuptools") and (ROOT / "build/release/libamontons.so").exists(), "nothing to install from")
    def test_what_is_installed_from_a_build_tree_finds_its_library(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "setup.py", "-q", "build_py", "--build-lib", folder], cwd=ROOT / "python", check=True)
            alone = {name: value for name, value in os.environ.items() if name != "AMONTONS_LIBRARY"}
            said = subprocess.run([sys.executable, "-c", "from amontons._library import _candidates as all; print(all()[0])"],
                                  env={**alone, "PYTHONPATH": folder}, cwd="/", capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout, f"{ROOT}/build/release/libamontons.so\n")

    def test_the_readme_begins_like_the_guide(self):  # whose blocks doc_blocks runs
        first, guide = (re.search(r"```python\n.*?```", (ROOT / page).read_text(), re.S)[0] for page in ("python/README.md", "docs/python.md"))
        self.assertEqual(first, guide)

    def test_every_package_has_the_version_of_the_project(self):
        places = {"CMakeLists.txt": r"project\(amontons VERSION (\S+)", "python/setup.py": r'version="(.*)"',
                  "python/amontons/__init__.py": r'__version__ = "(.*)"',
                  "CITATION.cff": r"\nversion: (\S+)", "debian/changelog": r"\Aamontons \((.*)-\d+\)"}
        found = {name: re.search(pattern, (ROOT / name).read_text())[1] for name, pattern in places.items()}
        self.assertEqual(len(set(found.values())), 1, found)
        text = (ROOT / "CMakeLists.txt").read_text()
        interface = re.search(r"set\(AMONTONS_ABI (\d+)\)", text)[1]
        self.assertIn(f"\nPackage: libamontons{interface}\n", (ROOT / "debian/control").read_text())
        self.assertIn(f'"libamontons.so.{interface}"', (ROOT / "python/amontons/_library.py").read_text())


if __name__ == "__main__":
    unittest.main()
