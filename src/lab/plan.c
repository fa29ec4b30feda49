#include "lab/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/local.h"
#include "base/sha256.h"
#include "lab/places.h"
#include "lab/work.h"
#include "output/replace.h"
#include "study/describe.h"
#include "study/files.h"

/* One request on its way to a plan. */
typedef struct asking {
    const am_lab_options *options;
    const am_lab_request *request;
    am_lab_plan *plan;
} asking;

typedef void plan_it(const asking *a);

static void refuse(const asking *a, unsigned status, const char *why) {
    am_error err = {0};
    am_fail(&err, AM_ERR_INPUT, "%s", why);
    a->plan->step = AM_LAB_SAY;
    am_lab_refuse(&a->plan->answer, status, &err);
}

static const char *argument(const asking *a, const char *name) {
    for (size_t i = 0; i < a->request->argument_count; i++)
        if (strcmp(a->request->arguments[i].name, name) == 0)
            return a->request->arguments[i].value;
    return NULL;
}

static bool is_on(const asking *a, const char *name) {
    const char *value = argument(a, name);
    return value && strcmp(value, "1") == 0;
}

/* ---- Work ---- */

/* The text of a study, ended by a zero; NULL: it is none, and the request is refused. */
static const char *text_of_body(const asking *a) {
    const am_lab_request *r = a->request;
    if (r->length == 0)
        refuse(a, AM_LAB_BAD, "the body is empty; expected the text of a study");
    else if (memchr(r->body, '\0', r->length))
        refuse(a, AM_LAB_BAD, "the body is not a text (UTF-8); expected a study in YAML");
    else
        return am_arena_text(&a->plan->memory, r->body, r->length, NULL);
    return NULL;
}

/* A setting may change a number or a flag: what else it could name (a file, a law) the text says itself. */
static bool is_number_or_flag(const char *value) {
    double number;
    size_t length = am_text_parse_number(value, &number);
    return (length > 0 && value[length] == '\0') || strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

/* "model.friction=0.3" */
static bool add_setting(const asking *a, const char *text) {
    am_lab_order *order = &a->plan->order;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !is_number_or_flag(equals + 1)) {
        refuse(a, AM_LAB_BAD, "set needs path=value with a number, true or false: set=model.friction=0.3");
        return false;
    }
    if (order->setting_count == AM_LAB_SETTINGS) {
        refuse(a, AM_LAB_BAD, "there are too many settings; change the text of the study");
        return false;
    }
    order->settings[order->setting_count++] =
        (am_setting){am_arena_text(&a->plan->memory, text, (size_t)(equals - text), NULL),
                     am_arena_text(&a->plan->memory, equals + 1, strlen(equals + 1), NULL)};
    return true;
}

/* `name`: where the text came from. */
static bool take_name(const asking *a) {
    am_lab_order *order = &a->plan->order;
    const char *name = argument(a, "name"), *below = "";
    order->name = "";
    if (!name || !*name)
        return true;
    order->root = am_lab_name_root(name, &below);
    order->name = am_arena_text(&a->plan->memory, below, strlen(below), NULL);
    if (order->root != AM_LAB_NOWHERE && am_lab_folder(a->options, order->root))
        return true;
    refuse(a, AM_LAB_BAD, "this is no name of a study here; expected folder/NAME.yaml or gallery/GROUP/NAME.yaml");
    return false;
}

/* A page may ask for less time than it could have; clocks know no less than a millisecond. */
static bool take_seconds(const asking *a) {
    const char *text = argument(a, "seconds");
    double *seconds = &a->plan->order.seconds, wanted;
    size_t length = text ? am_text_parse_number(text, &wanted) : 0;
    if (text && (length == 0 || text[length] != '\0' || !(wanted > 0))) {
        refuse(a, AM_LAB_BAD, "seconds must be a positive number");
        return false;
    }
    if (text && wanted < (*seconds > 0 ? *seconds : 1e6))
        *seconds = fmax(wanted, 1e-3);
    return true;
}

/* "00f3": up to 16 digits, to *end; 0: there are none, or too many. */
static uint64_t read_digits(const char *text, const char **end) {
    size_t length = strspn(text, "0123456789abcdef");
    *end = text + length;
    return length > 0 && length <= 16 ? strtoull(text, NULL, 16) : 0;
}

/* The branches of a run are kept, and drawn again from there. */
static bool take_trace(const asking *a) {
    enum { MOST_POINTS = 1000 };
    const char *trace = argument(a, "trace"), *preview = argument(a, "preview"), *end = "";
    am_lab_order *order = &a->plan->order;
    order->trace = trace ? read_digits(trace, &end) : 0;
    if (trace && (order->trace == 0 || *end)) {
        refuse(a, AM_LAB_BAD, "trace is a number of your choosing, 1 to 16 of the digits 0 to f");
        return false;
    }
    double points = 0.0;
    size_t length = preview ? am_text_parse_number(preview, &points) : 0;
    if (preview && (length == 0 || preview[length] != '\0' || !(points >= 1 && points <= MOST_POINTS) || !trace)) {
        refuse(a, AM_LAB_BAD, "preview is a number of points, 1 to 1000, of the branches that `trace` names");
        return false;
    }
    order->preview = (size_t)points;
    return true;
}

static bool take_format(const asking *a) {
    const char *format = argument(a, "format"), *figure = argument(a, "figure");
    am_lab_order *order = &a->plan->order;
    order->png = format && strcmp(format, "png") == 0;
    order->svg = figure && strcmp(figure, "svg") == 0;
    order->columns = a->request->columns;
    order->full = is_on(a, "full");
    if ((format && !order->png && strcmp(format, "svg") != 0) || (figure && !order->svg)) {
        refuse(a, AM_LAB_BAD, "a figure is svg or png, and figure=svg adds it to the results");
        return false;
    }
    return true;
}

static bool take_settings(const asking *a) {
    for (size_t i = 0; i < a->request->argument_count; i++)
        if (strcmp(a->request->arguments[i].name, "set") == 0 && !add_setting(a, a->request->arguments[i].value))
            return false;
    return true;
}

static void plan_work(const asking *a, am_lab_task task, bool job) {
    am_lab_order *order = &a->plan->order;
    bool text = task != AM_LAB_STUDIES && task != AM_LAB_SCHEMA;
    *order = (am_lab_order){.task = task, .name = "", .text = "", .job = job};
    order->seconds = job ? 0 : a->options->seconds;
    if (!take_name(a) || !take_seconds(a) || !take_format(a) || !take_trace(a) || !take_settings(a))
        return;
    order->text = text ? text_of_body(a) : "";
    if (text && a->plan->answer.status != 0)
        return;
    if (am_arena_status(&a->plan->memory) != AM_OK)
        refuse(a, AM_LAB_FAILED, "out of memory");
    else
        a->plan->step = job ? AM_LAB_START_JOB : AM_LAB_DO;
}

static void list_studies(const asking *a) {
    plan_work(a, AM_LAB_STUDIES, false);
}

static void send_schema(const asking *a) {
    plan_work(a, AM_LAB_SCHEMA, false);
}

static void check(const asking *a) {
    plan_work(a, AM_LAB_CHECK, false);
}

static void find_numbers(const asking *a) {
    plan_work(a, AM_LAB_NUMBERS, false);
}

static void show_structure(const asking *a) {
    plan_work(a, AM_LAB_STRUCTURE, false);
}

static void run(const asking *a) {
    plan_work(a, AM_LAB_RUN, false);
}

static void draw(const asking *a) {
    plan_work(a, AM_LAB_FIGURE, false);
}

static void start_job(const asking *a) {
    plan_work(a, AM_LAB_RUN, true);
}

/* ---- Texts of studies ---- */

static void send_text(const asking *a, const char *name, const char *text, size_t length) {
    char sum[AM_SHA256_TEXT];
    am_sha256 state;
    am_sha256_begin(&state);
    am_sha256_add(&state, text, length);
    am_sha256_end(&state, sum);
    am_text *out = &a->plan->answer.body;
    a->plan->step = AM_LAB_SAY;
    a->plan->answer.status = AM_LAB_OK;
    am_text_add(out, "{\"name\": ");
    am_describe_string(out, name);
    am_text_printf(out, ", \"sum\": \"%s\", \"text\": ", sum);
    am_describe_string(out, text);
    am_text_add(out, "}");
}

static void read_study(const asking *a) {
    AM_LOCAL(am_text_free) am_text path = {0}, text = {0};
    const char *name = argument(a, "name");
    am_error err = {0};
    bool found = false;
    if (am_lab_path(a->options, name, &path, &found, &err) != AM_OK)
        refuse(a, AM_LAB_NOT_FOUND, err.message);
    else if (!found)
        refuse(a, AM_LAB_NOT_FOUND, "there is no study of this name");
    else if (am_input_read(path.data, "a study file", AM_LAB_BODY, &text, &err) != AM_OK)
        refuse(a, AM_LAB_NOT_FOUND, "the study cannot be read, or is larger than 4 MiB");
    else if (strlen(text.data) != text.length)
        refuse(a, AM_LAB_REFUSED, "the study is not a text (UTF-8)");
    else
        send_text(a, name, text.data, text.length);
}

/* The file still is what the page has read, or it is not there and the page knows of none. */
static bool is_unchanged(const char *path, bool found, const char *was, am_error *err) {
    AM_LOCAL(am_text_free) am_text text = {0};
    char sum[AM_SHA256_TEXT];
    am_sha256 state;
    if (!found)
        return true;
    if (!was || am_input_read(path, "a study file", AM_LAB_BODY, &text, err) != AM_OK)
        return false;
    am_sha256_begin(&state);
    am_sha256_add(&state, text.data, text.length);
    am_sha256_end(&state, sum);
    return strcmp(sum, was) == 0;
}

static void save_study(const asking *a) {
    AM_LOCAL(am_text_free) am_text path = {0};
    const char *name = argument(a, "name"), *below = "", *text;
    am_error err = {0};
    bool found = false;
    if (am_lab_name_root(name, &below) != AM_LAB_FOLDER) {
        refuse(a, AM_LAB_FORBIDDEN, "studies are saved in the opened folder only: folder/NAME.yaml");
        return;
    }
    if (am_lab_path(a->options, name, &path, &found, &err) != AM_OK) {
        refuse(a, AM_LAB_FORBIDDEN, err.message);
        return;
    }
    text = text_of_body(a);
    if (!text)
        return;
    if (!is_on(a, "force") && !is_unchanged(path.data, found, argument(a, "was"), &err))
        refuse(a, AM_LAB_CHANGED, "the study on the disk is not the one that was read: it was changed meanwhile");
    else if (am_output_replace(path.data, text, a->request->length, &err) != AM_OK)
        refuse(a, AM_LAB_FAILED, "the study could not be written");
    else
        send_text(a, name, text, a->request->length);
}

/* ---- The page ---- */

static void send_page(const asking *a, const char *file) {
    AM_LOCAL(am_text_free) am_text path = {0};
    const am_lab_options *o = a->options;
    am_text_printf(&path, "%s/%s", o->page ? o->page : "", file);
    bool plain = o->page && *file && file[0] != '.' && !strstr(file, "/.") && path.status == AM_OK;
    if (!plain || !am_files_is_below(o->page, path.data)) {
        refuse(a, AM_LAB_NOT_FOUND, "there is no such part of the page");
        return;
    }
    a->plan->path = am_arena_text(&a->plan->memory, path.data, path.length, NULL);
    a->plan->step = AM_LAB_SEND_FILE;
    if (!a->plan->path)
        refuse(a, AM_LAB_FAILED, "out of memory");
}

static void send_index(const asking *a) {
    send_page(a, "index.html");
}

static void send_part(const asking *a) {
    send_page(a, a->request->path + strlen("page/"));
}

/* ---- Jobs ---- */

/* "jobs/00f3..." and "jobs/00f3.../result" */
static bool take_job(const asking *a, const char **rest) {
    const char *digits = a->request->path + strlen("jobs/");
    a->plan->job = read_digits(digits, rest);
    if (*rest - digits != 16 || (**rest && **rest != '/')) {
        refuse(a, AM_LAB_NOT_FOUND, "there is no such job");
        return false;
    }
    return true;
}

static void follow_job(const asking *a) {
    const char *rest;
    if (!take_job(a, &rest))
        return;
    if (!*rest)
        a->plan->step = AM_LAB_FOLLOW_JOB;
    else if (strcmp(rest, "/result") == 0)
        a->plan->step = AM_LAB_FETCH_JOB;
    else
        refuse(a, AM_LAB_NOT_FOUND, "there is no such job");
}

static void cancel_job(const asking *a) {
    const char *rest;
    if (take_job(a, &rest))
        a->plan->step = AM_LAB_CANCEL_JOB;
}

/* ---- The rest ---- */

static void send_status(const asking *a) {
    a->plan->step = AM_LAB_TELL_STATUS;
}

static void stop(const asking *a) {
    a->plan->step = AM_LAB_STOP;
}

/* A path that ends with a slash stands for all that begin so. */
static const struct route {
    const char *method, *path;
    plan_it *plan;
} routes[] = {{"GET", "", send_index},
              {"GET", "page/", send_part},
              {"GET", "studies", list_studies},
              {"GET", "schema", send_schema},
              {"GET", "study", read_study},
              {"PUT", "study", save_study},
              {"POST", "check", check},
              {"POST", "numbers", find_numbers},
              {"POST", "structure", show_structure},
              {"POST", "run", run},
              {"POST", "figure", draw},
              {"POST", "jobs", start_job},
              {"GET", "jobs/", follow_job},
              {"DELETE", "jobs/", cancel_job},
              {"GET", "status", send_status},
              {"DELETE", "", stop}};

static bool leads(const char *route, const char *path) {
    size_t length = strlen(route);
    bool whole = length == 0 || route[length - 1] != '/';
    return whole ? strcmp(route, path) == 0 : strncmp(route, path, length) == 0;
}

void am_lab_plan_request(const am_lab_options *options, const am_lab_request *request, am_lab_plan *plan) {
    const asking a = {options, request, plan};
    const char *method = strcmp(request->method, "HEAD") == 0 ? "GET" : request->method;
    bool known = false;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (!leads(routes[i].path, request->path))
            continue;
        known = true;
        if (strcmp(routes[i].method, method) == 0) {
            routes[i].plan(&a);
            return;
        }
    }
    refuse(&a, known ? AM_LAB_WRONG_METHOD : AM_LAB_NOT_FOUND,
           known ? "this address takes another method" : "there is nothing at this address");
}

void am_lab_plan_clear(am_lab_plan *plan) {
    am_text_free(&plan->answer.body);
    am_arena_clear(&plan->memory);
    *plan = (am_lab_plan){0};
}
