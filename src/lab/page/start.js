/* The start page: six problems to play with, and the gallery. */
import {make, fill} from './dom.js';
import {TOURS} from './tours.js';

const SKETCHES = {
    belt: [['path', {d: 'M10 78h140', class: 't'}], ['path', {d: 'M20 40l8 0 5-8 8 16 8-16 8 16 5-8 8 0', class: 'b'}], ['path', {d: 'M20 22v36'}], ['rect', {x: 70, y: 24, width: 42, height: 40, class: 'f'}], ['rect', {x: 70, y: 64, width: 42, height: 8, class: 'o'}], ['path', {d: 'M120 90h24m-8-6l8 6-8 6', class: 'r'}]],
    klarbring: [['path', {d: 'M14 80h132M24 80l-8 9M44 80l-8 9M64 80l-8 9M84 80l-8 9M104 80l-8 9M124 80l-8 9M144 80l-8 9', class: 't'}], ['path', {d: 'M20 60q20-60 44-6t26 6 20 8 18 6', class: 'b'}], ['circle', {cx: 64, cy: 40, r: 14, class: 'f'}], ['path', {d: 'M64 40l-34-18m10-2l-10 2 6 8', class: 'r'}]],
    bow: [['path', {d: 'M10 60q70-34 140 0', class: 'b'}], ['path', {d: 'M96 14L72 92'}], ['rect', {x: 76, y: 40, width: 12, height: 9, class: 'o'}], ['path', {d: 'M10 60q70 34 140 0', class: 't'}]],
    blade: [['path', {d: 'M70 88q-6-40 10-74 12 34 6 74z', class: 'f'}], ['path', {d: 'M54 88h60'}], ['rect', {x: 92, y: 56, width: 16, height: 8, class: 'g'}], ['path', {d: 'M108 60h20', class: 'b'}], ['path', {d: 'M16 80q18-2 26-40 8 38 22 42', class: 'r'}]],
    brake: [['circle', {cx: 80, cy: 54, r: 38, class: 'f'}], ['circle', {cx: 80, cy: 54, r: 12}], ['path', {d: 'M96 20q20 8 22 34l-14 4q-2-18-16-26z', class: 'o'}], ['path', {d: 'M128 20q10 10 10 24M140 14q12 14 12 34', class: 'r'}]],
    fretting: [['path', {d: 'M46 12a44 44 0 0 0 68 0', class: 'f'}], ['path', {d: 'M10 62h140', class: 't'}], ['path', {d: 'M36 10q44 102 88 0', class: 'b'}], ['rect', {x: 66, y: 58, width: 28, height: 7, class: 'o'}], ['rect', {x: 54, y: 58, width: 12, height: 7, class: 'g'}], ['rect', {x: 94, y: 58, width: 12, height: 7, class: 'g'}], ['path', {d: 'M112 30h30m-8-6l8 6-8 6', class: 'r'}]],
};

function sketch(id) {
    return make('svg:svg', {viewBox: '0 0 160 100', class: 'sketch', 'aria-hidden': 'true'}, SKETCHES[id].map(([tag, attributes]) => make(`svg:${tag}`, attributes)));
}

export function startPage(place, studies) {
    const doors = TOURS.map(tour => make('a', {class: 'card', href: `#tour=${tour.id}`}, sketch(tour.id), make('b', {}, tour.title), make('span', {}, tour.blurb)));
    const own = studies.filter(one => !one.name.startsWith('gallery/')), gallery = studies.filter(one => one.name.startsWith('gallery/'));
    const found = make('span', {id: 'found', role: 'status', class: 'soft'}), list = make('div', {id: 'gallery'});
    const search = make('input', {type: 'search', placeholder: 'friction, squeal, basin, Fig. 4b …', 'aria-label': 'Search the gallery', oninput: () => show()});
    const choice = make('select', {'aria-label': 'Verdict', onchange: () => show()}, [['', 'any verdict'], ['held', 'held'], ['partly', 'partly'], ['refuted', 'refuted'], ['new', 'new']].map(([value, words]) => make('option', {value}, words)));
    fill(place,
        make('p', {class: 'lead'}, 'Structures with dry friction that you can touch: drag a number and watch. Everything is computed on this machine while you look.'),
        make('h2', {}, 'Six problems to play with'), make('div', {class: 'cards doors'}, doors),
        own.length ? [make('h2', {}, 'In the opened folder'), make('div', {class: 'cards'}, own.map(card))] : null,
        make('h2', {}, 'The gallery'), make('form', {id: 'find', role: 'search', onsubmit: event => event.preventDefault()}, search, choice, found), list);
    const groups = [...new Set(gallery.map(one => one.group))].map(group => {
        const cards = gallery.filter(one => one.group === group).map(one => ({one, element: card(one), text: `${one.name} ${one.title} ${one.source || ''} ${one.about || ''} ${one.topic || ''} ${one.group_title || ''}`.toLowerCase()}));
        const count = make('span', {class: 'soft'}), box = make('details', {}, make('summary', {class: 'group-title'}, make('b', {}, cards[0].one.group_title || group), ' ', count), make('div', {class: 'cards'}, cards.map(each => each.element)));
        list.append(box);
        return {cards, box, count};
    });
    function show() {
        const words = search.value.toLowerCase().split(/\s+/).filter(Boolean), verdict = choice.value;
        let sum = 0;
        for (const {cards, box, count} of groups) {
            let some = 0;
            for (const each of cards) {
                each.element.hidden = Boolean(verdict && each.one.verdict !== verdict) || !words.every(word => each.text.includes(word));
                some += each.element.hidden ? 0 : 1;
            }
            box.hidden = some === 0;
            box.open = words.length > 0 || verdict !== '';
            count.textContent = some === 1 ? '1 study' : `${some} studies`;
            sum += some;
        }
        found.textContent = sum === 1 ? '1 study' : `${sum} studies`;
    }
    show();
}

function card(one) {
    return make('a', {class: 'card', href: `#study=${encodeURIComponent(one.name)}`}, make('b', {}, one.title || one.name), make('span', {class: 'soft'}, one.source || one.name),
        one.verdict ? make('span', {class: `badge ${one.verdict}`}, one.verdict) : null);
}
