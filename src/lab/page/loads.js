/* Loads at a time, as far as their functions are short formulas (others are not drawn). */
const list = given => given === undefined || given === null ? [] : Array.isArray(given) ? given : [given];

export function loadAt(load, t, Omega) {
    let sum = 0;
    for (const one of list(load.constant))
        sum += Number(one);
    for (const one of list(load.ramp))
        sum += typeof one === 'object' ? (one.value || 0) + (one.rate || 0) * t : one * t;
    for (const one of list(load.sine)) {
        const phase = one.phase || (one.phase_deg || 0) * Math.PI / 180;
        sum += (one.value || 0) + (one.amplitude ?? 1) * Math.sin((one.frequency ?? (one.multiple || 1) * Omega) * t + phase);
    }
    return sum;
}
