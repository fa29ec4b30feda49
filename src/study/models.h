/* The models a study can name. A new one is a file that defines an am_model_kind, and a line in AM_MODELS. */
#ifndef AMONTONS_STUDY_MODELS_H
#define AMONTONS_STUDY_MODELS_H
#include "amontons/observer.h"
#include "amontons/path.h"
#include "amontons/slip.h"
#include "amontons/stability.h"
#include "amontons/system.h"
#include "study/schema.h"

/* Bodies that are reduced to modes. */
typedef struct am_mode_choice {
    size_t asked;   /* of which the model was made; 0: bodies without mass */
    size_t most;    /* that there are */
    bool automatic; /* `modes: auto`: as many as it takes */
    bool check;     /* compare with more of them */
} am_mode_choice;

/* A model that looks on while an analysis runs. */
typedef struct am_model_watch {
    am_observer observer;                                                 /* its context is that of all three */
    am_status (*report)(void *context, am_result *result, am_error *err); /* in the end */
    void (*release)(void *context);
} am_model_watch;

typedef struct am_model_kind {
    const am_schema *schema;
    /* `settings` is the schema's struct. Errors carry the position. */
    am_system *(*build)(am_reading *reading, const am_node *node, const void *settings);
    const char *analysis; /* of the template; NULL: motion */
    const char *keys;     /* of that analysis there, as YAML lines; NULL: its own examples */
    bool many;            /* contacts: `path` goes by load steps unless told otherwise */
    const char *figure;   /* of that template, in YAML; NULL: the analysis' own */
    /* Look on while an analysis runs, and add what only the model knows. May be NULL. */
    am_status (*watch)(const void *settings, am_model_watch *watch, am_error *err);
    /* Put the summary of an analysis into the model's own units, and add what only the model knows. May be NULL. */
    am_status (*report)(const void *settings, am_result *result, am_error *err);
    bool reads_summary; /* `report` looks at summary values alone: an analysis may leave out tables nobody wants */
    /* The answer of analysis `path` where the model has one in closed form. NULL: the general engine's. */
    am_status (*path)(const void *settings, const am_path_options *options, am_result *result, am_error *err);
    /* The first threshold of a number of the model (`threshold:` of analysis stability) above `from` where the model
     * has it in closed form: kind, critical and omega of `known`. False: it has none, or sliding is not stable at
     * `from`. May be NULL. */
    bool (*threshold)(const void *settings, const char *parameter, double from, double to, am_threshold *known);
    /* The half-plane contact that analysis `slip` takes. NULL: the model is none. */
    const am_slip_contact *(*contact)(const void *settings);
    /* Modes of a model that was built. NULL: it has none. */
    am_mode_choice (*modes)(const void *settings);
} am_model_kind;

/* The models, in the order of `amontons list`: one line each. am_model_<name> is defined in models/<name>.c. */
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

/* Ends with NULL. */
extern const am_model_kind *const am_model_kinds[];

/* The kind a model mapping names; NULL with err filled. */
const am_model_kind *am_model_kind_find(am_reading *reading, const am_node *node);

/* A model that was read, with its settings in the pool. */
typedef struct am_study_model {
    const am_model_kind *kind;
    const void *settings;
} am_study_model;

/* Read, check and build. */
am_system *am_study_model_read(am_reading *reading, const am_node *node, am_study_model *model);

/* `names:` of a model: as many as there are coordinates (`what` they are, for the message). */
am_status am_coordinate_names_check(am_reading *reading, const am_texts *names, const char *what, size_t n);

/* One item of `contacts:` (laws are documented through it) and of `polynomials:`. */
extern const am_schema am_contact_schema, am_polynomial_schema;
extern const am_word am_normal_law_words[];
const char *am_normal_law_word(am_normal_law law); /* as a study writes it */

/* The value of the key `kind` of a mapping; NULL with err filled. `what` is "model" or "analysis". */
const am_node *am_kind_node(am_reading *reading, const am_node *node, const char *what);

#endif
