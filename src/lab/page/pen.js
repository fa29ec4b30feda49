/* Two pens for one drawing: a canvas for the screen, SVG for files. */

export class CanvasPen {
    constructor(context) {
        this.c = context;
    }
    style(s) {
        const c = this.c;
        c.strokeStyle = s.stroke || 'transparent';
        c.fillStyle = s.fill || 'transparent';
        c.lineWidth = s.width || 1;
        c.globalAlpha = s.alpha ?? 1;
        c.setLineDash(s.dash || []);
        c.lineJoin = 'round';
        c.lineCap = s.cap || 'butt';
    }
    finish(s) {
        if (s.fill)
            this.c.fill();
        if (s.stroke)
            this.c.stroke();
        this.c.globalAlpha = 1;
    }
    /* points: flat [x, y, x, y, ...]; NaN begins a new piece. */
    line(points, s, closed) {
        const c = this.c;
        this.style(s);
        c.beginPath();
        let pen = false;
        for (let i = 0; i < points.length; i += 2) {
            if (isNaN(points[i]) || isNaN(points[i + 1])) {
                pen = false;
                continue;
            }
            if (pen)
                c.lineTo(points[i], points[i + 1]);
            else
                c.moveTo(points[i], points[i + 1]);
            pen = true;
        }
        if (closed)
            c.closePath();
        this.finish(s);
    }
    dots(points, radius, s) {
        const c = this.c;
        this.style(s);
        c.beginPath();
        for (let i = 0; i < points.length; i += 2) {
            c.moveTo(points[i] + radius, points[i + 1]);
            c.arc(points[i], points[i + 1], radius, 0, 2 * Math.PI);
        }
        this.finish(s);
    }
    rect(x, y, w, h, s) {
        this.style(s);
        this.c.beginPath();
        this.c.rect(x, y, w, h);
        this.finish(s);
    }
    text(words, x, y, s) {
        const c = this.c;
        c.save();
        c.translate(x, y);
        if (s.turn)
            c.rotate(s.turn * Math.PI / 180);
        c.font = s.font;
        c.fillStyle = s.fill;
        c.textAlign = s.align || 'left';
        c.textBaseline = s.base || 'alphabetic';
        c.fillText(words, 0, 0);
        c.restore();
    }
    image(canvas, x, y, w, h) {
        this.c.imageSmoothingEnabled = false;
        this.c.drawImage(canvas, x, y, w, h);
    }
    clip(x, y, w, h, inside) {
        this.c.save();
        this.c.beginPath();
        this.c.rect(x, y, w, h);
        this.c.clip();
        inside();
        this.c.restore();
    }
    wide(words, font) {
        this.c.font = font;
        return this.c.measureText(words).width;
    }
}

const round = value => Math.round(value * 100) / 100;
const escaped = words => String(words).replace(/[&<>"]/g, sign => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[sign]);

export class SvgPen {
    constructor(width, height, ground) {
        this.width = width;
        this.height = height;
        this.parts = [`<rect width="${width}" height="${height}" fill="${ground}"/>`];
        this.clips = 0;
        this.ruler = document.createElement('canvas').getContext('2d');
    }
    paint(s) {
        return `fill="${s.fill || 'none'}"` + (s.stroke ? ` stroke="${s.stroke}" stroke-width="${s.width || 1}"` : '') +
            (s.dash && s.dash.length ? ` stroke-dasharray="${s.dash.join(' ')}"` : '') + (s.alpha !== undefined ? ` opacity="${s.alpha}"` : '') +
            ' stroke-linejoin="round"';
    }
    line(points, s, closed) {
        let d = '', pen = false;
        for (let i = 0; i < points.length; i += 2) {
            if (isNaN(points[i]) || isNaN(points[i + 1])) {
                pen = false;
                continue;
            }
            d += `${pen ? 'L' : 'M'}${round(points[i])},${round(points[i + 1])}`;
            pen = true;
        }
        if (d)
            this.parts.push(`<path d="${d}${closed ? 'Z' : ''}" ${this.paint(s)}/>`);
    }
    dots(points, radius, s) {
        for (let i = 0; i < points.length; i += 2)
            if (!isNaN(points[i]) && !isNaN(points[i + 1]))
                this.parts.push(`<circle cx="${round(points[i])}" cy="${round(points[i + 1])}" r="${radius}" ${this.paint(s)}/>`);
    }
    rect(x, y, w, h, s) {
        this.parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" ${this.paint(s)}/>`);
    }
    text(words, x, y, s) {
        const size = /([\d.]+)px\s+(.*)/.exec(s.font), anchor = {center: 'middle', right: 'end', end: 'end'}[s.align] || 'start';
        const shift = {middle: '.35em', top: '.8em'}[s.base] || '0';
        const turn = s.turn ? ` transform="rotate(${s.turn} ${round(x)} ${round(y)})"` : '';
        this.parts.push(`<text x="${round(x)}" y="${round(y)}" dy="${shift}" font-size="${size[1]}" font-family="${escaped(size[2])}" ` +
            `text-anchor="${anchor}" fill="${s.fill}"${turn}>${escaped(words)}</text>`);
    }
    image(canvas, x, y, w, h) {
        this.parts.push(`<image x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" preserveAspectRatio="none" ` +
            `style="image-rendering:pixelated" href="${canvas.toDataURL('image/png')}"/>`);
    }
    clip(x, y, w, h, inside) {
        const id = `clip${++this.clips}`;
        this.parts.push(`<clipPath id="${id}"><rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}"/></clipPath><g clip-path="url(#${id})">`);
        inside();
        this.parts.push('</g>');
    }
    wide(words, font) {
        this.ruler.font = font;
        return this.ruler.measureText(words).width;
    }
    toString() {
        return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}">` +
            `${this.parts.join('\n')}</svg>\n`;
    }
}
