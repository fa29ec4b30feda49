#include "study/refine_modes.h"
#include "base/local.h"

/* Numbers of modes beyond which `auto` gives up. */
static const size_t most_tried = 320;

/* Doublings in a row that must change nothing. Whether a node stops for a moment while another one begins to slip can
 * hang by a thread: then two answers agree to many digits, and the next one does not. */
static const size_t wanted_agreements = 2;

static am_mode_choice modes_of(const am_case *made) {
    const am_study_model *model = &made->model;
    return model->kind->modes ? model->kind->modes(model->settings) : (am_mode_choice){0};
}

am_status am_refine_check(am_reading *reading, const am_case *made) {
    for (size_t i = 0; modes_of(made).automatic && !modes_of(made).reduced && i < made->count; i++) {
        const am_analysis_kind *kind = made->analyses[i].kind;
        if (kind != &am_analysis_motion && kind != &am_analysis_march && kind != &am_analysis_path)
            return am_node_fail(
                made->analyses[i].node, reading->err, AM_ERR_INPUT,
                "modes: auto is for analyses that go through time (motion, march): only their events and "
                "forces tell how many modes it takes. Give a number of modes");
    }
    return AM_OK;
}

static bool in_time(const am_case *made, size_t index) {
    const am_analysis_kind *kind = made->analyses[index].kind;
    return kind == &am_analysis_motion || kind == &am_analysis_march;
}

bool am_refine_asks(const am_case *made, size_t index) {
    am_mode_choice modes = modes_of(made);
    if (modes.reduced)
        return modes.automatic && modes.asked < modes.most &&
               (in_time(made, index) || am_modes_have_answers(made->analyses[index].kind->schema->name));
    return modes.asked > 0 && in_time(made, index) && (modes.check || modes.automatic);
}

/* Twice as many: a few more would often agree by chance, with the same mistakes. */
static size_t more_than(size_t modes, size_t most) {
    size_t more = modes < 10 ? modes + 10 : 2 * modes;
    return more < most ? more : most;
}

/* The study with another number of modes. */
static am_status read_finer(am_reading *reading, const am_case *made, size_t modes, am_case *finer) {
    am_node *root = am_node_copy(reading->pool, made->root, reading->err);
    am_node *value = root ? am_node_of_number(reading->pool, (double)modes, root, reading->err) : NULL;
    if (!value)
        return AM_ERR_MEMORY;
    const char *path = modes_of(made).reduced ? "model.reduce.modes" : "model.modes", *method = modes_of(made).method;
    AM_TRY(am_node_set(reading->pool, root, path, value, reading->err));
    if (method) {
        value = am_node_new(reading->pool, AM_NODE_SCALAR, root, reading->err);
        if (!value)
            return AM_ERR_MEMORY;
        value->text = method;
        AM_TRY(am_node_set(reading->pool, root, "model.reduce.method", value, reading->err));
    }
    return am_case_read(reading, root, finer);
}

typedef struct answer {
    am_result *result;
    am_contact_record record;
} answer;

static void clear_answer(answer *a) {
    am_result_free(a->result);
    am_contact_record_clear(&a->record);
}

/* The answer is the caller's, also after a failure. */
static am_status run_finer(const am_case *made, size_t index, size_t modes, am_refine_run run, answer *out,
                           const am_progress *progress, am_error *err) {
    am_arena *pool = am_arena_create(err);
    *out = (answer){.result = pool ? am_result_create(err) : NULL};
    am_reading reading = {.pool = pool, .files = made->files, .err = err};
    am_case finer;
    am_status status = out->result ? read_finer(&reading, made, modes, &finer) : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = run(&finer, index, out->result, &out->record, progress, err);
    if (pool)
        am_arena_free(pool);
    return status;
}

/* ---- a given number ---- */

static am_status compare_finer(const am_case *made, size_t index, am_refine_run run, am_result *result,
                               const am_contact_record *record, const am_progress *progress, am_error *err) {
    am_mode_choice modes = modes_of(made);
    size_t more = more_than(modes.asked, modes.most);
    if (more <= modes.asked)
        return am_modes_report(result, modes.asked, NULL, err);
    answer finer;
    am_error failure = {0};
    am_status status = run_finer(made, index, more, run, &finer, progress, &failure);
    am_modes_difference difference = {.modes = modes.asked, .others = more, .failure = failure.message};
    if (status == AM_OK)
        am_modes_compare(record, &finer.record, &difference);
    if (am_status_is_fatal(status))
        *err = failure;
    else
        status = am_modes_report(result, modes.asked, &difference, err);
    clear_answer(&finer);
    return status;
}

static am_status question(const am_case *made, size_t index, am_refine_run run, am_result *result,
                          const am_progress *progress, am_error *err) {
    AM_LOCAL(am_contact_record_clear) am_contact_record record = {0};
    AM_TRY(run(made, index, result, &record, progress, err));
    return compare_finer(made, index, run, result, &record, progress, err);
}

/* ---- modes: auto ---- */

/* Do the contacts of motions agree, or the numbers that other analyses answer? */
static void compare(const am_case *made, size_t index, const answer *coarse, const answer *fine,
                    am_modes_difference *d) {
    if (coarse->record.samples > 0)
        am_modes_compare(&coarse->record, &fine->record, d);
    else
        am_modes_compare_answers(made->analyses[index].kind->schema->name, coarse->result, fine->result, d);
}

static am_status refuse_modes(const am_case *made, const am_modes_difference *d, am_error *err) {
    if (modes_of(made).reduced)
        return am_fail_field(err, AM_ERR_EVIDENCE, "modes",
                             "the answer still changes when modes are added: from %zu to %zu modes by %.2g. Give a "
                             "larger tolerance, or a number of modes",
                             d->modes, d->others, d->forces);
    return am_fail(err, AM_ERR_EVIDENCE,
                   "the answer still changes when modes are added: from %zu to %zu modes contact forces by %.2g of "
                   "themselves (root mean square over time), events by %.2g. Damp the bodies more (stiffness_damping), "
                   "take larger elements along the interface, or give a number of modes and read its modes_difference",
                   d->modes, d->others, d->forces, d->events);
}

static am_status settle(const am_case *made, size_t index, am_refine_run run, am_result *result,
                        const am_progress *progress, am_error *err) {
    am_mode_choice modes = modes_of(made);
    size_t most = modes.most < most_tried ? modes.most : most_tried, agreed = 0;
    size_t wanted = in_time(made, index) ? wanted_agreements : 1;
    am_modes_difference d = {.others = modes.asked, .tolerance = modes.tolerance};
    answer coarse = {.result = am_result_create(err)}, fine = {0};
    am_status status = coarse.result ? run(made, index, coarse.result, &coarse.record, progress, err) : AM_ERR_MEMORY;
    while (status == AM_OK && agreed < wanted) {
        if (more_than(d.others, most) <= d.others && d.others < modes.most) {
            status = refuse_modes(made, &d, err);
            break;
        }
        if (d.others >= modes.most) /* all there are */
            break;
        d.modes = d.others;
        d.others = more_than(d.modes, most);
        clear_answer(&fine);
        status = run_finer(made, index, d.others, run, &fine, progress, err);
        if (status != AM_OK)
            break;
        compare(made, index, &coarse, &fine, &d);
        agreed = am_modes_agree(&d) ? agreed + 1 : 0;
        answer spare = coarse;
        coarse = fine;
        fine = spare;
    }
    if (status == AM_OK)
        status = am_result_absorb(result, coarse.result, "", err);
    if (status == AM_OK)
        status = am_modes_report(result, d.others, d.others < modes.most ? &d : NULL, err);
    clear_answer(&coarse);
    clear_answer(&fine);
    return status;
}

am_status am_refine(const am_case *made, size_t index, am_refine_run run, am_result *result,
                    const am_progress *progress, am_error *err) {
    return modes_of(made).automatic ? settle(made, index, run, result, progress, err)
                                    : question(made, index, run, result, progress, err);
}
