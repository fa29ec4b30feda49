/* Elements in few words. */
export const $ = id => document.getElementById(id);

/* make('button', {class: 'x', onclick: f, 'aria-label': 'y'}, 'text', child, ...) */
export function make(tag, attributes = {}, ...children) {
    const element = tag.includes(':') ? document.createElementNS('http://www.w3.org/2000/svg', tag.split(':')[1])
        : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on'))
            element.addEventListener(name.slice(2), value);
        else if (value !== false && value !== null && value !== undefined)
            element.setAttribute(name, value === true ? '' : value);
    }
    element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
    return element;
}

export function fill(element, ...children) {
    element.replaceChildren(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
    return element;
}

let saying = 0;
/* A sentence at the foot of the page for a few seconds; readers of screens hear it. */
export function say(words) {
    const place = $('said');
    place.textContent = words;
    place.hidden = false;
    clearTimeout(saying);
    saying = setTimeout(() => { place.hidden = true; }, 4500);
}

export function download(name, content, type = 'text/plain') {
    const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type}));
    const link = make('a', {href: url, download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
