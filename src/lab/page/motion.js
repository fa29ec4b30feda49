/* A motion that can be asked at any time: where everything is, which state each contact is in. */
import {motionColumns, motionTable, eventsOf} from './columns.js';
import {locate, between} from './tables.js';

/* Null where the document shows no motion. */
export function motionOf(document, prefix = '') {
    const found = motionTable(document, prefix), columns = found && motionColumns(found.table);
    if (!columns)
        return null;
    const contacts = contactNames(document, prefix, columns);
    const events = eventsOf(document, prefix, contacts).filter(one => one.t !== null);
    const t = columns.t, motion = {
        ...columns, prefix, events, cycle: Boolean(document.tables[prefix + 'switches']), from: t[0], to: t[t.length - 1], names: contacts,
        intervals: contacts.map((name, k) => intervals(name, k, columns, events)),
        at: time => locate(t, time), value: (column, at) => between(column, at),
        stateAt(k, time) {
            const own = motion.intervals[k] || [];
            let low = 0, high = own.length - 1;
            while (low < high) {
                const middle = (low + high + 1) >> 1;
                if (own[middle].from <= time)
                    low = middle;
                else
                    high = middle - 1;
            }
            return own.length ? own[low].state : null;
        }
    };
    return motion;
}

function contactNames(document, prefix, columns) {
    const table = document.tables[prefix + 'events'] || document.tables[prefix + 'switches'], names = columns.contacts.map(one => one.name);
    const heard = table && table.has('contact') ? [...new Set(table.column('contact'))].map(String) : [];
    if (!names.length)
        return heard;
    return heard.length && names.length === 1 && /^\d*$/.test(names[0]) ? [heard[0]]
        : names.map((name, k) => heard.find(word => word === name || word.replace(/\W+/g, '_') === name || word === `node ${name}`) || heard.filter(word => /\d+$/.test(word) && /\d+$/.exec(word)[0] === name)[0] || name || String(k + 1));
}

/* [{from, to, state}] of one contact: exact times from the events, what it begins in from the table. */
function intervals(name, k, columns, events) {
    const t = columns.t, own = events.filter(one => one.contact === name), end = t[t.length - 1];
    const first = own.length ? own[0].from : stateIn(columns, k, 0);
    const found = [{from: t[0], to: end, state: first}];
    for (const one of own) {
        found[found.length - 1].to = one.t;
        found.push({from: one.t, to: end, state: one.to});
    }
    return first || own.length ? found : sampled(columns, k);
}

function stateIn(columns, k, row) {
    const table = columns.table;
    if (columns.states.length > k && columns.states[0] !== 'state')
        return table.column(columns.states[k])[row];
    return table.has('state') ? String(table.column('state')[row]).split(',')[k] || null : null;
}

function sampled(columns, k) {
    const found = [], t = columns.t;
    for (let i = 0; i < t.length; i++) {
        const state = stateIn(columns, k, i);
        if (!found.length || found[found.length - 1].state !== state) {
            if (found.length)
                found[found.length - 1].to = t[i];
            found.push({from: t[i], to: t[t.length - 1], state});
        }
    }
    return found[0] && found[0].state ? found : [];
}
