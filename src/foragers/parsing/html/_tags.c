/* Where the tags of a page begin that `sanitise` has to look at, in one pass over its bytes. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#define PAIRS 65536

static int add(PyObject *list, Py_ssize_t number) {
    PyObject *item = PyLong_FromSsize_t(number);
    if (item == NULL)
        return -1;
    int failed = PyList_Append(list, item);
    Py_DECREF(item);
    return failed;
}

/* Look at one tag: `next` is where the one after it begins, or the end of the page. */
static int look(PyObject *found[2], const unsigned char *body, Py_ssize_t size, Py_ssize_t start,
                Py_ssize_t next, const char *pairs, Py_ssize_t most) {
    unsigned first = start + 1 < size ? body[start + 1] : ' ';
    unsigned second = start + 2 < size ? body[start + 2] : ' ';
    if (pairs[first | second << 8] && add(found[0], start) < 0)
        return -1;
    return next - start > most ? add(found[1], start) : 0;
}

PyDoc_STRVAR(scan_doc,
             "scan(body, pairs, most): the number of tags of a page, where those begin whose\n"
             "first two characters are marked in `pairs`, and where those begin that the next\n"
             "one follows after more than `most` bytes.");
static PyObject *scan(PyObject *Py_UNUSED(module), PyObject *arguments) {
    const unsigned char *body;
    const char *pairs;
    Py_ssize_t size, table, most;
    if (!PyArg_ParseTuple(arguments, "y#y#n", &body, &size, &pairs, &table, &most))
        return NULL;
    if (table != PAIRS) {
        PyErr_SetString(PyExc_ValueError, "a byte for each pair of characters");
        return NULL;
    }
    PyObject *found[2] = {PyList_New(0), PyList_New(0)};
    Py_ssize_t tags = 0;
    const unsigned char *at = NULL, *end = body + size;
    if (found[0] == NULL || found[1] == NULL)
        goto failed;
    at = size ? memchr(body, '<', (size_t)size) : NULL;
    while (at != NULL) {
        const unsigned char *next =
            at + 1 < end ? memchr(at + 1, '<', (size_t)(end - at - 1)) : NULL;
        tags++;
        if (look(found, body, size, at - body, next == NULL ? size : next - body, pairs, most) < 0)
            goto failed;
        at = next;
    }
    return Py_BuildValue("(nNN)", tags, found[0], found[1]);
failed:
    Py_XDECREF(found[0]);
    Py_XDECREF(found[1]);
    return NULL;
}

static PyMethodDef functions[] = {{"scan", scan, METH_VARARGS, scan_doc}, {NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_tags",
    .m_doc = PyDoc_STR("Where the tags of a page begin."),
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__tags(void) {
    return PyModule_Create(&definition);
}
