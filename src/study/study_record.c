#include "study/study.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "output/sums.h"
#include "study/emit.h"

/* ---- Files that it reads ---- */

/* "input1-K.mtx": the last part of the path, without what an earlier copy was given. */
static const char *name_copy(am_arena *pool, size_t index, const char *path, am_error *err) {
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path, *rest = last;
    if (strncmp(last, "input", 5) == 0) {
        rest += 5 + strspn(last + 5, "0123456789");
        rest = rest > last + 5 && *rest == '-' ? rest + 1 : last;
    }
    am_text text = {0};
    am_text_printf(&text, "input%zu-", index + 1);
    for (const char *c = rest; *c; c++) {
        char clean = isalnum((unsigned char)*c) || strchr("._-", *c) ? *c : '_';
        am_text_add_bytes(&text, &clean, 1);
    }
    const char *name = am_text_status(&text, err) == AM_OK ? am_arena_text(pool, text.data, text.length, err) : NULL;
    am_text_free(&text);
    return name;
}

static am_status list_inputs(const am_named_files *named, am_arena *pool, am_provenance *p, am_error *err) {
    am_input *inputs = am_arena_new(pool, named->count, sizeof *inputs, err);
    am_status status = inputs ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < named->count; i++) {
        am_sha256 sum;
        char text[AM_SHA256_TEXT] = "";
        if (am_sums_of_file(AT_FDCWD, named->paths[i], &sum) == 0) /* gone already: its copy will be missing */
            am_sha256_end(&sum, text);
        inputs[i] = (am_input){am_arena_text(pool, named->paths[i], strlen(named->paths[i]), err),
                               name_copy(pool, i, named->paths[i], err), am_arena_text(pool, text, strlen(text), err)};
        status = inputs[i].path && inputs[i].name && inputs[i].sum ? AM_OK : AM_ERR_MEMORY;
    }
    p->inputs = inputs;
    p->input_count = named->count;
    return status;
}

/* Does a name in the study stand for that path? (See am_files_path.) */
static bool stands_for(const am_study *study, const char *name, const char *path) {
    const char *folder = study->files.folder;
    size_t length = strlen(folder);
    if (name[0] == '/' || strcmp(folder, ".") == 0)
        return strcmp(name, path) == 0;
    return strncmp(path, folder, length) == 0 && path[length] == '/' && strcmp(path + length + 1, name) == 0;
}

/* Every `file: NAME` of the tree that was read. */
static void rename_files(const am_study *study, const am_provenance *p, am_node *node) {
    for (size_t i = 0; node->kind == AM_NODE_LIST && i < node->count; i++)
        rename_files(study, p, node->items[i]);
    for (size_t i = 0; node->kind == AM_NODE_MAP && i < node->count; i++) {
        am_node *value = node->entries[i].value;
        bool names_file = value->kind == AM_NODE_SCALAR && value->text && am_node_is_text(node->entries[i].key, "file");
        if (!names_file)
            rename_files(study, p, value);
        for (size_t k = 0; names_file && k < p->input_count; k++)
            if (stands_for(study, value->text, p->inputs[k].path)) {
                value->text = p->inputs[k].name;
                value->quoted = true;
                break;
            }
    }
}

/* ---- Words ---- */

/* The first seed that the study gives; NULL: none, and its analysis took its own. */
static const char *find_seed(const am_node *node) {
    const char *found = NULL;
    for (size_t i = 0; node->kind == AM_NODE_LIST && !found && i < node->count; i++)
        found = find_seed(node->items[i]);
    for (size_t i = 0; node->kind == AM_NODE_MAP && !found && i < node->count; i++) {
        const am_node *value = node->entries[i].value;
        bool seed = am_node_is_text(node->entries[i].key, "seed") && value->kind == AM_NODE_SCALAR;
        found = seed ? value->text : find_seed(value);
    }
    return found;
}

/* When it was run, in universal time; SOURCE_DATE_EPOCH (seconds) takes its place where output shall be reproducible.
 */
static const char *format_date(am_arena *pool, am_error *err) {
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t now = fixed && *fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm parts;
    char date[32] = "unknown";
    if (gmtime_r(&now, &parts))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return am_arena_text(pool, date, strlen(date), err);
}

/* The finer values of `full` are in their places, or were not wanted. */
static const char *write_text(am_arena *pool, const am_node *root, am_error *err) {
    am_text text = {0};
    am_text_add(&text, "# The study as it was run: `amontons run` with this file repeats it.\n");
    for (size_t i = 0; i < root->count; i++)
        if (!am_node_is_text(root->entries[i].key, "full"))
            am_emit_entry(&text, root->entries[i].key->text, root->entries[i].value);
    const char *whole = am_text_status(&text, err) == AM_OK ? am_arena_text(pool, text.data, text.length, err) : NULL;
    am_text_free(&text);
    return whole;
}

am_status am_study_record(const am_study *study, am_arena *pool, am_provenance *provenance, am_error *err) {
    am_status status = list_inputs(&study->named, pool, provenance, err);
    am_node *root = status == AM_OK ? am_node_copy(pool, study->root, err) : NULL;
    if (!root)
        return AM_ERR_MEMORY;
    rename_files(study, provenance, root);
    provenance->study = write_text(pool, root, err);
    provenance->date = format_date(pool, err);
    provenance->seed = find_seed(root);
    return provenance->study && provenance->date ? AM_OK : AM_ERR_MEMORY;
}
