#include "amontons/models.h"

#include "study/models.h"

typedef struct chain_setting {
    am_chain chain;
    am_numbers mistuning;
    int ends;
} chain_setting;

static void set_defaults(void *record) {
    chain_setting *setting = record;
    setting->chain = am_chain_default();
    setting->ends = (int)setting->chain.ends;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    chain_setting *setting = record;
    (void)reading;
    (void)node;
    setting->chain.ends = (am_chain_ends)setting->ends;
    setting->chain.mistuning = setting->mistuning.values;
    setting->chain.mistuning_count = setting->mistuning.count;
    return AM_OK;
}

static const am_word ends_words[] = {{"cyclic", AM_CHAIN_CYCLIC, "the last mass is the first one's neighbour"},
                                     {"open", AM_CHAIN_OPEN, "the masses at the ends have one neighbour"},
                                     {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("count", COUNT, chain_setting, chain.count, .initial = "12", .about = "number of masses N",
             .example = "12"),
    AM_FIELD("coupling", NUMBER, chain_setting, chain.coupling, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0.01",
             .about = "eta_Delta = k_Delta/k: stiffness of the springs between neighbours", .example = "0.01"),
    AM_FIELD("xi1", NUMBER, chain_setting, chain.xi1, .initial = "0.15",
             .about = "linear damping c1/(2 sqrt(k m)), may be negative", .example = "0.15"),
    AM_FIELD("xi3", NUMBER, chain_setting, chain.xi3, .initial = "0.3",
             .about = "cubic damping, destabilising where positive"),
    AM_FIELD("xi5", NUMBER, chain_setting, chain.xi5, .initial = "0.1",
             .about = "damping of the fifth degree, stabilising where positive"),
    AM_FIELD("omega0", NUMBER, chain_setting, chain.omega0, .range = AM_RANGE_POSITIVE, .initial = "2 pi",
             .about = "sqrt(k/m): cubic damping is 2 xi3 (omega0 x0)^2, eq. (9.4)"),
    AM_FIELD("x0", NUMBER, chain_setting, chain.x0, .range = AM_RANGE_POSITIVE, .initial = "1",
             .about = "reference displacement"),
    AM_FIELD("ends", WORD, chain_setting, ends, .words = ends_words, .initial = "cyclic",
             .about = "how the chain ends"),
    AM_FIELD("mistuning", NUMBERS, chain_setting, mistuning, .initial = "none",
             .about = "relative change of the stiffness to the ground, one number per mass, above -1"),
};

static const am_schema schema = {
    .name = "chain",
    .title = "model chain",
    .about = "A ring or chain of oscillators with a velocity force of the fifth degree, coupled by weak springs "
             "(Papangelo 2017, chapter 9): each is at rest or vibrates by itself. Coordinates x1..xN in x0, time in "
             "1/omega0.",
    .size = sizeof(chain_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const chain_setting *setting = settings;
    am_system *system = am_chain_create(&setting->chain, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

const am_model_kind am_model_chain = {.schema = &schema, .build = build, .analysis = "stability"};
