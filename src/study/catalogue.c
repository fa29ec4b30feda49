#include "study/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "base/local.h"
#include "study/study.h"

/* A folder on the way: `group` is its name below the one that is read. */
typedef struct walk {
    am_catalogue *catalogue;
    const char *root;
    size_t least, most;
} walk;

/* Links are not followed: they may lead anywhere, and in circles. */
static bool is_folder(const char *path) {
    struct stat status_of;
    return lstat(path, &status_of) == 0 && S_ISDIR(status_of.st_mode);
}

static bool is_study(const char *file) {
    const char *dot = strrchr(file, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static am_status add_study(const walk *w, const char *group, const char *file, am_error *err) {
    am_catalogue *c = w->catalogue;
    AM_LOCAL(am_text_free) am_text path = {0};
    am_text_printf(&path, "%s/%s%s%s", w->root, group, *group ? "/" : "", file);
    AM_TRY(am_text_status(&path, err));
    AM_TRY(am_memory_reserve(&c->studies, &c->capacity, c->count + 1, err));
    const char *kept = am_arena_text(&c->memory, path.data, path.length, err);
    c->studies[c->count++] =
        (am_catalogue_study){.group = am_arena_text(&c->memory, group, strlen(group), err),
                             .name = am_arena_text(&c->memory, file, (size_t)(strrchr(file, '.') - file), err),
                             .file = kept ? kept + strlen(w->root) + 1 : NULL,
                             .path = kept};
    return am_arena_status(&c->memory);
}

static am_status visit(const walk *w, const char *group, size_t depth, am_error *err);

static am_status examine_entry(const walk *w, const char *group, size_t depth, const char *entry, am_error *err) {
    AM_LOCAL(am_text_free) am_text inner = {0}, path = {0};
    if (entry[0] == '.')
        return AM_OK;
    if (depth >= w->least && is_study(entry))
        return add_study(w, group, entry, err);
    am_text_printf(&inner, "%s%s%s", group, *group ? "/" : "", entry);
    am_text_printf(&path, "%s/%s", w->root, am_text_view(&inner));
    AM_TRY(am_text_status(&inner, err));
    AM_TRY(am_text_status(&path, err));
    return depth < w->most && is_folder(path.data) ? visit(w, inner.data, depth + 1, err) : AM_OK;
}

static am_status visit(const walk *w, const char *group, size_t depth, am_error *err) {
    AM_LOCAL(am_text_free) am_text path = {0};
    am_text_printf(&path, "%s/%s", w->root, group);
    AM_TRY(am_text_status(&path, err));
    DIR *directory = opendir(path.data);
    if (!directory && depth > 0)
        return AM_OK; /* a folder that cannot be read holds no studies for us */
    if (!directory)
        return am_fail(err, AM_ERR_FILE, "%s: the folder cannot be read: %s", w->root, strerror(errno));
    am_status status = AM_OK;
    for (struct dirent *entry; status == AM_OK && (entry = readdir(directory));)
        status = examine_entry(w, group, depth, entry->d_name, err);
    closedir(directory);
    return status;
}

/* "fig2a" before "fig10": digits compare as numbers. */
static int compare_names(const char *a, const char *b) {
    while (*a && *b) {
        if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
            char *end_a, *end_b;
            unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = end_a;
            b = end_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static int compare_studies(const void *left, const void *right) {
    const am_catalogue_study *a = left, *b = right;
    int groups = compare_names(a->group, b->group);
    return groups ? groups : compare_names(a->name, b->name);
}

am_status am_catalogue_read(am_catalogue *catalogue, const char *folder, size_t least, size_t most, am_error *err) {
    const walk w = {catalogue, folder, least, most};
    AM_TRY(visit(&w, "", 0, err));
    if (catalogue->count > 0)
        qsort(catalogue->studies, catalogue->count, sizeof *catalogue->studies, compare_studies);
    return AM_OK;
}

void am_catalogue_clear(am_catalogue *catalogue) {
    am_memory_free(catalogue->studies);
    am_arena_clear(&catalogue->memory);
    *catalogue = (am_catalogue){0};
}

static const char *text_at(am_arena *memory, const am_node *root, const char *key, am_error *err) {
    const am_node *node = am_node_get(root, key);
    bool plain = node && node->kind == AM_NODE_SCALAR;
    return am_arena_text(memory, plain ? node->text : "", plain ? strlen(node->text) : 0, err);
}

am_status am_study_heading_read(const char *path, am_arena *memory, am_study_heading *heading, am_error *err) {
    AM_LOCAL(am_text_free) am_text text = {0};
    AM_LOCAL_ARENA pool = {0};
    AM_TRY(am_input_read(path, "a study file", AM_STUDY_LARGEST, &text, err));
    const am_node *root = am_node_parse(&pool, path, text.data, text.length, true, err);
    if (!root)
        return AM_ERR_INPUT;
    *heading = (am_study_heading){text_at(memory, root, "title", err), text_at(memory, root, "topic", err),
                                  text_at(memory, root, "verdict", err)};
    return am_arena_status(memory);
}
