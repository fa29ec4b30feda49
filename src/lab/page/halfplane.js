/* Half-planes in contact, drawn: who presses on whom, where it sticks and slips, tractions as curves, loads as arrows. */
import {SERIES, STATES, onGround} from './colours.js';
import {extent, written} from './tables.js';
import {arrow} from './stage.js';

/* As in the plots of tractions. */
const [PRESSURE, SHEAR] = SERIES;
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";

/* The loads of a run as something to scrub: rows of the table `path` instead of a time. Null where there are none. */
export function loadPath(document, prefix = '') {
    const table = document.tables[prefix + 'path'];
    if (!table || !table.has('a') || !table.has('c') || table.rows < 2)
        return null;
    const rows = Float64Array.from({length: table.rows}, (_, i) => i);
    return {
        path: table, prefix, t: rows, from: 0, to: table.rows - 1, names: ['contact'], contacts: [], coordinates: [], states: [],
        events: turns(table), intervals: [legs(table)], table: {unit: () => ''}, at: time => Math.round(time), stateAt: () => null
    };
}

/* Where the load turns: the ends of its legs. */
function turns(table) {
    const leg = table.numbers('leg'), found = [];
    for (let i = 1; leg && i < leg.length; i++)
        if (leg[i] !== leg[i - 1])
            found.push({t: i, contact: 'contact', from: `leg ${leg[i - 1]}`, to: `leg ${leg[i]}`, cause: 'turn'});
    return found;
}

function legs(table) {
    const Q = table.numbers('Q'), found = [];
    for (let i = 1; i < table.rows; i++) {
        const state = Q[i] > Q[i - 1] ? 'forward' : Q[i] < Q[i - 1] ? 'backward' : 'stick';
        if (found.length && found[found.length - 1].state === state)
            found[found.length - 1].to = i;
        else
            found.push({from: i - 1, to: i, state});
    }
    return found;
}

export function halfplaneScene(document, study, loads) {
    const tractions = document.tables.tractions, zones = document.tables.zones, kind = study.model.kind;
    if (!tractions)
        return null;
    const x = tractions.numbers('x'), p = tractions.numbers('p'), q = tractions.numbers('q'), [least, most] = extent(x), half = Math.max(Math.abs(least), Math.abs(most));
    const top = Math.max(...p.filter(v => v === v && v < 1e300).slice().sort().slice(0, Math.ceil(p.length * 0.98))) || 1;
    const path = loads && loads.path, ends = path ? Math.max(half, ...path.numbers('a')) : half;
    const P = path && path.numbers('P'), Q = path && path.numbers('Q'), mostP = P ? Math.max(...P) : 1;

    function sections(i) {
        if (path && i < path.rows - 1) {
            const a = path.numbers('a')[i], c = Math.min(a, Math.abs(path.numbers('c')[i])), slipping = i > 0 && Q[i] < Q[i - 1] ? 'backward' : 'forward';
            return [[-a, -c, slipping], [-c, c, 'stick'], [c, a, slipping]].filter(([from, to]) => to > from);
        }
        return zones ? Array.from({length: zones.rows}, (_, k) => [zones.cell(k, 'from'), zones.cell(k, 'to'), zones.cell(k, 'state')]) : [];
    }
    function draw(pen, width, height, time, look) {
        const scale = width * 0.36 / ends, middle = width / 2, floor = height * 0.62, i = path ? Math.min(path.rows - 1, Math.round(time)) : 0, last = !path || i === path.rows - 1;
        body(pen, kind, middle, floor, width, height, scale, half, look);
        pen.line([8, floor, width - 8, floor], {stroke: look.ink, width: 1.4});
        for (let s = 16; s < width; s += 14)
            pen.line([s, floor + 8, s - 8, floor + 16], {stroke: look.line, width: 1});
        for (const [from, to, state] of sections(i)) {
            pen.rect(middle + from * scale, floor - 4, (to - from) * scale, 8, {fill: STATES[state] || look.grey, stroke: look.ink, width: 0.6});
            if ((to - from) * scale > 46)
                pen.text(state === 'stick' ? 'stick' : 'slip', middle + (from + to) / 2 * scale, floor + 20, {font: FONT, fill: look.ink, align: 'center'});
        }
        if (last) {
            curve(pen, x, p, middle, floor, scale, -height * 0.36 / top, PRESSURE, look);
            curve(pen, x, q, middle, floor, scale, -height * 0.36 / top, SHEAR, look);
            pen.text('pressure', 12, 26, {font: FONT, fill: look.ink});
            pen.rect(70, 20, 14, 3, {fill: PRESSURE});
            pen.text('shear', 12, 44, {font: FONT, fill: look.ink});
            pen.rect(70, 38, 14, 3, {fill: SHEAR});
        }
        if (P) {
            arrow(pen, middle, 14, middle, 14 + 50 * P[i] / mostP, '#d55e00', 'P', look);
            arrow(pen, middle, 40, middle + 90 * Q[i] / mostP / (study.model.f ?? 0.5), 40, '#0072b2', 'Q', look);
        }
    }
    const words = time => {
        const i = path ? Math.min(path.rows - 1, Math.round(time)) : 0;
        return path ? `Load ${i + 1} of ${path.rows}: P ${written(P[i])}, Q ${written(Q[i])}, half-width a ${written(path.numbers('a')[i])}, stick zone c ${written(path.numbers('c')[i])}`
            : `Zones: ${sections(0).map(([from, to, state]) => `${state} from ${written(from, 4)} to ${written(to, 4)}`).join(', ')}`;
    };
    return {draw, words};
}

function curve(pen, x, y, middle, floor, scale, tall, stroke, look) {
    const points = [];
    for (let i = 0; i < x.length; i++)
        points.push(middle + x[i] * scale, floor - 5 + Math.max(-floor, Math.min(floor, y[i] * tall)));
    pen.line(points, {stroke: onGround(stroke, look), width: 2});
}

/* The upper body in outline: its shape by the kind of the model. */
function body(pen, kind, middle, floor, width, height, scale, half, look) {
    const points = [], shape = {
        hertz: s => s * s * 0.5, power: s => s * s * s * s * 0.4, wave: s => 0.25 * (1 - Math.cos(1.6 * s)), punch: s => Math.abs(s) > 1 ? 9 : 0,
        profile: s => Math.abs(s) > 0.75 ? (Math.abs(s) - 0.75) ** 2 * 2 : 0
    }[kind] || (s => s * s * 0.5);
    for (let s = -2.6; s <= 2.6; s += 0.05) {
        const rise = Math.max(0, shape(s) - shape(0) - (kind === 'punch' ? 0 : shape(0.9))) * 40;
        points.push(middle + s * half * scale, Math.max(8, floor - rise));
    }
    points.push(middle + 2.6 * half * scale, 8, middle - 2.6 * half * scale, 8);
    pen.line(points, {fill: look.line, stroke: look.soft, width: 1, alpha: 0.55}, true);
}
