/* The weights of features fitted to followed links by Newton steps: `combiner.History`.

   Operations and their order are those of the functions in Python, sums as numpy adds them. */

#include "../../core/_arrays.h"
#include "../../core/_exact.h"

#include <math.h>
#include <string.h>

#define MOST_FEATURES 64

static const ExactFunctions *exact;

/* Followed links, a row for each feature; and room for numbers of each link. */
typedef struct {
    Py_ssize_t links, height;
    double *features, *worth, *odds, *numbers, *ones;
    const double *first, *penalties;
} History;

#define FEATURE(past, one) ((past)->features + (one) * (past)->links)

static void
find_odds(const History *past, const double *weights)
{
    for (Py_ssize_t i = 0; i < past->links; i++)
        past->odds[i] = weights[0] * past->features[i];
    for (Py_ssize_t one = 1; one < past->height; one++) {
        const double *feature = FEATURE(past, one);
        for (Py_ssize_t i = 0; i < past->links; i++)
            past->odds[i] += weights[one] * feature[i];
    }
}

/* The logarithm of 1 + x, for x from 0 on. */
static double
log_of_more(double x)
{
    double sum = 1.0 + x, lost = (x - (sum - 1.0)) / sum;
    return isfinite(lost) ? exact->log(sum) + lost : exact->log(sum);
}

static double
loss_of(const History *past, const double *weights)
{
    double left[MOST_FEATURES];
    find_odds(past, weights);
    for (Py_ssize_t i = 0; i < past->links; i++) {
        double odds = past->odds[i], most = odds > 0.0 ? odds : 0.0;
        double missed = most + log_of_more(exact->exp(-fabs(odds)));
        past->numbers[i] = missed - past->worth[i] * odds;
    }
    for (Py_ssize_t one = 0; one < past->height; one++) {
        double off = weights[one] - past->first[one];
        left[one] = past->penalties[one] * off * off;
    }
    double missed = 0.0 + pairwise(past->numbers, past->ones, past->links);
    return missed + (0.0 + pairwise(left, past->ones, past->height)) / 2;
}

/* Solve matrix · x = right for a symmetric positive definite matrix; `right` becomes x. */
static void
solve(double left[MOST_FEATURES][MOST_FEATURES], double *found, Py_ssize_t size)
{
    for (Py_ssize_t column = 0; column < size - 1; column++)
        for (Py_ssize_t below = column + 1; below < size; below++) {
            double factor = left[below][column] / left[column][column];
            for (Py_ssize_t i = column + 1; i < size; i++)
                left[below][i] -= factor * left[column][i];
            found[below] -= factor * found[column];
        }
    for (Py_ssize_t column = size - 1; column >= 0; column--) {
        found[column] /= left[column][column];
        for (Py_ssize_t above = 0; above < column; above++)
            found[above] -= left[above][column] * found[column];
    }
}

/* The Newton step from some weights towards the best ones. */
static void
find_step(const History *past, const double *weights, double *slope)
{
    double curve[MOST_FEATURES][MOST_FEATURES] = {{0.0}};
    double *spread = past->odds, *row = past->numbers;
    find_odds(past, weights);
    for (Py_ssize_t i = 0; i < past->links; i++) {
        double odds = past->odds[i];
        odds = odds < -30.0 ? -30.0 : odds;
        odds = odds > 30.0 ? 30.0 : odds;
        double chance = 1.0 / (1.0 + exact->exp(-odds));
        row[i] = chance - past->worth[i];
        spread[i] = chance * (1 - chance);
    }
    for (Py_ssize_t one = 0; one < past->height; one++) {
        slope[one] = 0.0 + pairwise(FEATURE(past, one), row, past->links);
        slope[one] += past->penalties[one] * (weights[one] - past->first[one]);
    }
    for (Py_ssize_t one = 0; one < past->height; one++) {
        const double *feature = FEATURE(past, one);
        for (Py_ssize_t i = 0; i < past->links; i++)
            row[i] = feature[i] * spread[i];
        curve[one][one] = past->penalties[one];
        for (Py_ssize_t other = 0; other <= one; other++) {
            curve[one][other] += 0.0 + pairwise(FEATURE(past, other), row, past->links);
            curve[other][one] = curve[one][other];
        }
    }
    solve(curve, slope, past->height);
}

/* Better weights in place of those given; a step that overshoots is halved until it helps. */
static void
fit(const History *past, double *weights, long steps, long halvings, double least_gain)
{
    double loss = loss_of(past, weights), step[MOST_FEATURES], tried[MOST_FEATURES];
    size_t size = (size_t)past->height * sizeof *weights;
    for (long i = 0; i < steps; i++) {
        double before = loss;
        long times = 0;
        find_step(past, weights, step);
        for (; times < halvings; times++) {
            for (Py_ssize_t one = 0; one < past->height; one++)
                tried[one] = weights[one] - step[one] / (double)((int64_t)1 << times);
            double now = loss_of(past, tried);
            if (now < before) {
                loss = now;
                break;
            }
        }
        if (times == halvings)
            return;
        memcpy(weights, tried, size);
        if (before - loss < least_gain)
            return;
    }
}

/* fitted(features, worth, first, penalties, weights, steps, halvings, least gain): fit the weights
   to links, of which each is a row of features; False if they are left to Python. */
static PyObject *
fitted(PyObject *self, PyObject *args)
{
    enum { FEATURES, WORTH, FIRST, PENALTIES, WEIGHTS, NUMBER };
    static const int sizes[] = {4, 8, 8, 8, -8};
    PyObject *sources[NUMBER];
    long steps, halvings;
    double least_gain, first[MOST_FEATURES], penalties[MOST_FEATURES], weights[MOST_FEATURES];
    Array a[NUMBER];
    if (!PyArg_ParseTuple(args, "OOOOOlld", &sources[0], &sources[1], &sources[2], &sources[3],
                          &sources[4], &steps, &halvings, &least_gain))
        return NULL;
    if (!all_opened(sources, a, sizes, NUMBER))
        return NULL;
    History past = {a[FEATURES].rows, a[FEATURES].columns, NULL, NULL, NULL,
                    NULL,             NULL,                first, penalties};
    Py_ssize_t links = past.links, height = past.height;
    /* Of a single link numpy adds the features in another order. */
    int fits = links > 1 && height > 0 && height <= MOST_FEATURES && a[WORTH].columns == links &&
               halvings >= 0 && halvings < 63;
    for (int i = FIRST; i < NUMBER; i++)
        fits = fits && a[i].columns == height;
    Py_ssize_t most = links > MOST_FEATURES ? links : MOST_FEATURES;
    double *room = fits ? PyMem_Malloc((size_t)(links * height + 3 * links + most) * 8) : NULL;
    if (room != NULL) {
        past.features = room;
        past.worth = past.features + links * height;
        past.odds = past.worth + links;
        past.numbers = past.odds + links;
        past.ones = past.numbers + links;
        for (Py_ssize_t i = 0; i < most; i++)
            past.ones[i] = 1.0;
        for (Py_ssize_t i = 0; i < links; i++) {
            past.worth[i] = CELL(a[WORTH], double, 0, i);
            for (Py_ssize_t one = 0; one < height; one++)
                FEATURE(&past, one)[i] = (double)CELL(a[FEATURES], float, i, one);
        }
        for (Py_ssize_t one = 0; one < height; one++) {
            first[one] = CELL(a[FIRST], double, 0, one);
            penalties[one] = CELL(a[PENALTIES], double, 0, one);
            weights[one] = CELL(a[WEIGHTS], double, 0, one);
        }
        fit(&past, weights, steps, halvings, least_gain);
        for (Py_ssize_t one = 0; one < height; one++)
            CELL(a[WEIGHTS], double, 0, one) = weights[one];
    }
    PyMem_Free(room);
    closed(a, NUMBER);
    return fits && room == NULL ? PyErr_NoMemory() : PyBool_FromLong(fits);
}

static PyMethodDef methods[] = {
    {"fitted", fitted, METH_VARARGS, "Fit the weights of features to links."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_fit", "The weights of features of `auto`.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__fit(void)
{
    exact = exact_functions();
    return exact == NULL ? NULL : PyModule_Create(&module);
}
