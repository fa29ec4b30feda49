#include "output/animation_motion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "math/pi.h"
#include "output/animation_sheet.h"
#include "output/xml.h"

enum { MOST_CHANGES = 2000, WORDS = 200, NARROW = 14 };
static const double spring_of_ring = 0.45; /* to the hub, where bodies are one apart */
enum { ROOM = AM_SHEET_WIDTH - 2 * AM_SHEET_LEFT };

typedef struct picture {
    am_arena memory;
    const am_animation_order *order;
    const am_scene *scene;
    const am_frames *frames;
    am_keys keys;
    double **x, **y;      /* pixels of each point at each instant; y downwards */
    double unit, scale;   /* pixels of one of the scene's lengths, of one of displacement */
    double middle, base;  /* where the scene's origin is */
    double width, height; /* of a body */
    double most;          /* the largest displacement */
    double end;           /* of the scene */
    am_text *out;
    am_error *err;
} picture;

/* ---- How large ---- */

static double displacement(const picture *p, const am_scene_point *point, int axis, size_t instant) {
    double sum = 0;
    for (size_t i = 0; i < point->term_count; i++)
        sum += point->terms[i].along[axis] * p->frames->value[point->terms[i].coordinate][instant];
    return sum;
}

/* The largest ways: of any point in any direction, of two bodies towards each other. */
static void find_ways(const picture *p, double most[2], double *towards) {
    const am_scene *scene = p->scene;
    for (size_t k = 0; k < p->frames->count; k++) {
        for (size_t i = 0; i < scene->point_count; i++)
            for (int axis = 0; axis < 2; axis++)
                most[axis] = fmax(most[axis], fabs(displacement(p, &scene->points[i], axis, k)));
        for (size_t i = 0; i < scene->link_count; i++) {
            const am_scene_link *link = &scene->links[i];
            if (link->to == AM_SCENE_GROUND)
                continue;
            const am_scene_point *a = &scene->points[link->from], *b = &scene->points[link->to];
            *towards = fmax(*towards, hypot(displacement(p, a, 0, k) - displacement(p, b, 0, k),
                                            displacement(p, a, 1, k) - displacement(p, b, 1, k)));
        }
    }
}

static void bounds(const am_scene *scene, double low[2], double high[2]) {
    for (int axis = 0; axis < 2; axis++) {
        low[axis] = INFINITY;
        high[axis] = -INFINITY;
        for (size_t i = 0; i < scene->point_count; i++) {
            low[axis] = fmin(low[axis], scene->points[i].at[axis]);
            high[axis] = fmax(high[axis], scene->points[i].at[axis]);
        }
    }
}

static double least_positive(double a, double room, double way) {
    return way > 0 ? fmin(a, room / way) : a;
}

/* Bodies in a row, places of contact below them. */
static void fit_row(picture *p, const double low[2], const double high[2], const double most[2], double towards) {
    double count = high[0] - low[0] + 1;
    p->unit = fmin(200, ROOM / count);
    p->width = fmin(64, 0.45 * p->unit);
    p->height = fmin(44, 0.8 * p->width);
    p->middle = AM_SHEET_WIDTH / 2.0 - p->unit * (high[0] + low[0]) / 2;
    p->base = AM_SHEET_TOP + 110;
    double edge = (AM_SHEET_WIDTH - p->unit * (count - 1) - p->width) / 2 - 50;
    p->scale = least_positive(INFINITY, fmax(edge, 0.3 * p->unit), most[0]);
    p->scale = least_positive(p->scale, 0.42 * p->unit, towards);
    p->scale = least_positive(p->scale, 60, most[1]);
    p->end = p->base + p->height / 2 + 40;
    if (low[1] < 0) { /* places of contact */
        p->end += 90;
        p->scale = least_positive(p->scale, 0.5 * p->unit, most[0]);
    }
}

static void fit_ring(picture *p, const double high[2], const double most[2], double towards) {
    p->unit = 210 / high[1];
    p->width = fmin(40, 0.5 * p->unit);
    p->height = 0.8 * p->width;
    p->middle = AM_SHEET_WIDTH / 2.0;
    p->base = AM_SHEET_TOP + 240;
    p->scale = least_positive(INFINITY, 0.4 * p->unit, towards);
    p->scale = least_positive(p->scale, 0.5 * p->unit, fmax(most[0], most[1]));
    p->end = p->base + 245;
}

/* The largest displacement is a tenth of the size of the structure. */
static void fit_places(picture *p, const double low[2], const double high[2], const double most[2]) {
    double size[2] = {high[0] - low[0], high[1] - low[1]}, largest = fmax(size[0], size[1]);
    p->unit = largest > 0 ? fmin(ROOM / fmax(size[0], 0.01 * largest), 300 / fmax(size[1], 0.01 * largest)) : 1;
    p->width = p->height = 6;
    p->scale = least_positive(INFINITY, fmin(60, 0.15 * p->unit * largest), fmax(most[0], most[1]));
    p->middle = AM_SHEET_WIDTH / 2.0 - p->unit * (low[0] + high[0]) / 2;
    p->base = AM_SHEET_TOP + 70 + p->unit * high[1];
    p->end = AM_SHEET_TOP + 140 + p->unit * size[1];
}

static am_status place_points(picture *p) {
    double low[2], high[2], most[2] = {0, 0}, towards = 0;
    size_t points = p->scene->point_count;
    bounds(p->scene, low, high);
    find_ways(p, most, &towards);
    p->most = fmax(most[0], most[1]);
    if (p->scene->placed)
        fit_places(p, low, high, most);
    else if (p->scene->ring)
        fit_ring(p, high, most, towards);
    else
        fit_row(p, low, high, most, towards);
    if (!isfinite(p->scale)) /* nothing moves */
        p->scale = 1;
    p->x = am_arena_new(&p->memory, points, sizeof *p->x, p->err);
    p->y = am_arena_new(&p->memory, points, sizeof *p->y, p->err);
    AM_TRY(am_arena_status(&p->memory));
    for (size_t i = 0; i < points; i++) {
        const am_scene_point *point = &p->scene->points[i];
        AM_ARENA_DOUBLES(&p->memory, p->frames->count, p->err, &p->x[i], &p->y[i]);
        AM_TRY(am_arena_status(&p->memory));
        for (size_t k = 0; k < p->frames->count; k++) {
            p->x[i][k] = p->middle + p->unit * point->at[0] + p->scale * displacement(p, point, 0, k);
            p->y[i][k] = p->base - p->unit * point->at[1] - p->scale * displacement(p, point, 1, k);
        }
    }
    return AM_OK;
}

/* ---- Contacts: their colours ---- */

/* Black without states; otherwise those of the contact, for as long as they can be told apart. */
static size_t colours_of(const picture *p, size_t contact, am_key_colour *colours, char (*texts)[8]) {
    const am_frames *frames = p->frames;
    size_t count = frames->contacts > contact && frames->change[contact] ? frames->changed[contact] : 0;
    count = count < MOST_CHANGES ? count : MOST_CHANGES;
    for (size_t i = 0; i < count; i++) {
        am_sheet_state_colour(frames->change[contact][i].state, texts[i]);
        colours[i] = (am_key_colour){frames->change[contact][i].time, texts[i]};
    }
    if (count > 0)
        return count;
    colours[0] = (am_key_colour){frames->time[0], "#404040"};
    return 1;
}

typedef struct palette {
    size_t count;
    am_key_colour *colours;
} palette;

static am_status find_palette(picture *p, size_t contact, palette *found) {
    char(*texts)[8] = am_arena_new(&p->memory, MOST_CHANGES, sizeof *texts, p->err);
    found->colours = am_arena_new(&p->memory, MOST_CHANGES, sizeof *found->colours, p->err);
    AM_TRY(am_arena_status(&p->memory));
    found->count = colours_of(p, contact, found->colours, texts);
    return AM_OK;
}

/* ---- Lines that follow two points ---- */

/* The line is one long, from the first point to the second. */
static am_status add_line(picture *p, const double *from[2], const double *to[2], const char *attributes,
                          const char *path, const palette *colours) {
    size_t count = p->frames->count;
    AM_LOCAL_MEMORY double *angle = am_memory_new(2 * count, sizeof *angle, p->err);
    if (!angle)
        return AM_ERR_MEMORY;
    double *length = angle + count;
    for (size_t k = 0; k < count; k++) {
        double dx = to[0][k] - from[0][k], dy = to[1][k] - from[1][k];
        length[k] = hypot(dx, dy);
        angle[k] = 180 / pi * atan2(dy, dx);
        while (k > 0 && angle[k] - angle[k - 1] > 180) /* the short way round */
            angle[k] -= 360;
        while (k > 0 && angle[k] - angle[k - 1] < -180)
            angle[k] += 360;
    }
    am_text_printf(p->out, "<g transform=\"translate(%s,%s)\">", AM_PIXELS(from[0][0]), AM_PIXELS(from[1][0]));
    AM_TRY(am_keys_translate(p->out, &p->keys, from[0], from[1], p->err));
    am_text_printf(p->out, "<g transform=\"rotate(%s)\">", AM_PIXELS(angle[0]));
    AM_TRY(am_keys_rotate(p->out, &p->keys, angle, p->err));
    am_text_printf(p->out, "<path d=\"%s\" %s vector-effect=\"non-scaling-stroke\" transform=\"scale(%s,1)\"", path,
                   attributes, AM_PIXELS(length[0]));
    if (colours)
        am_text_printf(p->out, " stroke=\"%s\"", colours->colours[0].colour);
    am_text_add(p->out, ">");
    AM_TRY(am_keys_stretch(p->out, &p->keys, length, p->err));
    if (colours)
        am_keys_stroke(p->out, &p->keys, colours->count, colours->colours);
    am_text_add(p->out, "</path></g></g>\n");
    return AM_OK;
}

static const char spring_look[] = "fill=\"none\" stroke=\"#606060\" stroke-width=\"1.4\"";
static const char spring_path[] = "M0,0H.3L.32,-6 .38,6 .44,-6 .5,6 .56,-6 .62,6 .68,-6 .7,0H1";
static const char edge_look[] = "stroke=\"#808080\" stroke-width=\"1\"", edge_path[] = "M0,0H1";

/* Short strokes along what does not move. */
static void add_hatch(am_text *out, double x, double y, double width, double turn) {
    am_text_printf(out,
                   "<g transform=\"translate(%s,%s) rotate(%s)\"><path d=\"M0,0H%s\" stroke=\"#404040\" "
                   "stroke-width=\"1.5\"/><path stroke=\"#808080\" d=\"",
                   AM_PIXELS(x), AM_PIXELS(y), AM_PIXELS(turn), AM_PIXELS(width));
    for (double at = 4; at <= width; at += 8)
        am_text_printf(out, "M%s,0l-6,7", AM_PIXELS(at));
    am_text_add(out, "\"/></g>\n");
}

/* A spring to the ground: at the ends of a row to a wall, in it to the ceiling, in a ring to the hub. */
static am_status add_ground_spring(picture *p, size_t body) {
    const am_scene *scene = p->scene;
    size_t count = p->frames->count, last = 0;
    AM_LOCAL_MEMORY double *wall = am_memory_new(2 * count, sizeof *wall, p->err);
    if (!wall)
        return AM_ERR_MEMORY;
    while (last + 1 < scene->point_count && scene->points[last + 1].mark == AM_SCENE_BODY)
        last++;
    const double *at = scene->points[body].at;
    double x = p->middle + p->unit * at[0], y = p->base - p->unit * at[1];
    if (scene->ring) {
        double far = hypot(at[0], at[1]), in = far > 0 ? spring_of_ring / far : 0;
        x -= p->unit * at[0] * in;
        y += p->unit * at[1] * in;
    } else if (body == 0 && !scene->upright) {
        x = AM_SHEET_LEFT / 3.0;
        add_hatch(p->out, x, y - 30, 60, 90);
    } else if (body == last) {
        x = AM_SHEET_WIDTH - AM_SHEET_LEFT / 3.0;
        add_hatch(p->out, x, y + 30, 60, -90);
    } else {
        y = AM_SHEET_TOP + 14;
        add_hatch(p->out, x + 20, y, 40, 180);
    }
    for (size_t k = 0; k < count; k++) {
        wall[k] = x;
        wall[count + k] = y;
    }
    return add_line(p, (const double *[2]){wall, wall + count}, (const double *[2]){p->x[body], p->y[body]},
                    spring_look, spring_path, NULL);
}

/* Where the springs of a ring to the ground end, if it has some. */
static double ring_hub(const picture *p) {
    for (size_t i = 0; i < p->scene->link_count; i++)
        if (p->scene->links[i].to == AM_SCENE_GROUND) {
            const double *at = p->scene->points[p->scene->links[i].from].at;
            return p->unit * (hypot(at[0], at[1]) - spring_of_ring);
        }
    return 0;
}

static am_status add_links(picture *p) {
    double hub = p->scene->ring && p->scene->point_count > 0 ? ring_hub(p) : 0;
    if (hub > 0)
        am_text_printf(p->out,
                       "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"#f0f0f0\" stroke=\"#404040\" "
                       "stroke-width=\"1.5\"/>\n",
                       AM_PIXELS(p->middle), AM_PIXELS(p->base), AM_PIXELS(hub));
    for (size_t i = 0; i < p->scene->link_count; i++) {
        const am_scene_link *link = &p->scene->links[i];
        if (link->spring && p->unit < NARROW) /* too many to be seen */
            continue;
        if (link->to == AM_SCENE_GROUND)
            AM_TRY(add_ground_spring(p, link->from));
        else
            AM_TRY(add_line(p, (const double *[2]){p->x[link->from], p->y[link->from]},
                            (const double *[2]){p->x[link->to], p->y[link->to]}, link->spring ? spring_look : edge_look,
                            link->spring ? spring_path : edge_path, NULL));
    }
    return AM_OK;
}

/* ---- The ground, belts and stops ---- */

/* Pixels that the gap has at rest, as far as they fit. */
static double gap_of(const picture *p, const am_contact_def *contact, double gap) {
    double most = 0;
    for (size_t i = 0; contact->normal && i < am_system_size(p->order->system); i++)
        most = fmax(most, fabs(contact->normal[i]));
    bool shown = contact->normal_law != AM_HELD && most > 0;
    return shown ? p->scale * fmin(fmax(gap / most, -p->most), 1.2 * p->most) : 0; /* one that is not reached: near */
}

/* What lies under a contact, drawn from (0,0) to the right, may move away with the support and along with the belt. */
static am_status begin_support(picture *p, const am_contact_def *contact, double x, double y, const double away[2]) {
    size_t count = p->frames->count;
    AM_LOCAL_MEMORY double *at = am_memory_new(2 * count, sizeof *at, p->err);
    if (!at)
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        double moved = p->frames->timed ? am_function_at(&contact->gap_motion, p->frames->time[k]) : 0;
        double gap = gap_of(p, contact, contact->gap + moved);
        at[k] = x + away[0] * gap;
        at[count + k] = y + away[1] * gap;
    }
    am_text_printf(p->out, "<g transform=\"translate(%s,%s)\">", AM_PIXELS(at[0]), AM_PIXELS(at[count]));
    if (p->frames->timed && contact->gap_motion.kind != AM_FUNCTION_CONSTANT)
        return am_keys_translate(p->out, &p->keys, at, at + count, p->err);
    return AM_OK;
}

/* A belt's strokes go along as fast as its surface, if the eye can follow. */
static void add_belt(picture *p, const am_contact_def *contact, double width) {
    enum { STEP = 16 };
    const am_keys *keys = &p->keys;
    double pixels =
        p->scale * contact->surface_velocity * (keys->time[keys->count - 1] - keys->time[0]) / keys->seconds;
    double seconds = STEP / fabs(pixels);
    am_text_printf(p->out, "<path d=\"M0,0H%s\" stroke=\"#404040\" stroke-width=\"1.5\"/><g>", AM_PIXELS(width));
    if (p->frames->timed && seconds >= 0.1 && isfinite(seconds))
        am_text_printf(p->out,
                       "<animateTransform attributeName=\"transform\" type=\"translate\" values=\"0,0;%d,0\" "
                       "keyTimes=\"0;1\" dur=\"%ss\" repeatCount=\"indefinite\"/>",
                       pixels > 0 ? STEP : -STEP, AM_NUMBER(round(1000 * seconds) / 1000));
    am_text_add(p->out, "<path stroke=\"#808080\" stroke-width=\"2\" d=\"");
    for (double at = STEP; at < width; at += STEP)
        am_text_printf(p->out, "M%s,1v6", AM_PIXELS(at));
    am_text_printf(p->out, "\"/></g><path d=\"M%s,16H%sm%s,-4 %s,4 %s,4\" fill=\"none\" stroke=\"#404040\"/>",
                   AM_PIXELS(0.3 * width), AM_PIXELS(0.7 * width), pixels > 0 ? "-6" : AM_PIXELS(6 - 0.4 * width),
                   pixels > 0 ? "6" : "-6", pixels > 0 ? "-6" : "6");
}

static am_status add_support(picture *p, const am_scene_contact *c) {
    static const double aways[][2] = {
        [AM_SCENE_BELOW] = {0, 1}, [AM_SCENE_ABOVE] = {0, -1}, [AM_SCENE_LEFT] = {-1, 0}, [AM_SCENE_RIGHT] = {1, 0}};
    static const double turns[] = {
        [AM_SCENE_BELOW] = 0, [AM_SCENE_ABOVE] = 180, [AM_SCENE_LEFT] = 90, [AM_SCENE_RIGHT] = -90};
    const am_contact_def *contact = am_system_contact(p->order->system, c->contact);
    const am_scene_point *point = &p->scene->points[c->point];
    const double *away = aways[c->side];
    bool spot = point->mark == AM_SCENE_SPOT, stop = c->side >= AM_SCENE_LEFT;
    double half[2] = {spot ? 5 : p->width / 2, spot ? 5 : p->height / 2};
    double from = p->middle + p->unit * (point->at[0] - 0.45), to = from + 0.9 * p->unit;
    for (size_t k = 0; !stop && k < p->frames->count; k++) { /* as far as the body goes */
        from = fmin(from, p->x[c->point][k] - half[0] - 8);
        to = fmax(to, p->x[c->point][k] + half[0] + 8);
    }
    double x = stop ? p->middle + p->unit * point->at[0] + away[0] * half[0] : (from + to) / 2,
           y = p->base - p->unit * point->at[1] + away[1] * half[1], width = stop ? p->height + 16 : to - from;
    AM_TRY(begin_support(p, contact, x, y, away));
    am_text_printf(p->out, "<g transform=\"rotate(%s) translate(%s,0)\">", AM_PIXELS(turns[c->side]),
                   AM_PIXELS(-width / 2));
    if (contact->surface_velocity != 0)
        add_belt(p, contact, width);
    else
        add_hatch(p->out, 0, 0, width, 0);
    am_text_add(p->out, "</g></g>\n");
    return AM_OK;
}

static am_status add_supports(picture *p) {
    for (size_t i = 0; i < p->scene->contact_count; i++)
        if (!p->scene->ring && !p->scene->placed && p->scene->contacts[i].with == AM_SCENE_GROUND &&
            p->scene->contacts[i].side != AM_SCENE_UNDER)
            AM_TRY(add_support(p, &p->scene->contacts[i]));
    return AM_OK;
}

/* Between two bodies. */
static am_status add_joints(picture *p) {
    for (size_t i = 0; i < p->scene->contact_count; i++) {
        const am_scene_contact *c = &p->scene->contacts[i];
        palette colours;
        if (c->with == AM_SCENE_GROUND)
            continue;
        AM_TRY(find_palette(p, c->contact, &colours));
        AM_TRY(add_line(p, (const double *[2]){p->x[c->point], p->y[c->point]},
                        (const double *[2]){p->x[c->with], p->y[c->with]}, "stroke-width=\"5\"", edge_path, &colours));
    }
    return AM_OK;
}

/* ---- Bodies ---- */

/* The side of a body that touches something, coloured by what the contact does. */
static am_status add_faces(picture *p, size_t body) {
    for (size_t i = 0; i < p->scene->contact_count; i++) {
        const am_scene_contact *c = &p->scene->contacts[i];
        const am_scene_point *point = &p->scene->points[body];
        palette colours;
        if (c->point != body || c->with != AM_SCENE_GROUND)
            continue;
        AM_TRY(find_palette(p, c->contact, &colours));
        double w = point->turn == SIZE_MAX ? p->width / 2 : 8, h = p->height / 2, thick = fmin(7, h);
        if (point->mark != AM_SCENE_BODY)
            am_text_printf(p->out, "<circle r=\"6\" stroke=\"#fff\" fill=\"%s\">", colours.colours[0].colour);
        else if (c->side == AM_SCENE_UNDER)
            am_text_printf(p->out, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\">", AM_PIXELS(3 - w),
                           AM_PIXELS(3 - h), AM_PIXELS(2 * w - 6), AM_PIXELS(2 * h - 6), colours.colours[0].colour);
        else if (c->side >= AM_SCENE_LEFT)
            am_text_printf(p->out, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\">",
                           AM_PIXELS(c->side == AM_SCENE_LEFT ? -w : w - thick), AM_PIXELS(-h), AM_PIXELS(thick),
                           AM_PIXELS(2 * h), colours.colours[0].colour);
        else
            am_text_printf(p->out, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\">", AM_PIXELS(-w),
                           AM_PIXELS(c->side == AM_SCENE_ABOVE ? -h : h - thick), AM_PIXELS(2 * w), AM_PIXELS(thick),
                           colours.colours[0].colour);
        am_keys_fill(p->out, &p->keys, colours.count, colours.colours);
        am_text_add(p->out, point->mark != AM_SCENE_BODY ? "</circle>" : "</rect>");
    }
    return AM_OK;
}

/* A ball with spokes, so that one sees it turn. */
static am_status add_ball(picture *p, size_t turn) {
    size_t count = p->frames->count;
    AM_LOCAL_MEMORY double *degrees = am_memory_new(count, sizeof *degrees, p->err);
    if (!degrees)
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < count; k++)
        degrees[k] = -180 / pi * p->frames->value[turn][k];
    double r = p->height / 2;
    am_text_printf(p->out,
                   "<g transform=\"rotate(%s)\"><circle r=\"%s\" fill=\"#d4dde6\" stroke=\"#303030\"/><path "
                   "stroke=\"#909090\" d=\"M%s,0h%sM0,%sv%s\"/>",
                   AM_PIXELS(degrees[0]), AM_PIXELS(r), AM_PIXELS(-r), AM_PIXELS(2 * r), AM_PIXELS(-r), AM_PIXELS(r));
    AM_TRY(am_keys_rotate(p->out, &p->keys, degrees, p->err));
    am_text_add(p->out, "</g>");
    return AM_OK;
}

static am_status add_point(picture *p, size_t index) {
    const am_scene_point *point = &p->scene->points[index];
    am_text_printf(p->out, "<g id=\"point%zu\" transform=\"translate(%s,%s)\">", index + 1, AM_PIXELS(p->x[index][0]),
                   AM_PIXELS(p->y[index][0]));
    AM_TRY(am_keys_translate(p->out, &p->keys, p->x[index], p->y[index], p->err));
    if (point->turn != SIZE_MAX)
        AM_TRY(add_ball(p, point->turn));
    else if (point->mark == AM_SCENE_BODY)
        am_text_printf(p->out,
                       "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"3\" fill=\"#d4dde6\" "
                       "stroke=\"#303030\"/>",
                       AM_PIXELS(-p->width / 2), AM_PIXELS(-p->height / 2), AM_PIXELS(p->width), AM_PIXELS(p->height));
    else
        am_text_add(p->out, "<circle r=\"3\" fill=\"#303030\"/>");
    AM_TRY(add_faces(p, index));
    bool fits = 7.5 * (double)strlen(point->name) < p->width && p->height >= 20 && point->turn == SIZE_MAX;
    if (fits && point->mark == AM_SCENE_BODY) {
        am_text_add(p->out, "<text text-anchor=\"middle\" y=\"2\">");
        am_xml_add(p->out, point->name);
        am_text_add(p->out, "</text>");
    } else if (point->mark == AM_SCENE_SPOT) {
        am_text_add(p->out, "<text x=\"9\" y=\"-6\" font-size=\"11\">");
        am_xml_add(p->out, point->name);
        am_text_add(p->out, "</text>");
    }
    am_text_add(p->out, "</g>\n");
    return AM_OK;
}

/* ---- The sheet ---- */

static void describe(const am_frames *frames, char words[WORDS]) {
    const am_table *table = frames->table;
    if (frames->timed)
        snprintf(words, WORDS, "t from %g to %g%s", frames->time[0], frames->time[frames->count - 1],
                 frames->cut ? " of a longer motion" : "");
    else if (!isnan(frames->mode))
        snprintf(words, WORDS, "mode %g", frames->mode);
    else if (frames->row != SIZE_MAX) {
        size_t at = am_table_find_column(table, "amplitude"), w = am_table_find_column(table, "frequency");
        snprintf(words, WORDS, "first harmonic at amplitude %g, frequency %g (row %zu of %s)",
                 at == SIZE_MAX ? NAN : am_table_number(table, frames->row, at),
                 w == SIZE_MAX ? NAN : am_table_number(table, frames->row, w), frames->row, am_table_name(table));
    } else
        snprintf(words, WORDS, "one period of the motion at the peak");
}

/* About a second for each vibration of a motion, two for a shape. */
static double duration(const am_frames *frames) {
    return frames->timed ? fmin(fmax((double)frames->turns / 2, 6), 40) : 2;
}

static am_status draw(picture *p) {
    const am_sheet_panel panel = {p->frames, p->order->system, &p->keys, p->end + 50};
    char words[WORDS];
    describe(p->frames, words);
    am_sheet_begin(p->out, p->order->title, words,
                   p->frames->timed ? panel.y + am_sheet_panel_height(&panel) : p->end + 24);
    AM_TRY(add_supports(p));
    AM_TRY(add_links(p));
    AM_TRY(add_joints(p));
    for (size_t i = 0; i < p->scene->point_count; i++)
        AM_TRY(add_point(p, i));
    am_sheet_ruler(p->out, p->scale, p->end + 8);
    if (p->frames->timed)
        am_sheet_add_panel(p->out, &panel);
    am_sheet_end(p->out);
    return am_text_status(p->out, p->err);
}

am_status am_animation_draw(const am_animation_order *order, am_text *out, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    AM_LOCAL(am_scene_clear) am_scene scene = {0};
    am_frames frames;
    picture p = {.order = order, .scene = &scene, .frames = &frames, .out = out, .err = err};
    AM_TRY(am_frames_read(&memory, order->result, order->system, &order->wish, &frames, err));
    if (frames.count == 0)
        return am_animation_draw_mesh(order, frames.table, out, err);
    AM_TRY(am_scene_of(&scene, order->system, order->places, err));
    p.keys = (am_keys){frames.count, frames.time, duration(&frames)};
    am_status status = place_points(&p);
    if (status == AM_OK)
        status = draw(&p);
    am_arena_clear(&p.memory);
    return status;
}
