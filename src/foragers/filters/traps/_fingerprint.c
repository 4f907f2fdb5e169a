/* The hashes of `fingerprint` and `bounded`, in one pass over a page instead of many of numpy.

   Results are those of the functions in Python, bit for bit. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define NAME_SLOTS 1024
#define NAME_BYTES 31
#define ODD 1u

static struct {
    uint64_t hash;
    unsigned char size;
    char word[NAME_BYTES];
} names[NAME_SLOTS];

/* Eight bytes, or as many as are left of a word, as a number; the first byte is the lowest. */
static uint64_t
eight(const unsigned char *text, Py_ssize_t size)
{
    uint64_t number = 0;
    for (Py_ssize_t i = size < 8 ? size : 8; i > 0; i--)
        number = number << 8 | text[i - 1];
    return number;
}

static uint64_t
hash_of(const unsigned char *word, Py_ssize_t size)
{
    uint64_t hash = eight(word, size) * 0x9E3779B97F4A7C15u;
    hash += (uint64_t)size;
    if (size > 8)
        hash += eight(word + size - 8, 8) * 0xC4CEB9FE1A85EC53u;
    hash ^= hash >> 32;
    hash *= 0xFF51AFD7ED558CCDu;
    return hash << 1;
}

static int
is_name(const unsigned char *word, Py_ssize_t size, uint64_t hash)
{
    for (Py_ssize_t slot = (Py_ssize_t)(hash >> 48) % NAME_SLOTS; names[slot].size;
         slot = (slot + 1) % NAME_SLOTS)
        if (names[slot].hash == hash && names[slot].size == size &&
            !memcmp(names[slot].word, word, (size_t)size))
            return 1;
    return 0;
}

/* Letters and digits that look like the id of something, as the pattern `_ID` says. */
static int
is_id(const unsigned char *word, Py_ssize_t size)
{
    int digits = 0, letters = 0, beyond_f = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        if (word[i] >= '0' && word[i] <= '9')
            digits = 1;
        else if (word[i] >= 'a' && word[i] <= 'z') {
            letters = 1;
            beyond_f |= word[i] > 'f';
        } else
            return 0;
    }
    return (digits && !beyond_f && size >= 16) || (digits && letters && size >= 24);
}

static PyObject *
prepare(PyObject *self, PyObject *words)
{
    memset(names, 0, sizeof names);
    PyObject *all = PySequence_Fast(words, "words are expected");
    if (all == NULL)
        return NULL;
    Py_ssize_t number = PySequence_Fast_GET_SIZE(all);
    int fits = number < NAME_SLOTS / 2;
    for (Py_ssize_t i = 0; fits && i < number; i++) {
        PyObject *word = PySequence_Fast_GET_ITEM(all, i);
        fits = PyBytes_Check(word) && PyBytes_GET_SIZE(word) <= NAME_BYTES;
        if (fits) {
            Py_ssize_t size = PyBytes_GET_SIZE(word);
            uint64_t hash = hash_of((unsigned char *)PyBytes_AS_STRING(word), size);
            Py_ssize_t slot = (Py_ssize_t)(hash >> 48) % NAME_SLOTS;
            while (names[slot].size)
                slot = (slot + 1) % NAME_SLOTS;
            names[slot].hash = hash;
            names[slot].size = (unsigned char)size;
            memcpy(names[slot].word, PyBytes_AS_STRING(word), (size_t)size);
        }
    }
    Py_DECREF(all);
    return PyBool_FromLong(fits);
}

typedef struct {
    Py_ssize_t id_bytes, day_bytes, token_bytes, token_digits;
} WordLimits;

/* Write the hash of each word of a text with spaces before and after each; how many there are. */
static Py_ssize_t
hash_words(const unsigned char *text, Py_ssize_t size, const WordLimits *limits, uint64_t *found)
{
    Py_ssize_t count = 0, end = 0;
    for (Py_ssize_t start = 0; start < size; start = end) {
        while (start < size && text[start] == ' ')
            start++;
        Py_ssize_t digits = 0;
        for (end = start; end < size && text[end] != ' '; end++)
            digits += text[end] >= '0' && text[end] <= '9';
        Py_ssize_t letters = end - start;
        if (!letters)
            continue;
        const unsigned char *word = text + start;
        uint64_t hash = hash_of(word, letters);
        int is_long = letters >= limits->id_bytes && word[0] < 128;
        if (is_name(word, letters, hash))
            hash |= ODD;
        else if (is_long && is_id(word, letters)) {
            found[count++] = 0;
            continue;
        }
        if (letters <= limits->day_bytes && word[0] >= '0' && word[0] <= '9')
            hash |= ODD;
        if (letters >= limits->token_bytes && digits >= limits->token_digits)
            hash |= ODD;
        found[count++] = hash;
    }
    return count;
}

static PyObject *
hashes(PyObject *self, PyObject *args)
{
    const unsigned char *text;
    Py_ssize_t size;
    WordLimits limits;
    if (!PyArg_ParseTuple(args, "y#nnnn", &text, &size, &limits.id_bytes, &limits.day_bytes,
                          &limits.token_bytes, &limits.token_digits))
        return NULL;
    uint64_t *found = PyMem_Malloc((size_t)(size / 2 + 1) * sizeof *found);
    if (found == NULL)
        return PyErr_NoMemory();
    Py_ssize_t count = hash_words(text, size, &limits, found);
    PyObject *result = PyBytes_FromStringAndSize((const char *)found, count * 8);
    PyMem_Free(found);
    return result;
}

/* The hashes of the words of a text that are no ids, and their sum. */
static PyObject *
counted(PyObject *self, PyObject *args)
{
    const unsigned char *text;
    Py_ssize_t size, kept = 0;
    WordLimits limits;
    if (!PyArg_ParseTuple(args, "y#nnnn", &text, &size, &limits.id_bytes, &limits.day_bytes,
                          &limits.token_bytes, &limits.token_digits))
        return NULL;
    uint64_t *found = PyMem_Malloc((size_t)(size / 2 + 1) * sizeof *found), sum = 0;
    if (found == NULL)
        return PyErr_NoMemory();
    Py_ssize_t count = hash_words(text, size, &limits, found);
    for (Py_ssize_t i = 0; i < count; i++)
        if (found[i]) {
            sum += found[i];
            found[kept++] = found[i];
        }
    PyObject *result =
        Py_BuildValue("(y#K)", (const char *)found, kept * 8, (unsigned long long)sum);
    PyMem_Free(found);
    return result;
}

/* Add the runs of at least so many digits in a text; 0 if it is not ASCII, -1 for an error. */
static int
add_numbers(PyObject *found, PyObject *text, Py_ssize_t least)
{
    if (!PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text))
        return 0;
    const char *letters = (const char *)PyUnicode_1BYTE_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text), start = 0;
    for (Py_ssize_t i = 0; i <= size; i++) {
        if (i < size && letters[i] >= '0' && letters[i] <= '9')
            continue;
        if (i - start >= least) {
            PyObject *run = PyUnicode_FromStringAndSize(letters + start, i - start);
            int failed = run == NULL || PyList_Append(found, run) < 0;
            Py_XDECREF(run);
            if (failed)
                return -1;
        }
        start = i + 1;
    }
    return 1;
}

/* The runs of at least so many digits in some URLs; None if one is not ASCII. */
static PyObject *
numbers(PyObject *self, PyObject *args)
{
    PyObject *urls;
    Py_ssize_t least;
    if (!PyArg_ParseTuple(args, "O!n", &PyTuple_Type, &urls, &least))
        return NULL;
    PyObject *found = PyList_New(0);
    for (Py_ssize_t i = 0; found != NULL && i < PyTuple_GET_SIZE(urls); i++) {
        int fine = add_numbers(found, PyTuple_GET_ITEM(urls, i), least);
        if (fine <= 0) {
            Py_DECREF(found);
            return fine < 0 ? NULL : Py_NewRef(Py_None);
        }
    }
    return found;
}

static int
is_open(PyObject *source, Py_buffer *view, Py_ssize_t itemsize, int flags)
{
    if (PyObject_GetBuffer(source, view, PyBUF_C_CONTIGUOUS | flags) < 0)
        return 0;
    if (view->itemsize == itemsize)
        return 1;
    PyBuffer_Release(view);
    PyErr_SetString(PyExc_ValueError, "an array of another type is expected");
    return 0;
}

/* Sort numbers by their four bytes, the lowest first; both arrays have room for all of them. */
static void
sorted(uint32_t *numbers, uint32_t *room, Py_ssize_t count)
{
    for (int shift = 0; shift < 32; shift += 8) {
        Py_ssize_t starts[257] = {0};
        for (Py_ssize_t i = 0; i < count; i++)
            starts[(numbers[i] >> shift & 255) + 1]++;
        for (int byte = 0; byte < 256; byte++)
            starts[byte + 1] += starts[byte];
        for (Py_ssize_t i = 0; i < count; i++)
            room[starts[numbers[i] >> shift & 255]++] = numbers[i];
        uint32_t *other = numbers;
        numbers = room;
        room = other;
    }
}

/* The phrases of the words that are neither dates nor excluded, sorted and each once, and how many
   such words there are; None if they are less than half of all. */
static PyObject *
sample(PyObject *self, PyObject *args)
{
    PyObject *sources[2], *result = NULL;
    Py_buffer words, excluded;
    if (!PyArg_ParseTuple(args, "OO", &sources[0], &sources[1]))
        return NULL;
    if (!is_open(sources[0], &words, 8, 0))
        return NULL;
    if (!is_open(sources[1], &excluded, 8, 0)) {
        PyBuffer_Release(&words);
        return NULL;
    }
    const uint64_t *hash = words.buf, *out = excluded.buf;
    Py_ssize_t all = words.len / 8, outs = excluded.len / 8, kept = 0, count = 0, once = 0;
    uint64_t *plain = PyMem_Malloc((size_t)(all + 1) * sizeof *plain);
    uint32_t *phrases = PyMem_Malloc((size_t)(all + 1) * 2 * sizeof *phrases);
    if (plain == NULL || phrases == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    for (Py_ssize_t i = 0; i < all; i++) {
        Py_ssize_t place = hash[i] & ODD ? -1 : 0;
        while (place >= 0 && place < outs)
            place = out[place] == hash[i] ? -1 : place + 1;
        if (place >= 0)
            plain[kept++] = hash[i];
    }
    if (2 * kept < all) {
        result = Py_NewRef(Py_None);
        goto end;
    }
    if (kept > 0 && kept < 3)
        phrases[count++] = (uint32_t)((plain[0] + (kept > 1 ? plain[1] : 0)) >> 32);
    for (Py_ssize_t i = 2; i < kept; i++) {
        uint64_t mixed = plain[i - 2] * 0xD6E8FEB86659FD93u;
        mixed += plain[i - 1];
        mixed *= 0xA0761D6478BD642Fu;
        mixed += plain[i];
        mixed ^= mixed >> 32;
        mixed *= 0xD6E8FEB86659FD93u;
        phrases[count++] = (uint32_t)(mixed >> 32);
    }
    sorted(phrases, phrases + all + 1, count);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!i || phrases[i] != phrases[once - 1])
            phrases[once++] = phrases[i];
    result = Py_BuildValue("ny#", kept, (const char *)phrases, once * 4);
end:
    PyMem_Free(plain);
    PyMem_Free(phrases);
    PyBuffer_Release(&words);
    PyBuffer_Release(&excluded);
    return result;
}

/* Which keys a Bloom filter has; the others are marked with 0, and nothing is added. */
static PyObject *
has(PyObject *self, PyObject *args)
{
    PyObject *sources[3];
    Py_buffer bits, keys, found;
    int log_bits;
    if (!PyArg_ParseTuple(args, "OOOi", &sources[0], &sources[1], &sources[2], &log_bits))
        return NULL;
    if (!is_open(sources[0], &bits, 1, 0))
        return NULL;
    if (!is_open(sources[1], &keys, 8, 0)) {
        PyBuffer_Release(&bits);
        return NULL;
    }
    if (!is_open(sources[2], &found, 1, PyBUF_WRITABLE)) {
        PyBuffer_Release(&bits);
        PyBuffer_Release(&keys);
        return NULL;
    }
    Py_ssize_t number = keys.len / 8;
    int fits = log_bits > 3 && log_bits < 48 && bits.len == (Py_ssize_t)1 << (log_bits - 3) &&
               found.len == number;
    const unsigned char *filter = bits.buf;
    const uint64_t *key = keys.buf;
    unsigned char *seen = found.buf;
    for (Py_ssize_t i = 0; fits && i < number; i++) {
        uint64_t one = key[i] >> (64 - log_bits);
        uint64_t other = key[i] * 0x9E3779B97F4A7C15u >> (64 - log_bits);
        seen[i] = (filter[one >> 3] >> (one & 7) & 1) && (filter[other >> 3] >> (other & 7) & 1);
    }
    PyBuffer_Release(&bits);
    PyBuffer_Release(&keys);
    PyBuffer_Release(&found);
    return PyBool_FromLong(fits);
}

static PyObject *
add(PyObject *self, PyObject *args)
{
    PyObject *sources[2];
    Py_buffer bits, keys;
    int log_bits;
    if (!PyArg_ParseTuple(args, "OOi", &sources[0], &sources[1], &log_bits))
        return NULL;
    if (!is_open(sources[0], &bits, 1, PyBUF_WRITABLE))
        return NULL;
    if (!is_open(sources[1], &keys, 8, 0)) {
        PyBuffer_Release(&bits);
        return NULL;
    }
    int fits = log_bits > 3 && log_bits < 48 && bits.len == (Py_ssize_t)1 << (log_bits - 3);
    unsigned char *filter = bits.buf;
    const uint64_t *key = keys.buf;
    for (Py_ssize_t i = 0; fits && i < keys.len / 8; i++) {
        uint64_t one = key[i] >> (64 - log_bits);
        uint64_t other = key[i] * 0x9E3779B97F4A7C15u >> (64 - log_bits);
        filter[one >> 3] |= (unsigned char)(1 << (one & 7));
        filter[other >> 3] |= (unsigned char)(1 << (other & 7));
    }
    PyBuffer_Release(&bits);
    PyBuffer_Release(&keys);
    return PyBool_FromLong(fits);
}

/* The place of a hash among others, which are sorted, from a place on. */
static Py_ssize_t
place_of(uint32_t hash, const uint32_t *within, Py_ssize_t low, Py_ssize_t others)
{
    Py_ssize_t high = others;
    if (low + 8 < others && within[low + 8] >= hash)
        high = low + 9;
    while (low < high) {
        Py_ssize_t middle = low + (high - low) / 2;
        if (within[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Mark which hashes are among others; those that rise are found near the last one. */
static void
mark(const uint32_t *hash, Py_ssize_t number, const uint32_t *within, Py_ssize_t others,
     unsigned char *found)
{
    Py_ssize_t place = 0;
    for (Py_ssize_t i = 0; i < number; i++) {
        place = place_of(hash[i], within, i && hash[i] >= hash[i - 1] ? place : 0, others);
        found[i] |= place < others && within[place] == hash[i];
    }
}

/* Which hashes are among others, which are sorted. */
static PyObject *
contained(PyObject *self, PyObject *args)
{
    PyObject *sources[3];
    Py_buffer hashes_view, within_view, found_view;
    if (!PyArg_ParseTuple(args, "OOO", &sources[0], &sources[1], &sources[2]))
        return NULL;
    if (!is_open(sources[0], &hashes_view, 4, 0))
        return NULL;
    if (!is_open(sources[1], &within_view, 4, 0)) {
        PyBuffer_Release(&hashes_view);
        return NULL;
    }
    if (!is_open(sources[2], &found_view, 1, PyBUF_WRITABLE)) {
        PyBuffer_Release(&hashes_view);
        PyBuffer_Release(&within_view);
        return NULL;
    }
    Py_ssize_t number = hashes_view.len / 4;
    int fits = found_view.len == number;
    if (fits) {
        memset(found_view.buf, 0, (size_t)number);
        mark(hashes_view.buf, number, within_view.buf, within_view.len / 4, found_view.buf);
    }
    PyBuffer_Release(&hashes_view);
    PyBuffer_Release(&within_view);
    PyBuffer_Release(&found_view);
    return PyBool_FromLong(fits);
}

/* Two samples in one, sorted. */
static PyObject *
merged(PyObject *self, PyObject *args)
{
    PyObject *sources[2], *result = NULL;
    Py_buffer first, second;
    if (!PyArg_ParseTuple(args, "OO", &sources[0], &sources[1]))
        return NULL;
    if (!is_open(sources[0], &first, 4, 0))
        return NULL;
    if (!is_open(sources[1], &second, 4, 0)) {
        PyBuffer_Release(&first);
        return NULL;
    }
    Py_ssize_t size = first.len + second.len;
    uint32_t *room = PyMem_Malloc((size_t)size + 4);
    result = room ? PyBytes_FromStringAndSize(NULL, size) : PyErr_NoMemory();
    if (result != NULL) {
        char *both = PyBytes_AS_STRING(result);
        memcpy(both, first.buf, (size_t)first.len);
        memcpy(both + first.len, second.buf, (size_t)second.len);
        sorted((uint32_t *)(void *)both, room, size / 4);
    }
    PyMem_Free(room);
    PyBuffer_Release(&first);
    PyBuffer_Release(&second);
    return result;
}

/* The phrases that stand in none of two earlier pages, and the indexes and hashes of such links. */
static PyObject *
own(PyObject *self, PyObject *args)
{
    PyObject *sources[4], *result = NULL, *indexes = NULL;
    Py_buffer views[4]; /* phrases, links, and two earlier pages */
    int open = 0;
    if (!PyArg_ParseTuple(args, "OOOO", &sources[0], &sources[1], &sources[2], &sources[3]))
        return NULL;
    for (; open < 4; open++)
        if (!is_open(sources[open], &views[open], 4, 0))
            goto end;
    Py_ssize_t phrases = views[0].len / 4, links = views[1].len / 4, kept = 0, others = 0;
    const uint32_t *phrase = views[0].buf, *link = views[1].buf;
    unsigned char *known = PyMem_Calloc((size_t)(phrases + links + 1), 1);
    uint32_t *left = PyMem_Malloc((size_t)(phrases + links + 1) * sizeof *left);
    indexes = PyList_New(0);
    int fine = known != NULL && left != NULL && indexes != NULL;
    for (int page = 2; fine && page < 4; page++) {
        mark(phrase, phrases, views[page].buf, views[page].len / 4, known);
        mark(link, links, views[page].buf, views[page].len / 4, known + phrases);
    }
    for (Py_ssize_t i = 0; fine && i < phrases; i++)
        if (!known[i])
            left[kept++] = phrase[i];
    for (Py_ssize_t i = 0; fine && i < links; i++)
        if (!known[phrases + i]) {
            PyObject *index = PyLong_FromSsize_t(i);
            fine = index != NULL && PyList_Append(indexes, index) == 0;
            Py_XDECREF(index);
            left[kept + others++] = link[i];
        }
    if (fine)
        result = Py_BuildValue("(y#Oy#)", (const char *)left, kept * 4, indexes,
                               (const char *)(left + kept), others * 4);
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    PyMem_Free(known);
    PyMem_Free(left);
end:
    Py_XDECREF(indexes);
    while (open > 0)
        PyBuffer_Release(&views[--open]);
    return result;
}

/* Add to `seen` which keys a Bloom filter has; 0 if it is none, -1 for an error. */
static int
look(PyObject *filter, const uint64_t *key, Py_ssize_t number, unsigned char *seen)
{
    PyObject *source;
    int log_bits;
    Py_buffer bits;
    if (!PyTuple_Check(filter)) {
        PyErr_SetString(PyExc_TypeError, "a filter and the size of it are expected");
        return -1;
    }
    if (!PyArg_ParseTuple(filter, "Oi", &source, &log_bits) || !is_open(source, &bits, 1, 0))
        return -1;
    int fits = log_bits > 3 && log_bits < 48 && bits.len == (Py_ssize_t)1 << (log_bits - 3);
    const unsigned char *table = bits.buf;
    for (Py_ssize_t i = 0; fits && i < number; i++) {
        uint64_t one = key[i] >> (64 - log_bits);
        uint64_t other = key[i] * 0x9E3779B97F4A7C15u >> (64 - log_bits);
        seen[i] |= (table[one >> 3] >> (one & 7) & 1) && (table[other >> 3] >> (other & 7) & 1);
    }
    PyBuffer_Release(&bits);
    return fits;
}

/* The keys of hashes, the first `here` of them with one number and the others with another: for
   each whether it is in no filter, and those that are in none.  None if a filter is none. */
static PyObject *
unseen(PyObject *self, PyObject *args)
{
    PyObject *sources[3], *filters, *result = NULL;
    Py_buffer views[3];
    Py_ssize_t number = 0, kept = 0;
    unsigned int of_path, of_any;
    int open = 0, fits = 1;
    if (!PyArg_ParseTuple(args, "OOOIIO!", &sources[0], &sources[1], &sources[2], &of_path, &of_any,
                          &PyTuple_Type, &filters))
        return NULL;
    for (; open < 3; open++) {
        if (!is_open(sources[open], &views[open], 4, 0))
            goto end;
        number += views[open].len / 4;
    }
    uint64_t *keys = PyMem_Malloc((size_t)(number + 1) * sizeof *keys), *key = keys;
    unsigned char *seen = PyMem_Calloc((size_t)(number + 1), 1);
    if (keys == NULL || seen == NULL) {
        PyErr_NoMemory();
        goto failed;
    }
    for (int part = 0; part < 3; part++) {
        const uint32_t *hash = views[part].buf;
        for (Py_ssize_t i = 0; i < views[part].len / 4; i++) {
            uint64_t mixed = ((uint64_t)hash[i] << 32 | (part < 2 ? of_path : of_any));
            mixed *= 0xFF51AFD7ED558CCDu;
            mixed ^= mixed >> 32;
            *key++ = mixed * 0xFF51AFD7ED558CCDu;
        }
    }
    for (Py_ssize_t i = 0; fits > 0 && i < PyTuple_GET_SIZE(filters); i++)
        fits = look(PyTuple_GET_ITEM(filters, i), keys, number, seen);
    if (fits < 0)
        goto failed;
    for (Py_ssize_t i = 0; i < number; i++) {
        seen[i] = !seen[i];
        if (seen[i])
            keys[kept++] = keys[i];
    }
    result = fits ? Py_BuildValue("(y#y#)", (const char *)seen, number, (const char *)keys, kept * 8)
                  : Py_NewRef(Py_None);
failed:
    PyMem_Free(keys);
    PyMem_Free(seen);
end:
    while (open > 0)
        PyBuffer_Release(&views[--open]);
    return result;
}

static uint32_t crc_table[8][256];

/* The tables of the checksum that zlib calls crc32, eight bytes at a time. */
static void
make_crc_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        crc_table[0][byte] = crc;
    }
    for (int i = 1; i < 8; i++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = crc_table[i - 1][byte];
            crc_table[i][byte] = before >> 8 ^ crc_table[0][before & 255];
        }
}

static uint32_t
crc_of(const unsigned char *text, Py_ssize_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (; size >= 8; size -= 8, text += 8) {
        uint64_t some = eight(text, 8) ^ crc;
        crc = 0;
        for (int i = 0; i < 8; i++)
            crc ^= crc_table[7 - i][some >> 8 * i & 255];
    }
    for (; size > 0; size--)
        crc = crc >> 8 ^ crc_table[0][(crc ^ *text++) & 255];
    return ~crc;
}

/* Whether a URL may have another canonical form. */
static int
may_have_ids(const char *url, Py_ssize_t size)
{
    if (memchr(url, '?', (size_t)size) != NULL || memchr(url, ';', (size_t)size) != NULL)
        return 1;
    const char *end = url + size, *at = url;
    while ((at = memchr(at, '(', (size_t)(end - at))) != NULL) {
        if (at > url && at[-1] == '/')
            return 1;
        at++;
    }
    return 0;
}

/* The canonical form of a URL, and its letters; NULL for an error. */
static PyObject *
canonical_of(PyObject *url, PyObject *canonical, const char **letters, Py_ssize_t *size)
{
    *letters = PyUnicode_Check(url) ? PyUnicode_AsUTF8AndSize(url, size) : NULL;
    if (*letters == NULL)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a text is expected");
    if (!may_have_ids(*letters, *size))
        return Py_NewRef(url);
    PyObject *plain = PyObject_CallOneArg(canonical, url);
    *letters = plain && PyUnicode_Check(plain) ? PyUnicode_AsUTF8AndSize(plain, size) : NULL;
    if (*letters == NULL)
        Py_CLEAR(plain);
    return plain;
}

/* The canonical forms of URLs, each once, and their hashes; None if one cannot be encoded. */
static PyObject *
links(PyObject *self, PyObject *args)
{
    PyObject *urls, *canonical;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &urls, &canonical))
        return NULL;
    Py_ssize_t number = PyList_GET_SIZE(urls), size, count = 0;
    PyObject *once = PyList_New(0), *known = PyDict_New();
    uint32_t *hashes = PyMem_Malloc((size_t)(number + 1) * sizeof *hashes);
    int fine = once != NULL && known != NULL && hashes != NULL;
    for (Py_ssize_t i = 0; fine && i < number && i < PyList_GET_SIZE(urls); i++) {
        const char *letters;
        PyObject *url = Py_NewRef(PyList_GET_ITEM(urls, i));
        PyObject *plain = canonical_of(url, canonical, &letters, &size);
        fine = plain != NULL && PyDict_SetDefault(known, plain, Py_None) != NULL;
        if (fine && PyDict_GET_SIZE(known) > count) {
            hashes[count++] = crc_of((const unsigned char *)letters, size);
            fine = PyList_Append(once, plain) == 0;
        }
        Py_XDECREF(plain);
        Py_DECREF(url);
    }
    PyObject *found = NULL;
    if (fine)
        found = Py_BuildValue("(Oy#)", once, (const char *)hashes, count * 4);
    else if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear();
        found = Py_NewRef(Py_None);
    } else if (!PyErr_Occurred())
        PyErr_NoMemory();
    Py_XDECREF(once);
    Py_XDECREF(known);
    PyMem_Free(hashes);
    return found;
}

static PyMethodDef methods[] = {
    {"links", links, METH_VARARGS, "Return canonical URLs, each once, and their hashes, or None."},
    {"prepare", prepare, METH_O, "Take the names of months and days; False if they do not fit."},
    {"hashes", hashes, METH_VARARGS, "Return the hash of each word of a text."},
    {"counted", counted, METH_VARARGS, "Return the hashes that are not 0, and their sum."},
    {"numbers", numbers, METH_VARARGS, "Return the runs of digits in ASCII URLs, or None."},
    {"merged", merged, METH_VARARGS, "Return two samples in one, sorted."},
    {"own", own, METH_VARARGS, "Return what stands in none of two earlier pages."},
    {"unseen", unseen, METH_VARARGS, "Return which keys are in no filter, and these, or None."},
    {"sample", sample, METH_VARARGS, "Return how many words are kept, and their phrases."},
    {"has", has, METH_VARARGS, "Say which keys a Bloom filter has."},
    {"add", add, METH_VARARGS, "Add keys to a Bloom filter."},
    {"contained", contained, METH_VARARGS, "Say which hashes are among others."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_fingerprint", "The hashes of the trap detector.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__fingerprint(void)
{
    make_crc_table();
    return PyModule_Create(&module);
}
