/* The structure, drawn and moving: masses on springs with their contacts, or what mesh.js and halfplane.js draw. */
import {make} from './dom.js';
import {CanvasPen, SvgPen} from './pen.js';
import {STATES, onGround} from './colours.js';
import {extent, written} from './tables.js';
import {loadAt} from './loads.js';
import {theme} from './plot.js';

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";

export class Stage {
    constructor(place) {
        this.canvas = make('canvas', {role: 'img', 'aria-label': 'The structure'});
        place.append(this.canvas);
        this.place = place;
        this.scene = null;
        new ResizeObserver(() => this.resize()).observe(place);
    }
    /* A scene draws itself: draw(pen, width, height, time, look), says what it is: words(time). */
    show(scene) {
        this.scene = scene;
        this.draw(this.time || 0);
    }
    resize() {
        const box = this.place.getBoundingClientRect(), sharp = window.devicePixelRatio || 1;
        this.width = Math.round(box.width);
        this.height = Math.round(box.height);
        this.canvas.width = this.width * sharp;
        this.canvas.height = this.height * sharp;
        this.sharp = sharp;
        this.draw(this.time || 0);
    }
    draw(time) {
        this.time = time;
        if (!this.width)
            return;
        const context = this.canvas.getContext('2d');
        context.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
        context.clearRect(0, 0, this.width, this.height);
        if (this.scene)
            this.scene.draw(new CanvasPen(context), this.width, this.height, time, theme());
    }
    svg() {
        const pen = new SvgPen(this.width, this.height, '#ffffff');
        this.scene.draw(pen, this.width, this.height, this.time, {ink: '#1d2730', soft: '#55616c', line: '#d5dbe0', paper: '#ffffff', grey: '#9aa3ab'});
        return pen.toString();
    }
}

const stateColour = state => STATES[state] || '#9aa3ab';

/* Masses that move along (and, where a contact has a normal of its own, across), over `part` of the place there is. */
export function massScene(parts, motion, part = 1) {
    const {bodies, contacts} = parts, two = bodies.some(body => body.across >= 0), n = bodies.length;
    const column = i => { const one = i >= 0 && motion && motion.coordinates.find(each => each.name === parts.names[i]); return one ? one.x : null; };
    const ranges = bodies.map(body => [column(body.along) && extent(column(body.along)), column(body.across) && extent(column(body.across))]);
    const spread = Math.max(1e-300, ...ranges.flatMap(pair => pair.filter(Boolean).map(([a, b]) => n === 1 ? b - a : Math.max(Math.abs(a), Math.abs(b)))));
    const forceMost = motion ? Math.max(1e-300, ...motion.contacts.flatMap(one => [one.N, one.T].filter(Boolean).map(extent).filter(Boolean).flat().map(Math.abs))) : 1;
    const middle = n === 1 && ranges[0][0] ? (ranges[0][0][0] + ranges[0][0][1]) / 2 : 0;

    function geometry(width, height) {
        const spacing = width / (n + (n === 1 ? 0.4 : 0.3)), size = Math.min(64, spacing * 0.46, height * 0.24);
        const room = n === 1 ? width - 2 * size - 60 : spacing * 0.3, tall = two ? height * 0.5 - size : Infinity;
        const rise = two ? Math.max(1e-300, ...ranges.map(pair => pair[1] ? pair[1][1] - Math.min(0, pair[1][0]) : 0)) : 0;
        const scale = part * Math.min(room / spread, rise > 0 ? tall / rise : Infinity);
        return {spacing, size, scale, floor: height - Math.max(54, height * 0.2), left: n === 1 ? width / 2 : spacing * 0.65};
    }
    function draw(pen, width, height, time, look) {
        const g = geometry(width, height), at = motion && motion.at(time);
        const value = i => { const x = column(i); return x ? motion.value(x, at) : 0; };
        const places = bodies.map((body, b) => ({
            x: g.left + b * g.spacing + (value(body.along) - middle) * g.scale,
            y: g.floor - g.size / 2 - value(body.across) * g.scale
        }));
        parts.springs.forEach(([a, b]) => Math.abs(a - b) === 1 ? spring(pen, places[a].x + g.size / 2, places[a].y, places[b].x - g.size / 2, places[b].y, look)
            : arc(pen, places[a], places[b], g.size, look));
        parts.grounded.forEach(b => n === 1 ? wallSpring(pen, places[b], g, look, 14) : hanger(pen, places[b], g.left + b * g.spacing, g, look));
        ground(pen, parts, places, g, width, look, time, motion);
        contacts.forEach((one, k) => contact(pen, one, motion ? motion.stateAt(k, time) : null, places, g, look, time));
        bodies.forEach((body, b) => {
            pen.rect(places[b].x - g.size / 2, places[b].y - g.size / 2, g.size, g.size, {fill: look.paper, stroke: look.ink, width: 1.8});
            if (pen.wide(body.name, FONT) < g.size)
                pen.text(body.name, places[b].x, places[b].y, {font: FONT, fill: look.ink, align: 'center', base: 'middle'});
        });
        if (motion)
            contacts.forEach((one, k) => forces(pen, one, motion.contacts[k], at, motion, places, g, forceMost, look));
        outside(pen, parts, places, time, g, look);
        legend(pen, contacts, motion, time, width, look);
    }
    return {draw, words: time => sentence(motion, time)};
}

/* What stands in the drawing, for who does not see it. */
export function sentence(motion, time) {
    if (!motion)
        return 'The structure at rest.';
    const at = motion.at(time), where = motion.coordinates.slice(0, 4).map(one => `${one.name} ${written(motion.value(one.x, at), 4)}`);
    const states = motion.names.slice(0, 6).map((name, k) => motion.stateAt(k, time) && `${motion.labels && motion.labels[k] || name}: ${motion.stateAt(k, time)}`).filter(Boolean);
    return `t = ${written(time, 5)}; ${where.join(', ')}${states.length ? '; ' + states.join(', ') : ''}`;
}

function spring(pen, x0, y0, x1, y1, look) {
    const points = [x0, y0], turns = 7, lead = 0.15, dx = x1 - x0, dy = y1 - y0, length = Math.hypot(dx, dy) || 1, nx = -dy / length * 6, ny = dx / length * 6;
    for (let i = 0; i <= turns * 2; i++) {
        const s = lead + (1 - 2 * lead) * i / (turns * 2), side = i === 0 || i === turns * 2 ? 0 : i % 2 ? 1 : -1;
        points.push(x0 + dx * s + nx * side, y0 + dy * s + ny * side);
    }
    points.push(x1, y1);
    pen.line(points, {stroke: look.soft, width: 1.4});
}

function arc(pen, a, b, size, look) {
    const points = [];
    for (let i = 0; i <= 20; i++) {
        const s = i / 20;
        points.push(a.x + (b.x - a.x) * s, a.y - size / 2 - Math.sin(Math.PI * s) * size * 0.5);
    }
    pen.line(points, {stroke: look.soft, width: 1, dash: [3, 3]});
}

function hatch(pen, x0, x1, y, look, shift = 0) {
    pen.line([x0, y, x1, y], {stroke: look.ink, width: 1.6});
    const points = [], step = 12;
    for (let x = x0 + (((shift % step) + step) % step); x < x1; x += step)
        points.push(x, y, x - 7, y + 8, NaN, NaN);
    pen.line(points, {stroke: look.soft, width: 1});
}

function wallSpring(pen, place, g, look, x) {
    pen.line([x, place.y - g.size * 0.6, x, place.y + g.size * 0.6], {stroke: look.ink, width: 1.6});
    const points = [];
    for (let y = place.y - g.size * 0.6; y < place.y + g.size * 0.6; y += 8)
        points.push(x, y, x - 7, y + 7, NaN, NaN);
    pen.line(points, {stroke: look.soft, width: 1});
    spring(pen, x, place.y, place.x - g.size / 2, place.y, look);
}

function hanger(pen, place, rest, g, look) {
    const top = g.floor - g.size * 2.1;
    spring(pen, rest, top, place.x, place.y - g.size / 2, look);
    pen.line([rest - 10, top, rest + 10, top], {stroke: look.ink, width: 1.6});
}

/* The floor, where something rubs on it: a belt's hatching runs. */
function ground(pen, parts, places, g, width, look, time, motion) {
    const rubbing = parts.contacts.filter(one => !one.stop && one.other < 0);
    if (!rubbing.length)
        return;
    const speed = rubbing[0].moving, whole = rubbing.length === parts.bodies.length || parts.bodies.length === 1;
    const shift = motion && speed ? speed * time * g.scale : 0, y = g.floor + 7;
    if (whole)
        hatch(pen, 6, width - 6, y, look, shift);
    else
        rubbing.forEach(one => hatch(pen, g.left + one.body * g.spacing - g.spacing * 0.45, g.left + one.body * g.spacing + g.spacing * 0.45, y, look, shift));
    if (speed)
        pen.text(`surface moves ${speed > 0 ? '→' : '←'}`, width - 10, y + 24, {font: FONT, fill: look.soft, align: 'right'});
}

function contact(pen, one, state, places, g, look) {
    const place = places[one.body];
    if (!place)
        return;
    const fill = state ? stateColour(state) : look.grey;
    if (one.other >= 0) {
        const other = places[one.other], a = place.x < other.x ? place : other, b = a === place ? other : place, y = g.floor - 2;
        pen.line([a.x, y + 1, a.x, y + 14, (a.x + b.x) / 2, y + 14], {stroke: look.soft, width: 1.4});
        pen.line([b.x, y + 1, b.x, y + 14, (a.x + b.x) / 2, y + 14], {stroke: look.soft, width: 1.4});
        pen.rect((a.x + b.x) / 2 - 13, y + 8, 26, 12, {fill, stroke: look.ink});
    } else if (one.stop) {
        const side = one.side || 1;
        const rest = g.left + one.body * g.spacing + side * (g.size / 2 + one.gap * g.scale);
        pen.rect(side > 0 ? rest : rest - 9, place.y - g.size * 0.4, 9, g.size * 0.8, {fill, stroke: look.ink});
    } else
        pen.rect(place.x - g.size / 2, Math.min(g.floor, place.y + g.size / 2), g.size, 7, {fill, stroke: look.ink, width: state === 'open' ? 0.6 : 1.2, alpha: state === 'open' ? 0.55 : 1});
}

export function arrow(pen, x0, y0, x1, y1, stroke, words, look) {
    const length = Math.hypot(x1 - x0, y1 - y0);
    if (length < 3)
        return;
    stroke = onGround(stroke, look);
    const ux = (x1 - x0) / length, uy = (y1 - y0) / length, head = Math.min(9, length);
    pen.line([x0, y0, x1 - ux * head * 0.8, y1 - uy * head * 0.8], {stroke, width: 2.2});
    pen.line([x1, y1, x1 - ux * head - uy * head * 0.45, y1 - uy * head + ux * head * 0.45, x1 - ux * head + uy * head * 0.45, y1 - uy * head - ux * head * 0.45], {fill: stroke}, true);
    if (words)
        pen.text(words, x1 + ux * 5 + (Math.abs(ux) > 0.5 ? 0 : 6), y1 + uy * 5, {font: FONT, fill: look.ink, align: ux < -0.5 ? 'right' : 'left', base: 'middle'});
}

function forces(pen, one, column, at, motion, places, g, most, look) {
    const place = places[one.body];
    if (!column || !place || one.other >= 0)
        return;
    const long = Math.min(44, g.floor * 0.3) / most, N = column.N ? motion.value(column.N, at) : 0, T = column.T ? motion.value(column.T, at) : 0;
    if (one.stop) {
        arrow(pen, place.x + one.side * g.size / 2, place.y, place.x + one.side * (g.size / 2 - N * long), place.y, '#d55e00', 'N', look);
        return;
    }
    const y = place.y + g.size / 2 + 4;
    arrow(pen, place.x, g.floor + 10 + Math.abs(N) * long, place.x, g.floor + 10, '#d55e00', '', look);
    if (Math.abs(N) * long > 8)
        pen.text('N', place.x + 8, g.floor + 14 + Math.abs(N) * long * 0.6, {font: FONT, fill: look.ink});
    const start = place.x + Math.sign(T) * g.size / 2;
    arrow(pen, start, y, start + T * long, y, '#0072b2', 'T', look);
}

function outside(pen, parts, places, time, g, look) {
    const values = parts.loads.map(load => loadAt(load, time, parts.Omega));
    const most = Math.max(1e-300, ...parts.loads.map((load, k) => Math.max(Math.abs(values[k]), ...[load.sine].flat().filter(Boolean).map(one => Math.abs(one.amplitude ?? 1)))));
    parts.bodies.forEach((body, b) => {
        let fx = 0, fy = 0;
        parts.loads.forEach((load, k) => {
            fx += body.along >= 0 ? (load.row[body.along] || 0) * values[k] : 0;
            fy += body.across >= 0 ? (load.row[body.across] || 0) * values[k] : 0;
        });
        const long = 46 / most, size = Math.hypot(fx, fy) * long;
        if (size > 3) {
            const cut = size > 46 ? 46 / size : 1, x = places[b].x, y = places[b].y - g.size * 0.5 - 4;
            arrow(pen, x, y, x + fx * long * cut, y - fy * long * cut, '#009e73', 'F', look);
        }
    });
}

function legend(pen, contacts, motion, time, width, look) {
    if (!motion)
        return;
    let y = 16;
    motion.names.slice(0, 6).forEach((name, k) => {
        const state = motion.stateAt(k, time);
        if (!state)
            return;
        pen.rect(10, y - 9, 12, 12, {fill: stateColour(state), stroke: look.soft, width: 0.6});
        pen.text(`${motion.labels && motion.labels[k] || name}: ${state}`, 28, y - 3, {font: FONT, fill: look.ink, base: 'middle'});
        y += 18;
    });
}
