/* Many alike bodies, drawn as rings (a bladed disc, a cyclic chain) or rows: one ring or row for each name before the numbers. */
import {STATES, onGround} from './colours.js';
import {extent} from './tables.js';
import {sentence} from './stage.js';

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";

/* The bodies of each name (blade1, blade2, ... are blades), in order; null where they are too few or unequal groups. */
function groupsOf(parts) {
    const groups = new Map();
    parts.bodies.forEach((body, b) => {
        const word = body.name.replace(/[\d.]+$/, '');
        groups.set(word, [...(groups.get(word) || []), b]);
    });
    const sizes = new Set([...groups.values()].map(own => own.length));
    return parts.bodies.length > 6 && sizes.size === 1 ? [...groups.values()] : null;
}

const joined = (parts, a, b) => parts.springs.some(([p, q]) => (p === a && q === b) || (p === b && q === a)) ||
    parts.contacts.some(one => (one.body === a && one.other === b) || (one.body === b && one.other === a));

export function manyScene(parts, motion) {
    const groups = groupsOf(parts);
    if (!groups)
        return null;
    const cyclic = groups.some(own => joined(parts, own[0], own[own.length - 1])), n = groups[0].length, where = new Map();
    groups.forEach((own, g) => own.forEach((b, i) => where.set(b, [g, i])));
    const column = b => { const i = parts.bodies[b].along, one = motion && motion.coordinates.find(each => each.name === parts.names[i]); return one ? one.x : null; };
    const most = Math.max(1e-300, ...parts.bodies.map((_, b) => column(b)).filter(Boolean).flatMap(x => extent(x).map(Math.abs)));
    function draw(pen, width, height, time, look) {
        const at = motion && motion.at(time), value = b => column(b) ? motion.value(column(b), at) / most : 0;
        const size = Math.min(width, height) / 2 - 26, radius = cyclic ? Math.min(12, Math.PI * size * 0.75 / n * 0.5) : Math.min(16, width / n * 0.28);
        const place = (b, move) => {
            const [g, i] = where.get(b);
            if (!cyclic)
                return [width * (i + 0.6 + 0.35 * move) / (n + 0.2), height * (g + 0.5) / groups.length];
            const ring = size * (1 - g * 0.32), angle = 2 * Math.PI * i / n - Math.PI / 2 + move * Math.PI / n * 0.8;
            return [width / 2 + Math.cos(angle) * ring, height / 2 + Math.sin(angle) * ring];
        };
        const points = parts.bodies.map((_, b) => place(b, value(b)));
        for (const [a, b] of parts.springs)
            pen.line([...points[a], ...points[b]], {stroke: look.soft, width: 1.2});
        parts.contacts.forEach((one, k) => {
            const state = motion && motion.stateAt(k, time), fill = STATES[state] || look.grey;
            if (one.other >= 0 && points[one.body] && points[one.other])
                pen.line([...points[one.body], ...points[one.other]], {stroke: fill, width: 5});
            else if (points[one.body])
                pen.dots(points[one.body], radius + 4, {fill});
        });
        points.forEach((point, b) => {
            pen.dots(point, radius, {fill: look.paper, stroke: onGround('#0072b2', look), width: 1.6});
            if (radius > 9)
                pen.text(String(where.get(b)[1] + 1), point[0], point[1], {font: FONT.replace('12px', '10px'), fill: look.ink, align: 'center', base: 'middle'});
        });
        pen.text(groups.map(own => parts.bodies[own[0]].name.replace(/[\d.]+$/, '')).join(cyclic ? ' (outside), ' : ' (above), ') + (groups.length > 1 ? cyclic ? ' (inside)' : ' (below)' : ''), 10, height - 8, {font: FONT, fill: look.soft});
    }
    return {draw, words: time => sentence(motion, time)};
}
