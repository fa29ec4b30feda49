/* What is wrong with how a page looks, measured from the page itself: {faults: [sentence, ...], texts: how many there are}. Used by
 * look_at_pages.py and look_at_site.py. What lies in something that scrolls by itself, or is off the page on purpose, may be wide. */
function lookForFaults() {
    'use strict';
    var faults = [], wide = document.documentElement.clientWidth;
    function fault(words) { if (faults.length < 20) faults.push(words); }
    function shown(element) { return element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden'; }
    var scrolling = new Map();
    function scrolls(element) { // the nearest element around it that scrolls sideways; `.skip` waits outside until it has the focus
        if (!element || element === document.documentElement || element === document.body) return null;
        if (!scrolling.has(element)) {
            var style = getComputedStyle(element), own = /auto|scroll/.test(style.overflowX) || element.matches('pre, .skip, nav.wy-nav-side');
            scrolling.set(element, own ? element : scrolls(element.parentElement));
        }
        return scrolling.get(element);
    }
    function rgb(text) { var m = text.match(/[\d.]+/g).map(Number); return {c: m.slice(0, 3), a: m.length > 3 ? m[3] : 1}; }
    function luminance(c) {
        var l = c.map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
        return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
    }
    function ground(element) {
        for (; element; element = element.parentElement) {
            var colour = rgb(getComputedStyle(element).backgroundColor);
            if (colour.a === 1) return colour.c;
            if (colour.a !== 0) fault('a ground that is half transparent');
        }
        return [255, 255, 255];
    }
    function contrast(a, b) { var x = luminance(a), y = luminance(b); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); }
    var looked = new Map();
    function readable(element) { // of WCAG AA, for letters of any size
        if (!looked.has(element)) looked.set(element, contrast(rgb(getComputedStyle(element).color).c, ground(element)));
        return looked.get(element);
    }

    /* Pieces of text that stand on the page, with their places. A drawn formula is one thing, whose pieces lie on each other. */
    var all = [], count = 0, walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), node;
    while ((node = walker.nextNode())) {
        var element = node.parentElement;
        if (!node.data.trim() || !shown(element) || /^(SCRIPT|STYLE)$/.test(element.tagName) || element.closest('.katex')) continue;
        var said = node.data.trim().slice(0, 40), ratio = readable(element);
        count++;
        if (!(ratio >= 4.5)) fault('contrast ' + ratio.toFixed(2) + ': ' + said);
        var around = scrolls(element), range = document.createRange();
        range.selectNodeContents(node);
        Array.prototype.forEach.call(range.getClientRects(), function (r) {
            if (!around && (r.right > wide + 1 || r.left < -1)) fault('outside: ' + said);
            if (!element.closest('pre, .skip')) all.push({r: r, t: said, n: node, s: around});
        });
    }
    if (document.documentElement.scrollWidth > wide) fault('the page is ' + document.documentElement.scrollWidth + ' wide');

    /* From top to bottom, each with those that begin before it ends. Inside something that scrolls only with its own kind. */
    all.sort(function (a, b) { return a.r.top - b.r.top; });
    all.forEach(function (a, i) {
        for (var k = i + 1; k < all.length && all[k].r.top < a.r.bottom - 4; k++) {
            var b = all[k];
            if (a.n === b.n || a.s !== b.s) continue;
            var x = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left), y = Math.min(a.r.bottom, b.r.bottom) - b.r.top;
            if (x > 2 && y > 4) fault('overlap: ' + a.t + ' / ' + b.t);
        }
    });

    document.querySelectorAll('pre, table, .formula').forEach(function (one) {
        var r = one.getBoundingClientRect();
        if (shown(one) && !scrolls(one.parentElement) && (r.right > wide + 1 || r.left < -1)) fault('outside: a ' + one.tagName.toLowerCase());
    });
    document.querySelectorAll('input, button, select, textarea').forEach(function (one) { // within what is around them
        var r = one.getBoundingClientRect(), around = one.closest('form, [role=search]');
        if (shown(one) && around && (r.right > around.getBoundingClientRect().right + 1)) fault('outside its form: ' + one.outerHTML.slice(0, 60));
    });
    document.querySelectorAll('a[href], input, button, pre, table, .formula').forEach(function (one) {
        if (!shown(one) || (one.tagName === 'TABLE' && one.scrollWidth <= one.clientWidth)) return;
        one.focus();
        if (one.tabIndex < 0 || document.activeElement !== one) fault('not reached by keyboard: ' + one.outerHTML.slice(0, 80));
    });
    Array.prototype.forEach.call(document.images, function (image) { image.loading = 'eager'; if (!image.hasAttribute('alt')) fault('a picture without alt'); });
    return {faults: faults, texts: count};
}
