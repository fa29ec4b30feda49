/* Tables of results as columns: numbers are Float64Array (NaN: none), everything else is an array of words and flags. */

const MAGIC = 'AMCOLS01';

class Table {
    constructor(given, columns) {
        this.names = given.columns;
        this.units = given.units || given.columns.map(() => '');
        this.types = given.types || columns.map(c => c instanceof Float64Array ? 'number' : 'label');
        this.rows = columns.length ? columns[0].length : 0;
        this.columns = columns;
    }
    has(name) {
        return this.names.includes(name);
    }
    column(name) {
        return this.columns[this.names.indexOf(name)];
    }
    unit(name) {
        return this.units[this.names.indexOf(name)] || '';
    }
    numbers(name) {
        const column = this.column(name);
        return column instanceof Float64Array ? column : null;
    }
    cell(row, name) {
        const column = this.column(name), value = column && column[row];
        return typeof value === 'number' && isNaN(value) ? null : value;
    }
}

function fromRows(given) {
    const types = given.types || given.columns.map((_, j) => guess(given.rows, j)), numeric = type => type === 'number' || type === 'count';
    return new Table({...given, types}, types.map((type, j) => numeric(type)
        ? Float64Array.from(given.rows, row => row[j] === null ? NaN : row[j]) : given.rows.map(row => row[j])));
}

function guess(rows, j) {
    const row = rows.find(one => one[j] !== null);
    return !row || typeof row[j] === 'number' ? 'number' : 'label';
}

function fromBytes(given, buffer, start) {
    const named = key => given.columns.map(column => column[key]);
    return new Table({columns: named('name'), units: named('unit'), types: named('type')}, given.columns.map(column => {
        if (column.texts)
            return column.texts;
        const values = new Float64Array(buffer, start + column.offset, given.rows);
        return column.type === 'flag' ? Array.from(values, value => isNaN(value) ? null : value !== 0) : values;
    }));
}

/* A run document with `tables` of Table, from the server's JSON (an object) or binary columns (an ArrayBuffer, see
 * docs/lab.md). */
export function decode(given) {
    if (!(given instanceof ArrayBuffer))
        return withTables(given, fromRows);
    if (new TextDecoder().decode(new Uint8Array(given, 0, Math.min(8, given.byteLength))) !== MAGIC)
        return withTables(JSON.parse(new TextDecoder().decode(given)), fromRows);
    const length = Number(new DataView(given).getBigUint64(8, true));
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(given, 16, length)));
    return withTables(header, table => fromBytes(table, given, 16 + length));
}

function withTables(document, read) {
    const tables = {};
    for (const [name, table] of Object.entries(document.tables || {}))
        tables[name] = read(table);
    return {...document, tables};
}

/* Where in an increasing column a value lies: index i and share between i and i + 1. */
export function locate(column, value) {
    let low = 0, high = column.length - 1;
    if (high < 1 || !(value > column[0]))
        return {i: 0, share: 0};
    if (value >= column[high])
        return {i: Math.max(0, high - 1), share: 1};
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (column[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    const width = column[high] - column[low];
    return {i: low, share: width > 0 ? (value - column[low]) / width : 0};
}

export const between = (column, at) =>
    column.length < 2 ? column[0] : column[at.i] + (at.share ? at.share * (column[at.i + 1] - column[at.i]) : 0);

/* A number as people read it: about so many digits, no endings of zeros. */
export function written(value, digits = 5) {
    if (value === null || value === undefined || (typeof value === 'number' && isNaN(value)))
        return '–';
    if (typeof value !== 'number')
        return String(value);
    if (value === 0)
        return '0';
    const size = Math.abs(value);
    const text = size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1) : value.toPrecision(digits);
    return text.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '').replace('e+', 'e').replace(/-/g, '−');
}

export const extent = column => {
    let least = Infinity, most = -Infinity;
    for (const value of column) {
        if (value < least)
            least = value;
        if (value > most)
            most = value;
    }
    return least <= most ? [least, most] : null;
};

const DOCUMENT_UNITS = {'1': '', parameter: '', count: ''};
export const unitText = unit => unit in DOCUMENT_UNITS ? DOCUMENT_UNITS[unit] : unit;

/* A table as comma-separated values, as Amontons writes its CSV files: 17 digits, nothing for what is not there. */
export function csv(table) {
    const quoted = word => /[",\n]/.test(word) ? `"${word.replace(/"/g, '""')}"` : word;
    const lines = [table.names.map(quoted).join(',')];
    for (let row = 0; row < table.rows; row++)
        lines.push(table.columns.map(column => {
            const value = column[row];
            if (value === null || value === undefined || (typeof value === 'number' && isNaN(value)))
                return '';
            return typeof value === 'number' ? String(value) : quoted(String(value));
        }).join(','));
    return lines.join('\n') + '\n';
}
