/* Words of texts, as the compiled modules of `auto` cut and number them. */

#ifndef FORAGERS_AUTO_TEXT_H
#define FORAGERS_AUTO_TEXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MOST_WORDS 64
#define STOP_SLOTS 1024
#define LONGEST_STOP 15

static struct {
    unsigned char size;
    char word[LONGEST_STOP];
} stops[STOP_SLOTS];
static uint32_t crc_table[256];
static unsigned char folded[128]; /* a small letter or digit, or a space */

static uint32_t
crc_of(const char *word, Py_ssize_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (Py_ssize_t i = 0; i < size; i++)
        crc = crc_table[(crc ^ (unsigned char)word[i]) & 255] ^ (crc >> 8);
    return crc ^ 0xFFFFFFFFu;
}

static int
says_nothing(const char *word, Py_ssize_t size, uint32_t crc)
{
    uint32_t slot = crc % STOP_SLOTS;
    for (; stops[slot].size; slot = (slot + 1) % STOP_SLOTS)
        if (stops[slot].size == size && !memcmp(stops[slot].word, word, (size_t)size))
            return 1;
    return 0;
}

static void
fill_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xEDB88320u ^ (crc >> 1) : crc >> 1;
        crc_table[i] = crc;
    }
    for (int c = 0; c < 128; c++)
        folded[c] = (unsigned char)((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c
                                    : c >= 'A' && c <= 'Z'                         ? c | 32
                                                                                   : ' ');
}

/* Take the words that say nothing; 0 if they do not fit. */
static int
take_stops(PyObject *words)
{
    memset(stops, 0, sizeof stops);
    Py_ssize_t number = PyList_GET_SIZE(words);
    int fits = number < STOP_SLOTS / 2;
    for (Py_ssize_t i = 0; fits && i < number; i++) {
        PyObject *word = PyList_GET_ITEM(words, i);
        fits = PyBytes_Check(word) && PyBytes_GET_SIZE(word) <= LONGEST_STOP;
        if (fits) {
            Py_ssize_t size = PyBytes_GET_SIZE(word);
            uint32_t slot = crc_of(PyBytes_AS_STRING(word), size) % STOP_SLOTS;
            while (stops[slot].size)
                slot = (slot + 1) % STOP_SLOTS;
            stops[slot].size = (unsigned char)size;
            memcpy(stops[slot].word, PyBytes_AS_STRING(word), (size_t)size);
        }
    }
    return fits;
}

/* Text that grows. */
typedef struct {
    char *at;
    Py_ssize_t size, room;
} Text;

static int
has_room(Text *text, Py_ssize_t more)
{
    if (text->size + more <= text->room)
        return 1;
    Py_ssize_t room = 2 * (text->size + more) + 256;
    char *grown = PyMem_Realloc(text->at, (size_t)room);
    if (grown == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    text->at = grown;
    text->room = room;
    return 1;
}

static int
put(Text *text, const char *more, Py_ssize_t size)
{
    if (!has_room(text, size))
        return 0;
    memcpy(text->at + text->size, more, (size_t)size);
    text->size += size;
    return 1;
}

static int
is_of_word(unsigned char c)
{
    return folded[c] != ' ' || c == '_';
}

/* The length of an English ending after an apostrophe, 0 if there is none. */
static Py_ssize_t
ending(const unsigned char *text, Py_ssize_t at, Py_ssize_t size)
{
    static const char *const endings[] = {"s", "t", "d", "m", "re", "ve", "ll"};
    if (!at || !is_of_word(text[at - 1]))
        return 0;
    for (int i = 0; i < 7; i++) {
        Py_ssize_t length = (Py_ssize_t)strlen(endings[i]), next = at + 1 + length, same = 1;
        for (Py_ssize_t place = 0; place < length; place++)
            same = same && at + 1 + place < size &&
                   (text[at + 1 + place] | 32) == (unsigned char)endings[i][place];
        if (same && (next >= size || !is_of_word(text[next])))
            return length;
    }
    return 0;
}

/* Write a text in ASCII with spaces between its words; there is room for as many characters. */
static Py_ssize_t
cut(const unsigned char *text, Py_ssize_t size, char *to)
{
    char *start = to;
    for (Py_ssize_t at = 0; at < size; at++) {
        *to++ = (char)folded[text[at]];
        if (text[at] == '\'')
            at += ending(text, at, size);
    }
    return to - start;
}

/* The next word of a line from a place on, which moves behind it; its size, 0 if there is none. */
static Py_ssize_t
next_word(const char *line, Py_ssize_t size, Py_ssize_t *at, const char **word)
{
    while (*at < size && line[*at] == ' ')
        ++*at;
    Py_ssize_t start = *at;
    while (*at < size && line[*at] != ' ')
        ++*at;
    *word = line + start;
    return *at - start;
}

/* Add what a function in Python says of a text, in bytes, to a line. */
static int
put_told(Text *line, PyObject *function, PyObject *text)
{
    PyObject *told = PyObject_CallOneArg(function, text);
    int fits = told != NULL && PyBytes_Check(told) &&
               put(line, PyBytes_AS_STRING(told), PyBytes_GET_SIZE(told));
    if (told != NULL && !PyBytes_Check(told))
        PyErr_SetString(PyExc_TypeError, "bytes are expected");
    Py_XDECREF(told);
    return fits;
}

/* The words of a text, with spaces between them; `spaced` cuts those that are not ASCII. */
static int
put_words(Text *line, PyObject *text, PyObject *spaced)
{
    line->size = 0;
    if (!PyUnicode_IS_ASCII(text))
        return put_told(line, spaced, text);
    if (!has_room(line, PyUnicode_GET_LENGTH(text)))
        return 0;
    line->size = cut(PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text), line->at);
    return 1;
}

#endif
