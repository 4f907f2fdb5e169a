/* How many elements a parser has open at most: the twin of `nesting` and of the tags in `tokens`.

   Names are numbered by a dictionary of Python, so that no page can make two names look alike or
   slow down their look-up. */

#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define BIT(n) ((uint64_t)1 << (n))
enum { SURE, FOREIGN, UNSURE };
/* The bits of `element_kinds.ElementKind`, in its order. */
#define VOIDS BIT(0)
#define ONCE BIT(1)
#define RAW BIT(2)
#define FORMATTING BIT(3)
#define HEADING BIT(4)
#define CLOSES_P BIT(5)
#define CELLS BIT(6)
#define ROW_GROUP BIT(7)
#define PART BIT(8)
#define IMPLIED BIT(9)
#define DOUBTFUL BIT(10)
#define SCOPE BIT(11)
#define SPECIAL BIT(12)
#define CLEARING BIT(13)
#define MARK BIT(14)
#define BREAKS_OUT BIT(15)
#define HTML_INSIDE BIT(16)
#define DRAWING BIT(17)
#define ALWAYS_UNSURE BIT(18)
#define TABLE BIT(19)
#define BUTTON BIT(20)
#define LIST BIT(21)
#define LI BIT(22)
#define DEFINITION BIT(23)
#define OPTION BIT(24)
#define OPTGROUP BIT(25)
#define ONE_AT_A_TIME BIT(26)
#define RUBY BIT(27)
#define FRAMESET BIT(28)
#define FORM BIT(29)
#define PARAGRAPH BIT(30)
#define BREAK BIT(31)
#define FONT BIT(32)
#define ROW BIT(33)
#define STOPS_ITEM BIT(34)
#define BLOCK BIT(35)
#define MARKUP BIT(36)
#define NOT_OPENED (VOIDS | ONCE | RAW)
#define SIBLINGS                                                                              \
    (HEADING | OPTION | OPTGROUP | LI | DEFINITION | BUTTON | ONE_AT_A_TIME | TABLE | RUBY |   \
     FRAMESET)
#define NOT_PLAIN (NOT_OPENED | SIBLINGS | CLOSES_P | PART | DRAWING | ALWAYS_UNSURE)
#define KEEPS_P (SCOPE | BUTTON)
#define HIDDEN_NAME 0

typedef struct {
    uint64_t flags;
    uint32_t name;
    uint8_t state;
} Entry;

typedef struct {
    PyObject *numbers; /* numbers by name */
    uint64_t *flags;   /* of each number */
    PyObject **names;  /* of each number, held by `numbers` */
    Py_ssize_t *counts;
    Py_ssize_t known, room;
    Entry *open;
    Py_ssize_t size, most;
    Py_ssize_t doubts, drawings, markups;
    uint32_t p, table;
} Elements;

static struct {
    PyObject *names; /* flags by name */
    Py_ssize_t weight, attributes, brief;
    long long work;
} limits;

static int numbered(Elements *all, PyObject *name, uint64_t flags, uint32_t *number) {
    if (all->known == all->room) {
        Py_ssize_t room = all->room ? 2 * all->room : 256;
        void *made;
        if ((made = PyMem_Realloc(all->flags, (size_t)room * sizeof *all->flags)) == NULL)
            goto full;
        all->flags = made;
        if ((made = PyMem_Realloc(all->names, (size_t)room * sizeof *all->names)) == NULL)
            goto full;
        all->names = made;
        if ((made = PyMem_Realloc(all->counts, (size_t)room * sizeof *all->counts)) == NULL)
            goto full;
        all->counts = made;
        all->room = room;
    }
    PyObject *value = PyLong_FromSsize_t(all->known);
    if (value == NULL)
        return -1;
    int failed = PyDict_SetItem(all->numbers, name, value);
    Py_DECREF(value);
    if (failed < 0)
        return -1;
    all->flags[all->known] = flags;
    all->names[all->known] = name;
    all->counts[all->known] = 0;
    *number = (uint32_t)all->known++;
    return 0;
full:
    PyErr_NoMemory();
    return -1;
}

/* Find the number of a name, which is in small letters; one that is new gets a number if `adds`. */
static int number_of(Elements *all, PyObject *name, int adds, uint32_t *number) {
    PyObject *found = PyDict_GetItemWithError(all->numbers, name);
    if (found != NULL) {
        *number = (uint32_t)PyLong_AsUnsignedLong(found);
        return 1;
    }
    if (PyErr_Occurred())
        return -1;
    if (!adds)
        return 0;
    return numbered(all, name, 0, number) < 0 ? -1 : 1;
}

static int begun(Elements *all) {
    memset(all, 0, sizeof *all);
    if (limits.names == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "prepare first");
        return -1;
    }
    if ((all->numbers = PyDict_New()) == NULL)
        return -1;
    PyObject *name, *value, *hidden = PyBytes_FromStringAndSize("", 0);
    uint32_t number;
    Py_ssize_t place = 0;
    if (hidden == NULL)
        return -1;
    value = PyDict_GetItemWithError(limits.names, hidden);
    int failed = value == NULL ||
                 numbered(all, hidden, PyLong_AsUnsignedLongLong(value), &number) < 0;
    Py_DECREF(hidden);
    if (failed)
        return -1;
    while (PyDict_Next(limits.names, &place, &name, &value)) {
        if (PyBytes_GET_SIZE(name) == 0)
            continue;
        uint64_t flags = PyLong_AsUnsignedLongLong(value);
        if (numbered(all, name, flags, &number) < 0)
            return -1;
        if (flags & PARAGRAPH)
            all->p = number;
        if (flags & TABLE)
            all->table = number;
    }
    return PyErr_Occurred() ? -1 : 0;
}

static void ended(Elements *all) {
    Py_CLEAR(all->numbers);
    PyMem_Free(all->flags);
    PyMem_Free(all->names);
    PyMem_Free(all->counts);
    PyMem_Free(all->open);
    all->flags = NULL, all->names = NULL, all->counts = NULL, all->open = NULL;
}

static int push(Elements *all, uint32_t name, uint64_t flags, int state) {
    if (all->size == all->most) {
        Py_ssize_t most = all->most ? 2 * all->most : 64;
        Entry *made = PyMem_Realloc(all->open, (size_t)most * sizeof *made);
        if (made == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        all->open = made, all->most = most;
    }
    all->open[all->size++] = (Entry){flags, name, (uint8_t)state};
    all->counts[name]++;
    if (flags & DOUBTFUL) {
        all->doubts++;
        all->drawings += (flags & DRAWING) != 0;
        all->markups += (flags & MARKUP) != 0;
    }
    return 0;
}

static void forget(Elements *all, Entry entry) {
    all->counts[entry.name]--;
    if (entry.flags & DOUBTFUL) {
        all->doubts--;
        all->drawings -= (entry.flags & DRAWING) != 0;
        all->markups -= (entry.flags & MARKUP) != 0;
    }
}

static void removed(Elements *all, Py_ssize_t place) {
    while (all->size > place)
        forget(all, all->open[--all->size]);
}

/* Close an entry and all behind it; formatting closed without its end tag is opened again. */
static void cut(Elements *all, Py_ssize_t place, int is_ended) {
    int clears = 1;
    Py_ssize_t size = all->size, at, kept = place;
    for (at = place; at < size; at++)
        if (all->open[at].flags & MARK)
            clears = 0;
    for (at = place; at < size; at++) {
        Entry entry = all->open[at];
        if (clears && entry.state == SURE && entry.flags & CLEARING)
            break;
        if (entry.flags & FORMATTING && (at > place || !is_ended))
            all->open[kept++] = (Entry){entry.flags, entry.name, UNSURE};
        else
            forget(all, entry);
    }
    for (; at < size; at++)
        forget(all, all->open[at]);
    all->size = kept;
}

static void doubt(Elements *all, Py_ssize_t place) {
    for (; place < all->size; place++)
        all->open[place].state = UNSURE;
}

static Py_ssize_t last(Elements *all, uint32_t name) {
    Py_ssize_t place = all->counts[name] ? all->size - 1 : -1;
    while (place >= 0 && all->open[place].name != name)
        place--;
    return place;
}

static Py_ssize_t last_of(Elements *all, uint64_t kinds) {
    Py_ssize_t place = all->size - 1;
    while (place >= 0 && !(all->open[place].flags & kinds))
        place--;
    return place;
}

static int has_behind(Elements *all, Py_ssize_t place, uint64_t kinds) {
    for (place++; place < all->size; place++)
        if (all->open[place].flags & kinds)
            return 1;
    return 0;
}

static int closed(Elements *all, Py_ssize_t place, uint64_t keeps) {
    if (all->open[place].state == SURE && !has_behind(all, place, keeps)) {
        cut(all, place, 1);
        return 1;
    }
    doubt(all, place);
    return 0;
}

static void close_unless_kept(Elements *all, Py_ssize_t place, uint64_t keeps) {
    for (Py_ssize_t at = place + 1; at < all->size; at++)
        if (all->open[at].state == SURE && all->open[at].flags & keeps)
            return;
    closed(all, place, keeps);
}

static Py_ssize_t first_foreign(Elements *all) {
    Py_ssize_t place = all->size;
    while (place > 0 && all->open[place - 1].state == FOREIGN)
        place--;
    return place;
}

static uint64_t keeps_from(uint64_t flags) {
    if (flags & TABLE)
        return DOUBTFUL;
    if (flags & PART)
        return DOUBTFUL | TABLE;
    if (flags & PARAGRAPH)
        return KEEPS_P;
    if (flags & LI)
        return SCOPE | LIST;
    if (flags & HEADING)
        return SCOPE | HEADING;
    return flags & (BLOCK | BUTTON | DEFINITION | MARK) ? SCOPE : SPECIAL;
}

static int is_foreign(Elements *all) {
    return all->size && all->open[all->size - 1].state == FOREIGN;
}

/* Read an end tag; return whether an HTML element is certainly closed by it. */
static int end_tag(Elements *all, uint32_t name) {
    uint64_t flags = all->flags[name];
    if (is_foreign(all)) {
        if (flags & (PARAGRAPH | BREAK))
            removed(all, first_foreign(all));
        else
            for (Py_ssize_t at = all->size - 1; at >= 0 && all->open[at].state == FOREIGN; at--)
                if (all->open[at].name == name) {
                    removed(all, at);
                    return 0;
                }
    }
    if (!all->counts[name])
        return 0;
    if (all->open[all->size - 1].name == name) {
        int is_sure = all->open[all->size - 1].state == SURE;
        removed(all, all->size - 1);
        return is_sure;
    }
    Py_ssize_t place = last(all, name);
    if (flags & FORM) {
        doubt(all, place);
        return 0;
    }
    return closed(all, place, keeps_from(flags));
}

static void close_last(Elements *all, Py_ssize_t place) {
    if (place >= 0 && place == all->size - 1)
        removed(all, place);
    else if (place >= 0)
        doubt(all, place);
}

static void close_like(Elements *all, uint32_t name, uint64_t flags) {
    Py_ssize_t place = flags & DEFINITION ? last_of(all, DEFINITION) : last(all, name);
    if (place < 0)
        return;
    if (flags & ONE_AT_A_TIME)
        closed(all, place, SPECIAL);
    else if (flags & BUTTON)
        close_unless_kept(all, place, SCOPE);
    else if (flags & TABLE)
        close_unless_kept(all, place, CLEARING | DOUBTFUL);
    else
        close_unless_kept(all, place, STOPS_ITEM);
}

static void close_siblings(Elements *all, uint32_t name, uint64_t flags) {
    if (flags & HEADING)
        close_last(all, last_of(all, HEADING));
    else if (flags & (OPTION | OPTGROUP)) {
        close_last(all, last_of(all, OPTION));
        if (flags & OPTGROUP && all->counts[name])
            doubt(all, last(all, name));
    } else if (flags & RUBY) {
        Py_ssize_t place = all->size;
        while (place > 0 && all->open[place - 1].flags & IMPLIED)
            place--;
        doubt(all, place);
    } else if (flags & FRAMESET)
        doubt(all, 0);
    else
        close_like(all, name, flags);
}

static int start_part(Elements *all, uint32_t name, uint64_t flags) {
    Py_ssize_t table = last(all, all->table);
    if (table < 0 && !all->doubts)
        return 0;
    if (table < 0 || all->open[table].state != SURE || has_behind(all, table, DOUBTFUL)) {
        doubt(all, table < 0 ? 0 : table);
        return flags & VOIDS ? 0 : push(all, name, flags, UNSURE);
    }
    uint64_t around = flags & CELLS ? ROW : flags & ROW ? ROW_GROUP : 0;
    Py_ssize_t place = last_of(all, around);
    place = (place > table ? place : table) + 1;
    if (place < all->size)
        cut(all, place, 0);
    if (flags & VOIDS)
        return 0;
    return push(all, name, flags, flags & ALWAYS_UNSURE ? UNSURE : SURE);
}

static int start_foreign(Elements *all, uint32_t name, uint64_t flags, int closes_itself) {
    if (flags & FONT) {
        doubt(all, first_foreign(all));
        return push(all, name, flags, UNSURE);
    }
    if (flags & RAW || closes_itself)
        return 0;
    return push(all, name, flags, flags & HTML_INSIDE ? UNSURE : FOREIGN);
}

/* Close what a start tag closes; return 1 if an element is to be opened, -1 after an error. */
static int prepared(Elements *all, uint32_t name, uint64_t flags, int closes_itself) {
    int is_item = (flags & (LI | DEFINITION)) != 0;
    if (is_item)
        close_like(all, name, flags);
    if (flags & CLOSES_P && all->counts[all->p]) {
        Py_ssize_t place = last(all, all->p);
        if (flags & TABLE)
            doubt(all, place);
        else
            closed(all, place, KEEPS_P);
    }
    if (flags & PART)
        return start_part(all, name, flags) < 0 ? -1 : 0;
    if (flags & NOT_OPENED)
        return all->drawings && !(flags & (BREAKS_OUT | RAW));
    if (flags & SIBLINGS && !is_item)
        close_siblings(all, name, flags);
    return !(flags & DRAWING && closes_itself);
}

static int start_tag(Elements *all, uint32_t name, int closes_itself) {
    uint64_t flags = all->flags[name];
    if (is_foreign(all)) {
        if (!(flags & BREAKS_OUT))
            return start_foreign(all, name, flags, closes_itself);
        removed(all, first_foreign(all));
    }
    if (flags & NOT_PLAIN) {
        int opens = prepared(all, name, flags, closes_itself);
        if (opens <= 0)
            return opens;
    }
    int state = all->doubts || flags & ALWAYS_UNSURE ? UNSURE : flags & DRAWING ? FOREIGN : SURE;
    return push(all, name, flags, state);
}

/* ---- Tags, as in `tokens` ---- */

static int is_space(unsigned char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static int is_letter(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static unsigned char small(unsigned char c) {
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

typedef struct {
    const unsigned char *body;
    Py_ssize_t size;
} Text;

static Py_ssize_t after_name(Text text, Py_ssize_t at) {
    while (at < text.size && !is_space(text.body[at]) && text.body[at] != '/' &&
           text.body[at] != '>')
        at++;
    return at;
}

static Py_ssize_t found(Text text, Py_ssize_t at, const char *what) {
    size_t length = strlen(what);
    if (at >= text.size)
        return -1;
    const unsigned char *place =
        memmem(text.body + at, (size_t)(text.size - at), what, length);
    return place == NULL ? -1 : place - text.body;
}

/* Read the value of an attribute, if one begins here. */
static Py_ssize_t after_value(Text text, Py_ssize_t at) {
    if (at >= text.size)
        return at;
    unsigned char first = text.body[at];
    if (first == '"' || first == '\'') {
        const unsigned char *end =
            memchr(text.body + at + 1, first, (size_t)(text.size - at - 1));
        return end == NULL ? at : end - text.body + 1;
    }
    while (at < text.size && !is_space(text.body[at]) && text.body[at] != '>')
        at++;
    return at;
}

/* Read attributes: where they end, how many there are, and whether a slash stands behind them. */
static Py_ssize_t after_attributes(Text text, Py_ssize_t at, Py_ssize_t *count, int *slash) {
    *count = 0, *slash = 0;
    while (at < text.size) {
        unsigned char c = text.body[at];
        if (is_space(c) || c == '/') {
            *slash = c == '/';
            at++;
            continue;
        }
        if (c == '>')
            break;
        *slash = 0;
        ++*count;
        at++;
        while (at < text.size && !is_space(text.body[at]) && text.body[at] != '/' &&
               text.body[at] != '>' && text.body[at] != '=')
            at++;
        Py_ssize_t value = at;
        while (value < text.size && is_space(text.body[value]))
            value++;
        if (value < text.size && text.body[value] == '=') {
            value++;
            while (value < text.size && is_space(text.body[value]))
                value++;
            at = after_value(text, value);
        }
    }
    return at;
}

static Py_ssize_t after_comment(Text text, Py_ssize_t at) {
    const unsigned char *body = text.body;
    if (at < text.size && body[at] == '>')
        return at + 1;
    if (at + 1 < text.size && body[at] == '-' && body[at + 1] == '>')
        return at + 2;
    while ((at = found(text, at, "--")) >= 0) {
        Py_ssize_t end = at + 2;
        if (end < text.size && body[end] == '!')
            end++;
        if (end < text.size && body[end] == '>')
            return end + 1;
        at++;
    }
    return text.size;
}

static int same_name(Text text, Py_ssize_t at, const char *name, Py_ssize_t length) {
    if (at + length >= text.size)
        return 0;
    for (Py_ssize_t number = 0; number < length; number++)
        if (small(text.body[at + number]) != (unsigned char)name[number])
            return 0;
    unsigned char next = text.body[at + length];
    return is_space(next) || next == '/' || next == '>';
}

/* Find the end tag of a name from somewhere on. */
static Py_ssize_t end_tag_from(Text text, Py_ssize_t at, const char *name, Py_ssize_t length) {
    while (at < text.size) {
        const unsigned char *place = memchr(text.body + at, '<', (size_t)(text.size - at));
        if (place == NULL)
            return -1;
        at = place - text.body;
        if (at + 1 < text.size && text.body[at + 1] == '/' &&
            same_name(text, at + 2, name, length))
            return at;
        at++;
    }
    return -1;
}

/* Find where a script ends: not in a script inside of a comment in it. */
static Py_ssize_t script_end(Text text, Py_ssize_t at) {
    int in_comment = 0, in_script = 0;
    for (; at < text.size; at++) {
        unsigned char c = text.body[at];
        if (c == '-' && at + 2 < text.size && memcmp(text.body + at, "-->", 3) == 0) {
            in_comment = in_script = 0;
            at += 2;
        } else if (c != '<')
            continue;
        else if (at + 3 < text.size && memcmp(text.body + at, "<!--", 4) == 0) {
            at += in_comment ? 3 : 1; /* its dashes may end it */
            in_comment = 1;
        } else if (same_name(text, at + 1, "script", 6)) {
            in_script = in_comment;
            at += 6;
        } else if (at + 1 < text.size && text.body[at + 1] == '/' &&
                   same_name(text, at + 2, "script", 6)) {
            if (!in_script)
                return at;
            in_script = 0;
            at += 7;
        }
    }
    return text.size;
}

static Py_ssize_t raw_end(Text text, PyObject *name, Py_ssize_t start) {
    const char *letters = PyBytes_AS_STRING(name);
    Py_ssize_t length = PyBytes_GET_SIZE(name);
    if (length == 6 && memcmp(letters, "script", 6) == 0)
        return script_end(text, start);
    Py_ssize_t end = end_tag_from(text, start, letters, length);
    return end < 0 ? text.size : end;
}

static Py_ssize_t less_than_signs(Text text, Py_ssize_t at, Py_ssize_t end) {
    Py_ssize_t number = 0;
    while (at < end) {
        const unsigned char *place = memchr(text.body + at, '<', (size_t)(end - at));
        if (place == NULL)
            break;
        number++;
        at = place - text.body + 1;
    }
    return number;
}

typedef struct {
    Elements elements;
    Py_ssize_t weight, most_open, most_attributes, uncounted;
    long long work;
} Count;

static int hide(Elements *all, Py_ssize_t number) {
    for (; number > 0; number--)
        if (push(all, HIDDEN_NAME, all->flags[HIDDEN_NAME], UNSURE) < 0)
            return -1;
    return 0;
}

/* Count elements that may be hidden in a part of the page. */
static int count_hidden(Count *count, Text text, Py_ssize_t at, Py_ssize_t end) {
    Py_ssize_t hidden = less_than_signs(text, at, end);
    if (hide(&count->elements, hidden < limits.weight ? hidden : limits.weight) < 0)
        return -1;
    count->weight += hidden;
    count->work += (long long)hidden * count->elements.size;
    return 0;
}

static PyObject *small_name(Text text, Py_ssize_t start, Py_ssize_t end) {
    PyObject *name = PyBytes_FromStringAndSize(NULL, end - start);
    if (name != NULL)
        for (Py_ssize_t at = start; at < end; at++)
            PyBytes_AS_STRING(name)[at - start] = (char)small(text.body[at]);
    return name;
}

/* Return how many attributes a tag may have; few bytes are not counted. */
static Py_ssize_t attributes_in(Count *count, Py_ssize_t size, Py_ssize_t counted) {
    return size <= count->uncounted ? size / 2 : counted;
}

/* Read a start tag whose name begins somewhere; return where to go on, -1 after an error. */
static Py_ssize_t count_start(Count *count, Text text, Py_ssize_t start) {
    Py_ssize_t name_end = after_name(text, start), attributes;
    int slash;
    Py_ssize_t end = after_attributes(text, name_end, &attributes, &slash);
    Py_ssize_t position = end + (end < text.size);
    PyObject *name = small_name(text, start, name_end);
    uint32_t number;
    if (name == NULL)
        return -1;
    attributes = attributes_in(count, end - name_end, attributes);
    count->weight += 1 + attributes;
    if (attributes > count->most_attributes)
        count->most_attributes = attributes;
    if (number_of(&count->elements, name, 1, &number) < 0 ||
        start_tag(&count->elements, number, slash) < 0) {
        position = -1;
        goto done;
    }
    count->work += count->elements.size;
    if (count->elements.flags[number] & RAW) {
        Py_ssize_t after = raw_end(text, name, position);
        if (count->elements.markups && count_hidden(count, text, position, after) < 0)
            after = -1;
        position = after;
    }
done:
    Py_DECREF(name);
    return position;
}

static Py_ssize_t count_end(Count *count, Text text, Py_ssize_t start) {
    Py_ssize_t name_end = after_name(text, start), attributes;
    int slash;
    Py_ssize_t end = after_attributes(text, name_end, &attributes, &slash);
    PyObject *name = small_name(text, start, name_end);
    uint32_t number;
    if (name == NULL)
        return -1;
    count->weight += 1 + attributes_in(count, end - name_end, attributes);
    int known = number_of(&count->elements, name, 0, &number);
    Py_DECREF(name);
    if (known < 0)
        return -1;
    if (known)
        end_tag(&count->elements, number);
    return end + (end < text.size);
}

static Py_ssize_t count_data(Count *count, Text text, Py_ssize_t at) {
    Py_ssize_t end = found(text, at, count->elements.markups ? "]]>" : ">");
    if (end < 0)
        end = text.size;
    if (count->elements.markups && count_hidden(count, text, at, end) < 0)
        return -1;
    return end;
}

/* Read what begins with a less-than sign; return where to go on, -1 after an error. */
static Py_ssize_t count_token(Count *count, Text text, Py_ssize_t at) {
    const unsigned char *body = text.body;
    unsigned char first = at + 1 < text.size ? body[at + 1] : 0;
    if (is_letter(first))
        return count_start(count, text, at + 1);
    if (first == '/' && at + 2 < text.size && is_letter(body[at + 2]))
        return count_end(count, text, at + 2);
    if (first == '!' && at + 3 < text.size && body[at + 2] == '-' && body[at + 3] == '-')
        return after_comment(text, at + 4);
    if (first == '!' && at + 8 < text.size && memcmp(body + at + 2, "[CDATA[", 7) == 0)
        return count_data(count, text, at + 9);
    if (first != '!' && first != '?' && first != '/')
        return at + 1;
    Py_ssize_t end = found(text, at, ">");
    return end < 0 ? text.size : end + 1;
}

PyDoc_STRVAR(nesting_doc, "nesting(body): weight, work, most open elements, most attributes.");
static PyObject *nesting(PyObject *Py_UNUSED(module), PyObject *argument) {
    if (!PyBytes_Check(argument)) {
        PyErr_SetString(PyExc_TypeError, "bytes are expected");
        return NULL;
    }
    Text text = {(const unsigned char *)PyBytes_AS_STRING(argument), PyBytes_GET_SIZE(argument)};
    Count count = {.work = 0};
    count.uncounted = text.size > 2 * limits.weight ? limits.brief : 2 * limits.attributes;
    PyObject *result = NULL;
    if (begun(&count.elements) < 0)
        goto done;
    Py_ssize_t at = 0;
    while (count.weight <= limits.weight && count.work <= limits.work &&
           count.most_attributes <= limits.attributes && at < text.size) {
        const unsigned char *place = memchr(text.body + at, '<', (size_t)(text.size - at));
        if (place == NULL)
            break;
        if ((at = count_token(&count, text, place - text.body)) < 0)
            goto done;
        if (count.elements.size > count.most_open)
            count.most_open = count.elements.size;
    }
    result = Py_BuildValue("(nLnn)", count.weight, count.work, count.most_open,
                           count.most_attributes);
done:
    ended(&count.elements);
    return result;
}

PyDoc_STRVAR(prepare_doc, "prepare(flags, weight, work, attributes, brief): kinds and limits.");
static PyObject *prepare(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *names;
    Py_ssize_t weight, attributes, brief;
    long long work;
    if (!PyArg_ParseTuple(arguments, "O!nLnn", &PyDict_Type, &names, &weight, &work, &attributes,
                          &brief))
        return NULL;
    Py_XSETREF(limits.names, PyDict_Copy(names));
    limits.weight = weight, limits.work = work;
    limits.attributes = attributes, limits.brief = brief;
    return limits.names == NULL ? NULL : Py_NewRef(Py_None);
}

/* ---- The elements as an object of Python, for those who rewrite a page ---- */

typedef struct {
    PyObject_HEAD
    Elements all;
} Object;

static PyObject *object_new(PyTypeObject *type, PyObject *arguments, PyObject *named) {
    if (PyTuple_GET_SIZE(arguments) || (named != NULL && PyDict_GET_SIZE(named))) {
        PyErr_SetString(PyExc_TypeError, "no arguments are expected");
        return NULL;
    }
    Object *self = (Object *)type->tp_alloc(type, 0);
    if (self != NULL && begun(&self->all) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void object_dealloc(PyObject *self) {
    ended(&((Object *)self)->all);
    Py_TYPE(self)->tp_free(self);
}

static Py_ssize_t object_length(PyObject *self) {
    return ((Object *)self)->all.size;
}

static PyObject *object_start(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    Elements *all = &((Object *)self)->all;
    uint32_t number;
    if (count != 2 || !PyBytes_Check(given[0]) || !PyBytes_Check(given[1])) {
        PyErr_SetString(PyExc_TypeError, "a name and attributes are expected");
        return NULL;
    }
    Text text = {(const unsigned char *)PyBytes_AS_STRING(given[1]), PyBytes_GET_SIZE(given[1])};
    int slash = 0;
    if (text.size && text.body[text.size - 1] == '/') {
        Py_ssize_t attributes;
        after_attributes(text, 0, &attributes, &slash);
    }
    if (number_of(all, given[0], 1, &number) < 0 || start_tag(all, number, slash) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *object_end(PyObject *self, PyObject *name) {
    Elements *all = &((Object *)self)->all;
    uint32_t number;
    if (!PyBytes_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "a name is expected");
        return NULL;
    }
    int known = number_of(all, name, 0, &number);
    if (known < 0)
        return NULL;
    return PyBool_FromLong(known && end_tag(all, number));
}

static PyObject *object_doubts(PyObject *self, void *Py_UNUSED(closure)) {
    return PyLong_FromSsize_t(((Object *)self)->all.doubts);
}

static PyObject *object_markups(PyObject *self, void *Py_UNUSED(closure)) {
    return PyLong_FromSsize_t(((Object *)self)->all.markups);
}

static PyObject *object_is_sure(PyObject *self, void *Py_UNUSED(closure)) {
    Elements *all = &((Object *)self)->all;
    return PyBool_FromLong(all->size && all->open[all->size - 1].state == SURE);
}

static PyObject *object_last_name(PyObject *self, void *Py_UNUSED(closure)) {
    Elements *all = &((Object *)self)->all;
    return Py_NewRef(all->names[all->size ? all->open[all->size - 1].name : HIDDEN_NAME]);
}

static PyMethodDef object_methods[] = {
    {"start", (PyCFunction)(void (*)(void))object_start, METH_FASTCALL, "Read a start tag."},
    {"end", object_end, METH_O, "Read an end tag."},
    {NULL},
};
static PyGetSetDef object_fields[] = {
    {"doubts", object_doubts, NULL, "How many elements are open that are not followed.", NULL},
    {"markups", object_markups, NULL, "How many of them read raw text as markup.", NULL},
    {"is_sure", object_is_sure, NULL, "Whether the last element is certainly open.", NULL},
    {"last_name", object_last_name, NULL, "The name of the last element.", NULL},
    {NULL},
};
static PySequenceMethods object_sequence = {.sq_length = object_length};
static PyTypeObject object_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "foragers.parsing.html._nesting.OpenElements",
    .tp_doc = PyDoc_STR("The elements that a parser may have open."),
    .tp_basicsize = sizeof(Object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = object_new,
    .tp_dealloc = object_dealloc,
    .tp_methods = object_methods,
    .tp_getset = object_fields,
    .tp_as_sequence = &object_sequence,
};

static PyMethodDef functions[] = {
    {"nesting", nesting, METH_O, nesting_doc},
    {"prepare", prepare, METH_VARARGS, prepare_doc},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_nesting",
    .m_doc = PyDoc_STR("How many elements a parser has open at most."),
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__nesting(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && PyModule_AddType(module, &object_type) < 0)
        Py_CLEAR(module);
    return module;
}
