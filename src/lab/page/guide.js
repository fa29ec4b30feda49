/* Leads through a tour, and asks for guesses. */
import {$, make, fill} from './dom.js';
import {pose, questionFor} from './predict.js';

export class Guide {
    /* open(name or {text}) opens a study on the bench and resolves when it has been read. */
    constructor(bench, open) {
        Object.assign(this, {bench, open, tour: null, at: 0});
        $('predict').addEventListener('click', () => this.togglePredictions());
    }
    async start(tour) {
        this.tour = tour;
        await this.step(0);
    }
    end() {
        this.tour = null;
        this.bench.hide(false);
        $('tour').hidden = true;
        $('predict').setAttribute('aria-pressed', 'false');
    }
    /* Every step begins with the tour's own numbers, whatever was played with before: the study that was opened last, and what
     * the steps since then have set. */
    async step(at) {
        const {bench} = this, {steps} = this.tour, step = steps[at];
        const opened = steps.findLastIndex((one, i) => i <= at && one.open), since = steps.slice(Math.max(0, opened), at + 1);
        this.at = at;
        const place = fill($('tour'));
        place.hidden = false;
        bench.hide(Boolean(step.ask));
        await this.open(opened >= 0 ? steps[opened].open : this.tour.name || {text: this.tour.text});
        if (this.at !== at || !this.tour)
            return;
        bench.setNumbers(Object.assign({}, ...since.flatMap((one, i) => [one.set, i + 1 < since.length && one.ask ? one.ask.set : null])));
        if (step.view)
            bench.results.chosen = step.view;
        place.append(make('h2', {}, this.tour.title), make('p', {}, step.text));
        if (step.ask)
            pose(place, {...step.ask, settle: () => this.settle(step)}, () => this.answered(step));
        place.append(this.buttons(at));
        $('left').scrollTop = 0;
    }
    /* The run that answers, and the one before it where the question sets numbers of its own. */
    async settle({ask}) {
        const {bench} = this, before = await bench.whole();
        bench.setNumbers(ask.set || {});
        const document = await bench.whole();
        return {right: ask.right(document, before), words: typeof ask.why === 'function' ? ask.why(document, before) : ask.why};
    }
    answered(step) {
        this.bench.hide(false);
        if (step.play && this.bench.motion && !this.bench.timeline.playing && !matchMedia('(prefers-reduced-motion: reduce)').matches)
            this.bench.timeline.toggle();
    }
    buttons(at) {
        const last = at === this.tour.steps.length - 1, go = (words, onclick, disabled) => make('button', {type: 'button', onclick, disabled}, words);
        return make('div', {class: 'steps'}, make('span', {class: 'soft'}, `${at + 1} of ${this.tour.steps.length}`), go('Back', () => this.step(at - 1), at === 0),
            last ? go('Play on freely', () => this.end()) : go('Next', () => this.step(at + 1)), last ? null : go('Leave the tour', () => this.end()));
    }
    /* ---- guesses about any study ---- */
    togglePredictions() {
        const on = $('predict').getAttribute('aria-pressed') !== 'true';
        this.end();
        $('predict').setAttribute('aria-pressed', String(on));
        if (on)
            this.ask();
    }
    ask() {
        const {bench} = this, asked = bench.document && bench.study && questionFor(bench.document, bench.study, bench.motion);
        const place = fill($('tour'), make('h2', {}, 'Before you look'));
        place.hidden = false;
        if (!asked) {
            place.append(make('p', {}, 'There is no question about this kind of result yet.'));
            return;
        }
        bench.hide(true);
        pose(place, {...asked, settle: async () => ({right: asked.right, words: asked.why})}, () => {
            bench.hide(false);
            place.append(make('div', {class: 'steps'}, make('button', {type: 'button', onclick: () => this.again()}, 'Ask about the next setting'), make('button', {type: 'button', onclick: () => this.togglePredictions()}, 'Enough')));
        });
    }
    /* Hidden until a number has been changed and guessed. */
    async again() {
        fill($('tour'), make('h2', {}, 'Before you look'), make('p', {}, 'Change a number: what comes out is hidden until you have guessed.'));
        this.bench.hide(true);
        await this.bench.once('run');
        this.ask();
    }
}
