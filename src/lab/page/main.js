/* The lab's page: which part is shown, what its address says, its keys. */
import {$, make, fill, say} from './dom.js';
import * as server from './server.js';
import {useSchema} from './schema.js';
import {startPage} from './start.js';
import {Bench} from './bench.js';
import {Guide} from './guide.js';
import {TOURS} from './tours.js';
import {pack, unpack} from './state.js';
import {exportAs, listen} from './exports.js';

const bench = new Bench(() => remember()), guide = new Guide(bench, open);
let list = null, writing = 0, own = '';

/* ---- what the address says ---- */

/* The state goes into the address a moment after it has come to rest. */
function remember() {
    clearTimeout(writing);
    if ($('bench').hidden || bench.opening)
        return;
    writing = setTimeout(async () => {
        const state = {name: bench.name, view: bench.results.chosen, time: bench.timeline.time || undefined};
        if (bench.text !== bench.original || !bench.name || !bench.name.startsWith('gallery/')) /* every lab has the gallery */
            state.text = bench.text;
        if (bench.pinned)
            state.pinned = bench.pinned.text;
        own = `#s=${await pack(state)}`;
        history.replaceState(null, '', own);
    }, 300);
}

async function follow() {
    const asked = location.hash.slice(1), [kind, value] = asked.split(/=(.*)/s);
    if (location.hash === own && own)
        return;
    own = '';
    guide.end();
    try {
        if (kind === 's')
            await restore(await unpack(value));
        else if (kind === 'study')
            await open(decodeURIComponent(value));
        else if (kind === 'tour' && TOURS.some(tour => tour.id === value))
            await guide.start(TOURS.find(tour => tour.id === value));
        else
            await home();
    } catch (error) {
        say(kind === 's' ? `This link cannot be read: ${error.message}` : error.message);
        await home();
    }
}

/* A link from another machine may come from a study that is not here: its text is in the link. */
async function restore(state) {
    const known = state.name ? await server.study(state.name).catch(() => null) : null, name = known ? state.name : null;
    show('bench');
    const read = bench.once('run');
    bench.open(name, state.text ?? (known ? known.text : ''), {original: known ? known.text : '', sum: known && known.sum, view: state.view, time: state.time});
    if (state.pinned) {
        await read;
        const document = await server.run(state.pinned, name), {study} = await server.numbers(state.pinned, name);
        bench.pinned = {document, study, text: state.pinned};
        bench.repaint();
    }
}

/* Opens a study by its name, or a text of the page's own; resolves when it has been read. */
async function open(given) {
    const {name, text, sum} = typeof given === 'string' ? await server.study(given) : {name: null, text: given.text};
    show('bench');
    bench.opening = true;
    const read = bench.once('read');
    bench.open(name, text, name ? {sum} : {original: ''});
    await read;
    bench.opening = false;
    remember();
}

async function home() {
    show('start');
    document.title = 'Amontons lab';
    $('title').textContent = '';
    if (!list) {
        list = await server.studies();
        startPage($('start'), list.studies);
        allowSaving();
    }
}

function show(part) {
    bench.timeline.stop();
    for (const id of ['start', 'bench'])
        $(id).hidden = id !== part;
    $('tools').hidden = part !== 'bench';
    bench.stage.resize();
}

/* ---- buttons and keys ---- */

function allowSaving() {
    $('save').disabled = !list.folder;
    $('save').title = list.folder ? 'save in the opened folder (Ctrl+S)' : 'no folder is open: amontons lab FOLDER';
}

async function save() {
    if ($('save').disabled)
        return say($('save').title);
    const name = bench.name && bench.name.startsWith('folder/') ? bench.name : `folder/${prompt('Save in the opened folder as', (bench.name || 'study').split('/').pop().replace(/(\.yaml)?$/, '.yaml')) || ''}`;
    if (name === 'folder/')
        return;
    try {
        ({sum: bench.sum} = await server.save(bench.text, name, name === bench.name ? bench.sum : undefined));
    } catch (error) {
        if (error.status !== 409 || !confirm('The file has changed on the disk since it was opened. Write over it?'))
            return say(error.message);
        ({sum: bench.sum} = await server.save(bench.text, name, undefined, true));
    }
    bench.name = name;
    bench.original = bench.text;
    list = null;
    remember();
    say(`Saved as ${name.slice(7)}.`);
}

const KEYS = [['Space', 'play, pause'], [', .', 'switch before, switch after'], ['← → ↑ ↓', 'in a plot: cursor from point to point; with Shift: move the view'], ['+ − 0', 'in a plot: nearer, farther, all'], ['Enter', 'in a map or a branch: run the motion of this point'],
    ['Ctrl+Z, Ctrl+Shift+Z', 'undo, redo: text and sliders alike'], ['Ctrl+Space', 'in the study: what may stand here'], ['Ctrl+S', 'save'], ['A', 'pin the present curves'], ['L', 'listen'], ['?', 'these keys'],
    ['Wheel', 'in a plot that was clicked, or with Ctrl: zoom'], ['Drag, Shift+drag', 'in a plot: move, zoom to a box'], ['Double click', 'in a plot: all']];

function help() {
    fill($('keys'), make('h2', {id: 'keys-title'}, 'Keys and gestures'), make('dl', {}, KEYS.flatMap(([key, words]) => [make('dt', {}, key), make('dd', {}, words)])), make('form', {method: 'dialog'}, make('button', {}, 'Close')));
    $('keys').showModal();
}

function keys(event) {
    const target = event.target, inText = target.matches('input:not([type=range]), textarea, select'), command = event.ctrlKey || event.metaKey;
    if ($('bench').hidden || $('keys').open)
        return;
    const act = command && event.key.toLowerCase() === 'z' ? () => event.shiftKey ? bench.redo() : bench.undo()
        : command && event.key.toLowerCase() === 'y' ? () => bench.redo()
        : command && event.key.toLowerCase() === 's' ? save
        : command || inText || event.altKey ? null
        : event.key === ' ' && !target.matches('button, summary, a') ? () => bench.timeline.toggle()
        : event.key === ',' ? () => bench.timeline.jump(-1) : event.key === '.' ? () => bench.timeline.jump(1)
        : event.key === '?' ? help : event.key.toLowerCase() === 'a' ? () => bench.pin() : event.key.toLowerCase() === 'l' ? () => listen(bench) : null;
    if (act) {
        event.preventDefault();
        act();
    }
}

function choosePane(pane) {
    $('bench').dataset.pane = pane;
    document.querySelectorAll('#panes [role=tab]').forEach(tab => tab.setAttribute('aria-selected', String(tab.dataset.pane === pane)));
    bench.stage.resize();
    bench.results.plots.forEach(plot => plot.resize());
}

function wire() {
    $('undo').onclick = () => bench.undo();
    $('redo').onclick = () => bench.redo();
    $('pin').onclick = () => bench.pin();
    $('swap').onclick = () => bench.swap();
    $('save').onclick = save;
    $('help').onclick = help;
    $('cancel').onclick = () => { bench.runner.cancel(); bench.status('Cancelled.'); };
    $('home').onclick = event => { event.preventDefault(); location.hash = ''; follow(); };
    $('export').addEventListener('click', event => {
        const kind = event.target.dataset && event.target.dataset.export;
        if (kind) {
            $('export').open = false;
            exportAs(kind, bench);
        }
    });
    document.addEventListener('click', event => { if (!$('export').contains(event.target)) $('export').open = false; });
    document.addEventListener('keydown', keys);
    document.querySelectorAll('#panes [role=tab]').forEach(tab => tab.addEventListener('click', () => choosePane(tab.dataset.pane)));
    choosePane('middle');
    $('timeline').querySelector('.transport').append(make('button', {type: 'button', id: 'listen', title: 'listen to the velocity (L)', onclick: () => listen(bench)}, '♪ Listen'));
    window.addEventListener('hashchange', follow);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => bench.document && bench.repaint());
    server.connection.listeners.add(alive => {
        $('gone').hidden = alive;
        if (alive && !$('bench').hidden)
            bench.put(bench.text, performance.now());
    });
}

async function begin() {
    wire();
    server.schema().then(useSchema).catch(() => 0);
    const given = location.hash ? null : await server.studies().catch(() => null);
    list = given;
    if (given) {
        startPage($('start'), given.studies);
        allowSaving();
    }
    if (given && given.opened) {
        await open(given.opened);
    } else
        await follow();
    if (!list)
        server.studies().then(all => { list = all; startPage($('start'), all.studies); allowSaving(); }).catch(() => 0);
    document.body.dataset.ready = 'true';
}

begin();
