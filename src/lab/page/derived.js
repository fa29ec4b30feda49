/* Studies that follow from one: a start picked in a map, a point of a branch, a point of a sweep. Each is
 * {study, title}: a tree that is sent as JSON, which YAML is. */

const copy = given => JSON.parse(JSON.stringify(given));

/* Puts a value at a path of keys and numbers of list items, as --set does; keys that have points are found too. */
export function put(tree, path, value) {
    const parts = path.replace(/\[(\d+)\]/g, '.$1').split('.');
    let at = tree;
    for (let i = 0; i < parts.length - 1; i++) {
        const key = parts[i];
        if (at[key] === null || typeof at[key] !== 'object')
            at[key] = /^\d+$/.test(parts[i + 1]) ? [] : {};
        at = at[key];
    }
    at[parts[parts.length - 1]] = value;
    return tree;
}

const bare = study => ({model: copy(study.model)});

/* A vector over the coordinates, from values by name. */
function initialOf(names, values, first) {
    const displacement = names.map(() => 0), velocity = names.map(() => 0);
    for (const which of ['displacement', 'velocity'])
        if (first && Array.isArray(first[which]))
            first[which].forEach((value, i) => { (which === 'velocity' ? velocity : displacement)[i] = value; });
    for (const [axis, value] of Object.entries(values)) {
        const place = names.indexOf(axis), speed = names.indexOf(axis.replace(/^v_/, '')), numbered = /^v(\d+)$/.exec(axis);
        if (place >= 0)
            displacement[place] = value;
        else if (axis.startsWith('v_') && speed >= 0)
            velocity[speed] = value;
        else if (numbered && numbered[1] <= names.length)
            velocity[numbered[1] - 1] = value;
        else
            return null;
    }
    return {displacement, velocity};
}

/* The motion from a start that was clicked in a map of `attractors` or `cells`. Null where axes are no coordinates. */
export function fromStart(study, names, values, document, massless) {
    const analysis = study.analysis || {}, initial = initialOf(names, values, analysis.initial);
    if (!initial)
        return null;
    const said = Object.entries(values).map(([name, value]) => `${name} = ${Number(value.toPrecision(5))}`).join(', ');
    const period = longest(document), until = analysis.until || (period ? 12 * period : 60);
    if (massless)
        return {title: `The path from ${said}`, study: {...bare(study), analysis: {kind: 'path', cycles: 'until-repeat', initial: {displacement: initial.displacement}}}};
    const from = analysis.from ? {from: analysis.from} : {};
    return {title: `The motion from ${said}`, study: {...bare(study), analysis: {kind: 'motion', until: (analysis.from || 0) + until, ...from, initial, samples: 2001}}};
}

function longest(document) {
    const orbits = document.tables.orbits, column = orbits && orbits.numbers('period');
    return column && column.length ? Math.max(...column.filter(v => v > 0)) : 0;
}

/* The study itself at one point of its sweep. */
export function atPoint(study, values) {
    const one = copy(study);
    delete one.sweep;
    delete one.follow;
    delete one.expect;
    delete one.figure;
    delete one.full;
    Object.entries(values).forEach(([path, value]) => put(one, path, value));
    return {title: Object.entries(values).map(([path, value]) => `${path.replace(/^model\./, '')} = ${Number(value.toPrecision(5))}`).join(', '), study: one};
}

/* The exact motion at a point of a branch of `response`, closed at once (stable or not) from the branch's first harmonic,
 * x = A cos(Omega t - phase). */
export function atBranch(study, names, over, table, row) {
    const value = table.cell(row, over), one = bare(study), place = names.map(name => [table.cell(row, `${name}_1`), table.cell(row, `${name}_phase_deg`)]);
    const frequency = table.cell(row, 'frequency') || 1, known = place.every(pair => pair[0] !== null && pair[0] !== undefined);
    put(one, `model.${over}`, value);
    for (const axis of table.names.filter(name => /^model\./.test(name)))
        put(one, axis, table.cell(row, axis));
    const initial = known ? {
        displacement: place.map(([size, phase]) => size * Math.cos((phase || 0) * Math.PI / 180)),
        velocity: place.map(([size, phase]) => size * frequency * Math.sin((phase || 0) * Math.PI / 180))
    } : null;
    return {title: `The orbit at ${over} = ${Number(value.toPrecision(6))}`, study: {...one, analysis: {kind: 'orbit', ...(initial ? {initial, transient: 0} : {})}}};
}

/* The orbit at a point of a branch that `follow` made. */
export function atFollowed(study, path, value) {
    const one = {...bare(study), analysis: {...copy(study.analysis), kind: 'orbit'}};
    put(one, path, value);
    return {title: `The orbit at ${path.replace(/^model\./, '')} = ${Number(value.toPrecision(6))}`, study: one};
}
