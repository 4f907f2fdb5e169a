/* The words of pages: which there are, and where they lean.

   Results are those of `word_weights` in Python. */

#include "../../core/_arrays.h"
#include "../../core/_exact.h"
#include "_text.h"

#define FOUND_BITS 32
#define FEW_COUNTS 256

static const ExactFunctions *exact;
static Py_ssize_t number_of_buckets;
static PyObject *spaced; /* cuts texts that are not ASCII */

/* prepare(words that say nothing, spaced, buckets): False if they do not fit. */
static PyObject *
prepare(PyObject *self, PyObject *args)
{
    PyObject *words, *function;
    if (!PyArg_ParseTuple(args, "O!On", &PyList_Type, &words, &function, &number_of_buckets))
        return NULL;
    fill_tables();
    Py_XSETREF(spaced, Py_NewRef(function));
    return PyBool_FromLong(take_stops(words) && number_of_buckets > 0 &&
                           number_of_buckets < INT32_MAX);
}

/* The numbers of the words of a text, each once; their count, or -1. */
static Py_ssize_t
numbered(PyObject *text, int32_t **numbers)
{
    Text line = {NULL, 0, 0};
    *numbers = NULL;
    if (!put_words(&line, text, spaced)) {
        PyMem_Free(line.at);
        return -1;
    }
    unsigned char *met = PyMem_Calloc((size_t)number_of_buckets / 8 + 1, 1);
    *numbers = PyMem_Malloc(((size_t)line.size / 2 + 1) * sizeof **numbers);
    if (met == NULL || *numbers == NULL)
        PyErr_NoMemory();
    Py_ssize_t count = 0, at = 0, size;
    const char *word;
    while (!PyErr_Occurred() && (size = next_word(line.at, line.size, &at, &word))) {
        Py_ssize_t letters = 0;
        for (Py_ssize_t i = 0; letters <= 2 && i < size; i++)
            letters += (word[i] & 0xC0) != 0x80;
        if (letters <= 2)
            continue;
        uint32_t crc = crc_of(word, size), place = crc % (uint32_t)number_of_buckets;
        if (met[place >> 3] >> (place & 7) & 1 || says_nothing(word, size, crc))
            continue;
        met[place >> 3] |= (unsigned char)(1 << (place & 7));
        (*numbers)[count++] = (int32_t)place;
    }
    PyMem_Free(met);
    PyMem_Free(line.at);
    return PyErr_Occurred() ? -1 : count;
}

static PyObject *
buckets(PyObject *self, PyObject *text)
{
    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "a text is expected");
    int32_t *numbers;
    Py_ssize_t count = numbered(text, &numbers);
    PyObject *found =
        count < 0 ? NULL : PyBytes_FromStringAndSize((const char *)numbers, count * 4);
    PyMem_Free(numbers);
    return found;
}

/* Where words lean: counts of pages and their share, and logarithms of small counts. */
typedef struct {
    double share, prior, logs[FEW_COUNTS], expected[FEW_COUNTS];
    unsigned char is_log[FEW_COUNTS], is_expected[FEW_COUNTS];
} Leaning;

static void
begin_leaning(Leaning *now, Py_ssize_t others, Py_ssize_t relevant, double prior)
{
    now->share = (double)relevant / (double)(others + relevant);
    now->prior = prior;
    memset(now->is_log, 0, sizeof now->is_log);
    memset(now->is_expected, 0, sizeof now->is_expected);
}

static double
leaning(Leaning *now, int64_t counts)
{
    int64_t found = counts >> FOUND_BITS, all = found + (counts & 0xFFFFFFFF);
    double log_found, log_expected;
    if (found >= 0 && found < FEW_COUNTS && now->is_log[found]) {
        log_found = now->logs[found];
    } else {
        log_found = exact->log((double)found + now->prior);
        if (found >= 0 && found < FEW_COUNTS) {
            now->logs[found] = log_found;
            now->is_log[found] = 1;
        }
    }
    if (all >= 0 && all < FEW_COUNTS && now->is_expected[all])
        return log_found - now->expected[all];
    log_expected = exact->log((double)all * now->share + now->prior);
    if (all >= 0 && all < FEW_COUNTS) {
        now->expected[all] = log_expected;
        now->is_expected[all] = 1;
    }
    return log_found - log_expected;
}

/* leans(table, place, counts, others, relevant, prior): work out where the words lean that were met. */
static PyObject *
leans(PyObject *self, PyObject *args)
{
    static const int sizes[] = {-8, 8};
    PyObject *sources[2];
    Py_ssize_t place, others, relevant;
    double prior;
    Array a[2];
    if (!PyArg_ParseTuple(args, "OnOnnd", &sources[0], &place, &sources[1], &others, &relevant,
                          &prior))
        return NULL;
    if (!all_opened(sources, a, sizes, 2))
        return NULL;
    Leaning now;
    begin_leaning(&now, others, relevant, prior);
    int fits = place >= 0 && place < a[0].columns && a[0].rows >= a[1].columns;
    for (Py_ssize_t word = 0; fits && word < a[1].columns; word++) {
        int64_t counts = CELL(a[1], int64_t, 0, word);
        if (counts)
            CELL(a[0], double, word, place) = leaning(&now, counts);
    }
    closed(a, 2);
    return PyBool_FromLong(fits);
}

/* The mean of the largest numbers, added up as numpy adds them in ascending order. */
static double
mean_of_largest(const double *numbers, Py_ssize_t count, Py_ssize_t most)
{
    double largest[MOST_WORDS], ones[MOST_WORDS];
    Py_ssize_t held = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_ssize_t place;
        if (held == most && numbers[i] <= largest[0])
            continue;
        if (held < most) { /* move the larger ones up */
            for (place = held++; place > 0 && largest[place - 1] > numbers[i]; place--)
                largest[place] = largest[place - 1];
        } else { /* or the smaller ones down, of which the first goes */
            for (place = 0; place + 1 < held && largest[place + 1] < numbers[i]; place++)
                largest[place] = largest[place + 1];
        }
        largest[place] = numbers[i];
    }
    for (Py_ssize_t i = 0; i < held; i++)
        ones[i] = 1.0;
    return (0.0 + pairwise(largest, ones, held)) / (double)held;
}

/* page_read(text, counts, counted, others, relevant, prior, most): count the words of a page.

   Returns those that no page had before, and how much the page leans to the relevant ones. */
static PyObject *
page_read(PyObject *self, PyObject *args)
{
    static const int sizes[] = {-8};
    PyObject *text, *source;
    long long more;
    Py_ssize_t others, relevant, most, new = 0;
    double prior, lean = 0.0;
    int32_t *numbers;
    Array a[1];
    if (!PyArg_ParseTuple(args, "UOLnndn", &text, &source, &more, &others, &relevant, &prior, &most))
        return NULL;
    if (most < 1 || most > MOST_WORDS)
        Py_RETURN_NONE;
    Py_ssize_t count = numbered(text, &numbers);
    if (count < 0 || !all_opened(&source, a, sizes, 1)) {
        PyMem_Free(numbers);
        return NULL;
    }
    double *found = PyMem_Malloc(((size_t)count + 1) * sizeof *found);
    Leaning now;
    begin_leaning(&now, others, relevant, prior);
    int fits = found != NULL && a[0].columns == number_of_buckets;
    for (Py_ssize_t i = 0; fits && i < count; i++) {
        int64_t *counts = &CELL(a[0], int64_t, 0, numbers[i]);
        int32_t number = numbers[i];
        if (!*counts)
            numbers[new++] = number;
        *counts += more;
        if (relevant)
            found[i] = leaning(&now, *counts);
    }
    if (fits && relevant && count)
        lean = mean_of_largest(found, count, most);
    PyObject *told = found == NULL ? PyErr_NoMemory()
                     : fits        ? Py_BuildValue("y#d", (const char *)numbers, new * 4, lean)
                                   : Py_NewRef(Py_None);
    PyMem_Free(found);
    PyMem_Free(numbers);
    closed(a, 1);
    return told;
}

static PyMethodDef methods[] = {
    {"prepare", prepare, METH_VARARGS, "Take the words that say nothing."},
    {"buckets", buckets, METH_O, "Return the numbers of the words of a text."},
    {"page_read", page_read, METH_VARARGS, "Count the words of a page."},
    {"leans", leans, METH_VARARGS, "Work out where words lean."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_page_words", "The words of pages for `auto`.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__page_words(void)
{
    exact = exact_functions();
    return exact == NULL ? NULL : PyModule_Create(&module);
}
