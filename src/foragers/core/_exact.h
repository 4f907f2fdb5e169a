/* What compiled modules share of `exact`: functions of single numbers, and sums as numpy adds. */

#ifndef FORAGERS_EXACT_H
#define FORAGERS_EXACT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define EXACT_FUNCTIONS "foragers.core._exact.functions"

typedef struct {
    int (*is_ready)(void);
    double (*exp)(double), (*log)(double), (*expm1)(double);
} ExactFunctions;

/* The functions of `exact`, which must be in use; NULL after an error. */
static inline const ExactFunctions *
exact_functions(void)
{
    PyObject *twin = PyImport_ImportModule("foragers.core.exact");
    Py_XDECREF(twin);
    if (twin == NULL)
        return NULL;
    const ExactFunctions *found = PyCapsule_Import(EXACT_FUNCTIONS, 0);
    if (found != NULL && found->is_ready())
        return found;
    PyErr_SetString(PyExc_ImportError, "the compiled module of `exact` is not in use");
    return NULL;
}

#define PAIRWISE_BLOCK 128

/* The sum of products, added in the order of numpy's pairwise sums. */
static inline double
pairwise(const double *one, const double *other, Py_ssize_t count)
{
    if (count < 8) {
        double sum = 0.0;
        for (Py_ssize_t i = 0; i < count; i++)
            sum = i ? sum + one[i] * other[i] : one[i] * other[i];
        return sum;
    }
    if (count > PAIRWISE_BLOCK) {
        Py_ssize_t half = count / 2;
        half -= half % 8;
        return pairwise(one, other, half) + pairwise(one + half, other + half, count - half);
    }
    double parts[8];
    Py_ssize_t i;
    for (i = 0; i < 8; i++)
        parts[i] = one[i] * other[i];
    for (; i < count - count % 8; i += 8)
        for (int part = 0; part < 8; part++)
            parts[part] += one[i + part] * other[i + part];
    double sum = ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
                 ((parts[4] + parts[5]) + (parts[6] + parts[7]));
    for (; i < count; i++)
        sum += one[i] * other[i];
    return sum;
}

#endif
