/* The command amontons as a user meets it: exit statuses, messages, files, and what is left behind when something goes
 * wrong. */
/* ctest: long */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scratch.h"

#define MODEL "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
#define MOTION "analysis: {kind: motion, until: 38}\n"
/* Runs for minutes; more points would take so long to make room for under the sanitizers that a request to end, which is
 * obeyed within a second, comes in the midst of it. */
#define LONG_SWEEP MODEL MOTION "sweep: {axes: {model.friction: {from: 0.1, to: 0.9, count: 1000000}}}\n"

/* ---- A folder of our own per test ---- */

static char place[512];

static int make_place(void **state) {
    (void)state;
    snprintf(place, sizeof place, "%s/test_command-XXXXXX", AMONTONS_BINARY_DIR);
    return mkdtemp(place) && chmod(place, 0777) == 0 ? 0 : -1;
}

static int remove_place(void **state) {
    (void)state;
    remove_tree(place);
    return 0;
}

static const char *in_place(const char *name) {
    static char paths[4][1024];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", place, name);
    return paths[turn];
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(in_place(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static bool exists(const char *name) {
    struct stat status_of;
    return stat(in_place(name), &status_of) == 0;
}

/* Number of entries of a folder; -1 when there is none. */
static int entries(const char *name) {
    DIR *directory = opendir(in_place(name));
    int count = -2; /* . and .. */
    if (!directory)
        return -1;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static char *read_all(const char *name) {
    FILE *file = fopen(in_place(name), "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

/* ---- Running the command ---- */

static char said[20000], complained[20000]; /* its standard output and error */

typedef struct circumstance {
    const char *standard_output; /* where it goes instead of a file; NULL: a file */
    bool as_nobody;              /* without the powers of root */
    long largest_file;           /* bytes; 0: no limit */
    long most_memory;            /* bytes of address space; 0: no limit */
    int interrupt_with;          /* signal sent after a while; 0: none */
} circumstance;

static void keep_output(const char *name, char *text, size_t size) {
    char *all = read_all(name);
    snprintf(text, size, "%s", all);
    free(all);
}

static void become_command(const circumstance *c, char **arguments) {
    const char *output = c->standard_output ? c->standard_output : in_place("stdout");
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int err = open(in_place("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || chdir(place) != 0)
        _exit(99);
    if (c->largest_file) {
        struct rlimit limit = {(rlim_t)c->largest_file, (rlim_t)c->largest_file};
        signal(SIGXFSZ, SIG_DFL); /* as in a shell: the command must not die of it */
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (c->most_memory) {
        struct rlimit limit = {(rlim_t)c->most_memory, (rlim_t)c->most_memory};
        setrlimit(RLIMIT_AS, &limit);
    }
    if (c->as_nobody && geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        _exit(98);
    if (access(AMONTONS_COMMAND, X_OK) != 0)
        _exit(98);
    execv(AMONTONS_COMMAND, arguments);
    _exit(99);
}

static void wait_a_little(long milliseconds) {
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Does a process have a handler of its own for a signal? Where the system does not tell, it is believed to. */
static bool handles(pid_t process, int signal_number) {
    char name[64], line[256];
    unsigned long long caught = ~0ull;
    snprintf(name, sizeof name, "/proc/%ld/status", (long)process);
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "SigCgt: %llx", &caught);
    if (file)
        fclose(file);
    return caught >> (signal_number - 1) & 1;
}

/* A signal that comes before the command is ready for it ends it in another way, or not at all where whoever started
 * the tests ignores it: on a busy machine its start may take seconds. */
static void await_handler(pid_t process, int signal_number) {
    for (int k = 0; k < 3000 && !handles(process, signal_number); k++)
        wait_a_little(10);
}

static int finish(pid_t child, const circumstance *c) {
    int status;
    if (c->interrupt_with) {
        await_handler(child, c->interrupt_with);
        wait_a_little(300);
        kill(child, c->interrupt_with);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        return 1000 + WTERMSIG(status);
    if (WEXITSTATUS(status) == 98)
        skip(); /* the command cannot be reached without the powers of root */
    assert_int_not_equal(WEXITSTATUS(status), 99);
    if (!c->standard_output)
        keep_output("stdout", said, sizeof said);
    keep_output("stderr", complained, sizeof complained);
    return WEXITSTATUS(status);
}

static int run_in(circumstance c, const char *line) {
    char words[1024], *arguments[32] = {"amontons"};
    size_t count = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && count < 31; word = strtok(NULL, " "))
        arguments[count++] = word;
    said[0] = complained[0] = '\0';
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become_command(&c, arguments);
    return finish(child, &c);
}

static int run(const char *line) {
    return run_in((circumstance){0}, line);
}

static void expect_complaint(const char *text) {
    if (!strstr(complained, text))
        fail_msg("it says '%s', not '%s'", complained, text);
    const char *end = strchr(complained, '\n');
    assert_true(end && !end[1]); /* one message, on one line */
}

/* ---- What it does ---- */

static void run_writes_results_beside_nothing_else(void **state) {
    (void)state;
    write_file("first.yaml", MODEL MOTION "figure: {x: u1, y: u2}\nexpect: {state_changes: 9}\n");
    assert_int_equal(run("run first.yaml"), 0);
    assert_string_equal(complained, "");
    assert_non_null(strstr(said, "state_changes"));
    assert_non_null(strstr(said, "✓ state_changes: 9"));
    assert_non_null(strstr(said, "written to first-results:"));
    assert_true(exists("first-results/summary.json"));
    assert_true(exists("first-results/events.csv"));
    assert_true(exists("first-results/results.nc"));
    assert_true(exists("first-results/figure.gp"));
    assert_int_equal(entries("."), 4); /* study, results, stdout, stderr */
}

static void out_names_the_folder(void **state) {
    (void)state;
    write_file("first.yaml", MODEL MOTION);
    assert_int_equal(run("run first.yaml --out here"), 0);
    assert_true(exists("here/summary.json"));
    assert_false(exists("first-results"));
}

static void an_expectation_not_met_is_status_1_with_everything_written(void **state) {
    (void)state;
    write_file("first.yaml", MODEL MOTION "expect: {state_changes: 8}\n");
    assert_int_equal(run("run first.yaml"), 1);
    assert_non_null(strstr(said, "✗ state_changes: 9, expected 8"));
    assert_true(exists("first-results/summary.json"));
}

static void json_is_one_document_and_writes_no_files(void **state) {
    (void)state;
    write_file("first.yaml", MODEL "analysis: {kind: motion, until: 38, samples: 3}\nexpect: {state_changes: 9}\n");
    assert_int_equal(run("run first.yaml --json"), 0);
    const char *end = NULL;
    char *whole = read_all("stdout");
    cJSON *document = cJSON_ParseWithOpts(whole, &end, true); /* true: nothing may follow */
    assert_non_null(document);
    const cJSON *summary = cJSON_GetObjectItem(document, "summary"), *tables = cJSON_GetObjectItem(document, "tables");
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(summary, "state_changes")) == 9);
    assert_non_null(cJSON_GetObjectItem(cJSON_GetObjectItem(tables, "events"), "columns"));
    assert_non_null(cJSON_GetObjectItem(document, "expect"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(document, "files")), 0);
    assert_int_equal(entries("."), 3);
    cJSON_Delete(document);
    free(whole);
}

/* A branch that ends at a fold: orbits beyond it were tried and did not close, which is not the run's failure. */
static void a_run_that_went_well_complains_of_nothing(void **state) {
    (void)state;
    write_file("fold.yaml", "model:\n  kind: structure\n  stiffness: [[1, 0.2], [0.2, 1.5]]\n  mass: [1, 1]\n"
                            "  damping: [0.1, 0.1]\n  contacts:\n"
                            "    - {normal: [1, 0], tangent: [0, 1], friction: 0.2, gap: 0.1, restitution: 0.6}\n"
                            "  loads: [{direction: [1, 0], sine: {amplitude: 1.5, frequency: 0.933}}]\n"
                            "analysis: {kind: orbit, samples: 0}\n"
                            "follow: {parameter: model.loads.0.sine.frequency, from: 0.933, to: 1.433}\n");
    assert_int_equal(run("run fold.yaml --json"), 0);
    assert_string_equal(complained, "");
}

/* What an analysis cannot have is a mistake of the study, not a computation that failed. */
static void a_law_that_an_analysis_cannot_have_is_status_2(void **state) {
    (void)state;
    write_file("path.yaml", "model:\n  kind: structure\n  stiffness: [1]\n  contacts:\n"
                            "    - {name: pad, tangent: [1], law: held, hold: {constant: 1},\n"
                            "       friction: {law: hyperbolic, static: 0.5, kinetic: 0.3, velocity: 1}}\n"
                            "  loads: [{direction: [1], ramp: 1}]\nanalysis: {kind: path, until: 1}\n");
    assert_int_equal(run("run path.yaml --json"), 2);
    expect_complaint("path.yaml:6:18: friction at 'pad' depends on the sliding speed (law hyperbolic), and `path`");
}

/* 100 pads that stick: their states take 599 characters, of which 480 are shown. */
static void texts_of_a_summary_do_not_flood_the_terminal(void **state) {
    (void)state;
    char study[16000];
    size_t length =
        (size_t)snprintf(study, sizeof study, "model: {kind: structure, stiffness: [1], mass: [1], contacts: [");
    for (int i = 0; i < 100; i++)
        length += (size_t)snprintf(study + length, sizeof study - length,
                                   "%s{tangent: [1], law: held, hold: {constant: 1}, friction: 0.3}", i ? ", " : "");
    snprintf(study + length, sizeof study - length, "]}\nanalysis: {kind: motion, until: 1}\n");
    write_file("pads.yaml", study);
    assert_int_equal(run("run pads.yaml"), 0);
    assert_non_null(strstr(said, "stick,stick"));
    assert_non_null(strstr(said, "... and 119 characters more, in summary.json\n"));
    char *whole = read_all("pads-results/summary.json");
    assert_non_null(strstr(whole, "stick"));
    assert_null(strstr(whole, "characters more"));
    free(whole);
}

static void set_changes_a_field(void **state) {
    (void)state;
    write_file("first.yaml", MODEL MOTION "expect: {t_end: 5}\n");
    assert_int_equal(run("run first.yaml --json --set analysis.until=5"), 0);
    assert_int_equal(run("run first.yaml --json --set model.friction=-1"), 2);
    expect_complaint("--set model.friction=-1: friction must be zero or positive");
}

static void check_says_what_the_study_is(void **state) {
    (void)state;
    write_file("first.yaml", MODEL MOTION);
    assert_int_equal(run("check first.yaml"), 0);
    assert_string_equal(said, "first.yaml: ok: 2 coordinates, 1 contact, 2 loads; analysis motion\n");
    assert_int_equal(entries("."), 3);
}

static void what_new_and_show_print_can_be_run(void **state) {
    (void)state;
    assert_int_equal(run("new structure"), 0);
    write_file("new.yaml", said);
    assert_int_equal(run("show new.yaml"), 0);
    write_file("shown.yaml", said);
    assert_int_equal(run("run shown.yaml --json"), 0);
}

static void lists_and_help_know_the_kinds(void **state) {
    (void)state;
    assert_int_equal(run("list"), 0);
    assert_non_null(strstr(said, "klarbring"));
    assert_non_null(strstr(said, "attractors"));
    assert_non_null(strstr(said, "unilateral"));
    assert_int_equal(run("help"), 0);
    assert_int_equal(run("--help"), 0);
    assert_non_null(strstr(said, "amontons gallery"));
    assert_int_equal(run("help run"), 0);
    assert_non_null(strstr(said, "--json"));
    assert_int_equal(run("run --help"), 0);
    assert_int_equal(run("help motion"), 0);
    assert_non_null(strstr(said, "max_events"));
    assert_int_equal(run("--version"), 0);
    assert_non_null(strstr(said, "amontons "));
    assert_non_null(strstr(said, ", commit ")); /* what a report of a mistake needs */
}

static void plot_draws_an_earlier_run_again(void **state) {
    (void)state;
    write_file("first.yaml", MODEL MOTION "figure: {x: u1, y: u2}\n");
    assert_int_equal(run("run first.yaml"), 0);
    if (!exists("first-results/figure.svg"))
        skip(); /* gnuplot is not installed */
    unlink(in_place("first-results/figure.svg"));
    assert_int_equal(run("plot first-results"), 0);
    assert_true(exists("first-results/figure.svg"));
    unlink(in_place("first-results/figure.svg"));
    assert_int_equal(run("plot first-results/summary.json"), 0);
    assert_true(exists("first-results/figure.svg"));
}

/* ---- The gallery ---- */

static void make_gallery(void) {
    assert_int_equal(mkdir(in_place("gallery"), 0777), 0);
    assert_int_equal(mkdir(in_place("gallery/mass"), 0777), 0);
    write_file("gallery/mass/fig2.yaml",
               "title: Second\n" MODEL MOTION "figure: {x: u1, y: u2}\nexpect: {state_changes: 9}\n");
    write_file("gallery/mass/fig10.yaml",
               "title: Tenth\n" MODEL MOTION "expect: {state_changes: 8}\nfull: {expect.state_changes: 9}\n");
}

static void the_gallery_runs_every_study_in_order_and_writes_its_page(void **state) {
    (void)state;
    make_gallery();
    assert_int_equal(run("gallery"), 1);
    const char *second = strstr(said, "✓ mass/fig2"), *tenth = strstr(said, "✗ mass/fig10");
    assert_true(second && tenth && second < tenth);
    assert_non_null(strstr(said, "page: gallery-out/index.html"));
    assert_true(exists("gallery-out/index.html"));
    assert_true(exists("gallery-out/mass/fig2/summary.json"));
    assert_true(exists("gallery-out/mass/fig10/summary.json"));
}

static void the_gallery_runs_one_study_by_name_and_the_full_variant(void **state) {
    (void)state;
    make_gallery();
    assert_int_equal(run("gallery fig2 --out page"), 0);
    assert_true(exists("page/mass/fig2/summary.json"));
    assert_false(exists("page/mass/fig10"));
    assert_int_equal(run("gallery mass/fig10 --full --out page"), 0);
    assert_int_equal(run("gallery fig22 --out other"), 2);
    expect_complaint("there is no study 'fig22'; did you mean 'fig2'?");
    assert_false(exists("other"));
}

static void a_gallery_study_that_fails_does_not_stop_the_others(void **state) {
    (void)state;
    make_gallery();
    write_file("gallery/mass/fig1.yaml", "model: 3\n" MOTION);
    write_file("gallery/mass/fig3.yaml", MODEL "analysis: {kind: motion, until: 38, max_events: 1}\n");
    assert_int_equal(run("gallery"), 3);
    assert_non_null(strstr(said, "✗ mass/fig1"));
    assert_non_null(strstr(said, "fig1.yaml:1:8: model must be a mapping"));
    assert_non_null(strstr(said, "✓ mass/fig2"));
    assert_true(exists("gallery-out/index.html"));
    assert_false(exists("gallery-out/mass/fig3"));
}

static void list_gallery_names_its_studies(void **state) {
    (void)state;
    assert_int_equal(run("list gallery"), 2); /* there is none here */
    make_gallery();
    assert_int_equal(run("list gallery"), 0);
    assert_non_null(strstr(said, "mass/fig10"));
}

/* ---- Bad input: status 2, one message with its position, and no results ---- */

static void a_bad_study_is_status_2_and_leaves_nothing(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], frction: 0.25}\n" MOTION,
         "bad.yaml:1:55: unknown key 'frction'"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: rough}\n" MOTION,
         "bad.yaml:1:55: friction must be a number"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: .nan}\n" MOTION,
         "bad.yaml:1:55: friction must be a finite"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: .inf}\n" MOTION,
         "bad.yaml:1:55: friction must be a finite"},
        {"model: {kind: klarbring, stiffness: [[1, 1], [1]], friction: 0}\n" MOTION, "bad.yaml:1:46: stiffness: row 2"},
        {"model: {kind: klarbring, stiffness: [[1, 2], [2, 1]], friction: 0}\n" MOTION, "bad.yaml:1:37: "},
        {"model: {kind: structure, stiffness: [[1, 2], [1, 1]]}\n" MOTION, "bad.yaml:1:37: "},
        {"model: {kind: structure, stiffness: [1, 1], mass: [[1, 2], [2, 1]]}\n" MOTION, "bad.yaml:1:51: "},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: -1}\n" MOTION, "bad.yaml:1:55: friction must be zero"},
        {"model: {kind: structure, stiffness: {file: none.mtx}}\n" MOTION, "bad.yaml:1:44: none.mtx: cannot be opened"},
        {"model: {kind: structure, stiffness: {file: .}}\n" MOTION, "bad.yaml:1:44: "},
        {MODEL MOTION "figure: {x: u1, y: u7}\n", "bad.yaml:3:20: unknown column 'u7'"},
        {MODEL MOTION "expect: {changes: 9}\n", "bad.yaml:3:10: unknown result 'changes'"},
        {"model: [\n", "this is not valid YAML"},
        {"", "bad.yaml: the file is empty"},
        {"\x01\x02", "bad.yaml: this is not a text file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("bad.yaml", cases[i].text);
        assert_int_equal(run("run bad.yaml"), 2);
        expect_complaint(cases[i].message);
        assert_string_equal(said, "");
        assert_false(exists("bad-results"));
    }
}

static void a_study_that_cannot_be_read_is_status_2(void **state) {
    (void)state;
    assert_int_equal(run("run none.yaml"), 2);
    expect_complaint("none.yaml: cannot be opened: No such file");
    assert_int_equal(mkdir(in_place("folder.yaml"), 0777), 0);
    assert_int_equal(run("run folder.yaml"), 2);
    expect_complaint("folder.yaml: is a folder, not a study file");
    write_file("secret.yaml", MODEL MOTION);
    assert_int_equal(chmod(in_place("secret.yaml"), 0), 0);
    assert_int_equal(run_in((circumstance){.as_nobody = true}, "run secret.yaml"), 2);
    expect_complaint("secret.yaml: cannot be opened: Permission denied");
    assert_false(exists("secret-results"));
}

static void a_huge_study_is_refused_without_being_read_whole(void **state) {
    (void)state;
    write_file("huge.yaml", MODEL MOTION);
    assert_int_equal(truncate(in_place("huge.yaml"), 1L << 40), 0); /* a terabyte that takes no room */
    assert_int_equal(run("run huge.yaml"), 2);
    expect_complaint("huge.yaml: the file is larger than 16 MiB");
    assert_int_equal(run("run /dev/zero"), 2);
    expect_complaint("/dev/zero: is a device, not a study file");
}

/* ---- What was computed is kept ---- */

static void results_are_written_before_mistakes_of_expect_and_figure_are_told(void **state) {
    (void)state;
    write_file("row.yaml", MODEL MOTION "figure: {x: u1, y: u2}\nexpect: {'events[99].t': 9}\n");
    assert_int_equal(run("run row.yaml --out row"), 1);
    expect_complaint("row.yaml:4:10: expect: there is no cell 'events[99].t'");
    assert_true(exists("row/summary.json") && exists("row/results.nc") && exists("row/events.csv"));
    write_file("many.yaml", MODEL MOTION "figure: {x: u1, y: u2, by: t}\n");
    assert_int_equal(run("check many.yaml"), 0); /* how many numbers there are only the outcome can tell */
    assert_int_equal(run("run many.yaml --out many"), 1);
    expect_complaint("many.yaml:3:28: column 't' has more than");
    assert_true(exists("many/summary.json") && exists("many/results.nc") && exists("many/events.csv"));
    assert_false(exists("many/figure.gp"));
    assert_int_equal(run("run many.yaml --json"), 1);
    assert_non_null(strstr(said, "\"state_changes\":\t9"));
}

/* ---- What `run` calls invalid input is what `check` refuses ---- */

#define DRIVEN(friction)                                                                                               \
    "model: {kind: structure, stiffness: [1], contacts: [{tangent: [1], law: held, hold: 1, friction: " friction       \
    "}], loads: [{direction: [1], sine: {amplitude: 3, frequency: 1}}]}\n"

static void what_only_the_outcome_can_tell_is_no_invalid_input(void **state) {
    (void)state;
    write_file("cycle.yaml", DRIVEN("1") "analysis: {kind: path, cycles: 1}\n"
                                         "figure:\n  curves:\n    - {x: t, y: q1}\n    - {table: cycle, x: t, y: q1}\n"
                                         "expect: {multipliers.rows: 1}\n");
    assert_int_equal(run("check cycle.yaml"), 0);
    assert_int_equal(run("run cycle.yaml --out cycle"), 1);
    assert_non_null(strstr(complained, "cycle.yaml:7:10: expect: there is no 'multipliers.rows': no table "
                                       "'multipliers' came out (all Floquet multipliers of the cycle)"));
    assert_non_null(
        strstr(complained, "cycle.yaml:6:15: no table 'cycle' came out (corners of the path in one period)"));
    assert_true(exists("cycle/figure.gp")); /* of the curve that is there */
}

/* Each point of the sweep runs long before it comes to what it asks also, which no start can have. */
static void a_refusal_behind_long_work_is_found_before_it(void **state) {
    (void)state;
    static const char text[] =
        "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, -0.99]}\n"
        "analysis: {kind: motion, until: 100000}\n"
        "also: {beyond: {kind: motion, until: 1, initial: {displacement: [0, -5]}}}\n"
        "sweep: {axes: {model.friction: [0.25, 0.3]}}\n";
    write_file("also.yaml", text);
    assert_int_equal(run("check also.yaml"), 2);
    expect_complaint("every point of the sweep failed (2); the first because: the start penetrates contact");
    assert_int_equal(run("run also.yaml"), 2);
    write_file(
        "many_points.yaml", /* which together are longer than any of them may begin */
        "model: {kind: shoe, h: 1, k2: 1.5, k1: 1, c1: 0.1, c0: 0.1, r: 1, l_p: -1, K_c: 1000, xi_c: 1.0e-5, mu: 0.5}\n"
        "analysis: {kind: stability, threshold: h, from: 1, to: 2}\n"
        "sweep: {axes: {model.c2: {from: 0.02, to: 0.4, count: 77}}}\n");
    assert_int_equal(run("check many_points.yaml"), 2);
    expect_complaint("every point of the sweep failed (77); the first because: there is no steady sliding");
}

/* A gnuplot of our own, which does what the shell script says. */
static void with_gnuplot(const char *script, const char *line, int status) {
    char path[1024], text[2048], *before = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s", in_place("programs"));
    mkdir(path, 0777);
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    write_file("programs/gnuplot", text);
    assert_int_equal(chmod(in_place("programs/gnuplot"), 0777), 0);
    snprintf(text, sizeof text, "%s:%s", path, before);
    setenv("PATH", text, 1);
    assert_int_equal(run(line), status);
    setenv("PATH", before, 1);
    free(before);
}

static void a_figure_that_cannot_be_drawn_does_not_cost_the_results(void **state) {
    (void)state;
    static const char *const scripts[][2] = {
        {"echo no terminal; exit 1", "gnuplot says: no terminal"},
        {"kill -9 $$", "ended by signal 9"},
        {"exit 0", "figure.svg was not written completely"},
        {"printf '<svg><script>x</script></svg>%060d</svg>' 0 >figure.svg; printf '%0100dIEND' 0 >figure.png",
         "figure.svg is not the drawing that was asked for: line 1: an element that is no part of a drawing"},
        {"printf '<svg><text>R&D</text></svg>%60s\n' '' >figure.svg; printf '%0100dIEND' 0 >figure.png; "
         "printf '</svg>' >>figure.svg",
         "figure.svg is not the drawing that was asked for: line 1: an & that begins no entity"}};
    write_file("drawn.yaml", MODEL MOTION "figure: {x: u1, y: u2}\nexpect: {state_changes: 9}\n");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        with_gnuplot(scripts[i][0], "run drawn.yaml --out drawn", 3);
        expect_complaint(scripts[i][1]);
        assert_true(exists("drawn/summary.json") && exists("drawn/results.nc") && exists("drawn/events.csv"));
        assert_false(exists("drawn/figure.svg"));
        assert_true(exists("drawn/figure.gp")); /* for `plot`, when gnuplot is well again */
        remove_tree(in_place("drawn"));
    }
}

/* Whatever the texts of a study say, and whichever files it names, nothing appears outside the folder of its results.
 */
static void a_study_leaves_nothing_outside_its_results(void **state) {
    (void)state;
    static const char *const texts[] = {"`touch stolen`",
                                        "$(touch stolen)",
                                        "'; system('touch stolen'); '",
                                        "\\nset output 'stolen'\\n",
                                        "{/A\\\"><script>x</script>",
                                        "../../stolen"};
    assert_int_equal(run("--version"), 0); /* what this test itself writes is there */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char study[2048];
        snprintf(study, sizeof study,
                 "title: \"%s\"\nsource: \"%s\"\n" MODEL MOTION "also: {\"b_%zu\": {kind: motion, until: 3}}\n"
                 "figure: {curves: [{x: u1, y: u2, label: \"%s\"}], x_label: \"%s\"}\n",
                 texts[i], texts[i], i, texts[i], texts[i]);
        write_file("stranger.yaml", study);
        int before = entries("");
        assert_int_equal(run("run stranger.yaml --out inside"), 0);
        assert_int_equal(entries(""), before + 1);
        assert_false(exists("inside/stolen"));
        remove_tree(in_place("inside"));
    }
    static const char *const names[] = {"../stolen", "a/b", "/tmp/stolen", ".."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char study[1024];
        snprintf(study, sizeof study, MODEL MOTION "also: {\"%s\": {kind: motion, until: 3}}\n", names[i]);
        write_file("stranger.yaml", study);
        assert_int_equal(run("run stranger.yaml --out inside"), 2);
        expect_complaint("cannot name an analysis");
        assert_false(exists("inside"));
    }
}

/* Files that would end the command at once if the loader took them for the libraries of these names. */
static void libraries_in_the_current_folder_are_not_loaded(void **state) {
    (void)state;
    static const char *const names[] = {"libfyaml.so.0",   "libcjson.so.1",    "libnetcdf.so.19",
                                        "libgomp.so.1",    "libm.so.6",        "libc.so.6",
                                        "liblapacke.so.3", "libopenblas.so.0", "libdmumps_seq-5.5.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        write_file(names[i], "");
    assert_int_equal(run("--version"), 0);
}

static void bad_command_lines_are_status_2(void **state) {
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {{"rnu", "unknown command 'rnu'; did you mean 'run'?"},
                 {"run", "something is missing; usage: amontons run STUDY"},
                 {"run a b", "'b' is one argument more"},
                 {"run a --jsn", "unknown option '--jsn'; did you mean '--json'?"},
                 {"check a --json", "unknown option '--json'"},
                 {"run a --set", "--set needs a value"},
                 {"run a --set x", "--set needs path=value"},
                 {"run a --threads 0", "--threads needs a whole number from 1"},
                 {"run a --threads=many", "--threads needs a whole number from 1"},
                 {"run a --json=1", "--json takes no value"},
                 {"new klarbrng", "unknown kind 'klarbrng'; did you mean 'klarbring'?"},
                 {"help sttes", "unknown topic 'sttes'; did you mean 'states'?"},
                 {"list modells", "unknown topic 'modells'; did you mean 'models'?"},
                 {"plot none", "none: there are no such results"},
                 {"plot .", "there is no figure.gp in ."}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(run(cases[i].line), 2);
        expect_complaint(cases[i].message);
    }
    assert_int_equal(run(""), 2);
}

/* ---- Output that cannot be written ---- */

static void a_folder_that_cannot_be_written_is_found_before_the_run(void **state) {
    (void)state;
    write_file("long.yaml", LONG_SWEEP); /* would run for minutes */
    write_file("file", "");
    assert_int_equal(run("run long.yaml --out file"), 2);
    expect_complaint("file");
    assert_int_equal(run("run long.yaml --out file/deeper"), 2);
    assert_int_equal(mkdir(in_place("closed"), 0555), 0);
    assert_int_equal(run_in((circumstance){.as_nobody = true}, "run long.yaml --out closed"), 2);
    expect_complaint("Permission denied");
    assert_int_equal(entries("closed"), 0);
    assert_int_equal(run_in((circumstance){.as_nobody = true}, "run long.yaml --out closed/deeper"), 2);
    assert_int_equal(entries("closed"), 0);
}

static void a_disk_that_is_full_is_status_3_and_leaves_nothing(void **state) {
    (void)state;
    write_file("first.yaml", MODEL MOTION "figure: {x: u1, y: u2}\n");
    assert_int_equal(run_in((circumstance){.largest_file = 4096}, "run first.yaml --out here"), 3);
    expect_complaint("here");
    assert_int_equal(entries("here"), -1);
    assert_int_equal(mkdir(in_place("there"), 0777), 0);
    write_file("there/mine.txt", "kept");
    assert_int_equal(run_in((circumstance){.largest_file = 4096}, "run first.yaml --out there"), 3);
    assert_int_equal(entries("there"), 1);
}

/* OpenBLAS asks again and again for a buffer that it cannot have: without a word before, the run would never end. 200
 * MB hold the command and its libraries, but not that buffer as well. */
static void too_little_memory_for_linear_algebra_is_status_3(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* the sanitizer itself takes more address space than any limit */
#endif
    write_file("first.yaml", MODEL MOTION);
    assert_int_equal(setenv("OPENBLAS_NUM_THREADS", "1", 1), 0); /* its helpers start before main */
    int status = run_in((circumstance){.most_memory = 200000000}, "run first.yaml --out here --threads 1");
    if (status == 127)
        skip(); /* the libraries alone are larger here */
    assert_int_equal(status, 3);
    expect_complaint("linear algebra needs 130 MB of memory");
    assert_int_equal(entries("here"), -1);
}

static void results_of_an_earlier_run_survive_a_failed_one(void **state) {
    (void)state;
    write_file("first.yaml", MODEL "analysis: {kind: motion, until: 38, samples: 11}\n");
    assert_int_equal(run("run first.yaml --out here"), 0);
    char *before = read_all("here/summary.json");
    int count = entries("here");
    assert_int_equal(run("run first.yaml --out here --set analysis.max_events=1"), 3);
    assert_int_equal(
        run_in((circumstance){.largest_file = 4096}, "run first.yaml --out here --set analysis.samples=99"), 3);
    char *after = read_all("here/summary.json");
    assert_string_equal(before, after);
    assert_int_equal(entries("here"), count);
    free(before);
    free(after);
}

static void a_failed_computation_is_status_3_and_leaves_nothing(void **state) {
    (void)state;
    write_file("first.yaml", MODEL "analysis: {kind: motion, until: 38, max_events: 1}\n");
    assert_int_equal(run("run first.yaml"), 3);
    assert_string_equal(said, "");
    assert_true(strlen(complained) > 20);
    assert_false(exists("first-results"));
}

static void standard_output_that_cannot_be_written_is_status_3(void **state) {
    (void)state;
    write_file("first.yaml", MODEL MOTION);
    assert_int_equal(run_in((circumstance){.standard_output = "/dev/full"}, "run first.yaml --json"), 3);
    expect_complaint("cannot write to standard output: No space left on device");
    assert_int_equal(run_in((circumstance){.standard_output = "/dev/full"}, "new klarbring"), 3);
    assert_int_equal(run_in((circumstance){.standard_output = "/dev/full"}, "list"), 3);
}

static void a_reader_that_goes_away_is_status_3(void **state) {
    (void)state;
    int ends[2];
    char name[64];
    write_file("first.yaml", MODEL MOTION);
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    /* the reading end lives only until the child has opened the other by name and started */
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char *arguments[] = {"amontons", "run", "first.yaml", "--json", NULL};
        int err = open(in_place("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        close(ends[0]);
        if (err < 0 || dup2(ends[1], 1) < 0 || dup2(err, 2) < 0 || chdir(place) != 0)
            _exit(99);
        wait_a_little(200);
        execv(AMONTONS_COMMAND, arguments);
        _exit(99);
    }
    close(ends[0]);
    close(ends[1]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
}

/* ---- Ctrl-C ---- */

/* A sweep keeps the points that it has, and nothing else. */
static void interrupt_sweep(int number) {
    write_file("long.yaml", LONG_SWEEP);
    assert_int_equal(run_in((circumstance){.interrupt_with = number}, "run long.yaml --out here"), 130);
    expect_complaint("interrupted after");
    expect_complaint("of 1000000 points of the sweep; the same command goes on from there");
    assert_string_equal(said, "");
    assert_int_equal(entries("here"), 1);
    assert_true(entries("here/sweep-parts") >= 2); /* the plan, and points */
}

static void an_interrupted_sweep_is_status_130_and_keeps_its_points(void **state) {
    (void)state;
    interrupt_sweep(SIGINT);
}

static void an_interrupted_sweep_that_writes_no_files_leaves_nothing(void **state) {
    (void)state;
    write_file("long.yaml", LONG_SWEEP);
    assert_int_equal(run_in((circumstance){.interrupt_with = SIGINT}, "run long.yaml --json"), 130);
    expect_complaint("interrupted; nothing was written");
    assert_int_equal(entries("."), 3); /* study, stdout, stderr */
}

/* A motion is kept until where it came, and says that it did not come further. */
static void an_interrupted_motion_is_status_130_and_keeps_what_it_has(void **state) {
    (void)state;
    write_file("long.yaml", "model: {kind: klarbring, stiffness: [[1, 0], [0, 1]], friction: 0.1, load: [0, -1],\n"
                            "  loads: [{direction: [1, 0], sine: {amplitude: 1, frequency: 1.3}}]}\n"
                            "analysis: {kind: motion, until: 1e8, max_events: 1e9, max_spans: 1e9, samples: 2}\n"
                            "expect: {t_end: 1e8}\n");
    assert_int_equal(run_in((circumstance){.interrupt_with = SIGINT}, "run long.yaml --out here"), 130);
    expect_complaint("interrupted at t = ");
    expect_complaint("what was computed until then is in here, marked `interrupted`");
    assert_string_equal(said, "");
    char *summary = read_all("here/summary.json");
    assert_non_null(strstr(summary, "\"interrupted\":\ttrue"));
    assert_non_null(strstr(summary, "\"t_end\""));
    free(summary);
    assert_true(exists("here/events.csv"));
}

/* Results that are whole stay. */
static void an_interrupted_motion_leaves_earlier_results_as_they_are(void **state) {
    (void)state;
    const char *model = "model: {kind: klarbring, stiffness: [[1, 0], [0, 1]], friction: 0.1, load: [0, -1],\n"
                        "  loads: [{direction: [1, 0], sine: {amplitude: 1, frequency: 1.3}}]}\n";
    char text[1024];
    snprintf(text, sizeof text, "%sanalysis: {kind: motion, until: 10}\n", model);
    write_file("long.yaml", text);
    assert_int_equal(run_in((circumstance){0}, "run long.yaml --out here"), 0);
    char *before = read_all("here/summary.json");
    snprintf(text, sizeof text, "%sanalysis: {kind: motion, until: 1e8, max_events: 1e9, max_spans: 1e9}\n", model);
    write_file("long.yaml", text);
    assert_int_equal(run_in((circumstance){.interrupt_with = SIGTERM}, "run long.yaml --out here"), 130);
    expect_complaint("the results of an earlier run in here were left as they are");
    char *after = read_all("here/summary.json");
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* Of a hundred million starts those are listed that were followed. */
static void an_interrupted_map_is_status_130_and_keeps_its_fates(void **state) {
    (void)state;
    write_file(
        "long.yaml",
        "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 1.25, load_rate: bisector}\n"
        "analysis: {kind: attractors, starts: {v1: {from: -10, to: 10, count: 9999}, v2: {from: 0, to: 9, count: "
        "9999}}}\n");
    assert_int_equal(run_in((circumstance){.interrupt_with = SIGINT}, "run long.yaml --out here"), 130);
    expect_complaint("what was computed until then is in here, marked `interrupted`");
    assert_string_equal(said, "");
    char *summary = read_all("here/summary.json");
    assert_non_null(strstr(summary, "\"interrupted\":\ttrue"));
    assert_non_null(strstr(summary, "\"not_run\""));
    free(summary);
    assert_true(exists("here/map.csv"));
}

static void a_request_to_end_is_obeyed_like_ctrl_c(void **state) {
    (void)state;
    interrupt_sweep(SIGTERM);
}

static void an_interrupted_gallery_has_no_page(void **state) {
    (void)state;
    make_gallery();
    write_file("gallery/mass/fig11.yaml", LONG_SWEEP);
    assert_int_equal(run_in((circumstance){.interrupt_with = SIGINT}, "gallery fig11"), 130);
    expect_complaint("interrupted; the page was not written");
    assert_false(exists("gallery-out/index.html"));
    assert_int_equal(entries("gallery-out/mass/fig11"), 1); /* points of the sweep, to go on from */
    assert_true(exists("gallery-out/mass/fig11/sweep-parts/plan.json"));
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void) {
    setenv("AMONTONS_GALLERY", "gallery", 1); /* of the folder the test runs in, not the one beside the command */
    const struct CMUnitTest tests[] = {
        IN_PLACE(run_writes_results_beside_nothing_else),
        IN_PLACE(out_names_the_folder),
        IN_PLACE(an_expectation_not_met_is_status_1_with_everything_written),
        IN_PLACE(json_is_one_document_and_writes_no_files),
        IN_PLACE(a_run_that_went_well_complains_of_nothing),
        IN_PLACE(a_law_that_an_analysis_cannot_have_is_status_2),
        IN_PLACE(texts_of_a_summary_do_not_flood_the_terminal),
        IN_PLACE(set_changes_a_field),
        IN_PLACE(check_says_what_the_study_is),
        IN_PLACE(what_new_and_show_print_can_be_run),
        IN_PLACE(lists_and_help_know_the_kinds),
        IN_PLACE(plot_draws_an_earlier_run_again),
        IN_PLACE(the_gallery_runs_every_study_in_order_and_writes_its_page),
        IN_PLACE(the_gallery_runs_one_study_by_name_and_the_full_variant),
        IN_PLACE(a_gallery_study_that_fails_does_not_stop_the_others),
        IN_PLACE(list_gallery_names_its_studies),
        IN_PLACE(a_bad_study_is_status_2_and_leaves_nothing),
        IN_PLACE(a_study_that_cannot_be_read_is_status_2),
        IN_PLACE(a_huge_study_is_refused_without_being_read_whole),
        IN_PLACE(libraries_in_the_current_folder_are_not_loaded),
        IN_PLACE(a_study_leaves_nothing_outside_its_results),
        IN_PLACE(results_are_written_before_mistakes_of_expect_and_figure_are_told),
        IN_PLACE(what_only_the_outcome_can_tell_is_no_invalid_input),
        IN_PLACE(a_refusal_behind_long_work_is_found_before_it),
        IN_PLACE(a_figure_that_cannot_be_drawn_does_not_cost_the_results),
        IN_PLACE(bad_command_lines_are_status_2),
        IN_PLACE(a_folder_that_cannot_be_written_is_found_before_the_run),
        IN_PLACE(a_disk_that_is_full_is_status_3_and_leaves_nothing),
        IN_PLACE(too_little_memory_for_linear_algebra_is_status_3),
        IN_PLACE(results_of_an_earlier_run_survive_a_failed_one),
        IN_PLACE(a_failed_computation_is_status_3_and_leaves_nothing),
        IN_PLACE(standard_output_that_cannot_be_written_is_status_3),
        IN_PLACE(a_reader_that_goes_away_is_status_3),
        IN_PLACE(an_interrupted_sweep_is_status_130_and_keeps_its_points),
        IN_PLACE(an_interrupted_sweep_that_writes_no_files_leaves_nothing),
        IN_PLACE(an_interrupted_motion_is_status_130_and_keeps_what_it_has),
        IN_PLACE(an_interrupted_motion_leaves_earlier_results_as_they_are),
        IN_PLACE(an_interrupted_map_is_status_130_and_keeps_its_fates),
        IN_PLACE(a_request_to_end_is_obeyed_like_ctrl_c),
        IN_PLACE(an_interrupted_gallery_has_no_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
