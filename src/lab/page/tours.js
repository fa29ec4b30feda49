/* Six problems to play with. Each has a short tour: a question before every run, the run, and why.
 * A question's `right` looks at the run itself, and so does `why` where it tells numbers: (document, that of before). What else
 * is said stands in the gallery's studies and pages of docs/. */
import {written} from './tables.js';


const BELT = `title: A block on a belt
about: >
  Friction falls with the sliding speed, mu = 0.25 + 0.15 exp(-v/0.5). The block is carried along, lets go, is caught again.
model:
  kind: structure
  mass: [1]
  damping: [0.04]
  stiffness: [1]
  names: [x]
  contacts:
    - name: belt
      tangent: [1]
      law: held
      hold: {constant: 1}
      surface_velocity: 0.3
      friction: {law: stribeck, static: 0.4, kinetic: 0.25, velocity: 0.5}
analysis: {kind: motion, until: 60, initial: {displacement: [0], velocity: [0]}, samples: 2001}
figure: {x: x, y: v_x, x_label: displacement, y_label: velocity}
`;

const BLADE = `title: A blade with a friction damper
source: Griffin 1980; Papangelo 2017, chapter 8
about: >
  A blade is a mass on a spring, its damper a Coulomb slider behind a spring half again as stiff. beta is the force at which
  the damper slips over the force on the blade. The curve is the largest motion over the frequency of the force.
model: {kind: griffin, beta: 0.3, k_ratio: 1.5, zeta: 0.1}
analysis: {kind: response, over: Omega, from: 0.3, to: 2.2, harmonics: 5}
figure: {table: branch, x: Omega, y: amplitude, x_label: frequency, y_label: amplitude of the blade}
`;

const BRAKE = `title: A brake with constant friction
source: Hoffmann, Fischer, Allgaier and Gaul 2002 (the minimal model)
about: >
  A mass on two inclined springs is pressed on a moving belt. The coefficient of friction does not fall with speed: it is one number.
  The frequencies of both modes, and how fast they grow, over this number.
model:
  kind: structure
  names: [x, y]
  mass: [1, 1]
  damping: [0.02, 0.02]
  stiffness: [[2, 1], [1, 0.66666666666666667]]
  contacts:
    - {name: belt, normal: [0, 1], tangent: [1, 0], law: spring, contact_stiffness: 1.3333333333333333, surface_velocity: -1, friction: 0.5}
  loads: [{direction: [0, -1], constant: 3}]
analysis: {kind: stability}
sweep:
  axes: {model.contacts.0.friction: {from: 0, to: 1.5, count: 151}}
  outputs: [growth_rate, frequency]
  tables: [squeal]
figure:
  panels:
    - curves: [{table: squeal, x: model.contacts.0.friction, y: imaginary, by: unstable, label: "stable | grows", style: points}]
      x_label: coefficient of friction
      y_label: frequency
    - curves: [{table: squeal, x: model.contacts.0.friction, y: real, by: unstable, label: "stable | grows", style: points}]
      x_label: coefficient of friction
      y_label: growth rate
`;

const FRETTING = `title: A cylinder pressed and pulled
source: Cattaneo 1938, Mindlin 1949; Papangelo 2017, chapter 1
about: >
  A cylinder is pressed on a half-plane and pulled along it with a force Q that is too small to slide it. Q_over_fP = 1 would.
model: {kind: hertz, f: 0.5}
analysis: {kind: slip, Q_over_fP: 0.5}
figure:
  curves:
    - {table: tractions, x: x_over_a, y: p_over_pm, label: pressure}
    - {table: tractions, x: x_over_a, y: q_over_fpm, label: shear over f}
  x_label: x/a
  y_label: traction over the mean pressure
`;

/* The least coefficient of friction of the sweep at which something grows. */
const firstGrowth = ({tables: {sweep}}) => sweep.cell(sweep.numbers('growth_rate').findIndex(value => value > 1e-6), 'model.contacts.0.friction');

/* When a contact last began or ended to stick. */
const sticksUntil = document => last(document, 'events', 't') || 0;

const last = (document, table, column) => { const one = document.tables[table]; return one && one.rows ? one.cell(one.rows - 1, column) : null; };

export const TOURS = [
    {
        id: 'belt', title: 'Block on a belt', blurb: 'Stick and slip. At one speed of the belt there are two answers, and the start decides.', text: BELT,
        steps: [
            {
                text: 'A block hangs on a spring and lies on a moving belt. Friction is larger at rest than in sliding.', view: 'figure', play: true,
                ask: {question: 'The belt moves slowly. What will the block do in the long run?', options: ['Slide at rest, the belt under it', 'Stick and slip, again and again', 'Be carried away for good'],
                    right: document => document.summary.state_changes > 6 ? 1 : 0, why: 'It is carried along (orange) until the spring is too strong, slips back (purple) and is caught when its velocity is the belt’s. After one stick it has forgotten how it began: every later cycle is the same.'}
            },
            {
                text: 'Now the belt runs four times as fast, at 1.2. The block starts from rest, as before.',
                set: {'model.contacts.0.surface_velocity': 1.2, 'analysis.until': 200}, view: 'figure',
                ask: {question: 'What will it do in the long run?', options: ['Stick and slip, as before', 'Come to slide steadily'],
                    right: document => sticksUntil(document) < 100 ? 1 : 0, why: 'At this speed friction falls so slowly that the damper wins: steady sliding is stable, and the motion winds in to it.'}
            },
            {
                text: 'The same belt, the same friction, and steady sliding still is stable. Only the start differs: at first the block rides on the belt, as when somebody holds it there and lets go.', set: {'analysis.initial.velocity.0': 1.2}, view: 'figure',
                ask: {question: 'And from there?', options: ['It sticks and slips, for ever', 'It comes to slide steadily, as it must'],
                    right: document => sticksUntil(document) > 190 ? 0 : 1, why: 'Two motions attract side by side, and the start decides. That steady sliding is stable says nothing about large motions: squeal of this kind begins with a knock, not with a parameter. Try in between: where is the edge?'}
            },
        ]
    },
    {
        id: 'klarbring', title: 'Klarbring’s mass', blurb: 'A mass on a plane. One load, three possible answers; and a push that ends in the air.', name: 'gallery/klarbring/fig4b.yaml',
        steps: [
            {
                text: 'A mass on two coupled springs lies on a plane with friction. A force grows steadily, in a direction just beyond the one at which contact could last (Cho and Barber 1998, Fig. 4b).', view: 'figure', play: true,
                ask: {question: 'It will leave the plane. At once, and for good?', options: ['It lifts off once and never touches again', 'It slips first, then lifts off and lands several times'],
                    right: document => document.summary.impacts > 1 ? 1 : 0, why: 'It begins in backward slip, lifts off, lands, bounces along: nine changes of state by the count of the paper, found as exact roots, not by small steps. Jump from switch to switch with the keys , and .'}
            },
            {
                text: 'With friction 1.25, for one direction of loading, stick, slip and separation are all possible. The picture shows what lasts, over the velocity with which the mass starts.', open: 'gallery/klarbring/fig6.yaml', set: {'analysis.starts.v1.count': 161, 'analysis.starts.v2.count': 161}, view: 'figure',
                ask: {question: 'The mass is thrown along the plane, faster and faster. It will in the end …', options: ['… always lift off, if only it is fast enough', '… stick, however fast', '… slip backwards'],
                    right: document => document.tables['fast_left.map'] && document.tables['fast_left.map'].column('state').every(state => state === 'stick') ? 1 : 0,
                    why: 'Separation is obtained only at intermediate velocities; far to the left and right every start ends in stick. No start at all leads to backward slip. Click anywhere in the map: the motion from there is run and shown.'}
            },
        ]
    },
    {
        id: 'bow', title: 'Bowed mode', blurb: 'One mode of a string under a bow: pressed harder, it sounds lower. Listen.', name: 'gallery/laws/bowed_mode.yaml',
        steps: [
            {
                text: 'One mode of a string, its free period 2π, under a bow with rosin: friction falls as a hyperbola.', view: 'phase', play: true,
                ask: {question: 'How long does the string stick to the bow in each cycle?', options: ['Hardly at all', 'More than half of the time'],
                    right: document => { const t = document.tables.switches.numbers('t'); return Math.max(...t) === last(document, 'switches', 't') && t[0] > 0.5 * last(document, 'switches', 't') ? 1 : 0; },
                    why: 'It sticks for two thirds of the cycle and slips back once: Helmholtz’s motion in its simplest form. Press Listen under the drawing to hear its velocity.'}
            },
            {
                text: 'And if the player presses harder?', view: 'phase',
                ask: {question: 'The bow is pressed on twice as hard. The tone becomes …', set: {'model.contacts.0.hold.constant': 4}, options: ['higher: the string is held more firmly', 'the same: it is the string’s own', 'lower'],
                    right: (document, before) => Math.sign(document.summary.period - before.summary.period) + 1, why: (document, before) => `The string lets go later, and the period grows from ${written(before.summary.period, 3)} to ${written(document.summary.period, 3)}. Players know it as flattening: a note pressed too hard goes flat.`}
            },
        ]
    },
    {
        id: 'blade', title: 'Blade with damper', blurb: 'A friction damper under a turbine blade. There is a best pressure, and more is worse.', text: BLADE,
        steps: [
            {
                text: 'The blade shakes most near its own frequency, 1. The damper is pressed on lightly: it slips nearly all the time.', view: 'figure',
                ask: {question: 'beta goes from 0.3 to 1.08: the damper is pressed on 3.6 times as hard. The peak …', options: ['grows', 'falls to less than half', 'stays'], set: {'model.beta': 1.08},
                    right: (document, before) => document.summary.peak > before.summary.peak ? 0 : document.summary.peak < before.summary.peak / 2 ? 1 : 2,
                    why: (document, before) => `The peak falls from ${written(before.summary.peak, 3)} to ${written(document.summary.peak, 3)}: friction takes more energy per cycle the harder it is pressed.`}
            },
            {
                text: 'If more is better …', view: 'figure',
                ask: {question: 'And with beta = 10?', options: ['the peak falls further', 'the peak grows again'], set: {'model.beta': 10},
                    right: (document, before) => document.summary.peak > before.summary.peak ? 1 : 0, why: document => `Pressed too hard the damper sticks: it is a spring then, takes no energy, and only moves the resonance, to ${written(document.summary.peak_at, 3)}; the peak is ${written(document.summary.peak, 3)} again. Best is a beta near 1.08. Pin A and drag beta to compare. Click a point of the curve for its motion.`}
            },
        ]
    },
    {
        id: 'brake', title: 'Brake', blurb: 'Squeal without any fall of friction with speed; and damping that makes it worse.', text: BRAKE,
        steps: [
            {
                text: 'Here the coefficient of friction is constant: nothing in it feeds energy into small motions when the speed varies.', view: 'figure',
                ask: {question: 'Can this brake squeal?', options: ['No: friction must fall with speed', 'Yes: from some coefficient on'],
                    right: document => document.tables.sweep.numbers('growth_rate').some(value => value > 1e-6) ? 1 : 0, why: document => `The frequencies of the two modes come together as friction grows; from ${written(firstGrowth(document), 3)} on they are one, and of the pair one grows and one decays. Click a point: its modes swing in the drawing.`}
            },
            {
                text: 'Another model, two modes on a rigid contact (Chatterjee 2006, Fig. 2a). The curve is the strength of coupling at which steady sliding ends, over the damping of the second mode against the first, C_r.', open: 'gallery/modecoupling/fig2a.yaml', view: 'figure',
                ask: {question: 'The second mode is damped more and more. Steady sliding …', options: ['stays stable for longer', 'ends earlier'],
                    right: document => { const c = document.tables.sweep.numbers('critical'); return c[c.length - 1] < c[0] ? 1 : 0; }, why: 'Beyond C_r = 1.5 the limit falls like 1/C_r: damping one of two coupled modes alone can make a brake squeal.'}
            },
        ]
    },
    {
        id: 'fretting', title: 'Fretting contact', blurb: 'A pressed contact never sticks as a whole: its edges slip under any pull.', text: FRETTING,
        steps: [
            {
                text: 'A cylinder is pressed on a half-plane and pulled with half of what it takes to slide it.', view: 'figure',
                ask: {question: 'Will it stick?', options: ['Everywhere: the pull is too small', 'In the middle, 71 percent of the width; the edges slip', 'Nowhere'],
                    right: ({summary}) => summary.c_over_a < 0.001 ? 2 : Math.abs(summary.c_over_a - 0.71) < 0.005 ? 1 : 0, why: 'At the edges the pressure is zero, so they slip under any pull. The stick zone is c/a = sqrt(1 − Q/fP). Drag Q_over_fP: zones and tractions follow.'}
            },
            {
                text: 'Now pressure and pull both swing, a quarter of a cycle apart (after Mindlin and Deresiewicz).', open: 'gallery/partialslip/fretting_cycle.yaml', view: 'figure', play: true,
                ask: {question: 'Compared with constant pressure, friction takes in each cycle …', options: ['far more: the pressure swings by 60 percent', 'hardly more: 4 percent'],
                    right: document => document.summary.loss_per_cycle / document.summary['steady.loss_per_cycle'] < 1.1 ? 1 : 0, why: ({summary}) => `Most slip forward happens while the pressure falls, so the loop is lopsided, but its area is nearly the same: ${written(summary.loss_per_cycle, 3)} against ${written(summary['steady.loss_per_cycle'], 3)}. Scrub the loads under the drawing to see the zones.`}
            },
        ]
    },
];
