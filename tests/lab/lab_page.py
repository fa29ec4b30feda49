#!/usr/bin/env python3
"""The lab's page in Debian's Chromium, over the real server: it is loaded, edited, slid, clicked, scrubbed, exported, sent as a link,
left by its server and found again; by hand, by keyboard alone, on a phone, light and dark. Pictures of it stay in SCRATCH.

    lab_page.py COMMAND SCRATCH [CLAIM...]
"""
import ast
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.parse
import wave
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from browser import Browser, find  # noqa: E402

TOKEN = "a0" * 16
PATIENCE = 60.0  # seconds that anything is waited for which comes at once on a machine that has nothing else to do
KLARBRING = "gallery/klarbring/fig4b.yaml"

MAP = """title: Final states
model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 1.25, load_rate: bisector}
analysis: {kind: attractors, starts: {v1: {from: -8, to: 8, count: 21}, v2: {from: 0, to: 8, count: 21}}}
figure: {kind: map, table: map, x: v1, y: v2, value: state}
"""

BRANCH = """title: A blade
model: {kind: griffin, beta: 0.5, k_ratio: 1.5, zeta: 0.1}
analysis: {kind: response, over: Omega, from: 0.5, to: 2, harmonics: 3}
figure: {table: branch, x: Omega, y: amplitude}
"""

LOADS = """title: Pressed, then pulled
model: {kind: hertz}
analysis: {kind: slip, path: [{P: 1}, {Q_over_fP: 0.5}], samples: 40}
figure: {table: tractions, x: x_over_a, y: p_over_pm}
"""

MODE = """title: A nonlinear mode
model: {kind: griffin, beta: 0.5, k_ratio: 1.5, zeta: 0.1}
analysis: {kind: backbone, from: 0.1, to: 10, harmonics: 1, stability: none}
"""

# A map of many starts followed for long: minutes, were it not cancelled.
SLOW = """title: Slow
model: {kind: rod, alpha: 0.5, elements: 10}
analysis: {kind: attractors, starts: 100000}
"""

# Texts that can be read and are too pale, in the colours that the page has at the moment.
PALE = r"""(() => {
    const rgb = text => { const m = text.match(/[\d.]+/g).map(Number); return {c: m.slice(0, 3), a: m.length > 3 ? m[3] : 1}; };
    const light = c => { const l = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4)); return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
    const ground = e => { for (; e; e = e.parentElement) { const g = rgb(getComputedStyle(e).backgroundColor); if (g.a === 1) return g.c; } return [255, 255, 255]; };
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let node, count = 0;
    while ((node = walker.nextNode())) {
        const e = node.parentElement;
        if (!node.data.trim() || !e.checkVisibility({visibilityProperty: true}) || e.closest('button:disabled, option, script, noscript, .skip')) continue;
        count++;
        const a = light(rgb(getComputedStyle(e).color).c), b = light(ground(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (!(ratio >= 4.5)) found.push(ratio.toFixed(2) + ': ' + node.data.trim().slice(0, 40));
    }
    return count > 20 ? found.slice(0, 5) : ['only ' + count + ' texts'];
})()"""


class Server:
    """The command's lab over a folder with the studies above; killed and begun again at the same address."""

    def __init__(self, command, scratch):
        self.command, self.folder = command, scratch / "folder"
        self.folder.mkdir()
        for name, text in (("map", MAP), ("branch", BRANCH), ("slow", SLOW), ("loads", LOADS), ("mode", MODE)):
            (self.folder / f"{name}.yaml").write_text(text)
        self.port, self.process = 0, None

    def start(self):
        same = ["--port", str(self.port)] if self.port else []
        self.process = subprocess.Popen([self.command, "lab", str(self.folder), "--no-browser", *same], stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "AMONTONS_GALLERY": "gallery", "AMONTONS_LAB_PAGE": "src/lab/page", "AMONTONS_LAB_TOKEN": TOKEN})
        self.address = self.process.stdout.readline().strip()
        self.port = int(re.search(r":(\d+)/", self.address).group(1))
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)

    def study(self, name):
        return f"{self.address}#study={urllib.parse.quote(name, safe='')}"

    def worked(self):
        """Processor seconds that the runs alive have taken so far: of the processes that the server began."""
        ticks = 0
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                words = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:  # it has just ended
                continue
            if int(words[1]) == self.process.pid:
                ticks += int(words[11]) + int(words[12])
        return ticks / os.sysconf("SC_CLK_TCK")


class Looker:
    """The claims, one by one; what is wrong is collected."""

    def __init__(self, browser, server, scratch):
        self.browser, self.server, self.scratch, self.wrong = browser, server, scratch, []

    def claim(self, holds, words):
        if not holds:
            self.wrong.append(words)

    def open(self, name, **how):
        page = self.browser.page(self.server.study(name) if name else self.server.address, **how)
        page.wait("document.body && document.body.dataset.ready")
        if name:
            page.wait("!!document.querySelector('#view > *')")
        return page

    def readable(self, page, where):
        pale = page.ask(PALE)
        self.claim(pale == [], f"{where}: pale {pale}")

    def done(self, page, picture=None, errors=()):
        if picture:
            page.picture(self.scratch / f"{picture}.png")
        left = [error for error in page.errors if not any(word in error for word in errors)]
        self.claim(not left, f"{picture}: the page complains: {left[:3]}")
        elsewhere = [address for address in page.loads if not address.startswith((self.server.address, "blob:", "data:"))]
        self.claim(not elsewhere and page.loads, f"{picture}: loaded from elsewhere: {elsewhere[:3]}")
        page.close()


def start_page(look):
    page = look.open(None)
    look.claim(page.ask("document.querySelectorAll('.doors .card').length") == 6, "there are not six doors")
    look.claim(page.ask("document.querySelectorAll('#gallery .card').length") > 200, "the gallery is not there")
    for dark in (False, True):
        page.scheme(dark)
        look.readable(page, f"start, dark {dark}")
        page.picture(look.scratch / f"start-{'dark' if dark else 'light'}.png")
    page.ask("document.querySelector('#find input').focus()")
    page.write("isola")
    look.claim(1 <= page.wait("document.querySelectorAll('#gallery .card:not([hidden])').length") < 20, "the search finds everything or nothing")
    look.done(page)


def text_is(page):
    return page.ask("document.getElementById('study').value")


# Whether an element can be seen: it is what lies at its own middle.
SEEN = "(e => { const box = e.getBoundingClientRect(); return e.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)); })"


def edit_and_undo(look):
    page = look.open(KLARBRING)
    before = text_is(page)
    page.ask("(e => { e.focus(); const at = e.value.indexOf('friction:'); e.setSelectionRange(at, at + 8); })(document.getElementById('study'))")
    page.write("fricton")
    said = page.wait("document.querySelector('#problems button') && document.querySelector('#problems button').textContent")
    look.claim("fricton" in said and re.match(r"\d+:\d+: ", said), f"the mistake is not told: {said}")
    look.claim(page.wait("document.querySelectorAll('.wrong').length") == 1, "the mistake is not underlined")
    look.claim(page.ask(f"{SEEN}(document.querySelector('#problems button'))"), "what is told of the mistake cannot be seen")
    look.claim(page.ask(f"(e => document.elementFromPoint(e.getBoundingClientRect().left + 2, e.getBoundingClientRect().top + 2) === document.getElementById('study'))(document.querySelector('.wrong'))"), "the mistake itself cannot be seen")
    page.picture(look.scratch / "mistake.png")
    page.press("z", ctrl=True)
    page.wait("!document.querySelector('#problems button')")
    look.claim(text_is(page) == before, "undo does not bring the text back")
    page.ask("(e => { e.focus(); const at = e.value.indexOf('  until'); e.setSelectionRange(at, at); })(document.getElementById('study'))")
    page.write("  sam")
    words = page.wait("[...document.querySelectorAll('#choices:not([hidden]) b')].map(e => e.textContent).join(' ')")
    look.claim("samples" in words, f"completion offers {words}")
    look.claim(page.ask(f"{SEEN}(document.querySelector('#choices li'))"), "completions cannot be seen")
    page.press("Enter")
    look.claim("samples: " in text_is(page), "a completion is not taken")
    look.done(page)


def slide(look):
    page = look.open(KLARBRING)
    before = text_is(page)
    page.wait("[...document.querySelectorAll('.number')].some(e => e.querySelector('input[type=range][aria-label=friction]'))")
    page.ask("document.querySelector('input[type=range][aria-label=friction]').focus()")
    took = []
    for _ in range(12):
        page.ask("document.getElementById('latency').dataset.ms = ''")
        page.press("ArrowRight")
        took.append(float(page.wait("document.getElementById('latency').dataset.ms")))
    after = text_is(page)
    value = float(re.search(r"friction: ([\d.]+)", after).group(1))
    look.claim(0.25 < value < 0.35, f"twelve steps of the slider lead to {value}")
    look.claim(before.replace("friction: 0.25", f"friction: {value}") == after, "sliding changes more than the number")
    print(f"hand to curve, two coordinates: median {statistics.median(took):.1f} ms, least {min(took):.1f} ms")
    page.click("#pin")
    page.ask("document.querySelector('input[type=range][aria-label=friction]').focus()")
    for _ in range(10):
        page.press("ArrowLeft")
    page.wait("!document.getElementById('swap').hidden")
    page.picture(look.scratch / "pinned.png")
    page.click("#swap")
    page.wait(f"document.getElementById('study').value.includes('friction: {value}')")
    while page.ask("!document.getElementById('undo').disabled"):
        page.click("#undo")
    look.claim(text_is(page) == before, "undo does not lead back to the beginning")
    look.done(page)


def scrub(look):
    page = look.open(KLARBRING)
    page.press(".")
    look.claim("t = 3.58001" in page.ask("document.getElementById('time').textContent"), "the first switch is not at 3.58001")
    look.claim("lift_off" in page.ask("document.getElementById('told-now').textContent"), "what happens there is not told")
    page.click(".strips", across=0.6)
    look.claim(15 < float(page.ask("document.getElementById('time').textContent").split("=")[1]) < 25, "a click in the strip is not a time")
    page.press(" ")
    page.wait("document.getElementById('play').textContent === 'Pause'")
    page.press(" ")
    page.click("[data-view=time]")
    x, y, wide, tall = page.place("#view .plot .over")
    seen = []
    for across in (-0.3, 0.1, 0.4):  # between the curves: the time is linked all over a plot over time
        page.move(x + across * wide, y + 0.3 * tall)
        seen.append(float(page.ask("document.getElementById('time').textContent").split("=")[1]))
    look.claim(seen[0] < seen[1] < seen[2], f"the pointer in a plot leads to the times {seen}")
    look.done(page, "motion")
    page = look.open("folder/loads.yaml")
    page.click(".strips", across=0.6)  # some load on the way: its zones and tractions
    look.claim(re.match(r"Load 4\d of 80: P 1, Q 0\.0", page.ask("document.getElementById('told-now').textContent")), "a load on the way is not told")
    page.click("[data-view=slip]")
    look.claim(page.ask("[...document.querySelectorAll('#view .plot')].some(e => e.ariaLabel.includes('row of path over x'))"), "zones under the load are not drawn")
    page.click("[data-view=tables]")
    look.claim(page.ask("document.querySelector('#view select').textContent").count("profiles (6480)") == 1, "tractions of every load are not there")
    look.done(page, "loads")


def basin(look):
    page = look.open("folder/map.yaml")
    page.wait("document.getElementById('running').textContent.startsWith('attractors')")
    page.click(".plot .over", across=0.6, down=0.4)
    title = page.wait("!document.getElementById('picked').hidden && document.getElementById('picked').textContent")
    look.claim(re.search(r"The motion from v1 = -?[\d.]+, v2 = [\d.]+", title), f"a click in the map gives: {title}")
    page.wait("document.getElementById('play').textContent === 'Pause'")
    page.click("#picked-plots")
    page.wait("!!document.querySelector('[data-view=phase]')")
    page.picture(look.scratch / "basin-start.png")
    page.click("#picked-plots")
    page.ask("document.querySelector('input[type=range][aria-label=friction]').focus()")
    page.press("ArrowRight")
    look.claim(page.ask("document.getElementById('picked').hidden"), "a motion of other numbers stays when a number is changed")
    page.wait("document.querySelector('#view .plot')?.ariaLabel.includes('v1')")
    look.done(page, "basin")


def branch(look):
    page = look.open("folder/branch.yaml")
    page.wait("document.getElementById('running').textContent.startsWith('response')")
    page.ask("document.querySelector('.plot').focus()")
    page.press("ArrowRight")
    page.wait("!document.querySelector('.hint').hidden")
    page.press("Enter")
    title = page.wait("!document.getElementById('picked').hidden && document.getElementById('picked').textContent")
    look.claim(re.search(r"The orbit at Omega = [\d.]+ · stable, largest multiplier [−\d.]+", title), f"a point of the branch gives: {title}")
    look.claim(page.ask("document.querySelectorAll('.strips').length") == 1, "the orbit has no timeline")
    page.ask("(e => { e.focus(); e.value = '0.7'; e.dispatchEvent(new Event('change')); })(document.querySelector('input[aria-label=\"beta, value\"]'))")
    page.press("s", ctrl=True)
    page.wait("document.getElementById('said').textContent === 'Saved as branch.yaml.'")
    look.claim((look.server.folder / "branch.yaml").read_text() == BRANCH.replace("beta: 0.5", "beta: 0.7"), "what is saved is not what was written")
    page.ask("(e => { e.focus(); e.value = '90'; e.dispatchEvent(new Event('change')); })(document.querySelector('input[aria-label=\"harmonics, value\"]'))")
    page.ask("window.told = []; new MutationObserver(() => told.push(document.getElementById('running').textContent)).observe(document.getElementById('running'), {childList: true})")
    page.wait("told.at(-1)?.startsWith('response')")
    page.ask("(e => { told.length = 0; e.focus(); })(document.querySelector('input[type=range][aria-label=beta]'))")
    page.press("ArrowRight")  # what takes long to follow is drawn again from where it was, and then followed
    page.wait("told.length > 1 && told.at(-1).startsWith('response')")
    look.claim(page.ask("told.some(words => words.startsWith('A preview'))"), f"a branch is not drawn again before it is followed: {page.ask('told')}")
    page.ask("location.hash = 'study=folder%2Fmode.yaml'")
    page.wait("document.querySelectorAll('#view .plot').length === 2")
    page.ask("document.querySelector('.plot').focus()")
    for key in ("ArrowRight", "Enter"):
        page.press(key)
    title = page.wait("!document.getElementById('picked').hidden && document.getElementById('picked').textContent")
    look.claim(re.search(r"The mode at the amplitude [\d.]+: frequency 1\.\d+, damping 0\.\d+", title), f"a point of a backbone gives: {title}")
    look.done(page, "branch")


def export(look):
    folder = look.scratch / "exported"
    folder.mkdir()
    page = look.open("gallery/laws/bowed_mode.yaml")
    page.keep_downloads(folder)
    page.wait("document.getElementById('running').textContent.startsWith('orbit')")
    wanted = {"study": "bowed_mode.yaml", "svg": "bowed_mode.svg", "png": "bowed_mode.png", "csv": "bowed_mode-samples.csv", "python": "bowed_mode.py", "wav": "bowed_mode.wav", "stage": "bowed_mode-drawing.svg"}
    for kind, name in wanted.items():
        page.ask(f"document.querySelector('[data-export={kind}]').click()")
        end = time.monotonic() + PATIENCE
        while not (folder / name).is_file() and time.monotonic() < end:
            look.browser.listen(0.05)
    for name in wanted.values():
        look.claim((folder / name).is_file() and (folder / name).stat().st_size > 100, f"{name} is not exported")
    look.claim((folder / "bowed_mode.yaml").read_text() == pathlib.Path("gallery/laws/bowed_mode.yaml").read_text(), "the study that is exported is another one")
    look.claim((folder / "bowed_mode-samples.csv").read_text().startswith("t,y,v_y,"), "the data lack their names")
    look.claim((folder / "bowed_mode.png").read_bytes()[:4] == b"\x89PNG", "the PNG is none")
    for name in ("bowed_mode.svg", "bowed_mode-drawing.svg"):
        look.claim(xml.etree.ElementTree.parse(folder / name).getroot().tag.endswith("svg"), f"{name} is no SVG")
    with wave.open(str(folder / "bowed_mode.wav")) as sound:
        loud = max(abs(int.from_bytes(sound.readframes(1), "little", signed=True)) for _ in range(4000))
        look.claim(sound.getframerate() == 44100 and loud > 10000, f"the sound is silent: {loud}")
    ast.parse((folder / "bowed_mode.py").read_text())
    look.done(page)


def link(look):
    page = look.open(KLARBRING)
    page.wait("!!document.querySelector('.number')")
    page.ask("(e => { e.focus(); e.value = '0.31'; e.dispatchEvent(new Event('change')); })(document.querySelector('input[aria-label=\"friction, value\"]'))")
    page.click("[data-view=phase]")
    page.press(".")
    page.wait("location.hash.startsWith('#s=') && import('./page/state.js').then(state => state.unpack(location.hash.slice(3))).then(said => said.view === 'phase' && said.time > 0 && said.text.includes('0.31'))")
    time_there = page.ask("document.getElementById('time').textContent")
    before = page.ask("location.href")
    other = look.browser.page(before)
    other.wait("!!document.querySelector('#view > .plot')")
    look.claim("friction: 0.31" in text_is(other), "the link has lost the number")
    look.claim(other.ask("document.querySelector('#views [aria-selected=true]').dataset.view") == "phase", "the link has lost the view")
    look.claim(other.wait("document.getElementById('time').textContent") == time_there, "the link has lost the time")
    page.ask("(e => { e.focus(); e.value = '0.4'; e.dispatchEvent(new Event('change')); })(document.querySelector('input[aria-label=\"friction, value\"]'))")
    page.wait("document.getElementById('running').textContent.startsWith('motion')")
    look.claim("friction: 0.31" in text_is(other), "one page changes the other")
    letters = other.ask(f"import('./page/state.js').then(state => state.pack({{name: 'elsewhere/study.yaml', text: {json.dumps(MAP)}, pinned: {json.dumps(MAP)}}}))")
    other.ask(f"location.hash = 's={letters}'")
    other.wait("document.getElementById('pin').getAttribute('aria-pressed') === 'true' && document.querySelectorAll('#view .plot').length === 2")
    look.claim(text_is(other) == MAP, "a link from another machine has lost its text")
    look.done(other, errors=("Failed to load resource",))
    look.done(page)


def server_back(look):
    page = look.open(KLARBRING)
    look.server.kill()
    page.wait("!!document.querySelector('.number')")
    page.ask("(e => { e.focus(); e.value = '0.29'; e.dispatchEvent(new Event('change')); })(document.querySelector('input[aria-label=\"friction, value\"]'))")
    page.wait("!document.getElementById('gone').hidden")
    page.picture(look.scratch / "server-gone.png")
    look.server.start()
    page.wait("document.getElementById('gone').hidden")
    page.wait("document.getElementById('running').textContent.startsWith('motion')")
    look.claim("friction: 0.29" in text_is(page), "what was written is lost")
    look.done(page, errors=("ERR_CONNECTION", "ERR_EMPTY", "Failed to load resource"))


def cancel(look):
    page = look.open(KLARBRING)
    page.ask("location.hash = 'study=folder%2Fslow.yaml'")
    page.wait("!document.getElementById('cancel').hidden")
    look.claim(page.ask("document.querySelectorAll('#view .plot').length") == 0, "the plots of the study before are still there")
    page.picture(look.scratch / "slow.png")
    page.click("#cancel")
    look.claim(page.wait("document.getElementById('running').textContent") == "Cancelled.", "it does not say that it is cancelled")
    end, rests = time.monotonic() + PATIENCE / 2, False
    while not rests and time.monotonic() < end:
        before = look.server.worked()
        time.sleep(0.3)
        rests = look.server.worked() - before < 0.05
    look.claim(rests, "the run goes on on the server")
    look.done(page, errors=("Failed to load resource",))


def phone(look):
    page = look.open(KLARBRING, width=390, height=780, phone=True)
    for dark in (False, True):
        page.scheme(dark)
        for pane in ("left", "middle", "right"):
            page.click(f"#panes [data-pane={pane}]")
            page.wait(f"document.getElementById('{pane}').checkVisibility()")
            look.claim(page.ask("document.documentElement.scrollWidth") <= 390, f"the phone's page is {page.ask('document.documentElement.scrollWidth')} wide ({pane})")
            look.readable(page, f"phone, {pane}, dark {dark}")
            look.claim(page.ask("[...document.querySelectorAll('button, select')].filter(e => e.checkVisibility() && !e.closest('#views') && e.getBoundingClientRect().right > 391).length") == 0, f"a button is outside ({pane})")
            page.picture(look.scratch / f"phone-{pane}{'-dark' if dark else ''}.png")
    look.done(page)


def keyboard(look):
    """From the start page through a tour to a changed number, without a pointer."""
    page = look.open(None)
    page.press("Tab")
    look.claim(page.ask("document.activeElement.className") == "skip", "the first stop is not the way to the content")
    for _ in range(4):
        page.press("Tab")
        if page.ask("document.activeElement.matches('.doors .card')"):
            break
    look.claim(page.ask("getComputedStyle(document.activeElement).outlineStyle") != "none", "focus cannot be seen")
    page.press("Enter")
    page.wait("!!document.querySelector('.options button')")
    reached, unseen = set(), []
    for _ in range(60):
        page.press("Tab")
        what = page.ask("(e => e === document.body ? '' : (e.id || e.className || e.tagName) + ':' + (e.getAttribute('aria-label') || e.textContent.trim().slice(0, 30)))(document.activeElement)")
        if page.ask("(s => s.outlineStyle === 'none' && s.boxShadow === 'none')(getComputedStyle(document.activeElement))"):
            unseen.append(what)
        reached.add(what)
    look.claim(not [what for what in unseen if what], f"focus cannot be seen on {unseen[:3]}")
    for word in ("undo", "pin", "help", "Stick and slip", "study:", "surface_velocity"):
        look.claim(any(word in what or word.lower() in what.lower() for what in reached) or (word == "undo" and page.ask("document.getElementById('undo').disabled")), f"{word} is not reached by keyboard")
    unnamed = page.ask("[...document.querySelectorAll('button, input, select, textarea, [tabindex=\"0\"], [role=img]')].filter(e => e.checkVisibility() && !(e.getAttribute('aria-label') || e.textContent.trim() || e.title || (e.labels && e.labels.length))).map(e => e.outerHTML.slice(0, 80))")
    look.claim(not unnamed, f"without a name: {unnamed[:2]}")
    page.ask("document.querySelectorAll('.options button')[1].focus()")
    page.press("Enter")
    said = page.wait("document.querySelector('#tour [role=status]').textContent.length > 20 && document.querySelector('#tour [role=status]').textContent")
    look.claim(said.startswith("Right."), f"the tour says: {said}")
    page.picture(look.scratch / "tour.png")
    page.ask("document.activeElement.blur()")
    page.press("?")
    look.claim(page.wait("document.getElementById('keys').open"), "the keys are not shown")
    page.press("Escape")
    look.done(page, "keyboard")


def predict(look):
    """A guess comes before what it is about: where the peak of a branch is, how a sweep goes."""
    page = look.open("folder/map.yaml")
    for name, guess, right in (("folder/branch.yaml", 2, "in the middle"), ("gallery/modecoupling/fig2a.yaml", 1, "it falls")):
        text = json.dumps(pathlib.Path(name.replace("folder", str(look.server.folder))).read_text())
        page.ask(f"location.hash = 'study={urllib.parse.quote(name, safe='')}'")
        page.wait(f"document.getElementById('study').value === {text} && document.querySelectorAll('#view .plot').length === 1")
        page.click("#predict")
        look.claim(not page.ask("document.querySelector('#view .plot').checkVisibility({visibilityProperty: true})"), f"{name}: the answer is seen before the guess")
        page.ask(f"document.querySelectorAll('#tour .options button')[{guess}].click()")
        said = page.wait("document.querySelector('#tour .right')?.textContent")
        look.claim(said == right, f"{name}: it is said to be {said}")
        look.claim(page.wait("document.querySelector('#tour [role=status]').textContent").startswith("No. "), f"{name}: a wrong guess is right")
        look.claim(page.ask("document.querySelector('#view .plot').checkVisibility({visibilityProperty: true})"), f"{name}: what comes out stays hidden")
    look.done(page, "predict")


# What is right in each step of the tours, by the papers.
TOURS = {"belt": ("Stick and slip", "Come to slide steadily", "It sticks and slips, for ever"),
         "klarbring": ("It slips first, then lifts off and lands several times", "… stick, however fast"),
         "bow": ("More than half of the time", "lower"),
         "blade": ("falls to less than half", "the peak grows again"),
         "brake": ("Yes: from some coefficient on", "ends earlier"),
         "fretting": ("In the middle, 71 percent", "hardly more: 4 percent")}


def tours(look):
    """The runs answer as the tours say, also after a step back from numbers that a step has set."""
    page = look.browser.page(look.server.address)
    page.wait("document.body.dataset.ready")

    def answer(tour, at):
        page.wait(f"document.querySelector('#tour .steps span')?.textContent.startsWith('{at + 1} of')")
        page.ask("document.querySelector('#tour .options button').click()")
        page.wait("document.querySelector('#tour [role=status]').textContent.length > 20", 60)
        right = page.ask("document.querySelector('#tour .right').textContent")
        look.claim(right.startswith(TOURS[tour][at]), f"tour {tour}, step {at + 1}: the run says {right}")

    for tour, steps in TOURS.items():
        page.ask(f"location.hash = 'tour={tour}'")
        page.wait(f"document.querySelector('#tour h2')?.textContent === document.querySelector('a[href=\"#tour={tour}\"] b').textContent")
        for at in range(len(steps)):
            answer(tour, at)
            if at + 1 < len(steps):
                page.ask("[...document.querySelectorAll('#tour .steps button')].find(e => e.textContent === 'Next').click()")
        if tour == "belt":
            page.ask("[...document.querySelectorAll('#tour .steps button')].find(e => e.textContent === 'Back').click()")
            answer(tour, len(steps) - 2)
    look.done(page, "tours")


CLAIMS = (start_page, edit_and_undo, slide, scrub, basin, branch, predict, tours, export, link, cancel, phone, keyboard, server_back)


def main():
    command, scratch, asked = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    program = find()
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    server = Server(command, scratch).start()
    try:
        with Browser(program, PATIENCE) as browser:
            look = Looker(browser, server, scratch)
            for one in CLAIMS:
                if asked and one.__name__ not in asked:
                    continue
                began = time.monotonic()
                try:
                    one(look)
                except Exception as error:  # the others are looked at nevertheless
                    look.wrong.append(f"{one.__name__}: {error}")
                print(f"{time.monotonic() - began:5.1f} s {one.__name__}")
    finally:
        server.stop()
    for words in look.wrong:
        print(words)
    print(f"{len(asked or CLAIMS)} claims: {len(look.wrong)} faults")
    sys.exit(1 if look.wrong else 0)


if __name__ == "__main__":
    main()
