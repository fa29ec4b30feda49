/* The study as text: a text area over a coloured copy of itself, with line numbers, completion and marks of what is
 * wrong. The browser's own text area stays in charge of writing, so that keyboards, readers and phones work as usual. */
import {make, fill} from './dom.js';
import {pieces, insideTexts, placeAt} from './yaml.js';
import {keysAt, wordsAt, meaning} from './schema.js';

export class Editor {
    constructor(place, changed) {
        this.changed = changed;
        this.problems = [];
        this.copy = make('div', {class: 'copy', 'aria-hidden': 'true'});
        this.area = make('textarea', {
            id: 'study', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', autocorrect: 'off',
            'aria-label': 'Study, as YAML', 'aria-describedby': 'problems', 'aria-autocomplete': 'list',
            'aria-controls': 'choices', 'aria-expanded': 'false'
        });
        this.choices = make('ul', {id: 'choices', class: 'choices', role: 'listbox', 'aria-label': 'Completions', hidden: true});
        place.append(make('div', {class: 'sheet'}, this.copy, this.area), this.choices);
        this.area.addEventListener('input', () => this.typed());
        this.area.addEventListener('keydown', event => this.key(event));
        this.area.addEventListener('blur', () => setTimeout(() => this.close(), 150));
        this.area.addEventListener('pointermove', event => this.explain(event));
    }
    get text() {
        return this.area.value;
    }
    set text(text) {
        if (this.area.value !== text) {
            const at = this.area.selectionStart;
            this.area.value = text;
            this.area.setSelectionRange(Math.min(at, text.length), Math.min(at, text.length));
        }
        this.paint();
    }
    typed() {
        this.paint();
        this.changed(this.area.value, 'typing');
        this.complete(false);
    }
    /* Only lines that differ from those shown are made anew. */
    paint() {
        const lines = this.area.value.split('\n'), inside = insideTexts(lines), shown = this.copy.children;
        const wrong = new Map(this.problems.map(problem => [problem.line - 1, problem]));
        lines.forEach((line, i) => {
            const problem = wrong.get(i), key = `${inside[i] ? 's' : ' '}${problem ? problem.column + problem.message : ''}\n${line}`;
            if (shown[i] && shown[i].key === key)
                return;
            const row = make('div', {class: problem ? 'line bad-line' : 'line'}, coloured(line, inside[i], problem));
            row.key = key;
            if (shown[i])
                shown[i].replaceWith(row);
            else
                this.copy.append(row);
        });
        while (shown.length > lines.length)
            this.copy.lastChild.remove();
    }
    mark(problems) {
        this.problems = problems;
        this.paint();
    }
    /* What is told of a mistake must not lie over the line that is being written. */
    showLine() {
        const row = this.area.value.slice(0, this.area.selectionStart).split('\n').length - 1;
        if (document.activeElement === this.area && this.copy.children[row])
            this.copy.children[row].scrollIntoView({block: 'nearest'});
    }
    /* Puts the cursor at a line and column (from 1) and shows it. */
    go(line, column) {
        const lines = this.area.value.split('\n');
        const at = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + Math.max(0, column - 1);
        this.area.focus();
        this.area.setSelectionRange(at, at);
        this.copy.children[line - 1]?.scrollIntoView({block: 'nearest'});
    }
    key(event) {
        if (!this.choices.hidden && this.choose(event))
            return;
        if (event.key === ' ' && event.ctrlKey) {
            event.preventDefault();
            this.complete(true);
        } else if (event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
            const before = this.area.value.slice(0, this.area.selectionStart), line = before.slice(before.lastIndexOf('\n') + 1);
            const indent = /^\s*/.exec(line)[0] + (/:\s*$/.test(line) ? '  ' : '');
            event.preventDefault();
            this.insert('\n' + indent);
        }
    }
    insert(words, replaced = 0) {
        const at = this.area.selectionStart;
        this.area.setRangeText(words, at - replaced, this.area.selectionEnd, 'end');
        this.typed();
    }
    complete(asked) {
        const at = this.area.selectionStart, text = this.area.value, place = placeAt(text, at);
        if (!asked && (!place.word || at !== this.area.selectionEnd || /[\w.\-]/.test(text[at] || '')))
            return this.close();
        const found = [];
        if (place.key)
            wordsAt(place.path, place.key, text).forEach(word => found.push({word, about: '', insert: word}));
        else
            keysAt(place.path, text).forEach((about, word) => {
                if (!place.siblings.has(word) || word === place.word)
                    found.push({word, about, insert: word + ': '});
            });
        const fits = found.filter(one => one.word.startsWith(place.word) && (asked || one.word !== place.word)).slice(0, 40);
        if (!fits.length)
            return this.close();
        this.offer(fits, place.word.length);
    }
    offer(fits, typed) {
        fill(this.choices, fits.map((one, i) => make('li', {
            role: 'option', id: `choice${i}`, 'aria-selected': String(i === 0),
            onpointerdown: event => { event.preventDefault(); this.take(one, typed); }
        }, make('b', {}, one.word), one.about ? make('span', {}, one.about) : '')));
        this.fits = fits;
        this.typedLength = typed;
        this.chosen = 0;
        this.choices.hidden = false;
        this.area.setAttribute('aria-expanded', 'true');
        this.area.setAttribute('aria-activedescendant', 'choice0');
        const caret = this.caret(), box = this.choices.offsetParent.getBoundingClientRect(), pane = this.choices.closest('.pane').getBoundingClientRect();
        const {offsetWidth: width, offsetHeight: height} = this.choices, above = caret.bottom + height + 4 > pane.bottom && caret.top - height > pane.top;
        this.choices.style.left = `${Math.max(4, Math.min(caret.left - box.left, box.width - width - 8))}px`;
        this.choices.style.top = `${(above ? caret.top - height - 2 : caret.bottom + 2) - box.top}px`;
    }
    caret() {
        const before = this.area.value.slice(0, this.area.selectionStart).split('\n');
        const line = this.copy.children[before.length - 1], walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        let left = before[before.length - 1].length, node;
        while ((node = walker.nextNode())) {
            if (left <= node.data.length) {
                const range = document.createRange();
                range.setStart(node, left);
                return range.getBoundingClientRect();
            }
            left -= node.data.length;
        }
        return line.getBoundingClientRect();
    }
    choose(event) {
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (step) {
            this.choices.children[this.chosen].setAttribute('aria-selected', 'false');
            this.chosen = (this.chosen + step + this.fits.length) % this.fits.length;
            this.choices.children[this.chosen].setAttribute('aria-selected', 'true');
            this.choices.children[this.chosen].scrollIntoView({block: 'nearest'});
            this.area.setAttribute('aria-activedescendant', `choice${this.chosen}`);
        } else if (event.key === 'Enter' || event.key === 'Tab')
            this.take(this.fits[this.chosen], this.typedLength);
        else if (event.key === 'Escape')
            this.close();
        else
            return false;
        event.preventDefault();
        event.stopPropagation();
        return true;
    }
    take(one, typed) {
        this.close();
        this.insert(one.insert, typed);
        this.close();
    }
    close() {
        this.choices.hidden = true;
        this.area.setAttribute('aria-expanded', 'false');
        this.area.removeAttribute('aria-activedescendant');
    }
    /* The title of the text area tells what the key under the pointer means, or what is wrong there. */
    explain(event) {
        const line = [...this.copy.children].findIndex(row => {
            const box = row.getBoundingClientRect();
            return event.clientY >= box.top && event.clientY < box.bottom;
        });
        if (line === this.explained)
            return;
        this.explained = line;
        const problem = this.problems.find(one => one.line - 1 === line);
        const text = this.area.value, lines = text.split('\n'), row = lines[line] || '';
        const key = /^\s*(?:- )*([\w.\-]+)\s*:/.exec(row);
        const start = lines.slice(0, Math.max(0, line)).reduce((sum, one) => sum + one.length + 1, 0);
        this.area.title = problem ? problem.message
            : key ? meaning(placeAt(text, start + row.indexOf(key[1])).path, key[1], text) : '';
    }
}

function coloured(line, inside, problem) {
    let at = 0;
    const parts = pieces(line, inside).map(piece => {
        const wrong = problem && problem.column - 1 >= at && problem.column - 1 < at + piece.text.length;
        at += piece.text.length;
        const names = [piece.kind, wrong ? 'wrong' : ''].filter(Boolean).join(' ');
        return names ? make('span', {class: names}, piece.text) : piece.text;
    });
    if (problem && problem.column - 1 >= at)
        parts.push(make('span', {class: 'wrong'}, ' '));
    return parts.length ? parts : [' '];
}
