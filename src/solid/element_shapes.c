#include <math.h>
#include <string.h>

#include "solid/element_internal.h"

/* The nodes of the eight-node quadrilateral, whose first four are those of the four-node one. */
static const double quad_node[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
static const double triangle_node[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};

size_t am_shape_nodes(am_shape shape) {
    return shape == AM_QUAD4 ? 4 : shape == AM_QUAD8 ? 8 : 6;
}

size_t am_shape_corners(am_shape shape) {
    return shape == AM_TRIANGLE6 ? 3 : 4;
}

void am_element_node_place(am_shape shape, size_t node, double *xi, double *eta) {
    const double *place = shape == AM_TRIANGLE6 ? triangle_node[node] : quad_node[node];
    *xi = place[0];
    *eta = place[1];
}

void am_edge_shape(size_t count, double s, double shape[3], double slope[3]) {
    if (count == 2) {
        shape[0] = 0.5 * (1.0 - s);
        shape[1] = 0.5 * (1.0 + s);
        shape[2] = slope[2] = 0.0;
        slope[0] = -0.5;
        slope[1] = 0.5;
        return;
    }
    shape[0] = 0.5 * s * (s - 1.0);
    shape[1] = 0.5 * s * (s + 1.0);
    shape[2] = (1.0 - s) * (1.0 + s);
    slope[0] = s - 0.5;
    slope[1] = s + 0.5;
    slope[2] = -2.0 * s;
}

void am_edge_place(const am_solid_mesh *mesh, const am_solid_edge *edge, double s, double place[2], double slope[2]) {
    double shape[3], rate[3];
    am_edge_shape(edge->count, s, shape, rate);
    place[0] = place[1] = slope[0] = slope[1] = 0.0;
    for (size_t i = 0; i < edge->count; i++)
        for (size_t k = 0; k < 2; k++) {
            place[k] += shape[i] * mesh->place[2 * edge->node[i] + k];
            slope[k] += rate[i] * mesh->place[2 * edge->node[i] + k];
        }
}

static void quad4_shapes(double xi, double eta, double *value, double (*slope)[2]) {
    for (int a = 0; a < 4; a++) {
        double x = quad_node[a][0], y = quad_node[a][1];
        value[a] = 0.25 * (1.0 + x * xi) * (1.0 + y * eta);
        slope[a][0] = 0.25 * x * (1.0 + y * eta);
        slope[a][1] = 0.25 * y * (1.0 + x * xi);
    }
}

/* The serendipity functions, and (1 - xi^2)(1 - eta^2): together all biquadratic ones. */
static void quad8_shapes(double xi, double eta, double *value, double (*slope)[2]) {
    for (int a = 0; a < 4; a++) {
        double x = quad_node[a][0], y = quad_node[a][1], f = 1.0 + x * xi, g = 1.0 + y * eta;
        value[a] = 0.25 * f * g * (f + g - 3.0);
        slope[a][0] = 0.25 * x * g * (2.0 * f + g - 3.0);
        slope[a][1] = 0.25 * y * f * (f + 2.0 * g - 3.0);
    }
    double bubble_x = (1.0 - xi) * (1.0 + xi), bubble_y = (1.0 - eta) * (1.0 + eta);
    for (int a = 4; a < 8; a++) {
        double x = quad_node[a][0], y = quad_node[a][1];
        bool level = x == 0.0; /* on a side along xi */
        value[a] = 0.5 * (level ? bubble_x * (1.0 + y * eta) : bubble_y * (1.0 + x * xi));
        slope[a][0] = level ? -xi * (1.0 + y * eta) : 0.5 * x * bubble_y;
        slope[a][1] = level ? 0.5 * y * bubble_x : -eta * (1.0 + x * xi);
    }
    value[8] = bubble_x * bubble_y;
    slope[8][0] = -2.0 * xi * bubble_y;
    slope[8][1] = -2.0 * eta * bubble_x;
}

/* Quadratic functions of the area coordinates, and their product, 1 at the centre. */
static void triangle6_shapes(double xi, double eta, double *value, double (*slope)[2]) {
    static const double change[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
    double area[3] = {1.0 - xi - eta, xi, eta};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        value[a] = area[a] * (2.0 * area[a] - 1.0);
        value[3 + a] = 4.0 * area[a] * area[b];
        for (int d = 0; d < 2; d++) {
            slope[a][d] = (4.0 * area[a] - 1.0) * change[a][d];
            slope[3 + a][d] = 4.0 * (change[a][d] * area[b] + area[a] * change[b][d]);
        }
        if (a == 0)
            slope[6][0] = slope[6][1] = 0.0;
        for (int d = 0; d < 2; d++)
            slope[6][d] += 27.0 * change[a][d] * area[b] * area[c];
    }
    value[6] = 27.0 * area[0] * area[1] * area[2];
}

size_t am_element_shapes(am_shape shape, double xi, double eta, double value[AM_ELEMENT_SHAPES],
                         double slope[AM_ELEMENT_SHAPES][2]) {
    switch (shape) {
    case AM_QUAD4:
        quad4_shapes(xi, eta, value, slope);
        return 4;
    case AM_QUAD8:
        quad8_shapes(xi, eta, value, slope);
        return 9;
    default:
        triangle6_shapes(xi, eta, value, slope);
        return 7;
    }
}

/* Gauss and Legendre's rules of 2 and 3 points, exact for polynomials of degree 3 and 5 in each coordinate. */
static size_t quad_points(size_t side, double point[AM_ELEMENT_POINTS][3]) {
    double far = side == 2 ? sqrt(1.0 / 3.0) : sqrt(0.6);
    double at[3] = {-far, side == 2 ? far : 0.0, far};
    double weight[3] = {side == 2 ? 1.0 : 5.0 / 9.0, side == 2 ? 1.0 : 8.0 / 9.0, 5.0 / 9.0};
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            double *p = point[i * side + j];
            p[0] = at[i];
            p[1] = at[j];
            p[2] = weight[i] * weight[j];
        }
    return side * side;
}

/* Twelve points, exact to degree 6 (D. A. Dunavant, Int. J. Numer. Meth. Engng 21, 1985): two orbits of three, one of
 * six. The points follow from the moments; here to the digits of a double. */
static size_t triangle_points(double point[AM_ELEMENT_POINTS][3]) {
    static const double three[2][2] = {{0.24928674517091042129, 0.11678627572637936603},
                                       {0.06308901449150222834, 0.05084490637020681692}};
    static const double six[3] = {0.05314504984481694735, 0.31035245103378440542, 0.08285107561837357519};
    size_t n = 0;
    for (int orbit = 0; orbit < 2; orbit++) {
        double b = three[orbit][0], a = 1.0 - 2.0 * b, at[3][2] = {{b, b}, {a, b}, {b, a}};
        for (int i = 0; i < 3; i++, n++) {
            memcpy(point[n], at[i], sizeof at[i]);
            point[n][2] = 0.5 * three[orbit][1];
        }
    }
    double area[3] = {six[0], six[1], 1.0 - six[0] - six[1]};
    for (int i = 0; i < 3; i++)
        for (int j = 1; j < 3; j++, n++) {
            point[n][0] = area[i];
            point[n][1] = area[(i + j) % 3];
            point[n][2] = 0.5 * six[2];
        }
    return n;
}

size_t am_element_points(am_shape shape, double point[AM_ELEMENT_POINTS][3]) {
    return shape == AM_TRIANGLE6 ? triangle_points(point) : quad_points(shape == AM_QUAD4 ? 2 : 3, point);
}

am_element_point am_element_at(am_shape shape, const double (*place)[2], double xi, double eta) {
    am_element_point point = {.place = {0.0, 0.0}};
    double slope[AM_ELEMENT_SHAPES][2], j[2][2] = {{0}}; /* d(x, y)_r / d(xi, eta)_d */
    point.shapes = am_element_shapes(shape, xi, eta, point.value, slope);
    size_t nodes = am_shape_nodes(shape);
    for (size_t a = 0; a < nodes; a++)
        for (int r = 0; r < 2; r++) {
            point.place[r] += point.value[a] * place[a][r];
            j[r][0] +=
                slope[a][0] * (place[a][r] - place[0][r]); /* slopes sum to 0: no digits lost far from the origin */
            j[r][1] += slope[a][1] * (place[a][r] - place[0][r]);
        }
    point.jacobian = j[0][0] * j[1][1] - j[0][1] * j[1][0];
    const double inverse[2][2] = {{j[1][1], -j[0][1]}, {-j[1][0], j[0][0]}};
    for (int d = 0; d < 2; d++)
        for (int r = 0; r < 2; r++)
            point.inverse[d][r] = inverse[d][r] / point.jacobian;
    for (size_t a = 0; a < point.shapes; a++)
        for (int r = 0; r < 2; r++)
            point.gradient[a][r] = slope[a][0] * point.inverse[0][r] + slope[a][1] * point.inverse[1][r];
    return point;
}
