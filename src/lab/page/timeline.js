/* The time of a motion: strips of contact states with the exact switches, a slider, play and pause. */
import {make, fill} from './dom.js';
import {written, unitText} from './tables.js';
import {STATES} from './colours.js';
import {theme} from './plot.js';

const STRIP = 12, MOST_STRIPS = 6, LEFT = 64;

export class Timeline {
    /* moved(time) hears every new time. */
    constructor(place, moved) {
        this.moved = moved;
        this.canvas = make('canvas', {});
        this.strips = make('div', {class: 'strips', title: 'states of the contacts; lines are exact switches'}, this.canvas);
        this.slider = make('input', {type: 'range', class: 'time', min: 0, max: 10000, step: 1, value: 0, 'aria-label': 'Time', oninput: () => this.set(this.from + (this.to - this.from) * this.slider.value / 10000, true)});
        this.play = make('button', {type: 'button', id: 'play', title: 'play or pause (space)', onclick: () => this.toggle()}, 'Play');
        const step = (label, title, by) => make('button', {type: 'button', title, 'aria-label': title, onclick: () => this.jump(by)}, label);
        this.speed = make('select', {'aria-label': 'Speed', title: 'speed', onchange: () => 0}, [0.1, 0.25, 0.5, 1, 2, 4].map(v => make('option', {value: v, selected: v === 1}, `${v}×`)));
        this.output = make('output', {id: 'time'});
        this.place = place;
        fill(place, this.strips, this.slider, make('div', {class: 'transport'}, step('‹ switch', 'previous switch (,)', -1), this.play, step('switch ›', 'next switch (.)', 1), this.output, this.speed));
        const scrub = event => {
            const box = this.strips.getBoundingClientRect(), share = (event.clientX - box.left - LEFT) / (box.width - LEFT - 4);
            this.set(this.from + (this.to - this.from) * Math.min(1, Math.max(0, share)), true);
        };
        this.strips.addEventListener('pointerdown', event => { this.strips.setPointerCapture(event.pointerId); scrub(event); });
        this.strips.addEventListener('pointermove', event => event.buttons && scrub(event));
        new ResizeObserver(() => this.paint()).observe(this.strips);
        this.from = 0;
        this.to = 1;
        this.time = 0;
    }
    /* A motion to go through; the place in time is kept where it still exists. */
    show(motion) {
        this.motion = motion;
        this.place.hidden = !motion;
        if (!motion)
            return this.stop();
        const whole = this.from === motion.from && this.to === motion.to;
        this.from = motion.from;
        this.to = motion.to;
        this.unit = unitText(motion.table.unit('t'));
        this.set(whole || (this.time >= this.from && this.time <= this.to && this.kept) ? Math.min(this.to, Math.max(this.from, this.time)) : this.from);
        this.kept = true;
        this.paint();
    }
    set(time, byHand) {
        if (byHand)
            this.stop();
        this.time = Math.min(this.to, Math.max(this.from, time));
        this.slider.value = Math.round(10000 * (this.time - this.from) / (this.to - this.from || 1));
        this.slider.setAttribute('aria-valuetext', `t = ${written(this.time)}`);
        this.output.textContent = this.motion && this.motion.path ? `load ${Math.round(this.time) + 1} of ${this.to + 1}` : `t = ${written(this.time, 6)}${this.unit === 'time' || !this.unit ? '' : ' ' + this.unit}`;
        this.moved(this.time);
        this.paint();
    }
    toggle() {
        if (this.playing)
            return this.stop();
        if (!this.motion)
            return;
        if (this.time >= this.to - 1e-9 * Math.abs(this.to - this.from))
            this.set(this.from);
        this.playing = true;
        this.play.textContent = 'Pause';
        const seconds = this.motion.prefix !== undefined && this.motion.to - this.motion.from < 1e-300 ? 1 : 8;
        let before = null;
        const frame = now => {
            if (!this.playing)
                return;
            if (before !== null)
                this.advance((now - before) / 1000 * (this.to - this.from) / seconds * Number(this.speed.value));
            before = now;
            requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
    }
    advance(by) {
        const next = this.time + by;
        this.set(next > this.to ? this.from : next);
    }
    stop() {
        this.playing = false;
        this.play.textContent = 'Play';
    }
    /* To the next switch (by 1) or the one before; to the ends where there is none. */
    jump(by) {
        if (!this.motion)
            return;
        const tiny = 1e-9 * (this.to - this.from), times = this.motion.events.map(one => one.t);
        const next = by > 0 ? times.find(t => t > this.time + tiny) : times.filter(t => t < this.time - tiny).pop();
        this.set(next ?? (by > 0 ? this.to : this.from), true);
    }
    /* What happens at this very time, in words. */
    happening() {
        const tiny = 1e-7 * (this.to - this.from);
        return this.motion ? this.motion.events.filter(one => Math.abs(one.t - this.time) <= tiny) : [];
    }
    paint() {
        if (!this.motion)
            return;
        const names = this.motion.names.slice(0, MOST_STRIPS), rows = Math.max(1, names.length), width = this.strips.clientWidth, height = rows * (STRIP + 3) + 2, sharp = window.devicePixelRatio || 1;
        if (!width)
            return;
        this.canvas.width = width * sharp;
        this.canvas.height = height * sharp;
        this.canvas.style.height = `${height}px`;
        const c = this.canvas.getContext('2d'), look = theme(), wide = width - LEFT - 4, x = t => LEFT + wide * (t - this.from) / (this.to - this.from || 1);
        c.setTransform(sharp, 0, 0, sharp, 0, 0);
        c.font = "11px system-ui, sans-serif";
        c.textBaseline = 'middle';
        names.forEach((name, k) => {
            const y = 1 + k * (STRIP + 3);
            c.fillStyle = look.soft;
            const shown = this.motion.labels && this.motion.labels[k] || name;
            c.fillText(shown.length > 9 ? shown.slice(0, 8) + '…' : shown, 0, y + STRIP / 2, LEFT - 4);
            for (const one of this.motion.intervals[k] || []) {
                c.fillStyle = STATES[one.state] || look.grey;
                c.fillRect(x(one.from), y, Math.max(0.5, x(one.to) - x(one.from)), STRIP);
            }
            c.fillStyle = look.ink;
            const own = this.motion.events.filter(one => one.contact === name);
            if (own.length < wide)
                own.forEach(one => c.fillRect(x(one.t) - 0.5, y - 1, 1, STRIP + 2));
        });
        if (!names.length) {
            c.fillStyle = look.line;
            c.fillRect(LEFT, 1, wide, STRIP);
        }
        c.fillStyle = look.ink;
        c.fillRect(x(this.time) - 1, 0, 2.5, height);
    }
}
