/* Which plots a run document has: the study's own figure first, then what its tables are known to show. */
import {SERIES, STATES} from './colours.js';
import {gridMap} from './maps.js';
import {motionColumns, motionTable, prefixes} from './columns.js';
import {unitText} from './tables.js';

const withUnit = (name, unit) => unit && !['parameter', '1'].includes(unit) ? `${name} [${unitText(unit)}]` : name;
const MOST_CURVES = 8;

/* Views: {id, title, plots: [spec]}; also {id, title, picture: true} for what only the command draws. */
export function viewsOf(document, study) {
    const views = [], own = study && study.figure && figureView(document, study);
    if (own)
        views.push(own);
    for (const prefix of prefixes(document))
        views.push(...tableViews(document, prefix, study));
    return views;
}

/* ---- the study's own figure ---- */

function figureView(document, study) {
    const figure = study.figure, panels = Array.isArray(figure.panels) ? figure.panels : [figure];
    const plots = panels.map((panel, i) => panelSpec(document, study, panel, i));
    if (!plots.length || plots.some(plot => plot === null))
        return {id: 'figure', title: 'Figure', picture: true, plots: []};
    return {id: 'figure', title: 'Figure', plots: plots.filter(Boolean), columns: figure.columns || 1};
}

function defaultTable(study) {
    return study.sweep ? 'sweep' : study.follow ? 'branch' : 'samples';
}

/* Null where a panel is of a kind, or names a column, that this page does not know how to draw. {waits} where a preview has nothing
 * of it: what `also` asks comes when the branches are followed. */
function panelSpec(document, study, panel, index) {
    const kind = panel.kind || 'curves';
    if (kind === 'map') {
        const name = panel.table || (study.sweep ? 'sweep' : 'map'), table = document.tables[name];
        const map = table && gridMap(table, panel.x, panel.y, panel.value || 'state');
        return map && {...labels(panel, table, panel.x, panel.y), key: `figure${index}`, series: [], map, table: name, xColumn: panel.x, yColumn: panel.y};
    }
    if (kind !== 'curves')
        return null;
    const given = Array.isArray(panel.curves) ? panel.curves : [{table: panel.table, x: panel.x, y: panel.y, by: panel.by}];
    const series = [];
    for (const one of given) {
        const name = one.table || panel.table || defaultTable(study), table = document.tables[name];
        if (!table && document.summary.preview)
            continue;
        if (!table || !table.numbers(one.x) || !table.numbers(one.y))
            return null;
        series.push(...family(name, table, one, series.length));
    }
    if (!series.length && document.summary.preview)
        return {waits: true, series: []};
    const first = series.length ? series[0].source : document.tables[given[0].table || panel.table || defaultTable(study)];
    return {
        ...labels(panel, first, given[0].x, given[0].y), key: `figure${index}`, series,
        xLog: panel.x_scale === 'log', yLog: panel.y_scale === 'log', equal: panel.equal_axes === true,
        xRange: panel.x_range, yRange: panel.y_range
    };
}

const labels = (panel, table, x, y) => ({
    title: panel.title || '', xLabel: panel.x_label || withUnit(x, table.unit(x)), yLabel: panel.y_label || withUnit(y, table.unit(y))
});

/* One curve, or one for each value of the column `by`; a flag's label is "words for false | for true". */
function family(name, table, one, before) {
    if (!one.by)
        return [series(name, table, one.x, one.y, {label: one.label, style: one.style, colour: one.colour || SERIES[before % SERIES.length], breaks: breaksOf(table, one.breaks)})];
    const column = table.column(one.by) || [], values = [...new Set(column)].filter(v => v !== null && v === v && (one.only === undefined || v === one.only));
    const words = String(one.label || '').split('|').map(word => word.trim());
    return values.slice(0, 40).map((value, i) => {
        const rows = Array.from(column.keys()).filter(row => column[row] === value);
        const label = typeof value === 'boolean' ? words[value ? 1 : 0] || String(value) : one.only !== undefined && one.label ? one.label : `${one.label || one.by}${/[=:]\s*$/.test(one.label || '') ? '' : ' ='} ${value}`;
        return series(name, table, one.x, one.y, {rows, label: values.length > 1 || one.label ? label : '', style: one.style, colour: one.colour || SERIES[(before + i) % SERIES.length]});
    });
}

function breaksOf(table, name) {
    const column = name && table.column(name);
    return column && Uint8Array.from(column, (value, i) => i > 0 && column[i - 1] !== value ? 1 : 0);
}

function series(name, table, x, y, more = {}) {
    const pick = column => column && (more.rows ? Float64Array.from(more.rows, row => column[row]) : column);
    const time = table.numbers('t');
    return {
        style: 'line', ...more, table: name, source: table,
        x: pick(table.numbers(x)), y: pick(table.numbers(y)), t: time && increasing(time) && !more.rows ? time : null,
        xName: x, yName: y, xUnit: table.unit(x), yUnit: table.unit(y), tUnit: table.unit('t'), rows: more.rows || null
    };
}

function increasing(column) {
    for (let i = 1; i < column.length; i++)
        if (column[i] < column[i - 1])
            return false;
    return true;
}

/* ---- what tables are known to show ---- */

function tableViews(document, prefix, study) {
    const name = prefix ? ` · ${prefix.slice(0, -1)}` : '', views = [];
    const push = (id, title, plots) => plots.length && views.push({id: prefix + id, title: title + name, plots: plots.map((plot, i) => ({key: prefix + id + i, series: [], ...plot}))});
    const motion = motionTable(document, prefix);
    if (motion)
        motionViews(document, motion, push);
    const tables = word => document.tables[prefix + word];
    push('map', 'Starts', startsPlots(prefix, tables));
    push('branch', 'Branches', branchPlots(prefix, tables, study));
    push('squeal', 'Squeal', squealPlots(prefix, tables));
    push('slip', 'Slip', slipPlots(prefix, tables));
    push('multipliers', 'Multipliers', multiplierPlots(prefix, tables));
    if (tables('sweep'))
        push('sweep', 'Sweep', sweepPlots(prefix, tables('sweep')));
    return views;
}

function motionViews(document, motion, push) {
    const columns = motionColumns(motion.table), {table, name} = motion;
    if (!columns)
        return;
    const some = columns.coordinates.slice(0, MOST_CURVES), curves = [];
    const over = (y, i, label) => series(name, table, 't', y, {label, colour: SERIES[i % SERIES.length]});
    curves.push({title: 'Displacements', xLabel: withUnit('t', table.unit('t')), yLabel: 'displacement', series: some.map((one, i) => over(one.name, i, one.name))});
    if (some.some(one => one.v))
        curves.push({title: 'Velocities', xLabel: withUnit('t', table.unit('t')), yLabel: 'velocity', series: some.map((one, i) => over(one.vName, i, one.vName))});
    const forces = table.names.filter(column => /^[NT](_|\d)/.test(column) && table.numbers(column)).slice(0, MOST_CURVES);
    if (forces.length)
        curves.push({title: 'Contact forces', xLabel: withUnit('t', table.unit('t')), yLabel: 'force', series: forces.map((one, i) => over(one, i, one))});
    push('time', 'Over time', curves);
    const planes = some[0] && some[0].v ? some.slice(0, 4).map((one, i) => ({
        title: some.length > 1 ? one.name : '', xLabel: withUnit(one.name, one.unit), yLabel: withUnit(one.vName, one.vUnit),
        series: [series(name, table, one.name, one.vName, {colour: SERIES[i]})]
    })) : [];
    if (some.length > 1)
        planes.push({
            title: 'Trajectory', xLabel: withUnit(some[0].name, some[0].unit), yLabel: withUnit(some[1].name, some[1].unit),
            series: [series(name, table, some[0].name, some[1].name, {colour: SERIES[0]})]
        });
    push('phase', some[0] && some[0].v ? 'Phase plane' : 'Plane', planes);
    if (columns.contacts.length)
        push('loops', 'Friction loops', columns.contacts.slice(0, 4).filter(one => one.T && some[0]).map((one, i) => {
            const T = table.names.find(column => table.numbers(column) === one.T), along = some[Math.min(i, some.length - 1)];
            return {title: `contact ${one.name}`, xLabel: withUnit(along.name, along.unit), yLabel: withUnit(T, table.unit(T)), series: [series(name, table, along.name, T, {colour: SERIES[i]})]};
        }));
}

function startsPlots(prefix, tables) {
    for (const [word, shown] of [['map', ['fate', 'state', 'orbit']], ['cells', ['group', 'steps', 'fate']]]) {
        const table = tables(word), [x, y] = table ? table.names : [];
        const plots = table ? shown.filter(value => table.has(value)).slice(0, 2).map(value => ({value, map: gridMap(table, x, y, value)})).filter(one => one.map) : [];
        if (plots.length)
            return plots.map(({value, map}) => ({title: value, xLabel: withUnit(x, table.unit(x)), yLabel: withUnit(y, table.unit(y)), map, table: prefix + word, xColumn: x, yColumn: y}));
    }
    return [];
}

/* Branches: stable pieces full, unstable ones dashed, each piece joined to the next by its first point. */
function branchSeries(name, table, x, y) {
    const branch = table.column('branch'), stable = table.column('stable'), before = table.types.findIndex(type => type === 'number');
    const groups = new Map();
    for (let i = 0; i < table.rows; i++) {
        const family = [branch ? branch[i] : 0, before >= 0 && /^(model|analysis)\./.test(table.names[before]) ? table.columns[before][i] : ''].join(' ');
        const flag = stable ? stable[i] : null;
        if (!groups.has(family))
            groups.set(family, []);
        const pieces = groups.get(family), last = pieces[pieces.length - 1];
        if (last && last.flag === flag)
            last.rows.push(i);
        else
            pieces.push({flag, rows: last ? [last.rows[last.rows.length - 1], i] : [i]});
    }
    const found = [], many = groups.size > 1;
    let k = 0;
    for (const [family, pieces] of groups) {
        for (const [flag, style, word] of [[true, 'line', 'stable'], [false, 'dashed', 'unstable'], [null, 'line', 'not judged']]) {
            const own = pieces.filter(piece => piece.flag === flag), rows = own.flatMap(piece => piece.rows);
            if (!rows.length)
                continue;
            const starts = new Set();
            own.reduce((at, piece) => (starts.add(at), at + piece.rows.length), 0);
            found.push(series(name, table, x, y, {
                rows, style, colour: flag === null ? '#000000' : SERIES[k % SERIES.length], breaks: Uint8Array.from(rows, (_, i) => i > 0 && starts.has(i) ? 1 : 0),
                label: many && !(k < 4) ? '' : `${many ? `${family.trim()}: ` : ''}${stable ? word : ''}`
            }));
        }
        k++;
    }
    return found;
}

function branchPlots(prefix, tables, study) {
    const plots = [], add = (word, x, ys, title) => {
        const table = tables(word);
        if (!table || !table.rows || !table.numbers(x))
            return;
        for (const y of ys.filter(one => table.numbers(one)))
            plots.push({title, xLabel: withUnit(x, table.unit(x)), yLabel: withUnit(y, table.unit(y)), series: [...branchSeries(prefix + word, table, x, y), ...specials(prefix, tables, x, y)], over: x});
    };
    const branch = tables('branch'), over = branch && branch.names.find(name => branch.unit(name) === 'parameter' && !/^(model|analysis)\./.test(name));
    const followed = study && study.follow && study.follow.parameter;
    if (branch)
        add('branch', over || (branch.has(followed) ? followed : branch.names.find(name => branch.numbers(name))), ['amplitude', 'largest', 'period', 'c_over_a'].filter(name => branch.has(name)).slice(0, 2), '');
    add('backbone', 'amplitude', ['frequency', 'damping'], 'Backbone');
    const envelope = tables('envelope');
    if (envelope)
        add('envelope', envelope.names[0], ['peak', 'reference'], 'Peak of the response');
    return plots;
}

function specials(prefix, tables, x, y) {
    const table = tables('special') || tables('bifurcations');
    if (!table || !table.numbers(x) || !table.numbers(y) || !table.has('kind'))
        return [];
    const kinds = [...new Set(table.column('kind'))].filter(kind => kind && kind !== 'start' && kind !== 'end');
    return kinds.map((kind, i) => series(prefix + 'special', table, x, y, {
        rows: Array.from(table.column('kind').keys()).filter(row => table.cell(row, 'kind') === kind), label: kind, style: 'points', colour: SERIES[(i + 3) % SERIES.length]
    }));
}

function squealPlots(prefix, tables) {
    const plots = [], table = tables('squeal');
    const over = table && table.names.find(name => table.unit(name) === 'parameter');
    if (over)
        for (const [y, title] of [['hertz', 'Frequencies over friction'], ['real', 'Growth over friction']]) {
            const flags = table.column('unstable');
            plots.push({title, xLabel: over, yLabel: withUnit(y, table.unit(y)), series: [[false, 'stable', SERIES[0]], [true, 'grows', SERIES[1]]].map(([flag, label, tint]) => series(prefix + 'squeal', table, over, y, {
                rows: Array.from(flags.keys()).filter(i => flags[i] === flag), label, colour: tint, style: 'points', small: true
            })).filter(one => one.x.length)});
        }
    const values = tables('eigenvalues');
    if (values)
        plots.push({title: 'Eigenvalues', xLabel: withUnit('real part', '1/time'), yLabel: withUnit('imaginary part', '1/time'), series: [series(prefix + 'eigenvalues', values, 'real', 'imaginary', {style: 'points', colour: SERIES[0]})]});
    return plots;
}

function multiplierPlots(prefix, tables) {
    const table = tables('multipliers');
    if (!table || !table.rows || !table.has('modulus'))
        return [];
    const circle = Float64Array.from({length: 181}, (_, i) => i * Math.PI / 90);
    return [{
        title: 'Multipliers and the unit circle', xLabel: 'real part', yLabel: 'imaginary part', equal: true,
        series: [{x: circle.map(Math.cos), y: circle.map(Math.sin), colour: '#7f7f7f', style: 'dashed', label: 'stable inside'}, series(prefix + 'multipliers', table, 'real', 'imaginary', {style: 'points', colour: SERIES[1]})]
    }];
}

function slipPlots(prefix, tables) {
    const plots = [], tractions = tables('tractions'), zones = tables('zones'), path = tables('path');
    if (tractions) {
        const scaled = tractions.has('x_over_a'), x = scaled ? 'x_over_a' : 'x', wide = scaled ? tractions.numbers('x').at(-1) / tractions.numbers('x_over_a').at(-1) : 1;
        const bands = zones ? Array.from({length: zones.rows}, (_, i) => ({from: zones.cell(i, 'from') / wide, to: zones.cell(i, 'to') / wide, label: zones.cell(i, 'state'), colour: STATES[zones.cell(i, 'state')] || '#999999'})) : [];
        const [p, q] = scaled ? ['p_over_pm', 'q_over_fpm'] : ['p', 'q'];
        plots.push({title: 'Tractions and zones', xLabel: scaled ? 'x/a' : 'x', yLabel: 'traction over the mean pressure', bands, series: [
            series(prefix + 'tractions', tractions, x, p, {label: 'pressure', colour: SERIES[0]}), series(prefix + 'tractions', tractions, x, q, {label: 'shear over f', colour: SERIES[1]})]});
        plots.push({title: 'Slip', xLabel: scaled ? 'x/a' : 'x', yLabel: withUnit('slip', tractions.unit('slip')), bands, series: [series(prefix + 'tractions', tractions, x, 'slip', {colour: SERIES[2]})]});
    }
    const profiles = tables('profiles'), map = profiles && gridMap(profiles, 'x', 'path_row', 'state');
    if (map)
        plots.push({title: 'Zones under the load', xLabel: withUnit('x', profiles.unit('x')), yLabel: 'row of path', map, table: prefix + 'profiles', xColumn: 'x', yColumn: 'path_row'});
    if (path && path.has('displacement'))
        plots.push({title: 'Force over displacement', xLabel: withUnit('displacement', path.unit('displacement')), yLabel: path.has('Q_over_fP0') ? 'Q/fP0' : 'Q/fP', series: [series(prefix + 'path', path, 'displacement', path.has('Q_over_fP0') ? 'Q_over_fP0' : 'Q_over_fP', {colour: SERIES[0]})]});
    return plots;
}

function sweepPlots(prefix, table) {
    const axes = table.names.filter(name => table.unit(name) === 'parameter' && /^(model|analysis|follow)\./.test(name));
    const outputs = table.names.filter(name => !axes.includes(name) && name !== 'failure');
    if (axes.length === 2)
        return outputs.slice(0, 4).map(value => ({value, map: gridMap(table, axes[0], axes[1], value)})).filter(one => one.map)
            .map(({value, map}) => ({title: value, xLabel: axes[0], yLabel: axes[1], map, table: prefix + 'sweep', xColumn: axes[0], yColumn: axes[1]}));
    return outputs.filter(name => table.numbers(name)).slice(0, 6).map((name, i) => ({
        title: name, xLabel: axes[0], yLabel: withUnit(name, table.unit(name)), series: [series(prefix + 'sweep', table, axes[0], name, {colour: SERIES[i % SERIES.length], dotted: table.rows < 60})]
    }));
}

/* The same plots of another document behind these: its curves in grey. */
export function pinBehind(views, pinned) {
    for (const view of views) {
        const other = pinned.find(one => one.id === view.id);
        [...view.plots].forEach((plot, i) => {
            const behind = other && other.plots[i];
            if (behind && plot.map && behind.map)
                view.plots.push({...behind, key: behind.key + ' A', title: `A, pinned: ${behind.title || ''}`, pinned: true});
            else if (behind)
                plot.series.push(...behind.series.filter(one => !one.pinned).map((one, k) => ({...one, pinned: true, t: null, label: k === 0 ? 'A, pinned' : ''})));
        });
    }
    return views;
}
