/* Runs what is asked for: the newest question wins, one at a time; what takes long first in a coarse form, then whole. */
import * as server from './server.js';

/* Milliseconds: what takes longer is a job, with its progress; what takes longer than the other, and has a coarse form, comes in it
 * first. */
const QUICK = 350, FIRST = 100;

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

/* The sets that leave about so many points on each axis (box and sweep keep their ends). */
const coarser = (found, factor) => found.map(one => `${one.path}=${Math.max(8, Math.round((one.count - 1) * factor) + 1)}`);

export class Runner {
    /* hear({document, coarse, asked}), hear({error, asked}), hear({progress}), hear({idle}) */
    constructor(hear) {
        this.hear = hear;
        this.wanted = null;
        this.busy = null;
        this.seconds = new Map();
    }
    /* asked: {text, name, study, moment, key, live}: `key` names what takes as long as before (a study), `live` a hand
     * that still moves. */
    ask(asked) {
        this.wanted = asked;
        if (!this.busy)
            this.next();
        else if (this.busy.cancel && this.busy.asked.text !== asked.text) {
            clearTimeout(this.patience);
            const rests = asked.live && !grids(asked.study).length ? 60 : 0; /* what has no coarse picture may come to its end while a hand moves on */
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
    async quick(asked, sets) {
        const control = new AbortController();
        this.busy = {asked, cancel: null};
        const slow = setTimeout(() => { this.busy && (this.busy.cancel = () => control.abort()); this.hear({progress: {}}); }, QUICK);
        const start = performance.now();
        try {
            const document = await server.run(asked.text, asked.name, control.signal, sets);
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
            if (partial && !this.wanted)
                this.hear({document: partial, coarse: true, partial: true, asked});
        });
        this.busy = {asked, cancel: () => job.cancel()};
        this.hear({progress: {}});
        const document = await job.done;
        this.seconds.set(asked.key, performance.now() - start);
        this.hear({document, coarse: false, asked});
    }
}
