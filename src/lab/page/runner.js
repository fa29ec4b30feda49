/* Runs what is asked for: the newest question wins, one at a time; what takes long first in a coarse form, then whole. Maps are
 * coarse with few points; branches are drawn again from the points they had, until they are followed anew. */
import * as server from './server.js';

/* Milliseconds: what takes longer is a job, with its progress; what takes longer than the other, and has a coarse form, comes in it
 * first. */
const QUICK = 350, FIRST = 100;
/* The same for previews of branches: what is followed in less time is followed; a preview shall take about so long, with at least
 * and at most so many points. */
const FOLLOWED = 40, PREVIEW = 40, LEAST_POINTS = 30, MOST_POINTS = 160;
/* One that is given up takes its worker with it, and the branches: not before. */
const GIVEN_UP = 1500;

/* The server keeps the branches of a study under a number, if it has some. */
const hasBranches = study => Boolean(study && study.analysis && !study.sweep && (study.follow || ['response', 'backbone'].includes(study.analysis.kind)));
const newNumber = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), byte => byte.toString(16).padStart(2, '0')).join('').replace(/^0/, '1');

/* Axes of a study that have a number of points: [{path, count}]. */
function grids(study) {
    const found = [];
    const look = (given, path) => {
        for (const [key, value] of Object.entries(given || {}))
            if (value && typeof value === 'object' && !Array.isArray(value) && Number.isInteger(value.count))
                found.push({path: `${path}.${key}.count`, count: value.count});
    };
    if (study && study.sweep && study.sweep.axes && !study.sweep.refine)
        look(study.sweep.axes, 'sweep.axes');
    for (const [name, analysis] of [['analysis', study && study.analysis], ...Object.entries(study && study.also || {}).map(([word, one]) => [`also.${word}`, one])])
        for (const word of ['starts', 'box'])
            if (analysis && analysis[word] && typeof analysis[word] === 'object')
                look(analysis[word], `${name}.${word}`);
    return found.filter(one => one.count > 12);
}

/* What the page wants to see besides: tractions at every step of a path of loads. */
function besides(study) {
    const asked = study && !study.sweep && study.analysis;
    return asked && asked.kind === 'slip' && (asked.path || asked.cycle || asked.oscillation) && asked.profiles === undefined ? ['analysis.profiles=81'] : [];
}

/* The sets that leave about so many points on each axis (box and sweep keep their ends). */
const coarser = (found, factor) => found.map(one => `${one.path}=${Math.max(8, Math.round((one.count - 1) * factor) + 1)}`);

export class Runner {
    /* hear({document, coarse, asked}), hear({error, asked}), hear({progress}), hear({idle}) */
    constructor(hear) {
        this.hear = hear;
        this.wanted = null;
        this.busy = null;
        this.seconds = new Map();
        this.traces = new Map(); /* by key: {number, points} */
    }
    /* asked: {text, name, study, moment, key, live}: `key` names what takes as long as before (a study), `live` a hand
     * that still moves. */
    ask(asked) {
        this.wanted = asked;
        if (!this.busy)
            this.next();
        else if (this.busy.cancel && this.busy.asked.text !== asked.text) {
            clearTimeout(this.patience);
            const rests = asked.live && !grids(asked.study).length && !this.previews(asked) ? 60 : 0; /* what has no coarse picture may come to its end while a hand moves on */
            this.patience = setTimeout(() => this.busy && this.busy.cancel && this.busy.cancel(), rests);
        }
    }
    cancel() {
        this.wanted = null;
        this.later = null;
        if (this.busy && this.busy.cancel)
            this.busy.cancel();
    }
    async next() {
        const asked = this.wanted || this.later;
        this.wanted = null;
        this.later = null;
        if (!asked)
            return this.hear({idle: true});
        await this.serve(asked);
        this.busy = null;
        this.next();
    }
    async serve(asked) {
        const before = this.seconds.get(asked.key) ?? (asked.study && (asked.study.sweep || grids(asked.study).length) ? 1e4 : 0), found = grids(asked.study);
        try {
            const first = before >= QUICK && asked.moment && this.previewed !== asked.text; /* it came while others ran, and its hand rests already */
            if (this.previews(asked) && (asked.live || first)) {
                if (await this.preview(asked) || asked.live || this.wanted)
                    return;
                asked = {...asked, moment: null};
            }
            if (before < (found.length ? FIRST : QUICK))
                return await this.quick(asked);
            if (found.length && !asked.whole) {
                const factor = this.factor(asked.key, found, before);
                await this.quick(asked, coarser(found, factor));
                const whole = {...asked, live: false, whole: true, moment: null};
                if (asked.live || this.wanted)
                    return this.later = this.later || whole;
                asked = whole;
            }
            await this.long(asked);
        } catch (error) {
            if (error.name !== 'AbortError')
                this.hear({error, asked});
        }
    }
    /* How much coarser the first picture of maps has to be to come at once. */
    factor(key, found, before) {
        const first = this.seconds.get(key + ' coarse');
        if (!first)
            return Math.min(0.5, Math.pow(400 / found.slice(0, 2).reduce((all, one) => all * one.count, 1), 1 / Math.min(2, found.length)));
        return Math.min(0.5, Math.max(0.02, first.factor * Math.sqrt(FIRST / Math.max(20, first.took))));
    }
    /* Is there something to preview, and worth it? */
    previews(asked) {
        return this.traces.has(asked.key) && hasBranches(asked.study) && this.seconds.get(asked.key) > FOLLOWED;
    }
    /* Where the request says which branches it leaves, or begins with. */
    traceOf(asked) {
        if (!hasBranches(asked.study))
            return {};
        if (!this.traces.has(asked.key))
            this.traces.set(asked.key, {number: newNumber(), points: MOST_POINTS / 2});
        return {trace: this.traces.get(asked.key).number};
    }
    /* The branches from where they were; true where they were not there any more, and what is shown is whole. */
    async preview(asked) {
        const control = new AbortController(), trace = this.traces.get(asked.key), start = performance.now();
        this.busy = {asked, cancel: null};
        const slow = setTimeout(() => { this.busy && (this.busy.cancel = () => control.abort()); this.hear({progress: {}}); }, GIVEN_UP);
        try {
            const document = await server.run(asked.text, asked.name, control.signal, [], {trace: trace.number, preview: trace.points});
            const took = performance.now() - start, whole = !document.summary.preview;
            if (whole)
                this.seconds.set(asked.key, took);
            else
                trace.points = Math.round(Math.min(MOST_POINTS, Math.max(LEAST_POINTS, trace.points * Math.sqrt(PREVIEW / Math.max(1, took)))));
            this.previewed = whole ? null : asked.text;
            this.hear({document, coarse: !whole, asked});
            return whole;
        } finally {
            clearTimeout(slow);
        }
    }
    async quick(asked, sets) {
        const control = new AbortController();
        this.busy = {asked, cancel: null};
        const slow = setTimeout(() => { this.busy && (this.busy.cancel = () => control.abort()); this.hear({progress: {}}); }, QUICK);
        const start = performance.now();
        try {
            const document = await server.run(asked.text, asked.name, control.signal, [...(sets || []), ...besides(asked.study)], this.traceOf(asked));
            const took = performance.now() - start;
            if (!sets)
                this.seconds.set(asked.key, took);
            else {
                const found = grids(asked.study), count = Number(/=(\d+)/.exec(sets[0])[1]);
                this.seconds.set(asked.key + ' coarse', {took, factor: (count - 1) / (found[0].count - 1)});
            }
            if (!this.wanted || asked.live || this.wanted.live)
                this.hear({document, coarse: Boolean(sets), asked});
        } finally {
            clearTimeout(slow);
        }
    }
    async long(asked) {
        const start = performance.now();
        const job = server.job(asked.text, asked.name, ({progress, partial}) => {
            if (progress)
                this.hear({progress});
            if (partial && !this.wanted && this.previewed !== asked.text) /* a part is less than a preview of the whole */
                this.hear({document: partial, coarse: true, partial: true, asked});
        }, besides(asked.study), this.traceOf(asked));
        this.busy = {asked, cancel: () => job.cancel()};
        this.hear({progress: {}});
        const document = await job.done;
        this.seconds.set(asked.key, performance.now() - start);
        this.hear({document, coarse: false, asked});
    }
}
