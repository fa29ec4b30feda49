/* One plot: curves or a map that can be zoomed, moved, asked and linked. */
import {make, colour} from './dom.js';
import {Axis, plain, roomy} from './axes.js';
import {CanvasPen, SvgPen} from './pen.js';
import {written, unitText, locate, between} from './tables.js';
import {onGround} from './colours.js';

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
const NEAR = 24;

export class Plot {
    /* bus: {time, hover(t), pick(spec, found), picked: {key, x, y}} of the page */
    constructor(place, bus) {
        this.bus = bus;
        this.canvas = make('canvas', {});
        this.over = make('canvas', {class: 'over'});
        this.hint = make('div', {class: 'hint', hidden: true});
        this.box = make('div', {class: 'plot', tabindex: 0, role: 'application', 'aria-roledescription': 'plot'}, this.canvas, this.over, this.hint,
            make('div', {class: 'zoom'}, ['+', '−', '⤢'].map((sign, i) => make('button', {
                type: 'button', 'aria-label': ['zoom in', 'zoom out', 'show all'][i], title: ['zoom in (+)', 'zoom out (-)', 'show all (0)'][i],
                onclick: () => this.press(['+', '-', '0'][i])
            }, sign))));
        place.append(this.box);
        this.watch();
        new ResizeObserver(() => this.resize()).observe(this.box);
    }
    /* Shows a spec; the axes stay where they are zoomed to while `keep` and the same columns are drawn. */
    show(spec, keep) {
        const same = keep && this.spec && this.spec.key === spec.key && this.zoomed;
        this.spec = spec;
        this.box.setAttribute('aria-label', `${plain(spec.title || '')}: ${plain(spec.yLabel)} over ${plain(spec.xLabel)}. Arrows move the cursor, plus and minus zoom, 0 shows all.`);
        if (!same)
            this.reset();
        this.draw();
    }
    reset() {
        const s = this.spec, map = s.map;
        this.zoomed = false;
        const xs = map ? [map.edges[0]] : s.series.map(one => one.x), ys = map ? [map.edges[1]] : s.series.map(one => one.y);
        const tight = map ? cols => [cols[0][0], cols[0][1]] : null;
        this.x = new Axis(s.xRange || (tight ? tight(xs) : roomy(xs, s.xLog)), s.xLog);
        this.y = new Axis(s.yRange || (tight ? tight(ys) : roomy(ys, s.yLog)), s.yLog);
    }
    resize() {
        const box = this.box.getBoundingClientRect(), sharp = window.devicePixelRatio || 1;
        const width = Math.round(box.width), height = Math.round(box.height);
        if (!width || !height || (width === this.width && height === this.height && sharp === this.sharp))
            return;
        Object.assign(this, {width, height, sharp});
        for (const canvas of [this.canvas, this.over]) {
            canvas.width = width * sharp;
            canvas.height = height * sharp;
        }
        this.draw();
    }
    draw() {
        if (!this.spec || !this.width)
            return;
        const context = this.canvas.getContext('2d');
        context.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
        context.clearRect(0, 0, this.width, this.height);
        this.frame = paint(new CanvasPen(context), this.spec, this.x, this.y, this.width, this.height, theme());
        this.drawOver();
    }
    svg(width = 800, height = 560) {
        const light = {ink: '#1d2730', soft: '#55616c', line: '#d5dbe0', paper: '#ffffff', grey: '#9aa3ab', dark: false};
        const pen = new SvgPen(width, height, light.paper);
        paint(pen, this.spec, copy(this.x), copy(this.y), width, height, light);
        return pen.toString();
    }
    /* What moves: the cursor at the time of the page, the point under the pointer. */
    drawOver() {
        const context = this.over.getContext('2d');
        context.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
        context.clearRect(0, 0, this.width, this.height);
        if (!this.frame)
            return;
        const pen = new CanvasPen(context), {left, top, w, h} = this.frame, look = theme();
        pen.clip(left, top, w, h, () => {
            for (const one of this.spec.series) {
                if (!one.t || one.pinned || this.bus.time === null)
                    continue;
                const at = locate(one.t, this.bus.time), x = left + this.x.at(between(one.x, at)), y = top + this.y.at(between(one.y, at));
                if (one.x === one.t)
                    pen.line([x, top, x, top + h], {stroke: look.soft, width: 1, dash: [4, 3]});
                pen.dots([x, y], 4.5, {fill: onGround(one.colour, look), stroke: look.paper, width: 1.5});
            }
            if (this.under && this.under.one)
                pen.dots([this.under.px, this.under.py], 6, {stroke: look.ink, width: 1.5});
            const mark = this.bus.picked;
            if (mark && mark.key === this.spec.key)
                cross(pen, left + this.x.at(mark.x), top + this.y.at(mark.y), look);
        });
    }
    press(key) {
        if (key === '0') {
            this.reset();
        } else {
            const factor = key === '+' ? 0.7 : 1 / 0.7;
            this.x.zoom(this.x.length / 2, factor);
            this.y.zoom(this.y.length / 2, factor);
            this.zoomed = true;
        }
        this.draw();
    }
    watch() {
        const fingers = new Map();
        let moved = 0, box = null, apart = 0;
        const place = event => {
            const at = this.box.getBoundingClientRect();
            return {x: event.clientX - at.left, y: event.clientY - at.top};
        };
        this.over.addEventListener('pointerdown', event => {
            fingers.set(event.pointerId, place(event));
            this.over.setPointerCapture(event.pointerId);
            this.box.focus({preventScroll: true});
            moved = 0;
            box = event.shiftKey ? place(event) : null;
            apart = 0;
        });
        this.over.addEventListener('pointermove', event => {
            const now = place(event), before = fingers.get(event.pointerId);
            if (!before)
                return this.hover(now);
            fingers.set(event.pointerId, now);
            moved += Math.hypot(now.x - before.x, now.y - before.y);
            if (fingers.size === 2)
                apart = this.pinch([...fingers.values()], apart);
            else if (!box && moved > 4)
                this.pan(before.x - now.x, before.y - now.y);
            else if (box)
                this.rubber(box, now);
        });
        this.over.addEventListener('pointerup', event => {
            const now = place(event);
            fingers.delete(event.pointerId);
            if (moved <= 4)
                this.click(now);
            else if (box)
                this.zoomTo(box, now);
            box = null;
        });
        this.over.addEventListener('pointercancel', event => fingers.delete(event.pointerId));
        this.over.addEventListener('pointerleave', () => { this.under = null; this.hint.hidden = true; this.drawOver(); });
        this.over.addEventListener('dblclick', () => this.press('0'));
        this.over.addEventListener('wheel', event => {
            if (!(event.ctrlKey || event.metaKey || document.activeElement === this.box))
                return;
            event.preventDefault();
            const at = place(event), factor = Math.exp(Math.sign(event.deltaY) * Math.min(0.4, Math.abs(event.deltaY) / 400));
            this.x.zoom(at.x - this.frame.left, factor);
            this.y.zoom(at.y - this.frame.top, factor);
            this.zoomed = true;
            this.draw();
        }, {passive: false});
        this.box.addEventListener('keydown', event => this.key(event));
    }
    key(event) {
        const signs = {'+': '+', '=': '+', '-': '-', '0': '0'};
        const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
        if (signs[event.key])
            this.press(signs[event.key]);
        else if (steps && event.shiftKey)
            this.pan(steps[0] * this.frame.w / 10, steps[1] * this.frame.h / 10);
        else if (steps)
            this.walk(steps);
        else if (event.key === 'Enter' && this.under)
            this.bus.pick(this.spec, this.under);
        else
            return;
        event.preventDefault();
        event.stopPropagation();
    }
    /* The cursor from point to point (curves) or cell to cell (maps) by keyboard. */
    walk([dx, dy]) {
        const {left, top, w, h} = this.frame;
        if (this.spec.map) {
            const map = this.spec.map, now = this.under && this.under.ix !== undefined ? this.under : {ix: map.xs.length >> 1, iy: map.ys.length >> 1};
            const ix = Math.min(map.xs.length - 1, Math.max(0, now.ix + dx)), iy = Math.min(map.ys.length - 1, Math.max(0, now.iy - dy));
            this.hover({x: left + this.x.at(map.xs[ix]), y: top + this.y.at(map.ys[iy])});
        } else {
            const one = this.under && this.under.one || this.spec.series.find(s => !s.pinned), step = Math.max(1, Math.round(one.x.length / 200));
            const i = this.under ? Math.min(one.x.length - 1, Math.max(0, this.under.i + (dx - dy) * step)) : one.x.length >> 1;
            this.found(this.point(one, i));
        }
        if (this.under && (this.under.px < left || this.under.px > left + w || this.under.py < top || this.under.py > top + h))
            this.draw();
    }
    pan(dx, dy) {
        this.x.pan(dx);
        this.y.pan(dy);
        this.zoomed = true;
        this.draw();
    }
    pinch([a, b], apart) {
        const now = Math.hypot(a.x - b.x, a.y - b.y);
        if (apart) {
            this.x.zoom((a.x + b.x) / 2 - this.frame.left, apart / now);
            this.y.zoom((a.y + b.y) / 2 - this.frame.top, apart / now);
            this.zoomed = true;
            this.draw();
        }
        return now;
    }
    rubber(a, b) {
        this.drawOver();
        const pen = new CanvasPen(this.over.getContext('2d'));
        pen.rect(Math.min(a.x, b.x), Math.min(a.y, b.y), Math.abs(a.x - b.x), Math.abs(a.y - b.y), {stroke: theme().ink, dash: [4, 3]});
    }
    zoomTo(a, b) {
        const {left, top} = this.frame, xs = [a.x, b.x].sort((p, q) => p - q), ys = [a.y, b.y].sort((p, q) => q - p);
        if (xs[1] - xs[0] > 3 && ys[0] - ys[1] > 3) {
            const x = xs.map(v => this.x.value(v - left)), y = ys.map(v => this.y.value(v - top));
            this.x.set(x);
            this.y.set(y);
            this.zoomed = true;
        }
        this.draw();
    }
    point(one, i) {
        return {one, i, px: this.frame.left + this.x.at(one.x[i]), py: this.frame.top + this.y.at(one.y[i])};
    }
    nearest(at) {
        const {left, top, w, h} = this.frame;
        if (at.x < left || at.x > left + w || at.y < top || at.y > top + h)
            return null;
        if (this.spec.map)
            return this.spec.map.find(this.x.value(at.x - left), this.y.value(at.y - top), at);
        let best = null, least = NEAR * NEAR;
        for (const one of this.spec.series) {
            if (one.pinned)
                continue;
            for (let i = 0; i < one.x.length; i++) {
                const dx = left + this.x.at(one.x[i]) - at.x, dy = top + this.y.at(one.y[i]) - at.y, far = dx * dx + dy * dy;
                if (far < least) {
                    least = far;
                    best = {one, i};
                }
            }
        }
        return best && this.point(best.one, best.i);
    }
    /* Where no curve is near, the time of a plot over time is told nevertheless. */
    hover(at) {
        const under = this.nearest(at), {left, top, w, h} = this.frame, inside = at.x >= left && at.x <= left + w && at.y >= top && at.y <= top + h;
        this.found(under);
        if (!under && inside && this.spec.series.some(one => one.t && one.x === one.t && !one.pinned))
            this.bus.hover(this.x.value(at.x - left));
    }
    found(under) {
        this.under = under;
        this.hint.hidden = !under;
        if (under) {
            this.hint.textContent = words(this.spec, under);
            const wide = this.hint.offsetWidth;
            this.hint.style.left = `${Math.max(4, Math.min(this.width - wide - 4, under.px + 12))}px`;
            this.hint.style.top = `${under.py > this.height / 2 ? under.py - this.hint.offsetHeight - 10 : under.py + 12}px`;
            if (under.one && under.one.t)
                this.bus.hover(under.one.t[under.i]);
        }
        this.drawOver();
    }
    click(at) {
        const under = this.nearest(at);
        if (under) {
            this.found(under);
            this.bus.pick(this.spec, under);
        }
    }
}

const copy = axis => new Axis([axis.from, axis.to], axis.log);

export const theme = () => ({ink: colour('ink'), soft: colour('soft'), line: colour('line'), paper: colour('paper'), grey: colour('grey'),
    dark: matchMedia('(prefers-color-scheme: dark)').matches});

function words(spec, under) {
    if (under.said)
        return under.said;
    const {one, i} = under, value = (label, v, unit) => `${plain(label)} = ${written(v, 6)}${unit ? ' ' + unitText(unit) : ''}`;
    const lines = [value(one.xName || spec.xLabel, one.x[i], one.xUnit), value(one.yName || spec.yLabel, one.y[i], one.yUnit)];
    if (one.t && one.x !== one.t && one.y !== one.t)
        lines.push(value('t', one.t[i], one.tUnit));
    if (one.label)
        lines.push(plain(one.label));
    return lines.join('\n');
}

function cross(pen, x, y, look) {
    pen.line([x - 6, y, x + 6, y, NaN, NaN, x, y - 6, x, y + 6], {stroke: look.paper, width: 4});
    pen.line([x - 6, y, x + 6, y, NaN, NaN, x, y - 6, x, y + 6], {stroke: look.ink, width: 1.8});
}

/* Everything that stands still: frame, ticks, curves, map, key. Returns where the inner frame is. */
function paint(pen, spec, x, y, width, height, look) {
    const ticksY = (y.place(height, true), y.ticks(Math.max(2, Math.floor(height / 55))));
    const wide = Math.max(...ticksY.map(tick => pen.wide(tick.text, FONT)), 12);
    const keyed = key(spec), keyRows = layoutKey(pen, keyed, width - 70);
    const left = Math.ceil(wide) + 34, top = 12 + (spec.title ? 20 : 0) + keyRows.rows * 18, right = 14, bottom = 44;
    let w = Math.max(20, width - left - right), h = Math.max(20, height - top - bottom);
    x.place(w, false);
    y.place(h, true);
    if (spec.equal)
        evenOut(x, y, w, h);
    if (spec.title)
        pen.text(plain(spec.title), width / 2, 16, {font: FONT.replace('12px', '13px'), fill: look.ink, align: 'center'});
    keyRows.items.forEach(item => paintKey(pen, item, 40 + item.x, 12 + (spec.title ? 20 : 0) + item.row * 18, look));
    ticksOf(pen, x, y, left, top, w, h, look, spec.map);
    pen.clip(left, top, w, h, () => {
        if (spec.map)
            pen.image(spec.map.canvas(look), left + x.at(spec.map.edges[0][0]), top + y.at(spec.map.edges[1][1]),
                x.at(spec.map.edges[0][1]) - x.at(spec.map.edges[0][0]), y.at(spec.map.edges[1][0]) - y.at(spec.map.edges[1][1]));
        (spec.bands || []).forEach(band => pen.rect(left + x.at(band.from), top, x.at(band.to) - x.at(band.from), h, {fill: band.colour, alpha: 0.22}));
        for (const one of [...spec.series].sort((a, b) => (b.pinned ? 1 : 0) - (a.pinned ? 1 : 0)))
            curve(pen, one, x, y, left, top, look);
    });
    pen.rect(left, top, w, h, {stroke: look.soft, width: 1});
    pen.text(plain(spec.xLabel), left + w / 2, height - 8, {font: FONT, fill: look.soft, align: 'center'});
    pen.text(plain(spec.yLabel), 14, top + h / 2, {font: FONT, fill: look.soft, align: 'center', turn: -90});
    return {left, top, w, h};
}

function ticksOf(pen, x, y, left, top, w, h, look, map) {
    for (const tick of x.ticks(Math.max(2, Math.floor(w / 75)))) {
        const at = left + x.at(tick.value);
        if (!map)
            pen.line([at, top, at, top + h], {stroke: look.line, width: 1});
        pen.text(tick.text, at, top + h + 15, {font: FONT, fill: look.soft, align: 'center'});
    }
    for (const tick of y.ticks(Math.max(2, Math.floor(h / 45)))) {
        const at = top + y.at(tick.value);
        if (!map)
            pen.line([left, at, left + w, at], {stroke: look.line, width: 1});
        pen.text(tick.text, left - 6, at, {font: FONT, fill: look.soft, align: 'right', base: 'middle'});
    }
}

/* The same length for the same number on both axes: the one with less room wins. */
function evenOut(x, y, w, h) {
    const perX = (x.to - x.from) / w, perY = (y.to - y.from) / h, per = Math.max(perX, perY);
    const widen = (axis, length) => {
        const middle = (axis.from + axis.to) / 2;
        axis.set([middle - per * length / 2, middle + per * length / 2]);
        axis.place(length, axis.flip);
    };
    widen(x, w);
    widen(y, h);
}

function curve(pen, one, x, y, left, top, look) {
    const points = new Float64Array(6 * one.x.length), n = one.x.length;
    let count = 0, beforeX = NaN, beforeY = NaN;
    const put = (px, py) => {
        points[count++] = px;
        points[count++] = py;
    };
    for (let i = 0; i < n; i++) {
        const px = left + x.at(one.x[i]), py = top + y.at(one.y[i]), gone = !isFinite(px) || !isFinite(py);
        if (gone || (one.breaks && one.breaks[i])) {
            put(NaN, NaN);
            beforeX = NaN;
        }
        if (gone)
            continue;
        if (one.style === 'steps' && !isNaN(beforeX))
            put(px, beforeY);
        else if (Math.abs(px - beforeX) < 0.3 && Math.abs(py - beforeY) < 0.3 && i < n - 1)
            continue;
        put(px, py);
        beforeX = px;
        beforeY = py;
    }
    draw(pen, one, points.subarray(0, count), one.pinned ? look.grey : onGround(one.colour, look));
}

function draw(pen, one, points, colour) {
    if (one.style === 'points')
        pen.dots(points, one.small ? 1.6 : 2.6, {fill: colour});
    else
        pen.line(points, {stroke: colour, width: one.pinned ? 1.4 : one.wide || 1.8, dash: one.style === 'dashed' ? [6, 4] : []});
    if (one.dotted)
        pen.dots(points, 2.4, {fill: colour});
}

function key(spec) {
    const items = spec.map ? spec.map.key() : [];
    for (const one of spec.series)
        if (one.label && !items.some(item => item.label === one.label))
            items.push({label: one.label, colour: one.colour, style: one.style, pinned: one.pinned});
    for (const band of spec.bands || [])
        if (band.label && !items.some(item => item.label === band.label))
            items.push({label: band.label, colour: band.colour, style: 'square'});
    return items.length > 12 ? items.slice(0, 12) : items;
}

function layoutKey(pen, items, width) {
    let x = 0, row = 0;
    const placed = items.map(item => {
        const wide = (item.ramp ? 100 : 26) + pen.wide(plain(item.label), FONT) + 18;
        if (x > 0 && x + wide > width) {
            x = 0;
            row++;
        }
        const here = {...item, x, row};
        x += wide;
        return here;
    });
    return {items: placed, rows: items.length ? row + 1 : 0};
}

function paintKey(pen, item, x, y, look) {
    const colour = item.pinned ? look.grey : item.style === 'square' || !item.colour ? item.colour : onGround(item.colour, look);
    if (item.ramp)
        for (let i = 0; i < 90; i++)
            pen.rect(x + i, y - 5, 1.2, 10, {fill: item.ramp(i / 89)});
    else if (item.style === 'square')
        pen.rect(x + 4, y - 5, 12, 10, {fill: colour});
    else if (item.style === 'points')
        pen.dots([x + 10, y], 3, {fill: colour});
    else
        pen.line([x, y, x + 20, y], {stroke: colour, width: 2, dash: item.style === 'dashed' ? [6, 4] : []});
    pen.text(plain(item.label), x + (item.ramp ? 96 : 25), y, {font: FONT, fill: look.ink, base: 'middle'});
}
