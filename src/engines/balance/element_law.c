/* The formulas of a law of friction, recorded once and evaluated at points. */
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/element_internal.h"

/* ---- recording ---- */

static void forget(am_element_law *law) {
    for (size_t p = 0; p < law->pieces; p++)
        am_tape_clear(&law->formula[p].tape);
    am_memory_free(law->formula);
    am_memory_free(law->series);
    law->formula = NULL;
    law->series = NULL;
    law->pieces = 0;
}

static void differentiate(am_element_formula *formula, am_term *term) {
    for (size_t i = 0; i < AM_ELEMENT_ARGUMENTS; i++)
        term[1 + i] = am_tape_derivative(&formula->tape, term[0], formula->argument[i]);
}

static void record_piece(const am_element_law *law, size_t piece, am_element_formula *formula) {
    const am_law *own = law->law;
    am_tape *tape = &formula->tape;
    for (size_t i = 0; i < AM_ELEMENT_ARGUMENTS; i++)
        formula->argument[i] = am_tape_argument(tape);
    const am_drag_terms at = {formula->argument[0], formula->argument[1], {formula->argument[2]}};
    formula->force[0] =
        own->drag ? own->drag(tape, &law->use, piece, &at) : own->coefficient(tape, &law->use, piece, at.v);
    differentiate(formula, formula->force);
    if (!own->memory[0].rate)
        return;
    formula->rate[0] = own->memory[0].rate(tape, &law->use, piece, &at);
    differentiate(formula, formula->rate);
}

static am_status record(am_element_law *law, am_error *err) {
    size_t pieces = am_law_pieces(&law->use), most = 0;
    forget(law);
    law->formula = am_memory_new(pieces, sizeof *law->formula, err);
    if (!law->formula)
        return AM_ERR_MEMORY;
    law->pieces = pieces;
    for (size_t p = 0; p < pieces; p++) {
        record_piece(law, p, &law->formula[p]);
        AM_TRY(am_tape_status(&law->formula[p].tape, err));
        most = law->formula[p].tape.count > most ? law->formula[p].tape.count : most;
    }
    law->series = am_memory_new(most * AM_TAPE_ORDERS, sizeof *law->series, err);
    return law->series ? AM_OK : AM_ERR_MEMORY;
}

am_element_law *am_element_law_create(const am_speed_friction *use, am_error *err) {
    am_element_law *law = am_memory_new(1, sizeof *law, err);
    if (!law)
        return NULL;
    law->law = am_law_named(use->law);
    law->use = *use;
    law->use.speed = am_arena_doubles(&law->memory, use->speed, use->points, err);
    law->use.coefficient = am_arena_doubles(&law->memory, use->coefficient, use->points, err);
    if (!am_arena_status(&law->memory) && !record(law, err))
        return law;
    am_element_law_free(law);
    return NULL;
}

void am_element_law_free(am_element_law *law) {
    if (!law)
        return;
    forget(law);
    am_arena_clear(&law->memory);
    am_memory_free(law);
}

bool am_element_law_remembers(const am_element_law *law) {
    return law->law->memory[0].rate != NULL;
}

am_status am_element_law_set(am_element_law *law, const double *parameter, am_error *err) {
    if (memcmp(law->use.parameter, parameter, sizeof law->use.parameter) == 0)
        return AM_OK;
    memcpy(law->use.parameter, parameter, sizeof law->use.parameter);
    return record(law, err);
}

/* ---- values ---- */

void am_element_law_at(am_element_law *law, size_t piece, double v, double N, double w, double force[4],
                       double rate[4]) {
    const am_element_formula *formula = &law->formula[piece];
    const double value[AM_ELEMENT_ARGUMENTS] = {v, N, w};
    for (size_t i = 0; i < AM_ELEMENT_ARGUMENTS; i++)
        law->series[formula->argument[i] * AM_TAPE_ORDERS] = value[i];
    am_tape_run(&formula->tape, formula->tape.count, 0, law->series);
    for (size_t i = 0; i <= AM_ELEMENT_ARGUMENTS; i++) {
        force[i] = law->series[formula->force[i] * AM_TAPE_ORDERS];
        rate[i] = law->law->memory[0].rate ? law->series[formula->rate[i] * AM_TAPE_ORDERS] : 0.0;
    }
}
