/* Arrays of numpy and of `array`, as compiled modules read them: some rows of columns, or one row. */

#ifndef FORAGERS_ARRAYS_H
#define FORAGERS_ARRAYS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

typedef struct {
    Py_buffer view;
    char *at;
    Py_ssize_t rows, columns, row_step, column_step;
} Array;

#define CELL(array, type, row, column) \
    (*(type *)((array).at + (row) * (array).row_step + (column) * (array).column_step))

static inline int
opened(PyObject *source, Array *array, Py_ssize_t itemsize, int flags)
{
    array->view.obj = NULL;
    if (PyObject_GetBuffer(source, &array->view, PyBUF_STRIDES | flags) < 0)
        return 0;
    Py_buffer *view = &array->view;
    if (view->itemsize != itemsize || view->ndim < 1 || view->ndim > 2) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_ValueError, "an array of another type is expected");
        return 0;
    }
    int last = view->ndim - 1;
    array->at = view->buf;
    array->columns = view->shape[last];
    array->column_step = view->strides[last];
    array->rows = last ? view->shape[0] : 1;
    array->row_step = last ? view->strides[0] : 0;
    return 1;
}

static inline void
closed(Array *arrays, int number)
{
    for (int i = 0; i < number; i++)
        PyBuffer_Release(&arrays[i].view);
}

/* Open arrays of the given item sizes; those whose size is negative are written to. */
static inline int
all_opened(PyObject *const *sources, Array *arrays, const int *sizes, int number)
{
    for (int i = 0; i < number; i++) {
        int size = sizes[i] < 0 ? -sizes[i] : sizes[i];
        if (!opened(sources[i], &arrays[i], size, sizes[i] < 0 ? PyBUF_WRITABLE : 0)) {
            closed(arrays, i);
            return 0;
        }
    }
    return 1;
}

/* Say that a function was called with too few or too many arguments. */
static inline int
are_given(Py_ssize_t given, Py_ssize_t wanted)
{
    if (given == wanted)
        return 1;
    PyErr_SetString(PyExc_TypeError, "another number of arguments is expected");
    return 0;
}

#endif
