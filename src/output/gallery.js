/* Finds studies on the page: words anywhere in a card or its index, and one verdict; where no study has all the words,
 * those that have most of them. What is asked for stands in the address, so that it can be kept and sent. Without this
 * script all studies are shown. */
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

    function show() {
        var words = plain(form.elements.q.value).split(/\s+/).filter(Boolean);
        var verdict = form.elements.verdict.value, count = 0;
        var known = cards.map(function (card, i) {
            var right = !verdict || card.getAttribute('data-verdict') === verdict;
            return right ? words.filter(function (word) { return texts[i].indexOf(word) >= 0; }).length : -1;
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
            (count > 0 && most < words.length ? ' with ' + most + ' of ' + words.length + ' words' : '');
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
