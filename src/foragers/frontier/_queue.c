/* Entries of the frontier dealt out by host with new promises (`overflow.Rescoring`), and counted
   before a page that may be held back (`Frontier._better_waits`), compiled.

   An entry is a tuple (-promise, order of arrival, URL, parent, depth), or the same packed into 28
   bytes.  Results are those of the functions in Python. */

#include "../core/_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECORD 28

typedef struct {
    double negative;
    int64_t order;
    int32_t url, parent, depth;
} Entry;

static void
unpack(const char *from, Entry *entry)
{
    memcpy(&entry->negative, from, 8);
    memcpy(&entry->order, from + 8, 8);
    memcpy(&entry->url, from + 16, 4);
    memcpy(&entry->parent, from + 20, 4);
    memcpy(&entry->depth, from + 24, 4);
}

static void
pack(const Entry *entry, char *to)
{
    memcpy(to, &entry->negative, 8);
    memcpy(to + 8, &entry->order, 8);
    memcpy(to + 16, &entry->url, 4);
    memcpy(to + 20, &entry->parent, 4);
    memcpy(to + 24, &entry->depth, 4);
}

static int
comes_first(const Entry *one, const Entry *other)
{
    return one->negative < other->negative ||
           (one->negative == other->negative && one->order < other->order);
}

static int
compared(const void *one, const void *other)
{
    return comes_first(one, other) ? -1 : comes_first(other, one);
}

static PyObject *
tuple_of(const Entry *entry)
{
    return Py_BuildValue("dLiii", entry->negative, (long long)entry->order, (int)entry->url,
                         (int)entry->parent, (int)entry->depth);
}

/* Entries, with room for all of them. */
typedef struct {
    Entry *at;
    Py_ssize_t number, room;
} Entries;

static Entry *
next_entry(Entries *entries)
{
    return entries->number < entries->room ? &entries->at[entries->number++] : NULL;
}

/* Make room for the entries of all heaps and tails; 0 if there is none. */
static int
have_room(Entries *entries, PyObject *heaps, PyObject *tails)
{
    PyObject *host, *held;
    Py_ssize_t position = 0, size;
    while (PyDict_Next(heaps, &position, &host, &held)) {
        if ((size = PyObject_Size(held)) < 0)
            return 0;
        entries->room += size;
    }
    for (position = 0; PyDict_Next(tails, &position, &host, &held);)
        for (Py_ssize_t i = 0; PyList_Check(held) && i < PyList_GET_SIZE(held); i++) {
            if ((size = PyObject_Size(PyList_GET_ITEM(held, i))) < 0)
                return 0;
            entries->room += size / RECORD;
        }
    entries->at = PyMem_Malloc(((size_t)entries->room + 1) * sizeof *entries->at);
    if (entries->at == NULL)
        PyErr_NoMemory();
    return entries->at != NULL;
}

/* Whether an entry is neither taken nor moved up; -1 if its URL is not in the column. */
static int
counts(const Entry *entry, const Array *scores)
{
    if (entry->url < 0 || entry->url >= scores->columns)
        return -1;
    return CELL(*scores, double, 0, entry->url) == -entry->negative;
}

/* Keep the last entry if it counts; 0 if it is left to Python. */
static int
is_kept(Entries *entries, const Array *scores)
{
    int kept = counts(&entries->at[entries->number - 1], scores);
    entries->number -= kept != 1;
    return kept >= 0;
}

static int
take_tuples(Entries *entries, PyObject *heap, const Array *scores)
{
    if (!PyList_Check(heap))
        return 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(heap); i++) {
        PyObject *tuple = PyList_GET_ITEM(heap, i);
        Entry *entry = next_entry(entries);
        if (entry == NULL || !PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != 5)
            return 0;
        entry->negative = PyFloat_AsDouble(PyTuple_GET_ITEM(tuple, 0));
        entry->order = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, 1));
        entry->url = (int32_t)PyLong_AsLong(PyTuple_GET_ITEM(tuple, 2));
        entry->parent = (int32_t)PyLong_AsLong(PyTuple_GET_ITEM(tuple, 3));
        entry->depth = (int32_t)PyLong_AsLong(PyTuple_GET_ITEM(tuple, 4));
        if (PyErr_Occurred() || !is_kept(entries, scores))
            return 0;
    }
    return 1;
}

static int
take_records(Entries *entries, PyObject *parts, const Array *scores)
{
    int fits = PyList_Check(parts);
    for (Py_ssize_t i = 0; fits && i < PyList_GET_SIZE(parts); i++) {
        Py_buffer part;
        if (PyObject_GetBuffer(PyList_GET_ITEM(parts, i), &part, PyBUF_C_CONTIGUOUS) < 0)
            return 0;
        const char *at = part.buf;
        for (Py_ssize_t place = 0; fits && place + RECORD <= part.len; place += RECORD) {
            Entry *entry = next_entry(entries);
            fits = entry != NULL;
            if (fits) {
                unpack(at + place, entry);
                fits = is_kept(entries, scores);
            }
        }
        PyBuffer_Release(&part);
    }
    return fits;
}

/* All entries that count, host by host; and where those of each host end. */
static int
are_taken(PyObject *heaps, PyObject *tails, const Array *scores, Entries *entries,
          Py_ssize_t *ends)
{
    PyObject *host, *heap;
    Py_ssize_t position = 0, number = 0;
    while (PyDict_Next(heaps, &position, &host, &heap)) {
        PyObject *parts = PyDict_GetItemWithError(tails, host);
        if (PyErr_Occurred() || !take_tuples(entries, heap, scores) ||
            (parts != NULL && !take_records(entries, parts, scores)))
            return 0;
        ends[number++] = entries->number;
    }
    return 1;
}

/* Put the entries of a host into a heap: its best, or all if they are few; the others into bytes. */
static int
is_dealt(Entry *entries, Py_ssize_t number, Py_ssize_t few, PyObject *host, PyObject *heaps,
         PyObject *tails)
{
    Py_ssize_t first = 0, near = number <= few ? number : 1;
    if (number <= few)
        qsort(entries, (size_t)number, sizeof *entries, compared);
    for (Py_ssize_t i = 1; i < number; i++)
        first = comes_first(&entries[i], &entries[first]) ? i : first;
    PyObject *heap = PyList_New(near);
    for (Py_ssize_t i = 0; heap != NULL && i < near; i++) {
        PyObject *tuple = tuple_of(&entries[near > 1 ? i : first]);
        if (tuple == NULL)
            Py_CLEAR(heap);
        else
            PyList_SET_ITEM(heap, i, tuple);
    }
    int fits = heap != NULL && PyDict_SetItem(heaps, host, heap) == 0;
    Py_XDECREF(heap);
    if (!fits || number <= few)
        return fits;
    PyObject *rest = PyBytes_FromStringAndSize(NULL, (number - 1) * RECORD);
    char *to = rest == NULL ? NULL : PyBytes_AS_STRING(rest);
    for (Py_ssize_t i = 0; rest != NULL && i < number; i++)
        if (i != first) {
            pack(&entries[i], to);
            to += RECORD;
        }
    fits = rest != NULL && PyDict_SetItem(tails, host, rest) == 0;
    Py_XDECREF(rest);
    return fits;
}

/* rescored(heaps, tails, scores, urls, promises, few): give waiting URLs new promises, and deal all
   entries that count out by host.

   Returns heaps, the bytes of tails, and the number of entries; None if something is left to Python. */
static PyObject *
rescored(PyObject *self, PyObject *args)
{
    static const int sizes[] = {-8, 4, 8};
    PyObject *heaps, *tails, *sources[3], *near = NULL, *far = NULL, *host, *heap;
    Py_ssize_t few, position = 0, start = 0, number = 0;
    Array a[3];
    if (!PyArg_ParseTuple(args, "O!O!OOOn", &PyDict_Type, &heaps, &PyDict_Type, &tails, &sources[0],
                          &sources[1], &sources[2], &few))
        return NULL;
    if (!all_opened(sources, a, sizes, 3))
        return NULL;
    Entries entries = {NULL, 0, 0};
    Py_ssize_t *ends = PyMem_Malloc(((size_t)PyDict_GET_SIZE(heaps) + 1) * sizeof *ends);
    int fits = ends != NULL && few > 0 && a[1].columns == a[2].columns;
    for (Py_ssize_t i = 0; fits && i < a[1].columns; i++)
        fits = CELL(a[1], int32_t, 0, i) >= 0 && CELL(a[1], int32_t, 0, i) < a[0].columns;
    fits = fits && have_room(&entries, heaps, tails) &&
           are_taken(heaps, tails, &a[0], &entries, ends);
    if (fits) {
        for (Py_ssize_t i = 0; i < a[1].columns; i++) {
            double *score = &CELL(a[0], double, 0, CELL(a[1], int32_t, 0, i));
            if (*score == *score && *score != INFINITY)
                *score = CELL(a[2], double, 0, i);
        }
        for (Py_ssize_t i = 0; i < entries.number; i++)
            entries.at[i].negative = -CELL(a[0], double, 0, entries.at[i].url);
        near = PyDict_New();
        far = PyDict_New();
    }
    while (near != NULL && far != NULL && !PyErr_Occurred() &&
           PyDict_Next(heaps, &position, &host, &heap)) {
        if (ends[number] > start)
            is_dealt(entries.at + start, ends[number] - start, few, host, near, far);
        start = ends[number++];
    }
    Py_ssize_t all = entries.number;
    PyMem_Free(entries.at);
    PyMem_Free(ends);
    closed(a, 3);
    if (PyErr_Occurred() || (fits && (near == NULL || far == NULL))) {
        Py_XDECREF(near);
        Py_XDECREF(far);
        return NULL;
    }
    if (!fits)
        Py_RETURN_NONE;
    return Py_BuildValue("NNn", near, far, all);
}

/* Move the `number` entries that come first to the front, in any order (Hoare's selection). */
static void
select_first(Entry *entries, Py_ssize_t size, Py_ssize_t number)
{
    Py_ssize_t low = 0, high = size - 1;
    while (low < high) {
        Entry pivot = entries[low + (high - low) / 2];
        Py_ssize_t left = low, right = high;
        while (left <= right) {
            while (comes_first(&entries[left], &pivot))
                left++;
            while (comes_first(&pivot, &entries[right]))
                right--;
            if (left <= right) {
                Entry moved = entries[left];
                entries[left++] = entries[right];
                entries[right--] = moved;
            }
        }
        if (number - 1 <= right)
            high = right;
        else if (number - 1 >= left)
            low = left;
        else
            return;
    }
}

static PyObject *
packed(const Entry *entries, Py_ssize_t number)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, number * RECORD);
    for (Py_ssize_t i = 0; bytes != NULL && i < number; i++)
        pack(&entries[i], PyBytes_AS_STRING(bytes) + i * RECORD);
    return bytes;
}

/* The best of some entries sorted, the others as they are, and the first of these as a key. */
static PyObject *
divided(Entry *entries, Py_ssize_t number, Py_ssize_t best)
{
    Entry *copy = PyMem_Malloc(((size_t)number + 1) * sizeof *copy);
    if (copy == NULL)
        return PyErr_NoMemory();
    memcpy(copy, entries, (size_t)number * sizeof *copy);
    if (best < number)
        select_first(copy, number, best);
    qsort(copy, (size_t)best, sizeof *copy, compared);
    Py_ssize_t rest = 0, first = 0;
    for (Py_ssize_t i = 0; i < number && best < number; i++)
        if (comes_first(&copy[best - 1], &entries[i])) {
            entries[rest] = entries[i];
            first = comes_first(&entries[rest], &entries[first]) ? rest : first;
            rest++;
        }
    double negative = rest ? entries[first].negative : INFINITY;
    long long order = rest ? entries[first].order : 0;
    PyObject *run = packed(copy, best), *others = packed(entries, rest);
    PyMem_Free(copy);
    if (run == NULL || others == NULL) {
        Py_XDECREF(run);
        Py_XDECREF(others);
        return NULL;
    }
    return Py_BuildValue("NNdL", run, others, negative, order);
}

/* dug(parts, scores, spadeful, share): of the packed entries that count, sort the best.

   These are `spadeful`, or one of `share` if that is more.  Returns the bytes of these and of the
   others, and promise and order of the first of the others; None if something is left to Python. */
static PyObject *
dug(PyObject *self, PyObject *args)
{
    PyObject *parts, *source, *found = NULL;
    Py_ssize_t spadeful, share, size;
    Array scores;
    if (!PyArg_ParseTuple(args, "O!Onn", &PyList_Type, &parts, &source, &spadeful, &share) ||
        !opened(source, &scores, 8, 0))
        return NULL;
    Entries entries = {NULL, 0, 0};
    int fits = spadeful > 0 && share > 0;
    for (Py_ssize_t i = 0; fits && i < PyList_GET_SIZE(parts); i++) {
        size = PyObject_Size(PyList_GET_ITEM(parts, i));
        fits = size >= 0;
        entries.room += fits ? size / RECORD : 0;
    }
    if (fits && (entries.at = PyMem_Malloc(((size_t)entries.room + 1) * sizeof *entries.at)) == NULL)
        PyErr_NoMemory();
    fits = fits && entries.at != NULL && take_records(&entries, parts, &scores);
    if (fits && !PyErr_Occurred()) {
        Py_ssize_t best = entries.number / share;
        best = best < spadeful ? spadeful : best;
        found = divided(entries.at, entries.number, best < entries.number ? best : entries.number);
    }
    PyMem_Free(entries.at);
    closed(&scores, 1);
    return found != NULL || PyErr_Occurred() ? found : Py_NewRef(Py_None);
}

/* A place in the order of entries, with the same as a tuple. */
typedef struct {
    PyObject *tuple;
    double negative;
    long long order;
} Key;

/* Whether an entry, a tuple of some size that begins with promise and order, comes before a key; -1
   if it is no such tuple. */
static int
is_ahead(PyObject *entry, Py_ssize_t size, const Key *key)
{
    if (!PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) != size ||
        !PyFloat_Check(PyTuple_GET_ITEM(entry, 0)))
        return -1;
    double negative = PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(entry, 0));
    if (negative != key->negative)
        return negative < key->negative;
    long long order = PyLong_AsLongLong(PyTuple_GET_ITEM(entry, 1));
    return order == -1 && PyErr_Occurred() ? -1 : order < key->order;
}

/* Whether an entry with a promise is neither taken nor moved up; -1 if its URL has no promise. */
static int
is_waiting(PyObject *entry, double negative, const Array *scores)
{
    Py_ssize_t url = PyLong_AsSsize_t(PyTuple_GET_ITEM(entry, 2));
    if (url < 0 || url >= scores->columns)
        return -1;
    double score = CELL(*scores, double, 0, url);
    return score != score ? -1 : score == -negative;
}

/* The places in a heap that are still to be looked at: at most one for each of its levels. */
typedef struct {
    Py_ssize_t places[66];
    int number;
} Places;

static void
add_children(Places *places, Py_ssize_t place, Py_ssize_t size)
{
    for (Py_ssize_t child = 2 * place + 1; child <= 2 * place + 2 && child < size; child++)
        places->places[places->number++] = child;
}

/* Count the entries of a heap that come before a key, up to a number; -1 if one is not as expected. */
static long long
counted_ahead(PyObject *heap, const Key *key, const Array *scores, double most)
{
    long long ahead = 0;
    Places places = {{0}, PyList_GET_SIZE(heap) > 0};
    while (places.number && (double)ahead < most) {
        Py_ssize_t place = places.places[--places.number];
        PyObject *entry = PyList_GET_ITEM(heap, place);
        int before = is_ahead(entry, 5, key), waits = 0;
        if (before == 1)
            waits = is_waiting(entry, PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(entry, 0)), scores);
        if (before < 0 || waits < 0)
            return -1;
        if (before) {
            ahead += waits;
            add_children(&places, place, PyList_GET_SIZE(heap));
        }
    }
    return ahead;
}

/* What `better_waits` is asked about. */
typedef struct {
    Key key;
    PyObject *heads, *heaps, *parked, *tails, *expected, *seen;
    Array scores;
    double now, longest, share, most;
    int may_be_many;
} Question;

/* Whether a host opens soon; -1 after an error. */
static int
opens_soon(const Question *asked, PyObject *host)
{
    PyObject *moment = PyDict_GetItemWithError(asked->expected, host);
    if (moment == NULL)
        return PyErr_Occurred() ? -1 : 0 <= asked->longest;
    double at = PyFloat_AsDouble(moment);
    return at == -1.0 && PyErr_Occurred() ? -1 : fabs(at - asked->now) <= asked->longest;
}

/* The heap of a parked host that a head stands for and that was not seen yet; NULL if there is none,
   or after an error. */
static PyObject *
fresh_heap(const Question *asked, PyObject *head)
{
    PyObject *host = PyTuple_GET_ITEM(head, 2);
    if (PySet_Contains(asked->parked, host) != 1)
        return NULL;
    PyObject *heap = PyDict_GetItemWithError(asked->heaps, host);
    if (heap == NULL || !PyList_Check(heap) || !PyList_GET_SIZE(heap))
        return NULL;
    PyObject *first = PyList_GET_ITEM(heap, 0);
    if (!PyTuple_Check(first) || PyTuple_GET_SIZE(first) != 5 ||
        PyObject_RichCompareBool(PyTuple_GET_ITEM(first, 1), PyTuple_GET_ITEM(head, 1), Py_EQ) != 1)
        return NULL;
    if (PySet_Contains(asked->seen, host) != 0 || opens_soon(asked, host) != 1)
        return NULL;
    return PySet_Add(asked->seen, host) ? NULL : heap;
}

/* Count the entries of a host in its tail, if it has one, and add them; 0 after an error. */
static int
tail_is_counted(const Question *asked, PyObject *host, long long *ahead)
{
    PyObject *tail = PyDict_GetItemWithError(asked->tails, host);
    if (tail == NULL)
        return !PyErr_Occurred();
    PyObject *number = PyObject_CallMethod(tail, "count_ahead", "(O)", asked->key.tuple);
    *ahead += number == NULL ? 0 : PyLong_AsLongLong(number);
    Py_XDECREF(number);
    return !PyErr_Occurred();
}

/* Whether to hold the page back; -1 if that is left to Python, or after an error. */
static int
is_held_back(const Question *asked)
{
    long long ahead = 0, more;
    Places places = {{0}, PyList_GET_SIZE(asked->heads) > 0};
    while (places.number) {
        Py_ssize_t place = places.places[--places.number];
        PyObject *head = PyList_GET_ITEM(asked->heads, place);
        int before = is_ahead(head, 3, &asked->key), waits;
        if (before < 0)
            return -1;
        if (!before)
            continue;
        add_children(&places, place, PyList_GET_SIZE(asked->heads));
        PyObject *heap = fresh_heap(asked, head);
        if (PyErr_Occurred())
            return -1;
        if (heap == NULL)
            continue;
        double best = PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(head, 0));
        if ((waits = is_waiting(PyList_GET_ITEM(heap, 0), best, &asked->scores)) < 0)
            return -1;
        if (waits && best < 0 && -asked->key.negative < asked->share * -best)
            return 1;
        if (!asked->may_be_many)
            continue;
        more = counted_ahead(heap, &asked->key, &asked->scores, asked->most - (double)ahead);
        if (more < 0)
            return -1;
        if ((double)(ahead + more) < asked->most &&
            !tail_is_counted(asked, PyTuple_GET_ITEM(head, 2), &more))
            return -1;
        ahead += more;
        if ((double)ahead >= asked->most)
            return 1;
    }
    return 0;
}

/* better_waits(key, heads, heaps, parked, tails, scores, expected, now, longest, share, most,
   may_be_many): whether a page comes too far behind pages of hosts that open soon.

   Returns None if that is left to Python. */
static PyObject *
better_waits(PyObject *self, PyObject *args)
{
    Question asked;
    PyObject *source;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!OO!ddddp", &PyTuple_Type, &asked.key.tuple,
                          &PyList_Type, &asked.heads, &PyDict_Type, &asked.heaps, &PySet_Type,
                          &asked.parked, &PyDict_Type, &asked.tails, &source, &PyDict_Type,
                          &asked.expected, &asked.now, &asked.longest, &asked.share, &asked.most,
                          &asked.may_be_many) ||
        !PyArg_ParseTuple(asked.key.tuple, "dL", &asked.key.negative, &asked.key.order) ||
        (asked.seen = PySet_New(NULL)) == NULL)
        return NULL;
    int held = -1;
    if (opened(source, &asked.scores, 8, 0)) {
        held = is_held_back(&asked);
        closed(&asked.scores, 1);
    }
    Py_DECREF(asked.seen);
    if (PyErr_Occurred())
        return NULL;
    return Py_NewRef(held < 0 ? Py_None : held ? Py_True : Py_False);
}

static PyMethodDef methods[] = {
    {"better_waits", better_waits, METH_VARARGS, "Whether a page is held back for better ones."},
    {"dug", dug, METH_VARARGS, "Sort the best of some entries, and return them and the others."},
    {"rescored", rescored, METH_VARARGS, "Give URLs new promises, and deal them out by host."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_queue", "Entries of the frontier.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__queue(void)
{
    return PyModule_Create(&module);
}
