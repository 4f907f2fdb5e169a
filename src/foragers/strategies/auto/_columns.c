/* The columns of links of `auto`: features, sums and rates, without a numpy call for each step.

   Most pages bring some twenty links, and a download is learned from by one to three of them: then
   a call of numpy costs more than its work.  Operations and their order are those of the functions
   in Python, so the bits are the same.  An index outside of its column gives False, and the
   functions in Python then say what is wrong. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define MOST_ROWS 64
#define AT_ONCE 16
#define SAID 4
enum { WEIGHT, LEAN, RATE, ABSENT };

/* A view of an array: some rows of columns, or one row. */
typedef struct {
    Py_buffer view;
    char *at;
    Py_ssize_t rows, columns, row_step, column_step;
} Array;

static int
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

static void
closed(Array *arrays, int number)
{
    for (int i = 0; i < number; i++)
        PyBuffer_Release(&arrays[i].view);
}

/* Open arrays of the given item sizes; those whose size is negative are written to. */
static int
all_opened(PyObject **sources, Array *arrays, const int *sizes, int number)
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

#define CELL(array, type, row, column) \
    (*(type *)((array).at + (row) * (array).row_step + (column) * (array).column_step))

/* The rows that a tuple of numbers names; their count, or -1. */
static Py_ssize_t
rows_in(PyObject *names, Py_ssize_t *rows, Py_ssize_t most)
{
    if (!PyTuple_Check(names) || PyTuple_GET_SIZE(names) > MOST_ROWS) {
        PyErr_SetString(PyExc_ValueError, "a tuple of rows is expected");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        rows[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(names, i));
        if (rows[i] < 0 || rows[i] >= most) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_IndexError, "there is no such row");
            return -1;
        }
    }
    return PyTuple_GET_SIZE(names);
}

/* What their words say of one link: `SAID` of word_weights. */
static int
said(const int32_t *words, Py_ssize_t most, const Array *table, const Array *shares,
     const Array *bounds, double least_rate, double *found)
{
    Py_ssize_t no_word = table->rows - 1, place = 0;
    double best = least_rate;
    for (int i = 0; i < SAID; i++)
        found[i] = 0.0;
    for (; place < most; place++) {
        int32_t word = words[place];
        if (word == no_word)
            break; /* words come first, and then as many times none */
        if (word < 0 || word > no_word)
            return 0;
        const double *row = (const double *)(table->at + word * table->row_step);
        for (int i = 0; i < SAID; i++)
            found[i] = place ? found[i] + row[i] : row[i];
        best = place && best >= row[RATE] ? best : row[RATE];
    }
    for (int i = 0; i < SAID && place < most; i++)
        found[i] += 0.0;
    found[ABSENT] += (double)(most - place);
    best = place < most && best < least_rate ? least_rate : best;
    Py_ssize_t absent = (Py_ssize_t)found[ABSENT];
    if (absent < 0 || absent >= shares->rows)
        return 0;
    found[ABSENT] = absent == most ? 0.0 : best;
    for (int i = 0; i < SAID; i++) {
        double bound = CELL(*bounds, double, 0, i);
        double value = found[i] / CELL(*shares, double, absent, i);
        value = value < -bound ? -bound : value;
        found[i] = value > bound ? bound : value;
    }
    return 1;
}

/* Copy the words of a few links to rows of their own, and let the processor fetch what these say.

   Columns that lie a power of two apart would drive each other out of its cache. */
static void
gathered(const Array *words, Py_ssize_t first, Py_ssize_t links, const Array *table,
         int32_t rows[AT_ONCE][MOST_ROWS])
{
    for (Py_ssize_t place = 0; place < words->rows; place++)
        for (Py_ssize_t link = 0; link < links; link++) {
            int32_t word = CELL(*words, int32_t, place, first + link);
            rows[link][place] = word;
            if (word >= 0 && word < table->rows - 1)
                __builtin_prefetch(table->at + word * table->row_step);
        }
}

static PyObject *
features(PyObject *self, PyObject *args)
{
    enum { ROWS, GROUPS, ODDS, WORDS, TABLE, IN_LINKS, LOGS, STORED, SHARES, BOUNDS, NUMBER };
    static const int sizes[] = {-4, 4, 4, 4, 8, 4, 8, 4, 8, 8};
    PyObject *sources[NUMBER], *group_names, *word_names, *stored_names;
    Py_ssize_t bias, in_links, group_rows[MOST_ROWS], word_rows[MOST_ROWS], stored_rows[MOST_ROWS];
    double least_rate;
    Array a[NUMBER];
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOdnnOOO", &sources[0], &sources[1], &sources[2],
                          &sources[3], &sources[4], &sources[5], &sources[6], &sources[7],
                          &sources[8], &sources[9], &least_rate, &bias, &in_links, &group_names,
                          &word_names, &stored_names))
        return NULL;
    if (!all_opened(sources, a, sizes, NUMBER))
        return NULL;
    Py_ssize_t links = a[ROWS].columns, height = a[ROWS].rows;
    Py_ssize_t grouped = rows_in(group_names, group_rows, height);
    Py_ssize_t spoken = grouped < 0 ? -1 : rows_in(word_names, word_rows, height);
    Py_ssize_t kept = spoken < 0 ? -1 : rows_in(stored_names, stored_rows, height);
    int fits = kept >= 0 && spoken == SAID && a[GROUPS].rows == grouped &&
               a[STORED].rows == kept && a[GROUPS].columns == links && a[WORDS].columns == links &&
               a[STORED].columns == links && a[IN_LINKS].columns == links && bias >= 0 &&
               bias < height && in_links >= 0 && in_links < height && a[TABLE].columns == SAID &&
               a[TABLE].column_step == 8 && a[SHARES].columns == SAID &&
               a[BOUNDS].columns == SAID && a[WORDS].rows > 0;
    fits = fits && a[WORDS].rows <= MOST_ROWS;
    for (Py_ssize_t first = 0; fits && first < links; first += AT_ONCE) {
        int32_t words[AT_ONCE][MOST_ROWS];
        Py_ssize_t some = links - first < AT_ONCE ? links - first : AT_ONCE;
        gathered(&a[WORDS], first, some, &a[TABLE], words);
        double found[AT_ONCE][SAID];
        for (Py_ssize_t i = 0; fits && i < some; i++)
            fits = said(words[i], a[WORDS].rows, &a[TABLE], &a[SHARES], &a[BOUNDS], least_rate,
                        found[i]);
        for (int row = 0; fits && row < SAID; row++)
            for (Py_ssize_t i = 0; i < some; i++)
                CELL(a[ROWS], float, word_rows[row], first + i) = (float)found[i][row];
    }
    for (Py_ssize_t link = 0; fits && link < links; link++) {
        int32_t count = CELL(a[IN_LINKS], int32_t, 0, link);
        count = count < 1 ? 1 : count;
        fits = count < a[LOGS].columns;
        if (fits)
            CELL(a[ROWS], float, in_links, link) = (float)CELL(a[LOGS], double, 0, count);
        CELL(a[ROWS], float, bias, link) = 1.0f;
    }
    for (Py_ssize_t i = 0; fits && i < kept; i++)
        for (Py_ssize_t link = 0; link < links; link++)
            CELL(a[ROWS], float, stored_rows[i], link) = CELL(a[STORED], float, i, link);
    for (Py_ssize_t i = 0; fits && i < grouped; i++)
        for (Py_ssize_t link = 0; fits && link < links; link++) {
            int32_t group = CELL(a[GROUPS], int32_t, i, link);
            fits = group >= 0 && group < a[ODDS].columns;
            if (fits)
                CELL(a[ROWS], float, group_rows[i], link) = CELL(a[ODDS], float, 0, group);
        }
    closed(a, NUMBER);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(fits);
}

static PyObject *
weighted(PyObject *self, PyObject *args)
{
    static const int sizes[] = {4, 8, -8};
    PyObject *sources[3];
    Array a[3];
    if (!PyArg_ParseTuple(args, "OOO", &sources[0], &sources[1], &sources[2]))
        return NULL;
    if (!all_opened(sources, a, sizes, 3))
        return NULL;
    int fits = a[1].columns == a[0].rows && a[2].columns == a[0].columns && a[0].rows > 0;
    for (Py_ssize_t row = 0; fits && row < a[0].rows; row++) {
        double weight = CELL(a[1], double, 0, row);
        for (Py_ssize_t link = 0; link < a[0].columns; link++) {
            double value = weight * (double)CELL(a[0], float, row, link);
            double *sum = &CELL(a[2], double, 0, link);
            *sum = row ? *sum + value : value;
        }
    }
    closed(a, 3);
    return PyBool_FromLong(fits);
}

/* The sums of some rows of groups' numbers, for each link. */
static PyObject *
summed(PyObject *self, PyObject *args)
{
    static const int sizes[] = {4, 8, -8};
    PyObject *sources[3], *names;
    Py_ssize_t rows[MOST_ROWS], number;
    Array a[3];
    if (!PyArg_ParseTuple(args, "OOOO", &sources[0], &sources[1], &sources[2], &names))
        return NULL;
    if (!all_opened(sources, a, sizes, 3))
        return NULL;
    number = rows_in(names, rows, a[0].rows);
    int fits = number > 0 && a[2].columns == a[0].columns;
    for (Py_ssize_t link = 0; fits && link < a[0].columns; link++) {
        double sum = 0.0;
        for (Py_ssize_t i = 0; fits && i < number; i++) {
            int32_t group = CELL(a[0], int32_t, rows[i], link);
            fits = group >= 0 && group < a[1].columns;
            if (fits) {
                double value = CELL(a[1], double, 0, group);
                sum = i ? sum + value : value;
            }
        }
        CELL(a[2], double, 0, link) = sum;
    }
    closed(a, 3);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(fits);
}

static double
number_at(const Array *array, Py_ssize_t place)
{
    const char *at = array->at + place * array->column_step;
    return array->view.itemsize == 8 ? *(const double *)at : (double)*(const int32_t *)at;
}

/* The rates of the groups of which something is known: parents, good, cases, rates, known.

   A parent stands before its children.  Returns how many are known; their rates come first. */
static PyObject *
shrunk(PyObject *self, PyObject *args)
{
    enum { PARENTS, GOOD, CASES, RATES, KNOWN, ALL, NUMBER };
    PyObject *sources[NUMBER];
    double m, first, weight;
    Array a[NUMBER];
    Py_buffer good;
    if (!PyArg_ParseTuple(args, "OOOOOOddd", &sources[0], &sources[1], &sources[2], &sources[3],
                          &sources[4], &sources[5], &m, &first, &weight))
        return NULL;
    if (PyObject_GetBuffer(sources[GOOD], &good, PyBUF_STRIDES) < 0)
        return NULL;
    int wide = good.itemsize == 8 ? 8 : 4;
    PyBuffer_Release(&good);
    const int sizes[] = {4, wide, 4, -8, -1, -8};
    if (!all_opened(sources, a, sizes, NUMBER))
        return NULL;
    Py_ssize_t groups = a[PARENTS].columns, found = 0;
    int fits = groups > 0;
    for (int i = 0; i < NUMBER; i++)
        fits = fits && a[i].columns == groups && (i == RATES || i == ALL ? a[i].column_step == 8
                                                  : i != KNOWN || a[i].column_step == 1);
    const int32_t *parents = (const int32_t *)a[PARENTS].at;
    double *rates = (double *)a[RATES].at, *all = (double *)a[ALL].at;
    unsigned char *known = (unsigned char *)a[KNOWN].at;
    fits = fits && a[PARENTS].column_step == 4;
    for (Py_ssize_t i = 1; fits && i < groups; i++)
        fits = parents[i] >= 0 && parents[i] < i;
    if (fits) {
        for (Py_ssize_t i = 0; i < groups; i++)
            known[i] = CELL(a[CASES], int32_t, 0, i) > 0;
        known[0] = 1;
        for (Py_ssize_t i = groups - 1; i > 0; i--)
            known[parents[i]] |= known[i];
        for (Py_ssize_t i = 0; i < groups; i++) {
            if (!known[i])
                continue;
            double cases = (double)CELL(a[CASES], int32_t, 0, i);
            if (i)
                all[i] = (number_at(&a[GOOD], i) + m * all[parents[i]]) / (cases + m);
            else
                all[i] = (number_at(&a[GOOD], i) + weight * first) / (cases + weight);
            rates[found++] = all[i];
        }
    }
    closed(a, NUMBER);
    return PyLong_FromSsize_t(fits ? found : -1);
}

/* What is said of the known groups, for all: of others the nearest one around them speaks. */
static PyObject *
spread(PyObject *self, PyObject *args)
{
    enum { PARENTS, KNOWN, SPOKEN, ALL, NUMBER };
    static const int sizes[] = {4, 1, 8, -8};
    PyObject *sources[NUMBER];
    Array a[NUMBER];
    if (!PyArg_ParseTuple(args, "OOOO", &sources[0], &sources[1], &sources[2], &sources[3]))
        return NULL;
    if (!all_opened(sources, a, sizes, NUMBER))
        return NULL;
    Py_ssize_t groups = a[PARENTS].columns, next = 0;
    int fits = a[KNOWN].columns == groups && a[ALL].columns == groups;
    for (Py_ssize_t i = 0; fits && i < groups; i++) {
        int32_t parent = CELL(a[PARENTS], int32_t, 0, i);
        if (CELL(a[KNOWN], unsigned char, 0, i)) {
            fits = next < a[SPOKEN].columns;
            if (fits)
                CELL(a[ALL], double, 0, i) = CELL(a[SPOKEN], double, 0, next);
            next++;
        } else {
            fits = parent >= 0 && parent < i;
            if (fits)
                CELL(a[ALL], double, 0, i) = CELL(a[ALL], double, 0, parent);
        }
    }
    closed(a, NUMBER);
    return PyBool_FromLong(fits);
}

/* The places of the links whose pages wait and of which too few links speak; each is counted. */
static PyObject *
fresh(PyObject *self, PyObject *args)
{
    static const int sizes[] = {4, -4};
    PyObject *sources[2], *places;
    int again, most;
    Array a[2];
    if (!PyArg_ParseTuple(args, "OOpi", &sources[0], &sources[1], &again, &most))
        return NULL;
    if (!all_opened(sources, a, sizes, 2))
        return NULL;
    Py_ssize_t links = a[0].columns;
    int fits = 1;
    for (Py_ssize_t i = 0; fits && i < links; i++)
        fits = CELL(a[0], int32_t, 0, i) >= 0 && CELL(a[0], int32_t, 0, i) < a[1].columns;
    if (!fits) {
        closed(a, 2);
        Py_RETURN_NONE;
    }
    int32_t *before = PyMem_Malloc((size_t)(links + 1) * sizeof *before);
    places = before == NULL ? PyErr_NoMemory() : PyList_New(0);
    for (Py_ssize_t i = 0; places != NULL && i < links; i++)
        before[i] = CELL(a[1], int32_t, 0, CELL(a[0], int32_t, 0, i));
    for (Py_ssize_t i = 0; places != NULL && i < links; i++) {
        if (again ? before[i] != 0 : before[i] < 0)
            continue;
        CELL(a[1], int32_t, 0, CELL(a[0], int32_t, 0, i)) += 1;
        if (before[i] >= most)
            continue;
        PyObject *place = PyLong_FromSsize_t(i);
        if (place == NULL || PyList_Append(places, place) < 0)
            Py_CLEAR(places);
        Py_XDECREF(place);
    }
    PyMem_Free(before);
    closed(a, 2);
    return places;
}

/* Where a number stands among some, or their count. */
static Py_ssize_t
place_of(const int32_t *numbers, Py_ssize_t count, int32_t number)
{
    Py_ssize_t place = 0;
    while (place < count && numbers[place] != number)
        place++;
    return place;
}

#define MOST_AROUND 4096

/* Count a followed link in its groups, and return these with all groups around them, in order. */
static PyObject *
taught(PyObject *self, PyObject *args)
{
    enum { GROUPS, PARENTS, FOLLOWED, EARNED, TRIED, ANSWERED, NUMBER };
    static const int sizes[] = {4, 4, -4, -8, -4, -4};
    PyObject *sources[NUMBER], *lineage = NULL;
    double worth;
    int answered, few;
    Array a[NUMBER];
    int32_t around[MOST_AROUND], counted[MOST_AROUND];
    Py_ssize_t all = 1, some = 0;
    if (!PyArg_ParseTuple(args, "OOOOOOdpi", &sources[0], &sources[1], &sources[2], &sources[3],
                          &sources[4], &sources[5], &worth, &answered, &few))
        return NULL;
    if (!all_opened(sources, a, sizes, NUMBER))
        return NULL;
    Py_ssize_t groups = a[PARENTS].columns;
    int fits = groups > 0;
    for (int i = FOLLOWED; i < NUMBER; i++)
        fits = fits && a[i].columns == groups;
    around[0] = 0;
    for (Py_ssize_t link = 0; fits && link < a[GROUPS].columns; link++)
        for (Py_ssize_t row = 0; fits && row < a[GROUPS].rows; row++) {
            int32_t group = CELL(a[GROUPS], int32_t, row, link), here = group;
            for (;;) {
                fits = here >= 0 && here < groups && all < MOST_AROUND;
                if (!fits || place_of(around, all, here) < all)
                    break;
                around[all++] = here;
                here = CELL(a[PARENTS], int32_t, 0, here);
            }
            for (here = group; fits && place_of(counted, some, here) == some;) {
                counted[some++] = here;
                if (CELL(a[TRIED], int32_t, 0, here) >= few)
                    break;
                here = CELL(a[PARENTS], int32_t, 0, here);
            }
        }
    if (fits) {
        for (Py_ssize_t i = 1; i < all; i++) { /* few numbers: sorted by insertion */
            int32_t moved = around[i];
            Py_ssize_t place = i;
            for (; place > 0 && around[place - 1] > moved; place--)
                around[place] = around[place - 1];
            around[place] = moved;
        }
        for (Py_ssize_t i = 0; i < all; i++) {
            CELL(a[FOLLOWED], int32_t, 0, around[i]) += 1;
            CELL(a[EARNED], double, 0, around[i]) += worth;
        }
        for (Py_ssize_t i = 0; i < some; i++) {
            CELL(a[TRIED], int32_t, 0, counted[i]) += 1;
            CELL(a[ANSWERED], int32_t, 0, counted[i]) += answered;
        }
        lineage = PyBytes_FromStringAndSize((const char *)around, all * 4);
    }
    closed(a, NUMBER);
    if (!fits)
        Py_RETURN_NONE;
    return lineage;
}

/* Words that say nothing, by a hash of their bytes. */
#define STOP_SLOTS 1024
static struct {
    unsigned char size;
    char word[15];
} stops[STOP_SLOTS];
static uint32_t crc_table[256];

static uint32_t
crc_of(const unsigned char *word, Py_ssize_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (Py_ssize_t i = 0; i < size; i++)
        crc = crc_table[(crc ^ word[i]) & 255] ^ (crc >> 8);
    return crc ^ 0xFFFFFFFFu;
}

static int
says_nothing(const unsigned char *word, Py_ssize_t size, uint32_t crc)
{
    uint32_t slot = crc % STOP_SLOTS;
    for (; stops[slot].size; slot = (slot + 1) % STOP_SLOTS)
        if (stops[slot].size == size && !memcmp(stops[slot].word, word, (size_t)size))
            return 1;
    return 0;
}

static PyObject *
prepare(PyObject *self, PyObject *words)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xEDB88320u ^ (crc >> 1) : crc >> 1;
        crc_table[i] = crc;
    }
    memset(stops, 0, sizeof stops);
    PyObject *all = PySequence_Fast(words, "words are expected");
    if (all == NULL)
        return NULL;
    Py_ssize_t number = PySequence_Fast_GET_SIZE(all);
    int fits = number < STOP_SLOTS / 2;
    for (Py_ssize_t i = 0; fits && i < number; i++) {
        PyObject *word = PySequence_Fast_GET_ITEM(all, i);
        fits = PyBytes_Check(word) && PyBytes_GET_SIZE(word) <= (Py_ssize_t)sizeof stops[0].word;
        if (fits) {
            Py_ssize_t size = PyBytes_GET_SIZE(word);
            uint32_t slot = crc_of((unsigned char *)PyBytes_AS_STRING(word), size) % STOP_SLOTS;
            while (stops[slot].size)
                slot = (slot + 1) % STOP_SLOTS;
            stops[slot].size = (unsigned char)size;
            memcpy(stops[slot].word, PyBytes_AS_STRING(word), (size_t)size);
        }
    }
    Py_DECREF(all);
    return PyBool_FromLong(fits);
}

/* The numbers of the words of a text, each once; words have spaces before and after each. */
static PyObject *
buckets(PyObject *self, PyObject *args)
{
    const unsigned char *text;
    Py_ssize_t size;
    unsigned int number;
    if (!PyArg_ParseTuple(args, "y#I", &text, &size, &number))
        return NULL;
    int32_t *found = PyMem_Malloc((size_t)(size / 2 + 1) * sizeof *found);
    unsigned char *met = PyMem_Calloc(number / 8 + 1, 1);
    if (found == NULL || met == NULL || !number) {
        PyMem_Free(found);
        PyMem_Free(met);
        return number ? PyErr_NoMemory() : PyErr_Format(PyExc_ValueError, "no buckets");
    }
    Py_ssize_t count = 0, end = 0;
    for (Py_ssize_t start = 0; start < size; start = end) {
        while (start < size && text[start] == ' ')
            start++;
        Py_ssize_t letters = 0;
        for (end = start; end < size && text[end] != ' '; end++)
            letters += (text[end] & 0xC0) != 0x80;
        if (letters <= 2)
            continue;
        uint32_t crc = crc_of(text + start, end - start), place = crc % number;
        if (met[place >> 3] >> (place & 7) & 1 || says_nothing(text + start, end - start, crc))
            continue;
        met[place >> 3] |= (unsigned char)(1 << (place & 7));
        found[count++] = (int32_t)place;
    }
    PyObject *result = PyBytes_FromStringAndSize((const char *)found, count * 4);
    PyMem_Free(found);
    PyMem_Free(met);
    return result;
}

/* Add the numbers of the words in a list, each once, to those of a link; -1 for an odd word. */
static Py_ssize_t
numbered(PyObject *words, int32_t *row, const char **known, Py_ssize_t *sizes, Py_ssize_t count,
         Py_ssize_t room, unsigned int buckets)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(words) && count < room; i++) {
        Py_ssize_t size, before = 0;
        PyObject *word = PyList_GET_ITEM(words, i);
        const char *letters = PyUnicode_Check(word) ? PyUnicode_AsUTF8AndSize(word, &size) : NULL;
        if (letters == NULL) {
            PyErr_Clear();
            return -1;
        }
        uint32_t crc = crc_of((const unsigned char *)letters, size);
        if (says_nothing((const unsigned char *)letters, size, crc))
            continue;
        while (before < count &&
               (sizes[before] != size || memcmp(known[before], letters, (size_t)size)))
            before++;
        if (before < count)
            continue;
        known[count] = letters;
        sizes[count] = size;
        row[count++] = (int32_t)(crc % buckets);
    }
    return count;
}

/* The numbers of the words of links, of which each is a row; None where a word is odd. */
static PyObject *
link_words(PyObject *self, PyObject *args)
{
    PyObject *anchors, *addresses;
    unsigned int buckets_;
    Py_ssize_t room;
    const char *known[MOST_ROWS];
    Py_ssize_t sizes[MOST_ROWS];
    if (!PyArg_ParseTuple(args, "O!O!In", &PyList_Type, &anchors, &PyList_Type, &addresses,
                          &buckets_, &room))
        return NULL;
    Py_ssize_t links = PyList_GET_SIZE(anchors);
    if (links != PyList_GET_SIZE(addresses) || room < 1 || room > MOST_ROWS || !buckets_)
        return PyErr_Format(PyExc_ValueError, "two lists of words are expected");
    PyObject *result = PyBytes_FromStringAndSize(NULL, links * room * 4);
    for (Py_ssize_t link = 0; result != NULL && link < links; link++) {
        int32_t row[MOST_ROWS];
        PyObject *said[2] = {PyList_GET_ITEM(anchors, link), PyList_GET_ITEM(addresses, link)};
        Py_ssize_t count = 0;
        for (int i = 0; i < 2 && count >= 0; i++)
            count = PyList_Check(said[i])
                        ? numbered(said[i], row, known, sizes, count, room, buckets_)
                        : -1;
        if (count < 0) {
            Py_DECREF(result);
            Py_RETURN_NONE;
        }
        while (count < room)
            row[count++] = (int32_t)buckets_;
        memcpy(PyBytes_AS_STRING(result) + link * room * 4, row, (size_t)room * 4);
    }
    return result;
}

/* The different words of a link, beside `count` others; how many there are then, or -1. */
static Py_ssize_t
different(PyObject *link, Py_ssize_t *words, Py_ssize_t count, Py_ssize_t room, Py_ssize_t most)
{
    if (!PyTuple_Check(link))
        return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(link); i++) {
        Py_ssize_t word = PyLong_AsSsize_t(PyTuple_GET_ITEM(link, i)), before = 0;
        if (word < 0 || word >= most) {
            PyErr_Clear();
            return -1;
        }
        while (before < count && words[before] != word)
            before++;
        if (before == count && count == room)
            return -1;
        if (before == count)
            words[count++] = word;
    }
    return count;
}

/* Let the words of links learn what a page was worth: weights, squares, links, worth, usual, rate,
   and the function that raises e to a power. */
static PyObject *
stepped(PyObject *self, PyObject *args)
{
    static const int sizes[] = {-8, -8};
    PyObject *sources[2], *links, *power;
    double worth, usual, rate;
    Py_ssize_t words[MOST_ROWS];
    Array a[2];
    if (!PyArg_ParseTuple(args, "OOO!dddO", &sources[0], &sources[1], &PyTuple_Type, &links, &worth,
                          &usual, &rate, &power))
        return NULL;
    if (!all_opened(sources, a, sizes, 2))
        return NULL;
    Py_ssize_t number = PyTuple_GET_SIZE(links);
    int fits = a[0].columns == a[1].columns;
    for (Py_ssize_t i = 0; fits && i < number; i++)
        fits = different(PyTuple_GET_ITEM(links, i), words, 0, MOST_ROWS, a[0].columns) >= 0;
    for (Py_ssize_t i = 0; fits && !PyErr_Occurred() && i < number; i++) {
        PyObject *link = PyTuple_GET_ITEM(links, i);
        double said = 0.0;
        for (Py_ssize_t word = 0; word < PyTuple_GET_SIZE(link); word++)
            said += CELL(a[0], double, 0, PyLong_AsSsize_t(PyTuple_GET_ITEM(link, word)));
        said += usual;
        said = said < -30.0 ? -30.0 : said;
        said = said > 30.0 ? 30.0 : said;
        PyObject *raised = PyObject_CallFunction(power, "d", -said);
        double chance = raised ? PyFloat_AsDouble(raised) : 0.0;
        Py_XDECREF(raised);
        if (PyErr_Occurred())
            break;
        double slope = (1 / (1 + chance) - worth) / (double)number;
        Py_ssize_t count = different(link, words, 0, MOST_ROWS, a[0].columns);
        for (Py_ssize_t word = 0; word < count; word++) {
            double *square = &CELL(a[1], double, 0, words[word]);
            *square += slope * slope;
            CELL(a[0], double, 0, words[word]) -= rate * slope / sqrt(*square);
        }
    }
    closed(a, 2);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(fits);
}

/* Count a followed link for each of its words; those that were not met before, or None. */
static PyObject *
counted(PyObject *self, PyObject *args)
{
    static const int sizes[] = {-8, -8};
    PyObject *sources[2], *links, *fresh_words = NULL;
    double followed, earned;
    Py_ssize_t words[4 * MOST_ROWS], count = 0;
    Array a[2];
    if (!PyArg_ParseTuple(args, "OOO!dd", &sources[0], &sources[1], &PyTuple_Type, &links,
                          &followed, &earned))
        return NULL;
    if (!all_opened(sources, a, sizes, 2))
        return NULL;
    if (a[0].columns != a[1].columns)
        count = -1;
    for (Py_ssize_t i = 0; count >= 0 && i < PyTuple_GET_SIZE(links); i++)
        count = different(PyTuple_GET_ITEM(links, i), words, count, 4 * MOST_ROWS, a[0].columns);
    fresh_words = count < 0 ? Py_NewRef(Py_None) : PyList_New(0);
    for (Py_ssize_t i = 0; fresh_words != NULL && i < count; i++) {
        double *before = &CELL(a[0], double, 0, words[i]);
        PyObject *word = followed != 0.0 && *before == 0.0 ? PyLong_FromSsize_t(words[i]) : NULL;
        if (PyErr_Occurred() || (word != NULL && PyList_Append(fresh_words, word) < 0))
            Py_CLEAR(fresh_words);
        Py_XDECREF(word);
        *before += followed;
        CELL(a[1], double, 0, words[i]) += earned;
    }
    closed(a, 2);
    return fresh_words;
}

static PyMethodDef methods[] = {
    {"stepped", stepped, METH_VARARGS, "Let the words of links learn what a page was worth."},
    {"counted", counted, METH_VARARGS, "Count a link for its words, and return the new ones."},
    {"link_words", link_words, METH_VARARGS, "Return the numbers of the words of links."},
    {"prepare", prepare, METH_O, "Take the words that say nothing; False if they do not fit."},
    {"buckets", buckets, METH_VARARGS, "Return the numbers of the words of a text."},
    {"fresh", fresh, METH_VARARGS, "Count the links of a page, and return those to be judged."},
    {"taught", taught, METH_VARARGS, "Count a followed link, and return all groups around it."},
    {"features", features, METH_VARARGS, "Fill a matrix with the features of links."},
    {"weighted", weighted, METH_VARARGS, "Fill a column with the weighted sums of features."},
    {"summed", summed, METH_VARARGS, "Fill a column with the sums of numbers of links' groups."},
    {"shrunk", shrunk, METH_VARARGS, "Work out the rates of groups of which something is known."},
    {"spread", spread, METH_VARARGS, "Let the known groups speak for those inside of them."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_columns", "The columns of links of `auto`.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__columns(void)
{
    return PyModule_Create(&module);
}
