/* Steps of a fleet over columns, without a numpy call for each operation.

   A step has few downloads: then a call of numpy costs more than its work.  Operations and their
   order are those of the functions in Python, so the bits are the same.  Functions that write
   into an array return how many items they wrote; None says that a URL has no room in the columns
   yet. */

#include "../../core/_exact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define MOST_COLUMNS 16
#define VISITED (-1)
#define FRESH 1
#define CLASSES 4

static const ExactFunctions *exact;

/* Columns that are opened once, since opening costs more than reading a few rows. */
typedef struct {
    PyObject_HEAD
    int number;
    Py_buffer views[MOST_COLUMNS];
    Py_ssize_t rows;
} Columns;

static void
columns_dealloc(Columns *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i < self->number; i++)
        PyBuffer_Release(&self->views[i]);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static Py_ssize_t
size_of(char kind)
{
    return kind == 'd' ? sizeof(double) : kind == 'i' ? sizeof(int32_t) : 1;
}

/* Columns(kinds, *arrays): a letter for each array, d, i or b; the first has the most rows to use. */
static PyObject *
columns_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    Py_ssize_t number = PyTuple_GET_SIZE(args) - 1;
    const char *kinds = number < 0 ? NULL : PyUnicode_AsUTF8(PyTuple_GET_ITEM(args, 0));
    if (kinds == NULL || number > MOST_COLUMNS || (Py_ssize_t)strlen(kinds) != number) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a letter for each array is expected");
        return NULL;
    }
    Columns *self = (Columns *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    for (int i = 0; i < number; i++) {
        Py_buffer *view = &self->views[i];
        if (PyObject_GetBuffer(PyTuple_GET_ITEM(args, i + 1), view, PyBUF_C_CONTIGUOUS) < 0)
            goto failed;
        self->number++;
        if (view->itemsize != size_of(kinds[i]) || view->ndim < 1) {
            PyErr_SetString(PyExc_ValueError, "an array of another type is expected");
            goto failed;
        }
    }
    self->rows = number ? self->views[0].shape[0] : 0;
    return (PyObject *)self;
failed:
    Py_DECREF(self);
    return NULL;
}

static PyType_Slot columns_slots[] = {
    {Py_tp_new, columns_new},
    {Py_tp_dealloc, columns_dealloc},
    {Py_tp_doc, "Arrays that are open for the functions of this module."},
    {0, NULL},
};

static PyType_Spec columns_spec = {
    "foragers.strategies.fleet._steps.Columns", sizeof(Columns), 0, Py_TPFLAGS_DEFAULT,
    columns_slots,
};

static PyTypeObject *columns_type;

static Columns *
columns_of(PyObject *given, int number)
{
    if (!Py_IS_TYPE(given, columns_type) || ((Columns *)given)->number != number) {
        PyErr_SetString(PyExc_TypeError, "columns of another kind are expected");
        return NULL;
    }
    return (Columns *)given;
}

#define COLUMN(columns, type, place) ((type *)(columns)->views[place].buf)

/* Columns of the memory, of the prospects, and of the web, by their places. */
enum { SEEN, PAGES, STATES, LEADS, CHECKS, CHANGES, WATCHED, RATES, EXPECTED, MEMORY };
enum {
    SIGHTED, ASKED, PARENTS, KINDS, EARNED, TRIES, WINS,
    ALL_TRIES, ALL_WINS, CLASS_CHANGES, CLASS_WATCHED, PROSPECTS
};
enum { BORN, WEB_PAGES, NUMBERS, WEB_LEADS, CURRENT, EVENT_URLS, EVENTS, EVENT_CLOCK, WEB };

/* Attributes of a fleet. */
enum { EARNED_NAME, SPENT_NAME, CREDIT_NAME, NAMES };
static const char *const names[NAMES] = {"earned", "spent", "credit"};
static PyObject *named[NAMES];

/* Arrays of one call. */
typedef struct {
    Py_buffer views[8];
    int number;
} Opened;

static void
closed(Opened *opened)
{
    for (int i = 0; i < opened->number; i++)
        PyBuffer_Release(&opened->views[i]);
}

/* Open arrays of the given kinds; those with a large letter are written to. */
static int
are_opened(Opened *opened, PyObject *const *sources, const char *kinds)
{
    opened->number = 0;
    for (int i = 0; kinds[i]; i++) {
        int written = kinds[i] < 'a';
        char kind = written ? kinds[i] + ('a' - 'A') : kinds[i];
        Py_buffer *view = &opened->views[i];
        int flags = PyBUF_C_CONTIGUOUS | (written ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(sources[i], view, flags) < 0) {
            closed(opened);
            return 0;
        }
        opened->number++;
        if (view->itemsize != (kind == 'p' ? (Py_ssize_t)sizeof(Py_ssize_t) : size_of(kind))) {
            PyErr_SetString(PyExc_ValueError, "an array of another type is expected");
            closed(opened);
            return 0;
        }
    }
    return 1;
}

#define OPENED(opened, type, place) ((type *)(opened).views[place].buf)
#define LENGTH(opened, place) ((opened).views[place].len / (opened).views[place].itemsize)

static int
are_enough(Py_ssize_t given, Py_ssize_t wanted)
{
    if (given == wanted)
        return 1;
    PyErr_SetString(PyExc_TypeError, "another number of arguments is expected");
    return 0;
}

static int
are_long(Opened *opened, int first, Py_ssize_t length)
{
    for (int i = first; i < opened->number; i++)
        if (LENGTH(*opened, i) < length) {
            PyErr_SetString(PyExc_ValueError, "an array is too short");
            return 0;
        }
    return 1;
}

static int
are_within(const int32_t *numbers, Py_ssize_t count, Py_ssize_t rows)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (numbers[i] < 0 || numbers[i] >= rows)
            return 0;
    return 1;
}

static PyObject *
outside(void)
{
    PyErr_SetString(PyExc_IndexError, "a number is outside of its column");
    return NULL;
}

static double
dot(const double *one, const double *other, Py_ssize_t count)
{
    return 0.0 + pairwise(one, other, count);
}

/* best(table, weights, values, gates, known, count): fill the values of kinds from `known` on, and
   return the open kind of the highest value; None if several have it.  A closed kind has no value
   until it is open: minus infinity. */
static PyObject *
best(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    if (!are_enough(given, 6) || !are_opened(&open, args, "ddDd"))
        return NULL;
    PyObject *found = NULL;
    Py_ssize_t known = PyLong_AsSsize_t(args[4]), count = PyLong_AsSsize_t(args[5]);
    Py_ssize_t width = LENGTH(open, 1), top = -1;
    const double *table = OPENED(open, double, 0), *weights = OPENED(open, double, 1);
    const double *gates = OPENED(open, double, 3);
    double *values = OPENED(open, double, 2), highest = -INFINITY;
    if (known < 0 || LENGTH(open, 0) < count * width || !are_long(&open, 2, count)) {
        if (!PyErr_Occurred())
            outside();
        goto end;
    }
    for (; known < count; known++)
        values[known] = -INFINITY;
    int ties = 0;
    for (Py_ssize_t kind = 0; kind < count; kind++) {
        if (gates[kind] == -INFINITY)
            continue;
        if (values[kind] == -INFINITY)
            values[kind] = dot(table + kind * width, weights, width);
        double value = values[kind] + gates[kind];
        if (value > highest) {
            highest = value;
            top = kind;
            ties = 0;
        } else if (value == highest || isnan(value))
            ties = 1;
    }
    found = ties || top < 0 ? Py_NewRef(Py_None) : PyLong_FromSsize_t(top);
end:
    closed(&open);
    return found;
}

/* td(weights, state, next, reward, gamma, rate, normalised, max_error): correct the weights, and
   return the error. */
static PyObject *
td(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    if (!are_enough(given, 8) || !are_opened(&open, args, "Ddd"))
        return NULL;
    PyObject *found = NULL;
    double reward = PyFloat_AsDouble(args[3]), gamma = PyFloat_AsDouble(args[4]);
    double rate = PyFloat_AsDouble(args[5]), most = PyFloat_AsDouble(args[7]);
    int normalised = PyObject_IsTrue(args[6]);
    double *weights = OPENED(open, double, 0);
    const double *state = OPENED(open, double, 1), *next = OPENED(open, double, 2);
    Py_ssize_t width = LENGTH(open, 0);
    if (PyErr_Occurred() || !are_long(&open, 1, width))
        goto end;
    double error = reward + gamma * dot(next, weights, width);
    error -= dot(state, weights, width);
    if (normalised) {
        double squared = dot(state, state, width);
        rate /= squared < 1e-12 ? 1e-12 : squared;
    }
    if (fabs(error) < most) {
        double step = rate * error;
        for (Py_ssize_t i = 0; i < width; i++)
            weights[i] += step * state[i];
    }
    found = PyFloat_FromDouble(error);
end:
    closed(&open);
    return found;
}

/* Take a page out of its kind; 0 after an error. */
static int
left(PyObject *members, double *gates, PyObject *url, Py_ssize_t kind)
{
    PyObject *pages = PyList_GET_ITEM(members, kind);
    Py_ssize_t at = PySequence_Index(pages, url);
    if (at < 0 || PyList_SetSlice(pages, at, at + 1, NULL) < 0)
        return 0;
    if (!PyList_GET_SIZE(pages))
        gates[kind] = -INFINITY;
    return 1;
}

/* The frontier of a path: kinds of pages by URL, their members, and kinds by state. */
typedef struct {
    PyObject *kind_of, *members, *kinds;
    double *gates, *table;
    const void *states;
    Py_ssize_t width, known, itemsize;
} Frontier;

/* The kind of a state, -1 after an error; a new one is added. */
static Py_ssize_t
kind_in(Frontier *frontier, int32_t state)
{
    PyObject *number = PyLong_FromLong(state), *kind = NULL, *pages = NULL;
    if (number == NULL)
        return -1;
    Py_ssize_t found = -1, count = PyList_GET_SIZE(frontier->members);
    PyObject *old = PyDict_GetItemWithError(frontier->kinds, number);
    if (old != NULL)
        found = PyLong_AsSsize_t(old);
    else if (PyErr_Occurred())
        ;
    else if (state < 0 || state >= frontier->known)
        outside();
    else if ((kind = PyLong_FromSsize_t(count)) != NULL && (pages = PyList_New(0)) != NULL &&
             PyDict_SetItem(frontier->kinds, number, kind) == 0 &&
             PyList_Append(frontier->members, pages) == 0) {
        double *row = frontier->table + count * frontier->width;
        for (Py_ssize_t i = 0; i < frontier->width; i++) {
            Py_ssize_t at = state * frontier->width + i;
            row[i] = frontier->itemsize == sizeof(double) ? ((const double *)frontier->states)[at]
                                                          : ((const float *)frontier->states)[at];
        }
        frontier->gates[count] = -INFINITY;
        found = count;
    }
    Py_XDECREF(kind);
    Py_XDECREF(pages);
    Py_DECREF(number);
    return found;
}

/* Put one page into its kind; return whether it was in none, or -1. */
static int
placed(Frontier *frontier, PyObject *url, Py_ssize_t number)
{
    PyObject *before = PyDict_GetItemWithError(frontier->kind_of, url);
    if (PyErr_Occurred())
        return -1;
    int is_new = before == NULL;
    if (!is_new) {
        Py_ssize_t old = PyLong_AsSsize_t(before);
        if (old == VISITED || old == number)
            return PyErr_Occurred() ? -1 : 0;
        if (old < 0 || old >= PyList_GET_SIZE(frontier->members))
            return outside(), -1;
        if (!left(frontier->members, frontier->gates, url, old)) /* the page has changed */
            return -1;
    }
    PyObject *pages = PyList_GET_ITEM(frontier->members, number);
    PyObject *kind = PyLong_FromSsize_t(number);
    int kept = kind == NULL ? -1 : PyDict_SetItem(frontier->kind_of, url, kind);
    Py_XDECREF(kind);
    if (kept < 0)
        return -1;
    if (!PyList_GET_SIZE(pages))
        frontier->gates[number] = 0.0;
    return PyList_Append(pages, url) < 0 ? -1 : is_new;
}

/* Put a page with a state into the frontier; return whether it was in none, or -1. */
static int
put(Frontier *frontier, int32_t url, int32_t state)
{
    Py_ssize_t kind = kind_in(frontier, state);
    PyObject *number = kind < 0 ? NULL : PyLong_FromLong(url);
    int is_new = number == NULL ? -1 : placed(frontier, number, kind);
    Py_XDECREF(number);
    return is_new;
}

/* Open the frontier of a path: kinds by URL, members of kinds and kinds by state are `given`. */
static int
is_frontier(Frontier *frontier, PyObject *const *given, Py_buffer *gates, Py_buffer *table,
            PyObject *states, Py_buffer *view)
{
    if (PyObject_GetBuffer(states, view, PyBUF_C_CONTIGUOUS) < 0)
        return 0;
    if (!PyDict_Check(given[0]) || !PyList_Check(given[1]) || !PyDict_Check(given[2]) ||
        view->ndim != 2 || table->ndim != 2 ||
        (view->itemsize != sizeof(double) && view->itemsize != sizeof(float)) ||
        PyDict_GET_SIZE(given[2]) != PyList_GET_SIZE(given[1])) {
        PyErr_SetString(PyExc_TypeError, "a path is expected");
        PyBuffer_Release(view);
        return 0;
    }
    *frontier = (Frontier){given[0], given[1], given[2], gates->buf, table->buf,
                           view->buf, view->shape[1], view->shape[0], view->itemsize};
    return 1;
}

/* Whether gates and table have room for so many more kinds. */
static int
has_room(const Frontier *frontier, const Py_buffer *gates, const Py_buffer *table, Py_ssize_t more)
{
    Py_ssize_t wanted = PyList_GET_SIZE(frontier->members) + more;
    return table->shape[1] == frontier->width && table->shape[0] >= wanted &&
           gates->len / gates->itemsize >= wanted;
}

/* place(kinds by URL, members of kinds, kinds by state, gates, table, states, URLs, numbers of their
   states): put pages into the frontier of a path, and return how many were not in it; None if the
   table has no room for as many kinds. */
static PyObject *
place(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Frontier frontier;
    Py_buffer view;
    PyObject *arrays[] = {given == 8 ? args[3] : NULL, given == 8 ? args[4] : NULL,
                          given == 8 ? args[6] : NULL, given == 8 ? args[7] : NULL};
    if (!are_enough(given, 8) || !are_opened(&open, arrays, "DDii"))
        return NULL;
    PyObject *found = NULL;
    Py_ssize_t count = LENGTH(open, 2), added = 0;
    if (!is_frontier(&frontier, args, &open.views[0], &open.views[1], args[5], &view))
        goto end;
    if (LENGTH(open, 3) != count) {
        PyErr_SetString(PyExc_TypeError, "a path is expected");
        goto release;
    }
    if (!has_room(&frontier, &open.views[0], &open.views[1], count)) {
        found = Py_NewRef(Py_None);
        goto release;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        int is_new = put(&frontier, OPENED(open, int32_t, 2)[i], OPENED(open, int32_t, 3)[i]);
        if (is_new < 0)
            goto release;
        added += is_new;
    }
    found = PyLong_FromSsize_t(added);
release:
    PyBuffer_Release(&view);
end:
    closed(&open);
    return found;
}

/* look(web, event, url, version, moment, seconds, within, looked, times, rows, leads, young): fill
   in a step that begins with a URL and its version; the rows are URLs, versions, pages and numbers
   of states.  `event` is the first of the web that has not happened yet.  Return how many are
   young. */
static PyObject *
look(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Columns *web = are_enough(given, 12) ? columns_of(args[0], WEB) : NULL;
    if (web == NULL || !are_opened(&open, args + 7, "iDIBP"))
        return NULL;
    PyObject *found = NULL;
    Py_ssize_t event = PyLong_AsSsize_t(args[1]), count = LENGTH(open, 0) + 1, young = 0;
    long url = PyLong_AsLong(args[2]), version = PyLong_AsLong(args[3]);
    double moment = PyFloat_AsDouble(args[4]), seconds = PyFloat_AsDouble(args[5]);
    double within = PyFloat_AsDouble(args[6]);
    if (PyErr_Occurred() || !are_long(&open, 1, count))
        goto end;
    if (LENGTH(open, 2) != 4 * count) {
        PyErr_SetString(PyExc_ValueError, "four rows are expected");
        goto end;
    }
    const int32_t *looked = OPENED(open, int32_t, 0);
    double *times = OPENED(open, double, 1);
    int32_t *urls = OPENED(open, int32_t, 2), *versions = urls + count;
    int32_t *pages = versions + count, *numbers = pages + count;
    char *leads = OPENED(open, char, 3);
    Py_ssize_t *places = OPENED(open, Py_ssize_t, 4);
    Py_ssize_t known = web->views[CURRENT].shape[0], events = web->views[EVENTS].shape[0];
    urls[0] = (int32_t)url;
    versions[0] = (int32_t)version;
    if (event < 0 || !are_within(looked, count - 1, known) || !are_within(versions, 1, web->rows)) {
        outside();
        goto end;
    }
    times[0] = moment;
    for (Py_ssize_t i = 1; i < count; i++) {
        times[i] = times[i - 1] + seconds;
        urls[i] = looked[i - 1];
        versions[i] = COLUMN(web, int32_t, CURRENT)[urls[i]];
    }
    for (; count > 1 && event < events; event++) {
        double clock = COLUMN(web, double, EVENT_CLOCK)[event];
        if (clock > times[count - 1])
            break;
        int32_t changed = COLUMN(web, int32_t, EVENT_URLS)[event];
        for (Py_ssize_t i = 1; i < count; i++)
            if (urls[i] == changed && clock <= times[i])
                versions[i] = COLUMN(web, int32_t, EVENTS)[event];
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        pages[i] = COLUMN(web, int32_t, WEB_PAGES)[versions[i]];
        numbers[i] = COLUMN(web, int32_t, NUMBERS)[versions[i]];
        leads[i] = COLUMN(web, char, WEB_LEADS)[versions[i]];
        if (times[i] - COLUMN(web, double, BORN)[versions[i]] <= within)
            places[young++] = i;
    }
    found = PyLong_FromSsize_t(young);
end:
    closed(&open);
    return found;
}

/* discover(order, urls, count): number URLs in the order in which they are met, and return how
   many there are now. */
static PyObject *
discover(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Columns *order = are_enough(given, 3) ? columns_of(args[0], 1) : NULL;
    Py_ssize_t count = order == NULL ? -1 : PyLong_AsSsize_t(args[2]), first = count;
    if (count < 0 || !are_opened(&open, args + 1, "i"))
        return NULL;
    const int32_t *urls = OPENED(open, int32_t, 0);
    Py_ssize_t number = LENGTH(open, 0);
    int fits = are_within(urls, number, order->rows);
    for (Py_ssize_t i = 0; fits && i < number; i++) {
        int32_t *place = COLUMN(order, int32_t, 0) + urls[i];
        if (*place < 0 || *place >= first)
            *place = (int32_t)count++;
    }
    closed(&open);
    return fits ? PyLong_FromSsize_t(count) : outside();
}

/* Record one download. */
static void
remember_one(Columns *memory, int32_t url, int32_t page, int32_t state, double time, char leads,
             double first_rate)
{
    double before = COLUMN(memory, double, SEEN)[url];
    if (before > -INFINITY) {
        double checks = COLUMN(memory, double, CHECKS)[url] += 1.0;
        double changes = COLUMN(memory, double, CHANGES)[url] +=
            COLUMN(memory, int32_t, PAGES)[url] != page;
        double interval = (COLUMN(memory, double, WATCHED)[url] += time - before) / checks;
        double still = (checks - changes + 0.5) / (checks + 1.0);
        COLUMN(memory, double, RATES)[url] =
            interval > 0 ? -exact->log(still) / interval : first_rate;
        COLUMN(memory, double, EXPECTED)[url] =
            -checks * exact->log((checks - changes + 0.5) / (checks + 0.5));
    }
    COLUMN(memory, double, SEEN)[url] = time;
    COLUMN(memory, int32_t, PAGES)[url] = page;
    COLUMN(memory, int32_t, STATES)[url] = state;
    COLUMN(memory, char, LEADS)[url] = leads;
}

/* remember(memory, urls, pages, states, times, leads, first rate): record downloads. */
static PyObject *
remember(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Columns *memory = are_enough(given, 7) ? columns_of(args[0], MEMORY) : NULL;
    if (memory == NULL || !are_opened(&open, args + 1, "iiidb"))
        return NULL;
    PyObject *found = NULL;
    Py_ssize_t count = LENGTH(open, 0);
    const int32_t *urls = OPENED(open, int32_t, 0), *pages = OPENED(open, int32_t, 1);
    const double *times = OPENED(open, double, 3);
    double first_rate = PyFloat_AsDouble(args[6]);
    if (PyErr_Occurred() || !are_long(&open, 1, count))
        goto end;
    if (!are_within(urls, count, memory->rows)) {
        found = Py_NewRef(Py_None);
        goto end;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        remember_one(memory, urls[i], pages[i], OPENED(open, int32_t, 2)[i], times[i],
                     OPENED(open, char, 4)[i], first_rate);
    found = PyLong_FromSsize_t(count);
end:
    closed(&open);
    return found;
}

/* recall(memory, url, page, state, time, leads, first rate): record one download, without arrays. */
static PyObject *
recall(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Columns *memory = are_enough(given, 7) ? columns_of(args[0], MEMORY) : NULL;
    if (memory == NULL)
        return NULL;
    int32_t url = (int32_t)PyLong_AsLong(args[1]), page = (int32_t)PyLong_AsLong(args[2]);
    int32_t state = (int32_t)PyLong_AsLong(args[3]);
    double time = PyFloat_AsDouble(args[4]), first_rate = PyFloat_AsDouble(args[6]);
    int leads = PyObject_IsTrue(args[5]);
    if (PyErr_Occurred())
        return NULL;
    if (!are_within(&url, 1, memory->rows))
        Py_RETURN_NONE;
    remember_one(memory, url, page, state, time, (char)leads, first_rate);
    return PyLong_FromLong(1);
}

/* due(memory, urls, now, least, due URLs): find those with so many expected changes. */
static PyObject *
due(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Columns *memory = are_enough(given, 5) ? columns_of(args[0], MEMORY) : NULL;
    PyObject *arrays[] = {memory ? args[1] : NULL, memory ? args[4] : NULL};
    if (memory == NULL || !are_opened(&open, arrays, "iI"))
        return NULL;
    Py_ssize_t count = LENGTH(open, 0), chosen = 0;
    const int32_t *urls = OPENED(open, int32_t, 0);
    double now = PyFloat_AsDouble(args[2]), least = PyFloat_AsDouble(args[3]);
    PyObject *found = NULL;
    if (PyErr_Occurred() || !are_long(&open, 1, count))
        goto end;
    if (!are_within(urls, count, memory->rows)) {
        found = Py_NewRef(Py_None);
        goto end;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        double waited = now - COLUMN(memory, double, SEEN)[urls[i]];
        if (COLUMN(memory, double, RATES)[urls[i]] * waited >= least)
            OPENED(open, int32_t, 1)[chosen++] = urls[i];
    }
    found = PyLong_FromSsize_t(chosen);
end:
    closed(&open);
    return found;
}

/* known(memory, links, leaves, urls, states): find links to pages that the memory knows. */
static PyObject *
known(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Columns *memory = are_enough(given, 5) ? columns_of(args[0], MEMORY) : NULL;
    PyObject *arrays[] = {
        memory ? args[1] : NULL, memory ? args[3] : NULL, memory ? args[4] : NULL};
    if (memory == NULL || !are_opened(&open, arrays, "iII"))
        return NULL;
    Py_ssize_t count = LENGTH(open, 0), chosen = 0;
    const int32_t *links = OPENED(open, int32_t, 0);
    int leaves = PyObject_IsTrue(args[2]);
    PyObject *found = NULL;
    if (leaves < 0 || !are_long(&open, 1, count))
        goto end;
    if (!are_within(links, count, memory->rows)) {
        found = Py_NewRef(Py_None);
        goto end;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        int32_t url = links[i];
        if (COLUMN(memory, int32_t, PAGES)[url] < 0 ||
            !(leaves || COLUMN(memory, char, LEADS)[url]))
            continue;
        OPENED(open, int32_t, 1)[chosen] = url;
        OPENED(open, int32_t, 2)[chosen++] = COLUMN(memory, int32_t, STATES)[url];
    }
    found = PyLong_FromSsize_t(chosen);
end:
    closed(&open);
    return found;
}

/* see(memory, links, leaves, kinds by URL, members of kinds, kinds by state, gates, table, states):
   put the links to pages that the memory knows into the frontier of a path, as `known` and `place`
   do; None if the memory or the table has no room. */
static PyObject *
see(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Frontier frontier;
    Py_buffer view;
    Columns *memory = are_enough(given, 9) ? columns_of(args[0], MEMORY) : NULL;
    PyObject *arrays[] = {
        memory ? args[1] : NULL, memory ? args[6] : NULL, memory ? args[7] : NULL};
    if (memory == NULL || !are_opened(&open, arrays, "iDD"))
        return NULL;
    PyObject *found = NULL;
    Py_ssize_t count = LENGTH(open, 0), added = 0;
    const int32_t *links = OPENED(open, int32_t, 0);
    int leaves = PyObject_IsTrue(args[2]);
    if (leaves < 0 || !is_frontier(&frontier, args + 3, &open.views[1], &open.views[2], args[8], &view))
        goto end;
    if (!has_room(&frontier, &open.views[1], &open.views[2], count) ||
        !are_within(links, count, memory->rows)) {
        found = Py_NewRef(Py_None);
        goto release;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        int32_t url = links[i];
        if (COLUMN(memory, int32_t, PAGES)[url] < 0 ||
            !(leaves || COLUMN(memory, char, LEADS)[url]))
            continue;
        int is_new = put(&frontier, url, COLUMN(memory, int32_t, STATES)[url]);
        if (is_new < 0)
            goto release;
        added += is_new;
    }
    found = PyLong_FromSsize_t(added);
release:
    PyBuffer_Release(&view);
end:
    closed(&open);
    return found;
}

/* unsighted(prospects, links, found): find links that no page had before. */
static PyObject *
unsighted(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Columns *prospects = are_enough(given, 3) ? columns_of(args[0], PROSPECTS) : NULL;
    if (prospects == NULL || !are_opened(&open, args + 1, "iI"))
        return NULL;
    Py_ssize_t count = LENGTH(open, 0), chosen = 0;
    const int32_t *links = OPENED(open, int32_t, 0);
    PyObject *found = NULL;
    if (!are_long(&open, 1, count))
        goto end;
    if (!are_within(links, count, prospects->rows)) {
        found = Py_NewRef(Py_None);
        goto end;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (COLUMN(prospects, double, SIGHTED)[links[i]] == -INFINITY)
            OPENED(open, int32_t, 1)[chosen++] = links[i];
    found = PyLong_FromSsize_t(chosen);
end:
    closed(&open);
    return found;
}

/* The numbers that promises depend on besides the columns. */
typedef struct {
    double now, within, prior_changes, prior_tries, first_rate, late;
    double prior_time[CLASSES], prior_wins[2]; /* of each class, and kind of link */
} Rules;

static int
rules_of(PyObject *given, Columns *prospects, Rules *rules)
{
    if (!PyArg_ParseTuple(given, "ddddd", &rules->now, &rules->within, &rules->prior_changes,
                          &rules->prior_tries, &rules->first_rate))
        return 0;
    double rates[CLASSES];
    for (int class = 0; class < CLASSES; class++) {
        rates[class] = COLUMN(prospects, double, CLASS_CHANGES)[class] /
                       COLUMN(prospects, double, CLASS_WATCHED)[class];
        rules->prior_time[class] = rules->prior_changes / rates[class];
    }
    for (int kind = 0; kind < 2; kind++)
        rules->prior_wins[kind] =
            rules->prior_tries * (COLUMN(prospects, double, ALL_WINS)[kind] /
                                  COLUMN(prospects, double, ALL_TRIES)[kind]);
    rules->late = -exact->expm1(-rates[0] * (rules->within < 1e12 ? rules->within : 1e12));
    return 1;
}

/* The class of a page: with links or without, found recently or not. */
static int
class_of(Columns *memory, Columns *prospects, int32_t url, double now, double within)
{
    int recent = COLUMN(prospects, int32_t, KINDS)[url] == FRESH &&
                 now - COLUMN(prospects, double, SIGHTED)[url] <= within;
    return 2 * recent + (COLUMN(memory, char, LEADS)[url] != 0);
}

/* The promise of a page that was fetched before; any number below `least` if it is below. */
static double
again(Columns *memory, Columns *prospects, int32_t url, const Rules *rules, double least)
{
    double value = (COLUMN(prospects, double, EARNED)[url] + 1.0) /
                   (COLUMN(memory, double, CHANGES)[url] + 1.0);
    if (value >= 0 && value * (1.0 + 1e-9) < least)
        return value;
    int class = class_of(memory, prospects, url, rules->now, rules->within);
    double rate = (COLUMN(memory, double, EXPECTED)[url] + rules->prior_changes) /
                  (COLUMN(memory, double, WATCHED)[url] + rules->prior_time[class]);
    double since = rules->now - COLUMN(prospects, double, ASKED)[url];
    since = since < rules->within ? since : rules->within;
    double most = value * (rate * since); /* 1 - exp(-x) is at most x, but for rounding */
    if (most >= 0 && most * (1.0 + 1e-9) < least)
        return most;
    return value * -exact->expm1(-rate * since);
}

/* The promise of a page that was never fetched. */
static double
untried(Columns *prospects, int32_t url, const Rules *rules)
{
    int kind = COLUMN(prospects, int32_t, KINDS)[url] == FRESH;
    int32_t parent = COLUMN(prospects, int32_t, PARENTS)[url];
    double wins = parent < 0 ? 0.0 : COLUMN(prospects, double, WINS)[2 * parent + kind];
    double tries = parent < 0 ? 0.0 : COLUMN(prospects, double, TRIES)[2 * parent + kind];
    double promise = (wins + rules->prior_wins[kind]) / (tries + rules->prior_tries);
    double waited = rules->now - COLUMN(prospects, double, SIGHTED)[url];
    if (waited > rules->within)
        promise = rules->late;
    else
        promise *= 1 - 0.5 * waited / rules->within;
    double asked = COLUMN(prospects, double, ASKED)[url];
    if (asked > -INFINITY) /* and not answered: it may be lost */
        promise *= -exact->expm1(-rules->first_rate * (rules->now - asked));
    return promise;
}

/* worth(memory, prospects, rules, urls, promises): the promise of each page. */
static PyObject *
worth(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Rules rules;
    Columns *memory = are_enough(given, 5) ? columns_of(args[0], MEMORY) : NULL;
    Columns *prospects = memory == NULL ? NULL : columns_of(args[1], PROSPECTS);
    if (prospects == NULL || !rules_of(args[2], prospects, &rules) ||
        !are_opened(&open, args + 3, "iD"))
        return NULL;
    Py_ssize_t count = LENGTH(open, 0);
    const int32_t *urls = OPENED(open, int32_t, 0);
    PyObject *found = NULL;
    if (!are_long(&open, 1, count))
        goto end;
    if (!are_within(urls, count, memory->rows) || !are_within(urls, count, prospects->rows)) {
        outside();
        goto end;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        OPENED(open, double, 1)[i] = COLUMN(memory, double, SEEN)[urls[i]] > -INFINITY
                                         ? again(memory, prospects, urls[i], &rules, -INFINITY)
                                         : untried(prospects, urls[i], &rules);
    found = PyLong_FromSsize_t(count);
end:
    closed(&open);
    return found;
}

typedef struct {
    double promise;
    Py_ssize_t place;
} Candidate;

/* Whether a candidate comes after another: it promises less, or as much and stands later. */
static int
is_behind(const Candidate *one, const Candidate *other)
{
    return one->promise < other->promise ||
           (one->promise == other->promise && one->place > other->place);
}

static int
in_order(const void *one, const void *other)
{
    return is_behind(one, other) - is_behind(other, one);
}

/* Let the first candidate of a heap, whose first is the last in order, sink to its place. */
static void
sink(Candidate *heap, Py_ssize_t count)
{
    for (Py_ssize_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_behind(&heap[child + 1], &heap[child]))
            child++;
        if (is_behind(&heap[at], &heap[child]))
            return;
        Candidate other = heap[at];
        heap[at] = heap[child];
        heap[child] = other;
    }
}

/* Fill a heap with the most promising of several pages. */
static void
fill(Candidate *heap, Py_ssize_t wanted, Columns *memory, Columns *prospects, const Rules *rules,
     const int32_t *urls, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        double least = i < wanted ? -INFINITY : heap[0].promise;
        Candidate one = {
            COLUMN(memory, double, SEEN)[urls[i]] > -INFINITY
                ? again(memory, prospects, urls[i], rules, least)
                : untried(prospects, urls[i], rules),
            i,
        };
        if (i < wanted) {
            heap[i] = one;
            if (i == wanted - 1) { /* last in order first: a heap */
                qsort(heap, wanted, sizeof *heap, in_order);
                for (Py_ssize_t a = 0, b = wanted - 1; a < b; a++, b--) {
                    Candidate other = heap[a];
                    heap[a] = heap[b];
                    heap[b] = other;
                }
            }
        } else if (one.promise > least) {
            heap[0] = one;
            sink(heap, wanted);
        }
    }
    qsort(heap, wanted, sizeof *heap, in_order);
}

/* shortlist(memory, prospects, rules, urls, chosen): find the most promising pages, as many as
   there is room for, the most promising first, and of equal ones those that come first. */
static PyObject *
shortlist(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Rules rules;
    Columns *memory = are_enough(given, 5) ? columns_of(args[0], MEMORY) : NULL;
    Columns *prospects = memory == NULL ? NULL : columns_of(args[1], PROSPECTS);
    if (prospects == NULL || !rules_of(args[2], prospects, &rules) ||
        !are_opened(&open, args + 3, "iI"))
        return NULL;
    Py_ssize_t count = LENGTH(open, 0), wanted = LENGTH(open, 1);
    const int32_t *urls = OPENED(open, int32_t, 0);
    Candidate *heap = PyMem_Malloc((wanted ? wanted : 1) * sizeof *heap);
    PyObject *found = NULL;
    if (heap == NULL)
        PyErr_NoMemory();
    else if (wanted > count || !are_within(urls, count, memory->rows) ||
             !are_within(urls, count, prospects->rows))
        outside();
    else {
        fill(heap, wanted, memory, prospects, &rules, urls, count);
        for (Py_ssize_t i = 0; i < wanted; i++)
            OPENED(open, int32_t, 1)[i] = urls[heap[i].place];
        found = PyLong_FromSsize_t(wanted);
    }
    PyMem_Free(heap);
    closed(&open);
    return found;
}

/* promising(memory, prospects, rules, price, links, chosen): find links that were never asked for
   and promise at least the price; None if some were never sighted. */
static PyObject *
promising(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Rules rules;
    Columns *memory = are_enough(given, 6) ? columns_of(args[0], MEMORY) : NULL;
    Columns *prospects = memory == NULL ? NULL : columns_of(args[1], PROSPECTS);
    double price = prospects == NULL ? 0.0 : PyFloat_AsDouble(args[3]);
    if (prospects == NULL || PyErr_Occurred() || !rules_of(args[2], prospects, &rules) ||
        !are_opened(&open, args + 4, "iI"))
        return NULL;
    Py_ssize_t count = LENGTH(open, 0), chosen = 0;
    const int32_t *links = OPENED(open, int32_t, 0);
    PyObject *found = NULL;
    if (!are_long(&open, 1, count))
        goto end;
    if (!are_within(links, count, memory->rows) || !are_within(links, count, prospects->rows)) {
        found = Py_NewRef(Py_None);
        goto end;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        int32_t url = links[i];
        if (COLUMN(prospects, double, SIGHTED)[url] == -INFINITY) {
            found = Py_NewRef(Py_None);
            goto end;
        }
        if (COLUMN(memory, double, SEEN)[url] == -INFINITY &&
            COLUMN(prospects, double, ASKED)[url] == -INFINITY &&
            untried(prospects, url, &rules) >= price)
            OPENED(open, int32_t, 1)[chosen++] = url;
    }
    found = PyLong_FromSsize_t(chosen);
end:
    closed(&open);
    return found;
}

/* Count a page fetched for the first time, for its class and its parent. */
static void
count_first(Columns *prospects, int32_t url, double news, double price)
{
    int kind = COLUMN(prospects, int32_t, KINDS)[url] == FRESH;
    int32_t parent = COLUMN(prospects, int32_t, PARENTS)[url];
    COLUMN(prospects, double, ALL_TRIES)[kind] += 1.0;
    COLUMN(prospects, double, ALL_WINS)[kind] += news;
    if (parent < 0)
        return;
    COLUMN(prospects, double, TRIES)[2 * parent + kind] += 1.0;
    COLUMN(prospects, double, WINS)[2 * parent + kind] += news;
    if (kind == FRESH)
        COLUMN(prospects, double, EARNED)[parent] += news - price;
}

/* pass_by(memory, prospects, within, price, url, page, time): record one download that was no news,
   without arrays, before the memory records it. */
static PyObject *
pass_by(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Columns *memory = are_enough(given, 7) ? columns_of(args[0], MEMORY) : NULL;
    Columns *prospects = memory == NULL ? NULL : columns_of(args[1], PROSPECTS);
    if (prospects == NULL)
        return NULL;
    double within = PyFloat_AsDouble(args[2]), price = PyFloat_AsDouble(args[3]);
    int32_t url = (int32_t)PyLong_AsLong(args[4]), page = (int32_t)PyLong_AsLong(args[5]);
    double time = PyFloat_AsDouble(args[6]);
    if (PyErr_Occurred())
        return NULL;
    if (!are_within(&url, 1, memory->rows) || !are_within(&url, 1, prospects->rows))
        Py_RETURN_NONE;
    double before = COLUMN(memory, double, SEEN)[url];
    if (before > -INFINITY) {
        int class = class_of(memory, prospects, url, time, within);
        COLUMN(prospects, double, CLASS_CHANGES)[class] +=
            COLUMN(memory, int32_t, PAGES)[url] != page;
        COLUMN(prospects, double, CLASS_WATCHED)[class] += time - before;
    } else
        count_first(prospects, url, 0.0, price);
    COLUMN(prospects, double, ASKED)[url] = time;
    return PyLong_FromLong(1);
}

/* note(memory, prospects, within, price, urls, pages, times, rewarded): record downloads and
   which were news, before the memory records them. */
static PyObject *
note(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    Opened open;
    Columns *memory = are_enough(given, 8) ? columns_of(args[0], MEMORY) : NULL;
    Columns *prospects = memory == NULL ? NULL : columns_of(args[1], PROSPECTS);
    if (prospects == NULL || !are_opened(&open, args + 4, "iidp"))
        return NULL;
    PyObject *found = NULL;
    double within = PyFloat_AsDouble(args[2]), price = PyFloat_AsDouble(args[3]);
    Py_ssize_t count = LENGTH(open, 0), rewarded = LENGTH(open, 3), next = 0;
    const int32_t *urls = OPENED(open, int32_t, 0), *pages = OPENED(open, int32_t, 1);
    const double *times = OPENED(open, double, 2);
    const Py_ssize_t *places = OPENED(open, Py_ssize_t, 3);
    if (PyErr_Occurred())
        goto end;
    if (LENGTH(open, 1) < count || LENGTH(open, 2) < count) {
        PyErr_SetString(PyExc_ValueError, "an array is too short");
        goto end;
    }
    if (!are_within(urls, count, memory->rows) || !are_within(urls, count, prospects->rows)) {
        found = Py_NewRef(Py_None);
        goto end;
    }
    double changed[CLASSES] = {0.0}, watched[CLASSES] = {0.0};
    for (Py_ssize_t i = 0; i < count; i++) {
        int32_t url = urls[i];
        while (next < rewarded && places[next] < i)
            next++;
        double before = COLUMN(memory, double, SEEN)[url];
        if (before > -INFINITY) {
            int class = class_of(memory, prospects, url, times[i], within);
            changed[class] += COLUMN(memory, int32_t, PAGES)[url] != pages[i];
            watched[class] += times[i] - before;
            COLUMN(prospects, double, EARNED)[url] += next < rewarded && places[next] == i;
        }
        COLUMN(prospects, double, ASKED)[url] = times[i];
    }
    for (int class = 0; class < CLASSES; class++) {
        COLUMN(prospects, double, CLASS_CHANGES)[class] += changed[class];
        COLUMN(prospects, double, CLASS_WATCHED)[class] += watched[class];
    }
    next = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        while (next < rewarded && places[next] < i)
            next++;
        if (!(COLUMN(memory, double, SEEN)[urls[i]] > -INFINITY))
            count_first(prospects, urls[i], next < rewarded && places[next] == i, price);
    }
    found = PyLong_FromSsize_t(count);
end:
    closed(&open);
    return found;
}

#define MOST_FLEETS 16

/* A number that is an attribute; NAN after an error. */
static double
number_of(PyObject *owner, PyObject *name)
{
    PyObject *found = PyObject_GetAttr(owner, name);
    double number = found == NULL ? NAN : PyFloat_AsDouble(found);
    Py_XDECREF(found);
    return number;
}

/* Set a number that is an attribute; 0 after an error. */
static int
is_set(PyObject *owner, PyObject *name, double number)
{
    PyObject *made = PyFloat_FromDouble(number);
    int done = made != NULL && PyObject_SetAttr(owner, name, made) == 0;
    Py_XDECREF(made);
    return done;
}

/* share(fleets, downloads, kept, least share, keenness): give every fleet credit by its earnings,
   and let earlier earnings fade. */
static PyObject *
share(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    if (!are_enough(given, 5))
        return NULL;
    Py_ssize_t count = PyList_Check(args[0]) ? PyList_GET_SIZE(args[0]) : MOST_FLEETS + 1;
    double downloads = PyFloat_AsDouble(args[1]), kept = PyFloat_AsDouble(args[2]);
    double least = PyFloat_AsDouble(args[3]), keenness = PyFloat_AsDouble(args[4]);
    if (!PyErr_Occurred() && count > MOST_FLEETS)
        PyErr_SetString(PyExc_TypeError, "a list of at most sixteen fleets is expected");
    if (PyErr_Occurred())
        return NULL;
    double rates[MOST_FLEETS], earned[MOST_FLEETS], spent[MOST_FLEETS], whole = 0.0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *fleet = PyList_GET_ITEM(args[0], i);
        earned[i] = number_of(fleet, named[EARNED_NAME]);
        spent[i] = number_of(fleet, named[SPENT_NAME]);
        if (PyErr_Occurred())
            return NULL;
        double ratio = (earned[i] + 1.0) / (spent[i] + 100.0);
        rates[i] = keenness ? exact->exp(keenness * exact->log(ratio)) : 1.0;
        whole += rates[i];
    }
    double free = 1.0 - least * count;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *fleet = PyList_GET_ITEM(args[0], i);
        double credit = number_of(fleet, named[CREDIT_NAME]);
        if (PyErr_Occurred())
            return NULL;
        credit += downloads * (least + free * rates[i] / whole);
        if (!is_set(fleet, named[CREDIT_NAME], credit) ||
            !is_set(fleet, named[EARNED_NAME], earned[i] * kept) ||
            !is_set(fleet, named[SPENT_NAME], spent[i] * kept))
            return NULL;
    }
    Py_RETURN_NONE;
}

#define METHOD(name, text) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, text}

static PyMethodDef methods[] = {
    METHOD(best, "Return the open kind of the highest value."),
    METHOD(td, "Correct weights by a temporal difference."),
    METHOD(place, "Put pages into the frontier of a path."),
    METHOD(look, "Fill in the downloads of a step."),
    METHOD(discover, "Number URLs in the order in which they are met."),
    METHOD(remember, "Record downloads in a memory of pages."),
    METHOD(recall, "Record one download in a memory of pages."),
    METHOD(due, "Find URLs that are likely to have changed."),
    METHOD(known, "Find links to pages that are known."),
    METHOD(see, "Put links to pages that are known into the frontier of a path."),
    METHOD(unsighted, "Find links that no page had before."),
    METHOD(worth, "Compute the promises of pages."),
    METHOD(shortlist, "Find the most promising of several pages."),
    METHOD(promising, "Find links that promise more than the price."),
    METHOD(share, "Give every fleet credit by its earnings."),
    METHOD(note, "Record downloads among the prospects."),
    METHOD(pass_by, "Record one download that was no news among the prospects."),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_steps", "Steps of a fleet over columns.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__steps(void)
{
    exact = exact_functions();
    if (exact == NULL)
        return NULL;
    for (int i = 0; i < NAMES; i++)
        if (named[i] == NULL && (named[i] = PyUnicode_InternFromString(names[i])) == NULL)
            return NULL;
    PyObject *made = PyModule_Create(&module);
    columns_type = made == NULL ? NULL : (PyTypeObject *)PyType_FromSpec(&columns_spec);
    if (columns_type == NULL || PyModule_AddType(made, columns_type) < 0) {
        Py_XDECREF(made);
        return NULL;
    }
    return made;
}
