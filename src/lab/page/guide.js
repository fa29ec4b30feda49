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
    }
    async step(at) {
        const {bench} = this, step = this.tour.steps[at];
        this.at = at;
        const place = fill($('tour'));
        place.hidden = false;
        bench.hide(Boolean(step.ask));
        const ran = bench.once('run');
        if (step.open)
            await this.open(step.open);
        else if (at === 0)
            await this.open(this.tour.name || {text: this.tour.text, title: this.tour.title});
        if (step.set)
            bench.setNumbers(step.set);
        if (step.view)
            bench.results.chosen = step.view;
        place.append(make('h2', {}, this.tour.title), make('p', {}, step.text));
        if (step.ask)
            pose(place, {...step.ask, settle: () => this.settle(step, ran)}, () => this.answered(step));
        place.append(this.buttons(at));
        $('left').scrollTop = 0;
    }
    /* The run that answers: it may be there already, or be the one after the numbers that the question sets. */
    async settle(step, ran) {
        const {bench} = this;
        if (step.ask.set) {
            const again = bench.once('run');
            bench.setNumbers(step.ask.set);
            await again;
        } else if (!bench.document || bench.coarse || bench.shownText !== bench.text)
            await (bench.document && !step.open && !step.set ? bench.once('run') : ran);
        return {right: step.ask.right(bench.document), words: step.ask.why};
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
        $('predict').setAttribute('aria-pressed', String(on));
        if (on)
            this.ask();
        else
            this.end();
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
