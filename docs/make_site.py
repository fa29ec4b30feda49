#!/usr/bin/env python3
"""The documentation as a site of static pages: `./bootstrap docs`. What the program can say of itself (models, analyses,
laws, tables and columns) is asked of the program; the rest are the pages of this folder, the headers and the gallery's
studies. Nothing on the site comes from a network.

    docs/make_site.py COMMAND LIBRARY FOLDER [--sources-only]
"""
import ctypes
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KATEX = pathlib.Path(os.environ.get("KATEX", "/usr/share/javascript/katex"))  # Debian's libjs-katex
JQUERY = pathlib.Path("/usr/share/javascript/jquery/jquery.min.js")  # Debian's libjs-jquery, which mkdocs depends on
BEGIN = ["index", "tutorial", "trades"]
USE = ["study", "command", "lab", "output", "quantities", "laws", "import", "python", "security", "dependencies"]
ANALYSES = ["motion", "states", "uniqueness", "path", "stability", "threshold", "orbit", "follow", "sweep", "attractors",
            "cells", "squeal", "shakedown", "twofold", "march", "response", "response_isola", "continuation", "backbone",
            "atlas", "design", "slip", "halfplane", "bem"]
MODELS = ["rod", "oscillator", "griffin", "nodes", "two_mode", "shoe", "modes", "disc_pad", "chain", "bladed_disc", "blocks", "mesh",
          "solid"]
INSIDE = ["architecture", "performance", "reliability", "switching", "lcp", "balance_cell", "redundant", "cross"]


def description(library):
    lib = ctypes.CDLL(str(library))
    lib.am_study_description.restype = ctypes.c_char_p
    lib.am_study_description.argtypes = [ctypes.c_void_p]
    return json.loads(lib.am_study_description(None))


def cell(text):
    return html.escape(str(text if text is not None else ""), quote=False).replace("|", "\\|").replace("\n", " ").replace("*", "\\*")


def rows_of(rows, depth=0):
    for row in rows:
        default = "required" if row.get("required") else row.get("default", "")
        words = ", ".join(w if isinstance(w, str) else w.get("word", "") for w in row.get("words") or [])
        yield f"| {'&emsp;' * depth}`{row['name']}` | {cell(row.get('type', ''))} | {cell(row.get('unit', ''))} | {cell(default)} | " \
              f"{cell(row.get('about', ''))}{' (' + cell(words) + ')' if words else ''} |"
        yield from rows_of(row.get("rows") or [], depth + 1)


def listed(where, word, of):
    """Is the word in "one, two of path or orbit, three with threshold"? (am_glossary_lists)"""
    items = [re.sub(r" with(out)? .*", "", item).partition(" of ") for item in where.split(", ")]
    return any(name == word and (not others or of in others.split(" or ")) for name, _, others in items)


def quantity_rows(quantities, strip=""):
    return ["", "| name | unit | meaning |", "|---|---|---|",
            *(f"| `{q['name'].removeprefix(strip)}` | {cell(q.get('unit', ''))} | {cell(q.get('about', ''))} |" for q in quantities)]


def returned(analysis, quantities):
    """What an analysis returns: its summary, then its tables with their columns."""
    def of(section, word, among=None):
        return [q for q in quantities if q["section"] == section and listed(q["where"], word, among)]
    lines = ["", f"### Summary of {analysis}", *quantity_rows(of("summary", analysis))]
    for table in of("table", analysis):
        columns = of("column", table["name"], analysis)
        lines += ["", f"### Table `{table['name']}` of {analysis}", "", cell(table.get("unit", "")) + ".",
                  *quantity_rows(columns, table["name"] + ".")]
    return lines


def schema_page(title, schemas, quantities=()):
    lines = [f"# {title}", "", "From the program's own tables; `amontons help NAME` says the same."]
    for schema in schemas:
        lines += ["", f"## {schema['name']}", "", cell(schema.get("about", "")), "", "| key | type | unit | default | what it is |",
                  "|---|---|---|---|---|", *rows_of(schema.get("rows") or [])]
        if quantities:
            lines += returned(schema["name"], quantities)
    return "\n".join(lines) + "\n"


def quantities_page(quantities):
    lines = ["# Summary values, tables and columns", "", "From the program's own tables."]
    for section in sorted({q["section"] for q in quantities}):
        lines += ["", f"## {section}", "", "| name | unit | meaning | where |", "|---|---|---|---|"]
        lines += [f"| `{q['name']}` | {cell(q.get('unit', ''))} | {cell(q.get('about', ''))} | {cell(q.get('where', ''))} |"
                  for q in quantities if q["section"] == section]
    return "\n".join(lines) + "\n"


def header_page():
    lines = ["# C interface", "", "The public headers; `amontons/amontons.h` includes them all."]
    for header in sorted((ROOT / "include/amontons").glob("*.h")):
        text = header.read_text(encoding="utf-8")
        said = re.match(r"/\*(.*?)\*/", text, re.S)
        about = re.sub(r"\s*\n \*\s?", " ", said.group(1)).strip() if said else ""
        body = text[said.end():] if said else text
        lines += ["", f"## amontons/{header.name}", "", cell(about), "", "```c", body.strip(), "```"]
    return "\n".join(lines) + "\n"


def for_site(text):
    """Links that leave docs/: studies and CONTRIBUTING.md are on the site, of others the path is enough."""
    text = re.sub(r"\]\(\.\./(gallery/[^)]+\.yaml|CONTRIBUTING\.md)\)", r"](\1)", text)
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", text)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy_pages(source):
    for page in sorted((ROOT / "docs").glob("*.md")):
        write(source / page.name, for_site(page.read_text(encoding="utf-8")))
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    write(source / "CONTRIBUTING.md", re.sub(r"\]\(docs/", "](", contributing))
    for folder in ("images", "site"):
        shutil.copytree(ROOT / "docs" / folder, source / folder)
    shutil.copy(ROOT / "docs/performance.svg", source)
    shutil.copytree(ROOT / "gallery", source / "gallery", ignore=lambda _, names: [n for n in names if "." in n and not n.endswith(".yaml")])


def copy_katex(source):
    if not (KATEX / "katex.min.js").is_file():
        sys.exit(f"{KATEX} has no katex.min.js, which draws the formulas (Debian: libjs-katex; KATEX=FOLDER names another place)")
    (source / "katex/fonts").mkdir(parents=True)
    for name in ("katex.min.js", "katex.min.css"):
        shutil.copy(KATEX / name, source / "katex")
    for font in (KATEX / "fonts").glob("*.woff2"):
        shutil.copy(font, source / "katex/fonts")


def add_scripts(site):
    """Debian's theme asks for a jQuery of another name than its own, and for a script that is not packaged and not needed."""
    if not (site / "js/jquery-3.6.0.min.js").exists():
        shutil.copy(JQUERY, site / "js/jquery-3.6.0.min.js")
    (site / "js/theme_extra.js").touch()


def check_pages(site):
    """Nothing that a page needs is missing, or fetched from a network."""
    for page in site.rglob("*.html"):
        text = re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"""<(?:script|link|img)\b[^>]*\b(?:src|href)=["']([^"'#?]+)""", text):
            if re.match(r"(https?:)?//", target):
                sys.exit(f"{page}: fetched from a network: {target}")
            if not target.startswith("data:") and page.name != "404.html" and not (page.parent / target).exists():
                sys.exit(f"{page}: there is no {target}")


def short_title(source, page):
    """The title of a page without what explains it: "Model `rod`: an elastic rod ..." is rod."""
    head = (source / f"{page}.md").read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ").replace("`", "")
    return re.sub(r"^(Analysis|Model) ", "", head).split(":")[0]


def navigation(source):
    nav = [("Begin", BEGIN), ("Studies and results", USE), ("Reference", ["reference/models", "reference/analyses",
           "reference/topics", "reference/quantities", "reference/laws", "reference/c"]), ("Analyses", ANALYSES),
           ("Models", MODELS), ("Inside", INSIDE + ["CONTRIBUTING"])]
    return "nav:\n" + "".join(f"  - {title}:\n" + "".join(f"      - {json.dumps(short_title(source, p))}: {p}.md\n" for p in group) for title, group in nav)


def main():
    command, library, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    source = folder / "source"
    shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    copy_pages(source)
    said = description(library)
    for kind, title in (("model", "Models"), ("analysis", "Analyses")):
        write(source / f"reference/{'models' if kind == 'model' else 'analyses'}.md",
              schema_page(title, [s for s in said["schemas"] if s["kind"] == kind], said["quantities"] if kind == "analysis" else ()))
    write(source / "reference/topics.md", schema_page("Other keys of a study", [s for s in said["schemas"] if s["kind"] not in ("model", "analysis")]))
    write(source / "reference/quantities.md", quantities_page(said["quantities"]))
    laws = subprocess.run([command, "list", "laws"], capture_output=True, text=True, check=True).stdout
    write(source / "reference/laws.md", f"# Laws, and which analysis knows them\n\n```text\n{laws}```\n")
    write(source / "reference/c.md", header_page())
    write(folder / "mkdocs.yml", "site_name: Amontons\nsite_description: In which ways can a structure with dry friction move?\nsite_url: ''\nuse_directory_urls: false\ndocs_dir: source\nsite_dir: site\n"
          "theme: {name: readthedocs, highlightjs: false}\nplugins: [search]\nmarkdown_extensions: [tables, fenced_code, toc]\n"
          "extra_css: [katex/katex.min.css, site/site.css]\nextra_javascript: [katex/katex.min.js, site/formulas.js]\n" + navigation(source))
    if "--sources-only" in sys.argv:
        return
    copy_katex(source)
    subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-f", str(folder / "mkdocs.yml")], check=True)
    add_scripts(folder / "site")
    check_pages(folder / "site")


if __name__ == "__main__":
    main()
