/* Modes in the coordinates of a structure: those of `stability`, small motions about the state that was asked about, and of
 * `backbone`. */
import {between, locate, written} from './tables.js';

const MOST = 12, PERIODS = 6, STEPS = 601, MOST_GROWTH = 3;

/* [{title, motion}], those that grow first (as the table has them): x = Re(shape exp(lambda t)), for some periods or until it
 * has grown or died enough. */
export function modeMotions(document) {
    const {modes, eigenvalues, contacts} = document.tables;
    if (!modes || !eigenvalues || !modes.rows || !modes.has('amplitude'))
        return [];
    const of = modes.numbers('mode'), rows = mode => Array.from(of.keys()).filter(row => of[row] === mode);
    return [...new Set(of)].slice(0, MOST).map((mode, i) => {
        const growth = eigenvalues.cell(mode, 'real'), speed = Math.abs(eigenvalues.cell(mode, 'imaginary'));
        const shape = rows(mode).map(row => ({name: modes.cell(row, 'coordinate'), size: modes.cell(row, 'amplitude'), phase: modes.cell(row, 'phase_deg')}));
        return {title: titleOf(i + 1, growth, speed), motion: motionOf(shape, growth, speed, contacts)};
    });
}

/* The first harmonic of a nonlinear mode at one row of the table `backbone`: x = A cos(omega t - phase). */
export function backboneMotion(table, row, names) {
    const shape = names.map(name => ({name, size: table.cell(row, `${name}_1`), phase: -table.cell(row, `${name}_phase_deg`)}));
    return shape.every(one => Number.isFinite(one.size)) ? motionOf(shape, 0, table.cell(row, 'frequency'), null) : null;
}

const titleOf = (number, growth, speed) => `Mode ${number}: ${speed > 0 ? `frequency ${written(speed, 4)}, ` : ''}${growth > 0 ? 'grows' : 'dies out'} at ${written(Math.abs(growth), 3)}`;

/* shape: [{name, size, phase}], phases in degrees. */
function motionOf(shape, growth, speed, contacts) {
    const longest = speed > 0 ? PERIODS * 2 * Math.PI / speed : Infinity, to = Math.min(longest, MOST_GROWTH / (Math.abs(growth) || 1e-300));
    const t = Float64Array.from({length: STEPS}, (_, i) => to * i / (STEPS - 1));
    const coordinates = shape.map(({name, size, phase: degrees}) => {
        const phase = degrees * Math.PI / 180;
        const x = t.map(time => size * Math.exp(growth * time) * Math.cos(speed * time + phase));
        const v = t.map((time, i) => growth * x[i] - speed * size * Math.exp(growth * time) * Math.sin(speed * time + phase));
        return {name, x, v, vName: `v_${name}`, unit: ''};
    });
    const names = contacts ? contacts.column('contact').map(String) : [], states = contacts ? contacts.column('state') : [];
    return {
        t, from: 0, to, coordinates, names, contacts: [], events: [], cycle: false, table: {unit: () => ''},
        intervals: states.map(state => [{from: 0, to, state}]), stateAt: k => states[k] || null,
        at: time => locate(t, time), value: (column, at) => between(column, at)
    };
}
