#include "base/digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* `whole` with its last k digits behind the point, without zeros at the end. */
static size_t write(bool negative, uint64_t whole, int k, char *text) {
    char digits[24];
    size_t count = 0, length = 0;
    while (k > 0 && whole % 10 == 0) {
        whole /= 10;
        k--;
    }
    for (; whole > 0 || (int)count <= k; whole /= 10)
        digits[count++] = (char)('0' + whole % 10);
    if (negative)
        text[length++] = '-';
    while (count > 0) {
        text[length++] = digits[--count];
        if (k > 0 && (int)count == k)
            text[length++] = '.';
    }
    text[length] = '\0';
    return length;
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

/* |value| = mantissa / 2^shift, mantissa of 53 bits. From 1e-4 to 1e15 the shift lies between 3 and 66, so that
 * mantissa times 10^20 (below 2^120) and all else here fits into 128 bits: every step is exact. */
typedef struct number {
    uint64_t mantissa;
    int shift;
} number;

static number split(double value) {
    int exponent;
    double fraction = frexp(value, &exponent);
    return (number){(uint64_t)ldexp(fraction, 53), 53 - exponent};
}

static wide power_of_ten(int k) {
    wide power = 1;
    while (k-- > 0)
        power *= 10;
    return power;
}

/* value 10^k to the nearest whole number, ties to the even one, as printf does. *off: by how much that is off, in units
 * of 10^-k 2^-shift. */
static uint64_t rounded(number n, wide power, wide *off, bool *below) {
    wide scaled = n.mantissa * power, half = (wide)1 << (n.shift - 1), rest = scaled & ((half << 1) - 1);
    uint64_t whole = (uint64_t)(scaled >> n.shift);
    bool up = rest > half || (rest == half && whole % 2 == 1);
    *below = !up;
    *off = up ? (half << 1) - rest : rest;
    return whole + up;
}

/* Does a decimal that is off by so much read back as the number? Half a unit in the last place is 10^k / 2 in these
 * units; below a power of two the next number is only half as far away. A tie goes to the even one. */
static bool reads_back(number n, wide power, wide off, bool below) {
    bool even = n.mantissa % 2 == 0;
    wide distance = n.mantissa == (uint64_t)1 << 52 && below ? 4 * off : 2 * off;
    return distance < power || (distance == power && even);
}

/* size lies between 10^e and 10^(e + 1). The numbers next to 1e-1 .. 1e-4 are not those powers themselves, but no
 * number lies between. */
static int decimal_exponent(double size) {
    static const double powers[] = {1e-3, 1e-2, 1e-1, 1e0, 1e1,  1e2,  1e3,  1e4,  1e5,
                                    1e6,  1e7,  1e8,  1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    int e = -4;
    for (size_t i = 0; i < sizeof powers / sizeof *powers && size >= powers[i]; i++)
        e++;
    return e;
}

static size_t shortest_fraction(double value, char text[AM_DIGITS_SIZE]) {
    double size = fabs(value);
    if (!(size >= 1e-4 && size < 1e15))
        return 0;
    number n = split(size);
    int before = decimal_exponent(size);
    for (int digits = 15; digits <= 17; digits++) {
        int k = digits - 1 - before;
        wide power = power_of_ten(k), off;
        bool below;
        uint64_t whole = rounded(n, power, &off, &below);
        if (digits == 17 || reads_back(n, power, off, below))
            return write(value < 0.0, whole, k, text);
    }
    return 0;
}

#else

static size_t shortest_fraction(double value, char text[AM_DIGITS_SIZE]) {
    (void)value, (void)text;
    return 0;
}

#endif

size_t am_digits_shortest(double value, char text[AM_DIGITS_SIZE]) {
    bool whole = fabs(value) < 0x1p53 && value == trunc(value);
    return whole ? write(signbit(value), (uint64_t)fabs(value), 0, text) : shortest_fraction(value, text);
}
