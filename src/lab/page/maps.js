/* Maps: a column of words or numbers over the grid of two others. */
import {written, unitText} from './tables.js';
import {viridis, css, parts, wordColours, NOTHING} from './colours.js';
import {plain} from './axes.js';

const sorted = column => Float64Array.from(new Set(column)).sort();

function edges(values) {
    const n = values.length, first = n > 1 ? values[1] - values[0] : Math.abs(values[0]) || 1, last = n > 1 ? values[n - 1] - values[n - 2] : first;
    return [values[0] - first / 2, values[n - 1] + last / 2];
}

function nearest(values, value) {
    let low = 0, high = values.length - 1;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (values[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return Math.abs(values[low] - value) <= Math.abs(values[high] - value) ? low : high;
}

/* Null where the two columns are no grid. */
export function gridMap(table, x, y, value) {
    const columnX = table.numbers(x), columnY = table.numbers(y), shown = table.column(value);
    if (!columnX || !columnY || !shown || !table.rows)
        return null;
    const xs = sorted(columnX), ys = sorted(columnY);
    if (xs.length * ys.length > 4 * table.rows + 16 || xs.length < 2 || ys.length < 2)
        return null;
    const row = new Int32Array(xs.length * ys.length).fill(-1);
    const indexX = new Map(Array.from(xs, (v, i) => [v, i])), indexY = new Map(Array.from(ys, (v, i) => [v, i]));
    for (let i = 0; i < table.rows; i++)
        row[indexY.get(columnY[i]) * xs.length + indexX.get(columnX[i])] = i;
    return {xs, ys, row, edges: [edges(xs), edges(ys)], ...colouring(table, x, y, value, xs, ys, row)};
}

function colouring(table, x, y, value, xs, ys, row) {
    const shown = table.column(value), numeric = shown instanceof Float64Array;
    const distinct = new Set();
    for (let i = 0; i < shown.length && distinct.size <= 9; i++)
        distinct.add(shown[i]);
    const few = !numeric || (distinct.size <= 8 && [...distinct].every(v => isNaN(v) || Number.isInteger(v)));
    let ramp = null, paintOne, key;
    if (few) {
        const words = [...new Set(shown)].sort((a, b) => numeric ? a - b : String(a).localeCompare(String(b)));
        const named = wordColours(words.map(word => numeric && isNaN(word) ? null : word));
        if (numeric && words.length > 1)
            words.forEach((word, i) => isNaN(word) || named.set(word, css(viridis(i / (words.length - 1)))));
        const rgb = new Map([...named].map(([word, colour]) => [word, colour.startsWith('rgb') ? colour.match(/\d+/g).map(Number) : parts(colour)]));
        paintOne = v => rgb.get(numeric && isNaN(v) ? null : v);
        key = () => [...named].slice(0, 12).map(([word, colour]) => ({label: word === null ? 'none' : String(word), colour, style: 'square'}));
    } else {
        let least = Infinity, most = -Infinity;
        for (const v of shown)
            if (v === v) {
                least = Math.min(least, v);
                most = Math.max(most, v);
            }
        ramp = v => viridis((v - least) / (most - least || 1));
        paintOne = v => isNaN(v) ? parts(NOTHING) : ramp(v);
        key = () => [{label: `${value}: ${written(least, 3)} to ${written(most, 3)}`, ramp: share => css(viridis(share))}];
    }
    let picture = null;
    return {
        key,
        canvas() {
            if (!picture)
                picture = draw(xs.length, ys.length, row, shown, paintOne);
            return picture;
        },
        find(px, py, at) {
            const ix = nearest(xs, px), iy = nearest(ys, py), i = row[iy * xs.length + ix];
            if (i < 0)
                return null;
            const told = table.names.slice(0, 10).filter(name => table.cell(i, name) !== null)
                .map(name => `${plain(name)} = ${written(table.cell(i, name), 6)} ${unitText(table.unit(name))}`.trim());
            return {ix, iy, row: i, px: at.x, py: at.y, x: xs[ix], y: ys[iy], said: told.join('\n')};
        }
    };
}

function draw(nx, ny, row, shown, paintOne) {
    const canvas = document.createElement('canvas');
    canvas.width = nx;
    canvas.height = ny;
    const context = canvas.getContext('2d'), image = context.createImageData(nx, ny), ground = parts(NOTHING);
    for (let iy = 0; iy < ny; iy++)
        for (let ix = 0; ix < nx; ix++) {
            const i = row[iy * nx + ix], rgb = i < 0 ? ground : paintOne(shown[i]) || ground, at = 4 * ((ny - 1 - iy) * nx + ix);
            image.data[at] = rgb[0];
            image.data[at + 1] = rgb[1];
            image.data[at + 2] = rgb[2];
            image.data[at + 3] = 255;
        }
    context.putImageData(image, 0, 0);
    return canvas;
}
