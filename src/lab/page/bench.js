/* The workbench: one study, its text, its numbers, its motion, its results. */
import {$, make, fill, say} from './dom.js';
import {Editor} from './editor.js';
import {Numbers} from './sliders.js';
import {Stage, massScene, sentence} from './stage.js';
import {halfplaneScene, interfaceScene, loadPath} from './halfplane.js';
import {meshScene, modeScene, modesOf} from './mesh.js';
import {backboneMotion, modeMotions} from './modes.js';
import {Timeline} from './timeline.js';
import {Results, sums} from './results.js';
import {Runner} from './runner.js';
import {History} from './state.js';
import {motionOf} from './motion.js';
import {bodiesOf} from './bodies.js';
import {manyScene} from './ring.js';
import {prefixes} from './columns.js';
import {written} from './tables.js';
import * as derived from './derived.js';
import * as server from './server.js';

/* Milliseconds: until the text is read after the hand has moved, between two sentences about a motion that plays. */
const HELD_BACK = 250, WORDS_PAUSE = 200;

export class Bench {
    /* changed() hears that there is something new to put in the address. */
    constructor(changed) {
        this.changed = changed;
        this.history = new History();
        this.bus = {time: null, hover: t => this.timeline.playing || this.timeline.set(t, true), pick: (spec, under) => this.pick(spec, under), changed};
        this.editor = new Editor($('editor'), (text, kind) => this.edit(text, kind, performance.now()));
        this.numbers = new Numbers($('numbers'), (text, kind, moment) => this.edit(text, kind, moment, true));
        this.stage = new Stage($('stage'));
        this.timeline = new Timeline($('timeline'), time => this.moveTo(time));
        this.results = new Results($('views'), $('view'), this.bus);
        this.runner = new Runner(heard => this.hear(heard));
        this.view = {around: 0.7, above: 0.5};
        this.listeners = new Set();
        this.turn();
    }
    /* ---- what is open ---- */
    open(name, text, more = {}) {
        Object.assign(this, {name, original: more.original ?? text, sum: more.sum, study: null, structure: null, document: null, motion: null, picked: null, sceneId: null});
        this.key = `${name} ${Math.random()}`;
        this.history.reset(text);
        this.numbers.restart();
        this.results.restart();
        this.timeline.kept = false;
        if (more.view)
            this.results.chosen = more.view;
        this.startTime = more.time ?? null;
        this.pinned = this.bus.picked = null;
        this.showPicked();
        this.timeline.show(null);
        this.scene = null;
        this.stage.show(null);
        $('told').replaceChildren();
        this.status('');
        this.measure(0);
        this.editor.mark([]);
        this.put(text, 0);
    }
    get text() {
        return this.history.text;
    }
    /* Promises of the next reading and the next whole run. */
    once(what) {
        return new Promise(done => {
            const listen = heard => heard === what && (this.listeners.delete(listen), done());
            this.listeners.add(listen);
        });
    }
    /* The document of the present text, once it is there and whole. */
    async whole() {
        while (!this.document || this.coarse || this.shownText !== this.text)
            await this.once('run');
        return this.document;
    }
    tellAll(what) {
        [...this.listeners].forEach(listen => listen(what));
    }
    /* Numbers of the study by their paths, as sliders would set them. */
    setNumbers(values) {
        for (const [path, value] of Object.entries(values))
            if (this.numbers.list.some(one => one.path === path))
                this.numbers.put(path, value, 'tour');
    }
    /* Nothing of what comes out is shown until somebody has guessed. */
    hide(hiding) {
        this.hiding = hiding;
        $('bench').classList.toggle('guessing', hiding);
        if (hiding && this.structure)
            this.paintHidden();
        if (!hiding && this.document)
            this.show(this.document, {text: this.shownText, moment: null, key: this.key}, this.coarse);
    }
    /* A change by hand: `quick` where only a number differs, so that nothing else needs to be asked again at once. */
    edit(text, kind, moment, quick) {
        this.history.change(text, kind);
        this.put(text, moment, quick);
    }
    undo() {
        return this.history.undo() && this.put(this.text, performance.now());
    }
    redo() {
        return this.history.redo() && this.put(this.text, performance.now());
    }
    put(text, moment, quick) {
        if (this.picked && text !== this.picked.from)
            this.dropPicked(); /* it was a motion of other numbers */
        this.editor.text = text;
        $('undo').disabled = !this.history.past.length;
        $('redo').disabled = !this.history.future.length;
        clearTimeout(this.reading);
        clearTimeout(this.settling);
        if (quick && this.study) {
            this.request(moment, true);
            this.reading = setTimeout(() => this.read(text), HELD_BACK);
            this.settling = setTimeout(() => this.settle(text, moment), HELD_BACK);
        } else
            this.reading = setTimeout(() => this.read(text, moment), this.study ? HELD_BACK : 0);
        this.changed();
    }
    /* The hand rests: what was shown while it moved is made whole, or shown at last. */
    settle(text, moment) {
        if (this.shownText !== text)
            this.request(moment, false);
        else if (this.coarse)
            this.request(null, false);
    }
    /* What the text says: its numbers, its tree, what is wrong with it; then a run of it if `moment` is given. */
    async read(text, moment) {
        const asked = this.key;
        try {
            const [checked, numbers] = await Promise.all([server.check(text, this.name), server.numbers(text, this.name).catch(() => ({numbers: []}))]);
            if (text !== this.text || asked !== this.key)
                return;
            this.mark(checked.problems || []);
            if (checked.ok)
                this.study = numbers.study;
            if (moment !== undefined && checked.ok)
                this.request(moment, false);
            const shown = checked.ok ? await server.structure(text, this.name) : {};
            if (text !== this.text || asked !== this.key)
                return;
            if (checked.ok)
                this.structure = shown.coordinates ? shown : null;
            if (numbers.numbers.length || checked.ok)
                this.numbers.show(numbers.numbers, text, shown.contacts && shown.contacts.map(one => one.name));
            $('title').textContent = this.study && this.study.title || this.name || 'A study';
            if (this.document && !this.hiding && !this.picked)
                this.paintScene();
            if ((this.hiding || !this.document) && this.structure)
                this.paintHidden();
            this.tellAll('read');
        } catch (error) {
            this.complain(error);
        }
    }
    mark(problems) {
        problems = problems.map(one => ({...one, line: one.line || 1, column: one.column || 1}));
        this.editor.mark(problems);
        fill($('problems'), problems.slice(0, 5).map(one => make('li', {}, make('button', {type: 'button', onclick: () => this.editor.go(one.line, one.column)}, `${one.line}:${one.column}: ${one.message}`))));
        if (problems.length)
            this.editor.showLine();
    }
    request(moment, live) {
        const trimmed = this.study;
        this.runner.ask({text: this.text, name: this.name, study: trimmed, moment, live, key: this.key});
    }
    /* ---- what comes back ---- */
    hear({document, coarse, asked, error, progress, idle}) {
        $('cancel').hidden = !progress;
        $('progress').hidden = !progress;
        if (progress) {
            if (progress.share > 0)
                $('progress').value = progress.share;
            else
                $('progress').removeAttribute('value');
            this.status(`Running${progress.what && progress.what !== 'running' ? `: ${progress.what}` : ''} …${progress.seconds_left ? ` ${Math.ceil(progress.seconds_left)} s left` : ''}`);
        }
        if (error && !this.stale(asked))
            this.complain(error);
        if (document && !this.stale(asked))
            this.show(document, asked, coarse);
        if (idle)
            this.tellAll('idle');
    }
    stale(asked) {
        return asked && asked.key !== this.key;
    }
    complain(error) {
        if (error.name === 'AbortError')
            return;
        this.status(error.message, true);
        if (error.line)
            this.mark([{line: error.line, column: error.column || 1, message: error.message}]);
    }
    status(words, bad) {
        $('running').textContent = words;
        $('running').classList.toggle('bad', Boolean(bad));
    }
    show(document, asked, coarse) {
        const first = !this.document;
        Object.assign(this, {document, shownText: asked.text, coarse});
        this.loads = null;
        if (!this.picked)
            this.motion = this.motionIn(document);
        if (!this.hiding) {
            this.paintScene();
            this.results.show({document, study: this.study, text: asked.text, name: this.name}, this.pinned);
            this.tell();
        }
        this.measure(asked.moment);
        this.status(`${document.summary.preview ? 'A preview, from the branches before; ' : coarse ? 'A first, coarse picture; ' : ''}${document.analysis}: computed in ${duration(document.seconds)}`);
        if (first && this.startTime !== null && this.motion)
            this.timeline.set(this.startTime);
        if (!coarse)
            this.tellAll('run');
        this.changed();
    }
    /* From the moment the hand moved to the end of the drawing; what was not moved by hand has no moment (0), what makes a first
     * picture finer belongs to none (null). */
    measure(moment) {
        if (moment === null)
            return;
        const took = performance.now() - moment;
        $('latency').textContent = moment ? `hand to curve ${written(took, took < 100 ? 3 : 4)} ms` : '';
        $('latency').dataset.ms = moment ? took.toFixed(2) : '';
    }
    /* The first motion that a document holds: the study's own, or one under `also`. */
    motionIn(document) {
        const own = this.study && this.study.analysis && this.study.analysis.kind === 'slip' ? loadPath(document) : null;
        if (own)
            return this.loads = own;
        if (this.study && this.study.sweep && !this.picked)
            return null;
        return prefixes(document).map(prefix => motionOf(document, prefix)).find(Boolean) || null;
    }
    /* Before a guess, or a result: the structure at rest, and nothing of what it does. */
    paintHidden() {
        const parts = this.study && this.study.analysis && this.study.analysis.kind === 'slip' ? null : bodiesOf(this.structure);
        this.scene = parts ? manyScene(parts, null) || massScene(parts, null) : null;
        this.stage.show(this.scene);
    }
    /* ---- the middle ---- */
    paintScene(given = this.picked ? this.picked : this) {
        const choices = this.scenesOf(given), chosen = choices.find(one => one.id === this.sceneId) || choices[0];
        Object.assign(this, {choices, shownScene: chosen, scene: chosen.scene()});
        this.timeline.show(chosen.motion || (chosen.still ? stillTime(chosen.still) : null));
        if (chosen.still && this.timeline.time === 0)
            this.timeline.set(chosen.still[1] === 1 ? 1 : 0);
        this.bus.time = chosen.motion ? this.timeline.time : null;
        this.stage.show(this.scene);
        this.describe();
    }
    /* All that can be drawn of a result: {id, title, scene(), motion, still: [from, to]}. */
    scenesOf({document, study, structure, motion, loads}) {
        const modes = modesOf(document), parts = structure && bodiesOf(structure), found = [], own = study && study.analysis.kind === 'slip';
        if (document.tables.mesh_nodes)
            found.push({id: 'mesh', title: 'Deformed bodies', scene: () => meshScene(document, this.shownStress), still: [0, 1]});
        if (own && document.tables.tractions)
            found.push({id: 'halfplane', title: 'Contact', scene: () => halfplaneScene(document, study, loads), motion: loads});
        modes.forEach(mode => found.push({id: `mode ${mode}`, title: `Mode ${mode}`, scene: () => modeScene(document, mode, this.view), still: [0, 2 * Math.PI]}));
        for (const prefix of motion && motion.prefix !== undefined && !loads ? prefixes(document) : []) {
            const each = prefix === motion.prefix ? motion : motionOf(document, prefix);
            const surface = each && interfaceScene(document, each);
            if (surface)
                found.push({id: `interface ${prefix}`, title: 'Contact nodes', motion: each, scene: () => surface});
            if (each)
                found.push({id: `motion ${prefix}`, title: prefix ? `Motion of ${prefix.slice(0, -1)}` : 'Motion', motion: this.named(each, structure), scene: () => (parts && (manyScene(parts, each) || massScene(parts, each))) || plainScene(each)});
        }
        if (parts && !modes.length)
            modeMotions(document).forEach((one, i) => found.push({id: `swing ${i}`, title: one.title, motion: one.motion,
                scene: () => ({...(manyScene(parts, one.motion) || massScene(parts, one.motion, 0.3)), words: () => one.title})}));
        if (!found.length && parts && motion && motion.prefix === undefined && !loads)
            found.push({id: 'swing', title: 'Mode', motion: this.named(motion, structure), scene: () => manyScene(parts, motion) || massScene(parts, motion)});
        if (!found.length && parts && !own)
            found.push({id: 'rest', title: 'At rest', scene: () => manyScene(parts, null) || massScene(parts, null)});
        return found.length ? found : [{id: 'empty', title: '', scene: () => emptyScene(document)}];
    }
    /* A motion's contacts by the names that the structure has for them. */
    named(motion, structure) {
        if (structure && structure.contacts && structure.contacts.length === motion.names.length)
            motion.labels = structure.contacts.map(one => one.name);
        return motion;
    }
    moveTo(time) {
        this.bus.time = (this.picked || this).motion ? time : null;
        this.stage.draw(time);
        this.results.moveTime();
        this.describe();
    }
    describe() {
        if (!this.scene || (this.timeline.playing && performance.now() - this.described < WORDS_PAUSE))
            return;
        this.described = performance.now();
        const words = this.scene.words ? this.scene.words(this.timeline.time) : sentence((this.picked || this).motion, this.timeline.time);
        this.stage.canvas.setAttribute('aria-label', words);
        const events = this.timeline.happening();
        $('told-now') && fill($('told-now'), words, events.length ? make('b', {}, ` ${events.map(one => `${one.contact}: ${one.from} → ${one.to}${one.cause ? ` (${one.cause})` : ''}`).join('; ')}`) : '');
    }
    /* Below the drawing: the time in words, what the study is about, its first sums. */
    tell() {
        const {document} = this, study = this.study || {}, summary = Object.entries((this.picked || this).document.summary || {}).filter(([name]) => !/residual|^spans$|^combinations$|unchecked|choices/.test(name) && !name.includes('.'));
        fill($('told'), make('p', {id: 'told-now', class: 'soft'}), this.sceneChoice(),
            study.about ? make('p', {class: 'about'}, study.about) : null,
            document.expect && document.expect.length ? make('p', {class: document.expect.every(one => one.ok) ? 'good' : 'soft'}, document.expect.every(one => one.ok) ? `✓ all ${document.expect.length} expectations of the study are met` : `${document.expect.filter(one => !one.ok).length} of ${document.expect.length} expectations are not met with these numbers`) : null,
            sums(summary.slice(0, 24), document.summary_units || {}, this.pinned && this.pinned.document.summary),
            study.source ? make('p', {class: 'soft'}, `Source: ${study.source}`) : null);
        this.describe();
    }
    /* What is drawn, and its colour, where there is a choice. */
    sceneChoice() {
        const select = (label, options, chosen, put) => options.length > 1 ? make('label', {}, `${label} `, make('select', {onchange: event => { put(event.target.value); this.paintScene(); this.tell(); }},
            options.map(([value, words]) => make('option', {value, selected: value === chosen}, words)))) : null;
        const chosen = [select('Drawn:', this.choices.map(one => [one.id, one.title]), this.shownScene.id, id => { this.sceneId = id; }),
            select('Colour:', (this.scene && this.scene.values || []).map(name => [name, name]), this.shownStress || 'mises', name => { this.shownStress = name; })].filter(Boolean);
        return chosen.length ? make('p', {class: 'tables'}, chosen) : null;
    }
    /* Dragging turns a structure in space. */
    turn() {
        $('stage').addEventListener('pointermove', event => {
            if (!event.buttons || !this.shownScene || !this.shownScene.id.startsWith('mode '))
                return;
            this.view.around += event.movementX / 120;
            this.view.above = Math.min(1.5, Math.max(-1.5, this.view.above + event.movementY / 120));
            this.stage.draw(this.timeline.time);
        });
    }
    /* ---- clicks in plots ---- */
    pick(spec, under) {
        const one = this.answerTo(spec, under);
        if (one && one.motion)
            this.showPickedMotion({...one, from: this.text, document: {tables: {}, summary: {}}, structure: this.structure, study: this.study}, {key: spec.key, x: under.one.x[under.i], y: under.one.y[under.i]});
        else if (one)
            this.runPicked(one, {key: spec.key, x: under.one ? under.one.x[under.i] : under.x, y: under.one ? under.one.y[under.i] : under.y});
    }
    answerTo(spec, under) {
        const {document, study} = this, table = under.one ? under.one.source : document.tables[spec.table], row = under.one && under.one.rows ? under.one.rows[under.i] : under.row ?? under.i;
        const names = this.structure ? this.structure.coordinates.map(each => each.name) : [], massless = this.structure && this.structure.mass && this.structure.mass.flat().every(value => value === 0);
        if (!study || !table || (under.one && under.one.t))
            return null;
        const name = (under.one ? under.one.table : spec.table).replace(/^.*\./, '');
        if (name === 'map' || name === 'cells')
            return derived.fromStart(study, names, {[spec.xColumn]: under.x, [spec.yColumn]: under.y}, document, massless);
        if (study.sweep && (name === 'sweep' || name === 'squeal')) {
            const axes = table.names.filter(axis => /^(model|analysis|follow)\./.test(axis));
            return derived.atPoint(study, Object.fromEntries(axes.map(axis => [axis, table.cell(row, axis)])));
        }
        if (name === 'backbone') {
            const motion = backboneMotion(table, row, names), [size, speed, damping] = ['amplitude', 'frequency', 'damping'].map(word => written(table.cell(row, word), 4));
            return motion && {title: `The mode at the amplitude ${size}: frequency ${speed}, damping ${damping}`, motion};
        }
        if (name === 'branch' && study.follow)
            return derived.atFollowed(study, study.follow.parameter, table.cell(row, study.follow.parameter));
        if (name === 'branch' && this.overOf(table))
            return derived.atBranch(study, names, this.overOf(table), table, row);
        return null;
    }
    overOf(table) {
        return table.names.find(name => table.unit(name) === 'parameter' && !/^(model|analysis)\./.test(name));
    }
    /* `place`: where it was picked, in which plot. */
    async runPicked(one, place) {
        this.status(`${one.title} …`);
        const text = JSON.stringify(one.study);
        try {
            const document = await server.run(text, this.name), shown = await server.structure(text, this.name).catch(() => ({}));
            const picked = {...one, text, from: this.text, document, structure: shown.coordinates ? shown : this.structure, study: one.study};
            picked.motion = one.study.analysis.kind === 'slip' ? picked.loads = loadPath(document) : prefixes(document).map(prefix => motionOf(document, prefix)).find(Boolean) || null;
            this.showPickedMotion(picked, place);
            this.status(`${one.title}: computed in ${duration(document.seconds)}`);
        } catch (error) {
            this.complain(error);
        }
    }
    showPickedMotion(picked, place) {
        this.picked = picked;
        this.timeline.kept = false;
        this.paintScene(picked);
        this.bus.picked = place;
        this.results.moveTime();
        this.showPicked();
        this.tell();
        if (this.shownScene.motion && !this.timeline.playing && !matchMedia('(prefers-reduced-motion: reduce)').matches)
            this.timeline.toggle();
    }
    /* What was picked stands above the drawing; its own plots are a click away. */
    showPicked() {
        const place = $('picked');
        place.hidden = !this.picked;
        if (!this.picked)
            return;
        const {document} = this.picked, stable = document.tables.orbits && document.tables.orbits.column('stable');
        const own = Boolean(this.picked.text); /* it was run, and is not read off the branch */
        const multiplier = document.tables.orbits && document.tables.orbits.cell(0, 'multiplier'), fact = stable ? `${stable[0] ? 'stable' : 'unstable'}, largest multiplier ${written(multiplier, 4)}` : '';
        fill(place, make('span', {}, make('b', {}, this.picked.title), fact ? ` · ${fact}` : ''), make('span', {},
            own ? make('button', {type: 'button', id: 'picked-open', onclick: () => this.openPicked()}, 'Open as a study') : null, ' ',
            own ? make('button', {type: 'button', id: 'picked-plots', 'aria-pressed': 'false', onclick: event => this.swapPlots(event.target)}, 'Its plots') : null, ' ',
            make('button', {type: 'button', id: 'picked-close', 'aria-label': 'close', onclick: () => this.dropPicked()}, '✕')));
    }
    swapPlots(button) {
        const show = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(show));
        if (show)
            this.keptView = this.results.chosen;
        this.results.chosen = show ? null : this.keptView;
        this.results.show(show ? this.picked : {document: this.document, study: this.study, text: this.shownText, name: this.name}, show ? null : this.pinned);
    }
    openPicked() {
        const yaml = JSON.stringify({title: this.picked.title, ...this.picked.study}, null, 2);
        const name = this.name;
        this.open(name, yaml, {original: ''});
    }
    dropPicked() {
        this.picked = this.bus.picked = null;
        this.showPicked();
        this.motion = this.motionIn(this.document);
        this.timeline.kept = false;
        this.paintScene();
        this.results.show({document: this.document, study: this.study, text: this.shownText, name: this.name}, this.pinned);
        this.tell();
    }
    /* ---- A and B ---- */
    pin() {
        this.pinned = this.pinned || !this.document ? null : {document: this.document, study: this.study, text: this.shownText};
        this.repaint();
        say(this.pinned ? 'These curves stay in grey: change a number.' : 'Nothing is pinned any more.');
    }
    swap() {
        const other = this.pinned;
        this.pinned = {document: this.document, study: this.study, text: this.shownText};
        this.edit(other.text, 'swap', performance.now());
    }
    repaint() {
        $('pin').setAttribute('aria-pressed', String(Boolean(this.pinned)));
        $('swap').hidden = !this.pinned;
        if (this.document)
            this.results.show({document: this.document, study: this.study, text: this.shownText, name: this.name}, this.pinned);
        this.changed();
    }
}

const duration = seconds => seconds < 1 ? `${written(1000 * seconds, 3)} ms` : `${written(seconds, 3)} s`;

function stillTime([from, to]) {
    const t = Float64Array.from([from, to]);
    return {t, from, to, names: [], events: [], intervals: [], contacts: [], coordinates: [], table: {unit: () => ''}};
}

/* A motion of many coordinates without a drawing of its own: its displacements as a row of bars. */
function plainScene(motion) {
    const most = Math.max(1e-300, ...motion.coordinates.map(one => one.x.reduce((m, v) => Math.max(m, Math.abs(v)), 0)));
    return {
        words: time => sentence(motion, time),
        draw(pen, width, height, time, look) {
            const at = motion.at(time), n = motion.coordinates.length, step = (width - 40) / n;
            pen.line([20, height / 2, width - 20, height / 2], {stroke: look.line});
            motion.coordinates.forEach((one, i) => pen.rect(20 + i * step + step * 0.15, height / 2, step * 0.7, -motion.value(one.x, at) / most * height * 0.4, {fill: '#0072b2'}));
            pen.text('displacements of the coordinates, in order', 20, height - 10, {font: '12px system-ui, sans-serif', fill: look.soft});
        }
    };
}

function emptyScene(document) {
    return {
        words: () => 'Nothing moves in this result. Click a point of a map or a branch to see its motion.',
        draw(pen, width, height, time, look) {
            pen.text(document.tables.sweep || document.tables.branch ? 'Click a point of a curve or a map to see what moves there.' : 'This question has no motion to show.', width / 2, height / 2, {font: '14px system-ui, sans-serif', fill: look.soft, align: 'center'});
        }
    };
}
