/* The conversation with the server that this page came from. All addresses are relative: they lie below the token. */
import {decode} from './tables.js';

export class ServerError extends Error {
    constructor(answer, status) {
        super(answer.message || 'the server did not say why');
        Object.assign(this, {line: answer.line, column: answer.column, field: answer.field, status});
    }
}

/* Who listens hears true when the server answers again and false when it does not. */
export const connection = {alive: true, listeners: new Set()};

function tell(alive) {
    if (connection.alive === alive)
        return;
    connection.alive = alive;
    connection.listeners.forEach(listen => listen(alive));
    if (!alive)
        watchFor();
}

function watchFor() {
    setTimeout(() => fetch('status', {cache: 'no-store'}).then(answer => tell(answer.ok)).catch(() => 0)
        .then(() => connection.alive || watchFor()), 700);
}

async function ask(path, options = {}) {
    let answer;
    try {
        answer = await fetch(path, options);
    } catch (gone) {
        if (gone.name !== 'AbortError')
            tell(false);
        throw gone;
    }
    tell(true);
    if (answer.ok)
        return answer;
    const said = await answer.json().catch(() => ({}));
    throw new ServerError(said.error || {message: `the server refused: ${answer.status}`}, answer.status);
}

function query(path, name, more = {}, sets = []) {
    const asked = new URLSearchParams(more);
    sets.forEach(set => asked.append('set', set));
    if (name)
        asked.set('name', name);
    return asked.toString() ? `${path}?${asked}` : path;
}

const post = (path, text, more) => ask(path, {method: 'POST', body: text, ...more});
const json = answer => answer.json();

export const studies = () => ask('studies').then(json);
export const study = name => ask(query('study', name)).then(json);
export const schema = () => ask('schema').then(json);
export const status = () => ask('status').then(json);
export const check = (text, name, signal) => post(query('check', name), text, {signal}).then(json);
export const numbers = (text, name, signal) => post(query('numbers', name), text, {signal}).then(json);
export const structure = (text, name, signal) => post(query('structure', name), text, {signal}).then(json);
/* `was` is the sum of the file that was opened; another one on the disk is only written over by force. */
export const save = (text, name, was, force) =>
    ask(query('study', name, {...(was ? {was} : {}), ...(force ? {force: '1'} : {})}), {method: 'PUT', body: text}).then(json);

/* Runs a study and waits: for what takes milliseconds. `sets` are as of --set, `more` what else the request says. */
export function run(text, name, signal, sets, more) {
    return post(query('run', name, more, sets), text, {signal, headers: {Accept: 'application/octet-stream'}})
        .then(answer => answer.arrayBuffer()).then(decode);
}

export function figure(text, name, format) {
    return post(query('figure', name, {format}), text).then(answer => answer.blob());
}

/* Runs a study that takes long: `heard` gets {share, seconds_left, what} and {tables}; cancelling ends the run there. */
export function job(text, name, heard, sets, more) {
    let source = null, id = null, cancelled = false, refuse = null;
    const done = new Promise((accept, reject) => {
        refuse = reject;
        post(query('jobs', name, more, sets), text).then(json).then(answer => {
            id = answer.job;
            if (cancelled)
                return forget();
            source = new EventSource(`jobs/${id}`);
            const end = settle => event => {
                source.close();
                settle(JSON.parse(event.data));
            };
            source.addEventListener('progress', event => heard({progress: JSON.parse(event.data)}));
            source.addEventListener('partial', event => heard({partial: decode(JSON.parse(event.data))}));
            source.addEventListener('done', end(document => accept(decode(document))));
            source.addEventListener('failed', end(said => reject(new ServerError(said.error || {}, 500))));
            source.onerror = () => {
                if (source.readyState !== EventSource.CLOSED && connection.alive)
                    return;
                source.close();
                reject(new TypeError('the server is gone'));
            };
        }).catch(reject);
    });
    function forget() {
        return ask(`jobs/${id}`, {method: 'DELETE'}).catch(() => 0);
    }
    return {
        done,
        cancel() {
            cancelled = true;
            if (source)
                source.close();
            if (id)
                forget();
            refuse(new DOMException('cancelled', 'AbortError'));
        }
    };
}
