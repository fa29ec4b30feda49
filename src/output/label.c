/* Texts of a study as gnuplot strings. Nothing of them reaches gnuplot with a meaning of its own: indices and two
 * typefaces are recognised here and written anew, every other sign is written so that it stands for itself. */
#include <ctype.h>
#include <string.h>

#include "base/character.h"
#include "output/figure_parts.h"
#include "output/xml.h"

enum { DEEPEST = 3, LONGEST = 300 }; /* indices of indices; characters of a label, which gnuplot would cut somewhere */

typedef struct label {
    am_text *script;
    size_t left;     /* characters that still fit */
    size_t brackets; /* ] just before: gnuplot would write ]]> into its SVG as it is, and XML must not hold that */
} label;

/* One character, with a backslash where it would mean something; returns its bytes. Inside single quotes gnuplot knows
 * no escapes and runs no commands. The quote itself becomes an apostrophe as printers set it, because gnuplot reads a
 * doubled quote at the start of a string as an empty string. No line ends, and what is no text becomes a sign that says
 * so: gnuplot's SVG would not be well formed. */
static size_t add_character(label *l, const char *at) {
    const char *shown;
    size_t count, length = am_character_shown(at, &shown, &count);
    if (l->left == 0)
        return length;
    if (--l->left == 0) {
        am_text_add(l->script, "\xe2\x80\xa6");
        return length;
    }
    if (*shown == '\'') {
        am_text_add(l->script, "\xe2\x80\x99");
        return length;
    }
    if (*shown == '>' && l->brackets >= 2)
        am_text_add(l->script, "\xe2\x80\x8b"); /* a space of no width */
    l->brackets = *shown == ']' ? l->brackets + 1 : 0;
    if (strchr("_^{}@&~\\", *shown))
        am_text_add(l->script, "\\");
    am_text_add_bytes(l->script, shown, count);
    return length;
}

static void add_plain(label *l, const char *at, const char *end) {
    while (at < end)
        at += add_character(l, at);
}

/* Length of a balanced {...} that is not empty at the start; 0: there is none. */
static size_t braced(const char *at, const char *end) {
    size_t depth = 0;
    for (const char *p = at; p < end; p++) {
        depth += *p == '{';
        depth -= *p == '}';
        if (depth == 0)
            return *at == '{' && p > at + 1 ? (size_t)(p - at) + 1 : 0;
    }
    return 0;
}

/* What follows '_' or '^' and is meant as an index: {anything}, digits, or a single letter. 0: the sign is just a sign.
 */
static size_t index_length(const char *at, const char *end) {
    size_t length = braced(at, end);
    if (length > 0)
        return length;
    size_t digits = 0, letters = 0;
    while (at + digits < end && isdigit((unsigned char)at[digits]))
        digits++;
    while (at + letters < end && (isalnum((unsigned char)at[letters]) || at[letters] == '_'))
        letters++;
    return letters == digits || letters == 1 ? letters : 0;
}

static void add_markup(label *l, const char *at, const char *end, int depth);

/* "{/:Italic x}" and "{/:Bold x}"; returns its length, 0 when it is neither. */
static size_t add_typeface(label *l, const char *at, const char *end, int depth) {
    static const char *const known[] = {"{/:Italic ", "{/:Bold "};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t opening = strlen(known[i]), length = braced(at, end);
        if (length <= opening || strncmp(at, known[i], opening) != 0)
            continue;
        am_text_add(l->script, known[i]);
        add_markup(l, at + opening, at + length - 1, depth + 1);
        am_text_add(l->script, "}");
        return length;
    }
    return 0;
}

/* "_1", "^{12}"; returns its length with the blanks behind it, 0 when it is none. */
static size_t add_index(label *l, const char *at, const char *end, int depth) {
    size_t length = *at == '_' || *at == '^' ? index_length(at + 1, end) : 0;
    if (length == 0)
        return 0;
    bool braces = at[1] == '{';
    am_text_add_bytes(l->script, at, 1);
    am_text_add(l->script, "{");
    add_markup(l, at + 1 + braces, at + 1 + length - braces, depth + 1);
    am_text_add(l->script, "}");
    for (length++; at + length < end && at[length] == ' '; length++)
        am_text_add(l->script, "\xc2\xa0"); /* SVG readers drop a plain space after an index */
    return length;
}

static size_t count_letters(const char *at, const char *end) {
    size_t count = 0;
    while (at + count < end && isalpha((unsigned char)at[count]))
        count++;
    return count;
}

/* The letter that a word names; NULL: it is a word. */
static const char *greek(const char *word, size_t length) {
    static const char *const letters[][2] = {
        {"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"}, {"zeta", "ζ"},
        {"eta", "η"},   {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},
        {"xi", "ξ"},    {"rho", "ρ"},   {"sigma", "σ"}, {"tau", "τ"},    {"phi", "φ"},     {"chi", "χ"},
        {"psi", "ψ"},   {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"},  {"Theta", "Θ"},   {"Lambda", "Λ"},
        {"Xi", "Ξ"},    {"Sigma", "Σ"}, {"Phi", "Φ"},   {"Psi", "Ψ"},    {"Omega", "Ω"}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strlen(letters[i][0]) == length && strncmp(word, letters[i][0], length) == 0)
            return letters[i][1];
    return NULL;
}

/* "Omega" is the letter, "xi10" the letter with an index; returns its length, 0 when it is none. */
static size_t add_greek(label *l, const char *at, const char *end) {
    size_t letters = count_letters(at, end), length = letters;
    const char *letter = greek(at, letters);
    while (at + length < end && isdigit((unsigned char)at[length]))
        length++;
    bool word = at + length < end && isalnum((unsigned char)at[length]);
    if (!letter || word)
        return 0;
    am_text_add(l->script, letter);
    if (length > letters)
        am_text_printf(l->script, "_{%.*s}", (int)(length - letters), at + letters);
    l->left--;
    l->brackets = 0;
    return length;
}

static void add_markup(label *l, const char *at, const char *end, int depth) {
    for (const char *first = at; at < end && l->left > 0;) {
        bool inside = at > first && isalnum((unsigned char)at[-1]);
        size_t length = depth < DEEPEST ? add_typeface(l, at, end, depth) : 0;
        if (length == 0 && at > first && depth < DEEPEST)
            length = add_index(l, at, end, depth);
        if (length == 0 && !inside)
            length = add_greek(l, at, end);
        at += length > 0 ? length : add_character(l, at);
    }
}

void am_figure_quote(am_text *script, const char *text) {
    label l = {.script = script, .left = LONGEST};
    am_text_add(script, "'");
    if (text)
        add_markup(&l, text, text + strlen(text), 0);
    am_text_add(script, "'");
}

void am_figure_quote_plain(am_text *script, const char *text) {
    label l = {.script = script, .left = LONGEST};
    am_text_add(script, "'");
    if (text)
        add_plain(&l, text, text + strlen(text));
    am_text_add(script, "'");
}

void am_label_html(am_text *page, const char *text) {
    const char *end = text + strlen(text);
    for (const char *at = text; at < end;) {
        size_t letters = at == text || !isalnum((unsigned char)at[-1]) ? count_letters(at, end) : 0;
        size_t index = at > text && (*at == '_' || *at == '^') ? index_length(at + 1, end) : 0;
        const char *letter = letters > 0 && !isdigit((unsigned char)at[letters]) ? greek(at, letters) : NULL;
        char piece[8] = "";
        if (letter) {
            am_text_add(page, letter);
            at += letters;
        } else if (index > 0) {
            const char *element = *at == '_' ? "sub" : "sup";
            bool braces = at[1] == '{';
            am_text_printf(page, "<%s>", element);
            for (size_t i = braces; i < index - braces; i++)
                am_xml_add(page, (const char[]){at[1 + i], '\0'});
            am_text_printf(page, "</%s>", element);
            at += 1 + index;
        } else {
            size_t length = 1;
            while (((unsigned char)at[length] & 0xc0) == 0x80 && length < 4) /* one sign of several bytes */
                length++;
            memcpy(piece, at, length);
            am_xml_add(page, piece);
            at += length;
        }
    }
}

/* "u1" as u_1, "tau_max" and "v_max" as symbols with an index; words that are joined stand apart. */
static void add_column_name(am_text *words, const char *name) {
    const char *end = name + strlen(name);
    size_t letters = count_letters(name, end), digits = strspn(name + letters, "0123456789");
    const char *rest = name + letters + digits;
    bool symbol = letters > 0 && (letters <= 2 || greek(name, letters));
    if (symbol && digits > 0 && !*rest) {
        am_text_printf(words, "%.*s_{%s}", (int)letters, name, name + letters);
    } else if (symbol && digits == 0 && rest[0] == '_' && count_letters(rest + 1, end) == strlen(rest + 1)) {
        am_text_printf(words, "%.*s_{%s}", (int)letters, name, rest + 1);
    } else {
        for (const char *at = name; *at; at++)
            am_text_add_bytes(words, *at == '_' && at > name && at[1] ? " " : at, 1);
    }
}

void am_figure_quote_column(am_text *script, const am_table *table, size_t column) {
    const char *name = am_table_column_name(table, column), *unit = am_table_column_unit(table, column);
    bool said = strcmp(unit, "1") == 0 || strcmp(unit, "parameter") == 0 || strcmp(unit, name) == 0;
    am_text words = {0};
    add_column_name(&words, name);
    if (unit[0] && !said)
        am_text_printf(&words, " (%s)", unit);
    am_figure_quote(script, am_text_view(&words));
    if (words.status != AM_OK)
        script->status = words.status;
    am_text_free(&words);
}

void am_figure_remark(am_text *script, const char *before, const char *name, const char *behind) {
    am_text_printf(script, " # %s", before);
    for (const char *at = name; *at;) {
        const char *shown;
        size_t count;
        at += am_character_shown(at, &shown, &count);
        am_text_add_bytes(script, *shown == '\\' ? "/" : shown, count); /* a backslash would join the next line */
    }
    am_text_printf(script, "%s\n", behind);
}
