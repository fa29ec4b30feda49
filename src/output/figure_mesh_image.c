/* Colours between the nodes: elements are cut into small triangles, on which the number is linear, and these sampled at
 * the pixels. The file stays small however many elements there are. */
#include <math.h>

#include "base/local.h"
#include "output/figure_mesh.h"

/* ---- Shape functions, nodes as in mesh_elements ---- */

static void quadrilateral(size_t count, double xi, double eta, double *shape) {
    static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (size_t k = 0; k < 4; k++) {
        double a = 1 + sign[k][0] * xi, b = 1 + sign[k][1] * eta;
        shape[k] = a * b / 4 * (count == 4 ? 1 : sign[k][0] * xi + sign[k][1] * eta - 1);
    }
    if (count == 4)
        return;
    shape[4] = (1 - xi * xi) * (1 - eta) / 2;
    shape[5] = (1 + xi) * (1 - eta * eta) / 2;
    shape[6] = (1 - xi * xi) * (1 + eta) / 2;
    shape[7] = (1 - xi) * (1 - eta * eta) / 2;
}

static void triangle(double xi, double eta, double *shape) {
    const double area[3] = {1 - xi - eta, xi, eta};
    for (size_t k = 0; k < 3; k++) {
        shape[k] = area[k] * (2 * area[k] - 1);
        shape[3 + k] = 4 * area[k] * area[(k + 1) % 3];
    }
}

/* Place and number at a point of an element's own coordinates. */
static void mesh_interpolate(const am_mesh_drawing *drawing, const am_mesh_cell *cell, double xi, double eta,
                             double out[3]) {
    double shape[AM_MESH_MOST_NODES];
    if (cell->corners == 3)
        triangle(xi, eta, shape);
    else
        quadrilateral(cell->count, xi, eta, shape);
    out[0] = out[1] = out[2] = 0;
    for (size_t k = 0; k < cell->count; k++) {
        out[0] += shape[k] * drawing->at[2 * cell->node[k]];
        out[1] += shape[k] * drawing->at[2 * cell->node[k] + 1];
        out[2] += shape[k] * drawing->value[cell->node[k]];
    }
}

/* ---- Triangles on pixels ---- */

/* The first pixel whose middle is not below x, as a number that may lie outside the image. */
static double first_pixel(const am_mesh_drawing *drawing, int axis, double x) {
    return ceil((x - drawing->low[axis]) / drawing->pixel - 0.5 - 1e-9);
}

static size_t bounded(double pixel, size_t count) {
    return pixel < 0 ? 0 : pixel > (double)count ? count : (size_t)pixel;
}

static void fill_line(const am_mesh_drawing *drawing, const double *const p[3], double area, size_t line,
                      const size_t columns[2], float *image) {
    double y = drawing->low[1] + ((double)line + 0.5) * drawing->pixel;
    for (size_t column = columns[0]; column < columns[1]; column++) {
        double x = drawing->low[0] + ((double)column + 0.5) * drawing->pixel, weight[3], value = 0;
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            const double *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];
            weight[k] = ((a[0] - x) * (b[1] - y) - (b[0] - x) * (a[1] - y)) / area;
            inside = inside && weight[k] >= -1e-6; /* neighbours overlap a little, so that no slit is left */
            value += weight[k] * p[k][2];
        }
        if (inside)
            image[line * drawing->columns + column] = (float)fmin(fmax(value, drawing->least), drawing->most);
    }
}

static void fill_triangle(const am_mesh_drawing *drawing, const double *a, const double *b, const double *c,
                          float *image) {
    const double *const p[3] = {a, b, c};
    double area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    if (!isfinite(area) || area == 0 || !isfinite(a[2] + b[2] + c[2]))
        return;
    size_t range[2][2];
    for (int axis = 0; axis < 2; axis++) {
        double least = fmin(a[axis], fmin(b[axis], c[axis])), most = fmax(a[axis], fmax(b[axis], c[axis]));
        size_t count = axis == 0 ? drawing->columns : drawing->lines;
        range[axis][0] = bounded(first_pixel(drawing, axis, least), count);
        range[axis][1] = bounded(first_pixel(drawing, axis, most) + 1, count);
    }
    for (size_t line = range[1][0]; line < range[1][1]; line++)
        fill_line(drawing, p, area, line, range[0], image);
}

/* ---- Elements ---- */

enum { MOST_PARTS = 12 };

/* Pieces along a side: about one per ten pixels, so that a curved side and a curved field look so. */
static size_t parts_of(const am_mesh_drawing *drawing, const am_mesh_cell *cell) {
    double longest = 0;
    for (size_t k = 0; k < cell->corners; k++) {
        const double *a = &drawing->at[2 * cell->node[k]], *b = &drawing->at[2 * cell->node[(k + 1) % cell->corners]];
        longest = fmax(longest, hypot(a[0] - b[0], a[1] - b[1]));
    }
    double parts = ceil(longest / (10 * drawing->pixel));
    return parts >= MOST_PARTS ? MOST_PARTS : parts >= 1 ? (size_t)parts : 1;
}

static void fill_cell(const am_mesh_drawing *drawing, const am_mesh_cell *cell, float *image) {
    double row[2][MOST_PARTS + 1][3];
    size_t parts = parts_of(drawing, cell);
    bool triangular = cell->corners == 3;
    for (size_t j = 0; j <= parts; j++) {
        double(*now)[3] = row[j % 2], (*below)[3] = row[(j + 1) % 2];
        size_t length = triangular ? parts - j : parts;
        for (size_t i = 0; i <= length; i++) {
            double s = (double)i / (double)parts, t = (double)j / (double)parts;
            mesh_interpolate(drawing, cell, triangular ? s : 2 * s - 1, triangular ? t : 2 * t - 1, now[i]);
        }
        for (size_t i = 0; j > 0 && i <= length; i++) {
            if (i < length || triangular)
                fill_triangle(drawing, below[i], below[i + 1], now[i], image);
            if (i < length)
                fill_triangle(drawing, below[i + 1], now[i + 1], now[i], image);
        }
    }
}

static float mean_of(float a, float b) {
    return (a + b) / 2; /* NaN where one is */
}

/* Neighbours that are cut into different numbers of pieces leave slits of a pixel along a curved side. */
static void close_slits(const am_mesh_drawing *drawing, float *image) {
    size_t n = drawing->columns;
    for (size_t line = 0; line < drawing->lines; line++)
        for (size_t column = 0; column < n; column++) {
            float *pixel = &image[line * n + column];
            if (!isnan(*pixel))
                continue;
            if (column > 0 && column + 1 < n)
                *pixel = mean_of(pixel[-1], pixel[1]);
            if (isnan(*pixel) && line > 0 && line + 1 < drawing->lines)
                *pixel = mean_of(*(pixel - n), pixel[n]);
        }
}

static void write_image(const am_mesh_drawing *drawing, const float *image, am_text *data) {
    double step = (drawing->most - drawing->least) / AM_MESH_LEVELS;
    for (size_t i = 0; i < drawing->columns * drawing->lines; i++) {
        if (isnan(image[i]))
            am_text_add(data, "NaN");
        else
            am_text_printf(data, "%ld", lround(((double)image[i] - drawing->least) / step));
        am_text_add(data, (i + 1) % drawing->columns == 0 ? "\n" : ",");
    }
}

am_status am_mesh_image(const am_mesh_drawing *drawing, am_text *data, am_error *err) {
    size_t count = drawing->columns * drawing->lines;
    AM_LOCAL_MEMORY float *image = am_memory_new(count, sizeof *image, err);
    if (!image)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        image[i] = NAN;
    for (size_t i = 0; i < drawing->cells; i++)
        fill_cell(drawing, &drawing->cell[i], image);
    close_slits(drawing, image);
    write_image(drawing, image, data);
    return AM_OK;
}
