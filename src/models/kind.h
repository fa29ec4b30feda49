/* What a model is to whoever reads it from a study and runs analyses on it: the rows of its definition, how a system comes
 * of it, and what it adds to results. One per model, am_model_<name>, in models/<name>.c (or study/models/<name>.c where
 * reading takes more than rows); and a line in AM_MODELS. */
#ifndef AMONTONS_MODELS_KIND_H
#define AMONTONS_MODELS_KIND_H
#include "amontons/observer.h"
#include "amontons/path.h"
#include "amontons/slip.h"
#include "base/schema.h"

/* Bodies that are reduced to modes. */
typedef struct am_mode_choice {
    size_t asked;       /* number of modes the model was made with; 0: bodies without mass */
    size_t most;        /* number of modes that the bodies have */
    bool automatic;     /* `modes: auto`: as many as it takes */
    bool check;         /* compare with an answer of more modes */
    bool reduced;       /* of a structure reduced to an interface and modes: any analysis tells how many it takes... */
    double tolerance;   /* ...its numbers changing by no more than this share */
    const char *method; /* of the reduction, where it depends on how the number is chosen */
} am_mode_choice;

struct am_threshold;   /* amontons/stability.h */
struct am_coordinates; /* study/coordinates.h */

typedef struct am_model_kind {
    const am_schema *schema;
    /* The system of a definition, the schema's struct; errors name its fields. */
    am_system *(*create)(const void *settings, am_error *err);
    /* In its place, where making the system takes the study too. Errors carry the position. */
    am_system *(*build)(am_reading *reading, const am_node *node, const void *settings);
    const char *analysis; /* of the template; NULL: motion */
    const char *keys;     /* of that analysis there, as YAML lines; NULL: its own examples */
    bool many;            /* contacts: `path` goes by load steps unless told otherwise */
    const char *figure;   /* of that template, in YAML; NULL: the analysis' own */
    /* Look on while an analysis runs, and add what only the model knows. May be NULL. */
    am_status (*watch)(const void *settings, am_model_watch *watch, am_error *err);
    bool watches_tables; /* an analysis must not leave out tables that nobody else wants: their rows are watched */
    /* Add to the summary of any analysis what only the model knows. May be NULL. */
    am_status (*report)(const void *settings, am_result *result, am_error *err);
    /* The answer of analysis `path` where the model has one in closed form. NULL: the general engine's. */
    am_status (*path)(const void *settings, const am_path_options *options, am_result *result, am_error *err);
    /* The first threshold of a number of the model (`threshold:` of analysis stability) above `from` where the model
     * has it in closed form: kind, critical and omega of `known`. False: it has none, or sliding is not stable at
     * `from`. May be NULL. */
    bool (*threshold)(const void *settings, const char *parameter, double from, double to, struct am_threshold *known);
    /* The half-plane contact that analysis `slip` takes. NULL: the model is none. */
    const am_slip_contact *(*contact)(const void *settings);
    /* Labels of the coordinates of a model that was built, and sets of their nodes. NULL: they have names alone. */
    void (*coordinates)(const void *settings, struct am_coordinates *coordinates);
    /* Modes of a model that was built. NULL: it has none. */
    am_mode_choice (*modes)(const void *settings);
} am_model_kind;

/* The models, in the order of `amontons list`: one line each. */
#define AM_MODELS(X)                                                                                                   \
    X(klarbring)                                                                                                       \
    X(rod)                                                                                                             \
    X(oscillator)                                                                                                      \
    X(griffin)                                                                                                         \
    X(nodes)                                                                                                           \
    X(two_mode)                                                                                                        \
    X(shoe)                                                                                                            \
    X(modes)                                                                                                           \
    X(disc_pad)                                                                                                        \
    X(brake)                                                                                                           \
    X(chain)                                                                                                           \
    X(bladed_disc)                                                                                                     \
    X(hertz)                                                                                                           \
    X(power)                                                                                                           \
    X(wave)                                                                                                            \
    X(punch)                                                                                                           \
    X(profile)                                                                                                         \
    X(blocks)                                                                                                          \
    X(mesh)                                                                                                            \
    X(structure)

#define AM_DECLARE_MODEL(name) extern const am_model_kind am_model_##name;
AM_MODELS(AM_DECLARE_MODEL)
#undef AM_DECLARE_MODEL

/* `create` of a model whose schema is that of its definition. */
#define AM_MODEL_CREATE(function)                                                                                      \
    static am_system *create(const void *settings, am_error *err) {                                                    \
        return function(settings, err);                                                                                \
    }

#endif
