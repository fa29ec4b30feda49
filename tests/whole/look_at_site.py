#!/usr/bin/env python3
"""Looks at the documents' site in Debian's Chromium, as wide as a desk's screen and as a phone's, light and dark: nothing overflows,
no texts overlap, no script fails, contrast is that of WCAG AA, what can be used is reached by keyboard, formulas are drawn, nothing
comes from a network, links of these pages lead to a place, and the search finds a page.

    look_at_site.py SITE SCRATCH
"""
import functools
import http.server
import pathlib
import re
import shutil
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from browser import Browser  # noqa: E402

# Every kind of page: doors, theory with formulas, tables of the program, listings.
PAGES = ["index", "trades", "motion", "reference/topics", "search"]
FAULTS = (pathlib.Path(__file__).resolve().parents[1] / "support/page_faults.js").read_text()
VIEWS = ((1400, False), (400, False), (400, True))  # width, dark: colours do not depend on the width


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def links(page, site):
    """Links of a page that lead nowhere, to a place within a page too."""
    for target in page.ask("Array.from(document.querySelectorAll('a[href]'), a => a.getAttribute('href'))"):
        path, _, place = target.partition("#")
        if re.match("[a-z]+:", target):
            continue
        here = site / page.name if not path else (site / page.name).parent / path
        if not here.exists():
            yield f"the link to {target} leads nowhere"
        elif place and here.suffix == ".html" and not re.search(f'(id|name)="{re.escape(place)}"', here.read_text()):
            yield f"there is no place {place} in {here.name}"


def look(page, url, name, site):
    """The faults of the page."""
    page.name = f"{name}.html"
    page.errors.clear()
    page.scheme(False)
    page.open(f"{url}{page.name}")
    page.wait(f"location.pathname === '/{page.name}' && document.readyState === 'complete'")
    page.ask(FAULTS + "; window.lookForFaults = lookForFaults; null")
    for width, dark in VIEWS:
        page.size(width, 1000)
        page.scheme(dark)
        seen = page.ask("lookForFaults()")
        view = f"{width} wide{', dark' if dark else ''}"
        yield from (f"{view}: {words}" for words in seen["faults"])
        if seen["texts"] < 20:
            yield f"{view}: the page is empty"
    if page.ask("document.querySelectorAll('code.language-math, .katex-error').length"):
        yield "a formula is not drawn"
    yield from (f"error: {words}" for words in page.errors)
    yield from links(page, site)


def search(page, url):
    """As a reader would: words, Enter, the first result."""
    page.size(1400, 1000)
    page.open(f"{url}index.html")
    page.wait("document.readyState === 'complete' && !!document.querySelector('#rtd-search-form input')")
    page.click("#rtd-search-form input")
    page.write("rate and state")
    page.press("Enter")
    page.wait("location.pathname === '/search.html' && !!document.querySelector('#mkdocs-search-results a')")
    found = page.ask("Array.from(document.querySelectorAll('#mkdocs-search-results a'), a => a.getAttribute('href'))")
    return [] if any("laws.html" in target for target in found) else [f"the search for rate and state finds {found}"]


def main():
    site, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    scratch.mkdir(parents=True, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url, bad, formulas = f"http://127.0.0.1:{server.server_port}/", 0, 0
    with Browser() as browser:
        page = browser.page("about:blank")
        for name in PAGES:
            for words in look(page, url, name, site):
                print(f"{name}, {words}")
                bad += 1
            formulas += page.ask("document.querySelectorAll('.formula .katex').length")
            if name == "motion":
                page.picture(scratch / "motion.png")
        wrong = search(page, url)
        wrong += [] if formulas > 10 else [f"only {formulas} formulas"]
        wrong += [f"fetched from a network: {load}" for load in page.loads if not load.startswith((url, "data:", "about:"))]
        for words in wrong:
            print(words)
    print(f"{len(PAGES)} pages in {len(VIEWS)} views: {bad + len(wrong)} faults")
    sys.exit(1 if bad + len(wrong) else 0)


if __name__ == "__main__":
    main()
