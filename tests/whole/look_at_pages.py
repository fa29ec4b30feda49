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

MEASURE = r"""
(function () {
    'use strict';
    var report = {errors: [], faults: []};
    window.addEventListener('error', function (e) { report.errors.push(String(e.message || 'a file is missing: ' + (e.target.src || e.target.href))); }, true);
    function fault(words) { if (report.faults.length < 20) report.faults.push(words); }
    function shown(element) { return element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden'; }
    function scrolls(element) { return element.closest('pre') !== null || element.closest('.skip') !== null; }
    function rgb(text) { var m = text.match(/[\d.]+/g).map(Number); return {c: m.slice(0, 3), a: m.length > 3 ? m[3] : 1}; }
    function luminance(c) {
        var l = c.map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
        return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
    }
    function ground(element) {
        for (; element; element = element.parentElement) {
            var colour = rgb(getComputedStyle(element).backgroundColor);
            if (colour.a === 1) return colour.c;
            if (colour.a !== 0) fault('a ground that is half transparent');
        }
        return [255, 255, 255];
    }
    function contrast(a, b) { var x = luminance(a), y = luminance(b); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); }
    function texts() {
        var found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), node;
        while ((node = walker.nextNode())) {
            var element = node.parentElement;
            if (!node.data.trim() || !shown(element) || scrolls(element) || /^(SCRIPT|STYLE)$/.test(element.tagName)) continue;
            var range = document.createRange();
            range.selectNodeContents(node);
            Array.prototype.forEach.call(range.getClientRects(), function (r) { found.push({r: r, e: element, t: node.data.trim().slice(0, 40), n: node}); });
        }
        return found;
    }
    function look() {
        var wide = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth > wide) fault('the page is ' + document.documentElement.scrollWidth + ' wide');
        var all = texts();
        all.forEach(function (one) {
            if (one.r.right > wide + 1 || one.r.left < -1) fault('outside: ' + one.t);
            var ratio = contrast(rgb(getComputedStyle(one.e).color).c, ground(one.e));
            if (!(ratio >= 4.5)) fault('contrast ' + ratio.toFixed(2) + ': ' + one.t);
        });
        all.forEach(function (a, i) {
            for (var k = i + 1; k < all.length; k++) {
                var b = all[k];
                if (a.n === b.n) continue;
                var x = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left), y = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
                if (x > 2 && y > 4) fault('overlap: ' + a.t + ' / ' + b.t);
            }
        });
        Array.prototype.forEach.call(document.querySelectorAll('pre'), function (pre) {
            var pr = pre.getBoundingClientRect();
            if (pr.right > wide + 1) fault('a listing is outside');
            Array.prototype.forEach.call(pre.querySelectorAll('span'), function (span) {
                var ratio = contrast(rgb(getComputedStyle(span).color).c, ground(span));
                if (!(ratio >= 4.5)) fault('contrast ' + ratio.toFixed(2) + ' in a listing');
            });
        });
        Array.prototype.forEach.call(document.querySelectorAll('a, input, pre'), function (one) {
            one.focus();
            if (shown(one) && (one.tabIndex < 0 || document.activeElement !== one)) fault('not reached by keyboard: ' + one.outerHTML.slice(0, 80));
        });
        Array.prototype.forEach.call(document.images, function (image) { image.loading = 'eager'; if (image.alt === null) fault('a picture without alt'); });
        report.texts = all.length;
        find();
    }
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
        report.none = ask('no such word', '');
        ask('', '');
    }
    window.addEventListener('load', function () {
        try { look(); } catch (e) { report.errors.push(String(e)); }
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
                                  and said["word"] == [1, "1 study"] and said["none"] == [0, "0 studies"]):
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
