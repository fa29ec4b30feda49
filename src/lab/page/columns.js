/* What the columns of a table are: coordinates with their velocities, forces and states of contacts. */
const velocityUnit = unit => /\/time\)?$/.test(unit) && !/\/time\^/.test(unit);

/* {t, coordinates: [{name, x, v, unit}], contacts: [{N, T, state}]} of a table over time; null where there is no time. */
export function motionColumns(table) {
    if (!table || !table.has('t') || table.rows < 2)
        return null;
    const names = table.names.filter(name => table.numbers(name) && name !== 't');
    const forces = letter => names.filter(name => new RegExp(`^${letter}(_|\\d|$)`).test(name) && table.unit(name).includes('force'));
    const normal = forces('N'), tangential = forces('T'), states = table.names.filter(name => /^state(_|\d|$)/.test(name) && !table.numbers(name));
    const rest = names.filter(name => !normal.includes(name) && !tangential.includes(name) && !/_before$/.test(name) && !/force/.test(table.unit(name)));
    const velocities = rest.filter(name => velocityUnit(table.unit(name)));
    const places = rest.filter(name => !velocities.includes(name) && !['parameter', '', '1'].includes(table.unit(name)));
    return {
        t: table.numbers('t'), table,
        coordinates: places.map((name, i) => ({
            name, x: table.numbers(name), unit: table.unit(name),
            v: velocities.length === places.length ? table.numbers(velocities[i]) : null,
            vName: velocities[i], vUnit: table.unit(velocities[i])
        })),
        contacts: normal.map((name, i) => ({name: name.replace(/^N_?/, ''), N: table.numbers(name), T: table.numbers(tangential[i]) || null})),
        states
    };
}

/* The table that shows a motion best, of those whose names begin with a prefix ('' or 'name.'). */
export function motionTable(document, prefix = '') {
    for (const name of ['samples', 'cycle', 'corners', 'pull']) {
        const table = document.tables[prefix + name];
        if (table && table.rows > 1 && table.has('t'))
            return {name: prefix + name, table};
    }
    return null;
}

/* Prefixes of the results in a document: '' for the study's own question, 'name.' for those under `also`. */
export function prefixes(document) {
    return [...new Set(Object.keys(document.tables).map(name => name.includes('.') ? name.slice(0, name.lastIndexOf('.') + 1) : ''))]
        .sort((a, b) => a.length - b.length || a.localeCompare(b));
}

/* The switches of a motion in order: [{t, contact, from, to, cause}]. */
export function eventsOf(document, prefix, contactNames) {
    const table = document.tables[prefix + 'events'] || document.tables[prefix + 'switches'];
    if (table && table.has('contact'))
        return Array.from({length: table.rows}, (_, i) => ({
            t: table.cell(i, 't'), contact: String(table.cell(i, 'contact')), from: table.cell(i, 'from'), to: table.cell(i, 'to'),
            cause: table.cell(i, 'cause')
        }));
    return fromStates(document.tables[prefix + 'corners'] || document.tables[prefix + 'cycle'], contactNames);
}

function fromStates(table, contactNames) {
    const events = [];
    if (!table || !table.has('state') || !table.has('t'))
        return events;
    const column = table.column('state');
    let before = null;
    for (let i = 0; i < table.rows; i++) {
        const now = String(column[i] ?? '').split(',');
        (before || []).forEach((word, k) => {
            if (now[k] !== word && now[k])
                events.push({t: table.cell(i, 't'), contact: contactNames[k] || String(k + 1), from: word, to: now[k], cause: table.cell(i, 'cause') || ''});
        });
        before = now;
    }
    return events;
}
