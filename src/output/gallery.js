/* Finds studies on the page: words anywhere in a card or its index, and one verdict; where no study has all the words,
 * those that have most of them. Words of the trades that no study says lead to the nearest that studies say. What is
 * asked for stands in the address, so that it can be kept and sent. Without this script all studies are shown. */
(function () {
    'use strict';
    var form = document.getElementById('find'), found = document.getElementById('found');
    if (!form)
        return;
    var groups = Array.prototype.slice.call(document.querySelectorAll('section.group'));
    var cards = Array.prototype.slice.call(document.querySelectorAll('.card'));
    function plain(text) { // an accent is no other letter
        return text.toLowerCase().normalize('NFD').replace(/[\u0300-\u036f]/g, '');
    }
    var texts = cards.map(function (card) {
        return plain(card.textContent + ' ' + card.getAttribute('data-words'));
    });

    var spoken = texts.map(function (text) { return ' ' + text.replace(/[^a-z0-9]+/g, ' '); });
    var trades = [ // words of trades, and words that all of the nearest studies say (in their titles or topics)
        ['wedge platform cottage shroud snubber lacing turbine compressor rotor impeller airfoil vane engine', 'blades dampers'],
        ['clutch pad caliper lining judder groan moan creak squeak wheel rim rail railway tyre tire wiper hinge prosthesis', 'brakes'],
        ['rubber elastomer bushing viscoelastic hydraulic viscous', 'damping'],
        ['isolator seismic isolation tectonic landslide subduction plate geology seismology', 'faults earthquakes'],
        ['bearing roller pivot dovetail firtree root spline fatigue wear crack fit shrink rivet wire rope indenter indentation sphere', 'fretting'],
        ['screw nut flange washer gasket clamp assembly lap weld rivet torque tightening loosening', 'bolted'],
        ['cello fiddle rosin bowed violin instrument', 'bow'],
        ['chatter lathe cutting milling turning machining', 'stick slip'],
        ['robot gear actuator positioning servo guideway slideway piston seal cylinder stribeck lubrication conveyor', 'belt'],
        ['drilling borehole bit rotary', 'drill'],
        ['impact rattle backlash play clearance bell hammer collision bumper vibro', 'stops'],
        ['ratchet ratcheting ratchetting jam jamming wedging locking memory', 'shakedown'],
        ['absorber tuned tmd sink', 'absorber'],
        ['loop microslip presliding iwan jenkins masing', 'joint'],
        ['mems cantilever nanobeam geometric', 'beam']
    ].map(function (row) {
        return {asked: row[0].split(' '), said: row[1].split(' ')};
    });
    function has(text, word) { return text.indexOf(word) >= 0; }

    /* The words that stand for one that is asked for: itself where a study has a word that begins so (a rail is no trail),
     * or what its trade comes nearest to (chatter is no Chatterjee). A word of a trade that is not written to its end yet,
     * or has an ending, is meant as well. */
    function meant(word) {
        var rows = trades.filter(function (row) { return row.asked.indexOf(word) >= 0; });
        var known = ' ' + word + (rows.length > 0 ? ' ' : '');
        if (spoken.some(function (text) { return has(text + ' ', known); }))
            return [word];
        rows = rows.length > 0 ? rows : trades.filter(function (row) {
            return row.asked.some(function (own) {
                return own.indexOf(word) === 0 && word.length > 3 || word.indexOf(own) === 0;
            });
        });
        return rows.length > 0 ? rows[0].said : [word];
    }

    function show() {
        var asked = plain(form.elements.q.value).split(/\s+/).filter(Boolean), words = asked.map(meant);
        var verdict = form.elements.verdict.value, count = 0;
        var known = cards.map(function (card, i) {
            var right = !verdict || card.getAttribute('data-verdict') === verdict;
            return right ? words.filter(function (all) {
                return all.every(function (word) { return has(texts[i], word); });
            }).length : -1;
        });
        var most = Math.max.apply(null, known);
        cards.forEach(function (card, i) {
            card.hidden = known[i] < 0 || (words.length > 0 && (known[i] === 0 || known[i] < most));
            count += card.hidden ? 0 : 1;
        });
        groups.forEach(function (group) {
            group.hidden = !group.querySelector('.card:not([hidden])');
        });
        found.textContent = (count === 1 ? '1 study' : count + ' studies') +
            (count > 0 && most < words.length ? ' with ' + most + ' of ' + words.length + ' words' : '') +
            asked.map(function (word, i) {
                return words[i][0] === word ? '' : '; none says \u201c' + word + '\u201d, nearest: ' + words[i].join(', ');
            }).join('');
        return words.length > 0 || verdict;
    }

    function remember() {
        location.replace(show() ? '#q=' + encodeURIComponent(form.elements.q.value) + '&verdict=' + form.elements.verdict.value : '#');
    }

    function recall() {
        var asked = /^#q=([^&]*)&verdict=([a-z]*)$/.exec(location.hash);
        try {
            form.elements.q.value = asked ? decodeURIComponent(asked[1]) : '';
        } catch (broken) {
            form.elements.q.value = '';
        }
        Array.prototype.forEach.call(form.elements.verdict, function (choice) {
            choice.checked = choice.value === (asked ? asked[2] : '');
        });
        if (!form.elements.verdict.value)
            form.elements.verdict[0].checked = true;
        show();
    }

    form.hidden = false;
    form.addEventListener('input', remember);
    form.addEventListener('submit', function (event) { event.preventDefault(); });
    window.addEventListener('hashchange', function () {
        if (!location.hash || location.hash.indexOf('#q=') === 0)
            recall();
    });
    if (location.hash.indexOf('#q=') === 0)
        recall();
    else
        show();
}());
