"""Debian's Chromium driven over the DevTools protocol, by pipes (no port, no library): for tests of pages that live.

    with Browser() as browser:
        page = browser.page("http://127.0.0.1:43127/token/", width=1400, height=900, dark=False)
        page.wait("document.body.dataset.ready")
        page.press("a")
        page.picture("page.png")

Every wait ends after a time; what a page complains about (errors of scripts, refused loads) stands in `page.errors`, what it
loads from where in `page.loads`.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77  # the status of a test that cannot do its work

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars", "--mute-audio",
           "--disable-features=Translate,MediaRouter,OptimizationHints", "--remote-debugging-pipe"]

# Keys that are not letters: code and, for editing, the number that Windows gave them.
KEYS = {"Enter": 13, "Tab": 9, "Escape": 27, "Backspace": 8, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
        "Home": 36, "End": 35, "Delete": 46, " ": 32}


class BrowserError(Exception):
    pass


def find():
    """The browser of this machine; where there is none the test ends as skipped."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        program = shutil.which(name)
        if program:
            return program
    print("no chromium: ./bootstrap test installs it")
    sys.exit(SKIPPED)


class Browser:
    def __init__(self, program=None, patience=20.0):
        program = program or find()
        self.patience = patience
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._to = os.pipe()
        self._from, from_write = os.pipe()
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "bash", program, *OPTIONS, f"--user-data-dir={self._folder.name}", "about:blank"],
            pass_fds=(to_read, from_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(from_write)
        self._bytes, self._number, self._answers, self._pages = b"", 0, {}, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends Chromium and all its processes: the group that this object began."""
        try:
            self.send("Browser.close", patience=3)
        except (BrowserError, OSError):
            pass
        try:
            self._process.wait(3)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def send(self, method, params=None, session=None, patience=None):
        self._number += 1
        number, message = self._number, {"id": self._number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + (patience or self.patience)
        while number not in self._answers:
            self.listen(end - time.monotonic(), method)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    def listen(self, seconds, waiting_for=None):
        """Takes in what Chromium says within so many seconds; silence is an error where something is waited for."""
        ready, _, _ = select.select([self._from], [], [], max(0.0, seconds))
        if not ready:
            if waiting_for:
                raise BrowserError(f"no answer to {waiting_for}")
            return
        got = os.read(self._from, 1 << 20)
        if not got:
            raise BrowserError("Chromium has ended")
        *whole, self._bytes = (self._bytes + got).split(b"\0")
        for message in map(json.loads, whole):
            if "id" in message:
                self._answers[message["id"]] = message
            elif message.get("sessionId") in self._pages:
                self._pages[message["sessionId"]]._hear(message["method"], message["params"])

    def page(self, url, width=1400, height=900, dark=False, phone=False):
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, session, target)
        self._pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.send(f"{domain}.enable")
        page.size(width, height, phone)
        page.scheme(dark)
        page.open(url)
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self._session, self._target = browser, session, target
        self.errors, self.downloads, self.loads = [], [], set()

    def send(self, method, params=None, patience=None):
        return self.browser.send(method, params, self._session, patience)

    def _hear(self, method, params):
        if method == "Runtime.exceptionThrown":
            said = params["exceptionDetails"]
            self.errors.append(said.get("exception", {}).get("description") or said["text"])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.loads.add(params["request"]["url"])
        elif method == "Page.downloadWillBegin":
            self.downloads.append(params["suggestedFilename"])

    def open(self, url):
        self.send("Page.navigate", {"url": url})

    def close(self):
        self.browser.send("Target.closeTarget", {"targetId": self._target})

    def size(self, width, height, phone=False):
        self.send("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone})
        self.width, self.height = width, height

    def scheme(self, dark):
        self.send("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def ask(self, script):
        """The value of an expression; promises are waited for."""
        said = self.send("Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True})
        if "exceptionDetails" in said:
            raise BrowserError(said["exceptionDetails"].get("exception", {}).get("description") or said["exceptionDetails"]["text"])
        return said["result"].get("value")

    def wait(self, script, seconds=None):
        """Until the expression is true: its value."""
        end = time.monotonic() + (seconds or self.browser.patience)
        while True:
            try:
                value = self.ask(script)
            except BrowserError as error:  # the page was just replaced
                value = None
                if time.monotonic() > end:
                    raise BrowserError(f"{script}: {error}") from error
            if value:
                return value
            if time.monotonic() > end:
                raise BrowserError(f"never true: {script}; errors of the page: {self.errors}")
            self.browser.listen(0.03)

    def place(self, selector):
        """The middle of an element, scrolled into view."""
        found = self.ask(f"(e => {{ if (!e) return null; e.scrollIntoView({{block: 'nearest'}}); const r = e.getBoundingClientRect();"
                         f" return [r.left + r.width / 2, r.top + r.height / 2, r.width, r.height]; }})(document.querySelector({json.dumps(selector)}))")
        if not found:
            raise BrowserError(f"no element {selector}")
        return found

    def click(self, selector, across=0.5, down=0.5):
        x, y, width, height = self.place(selector)
        self.click_at(x + (across - 0.5) * width, y + (down - 0.5) * height)

    def click_at(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "none" if kind == "mouseMoved" else "left", "clickCount": 1,
                                                   "buttons": 1 if kind == "mousePressed" else 0})

    def move(self, x, y, buttons=0):
        self.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y, "button": "left" if buttons else "none", "buttons": buttons})

    def press(self, key, ctrl=False, shift=False):
        common = {"key": key, "modifiers": 2 * ctrl + 8 * shift, "windowsVirtualKeyCode": KEYS.get(key, ord(key.upper()[0])),
                  "code": key if len(key) > 1 else "Space" if key == " " else f"Key{key.upper()}"}
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        self.send("Input.dispatchKeyEvent", {"type": "keyDown" if text and not ctrl else "rawKeyDown", **common, **({"text": text} if text and not ctrl else {})})
        self.send("Input.dispatchKeyEvent", {"type": "keyUp", **common})

    def write(self, text):
        self.send("Input.insertText", {"text": text})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("Page.captureScreenshot", {"format": "png"})["data"]))

    def keep_downloads(self, folder):
        self.browser.send("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder), "eventsEnabled": True})
