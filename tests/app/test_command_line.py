"""The command line as people meet it: what it says about mistakes, on a terminal and in a pipe, as JSON, from standard
input; completion in a shell; the published schemas. Called by test_command_line.sh, which sets COMMAND, SOURCE, BUILD
and SANITIZED. Mistakes are checked many at a time: one process reads them all."""
import json
import os
import pty
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema
import yaml

COMMAND, SOURCE = os.environ["COMMAND"], Path(os.environ["SOURCE"])
SANITIZED = bool(os.environ.get("SANITIZED"))
MODEL = "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
MOTION = "analysis: {kind: motion, until: 38, samples: 3}\n"
PADS = (
    "model: {kind: structure, stiffness: [1, 2], mass: [1, 1], contacts: ["
    "{name: pad, tangent: [1, 0], law: held, hold: {constant: 1}, friction: 0.3, surface_velocity: 1}, "
    "{name: shoe, tangent: [0, 1], law: held, hold: {constant: 1}, friction: 0.3, surface_velocity: 1}], "
    "loads: [{direction: [1, 0], sine: {amplitude: 1, frequency: 1}}]}\n"
)
STEADY = PADS.replace("sine: {amplitude: 1, frequency: 1}", "constant: 1")


def sine(words):
    return (
        "model: {kind: structure, stiffness: [1], mass: [1], loads: [{direction: [1], sine: {amplitude: 1, "
        + words
        + "}}]}\n"
        + MOTION
    )


class InPlace(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(dir=os.environ["BUILD"])
        self.addCleanup(shutil.rmtree, self.place)

    def write(self, name, text):
        path = Path(self.place, name)
        path.write_text(text)
        return name

    def run_command(self, *arguments, input=None, env=None):
        environment = dict(os.environ, **(env or {}))
        return subprocess.run(
            [COMMAND, *arguments], cwd=self.place, input=input, capture_output=True, text=True, env=environment
        )

    def expect_refusals(self, cases):
        """Each study is refused with these words and nothing else, on one line."""
        names = [self.write(f"s{i}.yaml", text) for i, (text, _) in enumerate(cases)]
        done = self.run_command("check", *names)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), len(cases), done.stderr)
        for name, line, (text, words) in zip(names, lines, cases):
            with self.subTest(study=text):
                self.assertTrue(line.startswith(f"{name}:"), line)
                self.assertIn(words, line[len(name) + 1 :])
        self.assertEqual((done.returncode, done.stdout), (2, ""))


class Mistakes(InPlace):
    def test_errors_of_yaml_are_in_plain_words(self):
        klarbring = "model:\n  kind: klarbring\n"
        self.expect_refusals(
            [
                (klarbring + "  friction:0.25\n  stiffness: [1, 1]\n", "3:3: this is not valid YAML: a blank is missing "
                 "behind the colon; write friction: 0.25"),
                ("model:\n\tkind: klarbring\n", "2:1: this is not valid YAML: this line begins with a tab; begin it"),
                (klarbring + "  friction: 0.25\n   gap: 1\n", "the next line is indented as if it went on with this value"),
                (klarbring + " friction: 0.25\n", "this line is indented otherwise than the keys above"),
                ("model: {kind: klarbring, stiffness: [1, 1}\n", "} closes what [ opened; a list ends with ]"),
                ("model: {kind: klarbring, friction: 0.2]\n", "] closes what { opened; a mapping ends with }"),
                ("model: [1, 2\n", "this list is not closed: its ] is missing"),
                ("model: {kind: klarbring friction: 0.2}\n", "1:33: this is not valid YAML: a comma is missing here"),
                ("title: a: b\n", "put a text with ': ' in quotes"),
                ("title: 'a\n", "this text begins with ' and has no closing '"),
                ('title: "a\n', 'this text begins with " and has no closing "'),
                ('title: "\\q"\n', "use 'single quotes'"),
                ("title: @x\n", "1:8: this is not valid YAML: a text that begins with @ needs quotes"),
                ("title: - x\n", "a list with - begins on a line of its own"),
                (MODEL + "model\n", "2:1: this is not valid YAML: "),
                ("model\nanalysis: {kind: motion}\n", "1:1: this is not valid YAML: this has no colon; expected key"),
                ("title: [x] y\n" + MODEL, "this is not valid YAML: "),
                (MODEL + MODEL, "2:1: the key 'model' is here a second time; the first is on line 1"),
                ("model: {kind: klarbring, friction:0.2, stiffness: [1, 1]}\n" + MOTION, "1:26: unknown key "
                 "'friction:0.2' in model klarbring; a blank is missing behind the colon: write friction: 0.2"),
            ]
        )

    def test_numbers_that_are_none_are_told_as_they_should_be(self):
        def until(value):
            return MODEL + "analysis: {kind: motion, until: %s}\n" % value

        self.expect_refusals(
            [
                ("model:\n  kind: klarbring\n  friction: 0,25\n  stiffness: [1, 1]\n" + MOTION,
                 "3:13: friction must be a number such as 0.25, not the text '0,25'; decimals have a point: write 0.25"),
                ("model: {kind: klarbring, stiffness: [1, 1], friction: 0,25}\n" + MOTION,
                 "unknown key '25' in model klarbring; a decimal comma? Decimals have a point: 0.25"),
                (until("'38'"), "not the text '38'; write it without quotes"),
                (until("true"), "until must be a number such as 0.25, not the text 'true'"),
                (until("1 000"), "write 1000"),
                (until("1_000"), "write 1000"),
                (until("1/4"), "formulas are not computed: write 0.25"),
                (until("-pi/2"), "formulas are not computed: write -1.5707963267948966"),
                (until("2*pi"), "write 6.283185307179586"),
                (until("3 mm"), "a number has no unit, all are in those of the study: write 3"),
                (until("10%"), "it is a part of 1: write 0.1"),
                (sine("frequency: 50 Hz"), "frequencies are in radians per unit of time: write 314.1592654"),
                (sine("frequency: 600 rpm"), "write 62.83185307"),
                (sine("frequency: 1, phase: 90 deg"), "this angle is in radians: write 1.570796327"),
                (sine("frequency: 1, phase: 90°"), "this angle is in radians: write 1.570796327"),
                (sine("frequency: 1, phase: 90"), "phase is in radians, and 90 of them are 14.3 turns; for 90 degrees "
                 "write 1.570796327"),
                (sine("frequency: 1, phase_deg: 1.5707963"), "phase_deg is in degrees, and this is 90 degrees in radians"),
                (sine("frequency: 1, phase_deg: pi/2"), "formulas are not computed: write 90"),
                (sine("frequency: 1, phase_deg: 90 deg"), "a number has no unit, all are in those of the study: write 90"),
                ("model: {kind: klarbring, stiffness: [1 1], friction: 0.2}\n" + MOTION, "is a comma missing in it?"),
                (MODEL + "analysis: {kind: motion, until: 1, energy: yes}\n", "energy must be true or false, not 'yes'"),
                (MODEL + "analysis: {kind: motion, until: 1, energy: 'true'}\n", "true or false, without quotes"),
                (MODEL + "analysis: {kind: motion, until: 1, energy: [true]}\n", "true or false, not a list"),
            ]
        )

    def test_angles_that_may_be_meant_are_read(self):
        names = [
            self.write(f"s{i}.yaml", sine("frequency: 1, " + words))
            for i, words in enumerate(["phase: 7", "phase: -29.9", "phase_deg: 90", "phase_deg: 1.5", "phase_deg: 3.14"])
        ]
        done = self.run_command("check", *names)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_numbers_of_the_model_are_suggested(self):
        def threshold(name):
            return PADS + "analysis: {kind: stability, threshold: %s, from: 0, to: 1}\n" % name

        def sweep(name):
            return PADS + MOTION + "sweep: {axes: {%s: [0.1, 0.2]}}\n" % name

        both = "did you mean 'contacts.0.friction' or 'contacts.1.friction'?"
        lists = "`amontons show --numbers` lists its numbers"
        self.expect_refusals(
            [
                (threshold("friction"), both + " " + lists),
                (threshold("model.friction"), both),
                (threshold("shoe.friction"), "did you mean 'contacts.1.friction'?"),
                (threshold("contacts.pad.frction"), "did you mean 'contacts.0.friction'?"),
                (threshold("contacts.0.frction"), "did you mean 'friction'?"),
                (PADS + "analysis: {kind: response, over: frequency, from: 1, to: 2}\n",
                 "2:34: unknown key 'frequency' in model structure; did you mean 'loads.0.sine.frequency'?"),
                (PADS + "analysis: {kind: response, over: loads.0.sine.frequency, from: 1, to: 2, "
                 "folds: {along: amplitude, from: 0, to: 2}}\n", "did you mean 'loads.0.sine.amplitude'?"),
                (sweep("friction"), "3:16: 'friction' cannot be swept; expected a path such as model.contacts.0.friction"),
                (sweep("model.friction"), "did you mean 'model.contacts.0.friction' or 'model.contacts.1.friction'?"),
                (sweep("model.contacts.pad.friction"), "did you mean 'model.contacts.0.friction'?"),
                (PADS + "analysis: {kind: orbit}\nfollow: {parameter: friction, from: 0.1, to: 0.3}\n",
                 "'friction' cannot be followed; expected a path such as model.contacts.0.friction"),
            ]
        )

    def test_columns_and_values_are_suggested(self):
        sweep = MODEL + MOTION + "sweep: {axes: {model.friction: [0.1, 0.2]}%s}\n"
        self.expect_refusals(
            [
                (MODEL + MOTION + "figure: {x: u1, y: u7}\n", "unknown column 'u7' in samples; did you mean 'u1'?"),
                (MODEL + MOTION + "figure: {table: evnts, x: t, y: u1}\n", "did you mean 'events'?"),
                (MODEL + MOTION + "expect: {state_chnges: 9}\n", "unknown result 'state_chnges' in expect; did you mean "
                 "'state_changes'? `amontons help motion` lists what there is"),
                (MODEL + MOTION + "expect: {'events[0].form': stick}\n", "did you mean 'from'?"),
                (sweep % ", outputs: [state_chnges]", "unknown output 'state_chnges' in sweep; did you mean "
                 "'state_changes'?"),
                (sweep % ", tables: [evnts]", "did you mean 'events'?"),
                (sweep % "" + "figure: {x: model.frction, y: state_changes}\n", "did you mean 'model.friction'?"),
                (sweep % "" + "figure: {x: friction, y: state_changes}\n", "did you mean 'model.friction'?"),
                (sweep % "" + "figure: {x: model.friction, y: state_chnges}\n", "did you mean 'state_changes'?"),
            ]
        )
        shown = self.run_command("help", "motion").stdout
        for name in ("state_changes", "samples", "events"):
            self.assertIn(name, shown)

    def test_points_of_the_study_stand_beside_curves(self):
        self.write("seen.csv", "0,0.1\n-5,1\n-38,0.4\n")
        figure = ("figure: {curves: [{x: u1, y: u2, label: computed}, {points: [[-10, 0.5], [-20, 0.6]], label: one}, "
                  "{points: {file: seen.csv}, label: other, style: line}]}\n")
        study = self.write("s.yaml", MODEL + MOTION + figure)
        self.assertEqual(self.run_command("run", "-q", study, "-o", "out").returncode, 0)
        self.assertEqual(Path(self.place, "out/given.csv").read_text(),
                         "curve,x,y\n1,-10,0.5\n1,-20,0.6\n2,0,0.1\n2,-5,1\n2,-38,0.4\n")
        script = Path(self.place, "out/figure.gp").read_text()
        self.assertRegex(script, r"'given.csv'.*,1\)\):.* with points .*'one'")
        self.assertRegex(script, r"'given.csv'.*,2\)\):.* with lines .*'other'")
        points = MODEL + MOTION + "figure: {curves: [{points: %s}]}\n"
        self.expect_refusals(
            [
                (points % "[[1, 2]]", "3:28: points need a label that says where they come from"),
                (points % "[[1, 2, 3]], label: a", "points are rows of two numbers: [[x, y], [x, y]]"),
                (points % "[[1, 2]], label: a, x: u1", "x and points say the same thing"),
                (MODEL + MOTION + "figure: {curves: [{x: u1}]}\n", "3:19: a curve needs x and y (columns), or points"),
            ]
        )

    def test_what_run_would_refuse_is_refused_by_check(self):
        curve = PADS + "analysis: {kind: response, over: loads.0.sine.frequency, from: 1, to: 2, hysteresis: [belt]}\n"
        self.expect_refusals(
            [
                (curve, "2:87: no contact is called 'belt'; the first is pad"),
                (PADS + "analysis: {kind: backbone, hysteresis: belt}\n", "2:40: no contact is called 'belt'"),
                (PADS + "analysis: {kind: backbone, from: 1, to: 0.5}\n", "amplitudes must go up, not from 1 to 0.5"),
                ((SOURCE / "tests/quantities/slip_double.yaml").read_text().replace("samples: 20", "samples: 1"),
                 "samples must lie between 2 and"),
                # What only the beginning of a run knows.
                ("model: {kind: hertz}\nanalysis: {kind: slip, Q_over_fP: 1.25}\n", "2:11: Q exceeds f P"),
                ("model: {kind: hertz}\nanalysis: {kind: slip, cycle: [{P: 1}, {P: -1}], cycles: 1}\n",
                 "leg 3 of the path: P falls to -1"),
                (PADS.replace("mass: [1, 1], ", "") + MOTION, "1:8: no coordinate has mass or damping"),
                ("model: {kind: chain, count: 4}\nanalysis: {kind: atlas, over: xi1, from: 0.1, to: 0.2, "
                 "patterns: [+L 0 +LL]}\n", "'+L 0 +LL' is no pattern"),
                # Names that the analysis has, but not with this study.
                (STEADY + "analysis: {kind: stability}\nexpect: {critical: 3}\n",
                 "3:10: no result 'critical' in expect: stability has it only with threshold"),
                (STEADY + "analysis: {kind: stability}\nexpect: {stiff_limit: 3}\n", "stability has it only of two-mode"),
                (PADS + "analysis: {kind: stability}\n", "steady sliding needs loads"),
                (MODEL + MOTION + "sweep: {axes: {model.friction: [0.1, 0.2]}, outputs: [impacts]}\n"
                 "figure: {table: peaks, x: model.friction, y: impacts}\n",
                 "no table 'peaks' in figure: sweep has it only with over"),
                (MODEL + MOTION + "sweep: {axes: {model.friction: [0.1, 0.2]}, outputs: [impacts.0]}\n",
                 "unknown output 'impacts.0' in sweep; did you mean 'impacts'?"),
                (MODEL + MOTION + "sweep: {axes: {model.friction: [0.1, 0.2]}, outputs: [impacts]}\n"
                 "figure: {x: model.friction, y: state_changes}\n", "it is not among the outputs of the sweep"),
                (MODEL + MOTION + "sweep: {axes: {model.friction: [0.1, 0.2]}, outputs: [impacts]}\n"
                 "expect: {greatest_state_changes: 3}\n", "unknown result 'greatest_state_changes' in expect"),
                (MODEL + MOTION + "also: {late: {kind: motion, until: 3, initial: {displacement: [0, -1]}}}\n",
                 "3:63: the start penetrates contact 'plane' by 1"),
                (MODEL + MOTION + "sweep: {axes: {model.friction: [0.1, 0.2]}, tables: [events, events]}\n",
                 "'events' is named twice"),
                (MODEL + "analysis: {kind: motion, until: 990000}\nfigure: {x: u1, y: 990000}\n", "unknown column '990000' in samples"),
                (MODEL + "analysis: {kind: states}\nanimation: {}\n", "nothing moves in the results of this study"),
                (MODEL + MOTION + "expect: {other.impacts: 3}\n", "unknown result 'other.impacts' in expect"),
            ]
        )

    def test_matrices_in_csv_files(self):
        study = "model: {kind: structure, stiffness: {file: %s}%s}\nanalysis: {kind: path, until: 1}\n"
        for name, text in {
            "K.csv": "2, -1\n-1, 2\n", "semicolons.csv": "a;b\n2;-1\n-1;2\n", "terms.csv": "1,1,2\n2,2,2\n1,2,-1\n3,3,1\n",
            "flat.csv": "1\n2\n", "ragged.csv": "2,-1\n-1\n", "word.csv": "2,-1\n-1,x\n", "decimals.csv": "2,5;1\n1;2\n",
            "terms_3.csv": "1,1,2\n2,2,2\n1,2,-1\n", "empty.csv": "\n",
        }.items():
            self.write(name, text)
        shown = []
        for name, more in (("K.csv", ""), ("semicolons.csv", ""), ("terms_3.csv", ", format: coordinate")):
            self.write("s.yaml", study % (name + more, ""))
            shown.append(yaml.safe_load(self.run_command("show", "s.yaml").stdout)["model"]["stiffness"])
        self.assertEqual(shown, [[[2, -1], [-1, 2]]] * 3)
        self.write("s.yaml", study % ("terms.csv", ""))
        self.assertIn("ok: 3 coordinates", self.run_command("check", "s.yaml").stdout)
        self.expect_refusals(
            [
                (study % ("flat.csv", ""), "1:44: flat.csv: the matrix has 2 rows and 1 columns; it must be square"),
                (study % ("ragged.csv", ""), "ragged.csv:2:1: 1 numbers where the first row has 2"),
                (study % ("word.csv", ""), "word.csv:2:4: 'x' stands where a finite number was expected"),
                (study % ("decimals.csv", ""), "decimals.csv:1:4: commas and semicolons in one line"),
                (study % ("none.csv", ""), "none.csv: cannot be opened: No such file"),
                (study % ("empty.csv", ""), "empty.csv: there are no numbers in this file"),
                (study % ("K.csv", ", mass: [1, 1, 1]"), "mass"),
            ]
        )


class Streams(InPlace):
    def on_terminal(self, *arguments, **env):
        """What a terminal gets to see, of both streams."""
        control, terminal = pty.openpty()
        environment = dict(os.environ, TERM="xterm")
        environment.pop("NO_COLOR", None)
        environment.update(env)
        process = subprocess.Popen(
            [COMMAND, *arguments], cwd=self.place, stdin=terminal, stdout=terminal, stderr=terminal, env=environment
        )
        os.close(terminal)
        seen = b""
        try:
            while piece := os.read(control, 4096):
                seen += piece
        except OSError:
            pass  # the other end is closed
        os.close(control)
        return process.wait(), seen.decode().replace("\r\n", "\n")

    def test_a_terminal_gets_colour_and_the_line_with_a_sign_below_the_place(self):
        self.write("s.yaml", MODEL + "analysis: {kind: motion, until: 0.5 s}\n")
        status, seen = self.on_terminal("check", "s.yaml")
        self.assertEqual(status, 2)
        self.assertTrue(seen.startswith("\033[1ms.yaml:2:33: \033[0muntil must be"), seen)
        self.assertEqual(
            seen.splitlines()[1:],
            ["    2 | analysis: {kind: motion, until: 0.5 s}", " " * 40 + "\033[31m^\033[0m"],
        )

    def test_the_sign_stands_below_the_place_in_lines_of_every_kind(self):
        for line in ("friction: 0,3", "größe: 0,3", "gap:" + " " * 150 + "x", "name: ü, größe: {a: 1}"):
            self.write("s.yaml", "model:\n  kind: klarbring\n  stiffness: [1, 1]\n  " + line + "\n" + MOTION)
            seen = self.on_terminal("check", "s.yaml", NO_COLOR="1")[1]
            self.assertNotIn("\033", seen)
            place, shown, sign = seen.splitlines()
            row, column = map(int, re.match(r"s\.yaml:(\d+):(\d+): ", place).groups())
            written = Path(self.place, "s.yaml").read_text().splitlines()[row - 1]
            self.assertEqual(shown[sign.index("^")], written[column - 1])

    def test_no_colour_where_it_is_refused_or_nobody_sees_it(self):
        self.write("s.yaml", MODEL + MOTION + "expect: {state_changes: 9}\n")
        self.assertIn("\033[32m✓\033[0m", self.on_terminal("run", "s.yaml", "-o", "out")[1])
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            seen = self.on_terminal("run", "s.yaml", "-o", "out", **env)[1]
            self.assertIn("✓ state_changes", seen)
            self.assertNotIn("\033", seen)
        done = self.run_command("run", "s.yaml", "-o", "out", env={"TERM": "xterm"})
        self.assertNotIn("\033", done.stdout + done.stderr)

    def test_a_reader_that_has_seen_enough_is_no_failure(self):
        self.write("s.yaml", MODEL + MOTION)
        for line, status in (("help", 0), ("list", 0), ("help motion", 0), ("schema", 0), ("run s.yaml -o out", 0),
                             ("run s.yaml --json", 3)):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([COMMAND, *line.split()], cwd=self.place, stdout=write, stderr=subprocess.PIPE)
            os.close(write)
            self.assertEqual((done.returncode, done.stderr), (status, b""), line)

    def test_a_study_from_standard_input(self):
        study = MODEL + MOTION
        self.assertIn("ok: 2 coordinates", self.run_command("check", "-", input=study).stdout)
        self.assertIn("kind: structure", self.run_command("show", "-", input=study).stdout)
        done = self.run_command("run", "-", input=study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(Path(self.place, "stdin-results", "summary.json").exists())
        done = self.run_command("run", "-", "--json", "-o", "out", "--set", "analysis.until=5", input=study)
        self.assertEqual(json.loads(done.stdout)["summary"]["t_end"], 5)
        self.assertTrue(Path(self.place, "out", "summary.json").exists())
        self.write("K.csv", "2, 0\n0, 2\n")
        named = "model: {kind: structure, stiffness: {file: K.csv}}\nanalysis: {kind: path, until: 1}\n"
        self.assertEqual(self.run_command("check", "-", input=named).returncode, 0)
        for text, words in ((study + "a: 1", "stdin:3:1: unknown key 'a'"), ("", "stdin: the file is empty"),
                            ("a\0b", "standard input is not a text")):
            done = self.run_command("check", "-", input=text)
            self.assertEqual((done.returncode, words in done.stderr), (2, True), done.stderr)

    def test_check_takes_several_studies_and_ends_with_the_gravest_status(self):
        self.write("good.yaml", MODEL + MOTION)
        self.write("bad.yaml", MODEL)
        done = self.run_command("check", "bad.yaml", "good.yaml", "none.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertEqual([line.split(":")[0] for line in done.stderr.splitlines()], ["bad.yaml", "none.yaml"])
        self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines()], ["good.yaml"])
        done = self.run_command("check", "-q", "good.yaml", "good.yaml")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_short_options_are_the_long_ones(self):
        self.write("s.yaml", MODEL + MOTION)
        self.assertEqual(self.run_command("-V").stdout, self.run_command("--version").stdout)
        for words in (["-qo", "a"], ["-q", "-oa"], ["-o", "a", "--quiet"], ["--out=a", "-q"]):
            done = self.run_command("run", "s.yaml", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), words)
            self.assertTrue(Path(self.place, "a", "summary.json").exists())
            shutil.rmtree(Path(self.place, "a"))
        for words, complaint in ((["-x"], "unknown option '-x'"), (["-o"], "--out needs a value"), (["-qx"], "'-x'")):
            done = self.run_command("run", "s.yaml", *words)
            self.assertEqual((done.returncode, complaint in done.stderr), (2, True), done.stderr)

    def test_a_quiet_run_tells_what_was_not_met(self):
        self.write("s.yaml", MODEL + MOTION + "expect: {state_changes: 8, touches: 1}\n")
        done = self.run_command("run", "s.yaml", "-qo", "a")
        self.assertEqual((done.returncode, done.stdout), (1, "  ✗ state_changes: 9, expected 8\n"))

    def test_the_summary_has_counters_only_when_asked(self):
        self.write("s.yaml", MODEL + MOTION)
        short = self.run_command("run", "s.yaml", "-o", "a").stdout
        long = self.run_command("run", "s.yaml", "-o", "a", "-v").stdout
        whole = json.loads(Path(self.place, "a", "summary.json").read_text())["summary"]
        for name in ("spans", "combinations", "energy_residual"):
            self.assertNotIn(f"  {name} ", short)
            self.assertIn(f"  {name} ", long)
        for name in whole:
            self.assertIn(f"  {name} ", long)
        self.assertIn("  state_changes ", short)
        left = int(re.search(r"\((\d+) more, counters and small residuals: --verbose\)", short).group(1))
        self.assertEqual(len(re.findall(r"(?m)^  [a-z]\S* ", short)) + left, len(whole))

    def test_bad_evidence_is_always_shown(self):
        self.write("s.yaml", MODEL + "analysis: {kind: motion, until: 38, max_events: 5}\n"
                   "sweep: {axes: {model.friction: [0.25, 3]}, outputs: [state_changes]}\n")
        done = self.run_command("run", "s.yaml", "-o", "a")
        self.assertRegex(done.stdout, r"  failed +1\n")
        self.assertRegex(done.stdout, r"  first_failure +\S+")


class Documents(InPlace):
    @classmethod
    def setUpClass(cls):
        cls.schemas = {}
        for what in ("study", "result"):
            text = subprocess.run([COMMAND, "schema", what], capture_output=True, text=True, check=True).stdout
            cls.schemas[what] = json.loads(text)
            jsonschema.Draft7Validator.check_schema(cls.schemas[what])

    def check_result(self, document):
        jsonschema.Draft7Validator(self.schemas["result"]).validate(document)
        return document

    def error_of(self, *arguments, status=2, input=None):
        done = self.run_command(*arguments, input=input)
        self.assertEqual(done.returncode, status, done.stderr)
        document = self.check_result(json.loads(done.stdout))
        self.assertIn(document["error"]["message"], done.stderr)
        self.assertEqual(document["error"]["status"], status)
        return document["error"]

    def test_errors_are_documents_too(self):
        self.write("s.yaml", "model: {kind: klarbring, stiffness: [1, 1], friction: -1}\n" + MOTION)
        self.assertEqual(
            self.error_of("run", "s.yaml", "--json"),
            {"message": "friction must be zero or positive, not -1", "file": "s.yaml", "line": 1, "column": 55,
             "field": "model.friction", "status": 2})
        self.write("good.yaml", MODEL + MOTION)
        error = self.error_of("run", "good.yaml", "--json", "--set", "model.friction=-1")
        self.assertEqual((error["field"], error["line"]), ("model.friction", None))
        error = self.error_of("run", "--json", "-", input=PADS.replace("tangent: [0, 1]", "tangent: [0, x]") + MOTION)
        self.assertEqual((error["file"], error["field"]), ("stdin", "model.contacts.1.tangent.1"))
        self.assertEqual(self.error_of("run", "--json", "-", input="a: [")["line"], 2)
        self.assertIsNone(self.error_of("run", "--json", "good.yaml", "--foo")["file"])
        self.assertIn("something is missing", self.error_of("run", "--json")["message"])
        self.assertIn("cannot be opened", self.error_of("import", "--json", "none.mtx")["message"])
        self.write("cut.sti", "1 1 2.5e+00\n1 2 -1.0e+00\n2 2 2.")
        error = self.error_of("import", "--json", "stiffness=cut.sti")
        self.assertEqual((error["file"], error["line"], error["column"]), ("cut.sti", 3, None))
        error = self.error_of("run", "good.yaml", "--json", "--set", "analysis.max_events=1", status=3)
        self.assertIn("max_events", error["message"])

    def test_results_with_a_mistake_name_it_beside_them(self):
        self.write("s.yaml", MODEL + MOTION + "figure: {x: u1, y: u2, by: t}\n")
        self.write("many.yaml", MODEL + "analysis: {kind: motion, until: 38}\nfigure: {x: u1, y: u2, by: t}\n")
        done = self.run_command("run", "many.yaml", "--json")
        document = self.check_result(json.loads(done.stdout))
        self.assertEqual((done.returncode, document["error"]["line"], document["summary"]["state_changes"]), (1, 3, 9))
        self.assertIn("has more than", document["error"]["message"])

    def test_results_fit_their_schema(self):
        self.write("s.yaml", MODEL + MOTION + "expect: {state_changes: 9}\n")
        document = self.check_result(json.loads(self.run_command("run", "s.yaml", "--json", "-o", "a").stdout))
        self.assertNotIn("error", document)
        self.check_result(json.loads(Path(self.place, "a", "summary.json").read_text()))
        for path, wrong in (("summary", {"state_changes": "nine"}), ("expect", [{"name": "x"}]), ("seconds", None)):
            with self.assertRaises(jsonschema.ValidationError):
                self.check_result(dict(document, **{path: wrong}))
        self.write("sweep.yaml", MODEL + MOTION + "sweep: {axes: {model.friction: [0.2, 0.3]}}\n")
        self.check_result(json.loads(self.run_command("run", "sweep.yaml", "--json").stdout))
        self.write("K.csv", "2, 0\n0, 2\n")
        self.check_result(json.loads(self.run_command("import", "stiffness=K.csv", "--json").stdout))

    def test_studies_fit_the_schema_and_mistakes_do_not(self):
        validator = jsonschema.Draft7Validator(self.schemas["study"])
        studies = sorted(SOURCE.glob("gallery/*/*.yaml"))
        self.assertGreater(len(studies), 200)
        for path in studies[:: 11 if SANITIZED else 1]:  # all of the gallery takes two seconds
            wrong = next(validator.iter_errors(read(path.read_text())), None)
            self.assertIsNone(wrong, path)
        mistakes = [
            MODEL, MOTION, "model: 3\n" + MOTION, MODEL.replace("klarbring", "klarbrng") + MOTION,
            MODEL.replace("friction: 0.25, ", "") + MOTION, MODEL.replace("0.25", "-0.25") + MOTION,
            MODEL.replace("0.25", "rough") + MOTION, MODEL.replace("friction", "frction") + MOTION,
            MODEL + MOTION.replace("motion", "moton"), MODEL + MOTION.replace("38", "true"),
            MODEL + MOTION.replace("38", "0,3"), MODEL + MOTION.replace("samples: 3", "samples: 2.5"),
            MODEL + MOTION.replace("samples: 3", "energy: yes"), MODEL + MOTION + "titel: x\n",
            MODEL + MOTION + "figure: {x: u1, y: u2, kind: pie}\n", MODEL + MOTION + "sweep: {}\n",
            PADS.replace("tangent", "tangnt") + MOTION, PADS.replace("hold: {constant: 1}", "hold: {konstant: 1}") + MOTION,
            MODEL + MOTION + "also: {b: {kind: motion, until: ten}}\n", sine("frequency: -1"), sine("frequency: 50 Hz"),
        ]
        for text in mistakes:
            self.assertFalse(validator.is_valid(read(text)), text)
        names = [self.write(f"s{i}.yaml", text) for i, text in enumerate(mistakes)]
        self.assertEqual(len(self.run_command("check", *names).stderr.splitlines()), len(mistakes))

    def test_schemas_are_of_studies_and_results(self):
        done = self.run_command("schema", "figures")
        self.assertEqual((done.returncode, "'study' and 'result'" in done.stderr), (2, True))
        self.assertEqual(self.run_command("schema").stdout, self.run_command("schema", "study").stdout)


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML 1.2, as the command and editors read it: 1e3 is a number, yes is a word."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), ["t", "f"])
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("^(~|null|)$"), ["~", "n", ""])
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$"), list("-+.0123456789")
)


def read(text):
    return yaml.load(text, Loader)


class Completion(InPlace):
    def complete(self, *lines):
        """What bash offers at the end of each line."""
        script = """
            source "$SCRIPT"
            while IFS= read -r COMP_LINE; do
                COMP_POINT=${#COMP_LINE} COMP_WORDS=($COMP_LINE)
                [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _amontons
                echo "${COMPREPLY[*]}"
            done"""
        env = dict(os.environ, SCRIPT=str(SOURCE / "src/app/completion/amontons.bash"),
                   PATH=f"{Path(COMMAND).parent}:{os.environ['PATH']}", AMONTONS_GALLERY=str(SOURCE / "gallery"))
        done = subprocess.run(["bash", "-c", script], cwd=self.place, input="\n".join(lines) + "\n", text=True,
                              capture_output=True, env=env)
        self.assertEqual(done.stderr, "")
        return [line.split() for line in done.stdout.splitlines()]

    def test_bash_completes_what_the_command_knows(self):
        self.write("first.yaml", MODEL + MOTION)
        self.write("notes.txt", "")
        os.mkdir(Path(self.place, "folder"))
        cases = {
            "amontons r": {"run"},
            "amontons check --f": {"--full"},
            "amontons run --s": {"--set"},
            "amontons run ": {"first.yaml", "folder"},
            "amontons run first.yaml --set model.f": {"model.friction="},
            "amontons run first.yaml --set analysis.u": {"analysis.until="},
            "amontons run first.yaml -o f": {"folder"},
            "amontons new klar": {"klarbring"},
            "amontons help mot": {"motion"},
            "amontons gallery klarbring/fig4": {"klarbring/fig4a", "klarbring/fig4b"},
            "amontons list ": {"models", "analyses", "laws", "gallery"},
            "amontons schema r": {"result"},
            "amontons nothing ": set(),
        }
        self.assertEqual([set(words) for words in self.complete(*cases)], list(cases.values()))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_its_function(self):
        subprocess.run(["zsh", "-n", str(SOURCE / "src/app/completion/_amontons")], check=True)


if __name__ == "__main__":
    unittest.main()
