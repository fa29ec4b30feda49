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

/* Tractions and states along the surfaces at every row of the path: {x, p, q, states} of row i. Null where they were not asked for. */
function profilesOf(document) {
    const table = document.tables.profiles, row = table && table.numbers('path_row'), places = row ? row.findIndex(i => i > row[0]) : 0;
    if (!table || !table.rows)
        return null;
    const count = places > 0 ? places : table.rows, part = name => i => table.numbers(name).subarray(i * count, (i + 1) * count), state = table.column('state');
    const [x, p, q] = ['x', 'p', 'q'].map(part);
    return i => ({x: x(i), p: p(i), q: q(i), states: state.slice(i * count, (i + 1) * count)});
}

/* Neighbours in one state as [from, to, state], from halfway to the place before to halfway to the one behind; open parts left out. */
function zonesAlong(x, states) {
    const found = [];
    for (let i = 0; i < x.length; i++) {
        const from = i ? (x[i - 1] + x[i]) / 2 : x[i], to = i + 1 < x.length ? (x[i] + x[i + 1]) / 2 : x[i], last = found[found.length - 1];
        if (last && last[2] === states[i])
            last[1] = to;
        else
            found.push([from, to, states[i]]);
    }
    return found.filter(one => one[2] !== 'open' && one[1] > one[0]);
}

/* The largest of nearly all: singular ends would hide the rest. */
const usualMost = p => Math.max(...Float64Array.from(p).filter(v => v < 1e300).sort().slice(0, Math.ceil(p.length * 0.98))) || 1;

function drawZones(pen, zones, place, floor, look) {
    for (const [from, to, state] of zones) {
        const wide = place(to) - place(from);
        pen.rect(place(from), floor - 4, wide, 8, {fill: STATES[state] || look.grey, stroke: look.ink, width: 0.6});
        if (wide > 46)
            pen.text(state === 'stick' ? 'stick' : 'slip', (place(from) + place(to)) / 2, floor + 20, {font: FONT, fill: look.ink, align: 'center'});
    }
}

function drawKey(pen, look) {
    [['pressure', PRESSURE], ['shear', SHEAR]].forEach(([word, colour], i) => {
        pen.text(word, 12, 26 + 18 * i, {font: FONT, fill: look.ink});
        pen.rect(70, 20 + 18 * i, 14, 3, {fill: onGround(colour, look)});
    });
}

/* The contact nodes of meshed bodies at any time of a run: which stick and slip, and what they bear. */
export function interfaceScene(document, motion) {
    const table = document.tables[motion.prefix + 'interface'], n = table ? table.rows : 0;
    if (!n || motion.contacts.length !== n || !motion.contacts.every(one => one.N && one.T))
        return null;
    const [across, along] = ['x', 'y'].map(name => table.numbers(name)), wide = column => { const [a, b] = extent(column); return b - a; };
    const place = wide(across) >= wide(along) ? across : along, order = Array.from(place.keys()).sort((a, b) => place[a] - place[b]), x = Float64Array.from(order, k => place[k]), area = table.numbers('area');
    const [least, most] = extent(x), top = Math.max(1e-300, ...order.map(k => usualMost(motion.contacts[k].N) / area[k]));
    const at = time => {
        const here = motion.at(time), force = (name, sign) => Float64Array.from(order, k => sign * motion.value(motion.contacts[k][name], here) / area[k]);
        return {p: force('N', 1), q: force('T', -1), states: order.map(k => motion.stateAt(k, time))};
    };
    function draw(pen, width, height, time, look) {
        const scale = 0.8 * width / (most - least), at_x = value => width / 2 + (value - (least + most) / 2) * scale, floor = height * 0.62, {p, q, states} = at(time);
        pen.line([8, floor, width - 8, floor], {stroke: look.ink, width: 1.4});
        drawZones(pen, zonesAlong(x, states), at_x, floor, look);
        curve(pen, x, p, at_x, floor, -height * 0.5 / top, PRESSURE, look);
        curve(pen, x, q, at_x, floor, -height * 0.5 / top, SHEAR, look);
        drawKey(pen, look);
    }
    const words = time => {
        const {states} = at(time), count = word => states.filter(one => one === word).length;
        return `t = ${written(time)}: of ${n} contact nodes ${count('stick')} stick, ${count('forward') + count('backward')} slip, ${count('open')} are open`;
    };
    return {draw, words};
}

export function halfplaneScene(document, study, loads) {
    const tractions = document.tables.tractions, zones = document.tables.zones, kind = study.model.kind, profiles = loads && profilesOf(document);
    if (!tractions)
        return null;
    const [least, most] = extent(tractions.numbers('x')), half = Math.max(Math.abs(least), Math.abs(most));
    const top = usualMost(profiles ? document.tables.profiles.numbers('p') : tractions.numbers('p'));
    const path = loads && loads.path, ends = path ? Math.max(half, ...path.numbers('a')) : half;
    const P = path && path.numbers('P'), Q = path && path.numbers('Q'), mostP = P ? Math.max(...P) : 1;

    function sections(i) {
        if (profiles && i < path.rows - 1)
            return zonesAlong(profiles(i).x, profiles(i).states);
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
        const at_x = value => middle + value * scale, here = last || !profiles ? tractions : null, seen = here ? {x: here.numbers('x'), p: here.numbers('p'), q: here.numbers('q')} : profiles(i);
        drawZones(pen, sections(i), at_x, floor, look);
        if (last || profiles) {
            curve(pen, seen.x, seen.p, at_x, floor, -height * 0.36 / top, PRESSURE, look);
            curve(pen, seen.x, seen.q, at_x, floor, -height * 0.36 / top, SHEAR, look);
            drawKey(pen, look);
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

function curve(pen, x, y, place, floor, tall, stroke, look) {
    const points = [];
    for (let i = 0; i < x.length; i++)
        points.push(place(x[i]), floor - 5 + Math.max(-floor, Math.min(floor, y[i] * tall)));
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
