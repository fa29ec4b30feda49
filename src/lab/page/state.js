/* What the page shows, as far as it can be undone, pinned and sent: the text of the study, where it came from, the view. */

/* The texts of a session: every change of typing, sliders and buttons goes through here. */
export class History {
    constructor() {
        this.reset('');
    }
    reset(text) {
        this.past = [];
        this.future = [];
        this.text = text;
        this.kind = null;
        this.time = 0;
    }
    /* Changes of one kind that follow each other within a second are one step (a word typed, a slider dragged). */
    change(text, kind) {
        if (text === this.text)
            return;
        const now = performance.now();
        if (kind !== this.kind || now - this.time > 1000) {
            this.past.push(this.text);
            if (this.past.length > 500)
                this.past.shift();
        }
        this.future = [];
        this.text = text;
        this.kind = kind;
        this.time = now;
    }
    undo() {
        return this.step(this.past, this.future);
    }
    redo() {
        return this.step(this.future, this.past);
    }
    step(from, to) {
        if (!from.length)
            return false;
        to.push(this.text);
        this.text = from.pop();
        this.kind = null;
        return true;
    }
}

async function through(bytes, stream) {
    const piped = new Blob([bytes]).stream().pipeThrough(stream);
    return new Uint8Array(await new Response(piped).arrayBuffer());
}

function toLetters(bytes) {
    let text = '';
    bytes.forEach(byte => { text += String.fromCharCode(byte); });
    return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

const fromLetters = letters =>
    Uint8Array.from(atob(letters.replace(/-/g, '+').replace(/_/g, '/')), letter => letter.charCodeAt(0));

/* A state as letters for an address: what JSON can hold, packed. */
export async function pack(state) {
    const bytes = new TextEncoder().encode(JSON.stringify(state));
    return toLetters(await through(bytes, new CompressionStream('deflate-raw')));
}

export async function unpack(letters) {
    const bytes = await through(fromLetters(letters), new DecompressionStream('deflate-raw'));
    return JSON.parse(new TextDecoder().decode(bytes));
}
