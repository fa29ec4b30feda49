/* A question about any run, asked before its result is shown; the answer, and why, is read from the run. */
import {extent, written} from './tables.js';
import {make, fill} from './dom.js';

const sequence = (motion, k) => motion.events.filter(one => one.contact === motion.names[k]).slice(0, 4).map(one => `${one.from} → ${one.to} at t = ${written(one.t, 4)}`).join('; ');

/* {question, options, right, why} or null where nothing fits. */
export function questionFor(document, study, motion) {
    const kind = document.analysis === 'sweep' ? 'sweep' : study.analysis.kind, summary = document.summary;
    if (kind === 'slip' && typeof summary.c_over_a === 'number')
        return ranges('Will it stick? How much of the width?', summary.c_over_a, [[0.001, 'none of it: it slides'], [0.4, 'less than 40 percent'], [0.75, 'between 40 and 75 percent'], [0.999, 'more than 75 percent'], [Infinity, 'all of it']],
            `The stick zone reaches to c/a = ${written(summary.c_over_a, 5)}.`);
    if (kind === 'stability' && 'unstable' in summary === false && typeof summary.growth_rate === 'number')
        return choice('Do small disturbances of this state grow?', ['they die out', 'they grow'], summary.growth_rate > 0 ? 1 : 0, `The largest growth rate is ${written(summary.growth_rate, 4)}.`);
    if ((kind === 'attractors' || kind === 'cells') && document.tables.orbits)
        return ranges('How many motions can it end in?', document.tables.orbits.rows, [[0.5, 'none that repeats'], [1.5, 'one'], [2.5, 'two'], [3.5, 'three'], [Infinity, 'more than three']], `There are ${document.tables.orbits.rows}; the map shows which start leads to which.`);
    if (motion && motion.names.length && motion.intervals[0].length)
        return ofMotion(kind, motion, document);
    if (typeof summary.peak_at === 'number' && document.tables.branch)
        return peak(document, summary);
    return kind === 'sweep' ? course(document.tables.sweep, name => /^(model|analysis)\./.test(name)) : course(document.tables.backbone, name => name === 'amplitude');
}

const COURSES = [['it stays as it is', []], ['it rises', [1]], ['it falls', [-1]], ['it rises, then falls', [1, -1]], ['it falls, then rises', [-1, 1]]];

/* The ways that a curve goes, one after the other: 1 up, -1 down; what is less than 2 percent of its range is none. */
function waysOf(column) {
    const [least, most] = extent(column), little = 0.02 * (most - least), ways = [];
    let at = column[0];
    for (const value of column) {
        const way = ways[ways.length - 1], by = value - at;
        if (way && by * way > 0)
            at = value;
        else if (Math.abs(by) > little && Math.abs(by) > 1e-9 * Math.abs(at)) {
            ways.push(Math.sign(by));
            at = value;
        }
    }
    return ways;
}

/* Of a table with one column that varies: how does the first number that comes out go? */
function course(table, varies) {
    const axes = table ? table.names.filter(varies) : [], out = table && table.names.find(name => table.numbers(name) && !varies(name));
    if (axes.length !== 1 || !out || !table.numbers(axes[0]) || table.rows < 3)
        return null;
    const rows = Array.from(table.numbers(out).keys()).filter(row => isFinite(table.numbers(out)[row])), y = rows.map(row => table.numbers(out)[row]), x = rows.map(row => table.numbers(axes[0])[row]);
    const ways = waysOf(y).join(), found = COURSES.findIndex(one => one[1].join() === ways), over = axes[0].replace(/^(model|analysis)\./, '');
    return choice(`${over} goes from ${written(x[0], 3)} to ${written(x[x.length - 1], 3)}: how does ${out} go?`, [...COURSES.map(one => one[0]), 'it goes up and down more often'], found < 0 ? COURSES.length : found,
        `From ${written(y[0], 4)} to ${written(y[y.length - 1], 4)}, at least ${written(Math.min(...y), 4)}, at most ${written(Math.max(...y), 4)}.`);
}

function ofMotion(kind, motion, document) {
    const sticks = motion.names.findIndex((_, k) => motion.intervals[k].some(one => one.state === 'stick')), name = motion.names[0];
    if (kind === 'orbit')
        return choice('Will it stick in the course of a cycle?', ['yes, in every cycle', 'no: it slips all the time, or is open'], sticks >= 0 ? 0 : 1,
            sticks >= 0 ? sequence(motion, sticks) || `contact ${motion.names[sticks]} never lets go` : 'None of its contacts ever sticks.');
    const states = ['stick', 'forward', 'backward', 'open'], end = motion.stateAt(0, motion.to), count = motion.events.length;
    if (count > 0 && count < 4 && states.includes(end))
        return choice(`Contact ${name}: in which state is it at t = ${written(motion.to, 4)}?`, ['stick', 'forward slip', 'backward slip', 'open'], states.indexOf(end), sequence(motion, 0));
    return ranges('How often do its contacts change their state?', count, [[0.5, 'never'], [3.5, 'one to three times'], [12.5, 'four to twelve times'], [Infinity, 'more often']], count ? `${count} times: ${sequence(motion, 0)}${count > 4 ? ' …' : ''}` : `Contact ${name} stays: ${end}.`);
}

function peak(document, summary) {
    const table = document.tables.branch, over = table.names.find(name => table.unit(name) === 'parameter'), column = table.numbers(over), least = Math.min(...column), most = Math.max(...column);
    const at = (summary.peak_at - least) / (most - least || 1);
    return ranges(`Between ${written(least, 3)} and ${written(most, 3)}: where is the largest response?`, at, [[1 / 3, 'in the lower third'], [2 / 3, 'in the middle'], [Infinity, 'in the upper third']], `The peak ${written(summary.peak, 4)} is at ${over} = ${written(summary.peak_at, 5)}.`);
}

const choice = (question, options, right, why) => ({question, options, right, why});
const ranges = (question, value, bounds, why) => choice(question, bounds.map(one => one[1]), bounds.findIndex(one => value < one[0]), why);

/* Puts a question into a place; answered() is called with whether the guess was right. */
export function pose(place, asked, answered) {
    const why = make('p', {role: 'status'}), options = make('div', {class: 'options', role: 'group', 'aria-label': asked.question});
    fill(options, asked.options.map((words, i) => make('button', {type: 'button', onclick: () => answer(i)}, words)));
    place.append(make('p', {}, make('b', {}, asked.question)), options, why);
    async function answer(i) {
        [...options.children].forEach(button => { button.disabled = true; });
        why.textContent = 'Running …';
        const {right, words} = await asked.settle();
        options.children[right].classList.add('right');
        if (i !== right)
            options.children[i].classList.add('wrong-choice');
        fill(why, make('b', {}, i === right ? 'Right. ' : 'No. '), words);
        answered(i === right);
    }
}
