/* The usual way, for orders at which a library spends its time on asking itself questions: balancing (Parlett and
 * Reinsch, with the 2-norms of James, Langou and Lowery), Householder's reduction to Hessenberg form, Francis' double
 * shifts with the test of Ahues and Tisseur for entries that count as zero, 2 x 2 blocks in the standard form of Bai
 * and Demmel, and substitution for the vectors. All on the stack. */
#include "math/eigen_small.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"

enum { SIZE = AM_EIGEN_SMALL, SHIFTS = 30 * 10 };

static const double eps = DBL_EPSILON, tiny = 1e-292; /* what is left of DBL_MIN/eps */

typedef struct small {
    int n, low, high;     /* low..high: what is left when eigenvalues that can be read off are moved aside */
    double t[SIZE][SIZE]; /* becomes the Schur form */
    double q[SIZE][SIZE]; /* Schur vectors of the balanced matrix, as columns */
    double scale[SIZE];   /* of low..high */
    int place[SIZE];      /* of the others: the row and column they were exchanged with */
    double real[SIZE], imaginary[SIZE];
    double norm; /* largest sum of a column of the balanced matrix */
} small;

/* ---- Balancing ---- */

static void swap(double *x, double *y) {
    double old = *x;
    *x = *y;
    *y = old;
}

static void exchange(small *s, int i, int j) {
    for (int k = 0; k < s->n; k++)
        swap(&s->t[i][k], &s->t[j][k]);
    for (int k = 0; k < s->n; k++)
        swap(&s->t[k][i], &s->t[k][j]);
}

/* Nothing beside the diagonal in row (or column) i of what is left? */
static bool is_alone(const small *s, int i, bool row) {
    for (int j = s->low; j <= s->high; j++)
        if (j != i && (row ? s->t[i][j] : s->t[j][i]) != 0.0)
            return false;
    return true;
}

static bool set_aside(small *s, bool row) {
    for (int i = s->high; i >= s->low && s->low < s->high; i--)
        if (is_alone(s, i, row)) {
            int end = row ? s->high-- : s->low++;
            s->place[end] = i;
            exchange(s, i, end);
            return true;
        }
    return false;
}

/* One round; false once nothing is gained. */
static bool scale_rows(small *s) {
    bool changed = false;
    for (int i = s->low; i <= s->high; i++) {
        double column = 0.0, row = 0.0, f = 1.0;
        for (int j = s->low; j <= s->high; j++) {
            column += s->t[j][i] * s->t[j][i];
            row += s->t[i][j] * s->t[i][j];
        }
        if (column == 0.0 || row == 0.0)
            continue;
        column = sqrt(column);
        row = sqrt(row);
        double before = column + row, c = column, r = row;
        for (; c < 0.5 * r; f *= 2.0, c *= 2.0)
            r *= 0.5;
        for (; c >= 2.0 * r; f *= 0.5, c *= 0.5)
            r *= 2.0;
        if (c + r >= 0.95 * before)
            continue;
        s->scale[i] *= f;
        changed = true;
        for (int j = 0; j < s->n; j++)
            s->t[i][j] /= f; /* a power of two: exact */
        for (int j = 0; j < s->n; j++)
            s->t[j][i] *= f;
    }
    return changed;
}

static void balance(small *s) {
    while (set_aside(s, true))
        ;
    while (set_aside(s, false))
        ;
    while (scale_rows(s))
        ;
}

static double largest_column(const small *s) {
    double largest = 0.0;
    for (int j = 0; j < s->n; j++) {
        double sum = 0.0;
        for (int i = 0; i < s->n; i++)
            sum += fabs(s->t[i][j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* ---- Reflections ---- */

/* I - tau v v^T with v[0] = 1 turns x (count) into (beta, 0, ...); v takes the place of x. */
static double reflection(double *x, int count, double *beta) {
    double rest = 0.0;
    for (int i = 1; i < count; i++)
        rest += x[i] * x[i];
    *beta = x[0];
    if (rest == 0.0)
        return 0.0;
    double first = x[0];
    *beta = -copysign(sqrt(first * first + rest), first);
    for (int i = 1; i < count; i++)
        x[i] /= first - *beta;
    x[0] = 1.0;
    return (*beta - first) / *beta;
}

/* Rows at..at + count - 1, columns from..n - 1. */
static void reflect_rows(small *s, const double *v, double tau, int at, int count, int from) {
    for (int j = from; j < s->n; j++) {
        double sum = s->t[at][j];
        for (int i = 1; i < count; i++)
            sum += v[i] * s->t[at + i][j];
        sum *= tau;
        s->t[at][j] -= sum;
        for (int i = 1; i < count; i++)
            s->t[at + i][j] -= sum * v[i];
    }
}

/* Columns at..at + count - 1 of the first rows. */
static void reflect_columns(double (*a)[SIZE], const double *v, double tau, int at, int count, int rows) {
    for (int j = 0; j < rows; j++) {
        double sum = a[j][at];
        for (int i = 1; i < count; i++)
            sum += v[i] * a[j][at + i];
        sum *= tau;
        a[j][at] -= sum;
        for (int i = 1; i < count; i++)
            a[j][at + i] -= sum * v[i];
    }
}

static void to_hessenberg(small *s) {
    for (int k = s->low; k + 2 <= s->high; k++) {
        double v[SIZE], beta;
        int count = s->high - k;
        for (int i = 0; i < count; i++)
            v[i] = s->t[k + 1 + i][k];
        double tau = reflection(v, count, &beta);
        if (tau == 0.0)
            continue;
        s->t[k + 1][k] = beta;
        for (int i = 1; i < count; i++)
            s->t[k + 1 + i][k] = 0.0;
        reflect_rows(s, v, tau, k + 1, count, k + 1);
        reflect_columns(s->t, v, tau, k + 1, count, s->high + 1);
        reflect_columns(s->q, v, tau, k + 1, count, s->n);
    }
}

/* ---- Francis' iteration ---- */

/* Does the entry below the diagonal in row k count as zero? */
static bool is_small(const small *s, int k) {
    double below = fabs(s->t[k][k - 1]), above = fabs(s->t[k - 1][k]);
    if (below <= tiny)
        return true;
    double test = fabs(s->t[k - 1][k - 1]) + fabs(s->t[k][k]);
    if (test == 0.0) {
        test += k - 2 >= s->low ? fabs(s->t[k - 1][k - 2]) : 0.0;
        test += k + 1 <= s->high ? fabs(s->t[k + 1][k]) : 0.0;
    }
    if (below > eps * test)
        return false;
    double size = fabs(s->t[k][k]), apart = fabs(s->t[k - 1][k - 1] - s->t[k][k]);
    double aa = fmax(size, apart), bb = fmin(size, apart), ab = fmax(below, above), ba = fmin(below, above);
    double sum = aa + ab;
    return ba * (ab / sum) <= fmax(tiny, eps * (bb * (aa / sum)));
}

typedef struct shifts {
    double real[2], imaginary[2];
} shifts;

static shifts choose_shifts(const small *s, int from, int to, int round) {
    double h11 = s->t[to - 1][to - 1], h12 = s->t[to - 1][to], h21 = s->t[to][to - 1], h22 = s->t[to][to];
    if (round % 10 == 9) { /* others, where the usual ones go round in circles */
        int at = round % 20 == 9 ? from : to - 2;
        double size = fabs(s->t[at + 1][at]) + fabs(s->t[at + 2][at + 1]);
        h11 = h22 = 0.75 * size + (round % 20 == 9 ? s->t[from][from] : s->t[to][to]);
        h12 = -0.4375 * size;
        h21 = size;
    }
    double size = fabs(h11) + fabs(h12) + fabs(h21) + fabs(h22);
    if (size == 0.0)
        return (shifts){{0.0, 0.0}, {0.0, 0.0}};
    double a = h11 / size, b = h12 / size, c = h21 / size, d = h22 / size, half = 0.5 * (a + d);
    double det = (a - half) * (d - half) - b * c, root = sqrt(fabs(det));
    if (det >= 0.0)
        return (shifts){{half * size, half * size}, {root * size, -root * size}};
    double one = half + root, two = half - root, near = fabs(one - d) <= fabs(two - d) ? one : two;
    return (shifts){{near * size, near * size}, {0.0, 0.0}};
}

/* The first column of (H - s1)(H - s2), from row m on; m as far down as small entries below the diagonal allow. */
static int first_vector(const small *s, const shifts *f, int from, int to, double v[3]) {
    int m = to - 2;
    for (;; m--) {
        double h = s->t[m][m], next = s->t[m + 1][m + 1], below = s->t[m + 1][m];
        double size = fabs(h - f->real[1]) + fabs(f->imaginary[1]) + fabs(below), part = below / size;
        v[0] = part * s->t[m][m + 1] + (h - f->real[0]) * ((h - f->real[1]) / size) -
               f->imaginary[0] * (f->imaginary[1] / size);
        v[1] = part * (h + next - f->real[0] - f->real[1]);
        v[2] = part * s->t[m + 2][m + 1];
        double sum = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
        for (int i = 0; i < 3; i++)
            v[i] /= sum;
        if (m == from || fabs(s->t[m][m - 1]) * (fabs(v[1]) + fabs(v[2])) <=
                             eps * fabs(v[0]) * (fabs(s->t[m - 1][m - 1]) + fabs(h) + fabs(next)))
            return m;
    }
}

static void sweep(small *s, int from, int to, int round) {
    double v[3], beta;
    shifts f = choose_shifts(s, from, to, round);
    int m = first_vector(s, &f, from, to, v);
    for (int k = m; k < to; k++) {
        int count = to - k + 1 < 3 ? to - k + 1 : 3;
        for (int i = 0; k > m && i < count; i++)
            v[i] = s->t[k + i][k - 1];
        double tau = reflection(v, count, &beta);
        if (k > m) {
            s->t[k][k - 1] = beta;
            for (int i = 1; i < count; i++)
                s->t[k + i][k - 1] = 0.0;
        } else if (m > from) {
            s->t[k][k - 1] *= 1.0 - tau;
        }
        reflect_rows(s, v, tau, k, count, k);
        reflect_columns(s->t, v, tau, k, count, (k + 3 < to ? k + 3 : to) + 1);
        reflect_columns(s->q, v, tau, k, count, s->n);
    }
}

/* ---- Blocks of two ---- */

typedef struct block {
    double a, b, c, d, cosine, sine;
} block;

/* Two eigenvalues that are real but for rounding, or complex: a rotation makes both diagonal entries equal, and another
 * one removes c where they are real after all. */
static void equalise(block *t) {
    double sigma = t->b + t->c, apart = t->a - t->d, tau = hypot(sigma, apart);
    double cs = sqrt(0.5 * (1.0 + fabs(sigma) / tau)), sn = -(0.5 * apart / (tau * cs)) * copysign(1.0, sigma);
    double aa = t->a * cs + t->b * sn, bb = -t->a * sn + t->b * cs, cc = t->c * cs + t->d * sn;
    double dd = -t->c * sn + t->d * cs;
    double a = aa * cs + cc * sn, d = -bb * sn + dd * cs, mean = 0.5 * (a + d);
    *t = (block){mean, bb * cs + dd * sn, -aa * sn + cc * cs, mean, cs, sn};
    if (t->c == 0.0)
        return;
    if (t->b == 0.0) {
        *t = (block){mean, -t->c, 0.0, mean, -sn, cs};
    } else if (signbit(t->b) == signbit(t->c)) {
        double rb = sqrt(fabs(t->b)), rc = sqrt(fabs(t->c)), p = copysign(rb * rc, t->c);
        double length = 1.0 / sqrt(fabs(t->b + t->c)), cs1 = rb * length, sn1 = rc * length;
        *t = (block){mean + p, t->b - t->c, 0.0, mean - p, cs * cs1 - sn * sn1, cs * sn1 + sn * cs1};
    }
}

/* [a b; c d] becomes triangular, or has equal diagonal entries and b c < 0. */
static void standardise(block *t) {
    t->cosine = 1.0;
    t->sine = 0.0;
    if (t->c == 0.0)
        return;
    if (t->b == 0.0) {
        *t = (block){t->d, -t->c, 0.0, t->a, 0.0, 1.0};
        return;
    }
    if (t->a == t->d && signbit(t->b) != signbit(t->c))
        return;
    double p = 0.5 * (t->a - t->d), most = fmax(fabs(t->b), fabs(t->c));
    double least = fmin(fabs(t->b), fabs(t->c)) * copysign(1.0, t->b) * copysign(1.0, t->c);
    double scale = fmax(fabs(p), most), z = p / scale * p + most / scale * least;
    if (z < 4.0 * eps * scale) {
        equalise(t);
        return;
    }
    z = p + copysign(sqrt(scale) * sqrt(z), p);
    double tau = hypot(t->c, z);
    *t = (block){t->d + z, t->b - t->c, 0.0, t->d - most / z * least, z / tau, t->c / tau};
}

static void rotate(double *x, double *y, double cs, double sn) {
    double before = *x;
    *x = cs * before + sn * *y;
    *y = cs * *y - sn * before;
}

static void take_pair(small *s, int k) {
    block t = {s->t[k][k], s->t[k][k + 1], s->t[k + 1][k], s->t[k + 1][k + 1], 1.0, 0.0};
    standardise(&t);
    for (int j = k + 2; j < s->n; j++)
        rotate(&s->t[k][j], &s->t[k + 1][j], t.cosine, t.sine);
    for (int i = 0; i < k; i++)
        rotate(&s->t[i][k], &s->t[i][k + 1], t.cosine, t.sine);
    for (int i = 0; i < s->n; i++)
        rotate(&s->q[i][k], &s->q[i][k + 1], t.cosine, t.sine);
    s->t[k][k] = t.a;
    s->t[k][k + 1] = t.b;
    s->t[k + 1][k] = t.c;
    s->t[k + 1][k + 1] = t.d;
    double turn = t.c == 0.0 ? 0.0 : sqrt(fabs(t.b)) * sqrt(fabs(t.c));
    s->real[k] = t.a;
    s->real[k + 1] = t.d;
    s->imaginary[k] = turn;
    s->imaginary[k + 1] = -turn;
}

static bool to_schur(small *s) {
    for (int k = 0; k < s->n; k++) {
        s->real[k] = s->t[k][k];
        s->imaginary[k] = 0.0;
    }
    for (int to = s->high; to >= s->low;) {
        int from = to, round = 0;
        for (;; round++) {
            for (from = to; from > s->low && !is_small(s, from);)
                from--;
            if (from > s->low)
                s->t[from][from - 1] = 0.0;
            if (from >= to - 1)
                break;
            if (round == SHIFTS)
                return false;
            sweep(s, from, to, round);
        }
        if (from == to)
            s->real[to] = s->t[to][to];
        else
            take_pair(s, from);
        to = from - 1;
    }
    return true;
}

/* ---- Vectors ---- */

typedef struct number {
    double re, im;
} number;

static number minus_times(number sum, double factor, number x) {
    return (number){sum.re - factor * x.re, sum.im - factor * x.im};
}

static number product(number x, number y) {
    return (number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* x / y, by the larger part of y. */
static number quotient(number x, number y) {
    if (y.im == 0.0)
        return (number){x.re / y.re, x.im / y.re};
    if (fabs(y.re) >= fabs(y.im)) {
        double r = y.im / y.re, d = y.re + y.im * r;
        return (number){(x.re + x.im * r) / d, (x.im - x.re * r) / d};
    }
    double r = y.re / y.im, d = y.re * r + y.im;
    return (number){(x.re * r + x.im) / d, (x.im * r - x.re) / d};
}

/* What must not be divided by is as far from zero as rounding cannot tell. */
static number at_least(number x, double least) {
    return fabs(x.re) + fabs(x.im) < least ? (number){least, 0.0} : x;
}

/* b x + p y = g after a row p x + b' y = f with the largest entry b' has given y: (b - p^2/b') x = g - p f/b'. */
static void solve_by_side(number p, double largest, double other, double least, number f, number g, number *x,
                          number *y) {
    number square = product(p, p), part = product(p, f);
    number pivot = at_least((number){other - square.re / largest, -square.im / largest}, least);
    *x = quotient((number){g.re - part.re / largest, g.im - part.im / largest}, pivot);
    part = product(p, *x);
    *y = (number){(f.re - part.re) / largest, (f.im - part.im) / largest};
}

/* [p q; r p] (x, y) = (f, g), p complex, q and r real, from the largest entry on; the last pivot is kept from zero. */
static void solve_pair(number p, double q, double r, double least, number f, number g, number *x, number *y) {
    double size = fmax(fabs(p.re), fabs(p.im));
    if (fabs(q) >= size && fabs(q) >= fabs(r)) {
        solve_by_side(p, q, r, least, f, g, x, y);
    } else if (fabs(r) >= size) {
        solve_by_side(p, r, q, least, g, f, y, x);
    } else {
        number inverse = quotient((number){1.0, 0.0}, p), pivot = minus_times(p, q * r, inverse);
        *y = quotient(minus_times(g, r, product(f, inverse)), at_least(pivot, least));
        *x = product(minus_times(f, q, *y), inverse);
    }
}

/* Entry (i, j) of the Schur form, or of its transpose. */
static double entry(const small *s, int i, int j, bool left) {
    return left ? s->t[j][i] : s->t[i][j];
}

/* The block of eigenvalue k itself: (T - lambda) x = 0 there. */
static void begin(const small *s, int k, bool left, number *x) {
    double turn = s->imaginary[k];
    memset(x, 0, SIZE * sizeof *x);
    x[k].re = 1.0;
    if (turn == 0.0)
        return;
    double b = entry(s, k, k + 1, left), c = entry(s, k + 1, k, left);
    if (fabs(b) >= fabs(c)) { /* -i turn x_k + b x_k+1 = 0 */
        x[k + 1] = (number){0.0, turn / b};
    } else { /* c x_k - i turn x_k+1 = 0 */
        x[k] = (number){0.0, turn / c};
        x[k + 1] = (number){1.0, 0.0};
    }
}

/* The right vector of eigenvalue k in Schur coordinates, by substitution upwards; or the left one (conjugate), which is
 * the right one of the transpose, downwards. */
static void substitute(const small *s, int k, bool left, number *x) {
    number lambda = {s->real[k], s->imaginary[k]};
    double least = fmax(eps * (fabs(lambda.re) + fabs(lambda.im)), fmax(1e-30 * s->norm, tiny));
    int width = lambda.im != 0.0 ? 2 : 1, step = left ? 1 : -1, first = left ? k : k + width - 1;
    begin(s, k, left, x);
    for (int i = left ? k + width : k - 1; i >= 0 && i < s->n; i += step) {
        int other = i + step;
        bool pair = other >= 0 && other < s->n && s->imaginary[i] != 0.0;
        number f = {0.0, 0.0}, g = {0.0, 0.0};
        for (int j = first; j != i; j += step) {
            f = minus_times(f, entry(s, i, j, left), x[j]);
            if (pair)
                g = minus_times(g, entry(s, other, j, left), x[j]);
        }
        number p = {s->t[i][i] - lambda.re, -lambda.im};
        if (pair) {
            solve_pair(p, entry(s, i, other, left), entry(s, other, i, left), least, f, g, &x[i], &x[other]);
            i = other;
        } else {
            x[i] = quotient(f, at_least(p, least));
        }
    }
}

static double length_of(const number *x, int n) {
    double sum = 0.0, most = 0.0;
    for (int i = 0; i < n; i++) {
        double re = fabs(x[i].re), im = fabs(x[i].im), larger = re > im ? re : im;
        most = larger > most ? larger : most;
    }
    for (int i = 0; i < n && most > 0.0; i++) {
        double re = x[i].re / most, im = x[i].im / most;
        sum += re * re + im * im;
    }
    return most * sqrt(sum);
}

static double cosine_of(const small *s, int k, const number *right, double length) {
    number left[SIZE], sum = {0.0, 0.0};
    substitute(s, k, true, left);
    double other = length_of(left, s->n);
    for (int i = 0; i < s->n; i++) {
        number term = product((number){left[i].re / other, left[i].im / other}, right[i]);
        sum.re += term.re;
        sum.im += term.im;
    }
    return hypot(sum.re, sum.im) / length;
}

/* Back to the coordinates of the matrix as it was given. */
static void undo(const small *s, const number *x, number *v) {
    int n = s->n;
    for (int i = 0; i < n; i++) {
        v[i] = (number){0.0, 0.0};
        for (int j = 0; j < n; j++)
            v[i] = minus_times(v[i], -s->q[i][j], x[j]);
        v[i].re *= s->scale[i];
        v[i].im *= s->scale[i];
    }
    for (int step = 1; step <= s->low + n - 1 - s->high; step++) { /* the last exchanges first */
        int i = step <= s->low ? s->low - step : s->high - s->low + step;
        swap(&v[i].re, &v[s->place[i]].re);
        swap(&v[i].im, &v[s->place[i]].im);
    }
}

/* Length 1, largest entry real; rows of `out`. */
static void put_vector(const number *v, int n, bool pair, double *out) {
    double length = length_of(v, n), most = 0.0;
    number turn = {1.0 / length, 0.0};
    int largest = 0;
    for (int i = 0; pair && i < n; i++) {
        double square = v[i].re * v[i].re / length / length + v[i].im * v[i].im / length / length;
        if (square > most) {
            most = square;
            largest = i;
        }
    }
    if (pair) {
        double size = hypot(v[largest].re, v[largest].im);
        turn = (number){v[largest].re / size / length, -v[largest].im / size / length};
    }
    for (int i = 0; i < n; i++) {
        number x = product(v[i], turn);
        out[i] = x.re;
        if (pair)
            out[n + i] = x.im;
    }
    if (pair)
        out[n + largest] = 0.0;
}

static void open(small *s, const double *a, int n) {
    s->n = n;
    s->low = 0;
    s->high = n - 1;
    for (int i = 0; i < n; i++) {
        memcpy(s->t[i], a + i * n, (size_t)n * sizeof *a);
        memset(s->q[i], 0, sizeof s->q[i]);
        s->q[i][i] = s->scale[i] = 1.0;
        s->place[i] = i;
    }
}

/* Sums of squares and products of them must not leave the range of numbers. */
static bool is_moderate(const double *a, size_t count) {
    bool moderate = true;
    for (size_t i = 0; i < count; i++) {
        double size = fabs(a[i]);
        moderate = moderate && (size == 0.0 || (size > 1e-60 && size < 1e60));
    }
    return moderate;
}

bool am_eigen_small(const double *a, size_t n, double *real, double *imaginary, double *cosine, double *vectors,
                    double *norm) {
    small s;
    if (n > SIZE || !is_moderate(a, n * n))
        return false;
    int count = (int)n;
    open(&s, a, count);
    balance(&s);
    *norm = s.norm = largest_column(&s);
    to_hessenberg(&s);
    if (!to_schur(&s))
        return false;
    memcpy(real, s.real, n * sizeof *real);
    memcpy(imaginary, s.imaginary, n * sizeof *imaginary);
    for (int k = 0; k < count; k++) {
        bool pair = imaginary[k] != 0.0;
        number x[SIZE], v[SIZE];
        substitute(&s, k, false, x);
        cosine[k] = cosine_of(&s, k, x, length_of(x, count));
        undo(&s, x, v);
        put_vector(v, count, pair, vectors + k * count);
        if (pair) {
            cosine[k + 1] = cosine[k];
            k++;
        }
    }
    return am_dense_is_finite(real, n) && am_dense_is_finite(imaginary, n) && am_dense_is_finite(cosine, n) &&
           am_dense_is_finite(vectors, n * n);
}
