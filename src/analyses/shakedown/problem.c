#include "analyses/shakedown/problem.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/text.h"
#include "math/dense.h"
#include "system/system.h"

/* A cut is added when a constraint is violated by more than this part of its terms: a little above their rounding. What
 * does not get better below the second bound is rounding too. */
static const double violated = 1e-14, nearly = 1e-12;

enum { MOST_ROUNDS = 200 };

bool am_shakedown_varies(const am_function *function) {
    const am_function *f = function;
    switch (f->kind) {
    case AM_FUNCTION_CONSTANT:
        return false;
    case AM_FUNCTION_RAMP:
        return f->rate != 0.0;
    case AM_FUNCTION_TABLE:
        for (size_t i = 1; i < f->count; i++)
            if (f->values[i] != f->values[0])
                return true;
        return false;
    case AM_FUNCTION_SINE:
    case AM_FUNCTION_CHIRP:
    case AM_FUNCTION_PULSE:
    case AM_FUNCTION_IMPULSE:
        break;
    }
    return f->amplitude != 0.0;
}

/* ---- sources: what makes the weld forces ---- */

/* Forces below this part of the largest are what rounding in the reduction left of a zero. */
static const double lost = 1e-13;

static void clean(double *q, double *pressure, size_t m) {
    double most = 0.0;
    for (size_t i = 0; i < m; i++)
        most = fmax(most, fmax(fabs(q[i]), fabs(pressure[i])));
    for (size_t i = 0; i < m; i++) {
        q[i] = fabs(q[i]) > lost * most ? q[i] : 0.0;
        pressure[i] = fabs(pressure[i]) > lost * most ? pressure[i] : 0.0;
    }
}

/* Weld forces of one unit of a load, or of one unit of the held normal force of a contact. */
static void unit_forces(const am_shakedown_problem *p, size_t index, double *q, double *pressure, double *work,
                        double *nothing) {
    size_t loads = p->system->loads;
    const double *direction =
        index < loads ? p->system->load[index].direction : p->system->contact[index - loads].normal;
    am_reduced_weld(&p->reduced, direction ? direction : nothing, q, pressure, work);
    if (index >= loads)
        pressure[index - loads] += 1.0;
    clean(q, pressure, p->m);
}

static const am_function *function_of(const am_system *system, size_t index) {
    return index < system->loads ? &system->load[index].function : &system->contact[index - system->loads].hold;
}

static bool is_source(const am_system *system, size_t index) {
    return index < system->loads || system->contact[index - system->loads].normal_law == AM_HELD;
}

/* Closed contacts have w = -gap: T = q^w - B^T gap + A v, N = p^w - C gap + B v. */
static void add_gaps(am_shakedown_problem *p) {
    size_t m = p->m;
    for (size_t j = 0; j < m; j++) {
        double gap = p->system->contact[j].gap;
        if (p->reduced.held[j] || gap == 0.0)
            continue;
        for (size_t i = 0; i < m; i++) {
            p->base_q[i] -= p->reduced.B[j * m + i] * gap;
            p->base_p[i] -= p->reduced.C[i * m + j] * gap;
        }
    }
}

static am_status gather_sources(am_shakedown_problem *p, const bool *scale_load, const bool *scale_held,
                                const am_function **functions, am_error *err) {
    const am_system *s = p->system;
    size_t m = p->m;
    AM_LOCAL_MEMORY double *work = am_memory_new(am_reduced_work(&p->reduced) + s->n, sizeof *work, err);
    if (!work)
        return AM_ERR_MEMORY;
    double *nothing = work + am_reduced_work(&p->reduced);
    for (size_t index = 0; index < s->loads + m; index++) {
        if (!is_source(s, index))
            continue;
        const am_function *f = function_of(s, index);
        bool scaled = index < s->loads ? scale_load[index] : scale_held[index - s->loads];
        double *q = p->unit_q + p->sources * m, *pressure = p->unit_p + p->sources * m;
        unit_forces(p, index, q, pressure, work, nothing);
        if (scaled || am_shakedown_varies(f)) {
            p->rest_varies = p->rest_varies || (!scaled && am_shakedown_varies(f));
            p->scaled[p->sources] = scaled;
            functions[p->sources++] = f;
            continue;
        }
        double value = am_function_at(f, 0.0);
        for (size_t i = 0; i < m; i++) {
            p->base_q[i] += value * q[i];
            p->base_p[i] += value * pressure[i];
        }
    }
    add_gaps(p);
    return AM_OK;
}

static am_status reserve(am_shakedown_problem *p, am_error *err) {
    size_t m = p->m, most = p->system->loads + m;
    p->scaled = am_arena_new(&p->memory, most, sizeof *p->scaled, err);
    /* One more than there can be: the place where a constant load's forces are computed before they join the base. */
    p->unit_q = am_arena_new(&p->memory, (most + 1) * m, sizeof *p->unit_q, err);
    p->unit_p = am_arena_new(&p->memory, (most + 1) * m, sizeof *p->unit_p, err);
    p->base_q = am_arena_new(&p->memory, m, sizeof *p->base_q, err);
    p->base_p = am_arena_new(&p->memory, m, sizeof *p->base_p, err);
    p->constraint = am_arena_new(&p->memory, 3 * m, sizeof *p->constraint, err);
    return am_arena_status(&p->memory);
}

static void list_constraints(am_shakedown_problem *p) {
    for (size_t c = 0; c < p->m; c++) {
        p->constraint[p->constraints++] = (am_shakedown_constraint){c, AM_SHAKEDOWN_MINUS};
        p->constraint[p->constraints++] = (am_shakedown_constraint){c, AM_SHAKEDOWN_PLUS};
        if (!(p->reduced.mu[c] > 0.0) && !p->reduced.held[c])
            p->constraint[p->constraints++] = (am_shakedown_constraint){c, AM_SHAKEDOWN_CLOSED};
    }
}

/* All but the reduced structure. */
static am_status set_up(am_shakedown_problem *p, const bool *scale_load, const bool *scale_held, double period,
                        am_error *err) {
    AM_LOCAL_MEMORY const am_function **functions =
        am_memory_new(p->system->loads + p->system->m, sizeof *functions, err);
    AM_TRY(functions ? reserve(p, err) : AM_ERR_MEMORY);
    AM_TRY(gather_sources(p, scale_load, scale_held, functions, err));
    AM_TRY(am_cycle_init(&p->cycle, p->sources, functions, period, err));
    p->weight = am_arena_doubles(&p->memory, NULL, p->sources + 2 * p->cycle.waves, err);
    AM_TRY(am_arena_status(&p->memory));
    list_constraints(p);
    return AM_OK;
}

am_status am_shakedown_problem_init(am_shakedown_problem *problem, const am_system *system, const bool *scale_load,
                                    const bool *scale_held, am_shakedown_about about, double period, am_error *err) {
    am_shakedown_problem *p = problem;
    *p = (am_shakedown_problem){.system = system, .m = system->m, .about = about};
    AM_TRY(am_reduced_init(&p->reduced, system, err));
    am_status status = set_up(p, scale_load, scale_held, period, err);
    if (status)
        am_shakedown_problem_clear(p);
    return status;
}

void am_shakedown_problem_clear(am_shakedown_problem *problem) {
    am_reduced_clear(&problem->reduced);
    am_cycle_clear(&problem->cycle);
    am_memory_free(problem->cut);
    am_arena_clear(&problem->memory);
    *problem = (am_shakedown_problem){0};
}

am_status am_shakedown_solution_init(am_shakedown_solution *solution, const am_shakedown_problem *problem,
                                     am_error *err) {
    *solution = (am_shakedown_solution){0};
    solution->v = am_arena_new(&solution->memory, problem->m, sizeof *solution->v, err);
    solution->multiplier = am_arena_new(&solution->memory, problem->constraints, sizeof *solution->multiplier, err);
    solution->tightest = am_arena_new(&solution->memory, problem->constraints, sizeof *solution->tightest, err);
    return am_arena_status(&solution->memory);
}

void am_shakedown_solution_clear(am_shakedown_solution *solution) {
    am_arena_clear(&solution->memory);
    *solution = (am_shakedown_solution){0};
}

/* ---- constraints ---- */

/* The right-hand side belonging to weld forces q, p of the constraint's contact. */
static double right_of(const am_shakedown_problem *p, const am_shakedown_constraint *c, double q, double pressure) {
    if (c->kind == AM_SHAKEDOWN_CLOSED)
        return pressure;
    return p->reduced.mu[c->contact] * pressure + (c->kind == AM_SHAKEDOWN_MINUS ? -q : q);
}

/* Its left-hand side: entry j of the row on v. */
static double left_of(const am_shakedown_problem *p, const am_shakedown_constraint *c, size_t j) {
    double a = p->reduced.A[c->contact * p->m + j], b = p->reduced.B[c->contact * p->m + j];
    if (c->kind == AM_SHAKEDOWN_CLOSED)
        return -b;
    double mu = p->reduced.mu[c->contact];
    return c->kind == AM_SHAKEDOWN_MINUS ? a - mu * b : -(a + mu * b);
}

static double source_weight(const am_shakedown_problem *p, const am_shakedown_constraint *c, size_t source) {
    return right_of(p, c, p->unit_q[source * p->m + c->contact], p->unit_p[source * p->m + c->contact]);
}

/* The two parts of the right-hand side at an instant, and the size of their terms. */
static void parts_at(const am_shakedown_problem *p, const am_shakedown_constraint *c, const am_instant *when,
                     double *fixed, double *scaled, double *size) {
    *fixed = right_of(p, c, p->base_q[c->contact], p->base_p[c->contact]);
    *scaled = 0.0;
    *size = fabs(p->base_q[c->contact]) + fabs(p->reduced.mu[c->contact] * p->base_p[c->contact]);
    for (size_t k = 0; k < p->sources; k++) {
        double weight = source_weight(p, c, k), value = am_cycle_value(&p->cycle, k, when);
        double mean = p->about == AM_ABOUT_MEAN ? p->cycle.mean[k] : 0.0;
        *size += fabs(weight) * (fabs(value) + fabs(mean));
        if (!p->scaled[k]) {
            *fixed += weight * value;
            continue;
        }
        *fixed += weight * mean;
        *scaled += weight * (value - mean);
    }
}

/* When is `rest` fixed(t) + factor scaled(t) least? */
static am_instant least_instant(const am_shakedown_problem *p, const am_shakedown_constraint *c, double rest,
                                double factor, double *error) {
    am_instant when;
    for (size_t k = 0; k < p->sources; k++)
        p->weight[k] = source_weight(p, c, k) * (p->scaled[k] ? factor : rest);
    am_cycle_least(&p->cycle, p->weight, p->weight + p->sources, &when, error);
    return when;
}

static am_shakedown_tightest tightest_at(const am_shakedown_problem *p, const am_shakedown_constraint *c, double factor,
                                         const double *v) {
    am_shakedown_tightest t;
    double fixed, scaled;
    t.when = least_instant(p, c, 1.0, factor, &t.error);
    parts_at(p, c, &t.when, &fixed, &scaled, &t.size);
    t.size *= fmax(1.0, factor);
    t.extreme = t.slack = fixed + factor * scaled;
    for (size_t j = 0; j < p->m; j++) {
        double term = left_of(p, c, j) * v[j];
        t.slack -= term;
        t.size += fabs(term);
    }
    return t;
}

/* ---- cuts ---- */

static am_status add_cut(am_shakedown_problem *p, size_t constraint, am_instant when, am_error *err) {
    AM_TRY(am_memory_reserve(&p->cut, &p->cut_capacity, p->cuts + 1, err));
    am_shakedown_cut cut = {.constraint = constraint, .when = when};
    double size;
    parts_at(p, &p->constraint[constraint], &when, &cut.fixed, &cut.scaled, &size);
    p->cut[p->cuts++] = cut;
    return AM_OK;
}

/* The tightest instants for a very large factor; where the rest varies too, also for none and for one. */
static am_status first_cuts(am_shakedown_problem *p, am_error *err) {
    static const double rest[] = {0.0, 1.0, 1.0}, factor[] = {1.0, 0.0, 1.0};
    p->cuts = 0;
    for (size_t c = 0; c < p->constraints; c++)
        for (size_t k = 0; k < (p->rest_varies ? 3 : 1); k++) {
            double error;
            AM_TRY(add_cut(p, c, least_instant(p, &p->constraint[c], rest[k], factor[k], &error), err));
        }
    return AM_OK;
}

/* ---- programs ---- */

typedef struct tableau {
    am_linear_program program;
    am_linear_solution answer;
    double *memory;
} tableau;

/* `extra` columns follow v and the factor. */
static am_status tableau_init(tableau *t, size_t rows, size_t columns, am_error *err) {
    *t = (tableau){0};
    t->memory = am_memory_new(rows * columns + 2 * rows + 4 * columns, sizeof *t->memory, err);
    if (!t->memory)
        return AM_ERR_MEMORY;
    double *matrix = t->memory, *right = matrix + rows * columns, *multiplier = right + rows;
    double *x = multiplier + rows;
    t->answer = (am_linear_solution){.x = x, .multiplier = multiplier};
    t->program = (am_linear_program){.rows = rows,
                                     .columns = columns,
                                     .objective = x + columns,
                                     .matrix = matrix,
                                     .right = right,
                                     .lower = x + 2 * columns,
                                     .upper = x + 3 * columns};
    return AM_OK;
}

/* Row r of the tableau; the pointers of a program are const for everybody else. */
static void set_row(tableau *t, size_t r, const am_shakedown_problem *p, const am_shakedown_constraint *c, double fixed,
                    double scaled) {
    double *row = t->memory + r * t->program.columns;
    for (size_t j = 0; j < p->m; j++)
        row[j] = left_of(p, c, j);
    row[p->m] = -scaled;
    t->memory[t->program.rows * t->program.columns + r] = fixed;
}

static void set_column(tableau *t, size_t j, double objective, double lower, double upper) {
    double *x = t->answer.x;
    size_t columns = t->program.columns;
    x[columns + j] = objective;
    x[2 * columns + j] = lower;
    x[3 * columns + j] = upper;
}

static am_status solve_cuts(am_shakedown_problem *p, int sense, double most, am_shakedown_solution *solution,
                            bool *feasible, am_error *err) {
    tableau t;
    AM_TRY(tableau_init(&t, p->cuts, p->m + 1, err));
    for (size_t r = 0; r < p->cuts; r++)
        set_row(&t, r, p, &p->constraint[p->cut[r].constraint], p->cut[r].fixed, p->cut[r].scaled);
    for (size_t j = 0; j < p->m; j++)
        set_column(&t, j, 0.0, -INFINITY, INFINITY);
    set_column(&t, p->m, sense > 0 ? 1.0 : -1.0, 0.0, most);
    am_status status = am_linear_program_solve(&t.program, &t.answer, err);
    *feasible = !status && t.answer.outcome == AM_LINEAR_OPTIMAL;
    if (!status && t.answer.outcome == AM_LINEAR_UNBOUNDED)
        status = am_fail(err, AM_ERR_EVIDENCE, "the linear program for the shakedown limit has no finite answer");
    if (*feasible) {
        memcpy(solution->v, t.answer.x, p->m * sizeof *solution->v);
        solution->factor = t.answer.x[p->m];
        solution->evidence = t.answer.evidence;
        memset(solution->multiplier, 0, p->constraints * sizeof *solution->multiplier);
        for (size_t r = 0; r < p->cuts; r++)
            solution->multiplier[p->cut[r].constraint] += t.answer.multiplier[r];
    }
    am_memory_free(t.memory);
    return status;
}

/* Look at all constraints over the whole period; cut off what is violated. */
static am_status add_violated(am_shakedown_problem *p, am_shakedown_solution *s, bool *changed, am_error *err) {
    double worst = 0.0;
    *changed = false;
    s->extreme_error = 0.0;
    for (size_t c = 0; c < p->constraints; c++) {
        am_shakedown_tightest *t = &s->tightest[c];
        *t = tightest_at(p, &p->constraint[c], s->factor, s->v);
        double size = t->size > 0.0 ? t->size : 1.0;
        if (!(-t->slack / size <= worst))
            worst = -t->slack / size;
        s->extreme_error = fmax(s->extreme_error, t->error / size);
        if (p->rest_varies && -t->slack > violated * size) {
            AM_TRY(add_cut(p, c, t->when, err));
            *changed = true;
        }
    }
    s->evidence.primal = fmax(worst, 0.0);
    return AM_OK;
}

am_status am_shakedown_extreme_factor(am_shakedown_problem *problem, int sense, double most,
                                      am_shakedown_solution *solution, bool *feasible, am_error *err) {
    AM_TRY(first_cuts(problem, err));
    bool changed = true;
    double before = INFINITY;
    *feasible = true;
    for (int round = 0; changed && *feasible; round++) {
        AM_TRY(solve_cuts(problem, sense, most, solution, feasible, err));
        if (*feasible)
            AM_TRY(add_violated(problem, solution, &changed, err));
        if (round >= MOST_ROUNDS || (solution->evidence.primal <= nearly && !(solution->evidence.primal < before)))
            break;
        before = solution->evidence.primal;
    }
    return AM_OK;
}

/* ---- why not? ---- */

/* The smallest amount by which all constraints of `list` must be relaxed, in parts of the size of forces, and which
 * contacts are to blame. */
static am_status relax(am_shakedown_problem *p, const am_shakedown_cut *cuts, const am_shakedown_constraint *list,
                       size_t count, double *amount, bool *blamed, am_error *err) {
    tableau t;
    double largest = 0.0;
    AM_TRY(tableau_init(&t, count, p->m + 2, err));
    for (size_t r = 0; r < count; r++) {
        set_row(&t, r, p, &list[cuts[r].constraint], cuts[r].fixed, cuts[r].scaled);
        largest = fmax(largest, fabs(cuts[r].fixed) + fabs(cuts[r].scaled));
    }
    if (!(largest > 0.0))
        largest = 1.0;
    for (size_t r = 0; r < count; r++)
        t.memory[r * t.program.columns + p->m + 1] = -largest;
    for (size_t j = 0; j < p->m; j++)
        set_column(&t, j, 0.0, -INFINITY, INFINITY);
    set_column(&t, p->m, 0.0, 0.0, AM_SHAKEDOWN_LARGEST);
    set_column(&t, p->m + 1, -1.0, 0.0, INFINITY);
    am_status status = am_linear_program_solve(&t.program, &t.answer, err);
    if (!status && t.answer.outcome != AM_LINEAR_OPTIMAL)
        status = am_fail(err, AM_ERR_EVIDENCE, "the linear program for the weakest contact has no answer");
    if (!status) {
        double most = 0.0;
        *amount = t.answer.x[p->m + 1];
        for (size_t r = 0; r < count; r++)
            most = fmax(most, t.answer.multiplier[r]);
        for (size_t r = 0; r < count; r++)
            if (t.answer.multiplier[r] > 1e-9 * most)
                blamed[list[cuts[r].constraint].contact] = true;
    }
    am_memory_free(t.memory);
    return status;
}

/* N >= 0 alone, of every contact. */
static am_status relax_closed(am_shakedown_problem *p, double *amount, bool *blamed, am_error *err) {
    size_t m = p->m;
    AM_LOCAL_ARENA memory = {0};
    am_shakedown_constraint *list = am_arena_new(&memory, m, sizeof *list, err);
    am_shakedown_cut *cuts = am_arena_new(&memory, 2 * m, sizeof *cuts, err);
    AM_TRY(am_arena_status(&memory));
    for (size_t k = 0; k < 2 * m; k++) {
        double error, size;
        size_t c = k / 2;
        list[c] = (am_shakedown_constraint){c, AM_SHAKEDOWN_CLOSED};
        cuts[k].constraint = c; /* the tightest instant of the scaled part alone, and of the rest alone */
        cuts[k].when = least_instant(p, &list[c], k % 2 ? 1.0 : 0.0, k % 2 ? 0.0 : 1.0, &error);
        parts_at(p, &list[c], &cuts[k].when, &cuts[k].fixed, &cuts[k].scaled, &size);
    }
    return relax(p, cuts, list, 2 * m, amount, blamed, err);
}

/* "a", "a, b and c" */
static void name_contacts(am_text *text, const am_system *system, const bool *blamed) {
    size_t count = 0, named = 0, most = 6;
    for (size_t c = 0; c < system->m; c++)
        count += blamed[c];
    for (size_t c = 0; c < system->m && named < most; c++) {
        if (!blamed[c])
            continue;
        am_text_add(text, named == 0 ? "" : named + 1 == count ? " and " : ", ");
        am_text_add(text, system->contact[c].name);
        named++;
    }
    if (count > most)
        am_text_printf(text, " and %zu more", count - most);
}

am_status am_shakedown_why_not(am_shakedown_problem *problem, am_error *err) {
    am_shakedown_problem *p = problem;
    AM_LOCAL_MEMORY bool *blamed = am_memory_new(p->m, sizeof *blamed, err);
    AM_LOCAL(am_text_free) am_text names = {0};
    double amount = 0.0;
    AM_TRY(blamed ? relax_closed(p, &amount, blamed, err) : AM_ERR_MEMORY);
    bool opens = amount > 1e-12;
    if (!opens) {
        memset(blamed, 0, p->m * sizeof *blamed);
        AM_TRY(relax(p, p->cut, p->constraint, p->cuts, &amount, blamed, err));
    }
    name_contacts(&names, p->system, blamed);
    AM_TRY(am_text_status(&names, err));
    if (opens)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "%s cannot stay closed throughout the period, whatever the slips and however small the scaled "
                       "loads; shakedown is asked of contacts that stay closed, so press them together or use `path`",
                       am_text_view(&names));
    return am_fail(err, AM_ERR_UNSUPPORTED,
                   "no slip at all lets %s stick, however small the scaled loads: friction is too weak for what is not "
                   "scaled (other loads, means)",
                   am_text_view(&names));
}

/* ---- forces ---- */

void am_shakedown_forces(const am_shakedown_problem *problem, const am_shakedown_solution *solution,
                         const am_instant *when, double *normal, double *tangential) {
    const am_shakedown_problem *p = problem;
    memcpy(normal, p->base_p, p->m * sizeof *normal);
    memcpy(tangential, p->base_q, p->m * sizeof *tangential);
    am_dense_add(p->reduced.B, p->m, p->m, solution->v, normal);
    am_dense_add(p->reduced.A, p->m, p->m, solution->v, tangential);
    for (size_t k = 0; k < p->sources; k++) {
        double value = am_cycle_value(&p->cycle, k, when), mean = p->about == AM_ABOUT_MEAN ? p->cycle.mean[k] : 0.0;
        if (p->scaled[k])
            value = mean + solution->factor * (value - mean);
        for (size_t c = 0; c < p->m; c++) {
            normal[c] += p->unit_p[k * p->m + c] * value;
            tangential[c] += p->unit_q[k * p->m + c] * value;
        }
    }
}
