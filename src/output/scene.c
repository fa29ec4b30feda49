#include "output/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "math/pi.h"

#define NONE SIZE_MAX

enum { MOST_BODIES = 160, MOST_SPOTS = 24, MOST_NODES = 600 };
static const double slight = 1e-9; /* of the largest: what rounding leaves of a spring that is not there */

/* A body may move along the ground and away from it. */
typedef struct contact_body {
    size_t x, y, turn; /* coordinates; NONE */
} contact_body;

typedef struct builder {
    am_scene *scene;
    const am_system *system;
    size_t n;
    size_t *body_of; /* of each coordinate; NONE */
    contact_body *bodies;
    size_t count;
    bool *linked; /* count x count */
    am_error *err;
} builder;

/* ---- Which coordinates are one body ---- */

/* The coordinates that a row has, at most two of them; how many it has. */
static size_t entries(const builder *b, const double *row, size_t index[2]) {
    size_t count = 0;
    for (size_t i = 0; row && i < b->n; i++)
        if (row[i] != 0) {
            if (count < 2)
                index[count] = i;
            count++;
        }
    return count;
}

static size_t only_entry(const builder *b, const double *row) {
    size_t index[2];
    return entries(b, row, index) == 1 ? index[0] : NONE;
}

static bool is_free(const builder *b, size_t coordinate) {
    return coordinate != NONE && b->body_of[coordinate] == NONE;
}

static void add_body(builder *b, size_t x, size_t y, size_t turn) {
    const size_t all[] = {x, y, turn};
    if (b->count == b->n)
        return;
    b->bodies[b->count] = (contact_body){x, y, turn};
    for (size_t i = 0; i < 3; i++)
        if (all[i] != NONE)
            b->body_of[all[i]] = b->count;
    b->count++;
}

/* A ball: its tangent has a way and a turn, its normal another coordinate. */
static bool find_ball(builder *b, const am_contact_def *contact, size_t away) {
    size_t along[2];
    if (contact->second_tangent || !is_free(b, away) || entries(b, contact->tangent, along) != 2)
        return false;
    bool rolls = contact->tangent[along[0]] > 0 && contact->tangent[along[1]] > 0 && along[0] != away &&
                 along[1] != away && is_free(b, along[0]) && is_free(b, along[1]);
    if (rolls)
        add_body(b, along[0], away, along[1]);
    return rolls;
}

/* The row along which a contact rubs; of a stop, which does not, the one across. */
static const double *main_row(const builder *b, const am_contact_def *contact) {
    return entries(b, contact->tangent, (size_t[2]){0, 0}) > 0 ? contact->tangent : contact->normal;
}

/* Does it only stop? */
static bool is_stop(const builder *b, const am_contact_def *contact) {
    return main_row(b, contact) == contact->normal;
}

/* A contact whose tangent and normal are one coordinate each says that these are one body; with two tangents it is seen
 * from above, and the normal is not. */
static void find_bodies(builder *b) {
    for (size_t i = 0; i < am_system_contacts(b->system); i++) {
        const am_contact_def *contact = am_system_contact(b->system, i);
        size_t x = only_entry(b, contact->tangent), second = only_entry(b, contact->second_tangent);
        size_t away = only_entry(b, contact->normal), y = contact->second_tangent ? second : away;
        if (is_free(b, x))
            add_body(b, x, is_free(b, y) && y != x ? y : NONE, NONE);
        else if (x == NONE)
            find_ball(b, contact, away);
        if (contact->second_tangent && is_free(b, away) && x != NONE)
            b->body_of[away] = b->body_of[x];
    }
    size_t of_contacts = b->count;
    bool few = b->n <= 2 * MOST_BODIES || of_contacts == 0;
    for (size_t i = 0; few && i < b->n; i++)
        if (is_free(b, i))
            add_body(b, i, NONE, NONE);
}

/* One body alone that a stop keeps from falling moves up and down. */
static bool is_upright(const builder *b) {
    bool upright = b->count == 1 && am_system_contacts(b->system) > 0;
    for (size_t i = 0; upright && i < am_system_contacts(b->system); i++) {
        const am_contact_def *contact = am_system_contact(b->system, i);
        size_t only = only_entry(b, contact->normal);
        upright = is_stop(b, contact) && only == b->bodies[0].x && contact->normal[only] > 0;
    }
    return upright;
}

static int by_coordinate(const void *one, const void *other) {
    const contact_body *a = one, *b = other;
    return (a->x > b->x) - (a->x < b->x);
}

static void sort_bodies(builder *b) {
    qsort(b->bodies, b->count, sizeof *b->bodies, by_coordinate);
    for (size_t i = 0; i < b->count; i++) {
        const size_t all[] = {b->bodies[i].x, b->bodies[i].y, b->bodies[i].turn};
        for (size_t k = 0; k < 3; k++)
            if (all[k] != NONE)
                b->body_of[all[k]] = i;
    }
}

/* ---- Springs ---- */

static void add_link(builder *b, size_t from, size_t to, bool spring) {
    b->scene->links[b->scene->link_count++] = (am_scene_link){from, to, spring};
}

static double coupling(const builder *b, const am_matrix *stiffness, size_t from, size_t to) {
    const size_t mine[2] = {b->bodies[from].x, b->bodies[from].y}, theirs[2] = {b->bodies[to].x, b->bodies[to].y};
    double most = 0;
    for (size_t i = 0; i < 4; i++)
        if (mine[i / 2] != NONE && theirs[i % 2] != NONE)
            most = fmax(most, fabs(am_matrix_at(stiffness, mine[i / 2], theirs[i % 2])));
    return most;
}

static void link_bodies(builder *b, const am_matrix *stiffness) {
    double least = slight * am_matrix_largest(stiffness);
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->count; k++)
            b->linked[i * b->count + k] = i != k && coupling(b, stiffness, i, k) > least;
}

/* What is left of a row when all move together holds the body to the ground. */
static am_status link_to_ground(builder *b, const am_matrix *stiffness) {
    AM_LOCAL_MEMORY double *ones = am_memory_new(2 * b->n, sizeof *ones, b->err);
    if (!ones)
        return AM_ERR_MEMORY;
    double *sums = ones + b->n, least = slight * am_matrix_largest(stiffness);
    for (size_t i = 0; i < b->n; i++)
        ones[i] = 1;
    am_matrix_apply(stiffness, ones, sums);
    for (size_t i = 0; i < b->count; i++)
        if (fabs(sums[b->bodies[i].x]) > least)
            add_link(b, i, AM_SCENE_GROUND, true);
    return AM_OK;
}

/* ---- Where bodies stand ---- */

static size_t degree(const builder *b, const bool *left, size_t body) {
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        count += left[i] && b->linked[body * b->count + i];
    return count;
}

/* The ring that is left when bodies with one neighbour are taken off, again and again; its bodies in order, how many. 0:
 * what is left is no ring. */
static size_t find_ring(const builder *b, bool *left, size_t *order) {
    for (size_t i = 0; i < b->count; i++)
        left[i] = true;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < b->count; i++)
            if (left[i] && degree(b, left, i) <= 1)
                left[i] = false, again = true;
    }
    size_t all = 0, count = 0, at = b->count;
    for (size_t i = b->count; i-- > 0;)
        if (left[i]) {
            if (degree(b, left, i) != 2)
                return 0;
            at = i;
            all++;
        }
    bool seen[MOST_BODIES] = {0};
    while (at < b->count && !seen[at]) {
        seen[at] = true;
        order[count++] = at;
        size_t next = b->count;
        for (size_t i = b->count; i-- > 0;)
            if (left[i] && !seen[i] && b->linked[at * b->count + i])
                next = i;
        at = next;
    }
    return all == count && count >= 4 ? count : 0;
}

static void put_on_circle(builder *b, size_t body, double angle, double radius) {
    am_scene_point *point = &b->scene->points[body];
    point->at[0] = radius * sin(angle);
    point->at[1] = radius * cos(angle);
    for (size_t i = 0; i < point->term_count; i++) { /* along the circle, and away from its middle */
        bool across = i == 1;
        point->terms[i].along[0] = across ? sin(angle) : cos(angle);
        point->terms[i].along[1] = across ? cos(angle) : -sin(angle);
    }
}

/* Bodies of the ring one apart; what hangs on them outside. */
static void set_ring(builder *b, size_t count, const size_t *order, const bool *in_ring) {
    double radius = 0.5 / sin(pi / (double)count);
    for (size_t i = 0; i < count; i++) {
        double angle = 2 * pi * (double)i / (double)count;
        put_on_circle(b, order[i], angle, radius);
        for (size_t k = 0; k < b->count; k++)
            if (!in_ring[k] && b->linked[order[i] * b->count + k])
                put_on_circle(b, k, angle, radius + 0.9);
    }
    b->scene->ring = true;
}

static bool all_hang_on(const builder *b, const bool *in_ring) {
    for (size_t i = 0; i < b->count; i++)
        if (!in_ring[i] && degree(b, in_ring, i) == 0)
            return false;
    return true;
}

static void link_neighbours(builder *b) {
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = i + 1; k < b->count; k++)
            if (b->linked[i * b->count + k] && (b->scene->ring || k == i + 1))
                add_link(b, i, k, true);
}

static am_status make_points(builder *b) {
    am_scene *scene = b->scene;
    scene->upright = is_upright(b);
    for (size_t i = 0; i < b->count; i++) {
        am_scene_term *terms = am_arena_new(&scene->memory, 2, sizeof *terms, b->err);
        if (!terms)
            return AM_ERR_MEMORY;
        terms[0] = (am_scene_term){b->bodies[i].x, {!scene->upright, scene->upright}};
        terms[1] = (am_scene_term){b->bodies[i].y, {0, 1}};
        scene->points[i] = (am_scene_point){.mark = AM_SCENE_BODY,
                                            .name = am_system_name(b->system, b->bodies[i].x),
                                            .at = {(double)i, 0},
                                            .turn = b->bodies[i].turn,
                                            .term_count = b->bodies[i].y == NONE ? 1 : 2,
                                            .terms = terms};
        AM_TRY(am_arena_keep(&scene->memory, &scene->points[i].name, b->err));
    }
    scene->point_count = b->count;
    return AM_OK;
}

static am_status set_bodies(builder *b) {
    const am_matrix *stiffness = am_system_stiffness(b->system);
    bool in_ring[MOST_BODIES];
    size_t order[MOST_BODIES];
    AM_TRY(make_points(b));
    link_bodies(b, stiffness);
    size_t ring = find_ring(b, in_ring, order);
    if (ring > 0 && all_hang_on(b, in_ring))
        set_ring(b, ring, order, in_ring);
    link_neighbours(b);
    return link_to_ground(b, stiffness);
}

/* ---- Contacts ---- */

static bool is_drawn(const am_scene *scene, const am_scene_contact *contact) {
    for (size_t i = 0; i < scene->contact_count; i++) {
        const am_scene_contact *other = &scene->contacts[i];
        if (other->point == contact->point && other->with == contact->with && other->side == contact->side)
            return true;
    }
    return false;
}

/* Joints of many sliders are drawn once, by their first. */
static void add_contact(am_scene *scene, am_scene_contact contact) {
    if (!is_drawn(scene, &contact))
        scene->contacts[scene->contact_count++] = contact;
}

/* The part of a structure that is given by its modes, say, that touches: it moves along tangent and normal. */
static am_status add_spot(builder *b, size_t index, const am_contact_def *contact) {
    am_scene *scene = b->scene;
    size_t spots = scene->point_count - b->count;
    if (spots == MOST_SPOTS)
        return AM_OK;
    am_scene_term *terms = am_arena_new(&scene->memory, b->n, sizeof *terms, b->err);
    am_scene_point *point = &scene->points[scene->point_count];
    *point = (am_scene_point){
        .mark = AM_SCENE_SPOT, .name = am_system_contact_name(b->system, index), .terms = terms, .turn = NONE};
    AM_TRY(am_arena_keep(&scene->memory, &point->name, b->err));
    if (!terms)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < b->n; i++) {
        double along = contact->tangent ? contact->tangent[i] : 0, away = contact->normal ? contact->normal[i] : 0;
        if (along != 0 || away != 0)
            terms[point->term_count++] = (am_scene_term){i, {along, away}};
    }
    point->at[0] = (double)spots;
    point->at[1] = -1.3;
    add_contact(scene, (am_scene_contact){index, scene->point_count, AM_SCENE_GROUND, AM_SCENE_BELOW});
    scene->point_count++;
    return AM_OK;
}

/* Where the ground is: below, unless the normal points the other way; of a stop to the side. */
static am_scene_side side_of(const builder *b, const am_contact_def *contact, size_t body) {
    size_t along = only_entry(b, contact->normal);
    bool other_way = along != NONE && contact->normal[along] < 0;
    if (contact->second_tangent)
        return AM_SCENE_UNDER;
    if (is_stop(b, contact) && b->bodies[body].x == along && !b->scene->upright)
        return other_way ? AM_SCENE_RIGHT : AM_SCENE_LEFT;
    return other_way ? AM_SCENE_ABOVE : AM_SCENE_BELOW;
}

static am_status set_contacts(builder *b) {
    for (size_t i = 0; i < am_system_contacts(b->system); i++) {
        const am_contact_def *contact = am_system_contact(b->system, i);
        const double *row = main_row(b, contact);
        size_t index[2], count = entries(b, row, index);
        size_t first = count > 0 ? b->body_of[index[0]] : NONE, second = count > 1 ? b->body_of[index[1]] : NONE;
        size_t away = entries(b, contact->normal, (size_t[2]){0, 0});
        if ((count == 1 || (count == 2 && first == second)) && first != NONE && away <= 1)
            add_contact(b->scene, (am_scene_contact){i, first, AM_SCENE_GROUND, side_of(b, contact, first)});
        else if (count == 2 && first != NONE && second != NONE && row[index[0]] * row[index[1]] < 0 && away != 1)
            add_contact(b->scene, (am_scene_contact){i, first, second, AM_SCENE_BELOW});
        else
            AM_TRY(add_spot(b, i, contact));
    }
    return AM_OK;
}

/* ---- Structures without places ---- */

static am_status set_out(builder *b) {
    am_arena *memory = &b->scene->memory;
    size_t contacts = am_system_contacts(b->system);
    AM_ARENA_ARRAYS(memory, size_t, b->n, b->err, &b->body_of);
    b->bodies = am_arena_new(memory, b->n, sizeof *b->bodies, b->err);
    AM_TRY(am_arena_status(memory));
    for (size_t i = 0; i < b->n; i++)
        b->body_of[i] = NONE;
    find_bodies(b);
    sort_bodies(b);
    if (b->count > MOST_BODIES)
        return am_fail(
            b->err, AM_ERR_UNSUPPORTED,
            "a structure of %zu bodies whose places are not known is too large for an animation, which draws "
            "%d; `nodes: {file: ...}` gives places",
            b->count, MOST_BODIES);
    b->scene->points = am_arena_new(memory, b->count + MOST_SPOTS, sizeof *b->scene->points, b->err);
    b->scene->links = am_arena_new(memory, b->count * (b->count + 1), sizeof *b->scene->links, b->err);
    b->scene->contacts = am_arena_new(memory, contacts, sizeof *b->scene->contacts, b->err);
    b->linked = am_arena_new(memory, b->count * b->count, sizeof *b->linked, b->err);
    AM_TRY(am_arena_status(memory));
    AM_TRY(set_bodies(b));
    return set_contacts(b);
}

/* ---- Structures with places ---- */

am_scene_view am_scene_look(size_t count, const double (*places)[3]) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, largest = 0;
    for (size_t i = 0; i < 3 * count; i++) {
        low[i % 3] = fmin(low[i % 3], places[i / 3][i % 3]);
        high[i % 3] = fmax(high[i % 3], places[i / 3][i % 3]);
    }
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, high[k] - low[k]);
    if (!(high[2] - low[2] > slight * largest))
        return (am_scene_view){{1, 0, 0}, {0, 1, 0}};
    if (!(high[1] - low[1] > slight * largest))
        return (am_scene_view){{1, 0, 0}, {0, 0, 1}};
    if (!(high[0] - low[0] > slight * largest))
        return (am_scene_view){{0, 1, 0}, {0, 0, 1}};
    return (am_scene_view){{0.87, -0.5, 0}, {0.3, 0.42, 0.87}}; /* all three axes are seen */
}

static size_t find_node(const am_scene *scene, const long *nodes, long node) {
    size_t i = 0;
    while (i < scene->point_count && nodes[i] != node)
        i++;
    return i;
}

static am_status set_nodes(builder *b, const am_scene_place *places) {
    am_scene *scene = b->scene;
    AM_LOCAL_MEMORY double(*at)[3] = am_memory_new(b->n, sizeof *at, b->err);
    AM_LOCAL_MEMORY long *nodes = am_memory_new(b->n, sizeof *nodes, b->err);
    if (!at || !nodes)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < b->n; i++) {
        if (places[i].direction < 1 || places[i].direction > 3)
            continue;
        size_t point = find_node(scene, nodes, places[i].node);
        if (point == scene->point_count) {
            if (point == MOST_NODES)
                return am_fail(
                    b->err, AM_ERR_UNSUPPORTED,
                    "an animation draws at most %d nodes; mode shapes are drawn on the mesh (`shapes: true`)",
                    MOST_NODES);
            nodes[point] = places[i].node;
            memcpy(at[point], places[i].at, sizeof *at);
            scene->points[scene->point_count++] = (am_scene_point){.mark = AM_SCENE_NODE, .name = "", .turn = NONE};
        }
        scene->points[point].term_count++;
        b->body_of[i] = point;
    }
    am_scene_view view = am_scene_look(scene->point_count, (const double(*)[3])at);
    for (size_t p = 0; p < scene->point_count; p++) {
        am_scene_point *point = &scene->points[p];
        point->terms = am_arena_new(&scene->memory, point->term_count, sizeof *point->terms, b->err);
        if (!point->terms)
            return AM_ERR_MEMORY;
        point->term_count = 0;
        for (int k = 0; k < 3; k++) {
            point->at[0] += view.right[k] * at[p][k];
            point->at[1] += view.up[k] * at[p][k];
        }
    }
    for (size_t i = 0; i < b->n; i++)
        if (b->body_of[i] != NONE) {
            am_scene_point *point = &scene->points[b->body_of[i]];
            int k = places[i].direction - 1;
            point->terms[point->term_count++] = (am_scene_term){i, {view.right[k], view.up[k]}};
        }
    return AM_OK;
}

/* Nodes that stiffness couples; more than a few for each is no picture of anything. */
static void link_nodes(builder *b) {
    const am_matrix *stiffness = am_system_stiffness(b->system);
    am_scene *scene = b->scene;
    double least = slight * am_matrix_largest(stiffness);
    size_t most = 8 * scene->point_count;
    for (size_t i = 0; i < scene->point_count; i++)
        for (size_t k = i + 1; k < scene->point_count; k++) {
            double strongest = 0;
            for (size_t r = 0; r < scene->points[i].term_count; r++)
                for (size_t c = 0; c < scene->points[k].term_count; c++)
                    strongest = fmax(strongest, fabs(am_matrix_at(stiffness, scene->points[i].terms[r].coordinate,
                                                                  scene->points[k].terms[c].coordinate)));
            if (strongest > least && scene->link_count < most)
                add_link(b, i, k, false);
        }
    if (scene->link_count == most)
        scene->link_count = 0;
}

/* A contact is at the node that it moves most. */
static void mark_contacts(builder *b) {
    for (size_t c = 0; c < am_system_contacts(b->system); c++) {
        const am_contact_def *contact = am_system_contact(b->system, c);
        const double *row = main_row(b, contact);
        size_t largest = NONE;
        for (size_t i = 0; row && i < b->n; i++)
            if (b->body_of[i] != NONE && row[i] != 0 && (largest == NONE || fabs(row[i]) > fabs(row[largest])))
                largest = i;
        if (largest != NONE)
            add_contact(b->scene, (am_scene_contact){c, b->body_of[largest], AM_SCENE_GROUND, AM_SCENE_BELOW});
    }
}

static am_status set_placed(builder *b, const am_scene_place *places) {
    am_scene *scene = b->scene;
    AM_ARENA_ARRAYS(&scene->memory, size_t, b->n, b->err, &b->body_of);
    scene->points = am_arena_new(&scene->memory, b->n, sizeof *scene->points, b->err);
    scene->links = am_arena_new(&scene->memory, 8 * b->n, sizeof *scene->links, b->err);
    scene->contacts = am_arena_new(&scene->memory, am_system_contacts(b->system), sizeof *scene->contacts, b->err);
    AM_TRY(am_arena_status(&scene->memory));
    for (size_t i = 0; i < b->n; i++)
        b->body_of[i] = NONE;
    scene->placed = true;
    AM_TRY(set_nodes(b, places));
    link_nodes(b);
    mark_contacts(b);
    return AM_OK;
}

static bool has_places(const am_scene_place *places, size_t n) {
    for (size_t i = 0; places && i < n; i++)
        if (places[i].direction > 0)
            return true;
    return false;
}

am_status am_scene_of(am_scene *scene, const am_system *system, const am_scene_place *places, am_error *err) {
    builder b = {.scene = scene, .system = system, .n = am_system_size(system), .err = err};
    return has_places(places, b.n) ? set_placed(&b, places) : set_out(&b);
}

void am_scene_clear(am_scene *scene) {
    am_arena_clear(&scene->memory);
    *scene = (am_scene){0};
}
