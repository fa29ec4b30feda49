#!/usr/bin/env python3
"""Looks at the gallery's pages in Debian's Chromium, as wide as a desk's screen and as a phone's, light and dark: nothing overflows, no
texts overlap, no script fails, contrast is that of WCAG AA, everything that can be used can be reached by keyboard, and search and
filter find what they should. Copies of the pages stand in frames of one page, so that it is loaded once for each scheme of colours.

    look_at_pages.py GALLERY SCRATCH
"""
import html
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from browser import Browser  # noqa: E402

WIDTHS = (1400, 400)

MEASURE = (pathlib.Path(__file__).resolve().parents[1] / "support/page_faults.js").read_text() + r"""
(function () {
    'use strict';
    var report = {errors: [], faults: []};
    window.addEventListener('error', function (e) { report.errors.push(String(e.message || 'a file is missing: ' + (e.target.src || e.target.href))); }, true);
    function visible() { return document.querySelectorAll('.card:not([hidden])').length; }
    function ask(words, verdict) {
        var form = document.getElementById('find');
        form.elements.q.value = words;
        Array.prototype.forEach.call(form.elements.verdict, function (choice) { choice.checked = choice.value === verdict; });
        form.dispatchEvent(new Event('input'));
        return [visible(), document.getElementById('found').textContent];
    }
    function find() {
        if (!document.getElementById('find')) return;
        report.all = visible();
        report.held = ask('', 'held')[0];
        report.partly = ask('', 'partly')[0];
        report.word = ask('DAMPING', '');
        report.none = ask('xyzzy', '');
        report.some = ask('xyzzy DAMPING', '');
        report.trade = ask('ratcheting', '');
        ask('', '');
    }
    window.addEventListener('load', function () {
        try {
            var seen = lookForFaults();
            report.faults = seen.faults;
            report.texts = seen.texts;
            find();
        } catch (e) { report.errors.push(String(e)); }
        parent.postMessage(JSON.stringify(report), '*');
    });
}());
"""

FRAMES = """<!DOCTYPE html><meta charset="utf-8"><title>pages</title><body style="margin:0">
<pre id="reports"></pre><script>
window.addEventListener('message', function (event) {
    var frames = document.querySelectorAll('iframe'), i = 0;
    while (frames[i].contentWindow !== event.source) i++;
    document.getElementById('reports').append(frames[i].name + ' ' + event.data + '\\n');
});
</script>
"""


def take_picture(browser, scratch, pages):
    """The main pages beside each other as wide as they are looked at, for a person to see: pages.png."""
    shown = [page for page in pages if len(page.parts) == 1 and page.name != "topics.html"] + [p for p in pages if len(p.parts) > 1][:1]
    rows = "".join(
        f'<iframe src="{html.escape(page.as_posix())}" style="border:0;width:{width}px;height:2600px"></iframe>\n' for page in shown for width in WIDTHS)
    (scratch / "picture.html").write_text(f'<!DOCTYPE html><meta charset="utf-8"><body style="margin:0;font-size:0;background:#888">{rows}')
    picture = scratch / "pages.png"
    sheet = browser.page((scratch / "picture.html").as_uri(), width=sum(WIDTHS), height=2600 * len(shown))
    sheet.wait("document.readyState === 'complete'")
    sheet.picture(picture)
    sheet.close()
    if picture.stat().st_size < 100000:
        sys.exit("no picture was taken of the pages")


def judge(browser, scratch, pages, dark):
    """How many faults the pages have in this scheme of colours."""
    scheme, expected = "dark" if dark else "light", len(WIDTHS) * len(pages)
    frames = browser.page((scratch / "frames.html").as_uri(), height=1000, dark=dark)
    frames.wait(f"document.getElementById('reports').textContent.trim().split('\\n').length === {expected}", 60)
    reports = [line.split(" ", 1) for line in frames.ask("document.getElementById('reports').textContent").strip().split("\n")]
    frames.close()
    bad = 0
    for name, said in reports:
        said = json.loads(said)
        wrong = said["errors"] + said["faults"]
        if not said["texts"] > 5:
            wrong.append("the page is empty")
        if "all" in said and not (said["all"] == 3 and said["held"] == 2 and said["partly"] == 1
                                  and said["word"] == [1, "1 study"] and said["none"] == [0, "0 studies"]
                                  and said["some"] == [1, "1 study with 1 of 2 words"]
                                  and said["trade"] == [3, "3 studies; none says “ratcheting”, nearest: shakedown"]):
            wrong.append(f"search and filter: {said}")
        for words in wrong:
            print(f"{scheme} {name}: {words}")
        bad += len(wrong)
    return bad


def main():
    gallery, scratch = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(gallery, scratch)
    (scratch / "measure.js").write_text(MEASURE)
    pages = [p.relative_to(scratch) for p in sorted(scratch.rglob("*.html"))]
    frames = FRAMES
    for page in pages:
        text = (scratch / page).read_text()
        up = "../" * (len(page.parts) - 1)
        (scratch / page).write_text(text.replace("<head>", f'<head><script src="{up}measure.js"></script>', 1))
        for width in WIDTHS:
            frames += f'<iframe name="{html.escape(str(page))}@{width}" src="{html.escape(page.as_posix())}" style="border:0;display:block;width:{width}px;height:3000px"></iframe>\n'
    (scratch / "frames.html").write_text(frames)
    with Browser() as browser:
        bad = sum(judge(browser, scratch, pages, dark) for dark in (False, True))
        take_picture(browser, scratch, pages)
    print(f"{len(pages)} pages at {len(WIDTHS)} widths, light and dark: {bad} faults")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
