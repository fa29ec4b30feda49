/* Finds studies on the page: words anywhere in a card or its index, and one verdict. What is asked for stands in the
 * address, so that it can be kept and sent. Without this script all studies are shown. */
(function () {
    'use strict';
    var form = document.getElementById('find'), found = document.getElementById('found');
    if (!form)
        return;
    var groups = Array.prototype.slice.call(document.querySelectorAll('section.group'));
    var cards = Array.prototype.slice.call(document.querySelectorAll('.card'));
    var texts = cards.map(function (card) {
        return (card.textContent + ' ' + card.getAttribute('data-words')).toLowerCase();
    });

    function show() {
        var words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
        var verdict = form.elements.verdict.value, count = 0;
        cards.forEach(function (card, i) {
            card.hidden = (verdict && card.getAttribute('data-verdict') !== verdict) ||
                !words.every(function (word) { return texts[i].indexOf(word) >= 0; });
            count += card.hidden ? 0 : 1;
        });
        groups.forEach(function (group) {
            group.hidden = !group.querySelector('.card:not([hidden])');
        });
        found.textContent = count === 1 ? '1 study' : count + ' studies';
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
