// Formulas are blocks of code with the language `math`, as GitHub reads them; here KaTeX draws them.
document.addEventListener('DOMContentLoaded', function () {
    document.querySelectorAll('pre > code.language-math').forEach(function (code) {
        var formula = document.createElement('div');
        formula.className = 'formula';
        formula.tabIndex = 0; // a wide one scrolls, by keyboard too
        formula.setAttribute('role', 'group');
        formula.setAttribute('aria-label', 'formula');
        katex.render(code.textContent, formula, {displayMode: true, throwOnError: false});
        code.parentElement.replaceWith(formula);
    });
    document.querySelectorAll('pre, table').forEach(function (wide) { wide.tabIndex = 0; }); // so are listings and tables
});
