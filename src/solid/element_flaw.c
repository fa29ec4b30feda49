#include <math.h>

#include "solid/element_internal.h"

static double distance_squared(const double a[2], const double b[2]) {
    double x = b[0] - a[0], y = b[1] - a[1];
    return x * x + y * y;
}

/* Half the sum of the cross products of the sides, relative to the first corner. */
double am_element_area(const double (*place)[2], size_t corners) {
    double sum = 0.0;
    for (size_t a = 1; a + 1 < corners; a++)
        sum += (place[a][0] - place[0][0]) * (place[a + 1][1] - place[0][1]) -
               (place[a + 1][0] - place[0][0]) * (place[a][1] - place[0][1]);
    return 0.5 * sum;
}

static double longest_squared(const double (*place)[2], size_t corners) {
    double most = 0.0;
    for (size_t a = 0; a < corners; a++)
        for (size_t b = 0; b < a; b++)
            most = fmax(most, distance_squared(place[a], place[b]));
    return most;
}

/* A mid-side node a quarter of the side away from the middle makes the Jacobian vanish at the end of the side. */
static bool middle_strays(const double (*place)[2], size_t corners) {
    for (size_t a = 0; a < corners; a++) {
        const double *from = place[a], *to = place[(a + 1) % corners], *middle = place[corners + a];
        double along = 0.0;
        for (int r = 0; r < 2; r++)
            along += (middle[r] - from[r] - 0.5 * (to[r] - from[r])) * (to[r] - from[r]);
        if (!(fabs(along) < 0.249 * distance_squared(from, to)))
            return true;
    }
    return false;
}

static bool folds(am_shape shape, const double (*place)[2], double least) {
    double at[AM_ELEMENT_POINTS][3];
    size_t points = am_element_points(shape, at), nodes = am_shape_nodes(shape);
    for (size_t i = 0; i < points; i++)
        if (!(am_element_at(shape, place, at[i][0], at[i][1]).jacobian > least))
            return true;
    for (size_t a = 0; a < nodes; a++) {
        double xi, eta;
        am_element_node_place(shape, a, &xi, &eta);
        if (!(am_element_at(shape, place, xi, eta).jacobian > least))
            return true;
    }
    return false;
}

const char *am_element_flaw(am_shape shape, const double (*place)[2]) {
    const double rounding = 1e-11; /* of the square of the longest distance: an area this small has no digits */
    size_t corners = am_shape_corners(shape), nodes = am_shape_nodes(shape);
    for (size_t a = 0; a < nodes; a++)
        if (!isfinite(place[a][0]) || !isfinite(place[a][1]))
            return "the place of one of its nodes is not a finite number";
    double area = am_element_area(place, corners), least = rounding * longest_squared(place, corners);
    if (area < -least)
        return "its nodes run clockwise (it is inverted); list them counterclockwise";
    if (!(area > least))
        return "it has no area (it is degenerate)";
    if (nodes > corners && middle_strays(place, corners))
        return "a mid-side node lies too far from the middle of its side (a quarter of the side at most)";
    if (folds(shape, place, least))
        return nodes > corners ? "it is folded: at a corner or a curved side its inner angle is 180 degrees or more"
                               : "it is folded: its sides cross or an inner angle is 180 degrees or more";
    return NULL;
}
