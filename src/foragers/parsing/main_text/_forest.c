/* The scores of a forest of decision trees: for each row the sum of one leaf of each tree.

   Trees only compare and scores are whole numbers, so the results are those of numpy. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#define AT_ONCE 8
enum { ROWS, FEATURES, LIMITS, VALUES, FOUND, NUMBER };
static const Py_ssize_t sizes[NUMBER] = {8, 2, 8, 4, 8};

/* Whether the arrays are those of complete trees, and every feature is a column. */
static int
fits(const Py_buffer *views)
{
    for (int i = 0; i < NUMBER; i++)
        if (views[i].itemsize != sizes[i] || views[i].ndim != (i == FOUND ? 1 : 2))
            return 0;
    Py_ssize_t trees = views[FEATURES].shape[0], nodes = views[FEATURES].shape[1];
    if (nodes < 1 || (nodes & (nodes + 1)) || views[LIMITS].shape[0] != trees ||
        views[LIMITS].shape[1] != nodes || views[VALUES].shape[0] != trees ||
        views[VALUES].shape[1] != nodes + 1 || views[FOUND].shape[0] != views[ROWS].shape[0])
        return 0;
    const int16_t *features = views[FEATURES].buf;
    for (Py_ssize_t i = 0; i < trees * nodes; i++)
        if (features[i] < 0 || features[i] >= views[ROWS].shape[1])
            return 0;
    return 1;
}

static void
add_leaves(const Py_buffer *views)
{
    Py_ssize_t trees = views[FEATURES].shape[0], nodes = views[FEATURES].shape[1];
    Py_ssize_t rows = views[ROWS].shape[0], width = views[ROWS].shape[1];
    int64_t *found = views[FOUND].buf;
    for (Py_ssize_t tree = 0; tree < trees; tree++) {
        const int16_t *features = (const int16_t *)views[FEATURES].buf + tree * nodes;
        const double *limits = (const double *)views[LIMITS].buf + tree * nodes;
        const int32_t *values = (const int32_t *)views[VALUES].buf + tree * (nodes + 1);
        const double *row = views[ROWS].buf;
        Py_ssize_t i = 0;
        /* Several rows at once: the processor need not wait for one before the next. */
        for (; i + AT_ONCE <= rows; i += AT_ONCE, row += AT_ONCE * width) {
            Py_ssize_t node[AT_ONCE] = {0};
            for (Py_ssize_t level = nodes; level > 0; level >>= 1)
                for (int j = 0; j < AT_ONCE; j++)
                    node[j] = 2 * node[j] + 1 +
                              (row[j * width + features[node[j]]] > limits[node[j]]);
            for (int j = 0; j < AT_ONCE; j++)
                found[i + j] += values[node[j] - nodes];
        }
        for (; i < rows; i++, row += width) {
            Py_ssize_t node = 0;
            while (node < nodes)
                node = 2 * node + 1 + (row[features[node]] > limits[node]);
            found[i] += values[node - nodes];
        }
    }
}

static PyObject *
scores(PyObject *self, PyObject *args)
{
    PyObject *sources[NUMBER];
    Py_buffer views[NUMBER];
    int opened = 0;
    if (!PyArg_ParseTuple(args, "OOOOO", &sources[0], &sources[1], &sources[2], &sources[3],
                          &sources[4]))
        return NULL;
    while (opened < NUMBER) {
        int flags = PyBUF_C_CONTIGUOUS | (opened == FOUND ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(sources[opened], &views[opened], flags) < 0)
            break;
        opened++;
    }
    int fit = opened == NUMBER && fits(views);
    if (fit)
        add_leaves(views);
    while (opened-- > 0)
        PyBuffer_Release(&views[opened]);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(fit);
}

static PyMethodDef methods[] = {
    {"scores", scores, METH_VARARGS, "Add the scores of rows; False if the arrays do not fit."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_forest", "Forests of decision trees.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__forest(void)
{
    return PyModule_Create(&module);
}
