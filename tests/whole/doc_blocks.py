"""Every block of code in README.md, CONTRIBUTING.md and docs/ holds: studies pass `check`, also parts of studies in
what they are parts of; commands exist with their options; C compiles; Python runs; JSON fits the published schemas;
formulas keep to what KaTeX and GitHub draw. Pages of theory open with what they are not for; links to a heading lead to one. Called by test_doc_blocks.sh, which sets COMMAND, LIBRARY, BUILD and CC.

A block names its language behind its fence: math, yaml, sh, c, python, json, diff, cmake or text. A key of a study that
stands in a block for a second time begins an alternative."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import jsonschema
import yaml

COMMAND, BUILD, CC = os.environ["COMMAND"], pathlib.Path(os.environ["BUILD"]), os.environ["CC"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
from make_site import ANALYSES, MODELS  # noqa: E402

SCRATCH = BUILD / "doc blocks test"
LANGUAGES = {"math", "yaml", "sh", "c", "python", "json", "diff", "cmake", "text"}
KATEX = set("""alpha beta gamma delta Delta epsilon varepsilon zeta eta theta kappa lambda Lambda mu nu xi Xi pi Pi rho sigma tau
    varphi Phi chi psi Psi omega Omega Gamma sum prod int frac tfrac binom sqrt sin cos tan cot cosh arccos arctan ln max min det lim
    left right Big qquad quad text operatorname tag begin end bar dot tilde mathit le ge ne to pm mp cdot perp gg ll in sim
    infty ldots Rightarrow""".split())
faults = []


def fault(page, line, words):
    faults.append(f"{page}:{line}: {words}")


class Loader(yaml.SafeLoader):
    """YAML 1.2: 1e3 is a number."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$"), list("-+.0123456789"))


def blocks(page):
    """(line, language, text) of every fence of a page; code that is only indented has no language."""
    lines = page.read_text(encoding="utf-8").split("\n")
    found, i, above = [], 0, ""
    while i < len(lines):
        if lines[i].startswith("```"):
            end = lines.index("```", i + 1)
            found.append((i + 1, lines[i][3:].strip(), "\n".join(lines[i + 1:end]) + "\n"))
            i = end
        elif lines[i].startswith("    ") and not lines[i - 1].strip() and not re.match(r"(- |\d+\. )", above):
            fault(page.name, i + 1, "indented code; use a fence that names its language")
        if lines[i].strip() and not lines[i].startswith(" "):
            above = lines[i]
        i += 1
    return found


# ---- Studies ----


def alternatives(text):
    """A key that stands there again begins an alternative; other keys hold for all."""
    groups = []  # [key, lines]
    for line in text.split("\n"):
        key = re.match(r"([A-Za-z_]+):", line)
        if key:
            groups.append([key[1], [line]])
        elif groups:
            groups[-1][1].append(line)
    keys = [key for key, _ in groups]
    several = {key: [i for i, other in enumerate(keys) if other == key] for key in keys}
    for turn in range(max(len(places) for places in several.values())):
        chosen = {places[min(turn, len(places) - 1)] for places in several.values()}
        yield "\n".join("\n".join(lines) for i, (_, lines) in enumerate(groups) if i in chosen) + "\n"


def gallery(name):
    study = yaml.load((ROOT / "gallery" / f"{name}.yaml").read_text(encoding="utf-8"), Loader)
    return {key: study[key] for key in ("model", "analysis")}


def in_contact(part):
    plane = {"tangent": [1, 0, 0]} if "tangents" not in part else {}
    contact = {"normal": [0, 0, 1], "friction": 0.3, **plane, **part}
    if isinstance(contact["friction"], dict) or "tangents" in part:
        contact.update(law="held", hold={"constant": 1})
        del contact["normal"]
    return {"model": {"kind": "structure", "mass": [1, 1, 1], "stiffness": [1, 1, 1], "contacts": [contact]},
            "analysis": {"kind": "motion", "until": 1}}


def in_model(part):
    model = {"kind": "structure", "mass": [1, 1], "stiffness": [1, 1], **part}
    directions = [one for value in part.values() if isinstance(value, list) for one in value if "direction" in one]
    if any(len(one["direction"]) == 1 for one in directions):
        model.update(mass=[1], stiffness=[1])
    return {"model": model, "analysis": {"kind": "motion", "until": 1}}


def in_study(name):
    def surround(part):
        return dict(gallery(name), **part)
    return surround


def in_model_of(name):
    def surround(part):
        study = gallery(name)
        study["model"] = dict(study["model"], **part)
        return study
    return surround


def in_analysis_of(name):
    def surround(part):
        study = gallery(name)
        study["analysis"] = {"kind": study["analysis"]["kind"], **part}
        return study
    return surround


def in_sweep(part):
    return dict(gallery("modecoupling/fig2a"), analysis={"kind": "stability"}, sweep={"axes": {"model.Delta": {"from": 0.1, "to": 0.2, "count": 8, "draw": "sobol"}}, "outputs": ["growth_rate"], **part})


def beside_quasistatic(part):
    study = gallery("klarbring/fig4b")
    return dict(study, also={"quasistatic": {"kind": "path", "until": 3}}, **part)


def shaken(part):
    """Two coordinates x, y, with as many sines as are controlled; Omega is their frequency."""
    sines = len(part.get("analysis", {}).get("control", [])) or 2
    loads = [{"direction": row, "sine": {"amplitude": 0.1, "multiple": 1}} for row in ([1, 0], [0, 1])[:sines]]
    return {"model": {"kind": "structure", "names": ["x", "y"], "mass": [1, 1], "damping": [0.1, 0.1], "stiffness": [[2, -1], [-1, 2]],
                      "Omega": 1, "loads": loads}, **part}


FILES = {"frequencies.csv": "100\n150\n", "normal.mtx": "%%MatrixMarket matrix array real general\n1 2\n1\n0.5\n",
         "tangent.mtx": "%%MatrixMarket matrix array real general\n1 2\n0.2\n1\n"}
CALLED = {"blade": "blade_damper"}  # file of the documents, of the gallery

SURROUNDINGS = {  # (page, key of a study that its parts have): what is round them
    "laws.md": in_contact,
    "slip.md": in_analysis_of("partialslip/loop"),
    "study.md Omega": in_model, "study.md polynomials": in_model, "study.md varying_stiffness": in_model,
    "study.md panels": in_study("joints/cantilever_slider"), "study.md curves": beside_quasistatic,
    "study.md sweep": in_study("klarbring/fig4b"), "study.md analysis": in_study("rod/fig2"),
    "backbone.md": in_study("joints/cantilever_slider"), "cells.md": in_study("oscillator/fig7_6a"),
    "import.md interfaces": in_model_of("joints/lap_joint"), "import.md preload": in_model_of("joints/lap_joint"),
    "nodes.md weld": in_model_of("attractors/fig12"), "path.md": in_study("klarbring/fig7"),
    "response.md": shaken, "response_isola.md bifurcations": shaken, "response_isola.md": in_study("griffin/fig8_3"),
    "stability.md": in_study("modecoupling/fig2a"), "states.md": in_study("klarbring/fig2a"), "states.md question": in_study("modecoupling/table1"), "sweep.md conditions": in_sweep,
    "sweep.md sweep": in_study("oscillator/fig7_6a"), "switching.md": in_study("rod/fig2"),
}


whole = {}  # of each page the last study that is one by itself: parts that follow belong to it


def write_study(page, line, number, text):
    part = yaml.load(text, Loader)
    folder = SCRATCH / page
    folder.mkdir(exist_ok=True)
    path = folder / f"{line}.{number}.yaml"
    if not {"model", "analysis"} <= part.keys():
        found = [SURROUNDINGS[key] for key in (page, *(f"{page} {key}" for key in [*part.get("analysis", {}), *part, *part.get("figure", {})])) if key in SURROUNDINGS]
        if found:
            text = json.dumps(found[-1](part))
        elif page in whole and part.keys() <= {"model", "analysis", "figure", "expect", "sweep", "follow"}:
            text = json.dumps(dict(whole[page], **part))
        else:
            fault(page, line, "part of a study, and nothing says of what (SURROUNDINGS in tests/whole/doc_blocks.py)")
            return None
    else:
        whole[page] = part
    path.write_text(text, encoding="utf-8")
    for other in re.findall(r'"?file"?: *"?([A-Za-z_.]+)', text):
        name = pathlib.Path(other).stem
        if other in FILES:
            (folder / other).write_text(FILES[other])
        for source in ROOT.glob(f"gallery/*/{CALLED.get(name, name)}.*"):
            shutil.copy(source, folder / (name + source.suffix))
    return path


def check_studies(studies):
    paths = [path for _, _, path in studies]
    done = subprocess.run([COMMAND, "check", *paths], capture_output=True, text=True)
    for page, line, path in studies:
        for words in done.stderr.splitlines():
            if words.startswith(f"{path}:"):
                fault(page, line, words[len(str(path)) + 1:])


# ---- Everything else ----


def usage():
    said = subprocess.run([COMMAND, "help"], capture_output=True, text=True, check=True).stdout
    return {words.split()[1]: set(re.findall(r"--[a-z-]+", words)) for words in re.findall(r"^  amontons .*", said, re.M)}


def check_command(page, line, words, known):
    words = re.sub(r"\s+#.*", "", words).split()
    while words and re.match(r"[A-Z_]+=|mpirun|-np|\d+$", words[0]):
        words.pop(0)
    if not words:
        return
    program = pathlib.PurePath(words[0]).name
    if program == "amontons" and len(words) > 1 and not words[1].startswith("-"):
        if words[1] not in known:
            fault(page, line, f"amontons has no command '{words[1]}'")
        for option in re.findall(r"--[a-z-]+", " ".join(words)):
            if option not in known.get(words[1], ()):
                fault(page, line, f"amontons {words[1]} has no option {option}")
    elif program == "bootstrap" and not re.search(rf"^    {words[1]}\b", (ROOT / "bootstrap").read_text(), re.M):
        fault(page, line, f"./bootstrap has no word '{words[1]}'")
    elif "/" in words[0] and words[0].startswith(("bench/", "tests/")) and not (ROOT / words[0]).exists():
        fault(page, line, f"there is no {words[0]}")
    if "--preset" in words:
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        if words[words.index("--preset") + 1] not in [one["name"] for one in presets]:
            fault(page, line, f"no such preset: {words}")


def check_math(page, line, text):
    for command in re.findall(r"\\([A-Za-z]+)", text):
        if command not in KATEX and not re.match("(Re|Im)$", command):
            fault(page, line, f"\\{command}: is that drawn by KaTeX and GitHub? (KATEX in tests/whole/doc_blocks.py)")
    plain = re.sub(r"\\[{}]", "", text)
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            break
    if depth != 0:
        fault(page, line, "braces are not balanced")
    for one, other in (("begin", "end"), ("left", "right")):
        if len(re.findall(rf"\\{one}\b", text)) != len(re.findall(rf"\\{other}\b", text)):
            fault(page, line, f"\\{one} and \\{other} are not balanced")
    if re.search(r"\\\\$", text, re.M) and "\\begin{" not in text:
        fault(page, line, "several lines need \\begin{aligned} or \\begin{gathered}")


def compile_c(page, line, text):
    done = subprocess.run([*CC.split(), "-std=c17", "-fsyntax-only", "-Wall", "-Wno-unused-function", "-D_POSIX_C_SOURCE=200809L", f"-I{ROOT}/include",
                           f"-I{ROOT}/src", f"-I{BUILD}/generated", "-xc", "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        fault(page, line, done.stderr.split("\n")[0])


def run_python(page, parts):
    """The blocks of a page one after the other, as a reader types them."""
    folder = SCRATCH / "python"
    folder.mkdir()
    (folder / "gallery").symlink_to(ROOT / "gallery")
    promised = re.compile(r"^print\((.*)\) +# ([0-9.]+):.*$", re.M)  # what is printed is the number behind it
    text = "".join(promised.sub(r"assert f'{\1:.4f}' == '\2'", f"{part}\nprint('line {line} runs')\n") for line, part in parts)
    done = subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-"], input=text, capture_output=True, text=True, cwd=folder,
                          env=dict(os.environ, PYTHONPATH=str(ROOT / "python"), AMONTONS_LIBRARY=os.environ["LIBRARY"], AMONTONS_COMMAND=COMMAND, MPLBACKEND="Agg"))
    if done.returncode:
        reached = len(re.findall(r"(?m)^line \d+ runs$", done.stdout))
        fault(page, parts[min(reached, len(parts) - 1)][0], done.stderr.strip().split("\n")[-1])


def check_json(page, line, text):
    schema = json.loads(subprocess.run([COMMAND, "schema", "result"], capture_output=True, text=True, check=True).stdout)
    try:
        jsonschema.Draft7Validator(schema).validate(json.loads(text))
    except (ValueError, jsonschema.ValidationError) as wrong:
        fault(page, line, str(wrong).split("\n")[0])


def check_diff(page, line, text, headers):
    for one in text.split("\n"):
        if one[:1] in (" ", "-") and " ".join(one[1:].replace("\\", "").split()) not in headers:
            fault(page, line, f"the sources have no line '{one[1:].strip()}'")


def headings(page):
    """The anchors of a page, as GitHub and mkdocs make them of its headings."""
    text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "]", heading).lower()).strip().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.M)}


def check_anchors(page):
    for number, text in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        for other, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
            target = page.parent / other if other else page
            if target.suffix == ".md" and target.exists() and anchor not in headings(target):
                fault(page.name, number, f"{target.name} has no heading #{anchor}")


def check_opening(page):
    """Before its first section a page of theory says what it is not for."""
    opening = re.split(r"^##? .*$", page.read_text(encoding="utf-8"), flags=re.M)[1]
    if "\n**Not for** " not in opening:
        fault(page.name, 1, "the opening has no paragraph '**Not for** ...'")


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir()
    known = usage()
    headers = {" ".join(line.replace("\\", "").split()) for header in (ROOT / "src").rglob("*.[ch]") for line in header.read_text().split("\n")}
    studies, count, python = [], 0, {}
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for line, language, text in blocks(page):
            count += 1
            if language not in LANGUAGES:
                fault(page.name, line, f"the fence must name one of {', '.join(sorted(LANGUAGES))}")
            elif language == "yaml":
                for number, one in enumerate(alternatives(text)):
                    path = write_study(page.name, line, number, one)
                    if path:
                        studies.append((page.name, line, path))
            elif language == "sh":
                for words in text.replace("\\\n", " ").split("\n"):
                    check_command(page.name, line, words, known)
            elif language == "math":
                check_math(page.name, line, text)
            elif language == "c":
                compile_c(page.name, line, text)
            elif language == "python":
                python.setdefault(page.name, []).append((line, text))
            elif language == "json":
                check_json(page.name, line, text)
            elif language == "diff":
                check_diff(page.name, line, text, headers)
        check_anchors(page)
        if page.stem in ANALYSES + MODELS:
            check_opening(page)
        for number, text in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
            for words in re.findall(r"`amontons ([a-z]+)", text):
                if words not in known:
                    fault(page.name, number, f"amontons has no command '{words}'")
    check_studies(studies)
    for page, parts in python.items():
        if page == "python.md":
            run_python(page, parts)
        for line, part in parts:
            try:
                compile(part, page, "exec")
            except SyntaxError as wrong:
                fault(page, line, str(wrong))
    for words in faults:
        print(words)
    print(f"{count} blocks, {len(studies)} studies among them: {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
