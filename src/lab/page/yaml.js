/* Just enough of YAML for an editor: colours of a line, and which key a place in the text belongs to. */

const PART = /(#.*$)|("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)|([A-Za-z_][\w.\-]*)(?=\s*:(?:\s|$))|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])|([{}[\],:])|([^\s{}[\],:#"']+)/g;

/* Pieces of a line as {text, kind}: k key, n number, s string, c comment, p punctuation, '' the rest. */
export function pieces(line, inText) {
    if (inText)
        return [{text: line, kind: 's'}];
    const found = [];
    let end = 0;
    for (const match of line.matchAll(PART)) {
        if (match[1] !== undefined && match.index > 0 && !/\s/.test(line[match.index - 1]))
            continue;
        if (match.index > end)
            found.push({text: line.slice(end, match.index), kind: ''});
        const kind = ['c', 's', 'k', 'n', 'p', ''].find((_, i) => match[i + 1] !== undefined) ?? '';
        found.push({text: match[0], kind});
        end = match.index + match[0].length;
    }
    if (end < line.length)
        found.push({text: line.slice(end), kind: ''});
    return found;
}

const depth = line => line.length - line.trimStart().length;

/* Which lines are inside folded or literal texts (`about: >`). */
export function insideTexts(lines) {
    let above = -1;
    return lines.map(line => {
        const inside = above >= 0 && (!line.trim() || depth(line) > above);
        if (!inside)
            above = /:\s*[>|][-+]?\s*(#.*)?$/.test(line) ? depth(line) : -1;
        return inside;
    });
}

/* What encloses a place: the path of keys (numbers for items of lists), the keys of the mapping it is in, whether a
 * value is being written and of which key, and the word before the cursor. */
export function placeAt(text, offset) {
    const lines = text.slice(0, offset).split('\n'), path = [];
    const all = text.split('\n'), row = lines.length - 1;
    let indent = all[row].trim() ? depth(all[row]) : lines[row].length;
    if (/^\s*- /.test(all[row]))
        indent += all[row].match(/^\s*(- )+/)[0].length - depth(all[row]);
    const chain = [];
    let limit = indent;
    for (let i = row - 1; i >= 0 && limit > 0; i--) {
        const found = /^(\s*)((?:- )*)([\w.\-"]+)\s*:(.*)$/.exec(all[i]);
        if (!all[i].trim() || all[i].trim().startsWith('#') || !found)
            continue;
        const at = found[1].length + found[2].length;
        if (at < limit) {
            chain.unshift({key: found[3].replace(/"/g, ''), row: i, at});
            limit = at;
        }
    }
    chain.forEach(one => path.push(one.key));
    const inner = insideFlow(lines[row]);
    const word = /[\w.\-]*$/.exec(lines[row])[0];
    let key = null;
    if (inner) {
        path.push(...inner.path);
        key = inner.key;
    } else {
        const own = /^\s*(?:- )*([\w.\-]+)\s*:\s/.exec(lines[row]);
        key = own ? own[1] : null;
    }
    return {path, key, word, siblings: siblings(all, row, indent, inner)};
}

/* The part of a line inside open braces: the keys that lead there, and the key whose value is being written. */
function insideFlow(line) {
    const stack = [];
    let key = null;
    for (const piece of pieces(line, false)) {
        if (piece.kind === 'k')
            key = piece.text;
        else if (piece.text === '{' || piece.text === '[') {
            stack.push({key, open: piece.text});
            key = null;
        } else if (piece.text === '}' || piece.text === ']') {
            stack.pop();
            key = null;
        } else if (piece.text === ',')
            key = null;
    }
    if (!stack.length)
        return null;
    return {path: stack.filter(one => one.key).map(one => one.key), key: key && /:\s*[\w.\-]*$/.test(line) ? key : null,
        text: line};
}

function siblings(all, row, indent, inner) {
    const keys = new Set();
    const near = inner ? [inner.text.slice(inner.text.lastIndexOf('{') + 1)] : [];
    if (!inner)
        for (const step of [-1, 1])
            for (let i = row + step; i >= 0 && i < all.length; i += step) {
                const here = /^(\s*(?:- )*)/.exec(all[i])[0].length;
                if (all[i].trim() && here < indent)
                    break;
                if (here === indent)
                    near.push(all[i]);
            }
    near.forEach(line => {
        for (const match of line.matchAll(/([\w.\-]+)\s*:/g)) {
            keys.add(match[1]);
            if (!inner)
                break;
        }
    });
    return keys;
}
