/* A slider, a field and a way back for every number of the study. */
import {make, fill} from './dom.js';
import {written} from './tables.js';

const STEPS = 1000, MOST_SHOWN = 40;
const GROUPS = [['model', 'Structure'], ['analysis', 'Question'], ['sweep', 'Sweep'], ['follow', 'Follow'], ['also', 'Also'], ['figure', 'Figure']];

/* Where a slider begins and ends: a decade each way for positive numbers, on a scale of ratios; else twice the value. */
export function rangeOf(number) {
    const {value, least, most} = number, whole = isWhole(number);
    if (value > 0 && !whole)
        return {log: true, from: Math.max(value / 10, least > 0 ? least : 0), to: Math.min(value * 10, most > value ? most : Infinity)};
    let from = value > 0 ? 0 : value < 0 ? 2 * value : -1, to = value > 0 ? 3 * value : value < 0 ? -value : 1;
    if (typeof least === 'number')
        from = Math.max(from, least);
    if (typeof most === 'number')
        to = Math.min(to, most);
    if (whole && to - from < 10)
        to = Math.min(from + 10, typeof most === 'number' ? most : Infinity);
    return {log: false, from, to: Math.max(to, value), whole};
}

const isWhole = number => number.whole === true;

function toShare(range, value) {
    const share = range.log ? Math.log(value / range.from) / Math.log(range.to / range.from)
        : (value - range.from) / (range.to - range.from);
    return Math.round(STEPS * Math.min(1, Math.max(0, share || 0)));
}

function fromShare(range, share) {
    const exact = range.log ? range.from * Math.pow(range.to / range.from, share / STEPS)
        : range.from + (range.to - range.from) * share / STEPS;
    return range.whole ? Math.round(exact) : Number(exact.toPrecision(4));
}

const short = (path, contacts) => path.replace(/^(model|analysis|sweep|follow|figure|also)\./, '')
    .replace(/^contacts\.(\d+)\./, (all, k) => contacts && contacts[k] ? `${contacts[k]}: ` : all);

/* All its digits, in the shorter of the two ways to write them. */
function shortest(value) {
    const plain = String(value), scaled = value.toExponential().replace('+', '');
    return plain.length > 7 && scaled.length < plain.length ? scaled : plain;
}

/* The end of a long path says most. */
function brief(name) {
    const parts = name.split('.');
    let shown = name;
    while (shown.length > 21 && parts.length > 1 && parts.shift() !== undefined)
        shown = '…' + parts.join('.');
    return shown;
}

export class Numbers {
    /* changed(text, path, value, moment) hears a text in which one number is another; `moment` is when the hand moved. */
    constructor(place, changed) {
        this.place = place;
        this.changed = changed;
        this.list = [];
        this.rows = new Map();
        this.first = new Map();
        this.text = '';
        this.words = '';
    }
    /* Forget what the numbers were: another study. */
    restart() {
        this.first.clear();
        this.rows.clear();
        this.list = [];
        this.ranges = new Map();
        this.words = '';
        this.place.replaceChildren();
    }
    /* `contacts`: their names, which stand for their numbers. */
    show(list, text, contacts) {
        this.contacts = contacts;
        this.list = list.filter(one => !/^(expect|full|title|source|about|claims)\b/.test(one.path));
        this.text = text;
        this.ranges = this.ranges || new Map();
        this.list.forEach(one => this.first.has(one.path) || this.first.set(one.path, one.value));
        const key = this.list.map(one => one.path).join('\n') + this.words + (contacts || []).join(' ');
        if (key !== this.key || !this.rows.size)
            this.build();
        this.key = key;
        this.list.forEach(one => this.refresh(one));
    }
    build() {
        this.rows.clear();
        const search = this.list.length > 12 ? make('input', {
            type: 'search', placeholder: 'find a number', 'aria-label': 'Find a number', value: this.words,
            oninput: event => { this.words = event.target.value; this.build(); this.list.forEach(one => this.refresh(one)); this.place.querySelector('input[type=search]').focus(); }
        }) : null;
        const groups = GROUPS.map(([name, title]) => {
            const own = this.list.filter(one => one.path.startsWith(name + '.') && one.path.toLowerCase().includes(this.words.toLowerCase()));
            if (!own.length)
                return null;
            const shown = own.slice(0, MOST_SHOWN).map(one => this.row(one));
            const more = own.length > MOST_SHOWN ? make('p', {class: 'soft'}, `and ${own.length - MOST_SHOWN} more: find them by name`) : null;
            return make('details', {open: name === 'model' || name === 'analysis' || this.words !== ''},
                make('summary', {}, title, make('span', {class: 'soft'}, ` ${own.length}`)), shown, more);
        });
        fill(this.place, search, groups, this.list.length ? null : make('p', {class: 'soft'}, 'No numbers yet.'));
    }
    row(number) {
        const path = number.path, name = short(path, this.contacts);
        const slider = make('input', {type: 'range', min: 0, max: STEPS, step: 1, 'aria-label': name, oninput: event => this.slid(path, event)});
        const field = make('input', {type: 'text', inputmode: 'decimal', class: 'value', 'aria-label': `${name}, value`,
            onchange: event => this.typed(path, event), onkeydown: event => event.key === 'Enter' && this.typed(path, event)});
        const reset = make('button', {type: 'button', class: 'reset', title: 'back to where it was', 'aria-label': `${name}: back`,
            onclick: () => this.put(path, this.first.get(path), 'reset ' + path)}, '↺');
        const box = make('div', {class: 'number', title: `${path}: ${number.about || ''}${number.unit ? ` [${number.unit}]` : ''}`},
            make('span', {class: 'name'}, brief(name)), field, slider, reset);
        this.rows.set(path, {slider, field, reset});
        return box;
    }
    range(number) {
        let range = this.ranges.get(number.path);
        if (!range || number.value < range.from - 1e-12 * Math.abs(range.from) || number.value > range.to * (1 + 1e-12) + 1e-300)
            this.ranges.set(number.path, range = rangeOf(number));
        return range;
    }
    refresh(number) {
        const row = this.rows.get(number.path);
        if (!row)
            return;
        const share = toShare(this.range(number), number.value);
        if (Number(row.slider.value) !== share && row.slider !== this.sliding)
            row.slider.value = share;
        row.slider.setAttribute('aria-valuetext', written(number.value));
        if (document.activeElement !== row.field)
            row.field.value = shortest(number.value);
        row.reset.disabled = number.value === this.first.get(number.path);
    }
    slid(path, event) {
        const number = this.list.find(one => one.path === path);
        this.sliding = event.target;
        this.put(path, fromShare(this.range(number), Number(event.target.value)), 'slide ' + path, event.timeStamp);
        this.sliding = null;
    }
    typed(path, event) {
        const value = Number(event.target.value.replace(',', '.').replace('−', '-'));
        if (event.target.value.trim() !== '' && isFinite(value))
            this.put(path, value, 'type ' + path, event.timeStamp);
        else
            event.target.value = String(this.list.find(one => one.path === path).value);
    }
    put(path, value, kind, moment = performance.now()) {
        const number = this.list.find(one => one.path === path), lines = this.text.split('\n');
        const line = Array.from(lines[number.line - 1]), letters = String(value);
        const by = letters.length - (number.end_column - number.column);
        line.splice(number.column - 1, number.end_column - number.column, ...letters);
        lines[number.line - 1] = line.join('');
        for (const other of this.list)
            if (other.line === number.line && other.column > number.column) {
                other.column += by;
                other.end_column += by;
            }
        number.end_column += by;
        number.value = value;
        this.text = lines.join('\n');
        this.refresh(number);
        this.changed(this.text, kind, moment);
    }
}
