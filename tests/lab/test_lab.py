"""The lab's server as pages, scripts and strangers meet it, over sockets. Called by test_lab.sh, which sets COMMAND,
SOURCE, BUILD and SANITIZED."""
import http.client
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.parse
from pathlib import Path

COMMAND, SOURCE, BUILD = os.environ["COMMAND"], Path(os.environ["SOURCE"]), Path(os.environ["BUILD"])
SANITIZED = bool(os.environ.get("SANITIZED"))
MASS = "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, -0.99]}\n"
SHORT = MASS + "analysis: {kind: motion, until: 38, initial: {displacement: [0, 0], velocity: [0, 0]}}\n"
# Far more than anybody waits for (minutes of a processor), in many small steps.
LONG = """model:
  kind: structure
  mass: [[1]]
  stiffness: [[1]]
  contacts: [{tangent: [1], law: held, hold: {constant: 1}, friction: 0.3, static_friction: 0.5, surface_velocity: 0.2}]
analysis: {kind: motion, until: 1e9, samples: 2, max_events: 1000000000, max_spans: 1000000000000, initial: {displacement: [0], velocity: [0]}}
"""
BRANCH = "model: {kind: griffin, beta: 0.5, k_ratio: 1.5, zeta: 0.1}\nanalysis: {kind: response, over: Omega, from: 0.5, to: 2, harmonics: 1, stability: none}\n"
# Minutes as well, in many points.
POINT = SHORT.replace("until: 38", "until: 20000")
SWEEP = POINT + "sweep: {axes: {model.friction: {from: 0.1, to: 0.3, count: 20000}}, outputs: [state_changes]}\n"


def children(process):
    """Processes whose parent this is."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def seconds_of(process):
    """Processor time; None: it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# Seconds that anything is waited for which comes at once on a machine that has nothing else to do.
PATIENCE = 90.0


def until(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return condition()


class Lab:
    """A server of its own."""

    def __init__(self, *arguments, **variables):
        environment = dict(os.environ, TMPDIR=str(SCRATCH)) | variables
        browser = [] if "BROWSER" in variables else ["--no-browser"]
        self.process = subprocess.Popen([COMMAND, "lab", *browser, *map(str, arguments)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment, cwd=SOURCE)
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.base = parts.port, parts.path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        self.said = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.port))
        s.settimeout(PATIENCE)
        return s

    def ask(self, method, path, body=None, headers=None, arguments=(), base=None):
        """(status, headers, bytes)"""
        query = "?" + urllib.parse.urlencode(arguments) if arguments else ""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, (self.base if base is None else base) + path + query, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, text, *arguments, **more):
        return self.ask("POST", path, body=text.encode(), arguments=arguments, **more)

    def document(self, path, text, *arguments):
        status, _, body = self.post(path, text, *arguments)
        return status, json.loads(body)

    def begin(self, path, text):
        """A request whose answer nobody has read yet."""
        s = self.connect()
        s.sendall(self.head("POST", path, len(text.encode())) + text.encode())
        return s

    def head(self, method, path, length, extra=""):
        return (f"{method} {self.base}{path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{extra}"
                f"Content-Length: {length}\r\n\r\n").encode()

    def busy(self):
        """The worker that computes: it takes processor time while all others take none (one that is just starting takes some)."""
        before = {}

        def found():
            nonlocal before
            now = {p: seconds_of(p) or 0 for p in children(self.process.pid)}
            grown = [p for p in now if now[p] > before.get(p, 0)]
            if len(grown) == 1 and now[grown[0]] > before.get(grown[0], now[grown[0]]) + 0.05:
                return grown[0]
            if len(grown) > 1 or set(now) - set(before):
                before = now
            return None

        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            worker = found()
            if worker:
                return worker
            time.sleep(0.01)
        raise AssertionError("no worker computes")


def setUpModule():
    global SCRATCH, FOLDER, SHARED
    SCRATCH = Path(tempfile.mkdtemp(dir=BUILD))
    FOLDER = SCRATCH / "opened"
    (FOLDER / "below").mkdir(parents=True)
    (SCRATCH / "secret.yaml").write_text("title: secret\n")
    (FOLDER / "mine.yaml").write_text(SHORT)
    (FOLDER / "below" / "deep.yml").write_text(SHORT)
    (FOLDER / "notes.txt").write_text("not a study")
    (FOLDER / ".hidden.yaml").write_text(SHORT)
    (FOLDER / "out.yaml").symlink_to(SCRATCH / "secret.yaml")
    (FOLDER / "folder_out").symlink_to(SCRATCH)
    (FOLDER / "in.yaml").symlink_to(FOLDER / "mine.yaml")
    (FOLDER / "gone.yaml").symlink_to(SCRATCH / "nothing.yaml")
    (FOLDER / "device.yaml").symlink_to("/dev/zero")
    os.mkfifo(FOLDER / "pipe.yaml")
    SHARED = Lab(FOLDER)


def tearDownModule():
    with SHARED:
        pass
    leftovers = list(SCRATCH.glob("amontons-lab-*"))
    shutil.rmtree(SCRATCH)
    assert SHARED.process.returncode == 0 and SHARED.said == "", (SHARED.process.returncode, SHARED.said)
    assert not leftovers, leftovers


class Gate(unittest.TestCase):
    def test_without_the_token_nothing_is_told(self):
        wrong = "/" + "0" * 32 + "/"
        for base in ("/", "", wrong, self.cut(), SHARED.base[:-2] + "x/", "//" + SHARED.base[1:], SHARED.base.upper()):
            for method, path in (("GET", "status"), ("GET", ""), ("POST", "run"), ("PUT", "study"), ("DELETE", "")):
                status, headers, body = SHARED.ask(method, path, base=base, body=b"" if method in ("POST", "PUT") else None)
                self.assertEqual((status, body), (404, b""), (method, base + path))
        self.assertIsNone(SHARED.process.poll())

    @staticmethod
    def cut():
        return SHARED.base[:-1]

    def test_other_hosts_and_origins_are_refused(self):
        own = f"127.0.0.1:{SHARED.port}"
        for host in ("evil.example", f"evil.example:{SHARED.port}", "127.0.0.1", "127.0.0.1:1", "", own + ".evil.example",
                     f"localhost:{SHARED.port}x", f"0.0.0.0:{SHARED.port}"):
            self.assertEqual(SHARED.get("status", headers={"Host": host})[0], 403, host)
        for origin in ("null", "http://evil.example", f"https://{own}", f"http://{own}/", f"http://{own}0", "", "http://",
                       f"http://localhost:{SHARED.port}"): # not the host that was asked
            self.assertEqual(SHARED.post("check", SHORT, headers={"Origin": origin})[0], 403, origin)
        for host in (own, f"localhost:{SHARED.port}"):
            self.assertEqual(SHARED.get("status", headers={"Host": host, "Origin": f"http://{host}"})[0], 200)
        with SHARED.connect() as s: # a request that names no host
            s.sendall(f"GET {SHARED.base}status HTTP/1.0\r\n\r\n".encode())
            self.assertIn(b" 403 ", s.recv(100))

    def test_every_answer_says_what_browsers_must_not_do(self):
        for answer in (SHARED.get("status"), SHARED.get("nothing"), SHARED.get("status", base="/"),
                       SHARED.post("run", "x"), SHARED.get("status", headers={"Host": "x"})):
            headers = answer[1]
            self.assertIn("default-src 'self'", headers["Content-Security-Policy"])
            self.assertNotIn("unsafe", headers["Content-Security-Policy"])
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cache-Control"], "no-store")
            self.assertIsNone(headers["Access-Control-Allow-Origin"])

    def test_the_browser_gets_an_address_that_is_good_once(self):
        script, given = SCRATCH / "browser.sh", SCRATCH / "given"
        script.write_text(f'#!/bin/sh\necho "$@" >"{given}.new"\nmv "{given}.new" "{given}"\n')
        script.chmod(0o755)
        with Lab(BROWSER=str(script)) as lab:
            self.assertTrue(until(given.exists))
            door = urllib.parse.urlsplit(given.read_text().strip())
            self.assertNotIn(lab.base.strip("/"), door.path)
            self.assertEqual(lab.get("x", base=door.path)[0], 404)
            status, headers, _ = lab.get("", base=door.path)
            self.assertEqual((status, headers["Location"]), (303, lab.base))
            self.assertEqual(lab.get("", base=door.path)[0], 404)

    def test_it_listens_on_this_machine_alone(self):
        inode_lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
        listening = [line.split()[1] for line in inode_lines if line.split()[3] == "0A"]
        own = [place for place in listening if int(place.split(":")[1], 16) == SHARED.port]
        self.assertEqual(own, [f"0100007F:{SHARED.port:04X}"])

    def test_addresses_and_methods_that_there_are_not(self):
        self.assertEqual(SHARED.get("nothing")[0], 404)
        self.assertEqual(SHARED.get("run")[0], 405)
        self.assertEqual(SHARED.post("studies", "x")[0], 405)
        for job in ("jobs/0", "jobs/" + "0" * 16, "jobs/" + "g" * 16, "jobs/" + "0" * 16 + "/../x", "jobs/"):
            self.assertEqual(SHARED.get(job)[0], 404, job)


class Places(unittest.TestCase):
    def test_only_studies_of_the_folder_and_the_gallery_are_read(self):
        for name in ("folder/mine.yaml", "folder/below/deep.yml", "folder/in.yaml", "gallery/klarbring/fig4b.yaml"):
            status, _, body = SHARED.get("study", arguments=[("name", name)])
            self.assertEqual((status, json.loads(body)["name"]), (200, name))
        for name in ("", "mine.yaml", "folder/", "folder//mine.yaml", "folder/../secret.yaml", "folder/below/../mine.yaml",
                     "folder/./mine.yaml", "folder/.hidden.yaml", "folder/notes.txt", "folder/out.yaml", "folder/gone.yaml",
                     "folder/device.yaml", "folder/pipe.yaml", "folder/folder_out/secret.yaml", "folder/none.yaml",
                     "folder/below", str(FOLDER / "mine.yaml"), "folder/" + str(SCRATCH / "secret.yaml"),
                     "gallery/../docs/x.yaml", "folder/mine.yaml/", "folder/mine.yaml\0", "folder/mine.yaml\n", "other/mine.yaml",
                     "folder\\mine.yaml", "folder/..\\secret.yaml", "folder/" + 3000 * "a/" + "x.yaml", "file:///etc/passwd",
                     "folder/%2e%2e/secret.yaml", "folder/..%2fsecret.yaml"):
            status, _, body = SHARED.get("study", arguments=[("name", name)])
            self.assertEqual(status, 200 if name == "folder/mine.yaml\0" else 404, name) # a zero ends a name
            self.assertNotIn(b"secret\\n", body)
        self.assertEqual(SHARED.get("study")[0], 404)

    def test_the_list_has_what_can_be_read(self):
        listed = json.loads(SHARED.get("studies")[2])
        names = [study["name"] for study in listed["studies"]]
        own = [name for name in names if name.startswith("folder/")]
        self.assertEqual(own, ["folder/in.yaml", "folder/mine.yaml", "folder/below/deep.yml"])
        self.assertEqual(len(names) - len(own), len(list(SOURCE.glob("gallery/*/*.yaml"))))
        fig4b = next(study for study in listed["studies"] if study["name"] == "gallery/klarbring/fig4b.yaml")
        self.assertEqual((fig4b["group"], fig4b["verdict"]), ("klarbring", "held"))
        self.assertTrue(fig4b["title"] and fig4b["topic"])
        self.assertEqual((listed["folder"], listed["opened"]), (True, None))

    def test_the_page_is_its_folder_and_nothing_else(self):
        page = SCRATCH / "page"
        (page / "fonts").mkdir(parents=True)
        (page / "index.html").write_text("<!doctype html>")
        (page / "lab.js").write_text("1;")
        (page / "fonts" / "a.woff2").write_text("font")
        (page / "link.js").symlink_to(SCRATCH / "secret.yaml")
        with Lab(AMONTONS_LAB_PAGE=str(page)) as lab:
            status, headers, body = lab.get("")
            self.assertEqual((status, body, headers["Content-Type"]), (200, b"<!doctype html>", "text/html; charset=utf-8"))
            status, headers, body = lab.get("page/lab.js")
            self.assertEqual((status, body, headers["Content-Type"]), (200, b"1;", "text/javascript; charset=utf-8"))
            self.assertEqual(lab.get("page/lab.js", headers={"If-None-Match": headers["ETag"]})[0], 304)
            self.assertEqual(lab.get("page/fonts/a.woff2")[2], b"font")
            for name in ("", "none.js", "../secret.yaml", "%2e%2e/secret.yaml", "fonts", "link.js", "fonts/../lab.js", ".x",
                         "/etc/passwd"):
                self.assertEqual(lab.get("page/" + name)[0], 404, name)
            self.assertEqual(lab.get("study", arguments=[("name", "folder/mine.yaml")])[0], 404) # nothing was opened
            self.assertEqual(lab.ask("PUT", "study", body=b"x", arguments=[("name", "folder/x.yaml")])[0], 403)

    def test_a_study_is_saved_whole_and_not_over_what_changed_meanwhile(self):
        name, path = [("name", "folder/saved.yaml")], FOLDER / "saved.yaml"

        def put(text, *more):
            status, _, body = SHARED.ask("PUT", "study", body=text.encode(), arguments=name + list(more))
            return status, json.loads(body)

        status, first = put("title: one\n")
        self.assertEqual((status, path.read_text()), (200, "title: one\n"))
        self.assertEqual(put("title: two\n")[0], 409) # it is there, and the page has not read it
        status, second = put("title: two\n", ("was", first["sum"]))
        self.assertEqual((status, path.read_text()), (200, "title: two\n"))
        path.write_text("title: of somebody else\n")
        self.assertEqual(put("title: three\n", ("was", second["sum"]))[0], 409)
        self.assertEqual(path.read_text(), "title: of somebody else\n")
        self.assertEqual(put("title: three\n", ("force", "1"))[0], 200)
        self.assertEqual(path.read_text(), "title: three\n")
        self.assertEqual(json.loads(SHARED.get("study", arguments=name)[2])["text"], "title: three\n")
        self.assertEqual([p.name for p in FOLDER.iterdir() if "part" in p.name], [])
        path.unlink()

    def test_nothing_is_saved_elsewhere(self):
        def times(): # but of the workers' own scratch
            return {path: path.lstat().st_mtime_ns for path in SCRATCH.rglob("*") if "amontons-lab-" not in str(path)}

        before = times()
        for name in ("gallery/klarbring/fig4b.yaml", "folder/../escaped.yaml", "folder/out.yaml", "folder/gone.yaml",
                     "folder/folder_out/escaped.yaml", "folder/pipe.yaml", "folder/device.yaml", "folder/.x.yaml",
                     "folder/none/x.yaml", "folder/x.txt", "", "/etc/x.yaml"):
            status, _, _ = SHARED.ask("PUT", "study", body=b"title: x\n", arguments=[("name", name), ("force", "1")])
            self.assertIn(status, (403, 500), name)
        self.assertEqual(before, times())


class Studies(unittest.TestCase):
    def test_check_says_where(self):
        self.assertEqual(SHARED.document("check", SHORT), (200, {"ok": True, "problems": []}))
        status, said = SHARED.document("check", SHORT.replace("friction: 0.25", "fricton: 0.25"))
        self.assertEqual((status, said["ok"]), (200, False))
        problem = said["problems"][0]
        self.assertEqual((problem["line"], problem["column"]), (1, SHORT.index("friction: 0.25") + 1))
        self.assertIn("did you mean 'friction'?", problem["message"])

    def test_numbers_have_places_and_rows(self):
        text = "# é\n" + SHORT
        status, said = SHARED.document("numbers", text)
        numbers, lines = {n["path"]: n for n in said["numbers"]}, text.splitlines()
        self.assertEqual(len(numbers), 13)
        for n in numbers.values():
            written = lines[n["line"] - 1][n["column"] - 1:n["end_column"] - 1]
            self.assertEqual(float(written), n["value"], n)
        friction = numbers["model.friction"]
        self.assertEqual((friction["value"], friction["least"], friction["most"], friction["whole"]), (0.25, 0, None, False))
        self.assertTrue(friction["about"])
        self.assertEqual(numbers["analysis.until"]["unit"], "time")
        broken = SHARED.document("numbers", SHORT.replace("friction: 0.25", "friction: -1"))
        self.assertEqual(len(broken[1]["numbers"]), 13) # also of a study that is refused

    def test_structure_is_what_show_prints(self):
        status, said = SHARED.document("structure", SHORT)
        shown = subprocess.run([COMMAND, "show", "--json", "-"], input=SHORT, capture_output=True, text=True, check=True)
        self.assertEqual((status, said), (200, json.loads(shown.stdout)))
        self.assertEqual([c["name"] for c in said["coordinates"]], ["u1", "u2"])
        self.assertEqual((said["contacts"][0]["normal"], said["contacts"][0]["tangent"]), ([0, 1], [1, 0]))

    def test_the_schema_is_the_one_that_is_printed(self):
        printed = subprocess.run([COMMAND, "schema"], capture_output=True, check=True).stdout
        self.assertEqual(json.loads(SHARED.get("schema")[2]), json.loads(printed))

    def test_results_have_the_bits_of_run(self):
        for name in ("klarbring/fig4b", "attractors/fig6", "laws/earthquake_block", "oscillator/fig7_3a"):
            path = SOURCE / "gallery" / (name + ".yaml")
            text = path.read_text()
            where = ("name", "gallery/" + str(path.relative_to(SOURCE / "gallery")))
            run = subprocess.run([COMMAND, "run", path, "--json"], capture_output=True, text=True, check=True).stdout
            status, _, body = SHARED.post("run", text, where)
            self.assertEqual(status, 200, body[:300])
            ours = [line for line in body.decode().splitlines() if not line.startswith(('\t"study"', '\t"seconds"'))]
            theirs = [line for line in run.splitlines() if not line.startswith(('\t"study"', '\t"seconds"'))]
            self.assertEqual(ours, theirs)
            self.compare_columns(text, where, json.loads(body))

    def compare_columns(self, text, where, document):
        status, headers, body = SHARED.post("run", text, where, headers={"Accept": "application/octet-stream"})
        self.assertEqual((status, headers["Content-Type"], body[:8]), (200, "application/octet-stream", b"AMCOLS01"))
        length = struct.unpack("<Q", body[8:16])[0]
        header, numbers = json.loads(body[16:16 + length]), body[16 + length:]
        self.assertEqual(length % 8, 0)
        self.assertEqual(header["summary"], document["summary"])
        self.assertEqual(list(header["tables"]), list(document["tables"]))
        taken = 0
        for name, table in document["tables"].items():
            binary = header["tables"][name]
            self.assertEqual((binary["rows"], [c["name"] for c in binary["columns"]], [c["type"] for c in binary["columns"]]),
                             (len(table["rows"]), table["columns"], table["types"]))
            for i, column in enumerate(binary["columns"]):
                wanted = [row[i] for row in table["rows"]]
                if column["type"] == "label":
                    self.assertEqual(column["texts"], wanted)
                    continue
                got = struct.unpack_from(f"<{binary['rows']}d", numbers, column["offset"])
                taken += 8 * len(got)
                for a, b in zip(got, wanted):
                    self.assertTrue(a != a or abs(a) == float("inf") if b is None else a == b, (name, column, a, b))
        self.assertEqual(taken, len(numbers))

    def test_settings_change_numbers_and_nothing_else(self):
        run = SHARED.document("run", SHORT, ("set", "model.friction=0.3"), ("set", "analysis.until=10"))[1]
        theirs = subprocess.run([COMMAND, "run", "-", "--json", "--set", "model.friction=0.3", "--set", "analysis.until=10"],
                                input=SHORT, capture_output=True, text=True, check=True)
        self.assertEqual(run["tables"], json.loads(theirs.stdout)["tables"])
        for setting in ("model.friction", "=1", "model.friction=", "model.stiffness={file: /etc/passwd}", "title=x",
                        "model.kind=structure", "model.friction=1 2", "model.friction=nan", "model.stiffness.file=/etc/passwd"):
            self.assertEqual(SHARED.document("run", SHORT, ("set", setting))[0], 400, setting)
        self.assertEqual(SHARED.document("run", SHORT, ("set", "model.friction=-1"))[0], 422)
        self.assertEqual(SHARED.document("run", SHORT, *[("set", "model.friction=0.3")] * 90)[0], 400)

    def test_files_that_a_study_of_a_stranger_names(self):
        (FOLDER / "K.mtx").write_text("%%MatrixMarket matrix array real general\n2 2\n2\n0\n0\n2\n")
        (FOLDER / "K_out.mtx").symlink_to("/etc/passwd")
        (FOLDER / "K_zero.mtx").symlink_to("/dev/zero")
        (SCRATCH / "K_above.mtx").write_text((FOLDER / "K.mtx").read_text())
        os.mkfifo(FOLDER / "K_pipe.mtx")
        study = ("model: {kind: structure, stiffness: {file: '%s'}, mass: [[1, 0], [0, 1]], contacts: []}\n"
                 "analysis: {kind: motion, until: 1, initial: {displacement: [1, 0], velocity: [0, 0]}}\n")
        here = ("name", "folder/stranger.yaml")
        self.assertEqual(SHARED.document("run", study % "K.mtx", here)[0], 200)
        for name in ("/etc/passwd", "../K_above.mtx", str(SCRATCH / "K_above.mtx"), "K_out.mtx", "K_zero.mtx", "K_pipe.mtx",
                     "folder_out/K_above.mtx", "below", "below/../../K_above.mtx", "/proc/self/environ", "/dev/stdin"):
            status, said = SHARED.document("run", study % name, here)
            self.assertIn(status, (422, 500), (name, said))
            self.assertNotIn("root:", json.dumps(said))
        for name in ("K.mtx", "opened/K.mtx", "../opened/K.mtx", str(FOLDER / "K.mtx")): # a text from nowhere has no files
            self.assertIn(SHARED.document("run", study % name)[0], (422, 500), name)
        for where in ("folder/../x.yaml", "nowhere/x.yaml", "/etc/x.yaml"):
            self.assertEqual(SHARED.document("run", study % "K.mtx", ("name", where))[0], 400)
        for path in FOLDER.glob("K*.mtx"):
            path.unlink()

    def test_mistakes_are_documents(self):
        status, said = SHARED.document("run", SHORT.replace("0.25", "-1"), ("name", "folder/mine.yaml"))
        self.assertEqual(status, 422)
        self.assertEqual((said["error"]["file"], said["error"]["line"], said["error"]["field"], said["error"]["status"]),
                         ("mine.yaml", 1, "model.friction", 2))
        for body in (b"", b"a: \0", b"\xff\xfe", b"[", b"- " * 100000, b"{" * 5000, b"&a [*a]"):
            status, _, answer = SHARED.ask("POST", "run", body=body)
            self.assertIn(status, (400, 422), body[:20])
            self.assertTrue(json.loads(answer)["error"]["message"])
        self.assertEqual(SHARED.document("run", SHORT, ("seconds", "no"))[0], 400)
        self.assertEqual(SHARED.document("figure", SHORT, ("format", "exe"))[0], 400)
        status, said = SHARED.document("figure", SHORT)
        self.assertEqual((status, said["error"]["status"]), (422, 2)) # it draws none

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_figures(self):
        text = SHORT + "figure: {x: u1, y: u2}\n"
        status, headers, body = SHARED.post("figure", text)
        self.assertEqual((status, headers["Content-Type"]), (200, "image/svg+xml"))
        self.assertIn(b"</svg>", body)
        document = SHARED.document("run", text, ("figure", "svg"))[1]
        self.assertIn("</svg>", document["figures"]["svg"])


class Strangers(unittest.TestCase):
    def lives(self):
        self.assertEqual(SHARED.document("check", SHORT)[1]["ok"], True)

    def test_huge_bodies(self):
        with SHARED.connect() as s:
            s.sendall(SHARED.head("POST", "run", 5 << 20))
            self.assertIn(b" 413 ", s.recv(100))
        with SHARED.connect() as s: # one that does not say how long it is
            s.sendall(SHARED.head("POST", "run", 0, "Transfer-Encoding: chunked\r\n").replace(b"Content-Length: 0\r\n", b""))
            chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
            with self.assertRaises(OSError):
                for _ in range(200):
                    s.sendall(chunk)
        self.lives()

    def test_garbage(self):
        draw = random.Random(23)
        words = [b"GET ", b"POST ", SHARED.base.encode(), b"run", b"jobs", b" HTTP/1.1\r\n", b"\r\n", b"Host: x\r\n", b"\0", b"%",
                 b"%00", b"?set=", b"Content-Length: -1\r\n", b"Content-Length: 99999999999999999999\r\n",
                 b"Transfer-Encoding: chunked\r\n", b"ffffffffffffffff\r\n", b"\xff" * 50, b": \r\n", b"\n\n", b"A" * 40000]
        for _ in range(60 if SANITIZED else 200):
            with SHARED.connect() as s:
                try:
                    s.sendall(b"".join(draw.choice(words) for _ in range(draw.randrange(1, 12))))
                    s.settimeout(0.01) # most of it is never answered
                    s.recv(1000)
                except OSError:
                    pass
        self.lives()

    def test_too_many_connections(self):
        crowd = [SHARED.connect() for _ in range(100)]
        self.lives() # those that say nothing make room
        for s in crowd:
            s.close()
        self.lives()

    def test_a_request_in_small_pieces(self):
        text = SHORT.encode()
        with SHARED.connect() as s:
            for byte in SHARED.head("POST", "check", len(text)):
                s.sendall(bytes([byte]))
            s.sendall(text[:10])
            time.sleep(0.05)
            s.sendall(text[10:])
            self.assertIn(b" 200 ", s.recv(100))


class Work(unittest.TestCase):
    def test_a_run_that_nobody_waits_for_is_ended(self):
        connection = SHARED.begin("run", LONG)
        worker = SHARED.busy()
        connection.close()
        self.assertTrue(until(lambda: seconds_of(worker) is None))
        self.assertEqual(SHARED.document("check", SHORT)[1]["ok"], True)

    def test_a_worker_that_is_killed_is_replaced_and_its_run_says_so(self):
        with SHARED.begin("run", LONG) as connection:
            os.kill(SHARED.busy(), signal.SIGKILL)
            answer = connection.recv(10000)
            self.assertIn(b" 500 ", answer)
            self.assertIn(b"signal 9", answer)
        self.assertEqual(SHARED.document("run", SHORT)[0], 200)

    def test_runs_beside_each_other(self):
        connections = [SHARED.begin("run", SHORT) for _ in range(20)]
        answers = []
        for s in connections:
            answers.append(s.recv(100))
            s.close()
        self.assertTrue(all(b" 200 " in answer for answer in answers))

    def test_time_is_bounded(self):
        status, said = SHARED.document("run", LONG, ("seconds", "0.3"))
        self.assertEqual((status, said["error"]["status"]), (500, 3))
        self.assertIn("0.3 seconds", said["error"]["message"])

    @unittest.skipIf(SANITIZED, "address sanitizers reserve all memory there is")
    def test_memory_is_bounded(self):
        cells = LONG.replace("until: 1e9, samples: 2", "until: 100, samples: 10000000")
        with Lab("--memory", "200") as lab:
            self.assertEqual(lab.document("run", SHORT)[0], 200)
            status, said = lab.document("run", cells)
            self.assertEqual((status, said["error"]["status"]), (500, 3), said)
            self.assertIn("memory", said["error"]["message"])
            self.assertEqual(lab.document("run", SHORT)[0], 200)

    def test_timing_is_told(self):
        SHARED.document("run", SHORT)
        timing = SHARED.post("run", SHORT)[1]["Server-Timing"]
        work, total = (float(part.split("=")[1]) for part in timing.split(","))
        self.assertTrue(0 < work <= total)


class Jobs(unittest.TestCase):
    def follow(self, job):
        """A connection on which events arrive, as a function that gives the next one."""
        s = SHARED.connect()
        s.sendall(SHARED.head("GET", "jobs/" + job, 0).replace(b"HTTP/1.1", b"HTTP/1.0")) # as it is, not in chunks
        stream = s.makefile("rb")
        self.assertIn(b" 200 ", stream.readline())
        while stream.readline().strip():
            pass

        def next_event():
            name = data = None
            for line in stream:
                line = line.decode().rstrip("\r\n")
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    data = line[6:]
                elif not line and name:
                    return name, json.loads(data)
            return None, None

        return s, next_event

    def start(self, text, *arguments):
        status, said = SHARED.document("jobs", text, *arguments)
        self.assertEqual(status, 200, said)
        return said["job"]

    def test_a_job_ends_with_the_document_of_run(self):
        s, next_event = self.follow(self.start(SHORT))
        with s:
            name, document = next_event()
            while name == "progress":
                name, document = next_event()
        self.assertEqual(name, "done")
        self.assertEqual(document["tables"], SHARED.document("run", SHORT)[1]["tables"])

    def test_a_job_that_is_wrong_fails(self):
        s, next_event = self.follow(self.start(SHORT.replace("0.25", "-1")))
        with s:
            name, said = next_event()
        self.assertEqual((name, said["error"]["line"]), ("failed", 1))

    def test_progress_parts_and_cancelling(self):
        job = self.start(LONG)
        worker = SHARED.busy()
        s, next_event = self.follow(job)
        shares, part = [], None
        with s:
            while len(shares) < 3 or part is None:
                name, data = next_event()
                self.assertIn(name, ("progress", "partial"))
                if name == "progress":
                    shares.append(data["share"])
                else:
                    part = data
            self.assertEqual(sorted(shares), shares)
            self.assertTrue(part["summary"]["interrupted"])
            self.assertGreater(part["summary"]["t_end"], 0)
            self.assertEqual(SHARED.get(f"jobs/{job}/result")[0], 409)
            self.assertEqual(SHARED.ask("DELETE", "jobs/" + job)[0], 200)
            while name != "failed":
                name, data = next_event()
            self.assertEqual(data["error"]["message"], "cancelled")
        self.assertTrue(until(lambda: seconds_of(worker) is None))

    def test_points_of_a_sweep_are_shown_as_they_come(self):
        job = self.start(SWEEP)
        s, next_event = self.follow(job)
        with s:
            name, part = next_event()
            while name == "progress":
                name, part = next_event()
        SHARED.ask("DELETE", "jobs/" + job)
        self.assertEqual((name, part["summary"]["interrupted"]), ("partial", True))
        columns, rows = part["tables"]["sweep"]["columns"], part["tables"]["sweep"]["rows"]
        self.assertEqual(columns, ["model.friction", "state_changes", "failure"])
        known = [row for row in rows if row[2] != "not run"]
        self.assertEqual(len(rows), 20000)
        self.assertTrue(0 < len(known) < len(rows))
        self.assertTrue(all(row[1] is None for row in rows if row[2] == "not run"))
        friction, changes, _ = known[-1]
        run = SHARED.document("run", POINT, ("set", f"model.friction={friction!r}"))[1]
        self.assertEqual(run["summary"]["state_changes"], changes)

    def test_another_page_may_take_over(self):
        """That a job ends when its page has gone for good is in test_lab_slow.c, where it takes less time."""
        job = self.start(LONG)
        first, _ = self.follow(job)
        second, next_event = self.follow(job) # takes the place of the first
        self.assertEqual(next_event()[0], "progress")
        while first.recv(65536): # the first one's stream ends
            pass
        second.shutdown(socket.SHUT_RDWR)
        third, next_event = self.follow(job) # back again
        self.assertEqual(next_event()[0], "progress")
        SHARED.ask("DELETE", "jobs/" + job)
        for s in (first, second, third):
            s.close()

    def test_jobs_that_have_ended_make_room_for_others(self):
        for _ in range(40): # more than there may be, as while a hand drags a number of a map
            job = self.start(LONG)
            self.assertEqual(SHARED.ask("DELETE", "jobs/" + job)[0], 200)
        self.assertEqual(SHARED.get(f"jobs/{job}/result")[0], 500) # the last ones are kept

    def test_branches_are_drawn_again_from_where_they_were(self):
        previews = lambda trace, text=BRANCH: SHARED.document("run", text, ("trace", trace), ("preview", "40"))[1]["summary"].get("preview", False)
        self.assertFalse(previews("a1")) # there was nothing, and it is followed
        self.assertTrue(previews("a1"))
        self.assertFalse(previews("b2")) # another page
        self.assertTrue(previews("a1") and previews("b2") and previews("a1", BRANCH.replace("0.5,", "0.6,")))
        jobs = [self.start(LONG, ("trace", "a1")) for _ in range(2)] # on other workers: they are ended, and the branches stay
        for job in jobs:
            self.assertEqual(SHARED.ask("DELETE", "jobs/" + job)[0], 200)
        self.assertTrue(previews("a1"))
        whole = SHARED.document("run", BRANCH, ("trace", "a1"))[1]
        self.assertEqual(whole["tables"], SHARED.document("run", BRANCH)[1]["tables"])
        for wrong in ((("trace", "0"),), (("trace", "xyz"),), (("trace", "1" * 17),), (("preview", "5"),), (("trace", "a1"), ("preview", "0")),
                      (("trace", "a1"), ("preview", "1e9")), (("trace", "a1"), ("preview", "nan"))):
            self.assertEqual(SHARED.document("run", BRANCH, *wrong)[0], 400, wrong)

    def test_columns_of_a_job_are_fetched(self):
        status, _, body = SHARED.post("jobs", SHORT, headers={"Accept": "application/octet-stream"})
        job = json.loads(body)["job"]
        s, next_event = self.follow(job)
        with s:
            name, data = next_event()
        self.assertEqual((name, data), ("done", {"columns": True}))
        status, headers, body = SHARED.get(f"jobs/{job}/result")
        self.assertEqual((status, body[:8]), (200, b"AMCOLS01"))


class Ends(unittest.TestCase):
    def ended(self, lab, how):
        """Ends a server that is busy in every way; everything of it is gone soon."""
        connections = [lab.begin("run", LONG), lab.connect()]
        lab.busy()
        job = json.loads(lab.post("jobs", LONG)[2])["job"]
        events = lab.connect()
        events.sendall(lab.head("GET", "jobs/" + job, 0))
        self.assertIn(b" 200 ", events.recv(1000))
        workers = children(lab.process.pid)
        self.assertTrue(workers)
        how()
        lab.process.wait(PATIENCE)
        self.assertTrue(until(lambda: all(seconds_of(worker) is None for worker in workers)))
        for s in connections + [events]:
            s.close()

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with Lab(FOLDER / "mine.yaml") as lab:
                self.assertEqual(json.loads(lab.get("studies")[2])["opened"], "folder/mine.yaml")
                self.ended(lab, lambda: lab.process.send_signal(number))
            self.assertEqual((lab.process.returncode, lab.said), (0, ""))

    def test_being_told(self):
        with Lab() as lab:
            self.ended(lab, lambda: self.assertEqual(lab.ask("DELETE", "")[0], 200))
        self.assertEqual((lab.process.returncode, lab.said), (0, ""))

    def test_being_killed_leaves_no_process(self):
        with tempfile.TemporaryDirectory(dir=SCRATCH) as own, Lab(TMPDIR=own) as lab:
            self.ended(lab, lab.process.kill)

    def test_scratch_that_somebody_has_tidied_up(self):
        with tempfile.TemporaryDirectory(dir=SCRATCH) as own, Lab(TMPDIR=own) as lab:
            self.assertEqual(lab.document("run", SHORT)[0], 200)
            for folder in Path(own).iterdir():
                while folder.exists(): # a worker may be starting in it
                    shutil.rmtree(folder, ignore_errors=True)
            lab.document("run", SHORT) # may notice
            self.assertEqual(lab.document("run", SHORT)[0], 200)

    def test_two_servers_and_a_port_that_is_taken(self):
        with Lab() as other:
            self.assertNotEqual(other.port, SHARED.port)
            self.assertNotEqual(other.base, SHARED.base)
            self.assertEqual(other.get("status", base=SHARED.base)[0], 404)
            taken = subprocess.run([COMMAND, "lab", "--no-browser", "--port", str(other.port)], capture_output=True, text=True)
            self.assertEqual((taken.returncode, taken.stdout), (2, ""))
            self.assertIn(f"port {other.port} of 127.0.0.1 cannot be used", taken.stderr)

    def test_what_cannot_be_opened(self):
        for arguments in (["nothing-here"], ["--port", "0"], ["--port", "x"], ["--memory", "1"], ["a", "b"]):
            run = subprocess.run([COMMAND, "lab", "--no-browser", *arguments], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout), (2, ""), arguments)


if __name__ == "__main__":
    unittest.main(verbosity=2 if os.environ.get("VERBOSE") else 1)
