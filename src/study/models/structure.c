#include <math.h>
#include <string.h>

#include "study/functions.h"
#include "study/models.h"
#include "study/models/contact_rows.h"
#include "study/models/contact_weakening.h"
#include "system/prescribed.h"

typedef struct contact_setting {
    am_contact_def def;
    am_numbers normal, tangent;
    am_function_setting hold;
    am_weakening_setting weakening;
} contact_setting;

const am_word am_normal_law_words[] = {
    {"unilateral", AM_UNILATERAL, "gap >= 0 and N >= 0, one of them zero; impacts with `restitution`"},
    {"held", AM_HELD, "the normal force is given by `hold`; the gap plays no part"},
    {"kelvin-voigt", AM_KELVIN_VOIGT,
     "compliant: N = contact_stiffness d + contact_damping d' of the penetration d, where that is positive"},
    {"hunt-crossley", AM_HUNT_CROSSLEY,
     "compliant: N = contact_stiffness d^contact_exponent (1 + 3/2 contact_dissipation d')"},
    {NULL, 0, NULL}};

static void contact_defaults(void *record) {
    contact_setting *contact = record;
    contact->def = am_contact_def_default();
}

const char *am_normal_law_word(am_normal_law law) {
    const am_word *word = am_normal_law_words;
    while (word->name && word->value != (int)law)
        word++;
    return word->name ? word->name : "unknown";
}

/* Keys that a law has and others do not: a number that would be ignored is refused. */
static am_status check_law_keys(am_reading *reading, const am_node *node, am_normal_law law) {
    const struct {
        const char *key, *laws;
        bool used;
    } keys[] = {
        {"contact_stiffness", "kelvin-voigt or hunt-crossley", law == AM_KELVIN_VOIGT || law == AM_HUNT_CROSSLEY},
        {"contact_damping", "kelvin-voigt", law == AM_KELVIN_VOIGT},
        {"contact_exponent", "hunt-crossley", law == AM_HUNT_CROSSLEY},
        {"contact_dissipation", "hunt-crossley", law == AM_HUNT_CROSSLEY},
        {"restitution", "unilateral", law == AM_UNILATERAL || law == AM_HELD}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const am_node *given = am_node_get(node, keys[i].key);
        if (given && !keys[i].used)
            return am_node_fail(given, reading->err, AM_ERR_INPUT, "%s is only for a contact with law: %s", keys[i].key,
                                keys[i].laws);
    }
    if (keys[0].used && !am_node_get(node, "contact_stiffness"))
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact with law: %s needs the key 'contact_stiffness'", am_normal_law_word(law));
    return AM_OK;
}

/* A held contact needs its force, and no other may have one. */
static am_status contact_finish(am_reading *reading, const am_node *node, void *record) {
    contact_setting *contact = record;
    const am_node *hold = am_node_get(node, "hold");
    contact->def.normal = contact->normal.values;
    contact->def.tangent = contact->tangent.values;
    if (contact->def.normal_law == AM_HELD && !hold)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact with law: held needs the key 'hold': its normal force as a function of time");
    if (contact->def.normal_law != AM_HELD && hold)
        return am_node_fail(hold, reading->err, AM_ERR_INPUT, "hold is only for a contact with law: held");
    if (contact->def.normal_law != AM_HELD && !contact->normal.values)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact needs the key 'normal', unless its law is held");
    contact->def.hold = contact->hold.function;
    contact->def.weakening = contact->weakening.friction;
    if (!am_node_get(node, "friction") && contact->def.weakening.law != AM_FRICTION_TABLE)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact needs the key 'friction': kinetic coefficient of friction");
    return check_law_keys(reading, node, contact->def.normal_law);
}

static const am_field contact_fields[] = {
    AM_FIELD("name", TEXT, contact_setting, def.name, .initial = "its number", .about = "what results call it",
             .example = "plane"),
    AM_FIELD("normal", NUMBERS, contact_setting, normal, .about = "row n: gap = n.q + gap, one number per coordinate",
             .example = "[0, 1]"),
    AM_FIELD("tangent", NUMBERS, contact_setting, tangent, .required = true,
             .about = "row t: sliding velocity = t.q' - surface_velocity", .example = "[1, 0]"),
    AM_FIELD("gap", NUMBER, contact_setting, def.gap, .initial = "0", .unit = "length", .about = "gap at q = 0"),
    AM_FIELD("surface_velocity", NUMBER, contact_setting, def.surface_velocity, .initial = "0", .unit = "length/time",
             .about = "of the other side, along the tangent"),
    AM_FIELD("friction", NUMBER, contact_setting, def.friction, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "required, unless `weakening` is a table", .about = "kinetic coefficient of friction",
             .example = "0.25"),
    AM_FIELD("static_friction", NUMBER, contact_setting, def.static_friction, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "equal to friction", .about = "coefficient that holds while sticking; at least `friction`"),
    AM_FIELD("weakening", RECORD, contact_setting, weakening, .inner = &am_weakening_schema, .initial = "none",
             .about =
                 "{law, length or points}: friction falls from static_friction to friction with the distance slid"),
    AM_FIELD("tangential_stiffness", NUMBER, contact_setting, def.tangential_stiffness, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "none", .unit = "force/length",
             .about = "laws held and kelvin-voigt: of a spring in series with the slider, which has no mass (Jenkins "
                      "element)"),
    AM_FIELD("restitution", NUMBER, contact_setting, def.restitution, .range = AM_RANGE_FRACTION, .initial = "0",
             .about = "of the normal velocity in an impact"),
    AM_FIELD("law", WORD, contact_setting, def.normal_law, .words = am_normal_law_words, .initial = "unilateral",
             .about = "normal law"),
    AM_FIELD("hold", RECORD, contact_setting, hold, .inner = &am_function_schema,
             .about = "law held: the normal force, a function of time"),
    AM_FIELD("contact_stiffness", NUMBER, contact_setting, def.contact_stiffness, .range = AM_RANGE_POSITIVE,
             .initial = "required by the compliant laws", .unit = "force/length^contact_exponent",
             .about = "laws kelvin-voigt and hunt-crossley: K_c"),
    AM_FIELD("contact_damping", NUMBER, contact_setting, def.contact_damping, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "0", .unit = "force x time/length", .about = "law kelvin-voigt: D_c"),
    AM_FIELD("contact_exponent", NUMBER, contact_setting, def.contact_exponent, .range = AM_RANGE_POSITIVE,
             .initial = "1", .about = "law hunt-crossley: power of the penetration, at least 1 (3/2: Hertz)"),
    AM_FIELD("contact_dissipation", NUMBER, contact_setting, def.contact_dissipation, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "0", .unit = "time/length", .about = "law hunt-crossley: alpha of 1 + 3/2 alpha d'"),
    AM_FIELD("regularisation", NUMBER, contact_setting, def.regularisation, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "0", .unit = "length/time",
             .about = "analysis march: below this sliding velocity v friction is mu N v/regularisation; 0: Coulomb's "
                      "law itself, with stick"),
};

const am_schema am_contact_schema = {
    .name = "contact",
    .title = "a contact",
    .about = "One point of frictional contact: two rows that pick gap and sliding velocity from the coordinates, a "
             "normal law, and Coulomb friction (static and kinetic coefficients may differ).",
    .size = sizeof(contact_setting),
    .defaults = contact_defaults,
    .finish = contact_finish,
    AM_FIELDS(contact_fields)};

typedef struct prescribed_setting {
    const am_node *coordinate; /* a name, or a number from 1 */
    am_function_setting function;
} prescribed_setting;

static am_status prescribed_finish(am_reading *reading, const am_node *node, void *record) {
    prescribed_setting *prescribed = record;
    return am_function_finish(reading, node, &prescribed->function);
}

static const am_field prescribed_fields[] = {
    AM_FIELD("coordinate", NODE, prescribed_setting, coordinate, .required = true,
             .about = "which coordinate: its name, or its number counted from 1", .example = "1"),
    AM_FUNCTION_FIELDS(prescribed_setting, function)};

static const am_schema prescribed_schema = {
    .name = "prescribed",
    .title = "a prescribed motion",
    .about = "A coordinate whose displacement is a given function of time (a dragged end, a shaken support). It is no "
             "unknown any more: `initial` and results have the remaining coordinates.",
    .size = sizeof(prescribed_setting),
    .finish = prescribed_finish,
    AM_FIELDS(prescribed_fields)};

typedef struct term_setting {
    double coefficient;
    size_t displacement, velocity;
} term_setting;

static am_status term_finish(am_reading *reading, const am_node *node, void *record) {
    const term_setting *term = record;
    const size_t most = AM_POLYNOMIAL_DEGREE;
    if (term->displacement <= most && term->velocity <= most && term->displacement + term->velocity >= 1 &&
        term->displacement + term->velocity <= most)
        return AM_OK;
    const am_node *velocity = am_node_get(node, "velocity"), *displacement = am_node_get(node, "displacement");
    return am_node_fail(velocity ? velocity : (displacement ? displacement : node), reading->err, AM_ERR_INPUT,
                        "the powers of displacement and velocity in a term must add up to 1 to %d, not %zu + %zu",
                        AM_POLYNOMIAL_DEGREE, term->displacement, term->velocity);
}

static const am_field term_fields[] = {
    AM_FIELD("coefficient", NUMBER, term_setting, coefficient, .required = true,
             .about = "c of the term c e^displacement e'^velocity, of any sign", .example = "0.1"),
    AM_FIELD("displacement", COUNT, term_setting, displacement, .initial = "0",
             .about = "power of the stretch e; both powers together are 1 to 9", .example = "3"),
    AM_FIELD("velocity", COUNT, term_setting, velocity, .initial = "0", .about = "power of the rate e'"),
};

static const am_schema term_schema = {.name = "term",
                                      .title = "a term of a polynomial spring",
                                      .about = "coefficient e^displacement e'^velocity",
                                      .size = sizeof(term_setting),
                                      .finish = term_finish,
                                      AM_FIELDS(term_fields)};

typedef struct polynomial_setting {
    const char *name;
    am_numbers direction;
    am_records terms;
} polynomial_setting;

static am_status polynomial_finish(am_reading *reading, const am_node *node, void *record) {
    const polynomial_setting *polynomial = record;
    (void)node;
    if (polynomial->terms.count > 0)
        return AM_OK;
    return am_node_fail(polynomial->terms.node, reading->err, AM_ERR_INPUT,
                        "a polynomial spring needs at least one term, {coefficient, displacement, velocity}");
}

static const am_field polynomial_fields[] = {
    AM_FIELD("name", TEXT, polynomial_setting, name, .initial = "its number", .about = "what messages call it",
             .example = "hardening"),
    AM_FIELD("direction", NUMBERS, polynomial_setting, direction, .required = true,
             .about = "row d: stretch e = d.q, one number per coordinate", .example = "[1, 0]"),
    AM_FIELD("terms", RECORDS, polynomial_setting, terms, .inner = &term_schema, .required = true,
             .about = "list of terms c e^i e'^j", .example = ""),
};

const am_schema am_polynomial_schema = {
    .name = "polynomial",
    .title = "a polynomial spring or damper",
    .about = "A force that is a polynomial of a stretch e = d.q and its rate: the structure feels -d times the sum of "
             "the terms c e^i e'^j. Analyses response, orbit, march and stability know it.",
    .size = sizeof(polynomial_setting),
    .finish = polynomial_finish,
    AM_FIELDS(polynomial_fields)};

typedef struct structure_setting {
    am_matrix *mass, *damping, *stiffness, *circulatory;
    am_texts names;
    am_records contacts, loads, prescribed, polynomials;
    am_contact_rows_setting contact_rows;
} structure_setting;

static const am_field fields[] = {
    AM_FIELD("stiffness", MATRIX, structure_setting, stiffness, .required = true, .unit = "force/length",
             .about = "K: rows, a diagonal [k1, k2], or {file: name.mtx} (Matrix Market)",
             .example = "[[2, -1], [-1, 2]]"),
    AM_FIELD("mass", MATRIX, structure_setting, mass, .initial = "none", .unit = "mass", .about = "M, as stiffness",
             .example = "[1, 1]"),
    AM_FIELD("damping", MATRIX, structure_setting, damping, .initial = "none", .unit = "force x time/length",
             .about = "C, as stiffness, and need not be symmetric (gyroscopic forces); negative where a contact slides "
                      "over a moving surface: friction that falls with speed, for stability and squeal"),
    AM_FIELD("circulatory", MATRIX, structure_setting, circulatory, .initial = "none", .unit = "force/length",
             .about = "added to K and need not be symmetric: forces without a potential (follower forces); analyses "
                      "stability and march"),
    AM_FIELD("names", TEXTS, structure_setting, names, .initial = "q1, q2, ...", .about = "names of the coordinates",
             .example = "[u1, u2]"),
    AM_FIELD("contacts", RECORDS, structure_setting, contacts, .inner = &am_contact_schema, .initial = "none",
             .about = "list of contacts", .example = ""),
    AM_FIELD("contact_rows", RECORD, structure_setting, contact_rows, .inner = &am_contact_rows_schema,
             .initial = "none", .about = "many contacts of one law, from two tables or files with a row per contact"),
    AM_FIELD("loads", RECORDS, structure_setting, loads, .inner = &am_load_schema, .initial = "none",
             .about = "list of loads", .example = ""),
    AM_FIELD("polynomials", RECORDS, structure_setting, polynomials, .inner = &am_polynomial_schema, .initial = "none",
             .about = "list of polynomial springs and dampers g(q, q')"),
    AM_FIELD("prescribed", RECORDS, structure_setting, prescribed, .inner = &prescribed_schema, .initial = "none",
             .about = "list of coordinates whose motion is given: {coordinate, and a function of time}"),
};

static const am_schema schema = {
    .name = "structure",
    .title = "model structure",
    .about = "Any structure M q'' + C q' + K q + g(q, q') = F(t) + contact forces, with matrices, contacts, loads and "
             "polynomial springs given one by one. `amontons show` writes every other model like this.",
    .size = sizeof(structure_setting),
    .has_kind = true,
    AM_FIELDS(fields)};

static am_status check_order(am_reading *reading, const am_node *node, const char *name, const am_matrix *matrix,
                             size_t n) {
    if (!matrix || am_matrix_rows(matrix) == n)
        return AM_OK;
    return am_node_fail(am_node_get(node, name), reading->err, AM_ERR_INPUT,
                        "%s must be %zu x %zu like the stiffness; it is %zu x %zu", name, n, n, am_matrix_rows(matrix),
                        am_matrix_columns(matrix));
}

static am_status check_row(am_reading *reading, const char *name, const am_numbers *row, size_t n) {
    if (!row->values || row->count == n)
        return AM_OK;
    return am_node_fail(row->node, reading->err, AM_ERR_INPUT, "%s must have one number per coordinate: %zu, not %zu",
                        name, n, row->count);
}

static am_status take_contacts(am_reading *reading, const am_records *contacts, size_t n, am_system_def *def) {
    const contact_setting *settings = contacts->items;
    am_contact_def *defs = am_arena_new(reading->pool, contacts->count, sizeof *defs, reading->err);
    am_status status = defs ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < contacts->count; i++) {
        defs[i] = settings[i].def;
        status = check_row(reading, "normal", &settings[i].normal, n);
        if (status == AM_OK)
            status = check_row(reading, "tangent", &settings[i].tangent, n);
    }
    def->contacts = defs;
    def->contact_count = contacts->count;
    return status;
}

static am_status take_polynomial(am_reading *reading, const polynomial_setting *setting, size_t n,
                                 am_polynomial_def *def) {
    const term_setting *from = setting->terms.items;
    am_polynomial_term *terms = am_arena_new(reading->pool, setting->terms.count, sizeof *terms, reading->err);
    if (!terms)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < setting->terms.count; i++)
        terms[i] =
            (am_polynomial_term){from[i].coefficient, (unsigned)from[i].displacement, (unsigned)from[i].velocity};
    *def = (am_polynomial_def){setting->name, setting->direction.values, setting->terms.count, terms};
    return check_row(reading, "direction", &setting->direction, n);
}

static am_status take_polynomials(am_reading *reading, const am_records *polynomials, am_system_def *def) {
    const polynomial_setting *settings = polynomials->items;
    am_polynomial_def *defs = am_arena_new(reading->pool, polynomials->count, sizeof *defs, reading->err);
    am_status status = defs ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < polynomials->count; i++)
        status = take_polynomial(reading, &settings[i], def->n, &defs[i]);
    def->polynomials = defs;
    def->polynomial_count = polynomials->count;
    return status;
}

/* The contacts of `contact_rows` come after those listed, and what presses them on after the loads listed. */
static am_status take_contact_rows(am_reading *reading, const structure_setting *setting, am_system_def *def) {
    if (!setting->contact_rows.normal)
        return AM_OK;
    double *press = am_arena_new(reading->pool, def->n, sizeof *press, reading->err);
    am_load_def *loads = am_arena_new(reading->pool, def->load_count + 1, sizeof *loads, reading->err);
    if (!press || !loads)
        return AM_ERR_MEMORY;
    am_status status =
        am_contact_rows_read(reading, &setting->contact_rows, def->n, &def->contacts, &def->contact_count, press);
    for (size_t l = 0; l < def->load_count; l++)
        loads[l] = def->loads[l];
    for (size_t i = 0; i < def->n; i++)
        if (press[i] != 0.0) {
            loads[def->load_count++] = (am_load_def){press, am_function_constant(1.0)};
            break;
        }
    def->loads = loads;
    return status;
}

static am_status fill(am_reading *reading, const am_node *node, const structure_setting *setting, am_system_def *def) {
    am_load_def *loads = NULL;
    size_t n = am_matrix_rows(setting->stiffness);
    *def = am_system_def_default();
    def->n = n;
    def->stiffness = setting->stiffness;
    def->mass = setting->mass;
    def->damping = setting->damping;
    def->circulatory = setting->circulatory;
    am_status status = check_order(reading, node, "mass", setting->mass, n);
    if (status == AM_OK)
        status = check_order(reading, node, "damping", setting->damping, n);
    if (status == AM_OK)
        status = check_order(reading, node, "circulatory", setting->circulatory, n);
    if (status == AM_OK && setting->names.values)
        status = am_coordinate_names_check(reading, &setting->names, "coordinate", n);
    def->names = setting->names.values;
    if (status == AM_OK)
        status = take_contacts(reading, &setting->contacts, n, def);
    if (status == AM_OK)
        status = am_load_defs(reading, &setting->loads, n, &loads);
    def->loads = loads;
    def->load_count = setting->loads.count;
    if (status == AM_OK)
        status = take_polynomials(reading, &setting->polynomials, def);
    return status == AM_OK ? take_contact_rows(reading, setting, def) : status;
}

/* The number (from 0) of the coordinate that a node names. */
static am_status find_coordinate(am_reading *reading, const am_node *node, const structure_setting *setting, size_t n,
                                 size_t *coordinate) {
    double number = 0;
    char room[AM_TEXT_NUMBER_SIZE];
    if (node->kind == AM_NODE_SCALAR && setting->names.values)
        for (size_t i = 0; i < n; i++)
            if (strcmp(setting->names.values[i], am_node_words(node, room)) == 0) {
                *coordinate = i;
                return AM_OK;
            }
    am_node digits = *node;
    if (node->kind == AM_NODE_SCALAR && !setting->names.values && node->text[0] == 'q') /* q1, q2, ... */
        digits.text = node->text + 1;
    if (am_node_number(&digits, &number) && number >= 1 && number <= (double)n && number == floor(number)) {
        *coordinate = (size_t)number - 1;
        return AM_OK;
    }
    return am_node_fail(node, reading->err, AM_ERR_INPUT,
                        "there is no such coordinate; expected one of the names, or a number from 1 to %zu", n);
}

static am_status take_prescribed(am_reading *reading, const structure_setting *setting, size_t n,
                                 am_prescribed **prescribed) {
    const am_records *records = &setting->prescribed;
    const prescribed_setting *settings = records->items;
    *prescribed = am_arena_new(reading->pool, records->count, sizeof **prescribed, reading->err);
    am_status status = *prescribed ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < records->count; i++) {
        (*prescribed)[i].function = settings[i].function.function;
        status = find_coordinate(reading, settings[i].coordinate, setting, n, &(*prescribed)[i].coordinate);
    }
    return status;
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const structure_setting *setting = settings;
    am_prescribed *prescribed = NULL;
    am_system_def def;
    if (fill(reading, node, setting, &def) != AM_OK || take_prescribed(reading, setting, def.n, &prescribed) != AM_OK)
        return NULL;
    am_system *system = am_prescribed_create(&def, setting->prescribed.count, prescribed, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

const am_model_kind am_model_structure = {.schema = &schema, .build = build};
