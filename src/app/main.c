/* The command `amontons`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "amontons/version.h"
#include "app/command.h"
#include "base/text.h"
#include "base/watch.h"

const am_command am_commands[] = {
    {"run",
     "STUDY [--set path=value]... [--out DIR] [--json] [--quiet] [--verbose] [--full] [--threads N] [--force] "
     "[--allow-read DIR]...",
     "run a study and write its results",
     "Tables go into DIR as CSV and NetCDF, the figure as SVG and PNG with its gnuplot script, and everything that "
     "fits on\n"
     "a page into summary.json. Without --out, DIR is the study's name with -results added, in the current folder.\n"
     "With --json one JSON document goes to standard output and nothing else; files are then only written with --out.\n"
     "STUDY may be - for standard input; files that it names are then looked for in the current folder.\n"
     "--verbose (-v) prints counters and residuals too, --quiet (-q) what went wrong only; -o is --out.\n"
     "--set replaces or adds one field before anything is checked: --set model.friction=0.3\n"
     "--full takes the finer values the study keeps under `full`.\n"
     "A study reads files from its own folder and below; --allow-read names another folder that it may read from.\n"
     "A sweep that was interrupted, whatever by, goes on where it was when the same command is given again. Several\n"
     "machines share it: mpirun amontons run STUDY. --force throws away what another study left in DIR.\n",
     AM_TAKES_SET | AM_TAKES_OUT | AM_TAKES_JSON | AM_TAKES_THREADS | AM_TAKES_FULL | AM_TAKES_FORCE | AM_TAKES_ALLOW |
         AM_TAKES_QUIET | AM_TAKES_VERBOSE,
     1, 1, am_command_run},
    {"check", "STUDY... [--set path=value]... [--quiet] [--full] [--allow-read DIR]...",
     "read and check studies without running them",
     "Whatever run would refuse before it computes is refused, with file, line and column. --quiet (-q) prints errors\n"
     "only. STUDY may be - for standard input. The status is that of the worst study.\n",
     AM_TAKES_SET | AM_TAKES_FULL | AM_TAKES_ALLOW | AM_TAKES_QUIET, 1, AM_MOST_NAMES, am_command_check},
    {"show", "STUDY [--numbers] [--json] [--set path=value]... [--full] [--allow-read DIR]...",
     "print the study with its model written out as a structure",
     "What is printed is a study itself, with all matrices, contacts and loads in full precision.\n"
     "--numbers prints the numbers of its model instead, one a line: names that `over`, `threshold`, `along`, axes of\n"
     "sweeps and --set model.NAME=VALUE take, and their values. Those that the study leaves out and that have a rule\n"
     "instead of a value are not printed; they have names too (`amontons help KIND`).\n"
     "--json prints the structure as one JSON document: coordinates, contacts with their rows and laws, loads, "
     "matrices.\n",
     AM_TAKES_JSON | AM_TAKES_SET | AM_TAKES_FULL | AM_TAKES_ALLOW | AM_TAKES_NUMBERS, 1, 1, am_command_show},
    {"new", "KIND", "print a study to start from, for a model or an analysis",
     "    amontons new klarbring > first.yaml\n    amontons run first.yaml\n", 0, 1, 1, am_command_new},
    {"import", "FILE... [--out DIR] [--json] [--force]",
     "read matrices of finite elements, say what they hold, and write a study to go on from",
     "FILE is a matrix as another program writes it: Abaqus *MATRIX GENERATE (.mtx), CalculiX (.sti, .mas), Nastran "
     "DMIG\n"
     "punch, Harwell-Boeing (Ansys), MATLAB (K, M, C, dof), Matrix Market or CSV; the format is found from the "
     "content. "
     "Which\n"
     "matrix it is follows from its name, or is said: stiffness=FILE, mass=FILE, damping=FILE. Labels of the "
     "coordinates\n"
     "come from the file, from a .dof file beside it, or from labels=FILE; sets of nodes from an input deck (.inp).\n"
     "Printed are size, symmetry, rigid motions and the first ten frequencies (radians per unit of time).\n"
     "The study is written into DIR, the current folder unless given, under the name of the stiffness with .yaml; one "
     "that\n"
     "is there is kept, unless --force is given. With --json one JSON document goes to standard output (coordinates,\n"
     "frequencies, warnings, ...) and nothing else; the study is then only written with --out.\n",
     AM_TAKES_OUT | AM_TAKES_JSON | AM_TAKES_FORCE, 1, AM_MOST_ARGUMENTS, am_command_import},
    {"list", "[models|analyses|laws|gallery]", "list what there is", NULL, 0, 0, 1, am_command_list},
    {"plot", "RESULT [--animate [--set animation.KEY=VALUE]...]", "draw the figure of an earlier run again",
     "RESULT is the folder of a run, or a file in it. Its script figure.gp may have been edited.\n\n"
     "--animate writes animation.svg instead: the structure in motion, drawn from the study and the tables that lie "
     "in\n"
     "the folder. It moves in any browser, without scripts. `amontons help animation` lists the keys.\n",
     AM_TAKES_ANIMATE | AM_TAKES_SET, 1, 1, am_command_plot},
    {"verify", "RESULT", "check that the results of an earlier run are as they were written",
     "RESULT is the folder of a run, or a file in it. Every file is compared with its checksum in SHA256SUMS (which\n"
     "`sha256sum -c` reads too), and the points of a sweep that is not finished with theirs. What is missing, changed "
     "or\n"
     "half-written is named, and so is what is foreign or was left by a run that was ended. Status 0: all of it is "
     "whole;\n"
     "3: something is not; 2: there are no results.\n",
     0, 1, 1, am_command_verify},
    {"gallery", "[NAME]... [--out DIR] [--full] [--threads N]", "run the studies of the gallery and write its page",
     "NAME is a group (klarbring), a study (fig4b) or both (klarbring/fig4b); without a name all are run. The page is\n"
     "DIR/index.html, DIR is gallery-out unless given. The studies are looked for in the folder $AMONTONS_GALLERY, "
     "then\n"
     "in ./gallery, then beside the command (where it was built or installed).\n",
     AM_TAKES_OUT | AM_TAKES_FULL | AM_TAKES_THREADS, 0, AM_MOST_ARGUMENTS, am_command_gallery},
    {"lab", "[STUDY|FOLDER] [--port N] [--no-browser] [--threads N] [--memory MB] [--seconds S]",
     "try studies in the browser: change numbers and watch",
     "A server of this machine alone (127.0.0.1) gives the page; its address is printed and opened by $BROWSER or\n"
     "xdg-open, unless there is no display or --no-browser is given. Ctrl-C ends it. Studies of the gallery can be\n"
     "read, and those of FOLDER, or beside STUDY, read and saved; nothing else can. Runs happen in processes of their\n"
     "own that may take --memory megabytes (half of the machine's, unless given) and --seconds of processor time (60;\n"
     "not for jobs). Scripts use the same server: docs/lab.md.\n",
     AM_TAKES_LAB | AM_TAKES_THREADS, 0, 1, am_command_lab},
    {"schema", "[study|result]", "print a JSON schema, for editors and programs",
     "That of studies (`study`, unless said otherwise) lets an editor complete and check a study while it is written;\n"
     "`result` is that of the documents that --json prints. Both are made from the tables that read studies.\n",
     0, 0, 1, am_command_schema},
    {"help", "[TOPIC]", "explain a command, a model, an analysis or a key", NULL, 0, 0, 1, am_command_help},
    {"complete", "WORD...", NULL, NULL, 0, 0, AM_MOST_ARGUMENTS, am_command_complete},
    {NULL, NULL, NULL, NULL, 0, 0, 0, NULL}};

static const am_command *find_command(const char *name) {
    const char *names[32] = {NULL};
    size_t count = 0;
    for (; am_commands[count].name; count++) {
        names[count] = am_commands[count].name;
        if (strcmp(names[count], name) == 0)
            return &am_commands[count];
    }
    const char *nearest = am_text_nearest(name, names, count);
    if (nearest)
        am_print_error("amontons: unknown command '%.60s'; did you mean '%s'?", name, nearest);
    else
        am_print_error("amontons: unknown command '%.60s'; `amontons help` lists the commands", name);
    return NULL;
}

static am_exit dispatch(int argc, char **argv) {
    if (argc < 2) {
        am_print_usage(NULL);
        return AM_EXIT_INVALID;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("amontons %s\n", am_version());
        return AM_EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        am_print_usage(NULL);
        return AM_EXIT_DONE;
    }
    const am_command *command = find_command(argv[1]);
    am_options options = {0};
    am_exit status = AM_EXIT_INVALID;
    for (int i = 2; command && (command->takes & AM_TAKES_JSON) && i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            am_want_error_document(); /* whatever else is wrong with the line */
    if (command && am_options_parse(command, argc - 2, argv + 2, &options)) {
        if (options.help)
            am_print_usage(command);
        else if (command->takes & (AM_TAKES_FULL | AM_TAKES_LAB)) /* commands that read studies */
            am_check_memory_for_algebra(command->takes & AM_TAKES_THREADS ? options.threads : 1);
        status = options.help ? AM_EXIT_DONE : command->run(&options);
    }
    am_print_error_document(status);
    am_options_free(&options);
    return status;
}

/* Why standard output cannot be written: a stream keeps only that it failed, so the write is tried once more. */
static int reason_of_failure(void) {
    clearerr(stdout);
    errno = 0;
    return putchar('\n') != EOF && fflush(stdout) == 0 ? 0 : errno;
}

/* A reader that went away has seen what it wanted (`amontons help | head -1`), except of a document. */
static am_exit end_output(am_exit status, bool document) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    int reason = reason_of_failure();
    if (reason == EPIPE && !document)
        return status;
    if (reason != EPIPE)
        am_print_error("amontons: cannot write to standard output: %s", reason ? strerror(reason) : "a write failed");
    return AM_EXIT_FAILED;
}

static bool is_wanted(void *context, double fraction) {
    (void)context;
    (void)fraction;
    return !am_interrupted();
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away is a write that fails, and is reported as one */
    signal(SIGXFSZ, SIG_IGN); /* so is a file that grows beyond `ulimit -f` */
    am_interrupt_watch();
    am_watch watch; /* reading a study and building its model can be stopped as well */
    am_watch_begin(&watch, &(am_progress){.report = is_wanted});
    am_exit status = dispatch(argc, argv);
    am_watch_end(&watch, AM_OK, NULL);
    return (int)end_output(status, am_printed_document());
}
