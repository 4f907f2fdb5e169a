/* The columns of links of `auto`: what a followed link teaches, features, sums and rates.

   Most pages bring some twenty links, and a download is learned from by one to three of them: then
   a call of numpy costs more than its work.  Operations and their order are those of the functions
   in Python, so the bits are the same.  An index outside of its column gives None or False before
   anything is written, and the functions in Python then say what is wrong. */

#include "../../core/_arrays.h"
#include "../../core/_exact.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 64
#define AT_ONCE 16
#define MOST_AROUND 4096
#define SAID 4
enum { WEIGHT, LEAN, RATE, ABSENT };

static const ExactFunctions *exact;

/* Which row of the matrix has which feature: `prepare` is told by pending_links. */
static struct {
    Py_ssize_t height, bias, in_links, depth, grouped, said, stored, answering;
    Py_ssize_t group_rows[MOST_ROWS], word_rows[MOST_ROWS], stored_rows[MOST_ROWS];
    Py_ssize_t answering_rows[MOST_ROWS];
} layout;

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

/* What their words say of one link: `SAID` of word_weights.  Words come first, and then as many times
   none; 0 if one is outside of the table. */
static int
said(const int32_t *words, Py_ssize_t most, const Array *table, const Array *shares,
     const double *bounds, double least_rate, double *found)
{
    Py_ssize_t no_word = table->rows - 1, place = 0;
    double sums[SAID] = {0.0}, best = least_rate;
    for (; place < most; place++) {
        int32_t word = words[place];
        if (word == no_word)
            break;
        if (word < 0 || word > no_word)
            return 0;
        const double *row = (const double *)(table->at + word * table->row_step);
        if (place == 0) {
            memcpy(sums, row, sizeof sums);
            best = row[RATE];
            continue;
        }
        for (int i = 0; i < SAID; i++)
            sums[i] += row[i];
        best = best >= row[RATE] ? best : row[RATE];
    }
    for (int i = 0; i < SAID && place < most; i++)
        sums[i] += 0.0;
    sums[ABSENT] += (double)(most - place);
    best = place < most && best < least_rate ? least_rate : best;
    Py_ssize_t absent = (Py_ssize_t)sums[ABSENT];
    if (absent < 0 || absent >= shares->rows)
        return 0;
    sums[ABSENT] = absent == most ? 0.0 : best;
    const double *share = (const double *)(shares->at + absent * shares->row_step);
    for (int i = 0; i < SAID; i++) {
        double value = sums[i] / share[i];
        value = value < -bounds[i] ? -bounds[i] : value;
        found[i] = value > bounds[i] ? bounds[i] : value;
    }
    return 1;
}

static PyObject *
prepare(PyObject *self, PyObject *args)
{
    PyObject *groups, *words, *stored, *answering;
    layout.height = 0;
    Py_ssize_t height, bias, in_links, depth;
    if (!PyArg_ParseTuple(args, "nnnnOOOO", &height, &bias, &in_links, &depth, &groups, &words,
                          &stored, &answering))
        return NULL;
    if (height < 1 || height > MOST_ROWS || bias < 0 || bias >= height || in_links < 0 ||
        in_links >= height)
        return PyErr_Format(PyExc_IndexError, "there is no such row");
    layout.grouped = rows_in(groups, layout.group_rows, height);
    layout.said = layout.grouped < 0 ? -1 : rows_in(words, layout.word_rows, height);
    layout.stored = layout.said < 0 ? -1 : rows_in(stored, layout.stored_rows, height);
    if (layout.stored >= 0)
        layout.answering = rows_in(answering, layout.answering_rows, layout.grouped);
    if (layout.stored < 0 || layout.answering < 0)
        return NULL;
    if (layout.said != SAID || !layout.answering || depth < 0 || depth >= layout.stored)
        return PyErr_Format(PyExc_IndexError, "there is no such row");
    layout.bias = bias;
    layout.in_links = in_links;
    layout.depth = depth;
    layout.height = height;
    Py_RETURN_NONE;
}

/* Links and all that features are made of; other arrays of a call come after these. */
enum { URLS, GROUPS, WORDS, STORED, IN_LINKS, ODDS, TABLE, LOGS, SHARES, BOUNDS, WEIGHTS, SOURCES };
#define SOURCE_SIZES 4, 4, 4, 4, 4, 4, -8, 8, 8, 8, 8

static int
fit_together(const Array *a)
{
    Py_ssize_t links = a[URLS].columns;
    return layout.height && a[GROUPS].rows == layout.grouped && a[STORED].rows == layout.stored &&
           a[GROUPS].columns == links && a[WORDS].columns == links && a[STORED].columns == links &&
           a[WORDS].rows > 0 && a[WORDS].rows <= MOST_ROWS && a[TABLE].columns == SAID &&
           a[TABLE].column_step == 8 && a[SHARES].columns == SAID && a[SHARES].column_step == 8 &&
           a[BOUNDS].columns == SAID && a[BOUNDS].column_step == 8 && a[ODDS].column_step == 4 &&
           a[GROUPS].column_step == 4 && a[STORED].column_step == 4 &&
           a[WEIGHTS].columns == layout.height;
}

/* Copy the words of a few links to rows of their own, and let the processor fetch what these say.

   Columns that lie a power of two apart would drive each other out of its cache. */
static void
gathered(const Array *words, const Py_ssize_t *links, Py_ssize_t some, const Array *table,
         int32_t rows[AT_ONCE][MOST_ROWS])
{
    Py_ssize_t no_word = table->rows - 1, left = 1;
    for (Py_ssize_t place = 0; left && place < words->rows; place++) {
        left = 0; /* after none there is no other word */
        for (Py_ssize_t i = 0; i < some; i++) {
            int32_t word = CELL(*words, int32_t, place, links[i]);
            rows[i][place] = word;
            left += word != no_word;
            if (word >= 0 && word < no_word)
                __builtin_prefetch(table->at + word * table->row_step);
        }
    }
}

/* Let the processor fetch what the words of a few links say. */
static void
prefetch_words(const Array *words, const Py_ssize_t *links, Py_ssize_t some, const Array *table)
{
    Py_ssize_t no_word = table->rows - 1, left = 1;
    for (Py_ssize_t place = 0; left && place < words->rows; place++) {
        left = 0;
        for (Py_ssize_t i = 0; i < some; i++) {
            int32_t word = CELL(*words, int32_t, place, links[i]);
            left += word != no_word;
            if (word >= 0 && word < no_word)
                __builtin_prefetch(table->at + word * table->row_step);
        }
    }
}

/* Let the processor fetch what the groups of a few links say. */
static void
prefetch_groups(const Array *groups, const Py_ssize_t *links, Py_ssize_t some, const Array *numbers)
{
    for (Py_ssize_t row = 0; row < groups->rows; row++)
        for (Py_ssize_t i = 0; i < some; i++) {
            int32_t group = CELL(*groups, int32_t, row, links[i]);
            if (group >= 0 && group < numbers->columns)
                __builtin_prefetch(numbers->at + group * numbers->column_step);
        }
}

/* The features of a few links, a row for each feature; 0 if an index is outside of its column. */
static int
featured(const Array *a, const Py_ssize_t *links, Py_ssize_t some, double least_rate,
         float rows[MOST_ROWS][AT_ONCE])
{
    int32_t words[AT_ONCE][MOST_ROWS];
    double found[SAID];
    gathered(&a[WORDS], links, some, &a[TABLE], words);
    prefetch_groups(&a[GROUPS], links, some, &a[ODDS]);
    for (Py_ssize_t one = 0; one < layout.stored; one++) {
        const float *stored = (const float *)(a[STORED].at + one * a[STORED].row_step);
        Py_ssize_t row = layout.stored_rows[one];
        for (Py_ssize_t i = 0; i < some; i++)
            rows[row][i] = stored[links[i]];
    }
    for (Py_ssize_t i = 0; i < some; i++) {
        int32_t url = CELL(a[URLS], int32_t, 0, links[i]);
        if (url < 0 || url >= a[IN_LINKS].columns)
            return 0;
        int32_t count = CELL(a[IN_LINKS], int32_t, 0, url);
        count = count < 1 ? 1 : count;
        rows[layout.in_links][i] = (float)(count < a[LOGS].columns
                                               ? CELL(a[LOGS], double, 0, count)
                                               : exact->log((double)count));
        rows[layout.bias][i] = 1.0f;
    }
    for (Py_ssize_t i = 0; i < some; i++) {
        if (!said(words[i], a[WORDS].rows, &a[TABLE], &a[SHARES], (const double *)a[BOUNDS].at,
                  least_rate, found))
            return 0;
        for (int one = 0; one < SAID; one++)
            rows[layout.word_rows[one]][i] = (float)found[one];
    }
    for (Py_ssize_t one = 0; one < layout.grouped; one++) {
        const int32_t *groups = (const int32_t *)(a[GROUPS].at + one * a[GROUPS].row_step);
        const float *odds = (const float *)a[ODDS].at;
        Py_ssize_t row = layout.group_rows[one], most = a[ODDS].columns;
        for (Py_ssize_t i = 0; i < some; i++) {
            int32_t group = groups[links[i]];
            if (group < 0 || group >= most)
                return 0;
            rows[row][i] = odds[group];
        }
    }
    return 1;
}

static void
copy_weights(const Array *array, double *weights)
{
    for (Py_ssize_t i = 0; i < layout.height; i++)
        weights[i] = CELL(*array, double, 0, i);
}

/* The log-odds of each of a few links: weighted features, added row after row.

   All sums grow together, so the processor need not wait for one of them. */
static void
weighted(float rows[MOST_ROWS][AT_ONCE], const double *weights, double odds[AT_ONCE])
{
    for (int i = 0; i < AT_ONCE; i++)
        odds[i] = weights[0] * (double)rows[0][i];
    for (Py_ssize_t row = 1; row < layout.height; row++)
        for (int i = 0; i < AT_ONCE; i++)
            odds[i] += weights[row] * (double)rows[row][i];
}

/* The sum of what a link's groups say of the chance of an answer, as a mean; 0 if one is outside. */
static int
doubted(const Array *groups, const Array *doubts, Py_ssize_t link, double *doubt)
{
    for (Py_ssize_t i = 0; i < layout.answering; i++) {
        int32_t group = CELL(*groups, int32_t, layout.answering_rows[i], link);
        if (group < 0 || group >= doubts->columns)
            return 0;
        double value = CELL(*doubts, double, 0, group);
        *doubt = i ? *doubt + value : value;
    }
    *doubt /= (double)layout.answering;
    return 1;
}

/* Let the processor fetch the columns of a few links. */
static void
prefetch_columns(const Array *a, Py_ssize_t first)
{
    static const int columns[] = {URLS, WORDS, GROUPS, STORED};
    for (int i = 0; i < 4; i++)
        for (Py_ssize_t row = 0; row < a[columns[i]].rows; row++)
            __builtin_prefetch(&CELL(a[columns[i]], char, row, first));
}

/* Let the processor fetch what pages, words and groups of a few links say. */
static void
prefetch_said(const Array *a, const Array *doubts, Py_ssize_t first)
{
    Py_ssize_t links[AT_ONCE];
    for (Py_ssize_t i = 0; i < AT_ONCE; i++) {
        links[i] = first + i;
        int32_t url = CELL(a[URLS], int32_t, 0, links[i]);
        if (url >= 0 && url < a[IN_LINKS].columns)
            __builtin_prefetch(&CELL(a[IN_LINKS], int32_t, 0, url));
    }
    prefetch_words(&a[WORDS], links, AT_ONCE, &a[TABLE]);
    prefetch_groups(&a[GROUPS], links, AT_ONCE, &a[ODDS]);
    prefetch_groups(&a[GROUPS], links, AT_ONCE, doubts);
}

/* scored(sources…, doubts, promises, least_rate, by_depth, early, gain): fill in the promises.

   Waiting links are too many for the cache, so what a few need is fetched while those before them
   are scored: their columns two turns ahead, and what these refer to one turn ahead. */
static PyObject *
scored(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    enum { DOUBTS = SOURCES, PROMISES, NUMBER };
    static const int sizes[] = {SOURCE_SIZES, 8, -8};
    Array a[NUMBER];
    if (!are_given(given, NUMBER + 4))
        return NULL;
    double least_rate = PyFloat_AsDouble(args[NUMBER]), gain = PyFloat_AsDouble(args[NUMBER + 3]);
    int by_depth = PyObject_IsTrue(args[NUMBER + 1]);
    float early = (float)PyFloat_AsDouble(args[NUMBER + 2]);
    if (PyErr_Occurred() || !all_opened(args, a, sizes, NUMBER))
        return NULL;
    Py_ssize_t number = a[URLS].columns;
    int fits = fit_together(a) && a[PROMISES].columns == number;
    double weights[MOST_ROWS], sums[AT_ONCE];
    float rows[MOST_ROWS][AT_ONCE] = {{0.0f}};
    if (fits)
        copy_weights(&a[WEIGHTS], weights);
    for (Py_ssize_t first = 0; fits && first < number; first += AT_ONCE) {
        Py_ssize_t links[AT_ONCE], some = number - first < AT_ONCE ? number - first : AT_ONCE;
        for (Py_ssize_t i = 0; i < some; i++)
            links[i] = first + i;
        if (first + 3 * AT_ONCE <= number)
            prefetch_columns(a, first + 2 * AT_ONCE);
        if (first + 2 * AT_ONCE <= number)
            prefetch_said(a, &a[DOUBTS], first + AT_ONCE);
        fits = featured(a, links, some, least_rate, rows);
        if (fits)
            weighted(rows, weights, sums);
        for (Py_ssize_t i = 0; fits && i < some; i++) {
            double odds = sums[i], doubt = 0.0;
            fits = doubted(&a[GROUPS], &a[DOUBTS], links[i], &doubt);
            if (by_depth) {
                float depth = CELL(a[STORED], float, layout.depth, links[i]);
                float lost = early * depth;
                odds -= (double)lost;
                odds += depth == 0 ? gain : 0.0;
            }
            odds += doubt;
            odds = odds < -30.0 ? -30.0 : odds;
            odds = odds > 30.0 ? 30.0 : odds;
            CELL(a[PROMISES], double, 0, links[i]) = 1.0 / (1.0 + exact->exp(-odds));
        }
    }
    closed(a, NUMBER);
    return PyBool_FromLong(fits);
}

/* best(urls, last, promises): each page that links wait for, and the best promise of a link to it,
   as bytes; None if an index is outside of its column. */
static PyObject *
best(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    static const int sizes[] = {4, 4, 8};
    Array a[3];
    if (!are_given(given, 3) || !all_opened(args, a, sizes, 3))
        return NULL;
    Py_ssize_t links = a[0].columns, pages = 0;
    int fits = a[2].columns == links;
    double *most = PyMem_Calloc((size_t)links + 1, sizeof *most);
    int32_t *urls = PyMem_Malloc(((size_t)links + 1) * sizeof *urls);
    if (most == NULL || urls == NULL)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; !PyErr_Occurred() && fits && i < links; i++) {
        int32_t url = CELL(a[0], int32_t, 0, i);
        int32_t owner = url >= 0 && url < a[1].columns ? CELL(a[1], int32_t, 0, url) : -1;
        double promise = CELL(a[2], double, 0, i);
        fits = owner >= 0 && owner <= links;
        if (fits && !(promise <= most[owner]))
            most[owner] = promise;
    }
    for (Py_ssize_t i = 0; !PyErr_Occurred() && fits && i < links; i++) {
        int32_t url = CELL(a[0], int32_t, 0, i);
        if (CELL(a[1], int32_t, 0, url) == i + 1) {
            urls[pages] = url;
            most[pages++] = most[i + 1]; /* which comes after all that were written */
        }
    }
    PyObject *found = PyErr_Occurred() ? NULL
                      : fits ? Py_BuildValue("y#y#", (const char *)urls, pages * 4,
                                             (const char *)most, pages * 8)
                             : Py_NewRef(Py_None);
    PyMem_Free(most);
    PyMem_Free(urls);
    closed(a, 3);
    return found;
}

/* chain(urls, last, before, start): chain each new link to the one before it to the same page. */
static PyObject *
chain(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    static const int sizes[] = {4, -4, -4};
    Array a[3];
    Py_ssize_t start = given == 4 ? PyLong_AsSsize_t(args[3]) : 0;
    if (!are_given(given, 4) || PyErr_Occurred() || !all_opened(args, a, sizes, 3))
        return NULL;
    Py_ssize_t links = a[0].columns;
    int fits = start >= 0 && start <= a[2].columns && links <= a[2].columns - start &&
               start + links < INT32_MAX;
    for (Py_ssize_t i = 0; fits && i < links; i++)
        fits = CELL(a[0], int32_t, 0, i) >= 0 && CELL(a[0], int32_t, 0, i) < a[1].columns;
    for (Py_ssize_t i = 0; fits && i < links; i++) {
        int32_t *last = &CELL(a[1], int32_t, 0, CELL(a[0], int32_t, 0, i));
        CELL(a[2], int32_t, 0, start + i) = *last;
        *last = (int32_t)(start + i + 1); /* 0 is none */
    }
    closed(a, 3);
    return PyBool_FromLong(fits);
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

/* The groups of a followed link and those around them, each once and in order; and those of them
   in which its answer counts. */
typedef struct {
    int32_t around[MOST_AROUND], counted[MOST_AROUND];
    Py_ssize_t all, some;
} Lineage;

static int
is_lineage(Lineage *found, const Array *groups, Py_ssize_t link, const Array *parents,
           const Array *tried, int few)
{
    for (Py_ssize_t row = 0; row < groups->rows; row++) {
        int32_t group = CELL(*groups, int32_t, row, link), here = group;
        for (;;) {
            if (here < 0 || here >= parents->columns || found->all >= MOST_AROUND)
                return 0;
            if (place_of(found->around, found->all, here) < found->all)
                break;
            found->around[found->all++] = here;
            here = CELL(*parents, int32_t, 0, here);
        }
        for (here = group; place_of(found->counted, found->some, here) == found->some;) {
            found->counted[found->some++] = here;
            if (CELL(*tried, int32_t, 0, here) >= few)
                break;
            here = CELL(*parents, int32_t, 0, here);
        }
    }
    return 1;
}

static void
sort_lineage(Lineage *found)
{
    for (Py_ssize_t i = 1; i < found->all; i++) { /* few numbers: sorted by insertion */
        int32_t moved = found->around[i];
        Py_ssize_t place = i;
        for (; place > 0 && found->around[place - 1] > moved; place--)
            found->around[place] = found->around[place - 1];
        found->around[place] = moved;
    }
}

/* The words of some links: how many links, how many words each has, and then all of them. */
typedef struct {
    int32_t numbers[1 + AT_ONCE + AT_ONCE * MOST_ROWS];
    Py_ssize_t size;
} Spoken;

/* The arrays of words that learn. */
typedef struct {
    Array *table, *squares, *followed, *earned;
} Lexicon;

static int
is_lexicon(const Lexicon *words)
{
    Py_ssize_t rows = words->table->rows;
    return words->table->columns == SAID && words->squares->columns == rows &&
           words->followed->columns == rows && words->earned->columns == rows;
}

/* Let words take a step towards what a page was worth, from each of the links that spoke of it. */
static void
stepped(const Lexicon *words, const int32_t *spoken, double worth, double usual, double rate)
{
    int32_t links = spoken[0];
    const int32_t *link = spoken + 1 + links;
    for (int32_t i = 0; i < links; link += spoken[1 + i++]) {
        double said_of = 0.0;
        for (int32_t place = 0; place < spoken[1 + i]; place++)
            said_of += CELL(*words->table, double, link[place], WEIGHT);
        said_of += usual;
        said_of = said_of < -30.0 ? -30.0 : said_of;
        said_of = said_of > 30.0 ? 30.0 : said_of;
        double slope = (1 / (1 + exact->exp(-said_of)) - worth) / (double)links;
        for (int32_t place = 0; place < spoken[1 + i]; place++) {
            if (place_of(link, place, link[place]) < place)
                continue;
            double *square = &CELL(*words->squares, double, 0, link[place]);
            *square += slope * slope;
            CELL(*words->table, double, link[place], WEIGHT) -= rate * slope / sqrt(*square);
        }
    }
}

/* Count a followed link, or a later reward, for each different word; those that are new. */
static Py_ssize_t
counted(const Lexicon *words, const int32_t *spoken, double followed, double earned, int32_t *new)
{
    const int32_t *all = spoken + 1 + spoken[0];
    Py_ssize_t number = 0, found = 0;
    for (int32_t i = 0; i < spoken[0]; i++)
        number += spoken[1 + i];
    for (Py_ssize_t i = 0; i < number; i++) {
        if (place_of(all, i, all[i]) < i)
            continue;
        double *before = &CELL(*words->followed, double, 0, all[i]);
        if (followed != 0.0 && *before == 0.0)
            new[found++] = all[i];
        *before += followed;
        CELL(*words->earned, double, 0, all[i]) += earned;
    }
    return found;
}

/* The places of the links to a page, in the order in which they came; their number, or -1. */
static Py_ssize_t
chained(const Array *last, const Array *before, Py_ssize_t url, Py_ssize_t *links)
{
    Py_ssize_t number = 0;
    int32_t place = url < 0 || url >= last->columns ? -1 : CELL(*last, int32_t, 0, url);
    for (; place; place = CELL(*before, int32_t, 0, place - 1)) {
        if (place < 0 || place > before->columns || number == AT_ONCE)
            return -1;
        links[number++] = place - 1;
    }
    for (Py_ssize_t i = 0; i < number / 2; i++) {
        Py_ssize_t moved = links[i];
        links[i] = links[number - 1 - i];
        links[number - 1 - i] = moved;
    }
    return number;
}

/* The words of links; 0 if one is outside of the table. */
static int
are_spoken(Spoken *spoken, const Array *words, const Py_ssize_t *links, Py_ssize_t number,
           Py_ssize_t no_word)
{
    spoken->numbers[0] = (int32_t)number;
    spoken->size = 1 + number;
    for (Py_ssize_t i = 0; i < number; i++) {
        Py_ssize_t before = spoken->size;
        for (Py_ssize_t place = 0; place < words->rows; place++) {
            int32_t word = CELL(*words, int32_t, place, links[i]);
            if (word < 0 || word > no_word)
                return 0;
            if (word != no_word)
                spoken->numbers[spoken->size++] = word;
        }
        spoken->numbers[1 + i] = (int32_t)(spoken->size - before);
    }
    return 1;
}

/* followed(sources…, last, before, parents, followed, earned, tried, answered, squares, followed
   and earned by words, remembered, row, url, least_rate, worth, answered, few, usual, rate,
   counts_words): let the groups, the words and the memory learn what the links to a page were worth.

   Returns the groups and words that were updated, and the words that are new, both as bytes;
   None if nothing was done. */
static PyObject *
followed(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    enum {
        LAST = SOURCES, BEFORE, PARENTS, FOLLOWED, EARNED, TRIED, ANSWERED, SQUARES, WORD_FOLLOWED,
        WORD_EARNED, REMEMBERED, NUMBER
    };
    static const int sizes[] = {SOURCE_SIZES, 4, 4, 4, -4, -8, -4, -4, -8, -8, -8, -4};
    enum { ROW = NUMBER, URL, LEAST_RATE, WORTH, IS_ANSWERED, FEW, USUAL, STEP, COUNTS, ALL };
    Array a[NUMBER];
    if (!are_given(given, ALL))
        return NULL;
    Py_ssize_t url = PyLong_AsSsize_t(args[URL]), row = PyLong_AsSsize_t(args[ROW]);
    double least_rate = PyFloat_AsDouble(args[LEAST_RATE]), worth = PyFloat_AsDouble(args[WORTH]);
    int answered = PyObject_IsTrue(args[IS_ANSWERED]), counts = PyObject_IsTrue(args[COUNTS]);
    long few = PyLong_AsLong(args[FEW]);
    double usual = PyFloat_AsDouble(args[USUAL]), rate = PyFloat_AsDouble(args[STEP]);
    if (PyErr_Occurred() || !all_opened(args, a, sizes, NUMBER))
        return NULL;
    Lexicon words = {&a[TABLE], &a[SQUARES], &a[WORD_FOLLOWED], &a[WORD_EARNED]};
    Py_ssize_t links[AT_ONCE], groups = a[PARENTS].columns, chosen = 0, new = 0;
    Py_ssize_t number = chained(&a[LAST], &a[BEFORE], url, links);
    float rows[MOST_ROWS][AT_ONCE] = {{0.0f}};
    int32_t new_words[AT_ONCE * MOST_ROWS];
    Lineage lineage; /* the group of all links is around every one */
    Spoken spoken;
    lineage.around[0] = 0;
    lineage.all = 1;
    lineage.some = 0;
    int fits = number > 0 && fit_together(a) && is_lexicon(&words) && groups > 0 &&
               a[ODDS].columns == groups && a[REMEMBERED].columns == layout.height && row >= 0 &&
               row < a[REMEMBERED].rows;
    for (int i = FOLLOWED; i <= ANSWERED; i++)
        fits = fits && a[i].columns == groups;
    for (Py_ssize_t i = 0; fits && i < number; i++)
        fits = links[i] < a[URLS].columns;
    fits = fits && featured(a, links, number, least_rate, rows) &&
           are_spoken(&spoken, &a[WORDS], links, number, a[TABLE].rows - 1);
    for (Py_ssize_t i = 0; fits && i < number; i++)
        fits = is_lineage(&lineage, &a[GROUPS], links[i], &a[PARENTS], &a[TRIED], (int)few);
    if (!fits) {
        closed(a, NUMBER);
        Py_RETURN_NONE;
    }
    double weights[MOST_ROWS] = {0.0}, odds[AT_ONCE];
    copy_weights(&a[WEIGHTS], weights);
    if (number > 1)
        weighted(rows, weights, odds);
    for (Py_ssize_t i = 1; i < number; i++)
        chosen = odds[i] > odds[chosen] ? i : chosen;
    sort_lineage(&lineage);
    for (Py_ssize_t i = 0; i < lineage.all; i++) {
        CELL(a[FOLLOWED], int32_t, 0, lineage.around[i]) += 1;
        CELL(a[EARNED], double, 0, lineage.around[i]) += worth;
    }
    for (Py_ssize_t i = 0; i < lineage.some; i++) {
        CELL(a[TRIED], int32_t, 0, lineage.counted[i]) += 1;
        CELL(a[ANSWERED], int32_t, 0, lineage.counted[i]) += answered;
    }
    stepped(&words, spoken.numbers, worth, usual, rate);
    if (counts)
        new = counted(&words, spoken.numbers, 1.0, worth, new_words);
    for (Py_ssize_t i = 0; i < layout.height; i++)
        CELL(a[REMEMBERED], float, row, i) = rows[i][chosen];
    closed(a, NUMBER);
    PyObject *taught = PyBytes_FromStringAndSize(NULL, (spoken.size + lineage.all) * 4);
    if (taught == NULL)
        return NULL;
    memcpy(PyBytes_AS_STRING(taught), spoken.numbers, (size_t)spoken.size * 4);
    memcpy(PyBytes_AS_STRING(taught) + spoken.size * 4, lineage.around, (size_t)lineage.all * 4);
    return Py_BuildValue("Ny#", taught, (const char *)new_words, new * 4);
}

/* Whether bytes are words and groups as `followed` returns them; the place of the groups, or 0. */
static Py_ssize_t
is_taught(const int32_t *numbers, Py_ssize_t size, Py_ssize_t words, Py_ssize_t groups)
{
    if (size < 1 || numbers[0] < 0 || numbers[0] > size - 1)
        return 0;
    Py_ssize_t end = 1 + numbers[0];
    for (int32_t i = 0; i < numbers[0]; i++) {
        if (numbers[1 + i] < 0 || numbers[1 + i] > size - end)
            return 0;
        end += numbers[1 + i];
    }
    for (Py_ssize_t i = 1 + numbers[0]; i < size; i++)
        if (numbers[i] < 0 || numbers[i] >= (i < end ? words : groups))
            return 0;
    return end;
}

/* rewarded(taught, earned, table, squares, followed and earned by words, worth, more, usual, rate,
   counts_words): let groups and words learn that a link was worth more than was known. */
static PyObject *
rewarded(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    enum { TAUGHT, EARNED, LEXICON, SQUARES, WORD_FOLLOWED, WORD_EARNED, NUMBER };
    static const int sizes[] = {1, -8, -8, -8, -8, -8};
    Array a[NUMBER];
    if (!are_given(given, NUMBER + 5))
        return NULL;
    double worth = PyFloat_AsDouble(args[NUMBER]), more = PyFloat_AsDouble(args[NUMBER + 1]);
    double usual = PyFloat_AsDouble(args[NUMBER + 2]), rate = PyFloat_AsDouble(args[NUMBER + 3]);
    int counts = PyObject_IsTrue(args[NUMBER + 4]);
    if (PyErr_Occurred() || !all_opened(args, a, sizes, NUMBER))
        return NULL;
    Lexicon words = {&a[LEXICON], &a[SQUARES], &a[WORD_FOLLOWED], &a[WORD_EARNED]};
    const int32_t *numbers = (const int32_t *)a[TAUGHT].at;
    Py_ssize_t size = a[TAUGHT].columns / 4, place = 0;
    if (a[TAUGHT].column_step == 1 && is_lexicon(&words))
        place = is_taught(numbers, size, a[LEXICON].rows, a[EARNED].columns);
    if (place) {
        for (Py_ssize_t i = place; i < size; i++)
            CELL(a[EARNED], double, 0, numbers[i]) += more;
        stepped(&words, numbers, worth, usual, rate);
        if (counts)
            counted(&words, numbers, 0.0, more, NULL);
    }
    closed(a, NUMBER);
    return PyBool_FromLong(place > 0);
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

/* fresh(urls, counts, promises, again, most): the places of the links whose pages wait and of which
   too few links speak; each is counted.  A page that was taken promises infinitely much. */
static PyObject *
fresh(PyObject *self, PyObject *args)
{
    static const int sizes[] = {4, -4, 8};
    PyObject *sources[3];
    int again, most;
    Array a[3];
    if (!PyArg_ParseTuple(args, "OOOpi", &sources[0], &sources[1], &sources[2], &again, &most))
        return NULL;
    if (!all_opened(sources, a, sizes, 3))
        return NULL;
    Py_ssize_t links = a[0].columns;
    int fits = 1;
    for (Py_ssize_t i = 0; fits && i < links; i++)
        fits = CELL(a[0], int32_t, 0, i) >= 0 && CELL(a[0], int32_t, 0, i) < a[1].columns;
    if (!fits) {
        closed(a, 3);
        Py_RETURN_NONE;
    }
    int32_t few[MOST_ROWS];
    int32_t *before = links > MOST_ROWS ? PyMem_Malloc((size_t)links * sizeof *before) : few;
    PyObject *places = before == NULL ? PyErr_NoMemory() : PyList_New(0);
    for (Py_ssize_t i = 0; places != NULL && i < links; i++)
        before[i] = CELL(a[1], int32_t, 0, CELL(a[0], int32_t, 0, i));
    for (Py_ssize_t i = 0; places != NULL && i < links; i++) {
        int32_t url = CELL(a[0], int32_t, 0, i);
        if (again ? before[i] != 0 : before[i] < 0)
            continue;
        CELL(a[1], int32_t, 0, url) += 1;
        if (before[i] >= most || (url < a[2].columns && CELL(a[2], double, 0, url) == INFINITY))
            continue;
        PyObject *place = PyLong_FromSsize_t(i);
        if (place == NULL || PyList_Append(places, place) < 0)
            Py_CLEAR(places);
        Py_XDECREF(place);
    }
    if (before != few)
        PyMem_Free(before);
    closed(a, 3);
    return places;
}

#define METHOD(name, text) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, text}

static PyMethodDef methods[] = {
    {"prepare", prepare, METH_VARARGS, "Take the rows of features."},
    {"fresh", fresh, METH_VARARGS, "Count the links of a page, and return those to be judged."},
    {"shrunk", shrunk, METH_VARARGS, "Work out the rates of groups of which something is known."},
    {"spread", spread, METH_VARARGS, "Let the known groups speak for those inside of them."},
    METHOD(scored, "Fill a column with the promises of links."),
    METHOD(chain, "Chain new links to those before them."),
    METHOD(best, "Return pages, and the best promise of a link to each."),
    METHOD(followed, "Let groups, words and memory learn from a followed link."),
    METHOD(rewarded, "Let groups and words learn of a later reward."),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_columns", "The columns of links of `auto`.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__columns(void)
{
    exact = exact_functions();
    return exact == NULL ? NULL : PyModule_Create(&module);
}
