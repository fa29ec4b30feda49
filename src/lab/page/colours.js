/* The colours of Amontons' figures. */
export const SERIES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#f0e442'];
export const STATES = {open: '#56b4e9', stick: '#e69f00', forward: '#009e73', backward: '#cc79a7', slip: '#009e73', undecided: '#bbbbbb'};
const OTHERS = ['#0072b2', '#d55e00', '#f0e442', '#8c564b', '#9467bd', '#17becf', '#7f7f7f', '#bcbd22'];
export const NOTHING = '#e4e4e4';

const VIRIDIS = ['#440154', '#482878', '#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725']
    .map(parts);
const STRESS = ['#fffbe8', '#ffeda0', '#feb24c', '#fc5a2d', '#c4122d', '#67001f'].map(parts);
const BOTH = ['#08306b', '#2166ac', '#67a9cf', '#d1e5f0', '#f9f9f9', '#fddbc7', '#ef8a62', '#b2182b', '#67001f'].map(parts);

export function parts(hex) {
    return [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
}

function along(stops, share) {
    const at = Math.min(1, Math.max(0, share)) * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(at)), s = at - i;
    return stops[i].map((v, k) => Math.round(v + s * (stops[i + 1][k] - v)));
}

export const viridis = share => along(VIRIDIS, share);
export const stress = share => along(STRESS, share);
export const both = share => along(BOTH, share);
export const css = ([r, g, b]) => `rgb(${r},${g},${b})`;

/* A colour for each word of a map: states have their own. */
export function wordColours(words) {
    const colours = new Map();
    let next = 0;
    for (const word of words)
        colours.set(word, word === null ? NOTHING : STATES[word] || OTHERS[next++ % OTHERS.length]);
    return colours;
}

/* Dark colours become lighter on dark ground, black ones the ink. */
export function onGround(colour, look) {
    if (colour === '#000000')
        return look.ink;
    if (!look.dark || !/^#[0-9a-f]{6}$/i.test(colour))
        return colour;
    const rgb = parts(colour), light = (0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]) / 255, mix = light < 0.5 ? 0.6 * (0.5 - light) / 0.5 + 0.15 : 0;
    return css(rgb.map(v => Math.round(v + mix * (255 - v))));
}
