/* The words of a page's text, in one pass over its characters.

   Results are those of `words` in Python, byte for byte.  What a character beyond ASCII is, Python
   is asked once for each; a text with other characters than letters and signs is left to Python. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define CHARACTERS 0x20000
#define RIGHT_QUOTE 0x2019
enum { UNKNOWN, SIGN, OTHER, LETTERS };

static uint32_t kinds[CHARACTERS]; /* LETTERS + the folded letter, or what it is */
static uint32_t met[CHARACTERS];   /* the number of the last text that had a character */
static uint32_t texts;

typedef struct {
    PyObject *kind_of;
    Py_ssize_t most_characters, most_signs, characters, signs;
} Limits;

static int
is_letter(Py_UCS4 c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* What a character beyond ASCII is; OTHER also for one too many, and -1 for an error. */
static int64_t
kind_in(Py_UCS4 c, Limits *limits)
{
    if (c >= CHARACTERS)
        return OTHER;
    if (kinds[c] == UNKNOWN) {
        PyObject *character = PyUnicode_FromOrdinal((int)c);
        PyObject *kind = character ? PyObject_CallOneArg(limits->kind_of, character) : NULL;
        Py_XDECREF(character);
        long folded = kind ? PyLong_AsLong(kind) : -1;
        Py_XDECREF(kind);
        if (PyErr_Occurred())
            return -1;
        if (folded < SIGN || folded > LETTERS + 0x10FFFF)
            folded = OTHER;
        kinds[c] = (uint32_t)folded;
    }
    if (met[c] != texts) {
        met[c] = texts;
        limits->characters++;
        limits->signs += kinds[c] == SIGN;
        if (limits->characters > limits->most_characters || limits->signs > limits->most_signs)
            return OTHER;
    }
    return kinds[c];
}

/* Whether a character is one of a word for the sake of an apostrophe beside it; -1 if unknown. */
static int
in_word(Py_UCS4 c, Limits *limits)
{
    if (c < 128)
        return is_letter(c) || c == '_';
    if (c == RIGHT_QUOTE)
        return 0;
    int64_t kind = kind_in(c, limits);
    return kind < 0 || kind == OTHER ? -1 : kind >= LETTERS;
}

/* The length of an English ending after an apostrophe that begins here, 0 if there is none. */
static int
ending(int width, const void *data, Py_ssize_t at, Py_ssize_t size, Limits *limits)
{
    static const char *const endings[] = {"s", "t", "d", "m", "re", "ve", "ll"};
    int before = at ? in_word(PyUnicode_READ(width, data, at - 1), limits) : 0;
    if (before <= 0)
        return before;
    for (int i = 0; i < 7; i++) {
        int length = (int)strlen(endings[i]), same = at + length < size;
        for (int place = 0; same && place < length; place++) {
            Py_UCS4 c = PyUnicode_READ(width, data, at + 1 + place);
            same = c < 128 && (c | 32) == (Py_UCS4)endings[i][place];
        }
        if (!same)
            continue;
        Py_ssize_t next = at + 1 + length;
        int after = next < size ? in_word(PyUnicode_READ(width, data, next), limits) : 0;
        if (after < 0)
            return -1;
        if (!after)
            return length;
    }
    return 0;
}

static char *
put(char *to, Py_UCS4 c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *to++ = (char)(0xE0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    } else {
        *to++ = (char)(0xF0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 63));
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

/* Write a text with spaces between its words; the end of what was written, or NULL. */
static char *
written(PyObject *text, char *to, Limits *limits)
{
    int width = PyUnicode_KIND(text), plain = PyUnicode_IS_ASCII(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t at = 0; at < size; at++) {
        Py_UCS4 c = PyUnicode_READ(width, data, at);
        if (is_letter(c)) {
            *to++ = (char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
        } else if (c == '\'' || c == RIGHT_QUOTE) {
            int length = ending(width, data, at, size, limits);
            if (length < 0)
                return NULL;
            at += length;
            *to++ = ' ';
        } else if (plain || c < 128) {
            *to++ = ' ';
        } else {
            int64_t kind = kind_in(c, limits);
            if (kind < 0 || kind == OTHER)
                return NULL;
            to = put(to, kind == SIGN ? ' ' : (Py_UCS4)(kind - LETTERS));
        }
    }
    return to;
}

static PyObject *
spaced(PyObject *self, PyObject *args)
{
    PyObject *text;
    Limits limits = {NULL, 0, 0, 0, 0};
    if (!PyArg_ParseTuple(args, "UOnn", &text, &limits.kind_of, &limits.most_characters,
                          &limits.most_signs))
        return NULL;
    if (++texts == 0) { /* after four thousand million texts */
        memset(met, 0, sizeof met);
        texts = 1;
    }
    Py_ssize_t most = PyUnicode_IS_ASCII(text) ? 1 : 4;
    if (PyUnicode_GET_LENGTH(text) > (PY_SSIZE_T_MAX - 64) / most)
        return PyErr_NoMemory();
    PyObject *found = PyBytes_FromStringAndSize(NULL, PyUnicode_GET_LENGTH(text) * most + 2);
    if (found == NULL)
        return NULL;
    char *start = PyBytes_AS_STRING(found);
    *start = ' ';
    char *end = written(text, start + 1, &limits);
    if (end == NULL) {
        Py_DECREF(found);
        if (PyErr_Occurred())
            return NULL;
        Py_RETURN_NONE;
    }
    *end++ = ' ';
    if (end - start != PyBytes_GET_SIZE(found))
        _PyBytes_Resize(&found, end - start);
    return found;
}

/* The number of words between spaces, and each different word once. */
static PyObject *
distinct(PyObject *self, PyObject *line)
{
    if (!PyBytes_Check(line)) {
        PyErr_SetString(PyExc_TypeError, "bytes are expected");
        return NULL;
    }
    const char *text = PyBytes_AS_STRING(line);
    Py_ssize_t size = PyBytes_GET_SIZE(line), number = 0, slots = 256, used = 0, end;
    PyObject **table = PyMem_Calloc((size_t)slots, sizeof *table), *words = PyList_New(0);
    uint32_t *hashes = PyMem_Calloc((size_t)slots, sizeof *hashes);
    if (table == NULL || hashes == NULL || words == NULL)
        goto failed;
    for (Py_ssize_t start = 0;; start = end) {
        while (start < size && text[start] == ' ')
            start++;
        if (start >= size)
            break;
        uint32_t hash = 2166136261u;
        for (end = start; end < size && text[end] != ' '; end++)
            hash = (hash ^ (unsigned char)text[end]) * 16777619u;
        number++;
        Py_ssize_t slot = hash & (uint32_t)(slots - 1);
        for (; table[slot] != NULL; slot = (slot + 1) & (slots - 1))
            if (hashes[slot] == hash && PyBytes_GET_SIZE(table[slot]) == end - start &&
                !memcmp(PyBytes_AS_STRING(table[slot]), text + start, (size_t)(end - start)))
                break;
        if (table[slot] != NULL)
            continue;
        PyObject *word = PyBytes_FromStringAndSize(text + start, end - start);
        if (word == NULL || PyList_Append(words, word) < 0) {
            Py_XDECREF(word);
            goto failed;
        }
        Py_DECREF(word); /* the list has it */
        table[slot] = word;
        hashes[slot] = hash;
        if (2 * ++used <= slots)
            continue;
        PyObject **wider = PyMem_Calloc((size_t)slots * 4, sizeof *wider);
        uint32_t *others = PyMem_Calloc((size_t)slots * 4, sizeof *others);
        if (wider == NULL || others == NULL) {
            PyMem_Free(wider);
            PyMem_Free(others);
            goto failed;
        }
        for (Py_ssize_t i = 0; i < slots; i++) {
            if (table[i] == NULL)
                continue;
            Py_ssize_t place = hashes[i] & (uint32_t)(4 * slots - 1);
            while (wider[place] != NULL)
                place = (place + 1) & (4 * slots - 1);
            wider[place] = table[i];
            others[place] = hashes[i];
        }
        PyMem_Free(table);
        PyMem_Free(hashes);
        table = wider;
        hashes = others;
        slots *= 4;
    }
    PyMem_Free(table);
    PyMem_Free(hashes);
    return Py_BuildValue("(nN)", number, words);
failed:
    PyMem_Free(table);
    PyMem_Free(hashes);
    Py_XDECREF(words);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

static PyMethodDef methods[] = {
    {"spaced", spaced, METH_VARARGS, "Return a text with spaces around its words, or None."},
    {"distinct", distinct, METH_O, "Return how many words a line has, and each of them once."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_words", "The words of texts.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__words(void)
{
    return PyModule_Create(&module);
}
