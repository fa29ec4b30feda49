#include "study/unknown_number.h"

#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "base/text.h"
#include "study/models.h"
#include "study/number_list.h"

enum { MOST_SUGGESTED = 4, LONGEST = 256 };

/* "contacts[0].friction" as "contacts.0.friction" */
static void straighten(const char *path, char plain[LONGEST]) {
    size_t length = 0;
    for (; *path && length + 1 < LONGEST; path++)
        if (*path != ']')
            plain[length++] = *path == '[' ? '.' : *path;
    plain[length] = '\0';
}

static const char *last_part(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* Is `whole` what ends with `tail`, from a point on? */
static bool ends_in(const char *whole, const char *tail) {
    size_t length = strlen(whole), end = strlen(tail);
    return length > end && whole[length - end - 1] == '.' && strcmp(whole + length - end, tail) == 0;
}

/* Does the number belong to something whose name stands in the path before the last point? */
static bool is_of_named(const am_node *model, const char *number, const char *path) {
    char owner[LONGEST];
    snprintf(owner, sizeof owner, "%.*s", (int)(last_part(number) - number), number);
    size_t length = strlen(owner);
    if (length == 0 || last_part(path) == path)
        return false;
    owner[length - 1] = '\0';
    const am_node *name = am_node_get(am_node_find((am_node *)model, owner), "name"); /* only looked at */
    const char *end = last_part(path) - 1;
    size_t own = name && name->kind == AM_NODE_SCALAR ? strlen(name->text) : 0;
    bool before = own > 0 && (size_t)(end - path) >= own && strncmp(end - own, name->text, own) == 0;
    return before && (end - own == path || end[-(long)own - 1] == '.');
}

/* Numbers that may be meant, the likeliest kind of slip first; returns how many there are, of which at most
 * MOST_SUGGESTED are listed. */
static size_t suggest(const am_node *model, const am_number_list *list, const char *path, const char **names,
                      const char *suggested[MOST_SUGGESTED]) {
    const char *last = last_part(path);
    for (int way = 0; way < 3; way++) {
        size_t count = 0;
        for (size_t i = 0; i < list->count; i++) {
            const char *number = list->numbers[i].path;
            bool fits = way == 0   ? ends_in(number, path)
                        : way == 1 ? ends_in(number, last) && is_of_named(model, number, path)
                                   : ends_in(number, last) || strcmp(number, last) == 0;
            if (fits && count++ < MOST_SUGGESTED)
                suggested[count - 1] = number;
        }
        if (count > 0)
            return count;
    }
    for (size_t i = 0; i < list->count; i++)
        names[i] = list->numbers[i].path;
    suggested[0] = am_text_nearest(path, names, list->count);
    if (suggested[0])
        return 1;
    for (size_t i = 0; i < list->count; i++) /* "frction": a slip in the last part alone */
        names[i] = last_part(list->numbers[i].path);
    const char *nearest = am_text_nearest(last, names, list->count);
    for (size_t i = 0; nearest && i < list->count; i++)
        if (names[i] == nearest)
            suggested[0] = list->numbers[i].path;
    return suggested[0] ? 1 : 0;
}

/* The numbers of the model, and those that may be meant. *known: it is one itself, or its kind is not known. */
static am_status look(const am_node *model, const char *path, am_arena *pool, const am_model_kind **kind, bool *known,
                      size_t *count, const char *suggested[MOST_SUGGESTED], am_error *err) {
    am_error ignored = {0};
    am_reading reading = {.pool = pool, .err = &ignored};
    am_number_list list = {0};
    char plain[LONGEST];
    straighten(path, plain);
    *kind = model ? am_model_kind_find(&reading, model) : NULL;
    *known = !*kind || am_node_find((am_node *)model, path); /* only looked at */
    if (!*kind)
        return AM_OK;
    AM_TRY(am_number_list_fill(&list, pool, (*kind)->schema, model, err));
    for (size_t i = 0; i < list.count; i++)
        *known = *known || strcmp(list.numbers[i].path, plain) == 0;
    const char **names = am_arena_new(pool, list.count, sizeof *names, err);
    AM_TRY(am_arena_status(pool));
    *count = suggest(model, &list, plain, names, suggested);
    return AM_OK;
}

/* Refusals that a name of no number leads to; those that suggest something themselves are left alone. */
static bool is_about_a_name(const char *message) {
    bool unknown = strstr(message, "unknown key") || strstr(message, "does not number an item") ||
                   strstr(message, "has no number");
    return unknown && !strstr(message, "did you mean");
}

void am_suggest_number(const am_node *model, const char *path, const char *prefix, am_error *err) {
    AM_LOCAL_ARENA pool = {0};
    AM_LOCAL(am_text_free) am_text words = {0};
    am_error ignored = {0};
    const am_model_kind *kind;
    const char *suggested[MOST_SUGGESTED] = {NULL}, *end = strstr(err->message, "; ");
    size_t count = 0;
    bool known = false;
    if (!is_about_a_name(err->message) ||
        look(model, path, &pool, &kind, &known, &count, suggested, &ignored) != AM_OK || known)
        return;
    if (count == 0 && end)
        return;
    am_text_add_bytes(&words, err->message, end ? (size_t)(end - err->message) : strlen(err->message));
    for (size_t i = 0; i < count && i < MOST_SUGGESTED; i++)
        am_text_printf(&words, "%s'%s%s'",
                       i == 0           ? "; did you mean "
                       : i + 1 == count ? " or "
                                        : ", ",
                       prefix, suggested[i]);
    am_text_add(&words, count == 0 ? "; " : count > MOST_SUGGESTED ? ", ...? " : "? ");
    am_text_add(&words, "`amontons show --numbers` lists its numbers");
    snprintf(err->message, sizeof err->message, "%s", am_text_view(&words));
}

const char *am_likely_number(const am_node *model, const char *path, am_arena *pool, am_error *err) {
    const am_model_kind *kind;
    const char *suggested[MOST_SUGGESTED] = {NULL};
    size_t count = 0;
    bool known = false;
    if (look(model, path, pool, &kind, &known, &count, suggested, err) != AM_OK)
        return NULL;
    return known && kind ? path : count > 0 ? suggested[0] : NULL;
}
