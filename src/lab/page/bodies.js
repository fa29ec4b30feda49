/* From a structure's matrices and contacts to bodies that can be drawn: who moves along, who across, who rubs on what. */

const strongest = row => row.reduce((best, value, i) => Math.abs(value) > Math.abs(best < 0 ? 0 : row[best]) ? i : best, -1);

/* {bodies: [{along, across, name}], springs: [[a, b]], grounded: [body], contacts: [...], loads: [...]}; `along` and
 * `across` are numbers of coordinates (-1: none). */
export function bodiesOf(structure) {
    const names = structure.coordinates.map(one => one.name);
    if (!names.length || names.length > 80)
        return null;
    const contacts = structure.contacts.map(one => ({
        name: one.name, law: one.law, gap: one.gap || 0, normal: one.normal, tangent: one.tangent, moving: one.surface_velocity || 0
    }));
    const bodies = [], of = new Array(names.length).fill(-1);
    const add = (along, across) => {
        bodies.push({along, across, name: along >= 0 ? names[along] : names[across]});
        of[along] = of[across] = bodies.length - 1;
        if (along >= 0)
            of[along] = bodies.length - 1;
    };
    for (const one of contacts) {
        const along = one.tangent ? strongest(one.tangent) : -1, across = one.normal ? strongest(one.normal) : -1;
        if (along >= 0 && across >= 0 && along !== across && of[along] < 0 && of[across] < 0)
            add(along, across);
    }
    names.forEach((_, i) => of[i] < 0 && add(i, -1));
    bodies.sort((a, b) => Math.min(...[a.along, a.across].filter(i => i >= 0)) - Math.min(...[b.along, b.across].filter(i => i >= 0)));
    bodies.forEach((body, b) => [body.along, body.across].forEach(i => { if (i >= 0) of[i] = b; }));
    contacts.forEach(one => place(one, of));
    return {names, bodies, contacts, ...springs(structure.stiffness, of, bodies), of,
        loads: structure.loads.map(load => ({...load, row: load.direction})), Omega: structure.Omega || 1};
}

/* Which bodies a contact joins: one (with the ground) or two. */
function place(contact, of) {
    const row = contact.tangent || contact.normal || [], touched = new Map();
    row.forEach((value, i) => {
        if (Math.abs(value) > 1e-12 && of[i] >= 0)
            touched.set(of[i], (touched.get(of[i]) || 0) + Math.abs(value));
    });
    const order = [...touched.entries()].sort((a, b) => b[1] - a[1]).map(([body]) => body);
    contact.body = order[0] ?? -1;
    const other = contact.tangent || contact.normal, sign = body => other ? Math.sign(other.reduce((sum, value, i) => of[i] === body ? sum + value : sum, 0)) : 0;
    contact.other = order.length === 2 && sign(order[0]) * sign(order[1]) < 0 ? order[1] : -1;
    contact.stop = !contact.tangent;
    contact.side = contact.stop && contact.normal ? -Math.sign(contact.normal[strongest(contact.normal)]) : 0;
}

function springs(K, of, bodies) {
    const joined = new Map(), grounded = new Set();
    if (K)
        for (let i = 0; i < K.length; i++) {
            const scale = Math.abs(K[i][i]) || 1;
            let rest = 0;
            for (let j = 0; j < K.length; j++) {
                rest += K[i][j];
                if (of[i] < of[j] && K[i][j] < -1e-9 * scale)
                    joined.set(`${of[i]} ${of[j]}`, [of[i], of[j]]);
            }
            if (rest > 1e-6 * scale || bodies.length === 1)
                grounded.add(of[i]);
        }
    else
        bodies.forEach((_, b) => grounded.add(b));
    return {springs: [...joined.values()], grounded: [...grounded]};
}
