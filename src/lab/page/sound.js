/* A motion as sound: its velocity, sped up until it can be heard. */

const RATE = 44100;

/* WAV bytes (16 bits, mono) of samples between -1 and 1. */
export function wav(samples) {
    const bytes = new DataView(new ArrayBuffer(44 + 2 * samples.length)), write = (at, letters) => Array.from(letters).forEach((letter, i) => bytes.setUint8(at + i, letter.charCodeAt(0)));
    write(0, 'RIFF');
    bytes.setUint32(4, 36 + 2 * samples.length, true);
    write(8, 'WAVEfmt ');
    bytes.setUint32(16, 16, true);
    bytes.setUint16(20, 1, true);
    bytes.setUint16(22, 1, true);
    bytes.setUint32(24, RATE, true);
    bytes.setUint32(28, 2 * RATE, true);
    bytes.setUint16(32, 2, true);
    bytes.setUint16(34, 16, true);
    write(36, 'data');
    bytes.setUint32(40, 2 * samples.length, true);
    samples.forEach((value, i) => bytes.setInt16(44 + 2 * i, Math.round(32767 * Math.min(1, Math.max(-1, value))), true));
    return new Blob([bytes.buffer], {type: 'audio/wav'});
}

/* {samples, pitch}: a cycle (`repeats`) at about 220 Hz for two seconds, a transient stretched over three. */
export function soundOf(motion, which = 0) {
    const one = motion.coordinates[which] || motion.coordinates[0], source = one.v || one.x, repeats = motion.cycle;
    const span = motion.to - motion.from, pitch = repeats ? 220 : null, seconds = repeats ? 2 : 3, count = Math.round(seconds * RATE);
    let mean = 0, most = 0;
    source.forEach(value => { mean += value / source.length; });
    source.forEach(value => { most = Math.max(most, Math.abs(value - mean)); });
    const samples = new Float32Array(count);
    for (let i = 0; i < count; i++) {
        const share = repeats ? (i * pitch / RATE) % 1 : i / count, at = motion.at(motion.from + span * share);
        const fade = Math.min(1, i / 400, (count - i) / 400);
        samples[i] = 0.8 * fade * (motion.value(source, at) - mean) / (most || 1);
    }
    return {samples, pitch, name: one.v ? one.vName : one.name};
}
