/* The right side: views of a run as plots, tables and sums. */
import {make, fill} from './dom.js';
import {Plot} from './plot.js';
import {viewsOf, pinBehind} from './figures.js';
import {written, unitText} from './tables.js';
import * as server from './server.js';

const MOST_ROWS = 400;

export class Results {
    constructor(tabs, place, bus) {
        Object.assign(this, {tabs, place, bus, plots: [], views: [], chosen: null});
        this.tabs.addEventListener('keydown', event => this.key(event));
    }
    /* Another study: nothing is there yet, and the first view will be its own figure again. */
    restart() {
        Object.assign(this, {chosen: null, document: null, plots: [], views: [], shown: null, tabsKey: null});
        this.place.replaceChildren();
        this.tabs.replaceChildren();
    }
    /* given: {document, study, text, name}; pinned: the same of the setting to compare with, or null. */
    show(given, pinned) {
        const views = pinned ? pinBehind(viewsOf(given.document, given.study), viewsOf(pinned.document, pinned.study)) : viewsOf(given.document, given.study);
        views.push({id: 'tables', title: 'Tables', plots: [], tables: true}, {id: 'sums', title: 'Summary', plots: [], sums: true});
        const wanted = views.find(view => view.id === this.chosen), waits = given.document.summary.preview && (!wanted || wanted.picture);
        this.place.classList.toggle('stale', Boolean(waits));
        if (waits)
            return;
        Object.assign(this, {...given, pinned, views});
        if (!wanted)
            this.chosen = views[0].id;
        this.paintTabs();
        this.paint(true);
    }
    paintTabs() {
        const key = this.views.map(view => view.id).join('\n');
        if (key !== this.tabsKey)
            fill(this.tabs, this.views.map(view => make('button', {type: 'button', role: 'tab', 'data-view': view.id, onclick: () => this.choose(view.id)}, view.title)));
        this.tabsKey = key;
        for (const tab of this.tabs.children) {
            const chosen = tab.dataset.view === this.chosen;
            tab.setAttribute('aria-selected', String(chosen));
            tab.tabIndex = chosen ? 0 : -1;
        }
    }
    choose(id) {
        this.chosen = this.views.some(view => view.id === id) ? id : this.chosen;
        this.paintTabs();
        this.paint(false);
        this.bus.changed();
    }
    key(event) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key], at = this.views.findIndex(view => view.id === this.chosen);
        if (!step)
            return;
        this.choose(this.views[(at + step + this.views.length) % this.views.length].id);
        this.tabs.querySelector('[aria-selected=true]').focus();
        event.preventDefault();
        event.stopPropagation();
    }
    get view() {
        return this.views.find(view => view.id === this.chosen);
    }
    paint(keep) {
        const view = this.view, key = `${view.id} ${view.plots.length}`;
        if (view.tables || view.sums || view.picture) {
            this.plots = [];
            this.shown = key;
            if (view.tables)
                this.paintTables();
            else if (view.sums)
                this.paintSums();
            else
                this.paintPicture();
            return;
        }
        if (this.shown !== key || !this.plots.length) {
            this.place.replaceChildren();
            this.plots = view.plots.map(() => new Plot(this.place, this.bus));
            this.plots.forEach(plot => plot.resize());
            keep = false;
        }
        this.shown = key;
        view.plots.forEach((spec, i) => {
            this.plots[i].box.classList.toggle('stale', Boolean(spec.waits));
            if (!spec.waits)
                this.plots[i].show(spec, keep);
        });
    }
    moveTime() {
        this.plots.forEach(plot => plot.drawOver());
    }
    /* A figure that only the command draws: its picture. One is drawn at a time, the newest next. */
    async paintPicture() {
        if (this.drawing)
            return;
        const {text, name} = this, isShown = () => this.view && this.view.picture && this.text === text && this.name === name;
        this.drawing = true;
        const element = await server.figure(text, name, 'svg').then(blob => {
            const url = URL.createObjectURL(blob);
            return make('img', {class: 'drawn', src: url, alt: `Figure of the study: ${this.study && this.study.title || ''}`, onload: () => URL.revokeObjectURL(url)});
        }).catch(error => make('p', {class: 'bad'}, error.message));
        this.drawing = false;
        if (isShown())
            fill(this.place, element);
        else if (this.view && this.view.picture)
            this.paintPicture();
    }
    paintTables() {
        const names = Object.keys(this.document.tables);
        if (!names.includes(this.table))
            this.table = names[0];
        const choice = make('select', {'aria-label': 'Table', onchange: event => { this.table = event.target.value; this.paintTables(); }},
            names.map(name => make('option', {value: name, selected: name === this.table}, `${name} (${this.document.tables[name].rows})`)));
        const table = this.document.tables[this.table];
        if (!table)
            return fill(this.place, make('p', {class: 'soft'}, 'This study has no tables.'));
        const sheet = make('div', {class: 'sheet-of-rows', tabindex: 0, role: 'region', 'aria-label': `Table ${this.table}`}, sheetOf(table));
        fill(this.place, make('div', {class: 'tables'}, choice, make('span', {class: 'soft'}, table.rows > MOST_ROWS ? `the first ${MOST_ROWS} of ${table.rows} rows; the export has all` : `${table.rows} rows`)), sheet);
    }
    paintSums() {
        const {summary = {}, summary_units: units = {}, expect = []} = this.document;
        fill(this.place, expect.length ? make('div', {}, make('h2', {}, 'What the study expects'), make('ul', {}, expect.map(one =>
            make('li', {class: one.ok ? 'good' : 'bad'}, `${one.ok ? '✓' : '✗'} ${one.name}: ${written(one.got, 8)}`)))) : null,
        make('h2', {}, 'Summary'), sums(Object.entries(summary), units, this.pinned && this.pinned.document.summary));
    }
}

function sheetOf(table) {
    const names = table.names.slice(0, 60), rows = Math.min(table.rows, MOST_ROWS), body = make('tbody');
    for (let row = 0; row < rows; row++)
        body.append(make('tr', {}, names.map(name => make('td', table.numbers(name) ? {class: 'number-cell'} : {}, written(table.cell(row, name), 8)))));
    return make('table', {}, make('thead', {}, make('tr', {}, names.map(name => make('th', {scope: 'col'}, name, make('span', {}, unitText(table.unit(name))))))), body);
}

const shortened = words => words.length > 40 ? words.slice(0, 38) + '…' : words;

/* A long name may go on in the next line behind its underscores and points. */
const breakable = name => name.split(/(?<=[_.])/).flatMap((part, i) => i ? [make('wbr'), part] : [part]);

/* Names and values, and beside them what the pinned setting has where it differs. */
export function sums(entries, units, other) {
    return make('dl', {class: 'sums'}, entries.map(([name, value]) => {
        const differs = other && name in other && other[name] !== value;
        return make('div', {}, make('dt', {}, breakable(name)), make('dd', {title: String(value)}, `${shortened(written(value, 7))} ${typeof value === 'number' ? unitText(units[name] || '') : ''}`.trim(),
            differs ? make('span', {class: 'soft'}, ` (A: ${written(other[name], 5)})`) : null));
    }));
}
