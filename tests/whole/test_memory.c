/* Every allocation of the library made to fail in turn: each failure is reported as such, nothing crashes, nothing is
 * left behind. This test is linked with --wrap, so that it sees what the library asks for; libraries beneath it are not
 * disturbed. */
/* ctest: long */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "amontons/amontons.h"
#include "base/memory.h"
#include "cases.h"
#include "papers/atlas.h"
#include "papers/twofold.h"

/* ---- the allocator in between ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void __real_free(void *pointer);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
void __wrap_free(void *pointer);

static struct {
    bool watching;
    bool all_after;  /* once one has failed, all later ones fail too */
    size_t fail_at;  /* which request fails, from 1; 0: none */
    size_t requests; /* so far */
    size_t refused;
    size_t live;
    size_t overflow; /* blocks the table had no room for */
} heap;

/* Blocks given out while watching: open addressing; a block that came from elsewhere (strdup) is simply not in it. */
enum { SLOTS = 1 << 16 };
static const void *slot[SLOTS];

static size_t place_of(const void *pointer) {
    return ((uintptr_t)pointer >> 4) * 0x9e3779b97f4a7c15u >> 48;
}

static void remember(const void *pointer) {
    if (heap.live + 1 >= SLOTS / 2) {
        heap.overflow++;
        return;
    }
    size_t at = place_of(pointer);
    while (slot[at])
        at = (at + 1) % SLOTS;
    slot[at] = pointer;
    heap.live++;
}

static void forget(const void *pointer) {
    size_t at = place_of(pointer);
    while (slot[at] && slot[at] != pointer)
        at = (at + 1) % SLOTS;
    if (!slot[at])
        return;
    heap.live--;
    for (size_t next = (at + 1) % SLOTS; slot[next]; next = (next + 1) % SLOTS) { /* close the hole */
        size_t home = place_of(slot[next]);
        if ((next - home) % SLOTS < (next - at) % SLOTS)
            continue;
        slot[at] = slot[next];
        at = next;
    }
    slot[at] = NULL;
}

static bool refuse(void) {
    if (!heap.watching)
        return false;
    heap.requests++;
    bool refused = heap.requests == heap.fail_at || (heap.all_after && heap.fail_at && heap.requests > heap.fail_at);
    heap.refused += refused;
    return refused;
}

void *__wrap_malloc(size_t size) {
    void *pointer = refuse() ? NULL : __real_malloc(size);
    if (heap.watching && pointer)
        remember(pointer);
    return pointer;
}

void *__wrap_calloc(size_t count, size_t size) {
    void *pointer = refuse() ? NULL : __real_calloc(count, size);
    if (heap.watching && pointer)
        remember(pointer);
    return pointer;
}

void *__wrap_realloc(void *pointer, size_t size) {
    if (refuse())
        return NULL;
    if (heap.watching && pointer)
        forget(pointer);
    void *moved = __real_realloc(pointer, size);
    if (heap.watching && moved)
        remember(moved);
    return moved;
}

void __wrap_free(void *pointer) {
    if (heap.watching && pointer)
        forget(pointer);
    __real_free(pointer);
}

/* The files written here need not outlast a power cut: waiting for the disk would take most of the time. */
int __wrap_fsync(int file);
int __wrap_fsync(int file) {
    (void)file;
    return 0;
}

/* Nor does anything happen in another process, where requests would not be counted. */
pid_t __wrap_fork(void);
pid_t __wrap_fork(void) {
    errno = EAGAIN;
    return -1;
}

static void watch(size_t fail_at, bool all_after) {
    memset(slot, 0, sizeof slot);
    memset(&heap, 0, sizeof heap);
    heap.watching = true;
    heap.fail_at = fail_at;
    heap.all_after = all_after;
}

/* ---- the torture ---- */

/* Does something and cleans up after itself. */
typedef am_status task(am_error *err);

static void check_one(const char *mode, size_t k, am_status status, const am_error *err) {
    bool reported = heap.refused == 0 ? status == AM_OK : status == AM_ERR_MEMORY;
    if (heap.refused > 0 && err && (err->status != AM_ERR_MEMORY || !err->message[0]))
        reported = false;
    if (reported && heap.live == 0 && heap.overflow == 0)
        return;
    print_error("%s, request %zu of memory %s: status %d, error %d '%s', %zu blocks left behind\n", mode, k,
                heap.refused > 0 ? "refused" : "granted", (int)status, err ? (int)err->status : -1,
                err ? err->message : "", heap.live);
    fail();
}

/* Of work that takes long every third, eleventh or fifty-third request is refused, another one in each mode. */
static size_t stride = 1;
static const size_t dear = 3, dearer = 11, dearest = 53;

/* One refusal; that and all later ones; and without an err to fill. Returns the number of requests. Each is refused in
 * turn; under the sanitizers every eleventh, another one in each mode. */
static size_t torture(task *run) {
    static const char *const modes[] = {"once", "from then on", "without err"};
    size_t requests = 0;
    for (size_t mode = 0; mode < 3; mode++) {
        for (size_t k = 1 + (stride > 1 ? mode : CASES(0, mode));; k += CASES(1, 11) * stride) {
            am_error err = {0};
            am_error *given = mode == 2 ? NULL : &err;
            watch(k, mode == 1);
            am_status status = run(given);
            heap.watching = false;
            check_one(modes[mode], k, status, given);
            requests = heap.requests;
            if (heap.refused == 0)
                break;
        }
    }
    return requests;
}

/* Few requests are many pieces: arenas ask for them together, but under the sanitizers. */
static void torture_at_least(task *run, size_t requests) {
    size_t seen = torture(run);
    if (seen < requests) {
        print_error("only %zu requests of memory were seen\n", seen);
        fail();
    }
}

/* What a constructor that returns NULL says; without err it can only be believed to be about memory. */
static am_status null_status(const am_error *err) {
    return err ? err->status : AM_ERR_MEMORY;
}

/* Undisturbed preparation of what a task needs. */
static am_system *made;
static am_study *read_study;
static am_run *finished;

static int free_all(void **state) {
    (void)state;
    heap.watching = false;
    am_run_free(finished);
    am_study_free(read_study);
    am_system_free(made);
    finished = NULL;
    read_study = NULL;
    made = NULL;
    return 0;
}

/* ---- structures ---- */

static am_status create_system(am_error *err) {
    static const double times[] = {0, 1, 2}, values[] = {0, 1, 0}, levels[] = {1, 2, 1};
    static const double row[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const size_t index[] = {0, 1, 2};
    static const double ones[] = {1, 1, 1};
    static const char *const names[] = {"a", "b", "c"};
    am_status status = AM_OK;
    am_matrix *M = am_matrix_sparse(3, 3, 3, index, index, ones, err);
    am_matrix *K = M ? am_matrix_dense(3, 3, &row[0][0], err) : NULL;
    am_contact_def contacts[2] = {am_contact_def_default(), am_contact_def_default()};
    contacts[0].normal = row[0];
    contacts[0].tangent = row[1];
    contacts[1].tangent = row[2];
    contacts[1].normal_law = AM_HELD;
    contacts[1].hold = am_function_table(3, times, levels);
    am_load_def loads[2] = {{row[0], am_function_table(3, times, values)}, {row[1], am_function_pulse(1, 0, 1)}};
    am_system_def def = am_system_def_default();
    def.n = 3;
    def.mass = M;
    def.stiffness = K;
    def.contact_count = 2;
    def.contacts = contacts;
    def.load_count = 2;
    def.loads = loads;
    def.names = names;
    am_system *system = K ? am_system_create(&def, err) : NULL;
    if (!system)
        status = null_status(err);
    am_system_free(system);
    am_matrix_free(M);
    am_matrix_free(K);
    return status;
}

static void creating_a_system(void **state) {
    (void)state;
    torture_at_least(create_system, 6);
}

static am_klarbring fig4b(void) {
    am_klarbring k = am_klarbring_default();
    k.stiffness[0][1] = k.stiffness[1][0] = 1;
    k.stiffness[1][1] = 2;
    k.friction = 0.25;
    k.load_rate[0] = -1;
    k.load_rate[1] = -0.99;
    return k;
}

static am_status create_klarbring(am_error *err) {
    am_klarbring k = fig4b();
    am_system *system = am_klarbring_create(&k, err);
    am_status status = system ? AM_OK : null_status(err);
    am_system_free(system);
    return status;
}

static void creating_klarbrings_mass(void **state) {
    (void)state;
    torture_at_least(create_klarbring, 4);
}

static char matrix_path[64];

static am_status read_matrix(am_error *err) {
    am_matrix *matrix = am_matrix_read(matrix_path, err);
    am_matrix *copy = matrix ? am_matrix_copy(matrix, err) : NULL;
    am_status status = copy ? AM_OK : null_status(err);
    am_matrix_free(matrix);
    am_matrix_free(copy);
    return status;
}

/* A dense matrix is one block: the numbers read, the matrix and its copy ask at least once each. */
static void torture_matrix_file(const char *text, size_t at_least) {
    snprintf(matrix_path, sizeof matrix_path, "test_memory_%ld.mtx", (long)getpid());
    FILE *file = fopen(matrix_path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    size_t requests = torture(read_matrix);
    unlink(matrix_path);
    assert_true(requests >= at_least);
}

static void reading_a_matrix(void **state) {
    (void)state;
    torture_matrix_file("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 0.5\n", 6);
    torture_matrix_file("%%MatrixMarket matrix array real symmetric\n2 2\n1\n0.5\n2\n", 3);
}

/* ---- analyses ---- */

static am_status run_motion(am_error *err) {
    am_motion_options options = am_motion_options_default();
    options.until = 12;
    options.samples = 20;
    am_result *result = am_result_create(err);
    am_status status = result ? am_motion_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static void running_a_motion(void **state) {
    (void)state;
    am_klarbring k = fig4b();
    made = am_klarbring_create(&k, NULL);
    torture_at_least(run_motion, 20);
}

/* Two contacts, so that impacts and decisions meet several combinations. */
static am_system *two_masses(void) {
    static const double unit[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    static const double stiffness[] = {2, 0.5, -1, 0, 0.5, 2, 0, -0.7, -1, 0, 3, 0.4, 0, -0.7, 0.4, 3};
    am_matrix *M = am_matrix_dense(4, 4, &unit[0][0], NULL), *K = am_matrix_dense(4, 4, stiffness, NULL);
    am_contact_def contacts[2] = {am_contact_def_default(), am_contact_def_default()};
    for (size_t c = 0; c < 2; c++) {
        contacts[c].tangent = unit[2 * c];
        contacts[c].normal = unit[2 * c + 1];
        contacts[c].friction = 0.3;
        contacts[c].restitution = c == 0 ? 0.3 : 0;
    }
    am_load_def loads[3] = {{unit[1], am_function_constant(-1)},
                            {unit[3], am_function_ramp(-0.5, -0.01)},
                            {unit[0], am_function_sine(2, 1.3, 0)}};
    am_system_def def = am_system_def_default();
    def.n = 4;
    def.mass = def.damping = M;
    def.stiffness = K;
    def.contact_count = 2;
    def.contacts = contacts;
    def.load_count = 3;
    def.loads = loads;
    am_system *system = am_system_create(&def, NULL);
    am_matrix_free(M);
    am_matrix_free(K);
    return system;
}

static void running_a_motion_with_two_contacts(void **state) {
    (void)state;
    made = two_masses();
    assert_non_null(made);
    torture_at_least(run_motion, 20);
}

static am_status run_attractors(am_error *err) {
    const double direction[4] = {0, 0, 0.25, 1};
    const am_start_axis axes[2] = {{.velocity = true, .from = -8, .to = 8, .count = 3},
                                   {.direction = direction, .name = "up", .to = 4, .count = 2}};
    const double from[4] = {0, 0, 0, 0}, to[4] = {0, 0, -2, 0};
    am_attractors_options options = am_attractors_options_default();
    options.axis_count = 2;
    options.axes = axes;
    options.edge_from = from;
    options.edge_to = to;
    am_result *result = am_result_create(err);
    am_status status = result ? am_attractors_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static am_klarbring fig6(void) {
    am_klarbring k = fig4b();
    k.friction = 1.25;
    assert_int_equal(am_klarbring_bisector(&k, k.load_rate, NULL), AM_OK);
    return k;
}

static void mapping_attractors(void **state) {
    (void)state;
    am_klarbring k = fig6();
    made = am_klarbring_create(&k, NULL);
    torture_at_least(run_attractors, 20);
}

static am_status run_states(am_error *err) {
    const double rates[2] = {-1, -0.9};
    am_states_options options = am_states_options_default();
    options.rates = rates;
    am_result *result = am_result_create(err);
    am_status status = result ? am_states_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static void finding_states(void **state) {
    (void)state;
    am_klarbring k = fig6();
    made = am_klarbring_create(&k, NULL);
    torture_at_least(run_states, 10);
}

/* Three nodes that slip in a ring, with friction beyond the critical one: the tree, the witness, its evidence. */
static am_status ask_for_uniqueness(am_error *err) {
    am_result *result = am_result_create(err);
    am_states_options options = am_states_options_default();
    options.question = AM_STATES_UNIQUENESS;
    am_status status = result ? am_states_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static void asking_for_uniqueness(void **state) {
    (void)state;
    static const double A[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, B[] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    static const double C[] = {9, 0, 0, 0, 9, 0, 0, 0, 9}, mu[] = {1.5, 1.5, 1.5};
    am_function zero[3] = {am_function_constant(0), am_function_constant(0), am_function_constant(0)};
    am_matrix *a = am_matrix_dense(3, 3, A, NULL), *b = am_matrix_dense(3, 3, B, NULL),
              *c = am_matrix_dense(3, 3, C, NULL);
    am_nodes nodes = am_nodes_default();
    nodes.count = 3;
    nodes.A = a;
    nodes.B = b;
    nodes.C = c;
    nodes.mu = mu;
    nodes.tangential = nodes.normal = zero;
    made = am_nodes_create(&nodes, NULL);
    assert_non_null(made);
    torture_at_least(ask_for_uniqueness, 12);
    am_matrix_free(a);
    am_matrix_free(b);
    am_matrix_free(c);
}

static am_status run_path(am_error *err) {
    am_path_options options = am_path_options_default();
    options.until = 3;
    options.samples = 10;
    am_result *result = am_result_create(err);
    am_status status = result ? am_path_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static void following_a_path(void **state) {
    (void)state;
    am_klarbring k = fig4b();
    made = am_klarbring_create(&k, NULL);
    torture_at_least(run_path, 10);
}

static am_status run_shakedown(am_error *err) {
    am_shakedown_options options = am_shakedown_options_default();
    options.samples = 3;
    am_result *result = am_result_create(err);
    am_status status = result ? am_shakedown_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

/* Two frequencies push, a third presses. */
static void shaking_down(void **state) {
    (void)state;
    static const double axis[2][2] = {{1, 0}, {0, 1}};
    am_load_def loads[3] = {{axis[0], am_function_sine(0.1, 1, 0)},
                            {axis[0], am_function_sine(0.1, 2, 1)},
                            {axis[1], am_function_sine(0.1, 3, 2)}};
    am_klarbring k = fig4b();
    k.load[1] = -2;
    k.load_rate[0] = k.load_rate[1] = 0;
    k.extra = loads;
    k.extra_count = 3;
    made = am_klarbring_create(&k, NULL);
    assert_non_null(made);
    if (am_shakedown_available())
        torture_at_least(run_shakedown, 6);
    else
        assert_int_equal(run_shakedown(NULL), AM_ERR_UNSUPPORTED);
}

static am_status run_squeal(am_error *err) {
    am_squeal_options options = am_squeal_options_default();
    options.modes = 3;
    options.count = 2;
    am_result *result = am_result_create(err);
    am_status status = result ? am_squeal_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static void squealing(void **state) {
    (void)state;
    am_disc_pad model = am_disc_pad_default();
    model.disc.modes = model.pad.modes = 3;
    made = am_disc_pad_create(&model, NULL);
    assert_non_null(made);
    stride = dearest;
    if (am_squeal_available())
        torture_at_least(run_squeal, 12);
    else
        assert_int_equal(run_squeal(NULL), AM_ERR_UNSUPPORTED);
    stride = 1;
}

static am_status make_brake(am_error *err) {
    am_brake b = am_brake_default();
    b.radial = 2;
    b.around = 8;
    b.through = b.pad_through = 1;
    b.pad_angle = 0.9;
    am_system *s = am_brake_create(&b, err);
    am_status status = s ? AM_OK : null_status(err);
    am_system_free(s);
    return status;
}

static void making_a_brake(void **state) {
    (void)state;
    torture_at_least(make_brake, 12);
}

static am_system *make_chain(void *context, const double *values, am_error *err) {
    am_chain chain = am_chain_default();
    (void)context;
    chain.count = 1;
    chain.xi1 = values[0];
    return am_chain_create(&chain, err);
}

static am_status make_an_atlas(am_error *err) {
    const char *const patterns[] = {"+L"}, *const name = "xi1";
    const am_model_def def = {.count = 1, .names = &name, .make = make_chain};
    am_model *model = am_model_create(&def, err);
    am_result *result = model ? am_result_create(err) : NULL;
    am_atlas_options options = am_atlas_options_default();
    options.from = 0.149;
    options.to = 0.151;
    options.at = 0.15;
    options.patterns = patterns;
    options.pattern_count = 1;
    options.stability = false;
    options.exact = true;
    options.harmonics = 1; /* balance has its own test: here only the orbit */
    am_status status = result ? am_atlas_run(model, &options, result, NULL, err) : AM_ERR_MEMORY;
    am_result_free(result);
    am_model_free(model);
    return status;
}

static void making_an_atlas(void **state) {
    (void)state;
    stride = dear;
    torture_at_least(make_an_atlas, 20);
    stride = 1;
}

static am_status run_twofold(am_error *err) {
    am_twofold_options options = am_twofold_options_default();
    options.intervals = 2;
    options.samples = 6;
    am_result *result = am_result_create(err);
    am_status status = result ? am_twofold_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static void parting_from_one_start(void **state) {
    (void)state;
    static const double A[] = {1, 0.5, 0.5, 1}, B[] = {0.5, 0.25, 0.95, 0.95}, mu[] = {1, 1};
    const am_function nothing[] = {am_function_constant(0), am_function_constant(0)};
    const am_function press[] = {am_function_constant(20), am_function_constant(20)};
    am_nodes nodes = am_nodes_default();
    am_matrix *tangential = am_matrix_dense(2, 2, A, NULL), *coupling = am_matrix_dense(2, 2, B, NULL);
    nodes.count = 2;
    nodes.A = tangential;
    nodes.B = coupling;
    nodes.mu = mu;
    nodes.tangential = nothing;
    nodes.normal = press;
    made = am_nodes_create(&nodes, NULL);
    am_matrix_free(tangential);
    am_matrix_free(coupling);
    assert_non_null(made);
    torture_at_least(run_twofold, 10);
}

static am_status run_stability(am_error *err) {
    const am_contact_state slip[] = {AM_BACKWARD};
    am_stability_options options = am_stability_options_default();
    options.state = slip;
    am_result *result = am_result_create(err);
    am_status status = result ? am_stability_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static void judging_stability(void **state) {
    (void)state;
    am_klarbring k = fig6();
    k.damping[0][0] = k.damping[1][1] = 0.1;
    made = am_klarbring_create(&k, NULL);
    torture_at_least(run_stability, 4);
}

static am_march_method march_method;

static am_status run_march(am_error *err) {
    static const double q[] = {0.1, 0.1}, v[] = {0, -1};
    am_march_options options = am_march_options_default();
    options.until = 0.5;
    options.samples = 5;
    options.method = march_method;
    options.step = 0.1;
    options.displacement = q;
    options.velocity = v;
    am_result *result = am_result_create(err);
    am_status status = result ? am_march_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static void marching_rigid(void **state) {
    (void)state;
    am_klarbring k = fig6();
    made = am_klarbring_create(&k, NULL);
    march_method = AM_MARCH_MOREAU_JEAN;
    torture_at_least(run_march, 10);
}

static void marching_compliant(void **state) {
    (void)state;
    am_two_mode model = am_two_mode_default();
    model.contact = AM_HUNT_CROSSLEY;
    made = am_two_mode_create(&model, NULL);
    assert_non_null(made);
    march_method = am_march_available(AM_MARCH_ADAPTIVE) ? AM_MARCH_ADAPTIVE : AM_MARCH_NEWMARK;
    torture_at_least(run_march, 10);
}

static am_status run_steady_sliding(am_error *err) {
    am_stability_options options = am_stability_options_default();
    am_result *result = am_result_create(err);
    am_status status = result ? am_stability_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

/* A curved law whose branch of equilibria has a fold: every way to an equilibrium is taken. */
static void judging_steady_sliding(void **state) {
    (void)state;
    am_two_mode model = am_two_mode_default();
    model.contact = AM_HUNT_CROSSLEY;
    model.f1 = 1.5;
    model.K_c = 0.2;
    model.alpha = 0.1;
    model.beta = 1.5;
    made = am_two_mode_create(&model, NULL);
    assert_non_null(made);
    torture_at_least(run_steady_sliding, 8);
}

static am_status run_sliding_states(am_error *err) {
    am_states_options options = am_states_options_default();
    options.question = AM_STATES_SLIDING;
    am_result *result = am_result_create(err);
    am_status status = result ? am_states_run(made, &options, result, NULL, err) : null_status(err);
    am_result_free(result);
    return status;
}

static void judging_rigid_sliding(void **state) {
    (void)state;
    am_two_mode model = am_two_mode_default();
    model.f1 = 1.5;
    model.P = -1.0;
    made = am_two_mode_create(&model, NULL);
    assert_non_null(made);
    torture_at_least(run_sliding_states, 6);
}

/* A pair of eigenvalues that crosses the axis on the circle of radius 1, where sliding ends for a second parameter
 * above 2. One request of memory each. */
static am_status make_spectrum(void *context, double p, double q, am_spectrum *spectrum, am_error *err) {
    (void)context;
    double *memory = am_memory_new(6, sizeof *memory, err), re = hypot(p, q) - 1.0;
    if (!memory)
        return AM_ERR_MEMORY;
    *spectrum =
        (am_spectrum){.count = 2, .real = memory, .imaginary = memory + 2, .uncertainty = memory + 4, .memory = memory};
    for (int i = 0; i < 2; i++) {
        memory[i] = q > 2.0 ? -0.1 : re;
        memory[2 + i] = i ? -1.0 : 1.0;
        memory[4 + i] = 1e-15;
    }
    if (!(q > 2.0 && p > 0.7))
        return AM_OK;
    am_spectrum_clear(spectrum);
    return am_fail(err, AM_ERR_NO_STATE, "sliding ends");
}

static am_status make_spectrum_of_one(void *context, double p, am_spectrum *spectrum, am_error *err) {
    return make_spectrum(NULL, p, *(const double *)context, spectrum, err);
}

static am_status find_thresholds(am_error *err) {
    am_threshold found;
    am_threshold_options options = am_threshold_options_default();
    am_status status = AM_OK;
    double second[] = {0.3, 3.0};
    options.to = 2.0;
    options.pieces = 1;
    for (size_t i = 0; status == AM_OK && i < 2; i++) {
        am_spectra spectra = {make_spectrum_of_one, &second[i]};
        status = am_threshold_find(&spectra, &options, &found, NULL, err);
    }
    return status;
}

static am_status follow_threshold(am_error *err) {
    am_threshold_curve curve;
    am_threshold_curve_options options = am_threshold_curve_options_default();
    am_spectra2 spectra = {make_spectrum, NULL};
    options.first.to = 2.0;
    options.first.pieces = 1;
    options.from = 0.1;
    options.to = 0.3;
    options.step = 0.5;
    am_status status = am_threshold_follow(&spectra, &options, &curve, NULL, err);
    am_threshold_curve_clear(&curve);
    return status;
}

static void finding_and_following_thresholds(void **state) {
    (void)state;
    torture_at_least(find_thresholds, 8);
    torture_at_least(follow_threshold, 4);
}

/* ---- studies ---- */

static const char *study_text;

static const char motion_study[] =
    "title: Loaded close to the edge of separation\n"
    "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, -0.99]}\n"
    "analysis: {kind: motion, until: 5, samples: 5}\n"
    "also:\n"
    "  quasistatic: {kind: path, until: 5, samples: 3}\n"
    "figure: {x: u1, y: u2}\n"
    "expect: {initial_state: backward, first_lift_off: {value: 3.580010, tolerance: 5.0e-7}}\n";

static const char sweep_study[] =
    "title: Friction\n"
    "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, -0.8]}\n"
    "analysis: {kind: motion, until: 3, samples: 0}\n"
    "sweep:\n"
    "  axes: {model.friction: [0.2, 0.3]}\n"
    "  outputs: [state_changes]\n";

static const char structure_study[] =
    "title: One's own matrices\n"
    "model:\n"
    "  kind: structure\n"
    "  mass: [[1, 0], [0, 1]]\n"
    "  stiffness: [[1, 0.2], [0.2, 2]]\n"
    "  contacts: [{name: foot, normal: [0, 1], tangent: [1, 0], friction: 0.3}]\n"
    "  loads: [{direction: [1, 0], ramp: {rate: 0.1}}, {direction: [0, 1], constant: -1}]\n"
    "analysis: {kind: motion, until: 2, samples: 3}\n";

static const char nodes_study[] =
    "title: Three nodes\n"
    "model: {kind: nodes, A: [[2, 0.5, 0.1], [0.5, 2, 0.5], [0.1, 0.5, 2]], B: [[0.5, 0.2, 0], [0, 0.5, 0.2], "
    "[0.2, 0, 0.5]], mu: 0.8, constraints: {rest_minus: [2, 2, 2], rest_plus: [-2, -2, -2], sequence: "
    "[[\"1+\", 0.5], [\"3-\", -0.5], [\"2+\", 0.5]]}}\n"
    "analysis: {kind: path, until: 7, samples: 3}\n";

static const char two_nodes_study[] =
    "title: Two nodes\n"
    "model: {kind: nodes, A: [[1, 0.5], [0.5, 1]], B: [[0.5, 0.25], [0.95, 0.95]], mu: 1, constraints: {rest_minus: "
    "[1.6, 0.8], rest_plus: [-3, -6], sequence: [[\"1+\", 0.75], [\"2+\", 3.4], [\"1-\", -0.25], [\"2-\", 0.4]]}}\n"
    "analysis: {kind: path, until: 9, samples: 3}\n"
    "figure: {kind: slip}\n";

static am_status parse_study(am_error *err) {
    const am_setting setting = {"title", "Another"};
    am_study *study = am_study_parse("/study.yaml", study_text, 1, &setting, false, err);
    am_status status = study ? AM_OK : null_status(err);
    am_study_free(study);
    return status;
}

static am_status run_study(am_error *err) {
    am_run *run = am_study_run(read_study, NULL, err);
    am_status status = run ? AM_OK : null_status(err);
    am_run_free(run);
    return status;
}

static am_status show_study(am_error *err) {
    char *text = am_study_show(read_study, err);
    am_status status = text ? AM_OK : null_status(err);
    am_output_text_free(text);
    return status;
}

static void torture_study(const char *text) {
    am_error err = {0};
    study_text = text;
    read_study = am_study_parse("/study.yaml", text, 0, NULL, false, &err);
    if (!read_study)
        print_error("%s\n", err.message);
    assert_non_null(read_study);
    torture_at_least(parse_study, 4);
    torture_at_least(run_study, 10);
    torture_at_least(show_study, 3);
}

/* A few cells, one attempt to refine, one comparison with a start. */
static const char cells_study[] =
    "title: Cells\n"
    "model: {kind: oscillator, beta: 0.51, Omega: 0.76}\n"
    "analysis: {kind: cells, box: {v: {from: -3, to: 3, count: 3}, v1: {from: -3, to: 3, count: 3}}, checks: 1}\n"
    "figure: {kind: map, table: cells, x: v, y: v1, value: fate}\n";

static const char switching_study[] = "title: A fixed step\n"
                                      "model: {kind: rod, elements: 2, alpha: 0.5}\n"
                                      "analysis: {kind: motion, until: 4, samples: 3, initial: {velocity: [1, -1]}, "
                                      "switching: {step: 0.1, bisections: 2}}\n";

/* Orbits from starts on an oblique plane: joining, a border, sections. */
static const char orbits_study[] =
    "title: Orbits\n"
    "model: {kind: rod, elements: 2, alpha: 2}\n"
    "analysis:\n"
    "  kind: attractors\n"
    "  starts: {apart: {direction: {displacement: [1, -1], velocity: [0, 0.5]}, from: -2, to: 2, count: 2}}\n"
    "  section: 2\n"
    "  search_unstable: true\n"
    "  borders: 1\n";

static void reading_and_running_a_study_of_a_threshold(void **state) {
    (void)state;
    torture_study("model: {kind: two-mode, K_r: 0.5, contact: {kind: kelvin-voigt}}\n"
                  "analysis: {kind: stability, threshold: Delta}\n");
    am_study_free(read_study);
    /* flutter next to divergence, which eigenvalues cannot confirm */
    torture_study("model: {kind: two-mode, K_r: 1.05, C_r: 0.85,\n"
                  "        contact: {kind: hunt-crossley, K_c: 1000000, alpha: 0.02}}\n"
                  "analysis: {kind: stability, threshold: Delta}\n");
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A column of springs between two surfaces of a mesh, one of which is Gmsh's; reduced. */
static void reading_and_running_studies_of_interfaces(void **state) {
    (void)state;
    stride = dear;
    write_file(AMONTONS_BINARY_DIR "/memory_k.mtx",
               "1,1,1,1,3\n1,2,1,2,3\n2,1,2,1,3\n2,2,2,2,3\n3,1,3,1,3\n3,2,3,2,3\n3,2,1,2,-1\n3,2,2,2,-1\n");
    write_file(AMONTONS_BINARY_DIR "/memory_nodes.inp",
               "*NODE, NSET=ALL\n1,0,0\n2,1,0\n3,0.5,1\n*NSET, NSET=SIDE\n1,2\n");
    write_file(AMONTONS_BINARY_DIR "/memory_surface.msh",
               "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n7 0 0 0\n8 1 0 0\n$EndNodes\n$Elements\n1\n"
               "1 1 2 7 1 7 8\n$EndElements\n");
#define AT AMONTONS_BINARY_DIR
    torture_study("model:\n  kind: structure\n  stiffness: {file: " AT "/memory_k.mtx}\n  sets: {file: " AT
                  "/memory_nodes.inp}\n  reduce: {modes: auto}\n  loads: [{direction: {\"3.2\": 1}, ramp: -1}]\n"
                  "  interfaces: [{from: SIDE, per: area, surface: {file: " AT "/memory_surface.msh}, law: held, "
                  "hold: {constant: 2, table: {times: [0, 1], values: [0, 1]}}, friction: 0.3, "
                  "tangential_stiffness: 2}]\nanalysis: {kind: path, until: 1}\n");
#undef AT
}

/* Modes and contact rows from a table, a circulatory matrix, a sweep that keeps tables; then a brake. */
static void reading_and_running_studies_of_squeal(void **state) {
    (void)state;
    char text[8192];
    write_file(AMONTONS_BINARY_DIR "/memory_rows.csv", "a, b\n1, 0.5\n");
    snprintf(text, sizeof text,
             "model: {kind: modes, hertz: [10, 11], damping_ratio: 0.01, contact_rows: {normal: {file: "
             "%s/memory_rows.csv}, tangent: [[-0.5, 1]], friction: 0.4, law: kelvin-voigt, contact_stiffness: 20}}\n"
             "analysis: {kind: stability}\nsweep: {axes: {model.contact_rows.friction: [0, 0.5]}, tables: [squeal]}\n",
             AMONTONS_BINARY_DIR);
    torture_study(text);
    am_study_free(read_study);
    torture_study("model: {kind: structure, mass: [1, 1], stiffness: [1, 2], circulatory: [[0, 0.1], [0, 0]], "
                  "contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], friction: 0.3}, prescribed: []}\n"
                  "analysis: {kind: stability}\n");
    am_study_free(read_study);
    torture_study(
        "model: {kind: structure, mass: [1, 1, 1], stiffness: [1, 2, 1], prescribed: [{coordinate: 3, "
        "constant: 0}],\n  polynomials: [{direction: [1, 1, 1], terms: [{coefficient: 1, displacement: 3}]}]}\n"
        "analysis: {kind: stability}\n");
    am_study_free(read_study);
    torture_study("model: {kind: chain, count: 2, mistuning: [0, 0.1]}\nanalysis: {kind: stability}\n");
    am_study_free(read_study);
    torture_study("model: {kind: bladed-disc, sectors: 2, engine_order: 1, mistuning: {deviation: 0.01}}\n"
                  "analysis: {kind: motion, until: 1}\n");
    am_study_free(read_study);
    torture_study("model: {kind: disc-pad, disc: {modes: 1}, pad: {modes: 2}, pads: 1, lining: {contacts: 1}}\n"
                  "analysis: {kind: stability}\n");
}

/* Half-planes: closed forms, boundary elements, a loop. */
static void reading_and_running_studies_of_slip(void **state) {
    (void)state;
    stride = dearer;
    torture_study("model: {kind: hertz, f_s: 0.6, Delta: 0.1, nodes: 8}\nanalysis: {kind: slip, Q_over_fP: 0.5, "
                  "samples: 5, branch: 3, stress: 4}\n");
    am_study_free(read_study);
    torture_study("model: {kind: hertz, f_s: 0.6, Delta: 0.1, nodes: 8}\nanalysis: {kind: slip, Q_over_fP: 0.3, law: "
                  "ramp, nodes: 8, steps: 2, branch: 3}\n");
    am_study_free(read_study);
    torture_study(
        "model: {kind: hertz, nodes: 8}\nanalysis: {kind: slip, Q: 0, samples: 5, turns: [0.5, -0.5, 0.5]}\n");
    am_study_free(read_study);
    torture_study("model: {kind: profile, x: [-1, 0, 1], gap: [1, 0, 1], P: 0.1, nodes: 8, beta: 0.1}\n"
                  "analysis: {kind: slip, Q: 0.01, nodes: 8, steps: 2}\n");
    am_study_free(read_study);
    torture_study("model: {kind: punch, alpha: 2, nodes: 8}\nanalysis: {kind: slip, Q_over_fP: 0.75, nodes: 8, method: "
                  "boundary-elements, stress: 4}\n");
    stride = 1;
}

/* Polynomial springs: an orbit, a forced one, a march. */
static void reading_and_running_studies_of_springs(void **state) {
    (void)state;
    torture_study("model: {kind: structure, mass: [1], stiffness: [1], polynomials: [{direction: [1], terms: "
                  "[{coefficient: -1, velocity: 1}, {coefficient: 1, displacement: 2, velocity: 1}]}]}\n"
                  "analysis: {kind: orbit, initial: {displacement: [1]}, samples: 3}\n");
    am_study_free(read_study);
    torture_study("model: {kind: structure, mass: [1], stiffness: [1], damping: [1], polynomials: [{direction: [1], "
                  "terms: [{coefficient: 1, displacement: 3}]}], loads: [{direction: [1], sine: {amplitude: 1, "
                  "frequency: 1}}]}\nanalysis: {kind: orbit, samples: 3}\n");
    am_study_free(read_study);
    torture_study("model: {kind: structure, mass: [1], stiffness: [1], polynomials: [{direction: [1], terms: "
                  "[{coefficient: 1, displacement: 3}]}]}\n"
                  "analysis: {kind: march, until: 0.1, method: newmark, step: 0.05, initial: {displacement: [1]}}\n");
}

/* ---- curves of peaks ---- */

static am_system *make_damper(void *context, const double *values, am_error *err) {
    am_griffin griffin = am_griffin_default();
    griffin.beta = values[0];
    griffin.Omega = values[1];
    griffin.eta = *(const double *)context;
    return am_griffin_create(&griffin, err);
}

static am_status run_design(am_error *err) {
    static double eta = 0.5, none = 0.0;
    static const char *const names[] = {"beta", "Omega"};
    const am_model_def def = {.count = 2, .names = names, .make = make_damper, .context = &eta};
    const am_model_def smooth = {.count = 2, .names = names, .make = make_damper, .context = &none};
    am_model *model = am_model_create(&def, err), *other = model ? am_model_create(&smooth, err) : NULL;
    am_design_options options = am_design_options_default();
    options.from = 20.0; /* stuck: quick */
    options.to = 21.0;
    options.frequency_from = 1.56;
    options.frequency_to = 1.58;
    options.harmonics = 1;
    options.checks = 2;
    options.largest_step = 1.0;
    options.against = other;
    am_result *result = other ? am_result_create(err) : NULL;
    am_status status = result ? am_design_run(model, &options, result, NULL, err) : AM_ERR_MEMORY;
    am_result_free(result);
    am_model_free(model);
    am_model_free(other);
    return status;
}

static void running_a_design(void **state) {
    (void)state;
    stride = dear;
    torture_at_least(run_design, 20);
    stride = 1;
}

static void reading_and_running_a_sweep_of_ratios(void **state) {
    (void)state;
    torture_study("model: {kind: griffin, beta: 1}\nanalysis: {kind: response, harmonics: 1, stability: none}\n"
                  "sweep: {axes: {model.eta: [0, 0.5]}, outputs: [peak], ratio: model.eta}\n");
}

static void reading_and_running_a_study_of_cells(void **state) {
    (void)state;
    torture_study(cells_study);
}

static void reading_and_running_a_study_of_fixed_step_switching(void **state) {
    (void)state;
    torture_study(switching_study);
}

/* Friction that depends on speed, a curved spring, a contact element that lifts off and a Hertzian stop. */
static void studies_of_laws(void **state) {
    (void)state;
    stride = dear;
    torture_study(
        "model:\n  kind: structure\n  mass: [1, 1]\n  damping: [0.1, 0.1]\n  stiffness: [2, 3]\n  contacts:\n"
        "  - {tangent: [1, 0], law: held, hold: {constant: 1}, surface_velocity: 0.3,\n"
        "     friction: {law: table, velocity: [0, 0.1, 1], values: [0.4, 0.3, 0.2]}}\n"
        "  - {normal: [0, 1], tangent: [1, 0], law: kelvin-voigt, contact_stiffness: 9, contact_damping: 0.1,\n"
        "     tangential_stiffness: 4, friction: 0.3}\n"
        "  - {normal: [0, -1], gap: 0.5, law: power, contact_stiffness: 9, contact_exponent: 1.5}\n"
        "  polynomials: [{direction: [1, 1], terms: [{coefficient: 1, displacement: 3}]}]\n"
        "  loads: [{direction: [1, 0.7], sine: {amplitude: 1, frequency: 1.3}}]\n"
        "analysis: {kind: orbit, samples: 3}\n");
    am_study_free(read_study);
    torture_study("model:\n  kind: structure\n  mass: [1]\n  damping: [0.1]\n  stiffness: [2]\n  contacts:\n"
                  "  - {tangent: [1], law: held, hold: {constant: 1}, surface_velocity: 0.3,\n"
                  "     friction: {law: stribeck, static: 0.4, kinetic: 0.3, velocity: 0.2}}\n"
                  "analysis: {kind: stability}\n");
    stride = 1;
}

static void reading_and_running_a_study_of_orbits(void **state) {
    (void)state;
    stride = dearest;
    torture_study(orbits_study);
    stride = 1;
}

static void reading_and_running_a_study(void **state) {
    (void)state;
    torture_study(motion_study);
}

static void reading_and_running_a_study_of_a_structure(void **state) {
    (void)state;
    torture_study(structure_study);
}

static void reading_and_running_studies_of_nodes(void **state) {
    (void)state;
    torture_study(nodes_study);
    am_study_free(read_study);
    torture_study(two_nodes_study);
}

/* Two elements on a wall, driven and loaded; its fields. */
static const char mesh_study[] =
    "model: {kind: mesh, text: \"$MeshFormat\\n2.2 0 8\\n$EndMeshFormat\\n$Nodes\\n6\\n1 0 0 0\\n2 1 0 0\\n3 2 0 0\\n"
    "4 0 1 0\\n5 1 1 0\\n6 2 1 0\\n$EndNodes\\n$Elements\\n6\\n1 1 2 1 1 1 2\\n2 1 2 1 1 2 3\\n3 1 2 2 2 4 5\\n"
    "4 1 2 2 2 5 6\\n5 3 2 3 3 1 2 5 4\\n6 3 2 3 3 2 3 6 5\\n$EndElements\\n\", bodies: [{name: 3, E: 1, nu: 0.3}], "
    "contacts: [{slave: 1, f: 0.5}], loads: [{line: 2, force: [0, -1]}], drives: [{line: 2, direction: [1, 0], "
    "stiffness: 1, ramp: 0.1}], fields: true}\n"
    "analysis: {kind: path, method: incremental, until: 1, steps: 2}\n";

static void reading_and_running_a_study_of_a_mesh(void **state) {
    (void)state;
    if (!am_squeal_available())
        skip(); /* finite elements need MUMPS: test_parts.c */
    torture_study(mesh_study);
}

/* A curved gap beside half-planes, and a rigid slider pushed through a spring, with friction by a table. */
static void reading_and_running_studies_of_blocks(void **state) {
    (void)state;
    if (!am_squeal_available())
        skip(); /* as above */
    torture_study("model: {kind: blocks, slider: {plane: strain}, radius: 1e7, load_at: top, fields: true, "
                  "supports: bottom, mesh: {size: 80, growth: 3, largest: 80}, halfplane: true}\n"
                  "analysis: {kind: path, until: 1, steps: 1}\n");
    am_study_free(read_study);
    torture_study("model: {kind: blocks, slider: {rigid: true}, control: spring, push: 0.01, stiffness: 1e4, "
                  "weakening: [[0, 0.5], [1, 0.4]], mesh: {size: 70, ends: 50, growth: 3, largest: 80}}\n"
                  "analysis: {kind: path, until: 1, steps: 1}\n");
}

static void reading_and_running_a_sweep(void **state) {
    (void)state;
    torture_study(sweep_study);
    am_study_free(read_study);
    torture_study("model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.8]}\n"
                  "analysis: {kind: motion, until: 0.1, initial: {velocity: [0, 0]}}\n"
                  "also: {b: {kind: motion, until: 0.1, samples: 2}}\n"
                  "sweep: {axes: {analysis.initial.velocity.0: [0, 0.1]}, tables: [b.samples]}\n");
}

/* ---- a sweep with files on the way ---- */

static char sweep_folder[64];

static am_status run_sweep_into(am_error *err) {
    am_run *run = am_study_run_into(read_study, sweep_folder, false, NULL, err);
    am_status status = run ? AM_OK : null_status(err);
    am_run_free(run);
    return status;
}

/* What an earlier attempt kept is taken away behind the back of the counter. */
static am_status run_fresh_sweep_into(am_error *err) {
    bool watching = heap.watching;
    heap.watching = false;
    am_study_settled(sweep_folder);
    heap.watching = watching;
    return run_sweep_into(err);
}

static void torture_kept_sweep(const char *text) {
    am_error err = {0};
    snprintf(sweep_folder, sizeof sweep_folder, "test_memory_%ld", (long)getpid());
    read_study = am_study_parse("/study.yaml", text, 0, NULL, false, &err);
    if (!read_study)
        print_error("%s\n", err.message);
    assert_non_null(read_study);
    stride = dearer;
    torture_at_least(run_fresh_sweep_into, 20); /* writes a plan and a part */
    assert_int_equal(run_fresh_sweep_into(&err), AM_OK);
    torture_at_least(run_sweep_into, 8); /* reads them, and has nothing left to do */
    stride = 1;
    am_study_settled(sweep_folder);
    rmdir(sweep_folder);
}

static void running_a_sweep_that_keeps_its_points(void **state) {
    (void)state;
    torture_kept_sweep("model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
                       "analysis: {kind: motion, until: 20, max_events: 3, samples: 0}\n" /* a point fails */
                       "sweep: {axes: {model.load_rate.1: [-1, -0.7]}, outputs: [final_state, state_changes], tables: "
                       "[events]}\n");
}

static void running_a_refined_sweep_that_keeps_its_points(void **state) {
    (void)state;
    torture_kept_sweep("model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
                       "analysis: {kind: motion, until: 3, samples: 0}\n"
                       "sweep: {axes: {model.friction: {from: 0.1, to: 0.9, count: 5}}, refine: {output: final_state, "
                       "coarse: 4}}\n");
}

static am_status write_json(am_error *err) {
    static const char *const files[] = {"summary.json"};
    char *text = am_output_json(am_run_report(finished), true, 1, files, err);
    am_status status = text ? AM_OK : null_status(err);
    am_output_text_free(text);
    return status;
}

static void writing_json(void **state) {
    (void)state;
    read_study = am_study_parse("study.yaml", motion_study, 0, NULL, false, NULL);
    assert_non_null(read_study);
    finished = am_study_run(read_study, NULL, NULL);
    assert_non_null(finished);
    torture_at_least(write_json, 3);
}

static am_status ask_for_help(am_error *err) {
    char *text = am_study_template("motion", err);
    am_output_text_free(text);
    if (text)
        am_output_text_free(text = am_study_list("models", err));
    if (text)
        am_output_text_free(text = am_study_help("motion", err));
    return text ? AM_OK : null_status(err);
}

static void listing_and_helping(void **state) {
    (void)state;
    torture_at_least(ask_for_help, 3);
}

/* ---- the torture itself ---- */

static void *kept;

static am_status keep_a_block(am_error *err) {
    (void)err;
    kept = malloc(8);
    return kept ? AM_OK : AM_ERR_MEMORY;
}

static void a_block_left_behind_would_be_seen(void **state) {
    (void)state;
    watch(0, false);
    assert_int_equal(keep_a_block(NULL), AM_OK);
    assert_int_equal(heap.live, 1);
    free(kept);
    assert_int_equal(heap.live, 0);
    watch(1, false);
    assert_int_equal(keep_a_block(NULL), AM_ERR_MEMORY);
    heap.watching = false;
    assert_int_equal(heap.refused, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_left_behind_would_be_seen),
        cmocka_unit_test_teardown(creating_a_system, free_all),
        cmocka_unit_test_teardown(creating_klarbrings_mass, free_all),
        cmocka_unit_test_teardown(reading_a_matrix, free_all),
        cmocka_unit_test_teardown(running_a_motion, free_all),
        cmocka_unit_test_teardown(running_a_motion_with_two_contacts, free_all),
        cmocka_unit_test_teardown(mapping_attractors, free_all),
        cmocka_unit_test_teardown(finding_states, free_all),
        cmocka_unit_test_teardown(asking_for_uniqueness, free_all),
        cmocka_unit_test_teardown(following_a_path, free_all),
        cmocka_unit_test_teardown(making_an_atlas, free_all),
        cmocka_unit_test_teardown(parting_from_one_start, free_all),
        cmocka_unit_test_teardown(judging_stability, free_all),
        cmocka_unit_test_teardown(judging_steady_sliding, free_all),
        cmocka_unit_test_teardown(marching_rigid, free_all),
        cmocka_unit_test_teardown(marching_compliant, free_all),
        cmocka_unit_test_teardown(judging_rigid_sliding, free_all),
        cmocka_unit_test_teardown(finding_and_following_thresholds, free_all),
        cmocka_unit_test_teardown(shaking_down, free_all),
        cmocka_unit_test_teardown(squealing, free_all),
        cmocka_unit_test_teardown(making_a_brake, free_all),
        cmocka_unit_test_teardown(reading_and_running_a_study, free_all),
        cmocka_unit_test_teardown(reading_and_running_a_study_of_a_structure, free_all),
        cmocka_unit_test_teardown(reading_and_running_studies_of_nodes, free_all),
        cmocka_unit_test_teardown(reading_and_running_a_study_of_a_mesh, free_all),
        cmocka_unit_test_teardown(reading_and_running_studies_of_blocks, free_all),
        cmocka_unit_test_teardown(reading_and_running_a_sweep, free_all),
        cmocka_unit_test_teardown(running_a_sweep_that_keeps_its_points, free_all),
        cmocka_unit_test_teardown(running_a_refined_sweep_that_keeps_its_points, free_all),
        cmocka_unit_test_teardown(reading_and_running_a_study_of_a_threshold, free_all),
        cmocka_unit_test_teardown(reading_and_running_studies_of_interfaces, free_all),
        cmocka_unit_test_teardown(reading_and_running_studies_of_squeal, free_all),
        cmocka_unit_test_teardown(reading_and_running_studies_of_slip, free_all),
        cmocka_unit_test_teardown(reading_and_running_studies_of_springs, free_all),
        cmocka_unit_test(running_a_design),
        cmocka_unit_test_teardown(reading_and_running_a_sweep_of_ratios, free_all),
        cmocka_unit_test_teardown(reading_and_running_a_study_of_cells, free_all),
        cmocka_unit_test_teardown(reading_and_running_a_study_of_fixed_step_switching, free_all),
        cmocka_unit_test_teardown(reading_and_running_a_study_of_orbits, free_all),
        cmocka_unit_test_teardown(studies_of_laws, free_all),
        cmocka_unit_test_teardown(writing_json, free_all),
        cmocka_unit_test_teardown(listing_and_helping, free_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
