#include "study/models/imported.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/local.h"
#include "math/substructure.h"
#include "study/files.h"
#include "study/number_table.h"
#include "study/shelf.h"
#include "study/store.h"

am_status am_row_wish_add(am_reading *reading, am_row_wishes *wishes, am_row_wish wish) {
    if (wishes->count == wishes->capacity) {
        size_t capacity = wishes->capacity ? 2 * wishes->capacity : 16;
        am_row_wish *larger = am_arena_new(reading->pool, capacity, sizeof *larger, reading->err);
        if (!larger)
            return AM_ERR_MEMORY;
        if (wishes->count > 0)
            memcpy(larger, wishes->wish, wishes->count * sizeof *larger);
        wishes->wish = larger;
        wishes->capacity = capacity;
    }
    wishes->wish[wishes->count++] = wish;
    return AM_OK;
}

/* ---- labels and sets ---- */

static void release_labels(void *labels) {
    am_labels_clear(labels);
}

static void release_sets(void *sets) {
    am_sets_clear(sets);
}

static void release_grid(void *grid) {
    am_import_mesh_clear(grid);
}

static void release_gathered(void *gathered) {
    am_gathered_clear(gathered);
}

static am_status locate(am_reading *reading, const am_node *node, am_status status) {
    if (status && status != AM_ERR_MEMORY) {
        snprintf(reading->err->field, sizeof reading->err->field, "file");
        am_node_locate(node, reading->err);
    }
    return status;
}

/* `labels: {file: blade.dof}`; NULL: the study has none. */
static am_status read_labels(am_reading *reading, const am_node *node, am_labels **labels, const char **path) {
    const am_node *given = am_node_get(node, "labels");
    *labels = NULL;
    if (!given)
        return AM_OK;
    *path = am_read_file_name(reading, given, "labels");
    *labels = *path ? am_arena_new(reading->pool, 1, sizeof **labels, reading->err) : NULL;
    if (!*labels)
        return reading->err->status;
    AM_TRY(locate(reading, given, am_labels_read(*labels, *path, reading->err)));
    return am_arena_own(reading->pool, *labels, release_labels, reading->err);
}

static am_status add_nodes(am_reading *reading, const am_node *list, const char *name, am_sets *sets) {
    am_numbers nodes = {0};
    AM_TRY(am_read_numbers(reading, list, name, AM_RANGE_ANY, 0, &nodes));
    for (size_t i = 0; i < nodes.count; i++) {
        if (nodes.values[i] != floor(nodes.values[i]) || !(fabs(nodes.values[i]) < 1e15))
            return am_node_fail(list->items[i], reading->err, AM_ERR_INPUT, "%s: a node is a whole number", name);
        AM_TRY(am_sets_add(sets, name, (long)nodes.values[i], reading->err));
    }
    return AM_OK;
}

typedef struct mesh_file {
    am_import_mesh mesh;
    am_sets sets;
} mesh_file;

static am_status make_mesh(void *path, am_arena *memory, void **object, am_error *err) {
    mesh_file *file = am_arena_new(memory, 1, sizeof *file, err);
    if (!file)
        return AM_ERR_MEMORY;
    AM_TRY(am_arena_own(memory, &file->mesh, release_grid, err));
    AM_TRY(am_arena_own(memory, &file->sets, release_sets, err));
    *object = file;
    return am_import_mesh_read(&file->mesh, &file->sets, path, err);
}

am_status am_imported_mesh(am_reading *reading, const am_node *node, const char *name, const am_import_mesh **grid,
                           const am_sets **sets) {
    const char *path = am_read_file_name(reading, node, name);
    am_store_key key = {0};
    void *file = NULL;
    if (!path)
        return am_error_status(reading->err);
    am_store_key_text(&key, "mesh", reading->err);
    am_store_key_text(&key, path, reading->err);
    am_status status = am_store_take(reading, &key, make_mesh, (void *)(uintptr_t)path, &file);
    am_store_key_clear(&key);
    if (status)
        return locate(reading, node, status);
    *grid = &((mesh_file *)file)->mesh;
    *sets = &((mesh_file *)file)->sets;
    return AM_OK;
}

/* `sets: {file: blade.inp}` or `sets: {TIP: [49, 50, 51]}`. */
static am_status read_sets(am_reading *reading, const am_node *given, am_coordinates *coordinates) {
    if (given->kind != AM_NODE_MAP)
        return am_node_fail(given, reading->err, AM_ERR_INPUT,
                            "sets must be {file: name.inp} or a mapping of names to lists of nodes, not %s",
                            am_node_kind_name(given));
    if (am_node_get(given, "file")) {
        AM_TRY(am_imported_mesh(reading, given, "sets", &coordinates->grid, &coordinates->sets));
        return coordinates->sets->count > 0
                   ? AM_OK
                   : am_node_fail(given, reading->err, AM_ERR_INPUT, "there is no set of nodes in this file");
    }
    am_sets *sets = am_arena_new(reading->pool, 1, sizeof *sets, reading->err);
    if (!sets || am_arena_own(reading->pool, sets, release_sets, reading->err) != AM_OK)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < given->count; i++)
        AM_TRY(add_nodes(reading, given->entries[i].value, given->entries[i].key->text, sets));
    am_sets_sort(sets);
    coordinates->sets = sets;
    return AM_OK;
}

/* Sets, and where nodes are: of the file of the sets, or of `nodes:`. */
static am_status read_mesh(am_reading *reading, const am_node *node, am_coordinates *coordinates) {
    const am_node *sets = am_node_get(node, "sets"), *nodes = am_node_get(node, "nodes");
    const am_sets *unused;
    if (sets)
        AM_TRY(read_sets(reading, sets, coordinates));
    if (!nodes)
        return AM_OK;
    AM_TRY(am_imported_mesh(reading, nodes, "nodes", &coordinates->grid, &unused));
    return coordinates->grid->count > 0
               ? AM_OK
               : am_node_fail(nodes, reading->err, AM_ERR_INPUT, "there are no places of nodes in this file");
}

/* ---- matrices from files ---- */

static const char *const *names_of(am_reading *reading, const am_labels *labels) {
    const char **names = am_arena_new(reading->pool, labels->count, sizeof *names, reading->err);
    char *text = am_arena_new(reading->pool, labels->count, AM_LABEL_SIZE, reading->err);
    for (size_t i = 0; names && text && i < labels->count; i++)
        names[i] = am_label_words(labels->label[i], text + i * AM_LABEL_SIZE);
    return text ? names : NULL;
}

/* The file beside a matrix lies where the study may read, and is one of its files. */
static am_status label_beside(am_reading *reading, const am_node *file, am_import *import) {
    struct stat there;
    AM_LOCAL(am_labels_clear) am_labels labels = {0};
    AM_LOCAL_MEMORY char *whole = am_import_lacks_labels(import) ? am_import_beside(import->path, reading->err) : NULL;
    bool found = whole && stat(whole, &there) == 0 && S_ISREG(there.st_mode);
    AM_LOCAL_MEMORY char *name = found ? am_import_beside(file->text, reading->err) : NULL;
    const char *path = name ? am_files_path(reading, file, name) : NULL;
    AM_TRY(found && !path ? am_error_status(reading->err) : AM_OK);
    if (path)
        AM_TRY(am_labels_read(&labels, path, reading->err));
    if (path)
        AM_TRY(am_import_label(import, &labels, path, reading->err));
    return AM_OK;
}

/* Labels of the study, or of the file beside, for those that have none of their own. */
static am_status label_file(am_reading *reading, const am_node *node, am_import *import, const am_labels *labels,
                            const char *path) {
    if (import->labels.count > 0)
        return AM_OK;
    am_status status = labels ? am_import_label(import, labels, path, reading->err)
                              : label_beside(reading, am_node_get(node, "file"), import);
    if (status && status != AM_ERR_MEMORY)
        am_node_locate(node, reading->err);
    return status;
}

/* The matrices of files with the same rows. */
typedef struct gathering {
    am_reading *reading;
    const am_node *node; /* of the model */
    const am_labels *labels;
    const char *path; /* of the labels */
    am_import *file[AM_IMPORT_ROLES];
    am_gather_source source[AM_IMPORT_ROLES]; /* in these files */
} gathering;

static am_status make_gathered(void *context, am_arena *memory, void **object, am_error *err) {
    gathering *g = context;
    am_gathered *gathered = am_arena_new(memory, 1, sizeof *gathered, err);
    if (!gathered)
        return AM_ERR_MEMORY;
    for (size_t role = AM_IMPORT_STIFFNESS; role < AM_IMPORT_ROLES; role++)
        if (g->file[role])
            AM_TRY(label_file(g->reading, am_node_get(g->node, am_import_role_name((am_import_role)role)),
                              g->file[role], g->labels, g->path));
    am_status status = am_gather(gathered, g->source, err);
    if (status) {
        am_node_locate(g->node, err);
        return status;
    }
    *object = gathered;
    return am_arena_own(memory, gathered, release_gathered, err);
}

static am_status take_gathered(gathering *g, const am_matrix **matrices[], am_coordinates *coordinates) {
    am_store_key key = {0};
    void *object = NULL;
    am_store_key_text(&key, "gathered", g->reading->err);
    am_store_key_text(&key, g->path, g->reading->err);
    am_store_key_add(&key, g->source, sizeof g->source, g->reading->err);
    am_status status = am_store_take(g->reading, &key, make_gathered, g, &object);
    const am_gathered *gathered = object;
    am_store_key_clear(&key);
    if (status)
        return status;
    for (size_t role = AM_IMPORT_STIFFNESS; role < AM_IMPORT_ROLES; role++)
        if (gathered->matrix[role])
            *matrices[role] = gathered->matrix[role];
    coordinates->n = gathered->n;
    coordinates->labels = &gathered->labels;
    coordinates->clamped = &gathered->clamped;
    coordinates->stored = g->reading->files->store != NULL;
    return AM_OK;
}

am_status am_imported_gather(am_reading *reading, const am_node *node, am_system_def *def,
                             am_coordinates *coordinates) {
    const am_matrix **matrices[AM_IMPORT_ROLES] = {NULL, &def->stiffness, &def->mass, &def->damping};
    gathering g = {.reading = reading, .node = node};
    am_labels *labels;
    bool all = true;
    *coordinates = (am_coordinates){.n = am_matrix_rows(def->stiffness), .names = def->names};
    AM_TRY(read_labels(reading, node, &labels, &g.path));
    AM_TRY(read_mesh(reading, node, coordinates));
    for (size_t role = AM_IMPORT_STIFFNESS; role < AM_IMPORT_ROLES; role++) {
        am_shelf_place place = am_shelf_find(reading, *matrices[role]);
        all = all && (place.import || !*matrices[role]);
        g.file[role] = place.import;
        g.source[role] = (am_gather_source){place.import, place.part};
    }
    g.labels = labels;
    if (all && g.source[AM_IMPORT_STIFFNESS].import)
        AM_TRY(take_gathered(&g, matrices, coordinates));
    else if (labels && labels->count != coordinates->n)
        return am_node_fail(am_node_get(node, "labels"), reading->err, AM_ERR_INPUT,
                            "there are %zu labels where the stiffness has %zu rows", labels->count, coordinates->n);
    else
        coordinates->labels = labels;
    if (coordinates->labels && coordinates->labels->count > 0 && !def->names) {
        def->names = names_of(reading, coordinates->labels);
        if (!def->names)
            return AM_ERR_MEMORY;
    }
    if (coordinates->sets && !(coordinates->labels && coordinates->labels->count > 0))
        return am_node_fail(am_node_get(node, "sets"), reading->err, AM_ERR_INPUT,
                            "sets are of nodes, and the coordinates have no labels that tell their nodes");
    return AM_OK;
}

/* ---- reduction ---- */

enum { AUTO_METHOD = 3 };

static const am_word method_words[] = {
    {"auto", AUTO_METHOD, "both for modes: auto, craig-bampton for a given number"},
    {"craig-bampton", AM_MODES_FIXED, "modes in which the interface rests: for contacts that mostly stick"},
    {"rubin", AM_MODES_FREE, "modes of the free structure: for contacts that mostly slide or are open"},
    {"both", AM_MODES_BOTH, "half as many of each: for contacts that stick and slide"},
    {NULL, 0, NULL}};

static const am_field reduce_fields[] = {
    AM_FIELD("interface", NODE, am_reduce_setting, interface, .initial = "what contacts and springs act on",
             .about = "coordinates that stay: a list such as [\"51.1\", \"51.2\"], or sets of nodes; those that "
                      "contacts, springs and prescribed motions act on join it"),
    AM_FIELD("modes", NODE, am_reduce_setting, modes, .initial = "auto",
             .about =
                 "how many, or auto: as many as the tolerance needs for the lowest frequencies, then doubled until the "
                 "answer of the analysis stands still"),
    AM_FIELD("tolerance", NUMBER, am_reduce_setting, tolerance, AM_POSITIVE, .initial = "1e-3",
             .about =
                 "modes auto: estimated relative error of the lowest ten frequencies, and change of the answer when "
                 "modes are doubled"),
    AM_FIELD("method", WORD, am_reduce_setting, method, .words = method_words, .initial = "auto",
             .about = "which modes"),
    AM_FIELD("watch", NODE, am_reduce_setting, watch, .initial = "none",
             .about = "more coordinates that results shall have: they join the interface"),
};

const am_schema am_reduce_schema = {
    .name = "reduce",
    .title = "a reduction",
    .about = "A large structure reduced to a few of its coordinates, the interface, and modes, by the method of Craig "
             "and Bampton, that of Rubin, or both. Statics stay exact; loads may act anywhere.",
    .size = sizeof(am_reduce_setting),
    AM_FIELDS(reduce_fields)};

/* The interface: a flag of each coordinate. */
typedef struct interface {
    bool *stays;
    size_t count;
    size_t *index; /* ascending */
} interface;

static void join(interface *face, const am_picked *picked) {
    for (size_t k = 0; k < picked->count; k++) {
        face->count += !face->stays[picked->index[k]];
        face->stays[picked->index[k]] = true;
    }
}

static am_status find_interface(am_reading *reading, const am_reduce_setting *setting,
                                const am_coordinates *coordinates, const am_row_wishes *wishes, size_t kept_count,
                                const size_t *kept, interface *face) {
    const am_node *const lists[2] = {setting->interface, setting->watch};
    am_picked picked = {0};
    face->stays = am_arena_new(reading->pool, coordinates->n, sizeof *face->stays, reading->err);
    if (!face->stays)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < 2; i++)
        if (lists[i]) {
            AM_TRY(am_coordinates_list(reading, lists[i], i ? "watch" : "interface", coordinates, &picked));
            join(face, &picked);
        }
    for (size_t i = 0; i < wishes->count; i++)
        if (!wishes->wish[i].load)
            join(face, &wishes->wish[i].picked);
    for (size_t i = 0; i < kept_count; i++)
        join(face, &(am_picked){1, (size_t[]){kept[i]}, (double[]){1.0}});
    face->index = am_arena_new(reading->pool, face->count, sizeof *face->index, reading->err);
    if (!face->index)
        return AM_ERR_MEMORY;
    face->count = 0;
    for (size_t i = 0; i < coordinates->n; i++)
        if (face->stays[i])
            face->index[face->count++] = i;
    return AM_OK;
}

static am_status read_choice(am_reading *reading, const am_reduce_setting *setting, am_substructure_choice *choice) {
    choice->automatic = !setting->modes || am_node_is_text(setting->modes, "auto");
    choice->tolerance = setting->tolerance;
    if (setting->method == AUTO_METHOD)
        choice->kind = choice->automatic ? AM_MODES_BOTH : AM_MODES_FIXED;
    else
        choice->kind = (am_substructure_modes)setting->method;
    return choice->automatic ? AM_OK : am_read_count(reading, setting->modes, "modes", &choice->modes);
}

static const char *const *name_reduced(am_reading *reading, const am_system_def *def, const interface *face,
                                       size_t shapes) {
    size_t size = face->count + shapes;
    const char **names = am_arena_new(reading->pool, size, sizeof *names, reading->err);
    char *text = am_arena_new(reading->pool, size, AM_LABEL_SIZE, reading->err);
    for (size_t i = 0; names && text && i < size; i++) {
        char *own = text + i * AM_LABEL_SIZE;
        if (i >= face->count)
            snprintf(own, AM_LABEL_SIZE, "mode%zu", i - face->count + 1);
        else if (!def->names)
            snprintf(own, AM_LABEL_SIZE, "q%zu", face->index[i] + 1);
        names[i] = i < face->count && def->names ? def->names[face->index[i]] : own;
    }
    return text ? names : NULL;
}

static size_t place_in(const interface *face, size_t coordinate) {
    size_t low = 0, high = face->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (face->index[middle] < coordinate)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rows of the reduced coordinates: the interface's own entries, or (loads) what all of them feel. */
static am_status fill_rows(am_reading *reading, const am_row_wishes *wishes, const interface *face,
                           const am_substructure *sub) {
    size_t load = 0;
    for (size_t i = 0; i < wishes->count; i++) {
        const am_row_wish *wish = &wishes->wish[i];
        double *row = am_arena_new(reading->pool, sub->size, sizeof *row, reading->err);
        if (!row)
            return AM_ERR_MEMORY;
        if (wish->load)
            memcpy(row, sub->load + load++ * sub->size, sub->size * sizeof *row);
        else
            for (size_t k = 0; k < wish->picked.count; k++)
                row[place_in(face, wish->picked.index[k])] += wish->picked.value[k];
        *wish->target = row;
    }
    return AM_OK;
}

static void release_shapes(void *shapes) {
    am_substructure_shapes_clear(shapes);
}

static void release_substructure(void *sub) {
    am_substructure_clear(sub);
}

static am_status make_shapes(void *def, am_arena *memory, void **object, am_error *err) {
    am_substructure_shapes *shapes;
    AM_TRY(am_substructure_shapes_create(&shapes, memory, def, err));
    *object = shapes;
    return am_arena_own(memory, shapes, release_shapes, err);
}

typedef struct reduction {
    am_substructure_shapes *shapes;
    am_substructure_choice choice;
} reduction;

static am_status make_substructure(void *context, am_arena *memory, void **object, am_error *err) {
    const reduction *r = context;
    am_substructure *sub = am_arena_new(memory, 1, sizeof *sub, err);
    if (!sub)
        return AM_ERR_MEMORY;
    AM_TRY(am_substructure_reduce(sub, r->shapes, &r->choice, err));
    *object = sub;
    return am_arena_own(memory, sub, release_substructure, err);
}

/* What its shapes depend on: matrices that are kept stand for what is in them. */
static void write_key(am_store_key *key, const am_substructure_def *def, am_error *err) {
    am_store_key_text(key, "reduced", err);
    am_store_key_add(key, &def->stiffness, sizeof def->stiffness, err);
    am_store_key_add(key, &def->mass, sizeof def->mass, err);
    am_store_key_add(key, &def->damping, sizeof def->damping, err);
    am_store_key_add(key, &def->interface_count, sizeof def->interface_count, err);
    am_store_key_add(key, def->interface, def->interface_count * sizeof *def->interface, err);
    for (size_t l = 0; l < def->load_count; l++) {
        am_store_key_add(key, &def->loads[l].count, sizeof def->loads[l].count, err);
        am_store_key_add(key, def->loads[l].index, def->loads[l].count * sizeof *def->loads[l].index, err);
        am_store_key_add(key, def->loads[l].value, def->loads[l].count * sizeof *def->loads[l].value, err);
    }
}

/* The rest of what a reduction depends on. */
static void write_choice(am_store_key *key, const am_substructure_choice *choice, am_error *err) {
    am_store_key_add(key, &choice->kind, sizeof choice->kind, err);
    am_store_key_add(key, &choice->modes, sizeof choice->modes, err);
    am_store_key_add(key, &choice->automatic, sizeof choice->automatic, err);
    am_store_key_add(key, &choice->tolerance, sizeof choice->tolerance, err);
    am_store_key_add(key, &choice->keep, sizeof choice->keep, err);
}

/* Once for all systems of the study, if all its matrices are kept there; and whatever the number of modes, factors and
 * modes that were found are used again. The store makes one object at a time: who makes one has the shapes alone. */
static am_status reduce_stored(am_reading *reading, am_substructure_def *def, reduction *r, void **object) {
    am_store_key key = {0};
    void *shapes = NULL;
    write_key(&key, def, reading->err);
    am_status status = am_store_take(reading, &key, make_shapes, def, &shapes);
    r->shapes = shapes;
    write_choice(&key, &r->choice, reading->err);
    if (!status)
        status = am_store_take(reading, &key, make_substructure, r, object);
    am_store_key_clear(&key);
    return status;
}

static am_status reduce(am_reading *reading, const am_node *node, am_substructure_def *def, reduction *r, bool stored,
                        const am_substructure **sub) {
    void *object = NULL, *shapes = NULL;
    am_status status;
    if (stored && !def->circulatory)
        status = reduce_stored(reading, def, r, &object);
    else {
        status = make_shapes(def, reading->pool, &shapes, reading->err);
        r->shapes = shapes;
        if (!status)
            status = make_substructure(r, reading->pool, &object, reading->err);
    }
    if (status)
        am_node_locate(node, reading->err);
    *sub = object;
    return status;
}

am_status am_imported_reduce(am_reading *reading, const am_node *node, const am_reduce_setting *setting,
                             const am_coordinates *coordinates, const am_row_wishes *wishes, size_t kept_count,
                             size_t *kept, am_system_def *def, am_reduce_outcome *outcome) {
    interface face = {0};
    const am_substructure *sub;
    am_sparse_row *loads = am_arena_new(reading->pool, wishes->count, sizeof *loads, reading->err);
    am_substructure_def whole = {def->stiffness, def->mass, def->damping, def->circulatory, .loads = loads};
    reduction r = {.choice.keep = outcome->keep};
    if (!loads)
        return AM_ERR_MEMORY;
    AM_TRY(read_choice(reading, setting, &r.choice));
    AM_TRY(find_interface(reading, setting, coordinates, wishes, kept_count, kept, &face));
    whole.interface = face.index;
    whole.interface_count = face.count;
    for (size_t i = 0; i < wishes->count; i++)
        if (wishes->wish[i].load)
            loads[whole.load_count++] = (am_sparse_row){wishes->wish[i].picked.count, wishes->wish[i].picked.index,
                                                        wishes->wish[i].picked.value};
    AM_TRY(reduce(reading, node, &whole, &r, coordinates->stored, &sub));
    AM_TRY(fill_rows(reading, wishes, &face, sub));
    def->names = name_reduced(reading, def, &face, sub->modes);
    if (!def->names)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < kept_count; i++)
        kept[i] = place_in(&face, kept[i]);
    def->n = sub->size;
    def->stiffness = sub->matrix[0];
    def->mass = sub->matrix[1];
    def->damping = sub->matrix[2];
    def->circulatory = sub->matrix[3];
    *outcome = (am_reduce_outcome){.whole = coordinates->n,
                                   .interface = face.count,
                                   .modes = sub->modes,
                                   .own = sub->own,
                                   .automatic = r.choice.automatic,
                                   .both = r.choice.kind == AM_MODES_BOTH,
                                   .error = sub->error,
                                   .keep = outcome->keep,
                                   .shape = sub->shape};
    return AM_OK;
}
