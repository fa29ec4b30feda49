/* docs/quantities.md against what analyses return: every name of a summary and every column is defined there, with the
 * right kind and unit, and nothing is defined there that no analysis returns. The studies are in tests/quantities; in
 * their first lines they name their coordinates (# stands for a number), their contacts and the numbers that they
 * vary. */
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "amontons/output.h"
#include "amontons/study.h"
#include "base/glossary.h"
#include "base/text.h"
#include "errors.h"
#include "study/analyses.h"

/* ---- The page ---- */

enum { SUMMARY, TABLES, COLUMNS, SECTIONS, MOST_ROWS = 1500, MOST_CELL = 512 };

typedef struct row {
    int section;
    char name[64], unit[64], where[MOST_CELL];
    char by[MOST_CELL]; /* analyses that were seen to return it, as in `where` */
    bool returned;
} row;

static row page[MOST_ROWS];
static size_t row_count;
static int faults;

static void fault(const char *study, const char *what, const char *name, const char *why) {
    print_error("%s: %s %s %s\n", study, what, name, why);
    faults++;
}

static char *contents(const char *path) {
    am_text text = {0};
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be read", path);
    char part[4096];
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
        am_text_add_bytes(&text, part, got);
    fclose(file);
    char *copy = strdup(am_text_view(&text));
    am_text_free(&text);
    return copy;
}

/* The cells of "| `name` | unit | meaning | where |". */
static void read_row(char *line, int section) {
    char *cell[5] = {0};
    size_t count = 0;
    for (char *at = strtok(line, "|"); at && count < 5; at = strtok(NULL, "|")) {
        while (*at == ' ' || *at == '`')
            at++;
        size_t length = strlen(at);
        while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '`'))
            at[--length] = '\0';
        cell[count++] = at;
    }
    assert_true(row_count < MOST_ROWS && count == (section == TABLES ? 3 : 4));
    row *r = &page[row_count++];
    *r = (row){.section = section};
    snprintf(r->name, sizeof r->name, "%s", cell[0]);
    snprintf(r->unit, sizeof r->unit, "%s", section == TABLES ? "" : cell[1]);
    snprintf(r->where, sizeof r->where, "%s", cell[count - 1]);
    for (size_t i = 0; i + 1 < row_count; i++)
        if (page[i].section == section && strcmp(page[i].name, r->name) == 0)
            fault("docs/quantities.md", "", r->name, "is defined twice");
}

static int read_page(void **state) {
    (void)state;
    static const char *const heads[SECTIONS] = {"## Summary", "## Tables", "## Columns"};
    char *text = contents(AMONTONS_SOURCE_DIR "/docs/quantities.md");
    int section = -1;
    for (char *line = text, *end; line && *line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        for (int s = 0; s < SECTIONS; s++)
            if (strncmp(line, heads[s], strlen(heads[s])) == 0)
                section = s;
        if (section >= 0 && strncmp(line, "| `", 3) == 0)
            read_row(line, section);
    }
    free(text);
    assert_true(row_count > 100);
    return 0;
}

/* ---- Names ---- */

typedef struct words { /* of the study: separated by spaces */
    char coordinates[256], contacts[256], directions[256], numbers[256];
} words;

static bool is_defined_output(const char *name, size_t length);

/* Length of the word of the list that `name` begins with, the longest; # stands for digits. 0: none. */
static size_t begins_with(const char *list, const char *name) {
    size_t best = 0;
    while (*list) {
        size_t length = 0;
        bool same = true;
        for (; *list && *list != ' '; list++) {
            if (*list == '#') {
                same = same && isdigit((unsigned char)name[length]);
                while (same && isdigit((unsigned char)name[length]))
                    length++;
            } else {
                same = same && name[length] == *list;
                length += same;
            }
        }
        best = same && length > best ? length : best;
        while (*list == ' ')
            list++;
    }
    return best;
}

static size_t digits_of(const char *name) {
    return strspn(name, "0123456789");
}

/* v1, v_x, or dv1, as far as it goes. */
static size_t velocity(const char *name, const words *w) {
    size_t before = name[0] == 'v' && name[1] == '_' ? 2 : name[0] == 'd' ? 1 : 0;
    size_t own = before ? begins_with(w->coordinates, name + before) : 0, number = digits_of(name + 1);
    return own ? before + own : name[0] == 'v' && number ? 1 + number : 0;
}

/* _belt, or 1 */
static size_t contact(const char *name, const words *w) {
    size_t own = name[0] == '_' ? begins_with(w->contacts, name + 1) : 0;
    return own ? 1 + own : digits_of(name);
}

static bool matches(const char *pattern, const char *name, const words *w) {
    while (*pattern) {
        size_t length = 0;
        if (strncmp(pattern, "<i>", 3) == 0) {
            length = digits_of(name);
        } else if (strncmp(pattern, "<q>", 3) == 0 || strncmp(pattern, "<symbol>", 8) == 0) {
            length = begins_with(w->coordinates, name);
        } else if (strncmp(pattern, "<v>", 3) == 0) {
            length = velocity(name, w);
        } else if (strncmp(pattern, "<c>", 3) == 0) {
            length = contact(name, w);
        } else if (strncmp(pattern, "<number>", 8) == 0) {
            length = begins_with(w->numbers, name);
        } else if (strncmp(pattern, "<direction>", 11) == 0) {
            length = begins_with(w->directions, name);
        } else if (strncmp(pattern, "<output>", 8) == 0) { /* the longest after which the rest fits */
            for (length = strlen(name); length > 0; length--)
                if (is_defined_output(name, length) && matches(pattern + 8, name + length, w))
                    break;
        } else if (*pattern++ == *name) {
            name++;
            continue;
        } else {
            return false;
        }
        if (length == 0)
            return false;
        name += length;
        pattern = strchr(pattern, '>') + 1;
    }
    return !*name;
}

static bool is_last_choice(const row *r) {
    return strcmp(r->name, "<output>") == 0;
}

/* The row of a name: one without a pattern first, then the longest pattern. */
static row *find(int section, const char *name, const words *w) {
    row *best = NULL;
    for (size_t i = 0; i < row_count; i++) {
        if (page[i].section != section || !matches(page[i].name, name, w))
            continue;
        bool plain = !strchr(page[i].name, '<');
        bool longer = best && strchr(best->name, '<') && strlen(page[i].name) > strlen(best->name);
        if (!best || plain || is_last_choice(best) || (longer && !is_last_choice(&page[i])))
            best = &page[i];
    }
    return best;
}

static bool is_defined_output(const char *name, size_t length) {
    for (size_t i = 0; i < row_count; i++)
        if (page[i].section == SUMMARY && strlen(page[i].name) == length && strncmp(page[i].name, name, length) == 0)
            return true;
    return false;
}

static bool is_listed(const char *list, const char *word) {
    return am_glossary_lists(list, word, NULL);
}

/* ---- What a study returns ---- */

static bool is_word(const char *unit) {
    return strcmp(unit, "flag") == 0 || strcmp(unit, "text") == 0 || strcmp(unit, "count") == 0;
}

static bool fits(const char *unit, const am_scalar *scalar) {
    switch (scalar->kind) {
    case AM_SCALAR_NONE:
        return true;
    case AM_SCALAR_FLAG:
        return strcmp(unit, "flag") == 0;
    case AM_SCALAR_TEXT:
        return strcmp(unit, "text") == 0 || (strcmp(unit, "count") == 0 && isdigit((unsigned char)*scalar->text));
    case AM_SCALAR_COUNT:
        return strcmp(unit, "count") == 0;
    case AM_SCALAR_NUMBER:
        return !is_word(unit) || (strcmp(unit, "count") == 0 && scalar->number == (double)(long)scalar->number);
    }
    return false;
}

/* Variants of a study, and what a model adds of another analysis, have a prefix. */
static const char *own_name(const char *name, const words *w) {
    const char *dot = strrchr(name, '.');
    return dot && !begins_with(w->numbers, name) ? dot + 1 : name;
}

/* The name before: N1 for N2, and "" for N1 (orders of derivatives count from 0) or a name without a number at its end.
 */
static void name_before(const char *name, char *before, size_t size) {
    size_t length = strlen(name), digits = 0;
    while (digits < length && isdigit((unsigned char)name[length - digits - 1]))
        digits++;
    unsigned long number = digits > 0 ? strtoul(name + length - digits, NULL, 10) : 1;
    before[0] = '\0';
    if (number > 1)
        snprintf(before, size, "%.*s%lu", (int)(length - digits), name, number - 1);
}

/* N1, N2, ...: what is numbered counts from 1, without gaps. */
static bool columns_count_from_one(const am_table *table, const char *name) {
    char before[256];
    name_before(name, before, sizeof before);
    return !*before || am_table_find_column(table, before) != SIZE_MAX;
}

static bool scalars_count_from_one(const am_result *result, const char *name) {
    char before[256];
    name_before(name, before, sizeof before);
    return !*before || am_result_find(result, before);
}

/* "that of the output": where the name without its first word is defined itself, its unit. */
static bool has_unit(const row *r, const am_scalar *scalar, const char *unit) {
    const char *wanted = r->unit, *output = strchr(scalar->name, '_');
    bool number = scalar->kind == AM_SCALAR_NUMBER || scalar->kind == AM_SCALAR_NONE;
    for (size_t i = 0; strcmp(r->unit, "that of the output") == 0 && output && i < row_count; i++)
        if (page[i].section == SUMMARY && strcmp(page[i].name, output + 1) == 0)
            wanted = page[i].unit;
    return strcmp(unit, number && !is_word(wanted) ? wanted : "") == 0;
}

static void check_summary(const char *study, const am_report *report, const words *w) {
    for (size_t i = 0; i < am_result_scalar_count(report->result); i++) {
        const am_scalar *scalar = am_result_scalar(report->result, i);
        const char *name = own_name(scalar->name, w);
        row *r = find(SUMMARY, name, w);
        if (!r) {
            fault(study, "summary", scalar->name, "is not defined in docs/quantities.md");
            continue;
        }
        r->returned = true;
        if (strstr(r->name, "<i>") && !scalars_count_from_one(report->result, scalar->name))
            fault(study, "summary", scalar->name, "is not numbered from 1");
        if (name == scalar->name && !is_listed(r->by, report->analysis)) {
            size_t length = strlen(r->by);
            snprintf(r->by + length, sizeof r->by - length, "%s%s", length ? ", " : "", report->analysis);
        }
        if (!fits(r->unit, scalar))
            fault(study, "summary", scalar->name, "is of another kind than docs/quantities.md says");
        if (!has_unit(r, scalar, am_result_scalar_unit(report->result, i)))
            fault(study, "summary", scalar->name, "has another unit than docs/quantities.md says");
        if (name == scalar->name && !is_listed(r->where, report->analysis))
            fault(study, "summary", scalar->name, "is returned by an analysis that docs/quantities.md does not list");
    }
}

static bool fits_column(const char *unit, const am_table *table, size_t column) {
    const char *own = am_table_column_unit(table, column);
    switch (am_table_column_kind(table, column)) {
    case AM_COLUMN_FLAG:
        return strcmp(unit, "flag") == 0;
    case AM_COLUMN_TEXT:
        return strcmp(unit, "text") == 0;
    case AM_COLUMN_COUNT:
        return strcmp(unit, "count") == 0;
    case AM_COLUMN_NUMBER:
        return !is_word(unit) && strcmp(unit, own) == 0;
    }
    return false;
}

/* A count is whole wherever it is known. */
static bool counts(const am_table *table, size_t column) {
    for (size_t row = 0; am_table_column_kind(table, column) == AM_COLUMN_COUNT && row < am_table_rows(table); row++) {
        double value = am_table_number(table, row, column);
        if (!isnan(value) && value != floor(value))
            return false;
    }
    return true;
}

/* In `by` of a column: "table analysis" for each that was seen. */
static void note(row *r, const char *table, const char *analysis) {
    char both[160];
    snprintf(both, sizeof both, "%s %s", table, analysis);
    size_t length = strlen(r->by);
    if (!is_listed(r->by, both))
        snprintf(r->by + length, sizeof r->by - length, "%s%s", length ? ", " : "", both);
}

/* A coordinate may be called v1: one of the rows of the page that match must say what the column is. */
static bool fits_somewhere(const char *analysis, const char *name, const char *column, const words *w,
                           const am_table *table, size_t c) {
    bool fits_one = false;
    for (size_t i = 0; i < row_count && !fits_one; i++) {
        size_t length = strlen(name);
        bool own = strncmp(page[i].name, name, length) == 0 && page[i].name[length] == '.';
        const char *pattern = own ? page[i].name + length + 1 : page[i].name;
        fits_one = page[i].section == COLUMNS && am_glossary_lists(page[i].where, name, analysis) &&
                   matches(pattern, column, w) && fits_column(page[i].unit, table, c);
        if (fits_one && analysis)
            note(&page[i], name, analysis);
    }
    return fits_one;
}

/* Of a sweep: as in the summary of its points. What a refined sweep fills in lies between: numbers, not counts. */
static bool is_output_column(const char *column, const words *w, const am_table *table, size_t c) {
    const row *r = find(SUMMARY, column, w);
    bool refined = am_table_find_column(table, "evaluated") != SIZE_MAX;
    if (r && refined && is_word(r->unit) && strcmp(r->unit, "text") != 0)
        return am_table_column_kind(table, c) == AM_COLUMN_NUMBER;
    return r && (fits_column(r->unit, table, c) || strchr(r->name, '<'));
}

static void check_tables(const char *study, const am_report *report, const words *w) {
    for (size_t t = 0; t < am_result_table_count(report->result); t++) {
        const am_table *table = am_result_table(report->result, t);
        const char *name = own_name(am_table_name(table), w);
        row *r = find(TABLES, name, w);
        if (!r) {
            fault(study, "table", name, "is not defined in docs/quantities.md");
            continue;
        }
        r->returned = true;
        bool sweep = strcmp(report->analysis, "sweep") == 0;
        for (size_t c = 0; c < am_table_columns(table); c++) {
            char both[256];
            const char *column = own_name(am_table_column_name(table, c), w);
            snprintf(both, sizeof both, "%s.%s", name, column);
            row *own = find(COLUMNS, both, w);
            if (!own)
                own = find(COLUMNS, column, w);
            if (!own) {
                fault(study, "column", both, "is not defined in docs/quantities.md");
                continue;
            }
            own->returned = true;
            if (strstr(own->name, "<i>") && !columns_count_from_one(table, am_table_column_name(table, c)))
                fault(study, "column", both, "is not numbered from 1");
            const char *analysis = sweep || name != am_table_name(table) ? NULL : report->analysis;
            if (!fits_somewhere(analysis, name, column, w, table, c) &&
                !(sweep && is_output_column(column, w, table, c)))
                fault(study, "column", both, "is of another kind, unit or analysis than docs/quantities.md says");
            if (!counts(table, c))
                fault(study, "column", both, "is a count and not whole");
        }
    }
}

static void read_words(const char *text, const char *key, char *into, size_t size) {
    const char *at = strstr(text, key);
    into[0] = '\0';
    if (!at)
        return;
    at += strlen(key);
    at += strspn(at, " ");
    snprintf(into, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/* ---- What a study may name before it runs ---- */

static void add_wish(am_text *wishes, const char *name) {
    am_text_printf(wishes, "%s\"%s\": 1", wishes->length > 1 ? ", " : "", name);
}

/* Is a study with these expectations sound? */
static bool is_accepted(const char *path, const char *wishes, am_error *err) {
    const char *const allowed = AMONTONS_SOURCE_DIR "/gallery";
    const am_setting setting = {"expect", wishes};
    const am_study_options options = {
        .setting_count = 1, .settings = &setting, .allowed_count = 1, .allowed = &allowed};
    am_study *study = am_study_open(path, &options, err);
    am_study_free(study);
    return study != NULL;
}

/* Names of everything that the study returned, as expectations. */
static void list_all(const am_result *result, am_text *wishes) {
    am_text_add(wishes, "{");
    for (size_t i = 0; i < am_result_scalar_count(result); i++)
        add_wish(wishes, am_result_scalar(result, i)->name);
    for (size_t t = 0; t < am_result_table_count(result); t++) {
        const am_table *table = am_result_table(result, t);
        for (size_t c = 0; c < am_table_columns(table); c++) {
            char cell[512];
            snprintf(cell, sizeof cell, "%.200s[0].%.200s", am_table_name(table), am_table_column_name(table, c));
            add_wish(wishes, cell);
        }
    }
    am_text_add(wishes, "}");
}

/* What is returned may be asked for; what is called otherwise is refused before anything runs. */
static void check_foresight(const char *path, const char *name, const am_result *result) {
    am_text wishes = {0};
    am_error err = {0};
    list_all(result, &wishes);
    if (!is_accepted(path, am_text_view(&wishes), &err))
        fault(name, "foresight", "", err.message);
    for (size_t k = 0; k < 4; k++) {
        size_t scalars = am_result_scalar_count(result), tables = am_result_table_count(result);
        char wrong[512] = "";
        const am_scalar *scalar = scalars ? am_result_scalar(result, k * 7 % scalars) : NULL;
        const am_table *table = tables ? am_result_table(result, k % tables) : NULL;
        if (k % 2 == 0 && scalar && !strchr(scalar->name, '.'))
            snprintf(wrong, sizeof wrong, "%.200s_zz", scalar->name);
        else if (k % 2 == 1 && table && am_table_columns(table) > 0 && !strchr(am_table_name(table), '.'))
            snprintf(wrong, sizeof wrong, "%.200s[0].%.200s_zz", am_table_name(table),
                     am_table_column_name(table, k * 5 % am_table_columns(table)));
        if (!*wrong || strchr(strrchr(wrong, ']') ? strrchr(wrong, ']') + 2 : wrong, '.'))
            continue;
        am_text_clear(&wishes);
        am_text_printf(&wishes, "{\"%s\": 1}", wrong);
        if (is_accepted(path, am_text_view(&wishes), &err))
            fault(name, "foresight", wrong, "is accepted before the run");
    }
    am_text_free(&wishes);
}

static void run_study(const char *path, const char *name) {
    words w;
    am_error err = {0};
    char *text = contents(path);
    read_words(text, "# coordinates:", w.coordinates, sizeof w.coordinates);
    read_words(text, "# contacts:", w.contacts, sizeof w.contacts);
    read_words(text, "# directions:", w.directions, sizeof w.directions);
    read_words(text, "# numbers:", w.numbers, sizeof w.numbers);
    free(text);
    const char *const allowed = AMONTONS_SOURCE_DIR "/gallery";
    const am_study_options options = {.allowed_count = 1, .allowed = &allowed};
    am_study *study = am_study_open(path, &options, &err);
    am_run *made = study ? am_study_run(study, NULL, &err) : NULL;
    if (!made)
        fail_msg("%s: %s", name, err.message);
    check_summary(name, am_run_report(made), &w);
    check_tables(name, am_run_report(made), &w);
    check_foresight(path, name, am_run_report(made)->result);
    am_run_free(made);
    am_study_free(study);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void every_quantity_that_analyses_return_is_defined_once(void **state) {
    (void)state;
    char *names[200];
    size_t count = 0;
    DIR *folder = opendir(AMONTONS_SOURCE_DIR "/tests/quantities");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strstr(entry->d_name, ".yaml") && count < 200)
            names[count++] = strdup(entry->d_name);
    closedir(folder);
    qsort(names, count, sizeof *names, by_name);
    assert_true(count > 30);
    for (size_t i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, AMONTONS_SOURCE_DIR "/tests/quantities/%s", names[i]);
        run_study(path, names[i]);
        free(names[i]);
    }
    assert_int_equal(faults, 0);
}

/* What the small studies do not come to: other models, folds, failures with a reason. */
static const char *const seldom[] = {"beta<i> shakedown",
                                     "bifurcation_lost response",
                                     "f_critical_dynamic states",
                                     "first_fold response",
                                     "fold_load stability",
                                     "fold_lost response",
                                     "highest_fold response",
                                     "largest_exponent attractors",
                                     "largest_exponent_per_cycle attractors",
                                     "lowest_fold response",
                                     "modes_compared backbone",
                                     "modes_compared march",
                                     "modes_compared response",
                                     "modes_compared stability",
                                     "modes_converged backbone",
                                     "modes_converged march",
                                     "modes_converged response",
                                     "modes_converged stability",
                                     "modes_difference backbone",
                                     "modes_difference march",
                                     "modes_difference response",
                                     "modes_difference stability",
                                     "modes_events_difference backbone",
                                     "modes_events_difference march",
                                     "modes_events_difference response",
                                     "modes_events_difference stability",
                                     "modes_used backbone",
                                     "modes_used march",
                                     "modes_used response",
                                     "modes_used stability",
                                     "modes_verdict backbone",
                                     "modes_verdict march",
                                     "modes_verdict response",
                                     "modes_verdict stability",
                                     "mu_lost_above states",
                                     "mu_unique_below states",
                                     "nodal_diameter design",
                                     "omega_free_<i> design",
                                     "omega_stuck_<i> design",
                                     "rigid_instability stability",
                                     "rigid_limit stability",
                                     "search_without_starts response",
                                     "stability_reason response",
                                     "stiff_limit stability",
                                     "undecided_because states",
                                     "witness_when_open states"};

static bool is_seldom(const char *name, const char *analysis) {
    char both[160];
    snprintf(both, sizeof both, "%s %s", name, analysis);
    for (size_t i = 0; i < sizeof seldom / sizeof *seldom; i++)
        if (strcmp(seldom[i], both) == 0)
            return true;
    return false;
}

/* " of atlas or response" behind the name of a table: each of them was seen to write the column. */
static void check_alternatives(const row *r, const char *of) {
    const char *begin = of;
    while (begin > r->where && begin[-1] != ' ')
        begin--;
    for (const char *at = of, *word = of + strlen(" of "); strncmp(at, at == of ? " of " : " or ", 4) == 0;
         word = at + 4) {
        size_t length = strcspn(word, " ,");
        char both[160];
        snprintf(both, sizeof both, "%.*s %.*s", (int)(of - begin), begin, (int)length, word);
        if (!is_listed(r->by, both))
            fault("docs/quantities.md", r->name, "is not a column of", both);
        at = word + length;
    }
}

/* Each analysis returns what the page says of it: a number that is lost on its way is missed here. */
static void every_analysis_returns_what_is_said_of_it(void **state) {
    (void)state;
    faults = 0;
    for (size_t i = 0; i < row_count; i++) {
        char where[MOST_CELL];
        snprintf(where, sizeof where, "%s", page[i].section == SUMMARY ? page[i].where : "");
        for (char *at = strtok(where, ","); at; at = strtok(NULL, ",")) {
            at += strspn(at, " ");
            at[strcspn(at, " ")] = '\0'; /* "path of oscillator" */
            if (!is_listed(page[i].by, at) && !is_seldom(page[i].name, at))
                fault("docs/quantities.md", page[i].name, "is not returned by", at);
        }
        const char *of = page[i].section == COLUMNS ? strstr(page[i].where, " of ") : NULL;
        for (; of; of = strstr(of + 1, " of "))
            check_alternatives(&page[i], of);
    }
    assert_int_equal(faults, 0);
}

/* `help` of an analysis lists what the page says of it. */
static void help_lists_what_an_analysis_returns(void **state) {
    (void)state;
    for (size_t k = 0; am_analysis_kinds[k]; k++) {
        const char *analysis = am_analysis_kinds[k]->schema->name;
        char *help = am_study_help(analysis, NULL);
        assert_non_null(help);
        for (size_t i = 0; i < am_glossary_size(); i++) {
            const am_glossary_entry *entry = am_glossary_entry_at(i);
            char line[120];
            snprintf(line, sizeof line, "\n  %-17s ", entry->name);
            bool listed = entry->section != AM_GLOSSARY_COLUMNS && am_glossary_lists(entry->where, analysis, NULL);
            if (listed && !strstr(help, line))
                fail_msg("help %s does not list %s", analysis, entry->name);
        }
        free(help);
    }
}

/* ---- What nobody returns ---- */

static am_text source;

static void add_sources(const char *folder) {
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    for (struct dirent *entry; (entry = readdir(opened));) {
        char path[2048];
        size_t length = strlen(entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        if (length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0) {
            char *text = contents(path);
            am_text_add(&source, text);
            free(text);
        } else if (!strchr(entry->d_name, '.')) {
            add_sources(path);
        }
    }
    closedir(opened);
}

/* A name that none of the studies returned must at least be written down in the code. */
static void nothing_is_defined_that_no_analysis_can_return(void **state) {
    (void)state;
    faults = 0;
    add_sources(AMONTONS_SOURCE_DIR "/src/analyses");
    add_sources(AMONTONS_SOURCE_DIR "/src/engines");
    add_sources(AMONTONS_SOURCE_DIR "/src/papers");
    add_sources(AMONTONS_SOURCE_DIR "/src/study");
    add_sources(AMONTONS_SOURCE_DIR "/src/models");
    for (size_t i = 0; i < row_count; i++) {
        char literal[80];
        const char *dot = strchr(page[i].name, '.');
        snprintf(literal, sizeof literal, "\"%s\"", dot ? dot + 1 : page[i].name);
        if (!page[i].returned && (strchr(page[i].name, '<') || !strstr(am_text_view(&source), literal)))
            fault("docs/quantities.md", "", page[i].name, "is defined, and no analysis returns it");
    }
    am_text_free(&source);
    assert_int_equal(faults, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_quantity_that_analyses_return_is_defined_once),
        cmocka_unit_test(every_analysis_returns_what_is_said_of_it),
        cmocka_unit_test(help_lists_what_an_analysis_returns),
        cmocka_unit_test(nothing_is_defined_that_no_analysis_can_return),
    };
    return cmocka_run_group_tests(tests, read_page, NULL);
}
