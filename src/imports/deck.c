/* Sets, nodes and elements of input decks (Abaqus, CalculiX) and of tables with the columns node, x, y, z, set. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/try.h"
#include "imports/import_internal.h"
#include "imports/imported_mesh.h"

enum { MOST_NUMBERS = 64, MOST_GENERATED = 1 << 24 }; /* of a line; of nodes that a line stands for */

typedef enum section { OTHER, NODE, NSET, ELEMENT } section;

typedef struct reader {
    am_sets *sets;
    am_import_mesh *grid;
    am_lines lines;
    section card;  /* whose lines follow */
    char name[80]; /* of the set whose nodes follow; "": none do */
    bool generate; /* first, last, step */
    am_cell_shape shape;
    size_t taken; /* numbers of an element that goes on in the next line: its own and its nodes' */
    long corner[32];
    int node_column, set_column, place_column[3];
} reader;

/* The value of a parameter of a card, "NSET=TIP", without blanks around it. */
static bool take_parameter(const char *card, const char *key, char value[80]) {
    for (const char *at = strchr(card, ','); at; at = strchr(at + 1, ',')) {
        const char *word = at + 1 + strspn(at + 1, " \t");
        size_t length = strlen(key);
        if (strncasecmp(word, key, length) != 0)
            continue;
        word += length;
        word += strspn(word, " \t");
        if (*word != '=' && *word != ',' && *word != '\0')
            continue;
        word += *word == '=';
        word += strspn(word, " \t\"");
        snprintf(value, 80, "%.*s", (int)strcspn(word, ", \t\""), word);
        return true;
    }
    return false;
}

/* Elements of solids, shells, membranes and trusses by the beginning of their names; others are passed over. */
static bool find_shape(const char *type, am_cell_shape *shape) {
    static const struct {
        const char *name;
        am_cell_shape shape;
    } known[] = {{"C3D4", AM_CELL_TETRA},          {"C3D5", AM_CELL_PYRAMID},      {"C3D6", AM_CELL_WEDGE},
                 {"C3D8", AM_CELL_HEXAHEDRON},     {"C3D10", AM_CELL_TETRA_10},    {"C3D15", AM_CELL_WEDGE_15},
                 {"C3D20", AM_CELL_HEXAHEDRON_20}, {"S3", AM_CELL_TRIANGLE},       {"S4", AM_CELL_QUAD},
                 {"S6", AM_CELL_TRIANGLE_6},       {"S8", AM_CELL_QUAD_8},         {"CPS3", AM_CELL_TRIANGLE},
                 {"CPS4", AM_CELL_QUAD},           {"CPS6", AM_CELL_TRIANGLE_6},   {"CPS8", AM_CELL_QUAD_8},
                 {"CPE3", AM_CELL_TRIANGLE},       {"CPE4", AM_CELL_QUAD},         {"CPE6", AM_CELL_TRIANGLE_6},
                 {"CPE8", AM_CELL_QUAD_8},         {"M3D3", AM_CELL_TRIANGLE},     {"M3D4", AM_CELL_QUAD},
                 {"M3D6", AM_CELL_TRIANGLE_6},     {"M3D8", AM_CELL_QUAD_8},       {"SFM3D3", AM_CELL_TRIANGLE},
                 {"SFM3D4", AM_CELL_QUAD},         {"SFM3D6", AM_CELL_TRIANGLE_6}, {"SFM3D8", AM_CELL_QUAD_8},
                 {"T2D2", AM_CELL_LINE},           {"T3D2", AM_CELL_LINE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].name);
        if (strncasecmp(type, known[i].name, length) == 0 && !isdigit((unsigned char)type[length])) {
            *shape = known[i].shape;
            return true;
        }
    }
    return false;
}

static bool is_card(const char *text, const char *name) {
    size_t length = strlen(name);
    if (strncasecmp(text, name, length) != 0)
        return false;
    text += length + strspn(text + length, " \t");
    return *text == ',' || !*text;
}

static am_status begin_card(reader *r, am_error *err) {
    char word[80];
    const char *text = r->lines.text;
    if (r->taken > 0)
        return am_lines_wrong(&r->lines, err, "the element before it has only %zu of its %zu nodes", r->taken - 1,
                              am_cell_nodes(r->shape));
    r->card = is_card(text, "*NODE")      ? NODE
              : is_card(text, "*NSET")    ? NSET
              : is_card(text, "*ELEMENT") ? ELEMENT
                                          : OTHER;
    r->name[0] = '\0';
    if ((r->card == NODE || r->card == NSET) && !take_parameter(text, "NSET", r->name))
        r->name[0] = '\0';
    r->generate = r->card == NSET && take_parameter(text, "GENERATE", word);
    if (r->card == ELEMENT && !(take_parameter(text, "TYPE", word) && find_shape(word, &r->shape)))
        r->card = OTHER;
    return AM_OK;
}

static am_status take_numbers(reader *r, long numbers[MOST_NUMBERS], size_t *count, am_error *err) {
    const char *text = r->lines.text;
    for (*count = 0; *(text += strspn(text, ", \t")); ++*count) {
        if (*count == MOST_NUMBERS)
            return am_lines_wrong(&r->lines, err, "more than %d numbers in a line", MOST_NUMBERS);
        const char *field = text;
        if (!am_import_whole(&text, &numbers[*count]) || numbers[*count] < 1 || (*text && !strchr(", \t", *text)))
            return am_lines_wrong(&r->lines, err, "expected nodes of %s%s, not '%.40s'",
                                  r->card == ELEMENT ? "an element" : "the set ", r->name, field);
    }
    return AM_OK;
}

/* Field k of a line with commas, and how long it is; an empty one behind the last. */
static const char *comma_field(const char *text, int k, size_t *length) {
    for (; k > 0 && *text; k--) {
        text += strcspn(text, ",");
        text += *text == ',';
    }
    *length = strcspn(text, ",");
    return text;
}

/* "51, 0.2, 0, 0.01", perhaps with the three numbers of a normal: what is left out is zero. */
static am_status read_node(reader *r, am_error *err) {
    enum { FIELDS = 7 };
    double value[FIELDS] = {0.0};
    size_t length;
    const char *text = r->lines.text + strspn(r->lines.text, " \t");
    long number;
    if (isalpha((unsigned char)*text))
        return am_lines_wrong(&r->lines, err, "expected the number of a node, not '%.60s'", r->lines.text);
    if (!am_import_whole(&text, &number) || number < 1 || !strchr(",", text[strspn(text, " \t")]))
        return am_lines_wrong(&r->lines, err, "expected 'node, x, y, z' with commas, not '%.60s'", r->lines.text);
    for (int k = 1; k < FIELDS; k++) {
        text = comma_field(r->lines.text, k, &length);
        if (length > strspn(text, " \t") && !am_import_number(text, length, &value[k]))
            return am_lines_wrong(&r->lines, err, "expected the place of node %ld, not '%.40s'", number,
                                  text + strspn(text, " \t"));
    }
    if (!r->lines.whole && !*comma_field(r->lines.text, 3, &length))
        return am_lines_wrong(&r->lines, err, "the file ends inside the place of node %ld: it was cut off", number);
    if (r->name[0])
        AM_TRY(am_sets_add(r->sets, r->name, number, err));
    return am_import_mesh_add_node(r->grid, number, value + 1, err);
}

/* Its number and its nodes, over as many lines as they take. */
static am_status read_element(reader *r, am_error *err) {
    long numbers[MOST_NUMBERS];
    size_t count, wanted = am_cell_nodes(r->shape) + 1;
    AM_TRY(take_numbers(r, numbers, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (r->taken == wanted)
            return am_lines_wrong(&r->lines, err, "an element has more than its %zu nodes", wanted - 1);
        r->corner[r->taken++] = numbers[i];
    }
    if (r->taken < wanted)
        return AM_OK;
    r->taken = 0;
    return am_import_mesh_add_cell(r->grid, r->shape, r->corner + 1, err);
}

/* A line that names sets joins them. */
static am_status join_set(reader *r, const char *text, am_error *err) {
    size_t length = strcspn(text, ", \t");
    const am_set *other = am_sets_find(r->sets, text, length);
    if (!other)
        return am_lines_wrong(&r->lines, err, "there is no set '%.*s' yet", (int)(length < 60 ? length : 60), text);
    size_t index = (size_t)(other - r->sets->set), count = other->count; /* a new set may move the others */
    for (size_t i = 0; i < count; i++)
        AM_TRY(am_sets_add(r->sets, r->name, r->sets->set[index].node[i], err));
    return AM_OK;
}

static am_status read_deck_line(reader *r, am_error *err) {
    long numbers[MOST_NUMBERS];
    size_t count = 0;
    const char *text = r->lines.text + strspn(r->lines.text, " \t");
    if (text[0] == '*' && text[1] != '*')
        return begin_card(r, err);
    if (*text == '*' || !*text || r->card == OTHER)
        return AM_OK;
    if (r->card != NSET)
        return r->card == NODE ? read_node(r, err) : read_element(r, err);
    if (!r->name[0])
        return AM_OK;
    if (isalpha((unsigned char)*text))
        return join_set(r, text, err);
    AM_TRY(take_numbers(r, numbers, &count, err));
    if (!r->generate) {
        for (size_t i = 0; i < count; i++)
            AM_TRY(am_sets_add(r->sets, r->name, numbers[i], err));
        return AM_OK;
    }
    long step = count > 2 ? numbers[2] : 1;
    if (count < 2 || numbers[1] < numbers[0] || (numbers[1] - numbers[0]) / step > MOST_GENERATED)
        return am_lines_wrong(&r->lines, err, "expected the first and the last node of the set %s, and a step",
                              r->name);
    for (long node = numbers[0]; node <= numbers[1]; node += step)
        AM_TRY(am_sets_add(r->sets, r->name, node, err));
    return AM_OK;
}

/* Field `index` of a line of a table. */
static const char *field_of(const char *text, int index, size_t *length) {
    for (; index > 0 && text; index--)
        text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL;
    if (!text)
        return NULL;
    text += strspn(text, " \t\"");
    *length = strcspn(text, ",\"");
    while (*length > 0 && isspace((unsigned char)text[*length - 1]))
        --*length;
    return text;
}

static am_status read_head(reader *r, am_error *err) {
    size_t length;
    r->node_column = r->set_column = -1;
    for (int k = 0; k < 3; k++)
        r->place_column[k] = -1;
    for (int i = 0;; i++) {
        const char *field = field_of(r->lines.text, i, &length);
        if (!field)
            break;
        if (length == 4 && strncasecmp(field, "node", 4) == 0)
            r->node_column = i;
        if ((length == 3 && strncasecmp(field, "set", 3) == 0) || (length == 4 && strncasecmp(field, "sets", 4) == 0))
            r->set_column = i;
        if (length == 1 && strchr("xyzXYZ", *field))
            r->place_column[tolower((unsigned char)*field) - 'x'] = i;
    }
    return r->node_column >= 0 && (r->set_column >= 0 || r->place_column[0] >= 0)
               ? AM_OK
               : am_lines_wrong(&r->lines, err,
                                "expected an input deck, a mesh of Gmsh, or a table with the columns node and set (and "
                                "x, y, z)");
}

/* The places of a table that has them; a z that is left out is zero. */
static am_status read_table_place(reader *r, long number, am_error *err) {
    double place[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        size_t length = 0;
        const char *field = r->place_column[k] >= 0 ? field_of(r->lines.text, r->place_column[k], &length) : NULL;
        if (r->place_column[k] >= 0 && (!field || !am_import_number(field, length, &place[k])))
            return am_lines_wrong(&r->lines, err, "expected the %c of node %ld", "xyz"[k], number);
    }
    return am_import_mesh_add_node(r->grid, number, place, err);
}

/* A node may be in several sets: names with blanks or semicolons between them. */
static am_status read_table_line(reader *r, am_error *err) {
    size_t node_length = 0, set_length = 0;
    const char *node = field_of(r->lines.text, r->node_column, &node_length);
    const char *set = r->set_column >= 0 ? field_of(r->lines.text, r->set_column, &set_length) : NULL,
               *end = set ? set + set_length : NULL;
    if (!r->lines.text[strspn(r->lines.text, " \t")])
        return AM_OK;
    const char *after = node;
    long number = 0;
    if (!node || !am_import_whole(&after, &number) || after != node + node_length)
        return am_lines_wrong(&r->lines, err, "expected the number of a node");
    if (r->set_column >= 0 && !set)
        return am_lines_wrong(&r->lines, err, "the column `set` of node %ld is missing", number);
    if (r->place_column[0] >= 0)
        AM_TRY(read_table_place(r, number, err));
    while (set && (set += strspn(set, "; \t")) < end) {
        size_t length = strcspn(set, "; \t,\"");
        snprintf(r->name, sizeof r->name, "%.*s", (int)(length < 79 ? length : 79), set);
        AM_TRY(am_sets_add(r->sets, r->name, number, err));
        set += length;
    }
    return AM_OK;
}

static am_status read_line(reader *r, bool *begun, bool *deck, am_error *err) {
    const char *text = r->lines.text + strspn(r->lines.text, " \t");
    if (!*begun && *text) {
        *begun = true;
        *deck = *text == '*';
        if (!*deck)
            return read_head(r, err);
    }
    return !*begun ? AM_OK : *deck ? read_deck_line(r, err) : read_table_line(r, err);
}

am_status am_import_mesh_read(am_import_mesh *grid, am_sets *sets, const char *path, am_error *err) {
    reader r = {.sets = sets, .grid = grid};
    bool more = true, deck = true, begun = false;
    am_status status = am_lines_open(&r.lines, path, "an input deck, a mesh or a table of nodes", err);
    while (!status && (status = am_lines_next(&r.lines, &more, err)) == AM_OK && more) {
        if (!begun && strncmp(r.lines.text, "$MeshFormat", 11) == 0) {
            am_lines_close(&r.lines);
            return am_import_mesh_read_gmsh(grid, sets, path, err);
        }
        status = read_line(&r, &begun, &deck, err);
    }
    if (!status && r.taken > 0)
        status = am_lines_wrong(&r.lines, err, "the file ends inside an element");
    am_lines_close(&r.lines);
    am_sets_sort(sets);
    return status ? status : am_import_mesh_sort(grid, path, err);
}
