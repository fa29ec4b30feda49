/* Keys, words and explanations out of the JSON schema of studies. */
let root = null;

export function useSchema(given) {
    root = given;
}

function resolve(node) {
    if (node && node.$ref)
        return resolve(node.$ref.split('/').slice(1).reduce((at, key) => at && at[key], root));
    return node;
}

/* All places a schema node can mean: itself and what it is combined of. */
function faces(node, kinds, out = []) {
    node = resolve(node);
    if (!node || out.includes(node))
        return out;
    out.push(node);
    for (const word of ['allOf', 'anyOf', 'oneOf'])
        for (const part of node[word] || []) {
            if (!part.if)
                faces(part, kinds, out);
            else if (kinds && part.if.properties && part.if.properties.kind && part.if.properties.kind.const === kinds)
                faces(part.then, kinds, out);
        }
    return out;
}

const kindAt = (text, path) => {
    const name = path[0] === 'also' ? path[1] : path[0];
    const found = new RegExp(`^\\s*${name}:[^#\\n]*?\\bkind:\\s*([\\w-]+)|^( *)${name}:\\s*\\n(?:\\2 +.*\\n)*?\\2 +kind:\\s*([\\w-]+)`, 'm').exec(text);
    return found ? found[1] || found[3] : null;
};

/* The schema nodes of the mapping at a path of keys; `text` tells the kinds of model and analyses. */
function nodesAt(path, text) {
    let at = [root];
    for (let i = 0; i < path.length; i++) {
        const kind = i === 1 || (path[0] === 'also' && i === 2) ? kindAt(text, path) : null;
        at = at.flatMap(node => faces(node, kind)).flatMap(node => [
            node.properties && node.properties[path[i]],
            typeof node.additionalProperties === 'object' && !(node.properties && node.properties[path[i]]) && node.additionalProperties,
        ]).filter(Boolean).flatMap(node => {
            const items = faces(node, null).map(face => face.items).filter(one => one && !Array.isArray(one));
            return [node, ...items];
        });
    }
    const kind = path.length === 1 || (path[0] === 'also' && path.length === 2) ? kindAt(text, path) : null;
    return at.flatMap(node => faces(node, kind));
}

export function keysAt(path, text) {
    const keys = new Map();
    if (root)
        for (const node of nodesAt(path, text))
            for (const [key, value] of Object.entries(node.properties || {}))
                if (!keys.has(key))
                    keys.set(key, aboutOf(value));
    return keys;
}

export function wordsAt(path, key, text) {
    const words = new Set();
    if (root)
        for (const node of nodesAt(path, text)) {
            const value = node.properties && node.properties[key];
            for (const face of value ? faces(value, null) : []) {
                (face.enum || []).forEach(word => words.add(String(word)));
                if (face.type === 'boolean')
                    words.add('true').add('false');
            }
        }
    return words;
}

function aboutOf(node) {
    for (const face of faces(node, null))
        if (face.description)
            return face.description;
    return '';
}

/* What a key means, for hovering. */
export const meaning = (path, key, text) => keysAt(path, text).get(key) || '';
