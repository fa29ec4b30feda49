/* Meshes drawn: bodies of finite elements deformed and coloured by a stress, shapes of vibration in space. */
import {STATES, stress, both, css, onGround} from './colours.js';
import {extent, written} from './tables.js';

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
/* Nodes around an element in the order of its outline, by the shapes of the table mesh_elements. */
const OUTLINE = {quad8: [0, 4, 1, 5, 2, 6, 3, 7], quad4: [0, 1, 2, 3], triangle6: [0, 3, 1, 4, 2, 5], triangle3: [0, 1, 2]};

/* The bodies of `blocks` and `mesh` with `fields`; `share` of the displacements is the time, so that they come to be. */
export function meshScene(document, value = 'mises') {
    const nodes = document.tables.mesh_nodes, elements = document.tables.mesh_elements, contact = document.tables.interface;
    if (!nodes || !elements)
        return null;
    const x = nodes.numbers('x'), y = nodes.numbers('y'), ux = nodes.numbers('ux'), uy = nodes.numbers('uy'), shown = nodes.numbers(value) || nodes.numbers('mises');
    const [x0, x1] = extent(x), [y0, y1] = extent(y), sorted = Float64Array.from(shown).sort(), least = Math.min(0, sorted[Math.floor(sorted.length * 0.01)]), most = sorted[Math.floor(sorted.length * 0.99)] || 1;
    const tint = least < 0 ? v => both(0.5 + 0.5 * v / Math.max(-least, most)) : v => stress(v / most);
    const enlarged = 0.06 * Math.max(x1 - x0, y1 - y0) / Math.max(1e-300, ...Array.from(ux, (u, i) => Math.hypot(u, uy[i])));
    const corners = Array.from({length: elements.rows}, (_, e) => (OUTLINE[elements.cell(e, 'shape')] || OUTLINE.quad8).map(k => elements.cell(e, `n${k + 1}`)).filter(n => n).map(n => n - 1));
    function draw(pen, width, height, time, look) {
        const scale = Math.min((width - 30) / (x1 - x0), (height - 60) / (y1 - y0)), left = (width - scale * (x1 - x0)) / 2, bottom = height / 2 + scale * (y1 - y0) / 2, by = enlarged * time;
        const px = n => left + (x[n] - x0 + by * ux[n]) * scale, py = n => bottom - (y[n] - y0 + by * uy[n]) * scale;
        for (const own of corners) {
            const points = own.flatMap(n => [px(n), py(n)]), mean = own.reduce((sum, n) => sum + shown[n], 0) / own.length;
            pen.line(points, {fill: css(tint(mean * time)), stroke: css(tint(mean * time)), width: 0.6}, true);
        }
        corners.forEach(own => pen.line(own.flatMap(n => [px(n), py(n)]), {stroke: look.ink, width: 0.35, alpha: 0.5}, true));
        if (contact && contact.has('state'))
            for (let i = 0; i < contact.rows; i++)
                pen.dots([left + (contact.cell(i, 'x') - x0) * scale, bottom - (contact.cell(i, 'y') - y0) * scale], 2.6, {fill: STATES[contact.cell(i, 'state')] || look.grey, stroke: look.ink, width: 0.5});
        scaleOf(pen, value, least, most, tint, look);
        pen.text(`displacements × ${written(enlarged * time, 3)}`, 10, height - 8, {font: FONT, fill: look.soft});
    }
    return {draw, words: () => `Deformed bodies, ${value} from ${written(least, 3)} to ${written(most, 3)}`, values: ['mises', 'sxx', 'syy', 'sxy', 'szz'].filter(name => nodes.has(name))};
}

function scaleOf(pen, value, least, most, tint, look) {
    for (let i = 0; i < 120; i++)
        pen.rect(12 + i, 10, 1.5, 9, {fill: css(tint(least + (most - least) * i / 119))});
    pen.text(`${value}: ${written(least, 3)} to ${written(most, 3)}`, 140, 15, {font: FONT, fill: look.ink, base: 'middle'});
}

/* Edges of the cells that VTK knows by these numbers. */
const HEX = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];
const TET = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]], QUAD = [[0, 1], [1, 2], [2, 3], [3, 0]], TRI = [[0, 1], [1, 2], [2, 0]];
const EDGES = {3: [[0, 1]], 5: TRI, 9: QUAD, 10: TET, 12: HEX, 13: [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5]], 21: [[0, 1]], 22: TRI, 23: QUAD, 24: TET, 25: HEX};

/* A mode in space, swinging with the time; `view` turns it: {around, above}. */
export function modeScene(document, mode, view) {
    const nodes = document.tables.mode_shape_nodes, cells = document.tables.mode_shape_cells;
    if (!nodes || !cells)
        return null;
    const of = nodes.numbers('mode'), rows = Array.from(of.keys()).filter(i => of[i] === mode), number = new Map(rows.map((row, i) => [nodes.cell(row, 'node'), i]));
    const part = name => { const column = nodes.numbers(name); return Float64Array.from(rows, row => column ? column[row] || 0 : 0); };
    const place = ['x', 'y', 'z'].map(part), shape = ['ux', 'uy', 'uz'].map(part), turned = ['ux_imaginary', 'uy_imaginary', 'uz_imaginary'].map(part);
    const middle = place.map(column => { const [a, b] = extent(column); return (a + b) / 2; }), size = Math.max(...place.map(column => { const [a, b] = extent(column); return b - a; }));
    const enlarged = 0.12 * size / Math.max(1e-300, ...rows.map((_, i) => Math.hypot(...shape.map(column => column[i]), ...turned.map(column => column[i]))));
    const edges = new Set();
    for (let c = 0; c < cells.rows; c++)
        for (const [a, b] of EDGES[cells.cell(c, 'vtk_type')] || []) {
            const ends = [cells.cell(c, `n${a + 1}`), cells.cell(c, `n${b + 1}`)].map(n => number.has(n) ? number.get(n) : n - 1).sort((p, q) => p - q);
            edges.add(ends.join(' '));
        }
    const pairs = [...edges].map(pair => pair.split(' ').map(Number)).filter(([a, b]) => a >= 0 && b < rows.length);
    function draw(pen, width, height, time, look) {
        const scale = Math.min(width, height) * 0.78 / size, co = Math.cos(view.around), si = Math.sin(view.around), up = Math.sin(view.above), flat = Math.cos(view.above), swing = Math.cos(time), late = Math.sin(time);
        const project = (i, by) => {
            const [x, y, z] = place.map((column, k) => column[i] - middle[k] + by * (shape[k][i] * swing - turned[k][i] * late));
            const right = co * x - si * y, back = si * x + co * y;
            return [width / 2 + right * scale, height / 2 - (z * flat + back * up) * scale];
        };
        const rest = [], moved = [];
        for (const [a, b] of pairs) {
            rest.push(...project(a, 0), ...project(b, 0), NaN, NaN);
            moved.push(...project(a, enlarged), ...project(b, enlarged), NaN, NaN);
        }
        pen.line(rest, {stroke: look.line, width: 0.8});
        pen.line(moved, {stroke: onGround('#0072b2', look), width: 1.1});
        pen.text(`mode ${mode}, drag to turn`, 10, height - 8, {font: FONT, fill: look.soft});
    }
    return {draw, words: () => `Shape of mode ${mode}`};
}

/* The modes that have shapes, elastic ones before those that are rigid (or nearly). */
export function modesOf(document) {
    const nodes = document.tables.mode_shape_nodes, modes = document.tables.mode_shapes;
    if (!nodes)
        return [];
    const all = [...new Set(nodes.numbers('mode'))], number = modes && modes.numbers('mode'), speed = modes && modes.numbers('imaginary');
    const of = mode => speed ? Math.abs(speed[number.indexOf(mode)]) : 1, sorted = all.map(of).sort((a, b) => a - b), middle = sorted[sorted.length >> 1] || 0;
    return [...all.filter(mode => of(mode) > 0.05 * middle), ...all.filter(mode => !(of(mode) > 0.05 * middle))];
}
