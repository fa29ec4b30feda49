#include "study/sweep/refine_grid.h"
#include "base/try.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { AXES = AM_SWEEP_REFINED_AXES, CORNERS = 1 << AXES };

/* ---- places ---- */

/* The cells of one step. */
typedef struct mesh {
    const am_refinement *r;
    size_t step, cells[AXES], count;
} mesh;

static mesh mesh_of(const am_refinement *r, size_t step) {
    mesh m = {.r = r, .step = step, .count = 1};
    for (size_t a = 0; a < AXES; a++) {
        m.cells[a] = r->count[a] == 1 ? 1 : (r->count[a] - 2 + step) / step;
        m.count *= m.cells[a];
    }
    return m;
}

static void place_of(const mesh *m, size_t cell, size_t place[AXES]) {
    for (size_t a = AXES; a-- > 0; cell /= m->cells[a])
        place[a] = cell % m->cells[a];
}

static size_t cell_at(const mesh *m, const size_t place[AXES]) {
    return (place[0] * m->cells[1] + place[1]) * m->cells[2] + place[2];
}

static size_t point_at(const am_refinement *r, const size_t at[AXES]) {
    return (at[0] * r->count[1] + at[1]) * r->count[2] + at[2];
}

/* A cell's points are from[a] <= at[a] <= to[a]; the last cell may be shorter. */
typedef struct box {
    size_t from[AXES], to[AXES], corners[CORNERS]; /* bit a of the corner: its side along axis a */
} box;

static box box_of(const mesh *m, size_t cell) {
    box b;
    size_t place[AXES], at[AXES];
    place_of(m, cell, place);
    for (size_t a = 0; a < AXES; a++) {
        size_t last = m->r->count[a] - 1, end = (place[a] + 1) * m->step;
        b.from[a] = place[a] * m->step;
        b.to[a] = end < last ? end : last;
    }
    for (size_t c = 0; c < CORNERS; c++) {
        for (size_t a = 0; a < AXES; a++)
            at[a] = c >> a & 1 ? b.to[a] : b.from[a];
        b.corners[c] = point_at(m->r, at);
    }
    return b;
}

/* ---- changes ---- */

/* What is known of the points of a cell. */
typedef enum kind { NOTHING, FAILURE, TEXT, NO_NUMBER, NUMBER } kind;

typedef struct spread {
    kind kind;
    const char *text;
    double least, greatest;
} spread;

/* Filled points follow from others: they say nothing new. */
static bool is_computed(const am_refinement *r, size_t point) {
    unsigned char known = r->record->known[point];
    return known == AM_SWEEP_DONE || known == AM_SWEEP_FAILED;
}

/* One more point; true when the points differ now. */
static bool widen(spread *s, const am_refinement *r, size_t point) {
    const am_sweep_record *b = r->record;
    const am_sweep_cell c = am_sweep_record_cell(b, point, r->output);
    kind own = b->known[point] == AM_SWEEP_FAILED ? FAILURE : c.text ? TEXT : isnan(c.number) ? NO_NUMBER : NUMBER;
    if (s->kind == NOTHING)
        *s = (spread){own, c.text, c.number, c.number};
    if (own != s->kind)
        return true;
    if (own == TEXT)
        return c.text != s->text; /* equal texts are kept once */
    if (own != NUMBER)
        return false;
    s->least = fmin(s->least, c.number);
    s->greatest = fmax(s->greatest, c.number);
    return s->greatest - s->least > b->sweep->refine.tolerance;
}

/* Do points of the cell differ, as far as they are known? */
static bool changes(const am_refinement *r, const box *b) {
    spread s = {NOTHING, NULL, 0.0, 0.0};
    for (size_t i = b->from[0]; i <= b->to[0]; i++)
        for (size_t j = b->from[1]; j <= b->to[1]; j++) {
            size_t first = point_at(r, (size_t[AXES]){i, j, b->from[2]}), count = b->to[2] - b->from[2] + 1;
            for (size_t point = first; point < first + count; point++)
                if (is_computed(r, point) && widen(&s, r, point))
                    return true;
        }
    return false;
}

/* The cell and those round about: the edge of a region may leave a cell through the side it came in by. */
static void mark_around(const mesh *m, size_t cell, unsigned char *marked) {
    size_t place[AXES], from[AXES], to[AXES];
    place_of(m, cell, place);
    for (size_t a = 0; a < AXES; a++) {
        from[a] = place[a] > 0 ? place[a] - 1 : 0;
        to[a] = place[a] + 1 < m->cells[a] ? place[a] + 1 : place[a];
    }
    for (size_t i = from[0]; i <= to[0]; i++)
        for (size_t j = from[1]; j <= to[1]; j++)
            for (size_t k = from[2]; k <= to[2]; k++)
                marked[cell_at(m, (size_t[AXES]){i, j, k})] = 1;
}

/* ---- points of cells that are not divided ---- */

/* Numbers between the corners in proportion, names from the nearest corner, and so the reason of a failure. */
static am_status fill_point(const am_refinement *r, const box *in, const size_t at[AXES], am_error *err) {
    am_sweep_record *b = r->record;
    size_t nearest = 0, point = point_at(r, at);
    double weight[CORNERS];
    for (size_t c = 0; c < CORNERS; c++)
        weight[c] = 1.0;
    for (size_t a = 0; a < AXES; a++) {
        size_t width = in->to[a] - in->from[a];
        double share = width > 0 ? (double)(at[a] - in->from[a]) / (double)width : 0.0;
        nearest |= (size_t)(share > 0.5) << a;
        for (size_t c = 0; c < CORNERS; c++)
            weight[c] *= c >> a & 1 ? share : 1.0 - share;
    }
    b->known[point] = AM_SWEEP_FILLED;
    const char *failure = am_sweep_record_failure(b, in->corners[nearest]);
    am_status status = AM_OK;
    am_sweep_record_clear_failure(b, point); /* the probe may have run it, but it is not needed */
    if (failure)
        status = am_sweep_record_put_failure(b, point, failure, err);
    for (size_t o = 0; o < b->output_count && !failure && !status; o++) {
        am_sweep_cell cell = am_sweep_record_cell(b, in->corners[nearest], o);
        double sum = 0.0;
        bool equal = true;
        for (size_t c = 0; c < CORNERS; c++) {
            double number = am_sweep_record_cell(b, in->corners[c], o).number;
            equal = equal && number == cell.number; /* then it is this number, without rounding */
            sum += weight[c] != 0.0 ? weight[c] * number : 0.0;
        }
        cell.number = equal ? cell.number : sum;
        status = am_sweep_record_put(b, point, o, cell, err);
    }
    return status;
}

static am_status fill_cell(const am_refinement *r, const box *in, am_error *err) {
    size_t at[AXES];
    for (at[0] = in->from[0]; at[0] <= in->to[0]; at[0]++)
        for (at[1] = in->from[1]; at[1] <= in->to[1]; at[1]++)
            for (at[2] = in->from[2]; at[2] <= in->to[2]; at[2]++)
                if (r->record->known[point_at(r, at)] == AM_SWEEP_OPEN)
                    AM_TRY(fill_point(r, in, at, err));
    return AM_OK;
}

/* ---- from step to step ---- */

static void ask(am_refinement *r, const box *b) {
    for (size_t c = 0; c < CORNERS; c++) {
        size_t point = b->corners[c];
        if (r->record->known[point] != AM_SWEEP_OPEN || r->asked[point])
            continue;
        r->asked[point] = 1;
        r->points[r->point_count++] = (uint32_t)point;
    }
}

/* The cells of one step that are there (`active`): which are divided (`marked`)? */
static void mark_changes(am_refinement *r, const mesh *m, const unsigned char *active, unsigned char *marked) {
    for (size_t cell = 0; cell < m->count; cell++) {
        if (!active[cell])
            continue;
        box b = box_of(m, cell);
        ask(r, &b);
        if (changes(r, &b))
            mark_around(m, cell, marked);
    }
}

static am_status fill_undivided(const am_refinement *r, const mesh *m, const unsigned char *active,
                                const unsigned char *marked, am_error *err) {
    am_status status = AM_OK;
    for (size_t cell = 0; cell < m->count && !status; cell++)
        if (active[cell] && !marked[cell]) {
            box b = box_of(m, cell);
            status = fill_cell(r, &b, err);
        }
    return status;
}

/* The halves of the marked cells are the next ones: the caller's. */
static unsigned char *divide(const mesh *m, const unsigned char *marked, am_error *err) {
    mesh next = mesh_of(m->r, m->step / 2);
    unsigned char *active = am_memory_new(next.count, 1, err);
    size_t place[AXES];
    for (size_t cell = 0; active && cell < next.count; cell++) {
        place_of(&next, cell, place);
        for (size_t a = 0; a < AXES; a++)
            place[a] /= 2;
        active[cell] = marked[cell_at(m, place)];
    }
    return active;
}

/* From the coarse cells down. Asks for open corners, or (`fill`) fills what is not needed. */
static am_status walk(am_refinement *r, bool fill, am_error *err) {
    mesh m = mesh_of(r, r->record->sweep->refine.coarse);
    unsigned char *active = am_memory_new(m.count, 1, err);
    am_status status = active ? AM_OK : AM_ERR_MEMORY;
    if (active)
        memset(active, 1, m.count);
    while (!status && m.step > 0) {
        unsigned char *marked = am_memory_new(m.count, 1, err), *next = NULL;
        status = marked ? AM_OK : AM_ERR_MEMORY;
        if (marked)
            mark_changes(r, &m, active, marked);
        if (!status && fill)
            status = fill_undivided(r, &m, active, marked, err);
        if (!status && m.step > 1)
            status = (next = divide(&m, marked, err)) ? AM_OK : AM_ERR_MEMORY;
        am_memory_free(active);
        am_memory_free(marked);
        active = next;
        m = mesh_of(r, m.step > 1 ? m.step / 2 : 1);
        if (!active)
            break;
    }
    am_memory_free(active);
    return status;
}

am_status am_refinement_init(am_refinement *refinement, am_sweep_record *record, am_error *err) {
    am_refinement *r = refinement;
    const am_sweep_setting *sweep = record->sweep;
    const am_sweep_axis *axes = sweep->axes.items;
    *r = (am_refinement){.record = record, .output = SIZE_MAX, .count = {1, 1, 1}};
    for (size_t o = 0; o < record->output_count; o++)
        if (strcmp(record->outputs[o], sweep->refine.output) == 0)
            r->output = o;
    if (r->output == SIZE_MAX)
        return am_fail_field(err, AM_ERR_INPUT, "sweep.refine.output",
                             "there is no output named %s whose changes could be looked for", sweep->refine.output);
    for (size_t a = 0; a < sweep->axes.count; a++)
        r->count[AXES - sweep->axes.count + a] = axes[a].count;
    r->asked = am_memory_new(record->points, sizeof *r->asked, err);
    r->points = am_memory_new(record->points, sizeof *r->points, err);
    return r->asked && r->points ? am_refinement_next(r, err) : AM_ERR_MEMORY;
}

void am_refinement_clear(am_refinement *refinement) {
    am_memory_free(refinement->asked);
    am_memory_free(refinement->points);
    *refinement = (am_refinement){0};
}

am_status am_refinement_next(am_refinement *refinement, am_error *err) {
    refinement->point_count = 0;
    am_status status = walk(refinement, false, err);
    return status || refinement->point_count > 0 ? status : walk(refinement, true, err);
}
