/* The exponentials and logarithms of `exact`, in one pass over an array instead of fifteen.

   Operations and their order are those of the functions in Python beside it, so the bits are the
   same.  It must be compiled without joining products and sums into one rounding (see setup.py). */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define PARTS 1024
#define SHIFT 10
#define MOST_DOUBLINGS 4096
#define MOST_LOGS 1024

static struct {
    double roots[PARTS], doublings[MOST_DOUBLINGS], logs[MOST_LOGS];
    Py_ssize_t number_of_doublings, number_of_logs;
    double smallest, largest, steps_in_one, high, low, sixth, twenty_fourth;
    double fine, two_thirds, two_fifths, ln2_low, ln2_high, least_normal;
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
    PyObject *roots, *doublings, *logs;
    Py_ssize_t number;
    given.ready = 0;
    if (!PyArg_ParseTuple(args, "OOO(ddddddd)(dddddd)LLL", &roots, &doublings, &logs,
                          &given.smallest, &given.largest, &given.steps_in_one, &given.high,
                          &given.low, &given.sixth, &given.twenty_fourth, &given.fine,
                          &given.two_thirds, &given.two_fifths, &given.ln2_low, &given.ln2_high,
                          &given.least_normal, &given.least, &given.first, &given.bottom_bits))
        return NULL;
    if (!copied(roots, given.roots, PARTS, &number))
        return NULL;
    if (number != PARTS) {
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
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_exact", "Exponentials and logarithms of `exact`.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__exact(void)
{
    return PyModule_Create(&module);
}
