/* The links of a page taken apart: words, groups and similarity to the topic.

   Results are those of `features` in Python.  Texts that are not ASCII are cut by the functions in
   Python that `prepare` gets.  What is odd is found before anything is written: then the answer is
   None, and the functions in Python do the work. */

#include "../../core/_arrays.h"
#include "../../core/_blake2.h"
#include "../../core/_exact.h"
#include "_text.h"

#define MOST_HINTS 256
#define GROUPED 5
#define GROUPS_OF_LINK 8 /* at most so many are new, beside those of directories */

static const ExactFunctions *exact;

/* Numbers of `settings` and rows of stored features, and the functions for texts beyond ASCII. */
static struct {
    Py_ssize_t directories, anchor_words, url_words, shape_chars, ending_chars, buckets, link_words;
    Py_ssize_t around_chars, long_word;
    Py_ssize_t parent, in_link, around, lean, depth, place;
    PyObject *spaced, *url_line;
} known;

static PyObject *
prepare(PyObject *self, PyObject *args)
{
    PyObject *words, *spaced, *url_line;
    if (!PyArg_ParseTuple(args, "O!OO(nnnnnnnnn)(nnnnnn)", &PyList_Type, &words, &spaced, &url_line,
                          &known.directories, &known.anchor_words, &known.url_words,
                          &known.shape_chars, &known.ending_chars, &known.buckets,
                          &known.link_words, &known.around_chars, &known.long_word, &known.parent,
                          &known.in_link, &known.around, &known.lean, &known.depth, &known.place))
        return NULL;
    fill_tables();
    int fits = take_stops(words) && known.link_words > 0 && known.link_words <= MOST_WORDS &&
               known.buckets > 0 && known.buckets < INT32_MAX;
    Py_XSETREF(known.spaced, Py_NewRef(spaced));
    Py_XSETREF(known.url_line, Py_NewRef(url_line));
    return PyBool_FromLong(fits);
}

/* A group that is new: what stands in the columns of `Rates`. */
typedef struct {
    uint64_t key;
    double doubt;
    float odds;
    int32_t parent;
    int8_t level;
} Group;

typedef struct {
    Array slots, keys, levels, odds, doubts;
    Group *new;
    Py_ssize_t fresh, room, most;
    Text name;
} Groups;

static void
begin_name(Groups *groups, const char *kind)
{
    groups->name.size = 0;
    put(&groups->name, kind, (Py_ssize_t)strlen(kind));
}

/* Add a group that stands in a slot, and return its number. */
static int32_t
added(Groups *groups, uint64_t key, int32_t parent, int32_t *slot)
{
    if (groups->fresh == groups->room) {
        Py_ssize_t room = 2 * groups->room + 32;
        Group *grown = PyMem_Realloc(groups->new, (size_t)room * sizeof *grown);
        if (grown == NULL) {
            PyErr_NoMemory();
            return 0;
        }
        groups->new = grown;
        groups->room = room;
    }
    Group *group = &groups->new[groups->fresh];
    Py_ssize_t before = groups->levels.columns, inside = parent - before;
    group->key = key;
    group->parent = parent;
    if (inside < 0) {
        group->level = (int8_t)(CELL(groups->levels, int8_t, 0, parent) + 1);
        group->odds = CELL(groups->odds, float, 0, parent);
        group->doubt = CELL(groups->doubts, double, 0, parent);
    } else {
        group->level = (int8_t)(groups->new[inside].level + 1);
        group->odds = groups->new[inside].odds;
        group->doubt = groups->new[inside].doubt;
    }
    *slot = (int32_t)(groups->keys.columns + groups->fresh++);
    return *slot + 1;
}

/* The number of the group of the name, made if it is new and there is room; else its parent. */
static int32_t
group_of(Groups *groups, int32_t parent)
{
    if (PyErr_Occurred())
        return 0;
    uint64_t key = blake2_digest(groups->name.at, (size_t)groups->name.size);
    uint64_t mask = (uint64_t)groups->slots.columns - 1;
    Py_ssize_t before = groups->keys.columns;
    for (uint64_t slot = key & mask;; slot = (slot + 1) & mask) {
        int32_t *number = &CELL(groups->slots, int32_t, 0, (Py_ssize_t)slot);
        if (*number < 0) {
            if (before + groups->fresh + 1 >= groups->most)
                return parent;
            return added(groups, key, parent, number);
        }
        if (*number >= before + groups->fresh) {
            PyErr_SetString(PyExc_IndexError, "a slot points nowhere");
            return 0;
        }
        uint64_t there = *number < before ? CELL(groups->keys, uint64_t, 0, *number)
                                          : groups->new[*number - before].key;
        if (there == key)
            return *number + 1;
    }
}

/* A link taken apart; places in its URL, and texts in the arena. */
typedef struct {
    int32_t host;
    const char *href, *path;
    Py_ssize_t path_size, host_start, host_end, start, directory_end, name_start, name_end, depth;
    Py_ssize_t anchor, anchor_size, shape, shape_size;
    int asks;
} Parts;

/* The groups of the links to one host on a page. */
typedef struct {
    int32_t host, around, parent_page;
    Py_ssize_t link; /* whose URL has the name of the host */
} Host;

/* A call: what it is given, and what it has found. */
typedef struct {
    PyObject *page, *places, *hrefs, *paths, *anchors, *like, *hints, *outs, *words, *starts, *ends;
    PyObject *arounds;
    int by_page, kept;
    Array hosts, groups_out, words_out, stored, logs;
    Parts *links;
    Host *met;
    int32_t *host_slots, *shape_numbers;
    uint64_t *shape_keys;
    Py_ssize_t number, hosts_met, slots;
    Text line, arena, low;
    Groups groups;
} Call;

/* The host of a URL, between its second and third slash; 0 if there is none. */
static int
is_host(const char *href, Py_ssize_t size, Py_ssize_t *start, Py_ssize_t *end)
{
    Py_ssize_t slashes = 0;
    *start = 0;
    *end = size;
    for (Py_ssize_t i = 0; i < size && slashes < 3; i++)
        if (href[i] == '/') {
            slashes++;
            if (slashes == 2)
                *start = i + 1;
            if (slashes == 3)
                *end = i;
        }
    return slashes >= 2;
}

/* Take a URL apart: directory, name and query. */
static void
take_apart(Parts *link, Py_ssize_t size, Py_ssize_t most_directories)
{
    Py_ssize_t start = -1, end = size, slashes = 0;
    const char *href = link->href;
    for (Py_ssize_t i = 8; i < size && start < 0; i++)
        if (href[i] == '/')
            start = i;
    link->start = start;
    if (start < 0) { /* as if it were a slash */
        link->name_start = link->name_end = link->directory_end = size;
        link->depth = link->asks = 0;
        return;
    }
    const char *asked = memchr(href + start, '?', (size_t)(size - start));
    if (asked != NULL)
        end = asked - href;
    link->asks = asked != NULL && end + 1 < size;
    link->name_end = end;
    link->name_start = start + 1;
    for (Py_ssize_t i = start; i < end; i++)
        if (href[i] == '/') {
            link->name_start = i + 1;
            slashes++;
        }
    link->depth = slashes - 1;
    link->directory_end = link->name_start - 1;
    slashes = 0;
    for (Py_ssize_t i = start; i < link->directory_end; i++)
        if (href[i] == '/' && ++slashes > most_directories) {
            link->directory_end = i;
            break;
        }
}

/* Write the shape of a link: its depth, whether it asks, and the pattern of its name. */
static int
put_shape(Call *call, Parts *link)
{
    char begin[32];
    link->shape = call->arena.size;
    int size = PyOS_snprintf(begin, sizeof begin, "%zd%s ", link->depth, link->asks ? "?" : "");
    if (!put(&call->arena, begin, size) || !has_room(&call->arena, known.shape_chars))
        return 0;
    char before = 0;
    Py_ssize_t written = 0;
    for (Py_ssize_t i = link->name_start; i < link->name_end && written < known.shape_chars; i++) {
        unsigned char c = folded[(unsigned char)link->href[i]];
        char kind = c == ' ' ? link->href[i] : c <= '9' ? '0' : 'a';
        if (kind == before && c != ' ')
            continue;
        call->arena.at[call->arena.size++] = before = kind;
        written++;
    }
    link->shape_size = call->arena.size - link->shape;
    return 1;
}

static int
is_large(char c)
{
    return c >= 'A' && c <= 'Z';
}

static int
is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static int
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Write the words of the end of a URL, camelCase and digits split. */
static void
put_url_words(Text *line, const char *end, Py_ssize_t size)
{
    Py_ssize_t next;
    for (Py_ssize_t at = 0; at < size; at = next) {
        next = at + 1;
        if (is_small(end[at])) {
            while (next < size && is_small(end[next]))
                next++;
        } else if (is_digit(end[at])) {
            while (next < size && is_digit(end[next]))
                next++;
        } else if (is_large(end[at])) {
            while (next < size && is_large(end[next]))
                next++;
            if (next < size && is_small(end[next])) {
                if (next > at + 1)
                    next--; /* the last large letter begins the next word */
                else
                    while (next < size && is_small(end[next]))
                        next++;
            }
        } else {
            continue;
        }
        for (Py_ssize_t i = at; i < next; i++)
            line->at[line->size++] = (char)folded[(unsigned char)end[i]];
        line->at[line->size++] = ' ';
    }
}

/* Whether the end of a URL needs no more than its letters to be looked at. */
static int
is_plain(const char *end, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < size; i++)
        if (end[i] == '%' || (end[i] == '/' && i + 1 < size && end[i + 1] == '/') ||
            (end[i] == 'x' && i + 3 < size && !memcmp(end + i, "xn--", 4)))
            return 0;
    return 1;
}

/* The words of path and query: a line, and where the last few of them begin in it. */
static int
words_of_url(Call *call, const Parts *link, Py_ssize_t size, Py_ssize_t *first)
{
    Text *line = &call->line, *end = &call->low;
    Py_ssize_t start = link->start;
    line->size = end->size = 0;
    if (start < 0) {
        if (!put(end, "/ ", 2))
            return 0;
    } else if (!put(end, link->href + start, link->name_end - start) || !put(end, " ", 1) ||
               (link->name_end < size &&
                !put(end, link->href + link->name_end + 1, size - link->name_end - 1))) {
        return 0;
    }
    if (is_plain(end->at, end->size)) {
        if (!has_room(line, 2 * end->size))
            return 0;
        put_url_words(line, end->at, end->size);
    } else {
        PyObject *text = PyUnicode_FromStringAndSize(end->at, end->size);
        int fits = text != NULL && put_told(line, known.url_line, text);
        Py_XDECREF(text);
        if (!fits)
            return 0;
    }
    while (line->size && line->at[line->size - 1] == ' ')
        line->size--;
    Py_ssize_t words = 0, at = line->size;
    while (at > 0 && !(line->at[at - 1] == ' ' && ++words == known.url_words))
        at--;
    *first = at;
    return 1;
}

/* Add the numbers of words, each word once, to those of a link. */
static Py_ssize_t
put_numbers(const char *line, Py_ssize_t size, int32_t *row, const char **words, Py_ssize_t *sizes,
            Py_ssize_t count)
{
    Py_ssize_t at = 0, length, before;
    const char *word;
    while (count < known.link_words && (length = next_word(line, size, &at, &word))) {
        uint32_t crc = crc_of(word, length);
        if (says_nothing(word, length, crc))
            continue;
        for (before = 0; before < count; before++)
            if (sizes[before] == length && !memcmp(words[before], word, (size_t)length))
                break;
        if (before < count)
            continue;
        words[count] = word;
        sizes[count] = length;
        row[count++] = (int32_t)(crc % (uint32_t)known.buckets);
    }
    return count;
}

/* Whether a text in small letters has any of the hints of the topic. */
static int
is_hinted(const Call *call, const char *text, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call->hints); i++) {
        const char *hint = PyBytes_AS_STRING(PyTuple_GET_ITEM(call->hints, i));
        Py_ssize_t length = PyBytes_GET_SIZE(PyTuple_GET_ITEM(call->hints, i));
        if (!length)
            return 1;
        if (length > size)
            continue;
        const char *at = text, *end = text + size - length + 1;
        while (at < end && (at = memchr(at, hint[0], (size_t)(end - at))) != NULL) {
            if (!memcmp(at, hint, (size_t)length))
                return 1;
            at++;
        }
    }
    return 0;
}

/* How alike a text and the topic are; -1 after an error. */
static double
likeness(Call *call, PyObject *text)
{
    PyObject *told = text == NULL ? NULL : PyObject_CallOneArg(call->like, text);
    double like = told == NULL ? -1.0 : PyFloat_AsDouble(told);
    Py_XDECREF(told);
    return PyErr_Occurred() ? -1.0 : like;
}

/* Copy a part of a text in small letters; 0 if it is not ASCII. */
static int
put_low(Text *low, PyObject *text, Py_ssize_t from, Py_ssize_t to)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    from = from < 0 ? 0 : from;
    to = to > size ? size : to;
    if (to <= from)
        return 1;
    if (!has_room(low, to - from))
        return 0;
    for (Py_ssize_t i = from; i < to; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i);
        if (c >= 128)
            return 0;
        low->at[low->size++] = (char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
    }
    return 1;
}

/* Whether a text, or the words around a link in the text of a page, may be like the topic. */
static int
may_be_like(Call *call, PyObject *text)
{
    call->low.size = 0;
    if (call->hints == Py_None || !put_low(&call->low, text, 0, PyUnicode_GET_LENGTH(text)))
        return 1;
    return is_hinted(call, call->low.at, call->low.size);
}

static Py_ssize_t
space_in(PyObject *words, Py_ssize_t from, Py_ssize_t to, int last)
{
    Py_ssize_t found = -1, size = PyUnicode_GET_LENGTH(words);
    for (Py_ssize_t i = from < 0 ? 0 : from; i < to && i < size && (last || found < 0); i++)
        if (PyUnicode_READ_CHAR(words, i) == ' ')
            found = i;
    return found;
}

static int
may_be_like_around(Call *call, Py_ssize_t start, Py_ssize_t end)
{
    Py_ssize_t first = start - known.around_chars, last = end + known.around_chars;
    if (call->hints == Py_None)
        return 1;
    if (first > 0) {
        Py_ssize_t space = space_in(call->words, first, first + known.long_word, 0);
        first = space >= 0 ? space + 1 : first;
    } else {
        first = 0;
    }
    Py_ssize_t space = space_in(call->words, last - known.long_word, last, 1);
    call->low.size = 0;
    if (!put_low(&call->low, call->words, first, start) ||
        !put_low(&call->low, call->words, end, space > end ? space : last))
        return 1;
    return is_hinted(call, call->low.at, call->low.size);
}

/* How alike the words around a link and the topic are; -1 after an error. */
static double
likeness_around(Call *call, Py_ssize_t place)
{
    Py_ssize_t starts = PyList_GET_SIZE(call->starts);
    if (starts) {
        if (place >= starts || place >= PyList_GET_SIZE(call->ends)) {
            PyErr_SetString(PyExc_IndexError, "columns of links differ");
            return -1.0;
        }
        Py_ssize_t start = PyLong_AsSsize_t(PyList_GET_ITEM(call->starts, place));
        Py_ssize_t end = PyLong_AsSsize_t(PyList_GET_ITEM(call->ends, place));
        if (PyErr_Occurred())
            return -1.0;
        if (start < 0 && call->hints != Py_None && !is_hinted(call, "", 0))
            return 0.0;
        if (start >= 0 && end >= start && !may_be_like_around(call, start, end))
            return 0.0;
    } else if (place < PyList_GET_SIZE(call->arounds)) {
        PyObject *around = PyList_GET_ITEM(call->arounds, place);
        if (PyUnicode_Check(around) && !may_be_like(call, around))
            return 0.0;
    }
    PyObject *around = PyObject_CallMethod(call->outs, "around", "n", place);
    double like = likeness(call, around);
    Py_XDECREF(around);
    return like;
}

/* Work out what a link has in common with the topic; `url_words` are the last ones of its URL. */
static int
is_compared(Call *call, Py_ssize_t i, Py_ssize_t place, PyObject *anchor, const char *url_words,
            Py_ssize_t size)
{
    double in_link = 0.0, around = 0.0;
    if (call->like != Py_None) {
        int plain = 1;
        for (Py_ssize_t at = 0; at < size; at++)
            plain = plain && (unsigned char)url_words[at] < 128;
        if (call->hints == Py_None || !plain || is_hinted(call, url_words, size)) {
            PyObject *text = PyUnicode_DecodeUTF8(url_words, size, "surrogatepass");
            in_link = likeness(call, text);
            Py_XDECREF(text);
        }
        if (!PyErr_Occurred() && may_be_like(call, anchor)) {
            double like = likeness(call, anchor);
            in_link = like > in_link ? like : in_link;
        }
        if (!PyErr_Occurred())
            around = likeness_around(call, place);
    }
    CELL(call->stored, float, known.in_link, i) = (float)in_link;
    CELL(call->stored, float, known.around, i) = (float)around;
    return !PyErr_Occurred();
}

/* Take one link apart, and write its words and what it has in common with the topic. */
static int
is_taken_apart(Call *call, Py_ssize_t i)
{
    Parts *link = &call->links[i];
    Py_ssize_t size, first, place = PyLong_AsSsize_t(PyList_GET_ITEM(call->places, i)), at = 0;
    if (place < 0 || place >= call->hosts.columns || place >= PyList_GET_SIZE(call->anchors) ||
        place >= PyList_GET_SIZE(call->paths))
        return 0;
    PyObject *href = PyList_GET_ITEM(call->hrefs, i), *path = PyList_GET_ITEM(call->paths, place);
    PyObject *anchor = PyList_GET_ITEM(call->anchors, place);
    if (!PyUnicode_Check(href) || !PyUnicode_IS_ASCII(href) || !PyUnicode_Check(path) ||
        !PyUnicode_Check(anchor))
        return 0;
    link->host = CELL(call->hosts, int32_t, 0, place);
    link->href = PyUnicode_AsUTF8AndSize(href, &size);
    link->path = PyUnicode_AsUTF8AndSize(path, &link->path_size);
    if (link->path == NULL || !is_host(link->href, size, &link->host_start, &link->host_end))
        return 0;
    take_apart(link, size, known.directories);
    if (!put_shape(call, link))
        return 0;
    call->line.size = 0;
    if (call->kept && !put_words(&call->line, anchor, known.spaced))
        return 0;
    const char *words[MOST_WORDS], *word;
    Py_ssize_t sizes[MOST_WORDS], length;
    int32_t row[MOST_WORDS];
    link->anchor = call->arena.size;
    for (Py_ssize_t n = 0; n < known.anchor_words; n++) {
        length = next_word(call->line.at, call->line.size, &at, &word);
        if (!length || !put(&call->arena, " ", 1) || !put(&call->arena, word, length))
            break;
    }
    link->anchor_size = call->arena.size - link->anchor;
    if (PyErr_Occurred() || !words_of_url(call, link, size, &first))
        return 0;
    const char *anchor_line = call->arena.at + link->anchor, *url_line = call->line.at + first;
    Py_ssize_t count = put_numbers(anchor_line, link->anchor_size, row, words, sizes, 0);
    count = put_numbers(url_line, call->line.size - first, row, words, sizes, count);
    while (count < known.link_words)
        row[count++] = (int32_t)known.buckets;
    for (Py_ssize_t n = 0; n < count; n++)
        CELL(call->words_out, int32_t, n, i) = row[n];
    double place_log = place + 1 < call->logs.columns ? CELL(call->logs, double, 0, place + 1)
                                                      : exact->log((double)(place + 1));
    CELL(call->stored, float, known.place, i) = (float)place_log;
    return is_compared(call, i, place, anchor, url_line, call->line.size - first);
}

/* The groups of all links to the host of a link. */
static Host *
host_of(Call *call, Py_ssize_t i)
{
    Parts *link = &call->links[i];
    Py_ssize_t slot = (uint32_t)link->host * 2654435761u % (uint32_t)call->slots;
    for (; call->host_slots[slot] >= 0; slot = (slot + 1) % call->slots)
        if (call->met[call->host_slots[slot]].host == link->host)
            return &call->met[call->host_slots[slot]];
    call->host_slots[slot] = (int32_t)call->hosts_met;
    Host *host = &call->met[call->hosts_met++];
    const char *name = link->href + link->host_start, *page;
    Py_ssize_t size = link->host_end - link->host_start, page_size, start, end;
    page = PyUnicode_AsUTF8AndSize(call->page, &page_size);
    host->host = link->host;
    host->link = i;
    host->around = host->parent_page = 0;
    int32_t outer = 0;
    if (call->by_page && page_size && is_host(page, page_size, &start, &end) &&
        (end - start != size || memcmp(page + start, name, (size_t)size))) {
        begin_name(&call->groups, "other hosts");
        outer = group_of(&call->groups, 0);
    }
    begin_name(&call->groups, "host ");
    put(&call->groups.name, name, size);
    host->around = group_of(&call->groups, outer);
    if (call->by_page) {
        begin_name(&call->groups, "links ");
        put(&call->groups.name, page, page_size);
        host->parent_page = group_of(&call->groups, host->around);
    }
    return host;
}

static int32_t
group_of_tags(Call *call, const Parts *link, const char *host, Py_ssize_t size, int32_t around)
{
    Py_ssize_t page_size;
    const char *page = PyUnicode_AsUTF8AndSize(call->page, &page_size);
    Text *name = &call->groups.name;
    begin_name(&call->groups, "tags ");
    put(name, host, size);
    put(name, " ", 1);
    put(name, link->path, link->path_size);
    int32_t on_host = group_of(&call->groups, around);
    begin_name(&call->groups, "page ");
    put(name, page, page_size);
    put(name, " ", 1);
    put(name, link->path, link->path_size);
    return group_of(&call->groups, on_host);
}

static int32_t
group_of_directory(Call *call, const Parts *link, const char *host, Py_ssize_t size, int32_t around)
{
    Text *name = &call->groups.name;
    int32_t group = around;
    if (link->start < 0)
        return group;
    begin_name(&call->groups, "in ");
    put(name, host, size);
    for (Py_ssize_t at = link->start; at < link->directory_end;) {
        Py_ssize_t next = at + 1;
        while (next < link->directory_end && link->href[next] != '/')
            next++;
        put(name, link->href + at, next - at);
        group = group_of(&call->groups, group);
        at = next;
    }
    return group;
}

static int32_t
group_of_shape(Call *call, const Parts *link, const char *host, Py_ssize_t size)
{
    Text *name = &call->groups.name;
    const char *shape = call->arena.at + link->shape;
    begin_name(&call->groups, "shape ");
    put(name, host, size);
    put(name, " ", 1);
    put(name, shape, link->shape_size);
    uint64_t key = blake2_digest(name->at, (size_t)name->size);
    Py_ssize_t slot = (Py_ssize_t)(key % (uint64_t)call->slots);
    for (; call->shape_numbers[slot] >= 0; slot = (slot + 1) % call->slots)
        if (call->shape_keys[slot] == key)
            return call->shape_numbers[slot]; /* of the first link with that shape on the page */
    Py_ssize_t dot = link->name_end, end;
    while (dot > link->name_start && link->href[dot - 1] != '.')
        dot--;
    dot = dot > link->name_start ? dot : link->name_end;
    end = link->name_end - dot > known.ending_chars ? dot + known.ending_chars : link->name_end;
    begin_name(&call->groups, "kind ");
    put(name, link->href + dot, end - dot);
    put(name, "?", link->asks);
    int32_t kind = group_of(&call->groups, 0);
    begin_name(&call->groups, "shape ");
    put(name, host, size);
    put(name, " ", 1);
    put(name, shape, link->shape_size);
    call->shape_keys[slot] = key;
    return call->shape_numbers[slot] = group_of(&call->groups, kind);
}

/* Find or make the groups of all links, in the order in which the functions in Python do. */
static void
find_groups(Call *call)
{
    for (Py_ssize_t i = 0; !PyErr_Occurred() && i < call->number; i++) {
        const Parts *link = &call->links[i];
        const Host *host = host_of(call, i);
        const Parts *first = &call->links[host->link];
        const char *name = first->href + first->host_start;
        Py_ssize_t size = first->host_end - first->host_start;
        int32_t found[GROUPED];
        found[0] = group_of_tags(call, link, name, size, host->around);
        found[1] = group_of_directory(call, link, name, size, host->around);
        found[3] = group_of_shape(call, link, name, size);
        begin_name(&call->groups, "anchor");
        put(&call->groups.name, call->arena.at + link->anchor, link->anchor_size);
        found[2] = group_of(&call->groups, 0);
        found[4] = host->parent_page;
        for (int row = 0; row < GROUPED; row++)
            CELL(call->groups_out, int32_t, row, i) = found[row];
    }
}

/* The columns of the new groups, as bytes: keys, parents, levels, odds and doubts. */
static PyObject *
new_groups(const Groups *groups)
{
    Py_ssize_t number = groups->fresh;
    PyObject *made = PyTuple_New(5);
    static const Py_ssize_t sizes[] = {8, 4, 1, 4, 8};
    for (int i = 0; made != NULL && i < 5; i++) {
        PyObject *column = PyBytes_FromStringAndSize(NULL, number * sizes[i]);
        if (column == NULL) {
            Py_CLEAR(made);
            break;
        }
        PyTuple_SET_ITEM(made, i, column);
        char *at = PyBytes_AS_STRING(column);
        for (Py_ssize_t n = 0; n < number; n++, at += sizes[i]) {
            const Group *group = &groups->new[n];
            const void *from[] = {&group->key, &group->parent, &group->level, &group->odds,
                                  &group->doubt};
            memcpy(at, from[i], (size_t)sizes[i]);
        }
    }
    return made;
}

static int
has_tables(Call *call)
{
    Py_ssize_t links = call->number;
    for (call->slots = 16; call->slots < 2 * links + 2;)
        call->slots *= 2;
    call->links = PyMem_Calloc((size_t)links + 1, sizeof *call->links);
    call->met = PyMem_Calloc((size_t)links + 1, sizeof *call->met);
    call->host_slots = PyMem_Malloc((size_t)call->slots * sizeof *call->host_slots);
    call->shape_numbers = PyMem_Malloc((size_t)call->slots * sizeof *call->shape_numbers);
    call->shape_keys = PyMem_Malloc((size_t)call->slots * sizeof *call->shape_keys);
    if (call->links == NULL || call->met == NULL || call->host_slots == NULL ||
        call->shape_numbers == NULL || call->shape_keys == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t i = 0; i < call->slots; i++)
        call->host_slots[i] = call->shape_numbers[i] = -1;
    return 1;
}

/* Whether hints are a tuple of bytes, or none. */
static int
are_hints(PyObject *hints)
{
    if (hints == Py_None)
        return 1;
    if (!PyTuple_Check(hints) || PyTuple_GET_SIZE(hints) > MOST_HINTS)
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(hints); i++)
        if (!PyBytes_Check(PyTuple_GET_ITEM(hints, i)))
            return 0;
    return 1;
}

/* Whether all arrays of a call fit each other, and the table has room for all groups. */
static int
are_sound(const Call *call)
{
    const Groups *groups = &call->groups;
    Py_ssize_t number = call->number, held = groups->keys.columns, slots = groups->slots.columns;
    Py_ssize_t rows[] = {known.parent, known.in_link, known.around,
                         known.lean,   known.depth,   known.place};
    for (int i = 0; i < 6; i++)
        if (rows[i] < 0 || rows[i] >= call->stored.rows)
            return 0;
    Py_ssize_t left = groups->most - held - 1;
    Py_ssize_t reserve = number * (GROUPS_OF_LINK + known.directories);
    reserve = left < reserve ? left : reserve;
    return PyList_GET_SIZE(call->hrefs) == number && call->groups_out.rows == GROUPED &&
           call->groups_out.columns == number && call->words_out.rows == known.link_words &&
           call->words_out.columns == number && call->stored.columns == number &&
           groups->levels.columns == held + 1 && groups->odds.columns == held + 1 &&
           groups->doubts.columns == held + 1 && slots > 0 && !(slots & (slots - 1)) &&
           held + (reserve > 0 ? reserve : 0) < slots && held < INT32_MAX / 2;
}

static void
end_call(Call *call, Array *const *arrays, int opened_arrays)
{
    for (int i = 0; i < opened_arrays; i++)
        PyBuffer_Release(&arrays[i]->view);
    PyMem_Free(call->links);
    PyMem_Free(call->met);
    PyMem_Free(call->host_slots);
    PyMem_Free(call->shape_numbers);
    PyMem_Free(call->shape_keys);
    PyMem_Free(call->line.at);
    PyMem_Free(call->arena.at);
    PyMem_Free(call->low.at);
    PyMem_Free(call->groups.name.at);
    PyMem_Free(call->groups.new);
}

/* Take all links apart, then find their groups; what there is to return. */
static PyObject *
described_all(Call *call, double parent, double lean, double depth)
{
    if (!are_sound(call))
        Py_RETURN_NONE;
    if (PyUnicode_AsUTF8(call->page) == NULL) { /* it has surrogates */
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    if (!has_tables(call) || !has_room(&call->groups.name, 1))
        return NULL;
    for (Py_ssize_t i = 0; i < call->number; i++) {
        CELL(call->stored, float, known.parent, i) = (float)parent;
        CELL(call->stored, float, known.lean, i) = (float)lean;
        CELL(call->stored, float, known.depth, i) = (float)depth;
        if (!is_taken_apart(call, i)) {
            if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_UnicodeError)) {
                PyErr_Clear();
                Py_RETURN_NONE;
            }
            return NULL;
        }
    }
    find_groups(call);
    return PyErr_Occurred() ? NULL : new_groups(&call->groups);
}

/* described(page, by_page, kept, places, hrefs, paths, anchors, like, hints, outs, words, starts,
   ends, arounds, most groups, parent, lean, depth, hosts, groups, words, stored, logs, slots, keys,
   levels, odds, doubts): write groups, words and stored features of some links of a page.

   Returns the columns of the groups that are new; None if a link is left to Python. */
static PyObject *
described(PyObject *self, PyObject *args)
{
    Call call = {0};
    Array *arrays[] = {&call.hosts,       &call.groups_out,    &call.words_out,    &call.stored,
                       &call.logs,        &call.groups.slots,  &call.groups.keys,  &call.groups.levels,
                       &call.groups.odds, &call.groups.doubts};
    static const int sizes[] = {4, -4, -4, -4, 8, -4, 8, 1, 4, 8};
    enum { ARRAYS = sizeof sizes / sizeof *sizes };
    PyObject *sources[ARRAYS];
    double parent, lean, depth;
    if (!PyArg_ParseTuple(args, "UppO!O!O!O!OOOUO!O!O!ndddOOOOOOOOOO", &call.page, &call.by_page,
                          &call.kept, &PyList_Type, &call.places, &PyList_Type, &call.hrefs,
                          &PyList_Type, &call.paths, &PyList_Type, &call.anchors, &call.like,
                          &call.hints, &call.outs, &call.words, &PyList_Type, &call.starts,
                          &PyList_Type, &call.ends, &PyList_Type, &call.arounds, &call.groups.most,
                          &parent, &lean, &depth, &sources[0], &sources[1], &sources[2], &sources[3],
                          &sources[4], &sources[5], &sources[6], &sources[7], &sources[8],
                          &sources[9]))
        return NULL;
    if (!are_hints(call.hints))
        return PyErr_Format(PyExc_TypeError, "hints are a tuple of bytes");
    for (int i = 0; i < ARRAYS; i++) {
        int size = sizes[i] < 0 ? -sizes[i] : sizes[i];
        if (!opened(sources[i], arrays[i], size, sizes[i] < 0 ? PyBUF_WRITABLE : 0)) {
            end_call(&call, arrays, i);
            return NULL;
        }
    }
    call.number = PyList_GET_SIZE(call.places);
    PyObject *found = described_all(&call, parent, lean, depth);
    end_call(&call, arrays, ARRAYS);
    return found;
}

static PyMethodDef methods[] = {
    {"prepare", prepare, METH_VARARGS, "Take words that say nothing, functions and sizes."},
    {"described", described, METH_VARARGS, "Write groups, words and features of links."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_links", "The links of a page for `auto`.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__links(void)
{
    exact = exact_functions();
    return exact == NULL ? NULL : PyModule_Create(&module);
}
