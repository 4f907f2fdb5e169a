/* The exponentials and logarithms of `exact`, in one pass over an array instead of fifteen.

   Other compiled modules find the functions of single numbers in the capsule `functions`.

   Operations and their order are those of the functions in Python beside it, so the bits are the
   same.  It must be compiled without joining products and sums into one rounding (see setup.py). */

#include "_exact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define PARTS 1024
#define SHIFT 10
#define MOST_DOUBLINGS 4096
#define MOST_LOGS 1024

static struct {
    double roots[PARTS], residues[PARTS], doublings[MOST_DOUBLINGS], logs[MOST_LOGS];
    Py_ssize_t number_of_doublings, number_of_logs;
    double smallest, largest, steps_in_one, high, low, sixth, twenty_fourth;
    double fine, two_thirds, two_fifths, ln2_low, ln2_high, least_normal, up, log_up;
    long long least, first, bottom_bits;
    int ready;
} given;

static int
copied(PyObject *source, double *target, Py_ssize_t most, Py_ssize_t *number)
{
    Py_buffer table;
    if (PyObject_GetBuffer(source, &table, PyBUF_C_CONTIGUOUS) < 0)
        return 0;
    *number = table.len / (Py_ssize_t)sizeof(double);
    int fits = table.itemsize == sizeof(double) && *number <= most;
    if (fits)
        memcpy(target, table.buf, table.len);
    else
        PyErr_SetString(PyExc_ValueError, "a table of another size is expected");
    PyBuffer_Release(&table);
    return fits;
}

static PyObject *
prepare(PyObject *self, PyObject *args)
{
    PyObject *roots, *residues, *doublings, *logs;
    Py_ssize_t number, residue_count;
    given.ready = 0;
    if (!PyArg_ParseTuple(args, "OOOO(ddddddd)(dddddddd)LLL", &roots, &residues, &doublings, &logs,
                          &given.smallest, &given.largest, &given.steps_in_one, &given.high,
                          &given.low, &given.sixth, &given.twenty_fourth, &given.fine,
                          &given.two_thirds, &given.two_fifths, &given.ln2_low, &given.ln2_high,
                          &given.least_normal, &given.up, &given.log_up, &given.least,
                          &given.first, &given.bottom_bits))
        return NULL;
    if (!copied(roots, given.roots, PARTS, &number) ||
        !copied(residues, given.residues, PARTS, &residue_count))
        return NULL;
    if (number != PARTS || residue_count != PARTS) {
        PyErr_SetString(PyExc_ValueError, "a table of another size is expected");
        return NULL;
    }
    if (!copied(doublings, given.doublings, MOST_DOUBLINGS, &given.number_of_doublings) ||
        !copied(logs, given.logs, MOST_LOGS, &given.number_of_logs))
        return NULL;
    given.ready = 1;
    Py_RETURN_NONE;
}

static double
exp_of(double x)
{
    if (isnan(x))
        return x;
    double kept = x < given.smallest ? given.smallest : x;
    kept = kept > given.largest ? given.largest : kept;
    double steps = rint(kept * given.steps_in_one);
    double rest = kept - steps * given.high;
    rest -= steps * given.low;
    double more = rest * given.twenty_fourth;
    more += given.sixth;
    more *= rest;
    more += 0.5;
    more *= rest;
    more *= rest;
    more += rest;
    int64_t whole = (int64_t)steps;
    double root = given.roots[whole & (PARTS - 1)];
    more *= root;
    more += root;
    int64_t place = (whole >> SHIFT) - given.least;
    place = place < 0 ? 0 : place;
    place = place >= given.number_of_doublings ? given.number_of_doublings - 1 : place;
    return more * given.doublings[place];
}

static double
log_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t doublings = (bits - given.bottom_bits) >> 52;
    int64_t close = (int64_t)((uint64_t)bits - ((uint64_t)doublings << 52));
    double near;
    memcpy(&near, &close, sizeof near);
    double index = rint(near * given.fine);
    double known = index * (1 / given.fine);
    double rest = (near - known) / (near + known);
    double square = rest * rest;
    double series = square * given.two_fifths;
    series += given.two_thirds;
    series *= square;
    series *= rest;
    series += rest;
    series += rest;
    double powers = (double)doublings;
    series += powers * given.ln2_low;
    double found = powers * given.ln2_high + given.logs[(int64_t)index - given.first];
    found += series;
    return found;
}

static double
expm1_of(double x)
{
    if (!(x <= 60.0))
        return exp_of(x);
    double kept = x < given.smallest ? given.smallest : x;
    double steps = rint(kept * given.steps_in_one);
    double rest = kept - steps * given.high;
    rest -= steps * given.low;
    double more = rest * given.twenty_fourth;
    more += given.sixth;
    more *= rest;
    more += 0.5;
    more *= rest;
    more *= rest;
    more += rest;
    int64_t whole = (int64_t)steps, part = whole & (PARTS - 1);
    double scale = given.doublings[(whole >> SHIFT) - given.least];
    double root = given.roots[part] * scale;
    return (root - 1.0) + (root * more + given.residues[part] * scale);
}

/* The logarithm of any number, minus infinity for zero. */
static double
any_log_of(double x)
{
    if (!(x > 0 && x < INFINITY))
        return x == 0 ? -INFINITY : x == INFINITY ? x : NAN;
    return x < given.least_normal ? log_of(x * given.up) - given.log_up : log_of(x);
}

static double
power_of(double x, double exponent)
{
    return exponent ? exp_of(exponent * any_log_of(x)) : 1.0;
}

static int
is_ready(void)
{
    return given.ready;
}

/* What other compiled modules may call, once it is ready. */
static const ExactFunctions functions = {is_ready, exp_of, any_log_of, expm1_of};

/* Return a function of one number as a method. */
#define OF_ONE(name, function)                             \
    static PyObject *name(PyObject *self, PyObject *number) \
    {                                                       \
        double x = PyFloat_AsDouble(number);                \
        if (x == -1.0 && PyErr_Occurred())                  \
            return NULL;                                    \
        return PyFloat_FromDouble(function(x));             \
    }

OF_ONE(one_exp, exp_of)
OF_ONE(one_log, any_log_of)
OF_ONE(one_expm1, expm1_of)

static PyObject *
one_power(PyObject *self, PyObject *args)
{
    double x, exponent;
    if (!PyArg_ParseTuple(args, "dd", &x, &exponent))
        return NULL;
    return PyFloat_FromDouble(power_of(x, exponent));
}

/* Fills the second of two arrays of the same size; -1 after an error. */
static Py_ssize_t
two_arrays(PyObject *args, Py_buffer *from, Py_buffer *to)
{
    PyObject *source, *target;
    if (!given.ready) {
        PyErr_SetString(PyExc_RuntimeError, "not prepared");
        return -1;
    }
    if (!PyArg_ParseTuple(args, "OO", &source, &target))
        return -1;
    if (PyObject_GetBuffer(source, from, PyBUF_C_CONTIGUOUS) < 0)
        return -1;
    if (PyObject_GetBuffer(target, to, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
        PyBuffer_Release(from);
        return -1;
    }
    if (from->itemsize != sizeof(double) || to->itemsize != sizeof(double) ||
        from->len != to->len) {
        PyBuffer_Release(from);
        PyBuffer_Release(to);
        PyErr_SetString(PyExc_ValueError, "two arrays of floats of one size are expected");
        return -1;
    }
    return from->len / (Py_ssize_t)sizeof(double);
}

static PyObject *
exponentials(PyObject *self, PyObject *args)
{
    Py_buffer from, to;
    Py_ssize_t number = two_arrays(args, &from, &to);
    if (number < 0)
        return NULL;
    const double *x = from.buf;
    double *found = to.buf;
    for (Py_ssize_t i = 0; i < number; i++)
        found[i] = exp_of(x[i]);
    PyBuffer_Release(&from);
    PyBuffer_Release(&to);
    Py_RETURN_NONE;
}

static PyObject *
exponentials_less_one(PyObject *self, PyObject *args)
{
    Py_buffer from, to;
    Py_ssize_t number = two_arrays(args, &from, &to);
    if (number < 0)
        return NULL;
    const double *x = from.buf;
    double *found = to.buf;
    for (Py_ssize_t i = 0; i < number; i++)
        found[i] = expm1_of(x[i]);
    PyBuffer_Release(&from);
    PyBuffer_Release(&to);
    Py_RETURN_NONE;
}

static PyObject *
logarithms(PyObject *self, PyObject *args)
{
    Py_buffer from, to;
    Py_ssize_t number = two_arrays(args, &from, &to), i;
    if (number < 0)
        return NULL;
    const double *x = from.buf;
    double *found = to.buf;
    for (i = 0; i < number; i++) {
        if (!(x[i] >= given.least_normal && x[i] < INFINITY))
            break;
        found[i] = log_of(x[i]);
    }
    PyBuffer_Release(&from);
    PyBuffer_Release(&to);
    return PyBool_FromLong(i == number);
}

static PyMethodDef methods[] = {
    {"prepare", prepare, METH_VARARGS, "Take the tables and constants of `exact`."},
    {"exp", exponentials, METH_VARARGS, "Fill the second array with the exponentials."},
    {"log", logarithms, METH_VARARGS,
     "Fill the second array with the logarithms; False at a number that is not ordinary."},
    {"expm1", exponentials_less_one, METH_VARARGS,
     "Fill the second array with the exponentials minus one."},
    {"exp_of", one_exp, METH_O, "Return the exponential of a number."},
    {"log_of", one_log, METH_O, "Return the logarithm of a number."},
    {"expm1_of", one_expm1, METH_O, "Return the exponential of a number, minus one."},
    {"power_of", one_power, METH_VARARGS, "Return a power of a number."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_exact", "Exponentials and logarithms of `exact`.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__exact(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL)
        return NULL;
    PyObject *capsule = PyCapsule_New((void *)&functions, EXACT_FUNCTIONS, NULL);
    if (capsule == NULL || PyModule_AddObject(made, "functions", capsule) < 0) {
        Py_XDECREF(capsule);
        Py_DECREF(made);
        return NULL;
    }
    return made;
}
