#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "output/file.h"
#include "output/replace.h"
#include "papers/atlas.h"
#include "study/case.h"
#include "study/model_numbers.h"

typedef struct atlas_setting {
    am_atlas_options options;
    const char *over, *resume;
    am_numbers active;
    am_texts patterns;
    am_model_numbers numbers; /* of the model */
} atlas_setting;

static void set_defaults(void *record) {
    atlas_setting *setting = record;
    setting->options = am_atlas_options_default();
    setting->options.at = NAN;
}

static const am_word state_words[] = {{"all", 0, "at rest, or on any of its cycles, unstable ones included"},
                                      {"large", 1, "at rest, or on its largest cycle"},
                                      {NULL, 0, NULL}};

static const am_word follow_words[] = {
    {"all", AM_ATLAS_FOLLOW_ALL, "the branch of every solution"},
    {"stable", AM_ATLAS_FOLLOW_STABLE, "the branches of solutions that are stable in one harmonic"},
    {"none", AM_ATLAS_FOLLOW_NONE, "solutions only"},
    {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("over", TEXT, atlas_setting, over, .required = true,
             .about = "number of the model along which branches are followed", .example = "xi1"),
    AM_FIELD("from", NUMBER, atlas_setting, options.from, .required = true, .about = "its least value",
             .example = "0.01"),
    AM_FIELD("to", NUMBER, atlas_setting, options.to, .required = true, .about = "its greatest value",
             .example = "0.25"),
    AM_FIELD("at", NUMBER, atlas_setting, options.at, .initial = "the model's own value",
             .about = "value at which solutions are made, counted and compared", .example = "0.15"),
    AM_FIELD("states", EITHER, atlas_setting, options.only_largest, .words = state_words, .initial = "all",
             .about = "what a single oscillator does before it is coupled"),
    AM_FIELD("active", NUMBERS, atlas_setting, active, .shape = 2, .initial = "from 1 to all",
             .about = "least and greatest number of oscillators that move", .example = "[1, 2]"),
    AM_FIELD("patterns", TEXTS, atlas_setting, patterns, .initial = "all that there are",
             .about =
                 "only these configurations: 0 at rest, +L or -L on the large, +s or -s on the small cycle, one word "
                 "for each oscillator; what is not named is at rest"),
    AM_FIELD("most_solutions", COUNT, atlas_setting, options.most_solutions, .initial = "20000",
             .about = "more classes than this are counted and not listed"),
    AM_FIELD("count", FLAG, atlas_setting, options.count, .initial = "true",
             .about = "solve every class even where they are too many to be listed"),
    AM_FIELD("follow", WORD, atlas_setting, options.follow, .words = follow_words, .initial = "all",
             .about = "which branches"),
    AM_FIELD("connect", FLAG, atlas_setting, options.connect, .initial = "false",
             .about = "follow the branches that leave at branch points, too"),
    AM_FIELD("most_branches", COUNT, atlas_setting, options.most_branches, .initial = "2000", .about = "of them"),
    AM_FIELD("most_points", COUNT, atlas_setting, options.most_points, .initial = "20000", .about = "of one branch"),
    AM_FIELD("largest_step", NUMBER, atlas_setting, options.step, AM_POSITIVE, .initial = "chosen",
             .about = "along a branch, in its scaled arclength"),
    AM_FIELD("stability", FLAG, atlas_setting, options.stability, .initial = "true",
             .about = "of all points of branches, not of solutions only"),
    AM_FIELD("exact", FLAG, atlas_setting, options.exact, .initial = "false",
             .about =
                 "look for the exact orbit of every solution, by more harmonics and shooting, with its multipliers"),
    AM_FIELD("harmonics", COUNT, atlas_setting, options.harmonics, .initial = "5",
             .about = "exact: odd number up to which the balance climbs before shooting"),
    AM_FIELD(
        "resume", TEXT, atlas_setting, resume, .initial = "an interrupted run begins again",
        .about =
            "file, in the folder of the results, that keeps what was solved and followed: a run that finds it goes on"),
};

static const am_schema schema = {
    .name = "atlas",
    .title = "analysis atlas",
    .about = "All one-harmonic motions of a ring of bistable oscillators in which neighbours are a quarter of a period "
             "apart, up to symmetry, from the uncoupled limit; their stability, exact orbits and branches.",
    .size = sizeof(atlas_setting),
    .defaults = set_defaults,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_status bind_active(am_reading *reading, atlas_setting *setting) {
    const am_numbers *active = &setting->active;
    if (!active->values)
        return AM_OK;
    for (size_t i = 0; i < 2; i++)
        if (!(active->values[i] >= 0.0) || active->values[i] != floor(active->values[i]))
            return am_node_fail(active->node, reading->err, AM_ERR_INPUT,
                                "active must be two whole numbers, the least and the greatest number of oscillators "
                                "that move");
    if (active->values[0] > active->values[1])
        return am_node_fail(active->node, reading->err, AM_ERR_INPUT,
                            "the least number of oscillators that move, %g, is above the greatest, %g",
                            active->values[0], active->values[1]);
    setting->options.least = (size_t)active->values[0];
    setting->options.most = (size_t)active->values[1];
    return AM_OK;
}

/* The file lies in the folder of the results, where it takes nobody's place. */
static am_status check_resume(am_reading *reading, const am_node *node, const char *name) {
    static const char *const results[] = {".csv", ".nc", ".json", ".gp", ".dat", ".svg", ".png", ".vtu", ".yaml"};
    const char *ending = strrchr(name, '.');
    bool sound = *name && *name != '.' && !strchr(name, '/') && strlen(name) < 200 && strcmp(name, "SHA256SUMS") != 0;
    for (size_t i = 0; ending && i < sizeof results / sizeof *results; i++)
        sound = sound && strcmp(ending, results[i]) != 0;
    return sound ? AM_OK
                 : am_node_fail(node, reading->err, AM_ERR_INPUT,
                                "resume must be the name of a file in the folder of the results, without a path and "
                                "not that of a result; expected a name such as atlas.kept, not '%.100s'",
                                name);
}

static am_status bind_number(am_reading *reading, const am_node *node, const am_case *made, atlas_setting *setting) {
    am_atlas_options *o = &setting->options;
    const am_node *at = am_node_get(node, "at");
    const double ends[2][2] = {{o->from}, {o->to}};
    setting->numbers = am_model_numbers_of(am_node_get(made->root, "model"), reading->files, &made->model);
    o->number = am_model_numbers_add(&setting->numbers, setting->over, am_node_get(node, "over"));
    if (isnan(o->at))
        o->at = setting->numbers.value[o->number];
    AM_TRY(am_model_numbers_accept(&setting->numbers, 2, ends, reading->err));
    if (!(o->at > fmin(o->from, o->to) && o->at < fmax(o->from, o->to)))
        return am_node_fail(at ? at : node, reading->err, AM_ERR_INPUT,
                            "an atlas is made at a value of %s inside its range, from %g to %g, and %g is not there",
                            setting->over, o->from, o->to, o->at);
    return AM_OK;
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    atlas_setting *setting = settings;
    am_atlas_options *o = &setting->options;
    o->pattern_count = setting->patterns.count;
    o->patterns = setting->patterns.values;
    if (o->from == o->to)
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT, "from and to are the same");
    AM_TRY(bind_active(reading, setting));
    if (setting->resume)
        AM_TRY(check_resume(reading, am_node_get(node, "resume"), setting->resume));
    return bind_number(reading, node, made, setting);
}

/* ---- Running ---- */

/* The file of `resume`, and what was in it. */
typedef struct kept {
    char *path;
    am_text text;
} kept;

static am_status load(void *context, const void **bytes, size_t *count, am_error *err) {
    kept *file = context;
    bool found;
    am_status status = am_output_read_whole(file->path, &file->text, &found, err);
    *bytes = found ? am_text_view(&file->text) : NULL;
    *count = file->text.length;
    return status;
}

static am_status save(void *context, const void *bytes, size_t count, am_error *err) {
    return am_output_replace(((kept *)context)->path, bytes, count, err);
}

static am_status run_model(const atlas_setting *setting, am_model *model, am_result *result,
                           const am_progress *progress, am_error *err) {
    am_atlas_options options = setting->options;
    if (!setting->resume)
        return am_atlas_run(model, &options, result, progress, err);
    if (!progress || !progress->folder)
        return am_fail(err, AM_ERR_INPUT,
                       "resume keeps its file in the folder of the results, and there is none: name one (--out)");
    kept file = {.path = am_output_path(progress->folder, setting->resume, err)};
    if (!file.path)
        return AM_ERR_MEMORY;
    const am_atlas_store store = {.load = load, .save = save, .context = &file};
    options.store = &store;
    am_status status = am_atlas_run(model, &options, result, progress, err);
    am_memory_free(file.path);
    am_text_free(&file.text);
    return status;
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const atlas_setting *setting = settings;
    am_model *model = am_model_numbers_open(&setting->numbers, err);
    (void)system;
    am_status status = model ? run_model(setting, model, result, progress, err) : AM_ERR_MEMORY;
    am_model_free(model);
    return status;
}

const am_analysis_kind am_analysis_atlas = {.schema = &schema,
                                            .bind = bind,
                                            .run = run,

                                            .figure = "{table: picture, x: xi1, y: U, x_label: xi1, y_label: U}",
                                            .model = "count: 6\n  xi1: 0.15\n",
                                            .model_kind = "chain"};
