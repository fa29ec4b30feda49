/* What leaves the page: files, a link, lines of Python, sound. */
import {say, download} from './dom.js';
import {csv} from './tables.js';
import {figure} from './server.js';
import {soundOf, wav} from './sound.js';

const fileName = bench => (bench.name || 'study').split('/').pop().replace(/\.ya?ml$/, '');

export async function exportAs(kind, bench) {
    const name = fileName(bench);
    if (!bench.document && !['study', 'link'].includes(kind))
        say('Nothing has come out yet.');
    else if (kind === 'study')
        download(`${name}.yaml`, bench.text, 'application/yaml');
    else if (kind === 'svg' || kind === 'png')
        await figures(bench, name, kind);
    else if (kind === 'csv')
        dataOf(bench).forEach(([table, one]) => download(`${name}-${table}.csv`, csv(one), 'text/csv'));
    else if (kind === 'stage')
        download(`${name}-drawing.svg`, bench.stage.svg(), 'image/svg+xml');
    else if (kind === 'python')
        download(`${name}.py`, python(bench), 'text/x-python');
    else if (kind === 'wav')
        sound(bench, name);
    else if (kind === 'link')
        await link();
}

/* The tables that the plots of the present view are drawn from; that of the view `Tables`; or all. */
function dataOf(bench) {
    const {document, results} = bench, view = results.view;
    const names = view.tables ? [results.table] : [...new Set(view.plots.flatMap(plot => [plot.table, ...plot.series.map(one => one.table)]).filter(Boolean))];
    const found = (names.length ? names : Object.keys(document.tables)).filter(name => document.tables[name]);
    return found.map(name => [name, document.tables[name]]);
}

/* The plots of the present view; a figure that the command draws comes from there. */
async function figures(bench, name, kind) {
    const {plots, view, text} = bench.results, numbered = i => `${name}${plots.length > 1 ? `-${i + 1}` : ''}.${kind}`;
    if (view.picture)
        await figure(text, bench.name, kind).then(blob => download(`${name}.${kind}`, blob)).catch(error => say(error.message));
    else if (!plots.length)
        say('This view has no plot: choose another one.');
    else
        plots.forEach((plot, i) => kind === 'svg' ? download(numbered(i), plot.svg(), 'image/svg+xml') : png(plot, numbered(i)));
}

/* On a ground of its own: what is transparent on the page would be black elsewhere. */
function png(plot, name) {
    const canvas = document.createElement('canvas'), context = canvas.getContext('2d');
    canvas.width = plot.canvas.width;
    canvas.height = plot.canvas.height;
    context.fillStyle = getComputedStyle(plot.box).backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(plot.canvas, 0, 0);
    canvas.toBlob(blob => download(name, blob), 'image/png');
}

/* The study in Python: read from its text, run, its first table. */
export function python(bench) {
    const text = bench.text.replace(/\\/g, '\\\\').replace(/"""/g, '\\"\\"\\"'), tables = Object.keys(bench.document ? bench.document.tables : {});
    return `import amontons\n\nstudy = amontons.Study("""${text}${text.endsWith('\n') ? '' : '\n'}""")\nresult = study.run()\nprint(result.summary)\n` +
        (tables.length ? `table = result.tables[${JSON.stringify(tables.includes('samples') ? 'samples' : tables[0])}]\nprint(table)\n` : '');
}

let playing = null;

function sound(bench, name) {
    const made = makeSound(bench);
    if (made)
        download(`${name}.wav`, made.blob);
}

function makeSound(bench) {
    const motion = bench.shownScene && bench.shownScene.motion;
    if (!motion || !motion.coordinates.length) {
        say('Only motions can be heard: this result has none.');
        return null;
    }
    const {samples, pitch, name} = soundOf(motion);
    return {blob: wav(samples), words: pitch ? `${name} over the cycle, at ${pitch} Hz` : `${name} from beginning to end, in three seconds`};
}

/* Plays the velocity; again: stops. */
export function listen(bench) {
    if (playing) {
        playing.pause();
        playing = null;
        return;
    }
    const made = makeSound(bench);
    if (!made)
        return;
    const url = URL.createObjectURL(made.blob);
    playing = new Audio(url);
    playing.onended = () => { playing = null; URL.revokeObjectURL(url); };
    playing.play().then(() => say(`You hear ${made.words}.`)).catch(() => { playing = null; say('This browser plays no sound now: the export has it.'); });
}

async function link() {
    try {
        await navigator.clipboard.writeText(location.href);
        say('The link is copied: it brings back this study, its numbers and this view.');
    } catch (refused) {
        say('The address of this page is the link: copy it from there.');
    }
}
