/* Axes: which numbers stand at which places, and how labels are written. */

export class Axis {
    constructor(range, log) {
        this.log = log;
        this.set(range);
    }
    set(range) {
        [this.from, this.to] = range;
    }
    place(length, flip) {
        this.length = length;
        this.flip = flip;
        const a = this.log ? Math.log10(this.from) : this.from, b = this.log ? Math.log10(this.to) : this.to;
        this.scale = length / (b - a);
        this.zero = a;
    }
    at(value) {
        const share = ((this.log ? Math.log10(value) : value) - this.zero) * this.scale;
        return this.flip ? this.length - share : share;
    }
    value(place) {
        const exact = (this.flip ? this.length - place : place) / this.scale + this.zero;
        return this.log ? Math.pow(10, exact) : exact;
    }
    /* Nearer (factor below 1) or farther around a place that stays. */
    zoom(place, factor) {
        const a = this.value(this.flip ? this.length : 0), b = this.value(this.flip ? 0 : this.length), c = this.value(place);
        const move = this.log ? v => c * Math.pow(v / c, factor) : v => c + (v - c) * factor;
        const from = move(a), to = move(b);
        if (to > from && isFinite(from) && isFinite(to) && (!this.log || from > 0) && to - from > 1e-13 * Math.max(Math.abs(from), Math.abs(to)))
            this.set([from, to]);
    }
    pan(by) {
        const from = this.value((this.flip ? this.length : 0) + by), to = this.value((this.flip ? 0 : this.length) + by);
        if (isFinite(from) && isFinite(to) && to > from)
            this.set([from, to]);
    }
    ticks(most) {
        return this.log && this.to / this.from > 10 ? decades(this.from, this.to, most) : steps(this.from, this.to, most);
    }
}

function steps(from, to, most) {
    const rough = (to - from) / Math.max(1, most), power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough * 0.999) || 10 * power;
    const found = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step && found.length < 50; k++)
        found.push(k * step);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return found.map(value => ({value, text: label(value, step, digits)}));
}

function label(value, step, digits) {
    if (Math.abs(value) < step * 1e-6)
        return '0';
    const size = Math.abs(value);
    const text = size >= 1e5 || (digits > 4) ? value.toExponential(Math.max(0, Math.min(6, Math.floor(Math.log10(size) + 1e-9) + digits)))
        .replace(/\.?0+e/, 'e').replace('e+', 'e') : value.toFixed(Math.min(digits, 8));
    return text.replace(/-/g, '−');
}

function decades(from, to, most) {
    const first = Math.ceil(Math.log10(from) - 1e-9), last = Math.floor(Math.log10(to) + 1e-9), found = [];
    const stride = Math.max(1, Math.ceil((last - first + 1) / most));
    for (let k = first; k <= last; k++)
        if ((k - first) % stride === 0)
            found.push({value: Math.pow(10, k), text: k >= -3 && k <= 4 ? String(Number(Math.pow(10, k).toPrecision(1))) : `1e${k}`.replace('-', '−')});
    return found;
}

const LOW = {0: '₀', 1: '₁', 2: '₂', 3: '₃', 4: '₄', 5: '₅', 6: '₆', 7: '₇', 8: '₈', 9: '₉', '+': '₊', '-': '₋'};
const HIGH = {0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹', '+': '⁺', '-': '⁻', '/': 'ᐟ'};
const raised = (letters, signs) => Array.from(letters).every(one => signs[one]) ? Array.from(letters, one => signs[one]).join('') : null;

/* Labels as studies write them (u_1, m^{1/2}) with small digits where there are such letters. */
export const plain = words => String(words)
    .replace(/_(?:\{([^}]*)\}|(\w))/g, (all, many, one) => raised(many || one, LOW) || (many ? many : all))
    .replace(/\^(?:\{([^}]*)\}|(\w))/g, (all, many, one) => raised(many || one, HIGH) || '^' + (many || one));

/* A range with some room around numbers; a log range only sees positive ones. */
export function roomy(columns, log) {
    let least = Infinity, most = -Infinity;
    for (const column of columns)
        for (const value of column)
            if (value === value && Math.abs(value) < 1e300 && (!log || value > 0)) {
                if (value < least)
                    least = value;
                if (value > most)
                    most = value;
            }
    if (!(least <= most))
        return log ? [0.1, 10] : [-1, 1];
    if (log)
        return least === most ? [least / 2, most * 2] : [least * Math.pow(least / most, 0.04), most * Math.pow(most / least, 0.04)];
    const room = (most - least) * 0.05 || Math.abs(most) * 0.1 || 1;
    return [least - room, most + room];
}
