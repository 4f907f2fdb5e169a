/* One walk over the tree of a parsed page: its text, its links and the elements that are read.

   `walk` changes nothing in the tree and gives the same results as the modules `collect`, `text`
   and `links` beside it.  What is rare it leaves to them: then it returns None.  It does not
   recurse, and every list that it makes is bounded by the size of the page. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "_lexbor.h"

/* Bounds: a page beyond one of them is left to the modules in Python. */
#define MOST_LINKS 10000
#define MOST_TEXT (2 << 20)
#define MOST_COMPARED 900000
#define MOST_STYLED 1000
#define MOST_HEADING 20000
#define ANCHOR_CHARS 400
#define PATH_CHARS 240
#define TAG_CHARS 64
#define CLASS_CHARS 32
#define MOST_INSIDE 64
#define MOST_AROUND 32
#define TAGS 1024
#define STEPS 128

enum { NONE, A, AREA, FRAME, IFRAME, HEAD, TITLE, HEADING, SCRIPT, SILENT, ASIDE, HEADER, MAIN,
       TIME, WITH_ROLE, IMG, KINDS };

static Byte kind_of_tag[TAGS];

typedef struct {
    Byte *at;
    size_t size, room;
} Buffer;

typedef struct {
    Node *node;
    Span href, rel;
    size_t start, end;            /* in characters of the text */
    size_t start_byte, end_byte;  /* and in bytes */
    int kind, has_text;
} Link;

typedef struct {
    Node *node;
    int kind;
    size_t index, words, weight;
} Open;

/* How an element is named in paths: its tag, its first class, and the characters of both. */
typedef struct {
    Node *node;
    Span tag, class;
    size_t chars;
} Step;

typedef struct {
    PyObject_HEAD
    PyObject *tree;
    Node *root, *body;
    Buffer text, scratch;
    size_t chars;
    Link *links;
    size_t link_count, link_room;
    Open *open;
    size_t open_count, open_room;
    Node **styled;
    size_t styled_count, styled_room;
    size_t words, weight, compared, heading_chars;
    int with_roles, has_title;
    PyObject *regions, *head, *headings, *titles, *times, *scripts, *styles;
    Step steps[STEPS];  /* those of the elements around the last links */
} Walk;

/* ---- memory and characters ---- */

static int append(Buffer *buffer, const Byte *data, size_t size) {
    if (grow((void **)&buffer->at, &buffer->room, buffer->size + size + 1, 1) < 0)
        return -1;
    if (size)
        memcpy(buffer->at + buffer->size, data, size);
    buffer->size += size;
    return 0;
}

/* Return the number of bytes of the white space at a position, as str.split knows it, or 0. */
static inline size_t space_at(const Byte *at, const Byte *end) {
    Byte first = *at;
    if (first < 0x80)
        return first == ' ' || (first >= 9 && first <= 13) || (first >= 0x1c && first <= 0x1f);
    if (first == 0xc2)
        return end - at > 1 && (at[1] == 0x85 || at[1] == 0xa0) ? 2 : 0;
    if (end - at < 3)
        return 0;
    if (first == 0xe1)
        return at[1] == 0x9a && at[2] == 0x80 ? 3 : 0;
    if (first == 0xe2) {
        if (at[1] == 0x80)
            return (at[2] >= 0x80 && at[2] <= 0x8a) || at[2] == 0xa8 || at[2] == 0xa9
                           || at[2] == 0xaf
                       ? 3
                       : 0;
        return at[1] == 0x81 && at[2] == 0x9f ? 3 : 0;
    }
    if (first == 0xe3)
        return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
    return 0;
}

static inline int begins_character(Byte byte) {
    return (byte & 0xc0) != 0x80;
}

static int is_blank(Span text) {
    const Byte *at = text.at, *end = at + text.size;
    while (at < end) {
        size_t space = space_at(at, end);
        if (!space)
            return 0;
        at += space;
    }
    return 1;
}

/* ---- reading nodes ---- */

static inline int kind_of(Node *node) {
    uintptr_t tag = lexbor.tag_id(node);
    return tag < TAGS ? kind_of_tag[tag] : NONE;
}

static int find_attribute(Node *node, const char *wanted, Span *value) {
    int found = 0;
    size_t size = strlen(wanted);
    Attribute *attribute = lexbor.first_attribute(node);
    for (; attribute != NULL; attribute = lexbor.next_attribute(attribute)) {
        Span one;
        if (is_named(read_attribute(attribute, &one), wanted, size)) {
            *value = one;
            found = 1;
        }
    }
    return found;
}

/* Return the node after another in the order of the page, within a root. */
static Node *following(Node *node, Node *root) {
    Node *child = lexbor.first_child(node);
    if (child != NULL)
        return child;
    while (node != NULL && node != root) {
        Node *next = lexbor.next(node);
        if (next != NULL)
            return next;
        node = lexbor.parent(node);
    }
    return NULL;
}

/* Put all text inside of an element into the scratch buffer. */
static int gather_text(Walk *self, Node *root) {
    self->scratch.size = 0;
    Node *node = lexbor.first_child(root) == NULL ? NULL : following(root, root);
    for (; node != NULL; node = following(node, root)) {
        if (lexbor.type(node) == TEXT) {
            Span text = text_of(node);
            if (append(&self->scratch, text.at, text.size) < 0)
                return -1;
        }
    }
    return 0;
}

static PyObject *whole_text(Walk *self, Node *root) {
    if (gather_text(self, root) < 0)
        return NULL;
    Span text = {self->scratch.at, self->scratch.size};
    return text.size ? decoded(text) : PyUnicode_New(0, 0);
}

/* ---- the walk ---- */

enum { FAILED = -1, GOES_ON = 0, SKIP = 1, LEFT_TO_PYTHON = 2 };

/* Where the next word will begin. */
static inline size_t position(const Walk *self) {
    return self->chars ? self->chars + 1 : 0;
}

static inline size_t byte_position(const Walk *self) {
    return self->text.size ? self->text.size + 1 : 0;
}

/* Add the words of a text, with single spaces between them. */
static int add_words(Walk *self, Span text) {
    if (grow((void **)&self->text.at, &self->text.room, self->text.size + text.size + 2, 1) < 0)
        return FAILED;
    const Byte *at = text.at, *end = at + text.size;
    Byte *out = self->text.at + self->text.size;
    size_t chars = self->chars;
    while (at < end) {
        size_t space = space_at(at, end);
        if (space) {
            at += space;
            continue;
        }
        if (chars) {
            *out++ = ' ';
            chars++;
        }
        self->words++;
        while (at < end && !space_at(at, end)) {
            if (*at == 1)  /* one of the marks of the module `text` */
                return LEFT_TO_PYTHON;
            chars += begins_character(*at);
            *out++ = *at++;
        }
    }
    self->chars = chars;
    self->text.size = (size_t)(out - self->text.at);
    return self->text.size > MOST_TEXT ? LEFT_TO_PYTHON : GOES_ON;
}

static int push(Walk *self, Node *node, int kind, size_t index) {
    if (grow((void **)&self->open, &self->open_room, self->open_count + 1, sizeof(Open)) < 0)
        return FAILED;
    Open *open = &self->open[self->open_count++];
    open->node = node;
    open->kind = kind;
    open->index = index;
    open->words = self->words;
    open->weight = self->weight;
    return GOES_ON;
}

static int add_region(Walk *self, char mark) {
    self->weight += 2;
    return add_to(self->regions, Py_BuildValue("(nC)", (Py_ssize_t)position(self), mark));
}

static int open_region(Walk *self, Node *node, int kind) {
    if (add_region(self, kind == ASIDE ? 's' : kind == HEADER ? 'h' : 'm') < 0)
        return FAILED;
    return push(self, node, kind, 0);
}

static int role_of(Span role) {
    static const struct {
        const char *name;
        int kind;
    } roles[] = {{"navigation", ASIDE}, {"complementary", ASIDE}, {"contentinfo", ASIDE},
                 {"search", ASIDE},     {"banner", HEADER},       {"main", MAIN}};
    const Byte *at = role.at, *end = at + role.size;
    size_t space;
    char name[16];
    size_t size = 0;
    while (at < end && (space = space_at(at, end)))
        at += space;
    while (at < end && !space_at(at, end) && size < sizeof(name))
        name[size++] = *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : (char)*at, at++;
    Span rest = {at, (size_t)(end - at)};
    if (!is_blank(rest))
        return NONE;
    for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
        if (size == strlen(roles[i].name) && memcmp(name, roles[i].name, size) == 0)
            return roles[i].kind;
    return NONE;
}

static int add_link(Walk *self, Node *node, int kind) {
    Span href = {NULL, 0}, rel = {NULL, 0}, value;
    int found = 0, by_href = kind == A || kind == AREA;
    Attribute *attribute = lexbor.first_attribute(node);
    for (; attribute != NULL; attribute = lexbor.next_attribute(attribute)) {
        Span name = read_attribute(attribute, &value);
        if (by_href ? IS(name, "href") : IS(name, "src")) {
            href = value;
            found = by_href || value.at != NULL;
        } else if (IS(name, "rel"))
            rel = value;
    }
    if (kind == AREA && href.at == NULL)
        found = 0;
    if (!found)
        return GOES_ON;
    if (self->link_count >= MOST_LINKS)
        return LEFT_TO_PYTHON;
    if (grow((void **)&self->links, &self->link_room, self->link_count + 1, sizeof(Link)) < 0)
        return FAILED;
    Link *link = &self->links[self->link_count];
    link->node = node;
    link->href = href;
    link->rel = rel;
    link->kind = kind;
    link->has_text = 0;
    link->start = link->end = position(self);
    link->start_byte = link->end_byte = byte_position(self);
    return push(self, node, A, self->link_count++);
}

static int has_element(Node *node) {
    for (Node *child = lexbor.first_child(node); child != NULL; child = lexbor.next(child))
        if (lexbor.type(child) != TEXT)
            return 1;
    return 0;
}

/* An element whose text is not shown; JSON-LD is read. */
static int read_silent(Walk *self, Node *node, int kind) {
    Span type = {NULL, 0};
    if (has_element(node))
        return LEFT_TO_PYTHON;
    if (kind == SCRIPT && find_attribute(node, "type", &type) && type.size) {
        PyObject *name = decoded(type);
        if (name == NULL)
            return FAILED;
        PyObject *pair = Py_BuildValue("(NN)", name, whole_text(self, node));
        if (add_to(self->scripts, pair) < 0)
            return FAILED;
    }
    return SKIP;
}

static int read_heading(Walk *self, Node *node) {
    if (self->heading_chars >= MOST_HEADING)
        return GOES_ON;
    PyObject *text = whole_text(self, node);
    if (text == NULL)
        return FAILED;
    self->heading_chars += (size_t)PyUnicode_GET_LENGTH(text) + 1;
    return add_to(self->headings, text);
}

static int read_title(Walk *self, Node *node) {
    if (self->has_title)
        return GOES_ON;
    PyObject *text = whole_text(self, node);
    if (text == NULL)
        return FAILED;
    Span read = {self->scratch.at, self->scratch.size};
    self->has_title = !is_blank(read);
    return add_to(self->titles, text);
}

static int read_head(Walk *self, Node *node) {
    Span tag = {NULL, 0};
    tag.at = lexbor.tag_name(node, &tag.size);
    if (tag.at == NULL)
        return GOES_ON;
    PyObject *name = decoded(tag), *attributes = attributes_of(node);
    if (name == NULL || attributes == NULL) {
        Py_XDECREF(name);
        Py_XDECREF(attributes);
        return FAILED;
    }
    return add_to(self->head, Py_BuildValue("(NN)", name, attributes));
}

/* A style, or the attribute `hidden`, may hide an element. */
static int note_style(Walk *self, Node *node) {
    int styled = 0, hidden = 0;
    Span value, style = {NULL, 0};
    Attribute *attribute = lexbor.first_attribute(node);
    for (; attribute != NULL; attribute = lexbor.next_attribute(attribute)) {
        Span name = read_attribute(attribute, &value);
        if (IS(name, "style")) {
            styled = 1;
            style = value;
        } else if (IS(name, "hidden"))
            hidden = 1;
    }
    if (!styled && !hidden)
        return GOES_ON;
    if (self->styled_count >= MOST_STYLED)
        return LEFT_TO_PYTHON;
    size_t needed = self->styled_count + 1;
    if (grow((void **)&self->styled, &self->styled_room, needed, sizeof(Node *)) < 0)
        return FAILED;
    self->styled[self->styled_count++] = node;
    if (hidden || style.at == NULL)
        return add_to(self->styles, Py_NewRef(hidden ? Py_None : Py_False));
    return add_to(self->styles, decoded(style));
}

static int enter_iframe(Walk *self, Node *node) {
    if (has_element(node))
        return LEFT_TO_PYTHON;
    int done = add_link(self, node, IFRAME);
    if (done != GOES_ON)
        return done;
    /* Its text is not shown, but a link around it is not empty. */
    for (Node *child = lexbor.first_child(node); child != NULL; child = lexbor.next(child)) {
        Span text = text_of(child);
        if (memchr(text.at ? (const char *)text.at : "", 1, text.size))
            return LEFT_TO_PYTHON;
        self->weight += text.size;
        self->words += !is_blank(text);
    }
    return SKIP;
}

/* Read an element when the walk comes to it. */
static int enter(Walk *self, Node *node, int in_body) {
    int kind = kind_of(node), done = note_style(self, node);
    if (done != GOES_ON)
        return done;
    switch (kind) {
    case A: case AREA:
        return in_body ? add_link(self, node, kind) : LEFT_TO_PYTHON;
    case FRAME:
        return LEFT_TO_PYTHON;
    case IFRAME:
        return in_body ? enter_iframe(self, node) : LEFT_TO_PYTHON;
    case HEAD:
        return read_head(self, node);
    case TITLE:
        return read_title(self, node);
    case HEADING:
        return read_heading(self, node);
    case SCRIPT: case SILENT:
        return read_silent(self, node, kind);
    case ASIDE: case HEADER: case MAIN:
        return in_body ? open_region(self, node, kind) : GOES_ON;
    case TIME:
        return add_to(self->times, attributes_of(node));
    case WITH_ROLE: {
        Span role;
        if (self->with_roles && in_body && find_attribute(node, "role", &role)
            && role.at != NULL && (kind = role_of(role)) != NONE)
            return open_region(self, node, kind);
        return GOES_ON;
    }
    default:
        return GOES_ON;
    }
}

/* Close what an element opened, when the walk leaves it. */
static int leave(Walk *self, Node *node) {
    while (self->open_count && self->open[self->open_count - 1].node == node) {
        Open *open = &self->open[--self->open_count];
        if (open->kind != A) {
            char mark = open->kind == ASIDE ? 't' : open->kind == HEADER ? 'i' : 'n';
            if (add_region(self, mark) < 0)
                return FAILED;
            continue;
        }
        Link *link = &self->links[open->index];
        link->end = position(self);
        link->end_byte = byte_position(self);
        link->has_text = self->words > open->words;
        self->compared += 1 + self->weight - open->weight;
        if (self->compared > MOST_COMPARED)
            return LEFT_TO_PYTHON;
    }
    return GOES_ON;
}

static int read_page(Walk *self) {
    Node *node = self->root, *root = self->root;
    int in_body = 0;
    while (node != NULL) {
        int done = GOES_ON;
        unsigned type = lexbor.type(node);
        if (type == ELEMENT) {
            in_body |= node == self->body;
            done = enter(self, node, in_body);
        } else if (type == TEXT && in_body) {
            Span text = text_of(node);
            self->weight += text.size;
            done = add_words(self, text);
        }
        if (done == FAILED || done == LEFT_TO_PYTHON)
            return done;
        Node *next = done == SKIP ? NULL : lexbor.first_child(node);
        while (next == NULL) {
            if (type == ELEMENT && (done = leave(self, node)) != GOES_ON)
                return done;
            if (node == self->body)
                in_body = 0;
            if (node == root)
                return GOES_ON;
            next = lexbor.next(node);
            if (next == NULL) {
                node = lexbor.parent(node);
                if (node == NULL)
                    return GOES_ON;
                type = ELEMENT;
            }
        }
        node = next;
    }
    return GOES_ON;
}

/* ---- the links that were chosen ---- */

static PyObject *anchor_of(const Walk *self, const Link *link) {
    size_t end = link->end_byte < self->text.size ? link->end_byte : self->text.size;
    size_t at = link->start_byte < end ? link->start_byte : end, start = at, chars = 0;
    for (; at < end; at++)
        if (begins_character(self->text.at[at]) && ++chars > ANCHOR_CHARS)
            break;
    while (at > start && self->text.at[at - 1] == ' ')
        at--;
    if (at == start)
        return PyUnicode_New(0, 0);
    return PyUnicode_DecodeUTF8((const char *)self->text.at + start, (Py_ssize_t)(at - start),
                                NULL);
}

/* Cut a text after some characters. */
static Span first_chars(Span text, size_t most) {
    size_t at = 0, chars = 0;
    for (; at < text.size; at++)
        if (begins_character(text.at[at]) && ++chars > most)
            break;
    text.size = at;
    return text;
}

static size_t chars_in(Span text) {
    size_t chars = 0;
    for (size_t at = 0; at < text.size; at++)
        chars += begins_character(text.at[at]);
    return chars;
}

static Span first_class(Node *node) {
    Span classes = {NULL, 0};
    if (!find_attribute(node, "class", &classes) || classes.at == NULL)
        return (Span){NULL, 0};
    const Byte *at = classes.at, *end = at + classes.size;
    size_t space;
    while (at < end && (space = space_at(at, end)))
        at += space;
    const Byte *start = at;
    while (at < end && !space_at(at, end))
        at++;
    return first_chars((Span){start, (size_t)(at - start)}, CLASS_CHARS);
}

static const Step *step_of(Walk *self, Node *node) {
    Step *step = &self->steps[((uintptr_t)node >> 4) % STEPS];
    if (step->node == node)
        return step;
    step->node = node;
    step->tag.size = 0;
    step->tag.at = lexbor.tag_name(node, &step->tag.size);
    if (step->tag.at == NULL)
        step->tag.size = 0;
    step->tag = first_chars(step->tag, TAG_CHARS);
    step->class = first_class(node);
    step->chars = chars_in(step->tag) + (step->class.size ? 1 + chars_in(step->class) : 0);
    return step;
}

/* Return the path of a link: its own step last, as many as fit. It is written backwards. */
static PyObject *path_of(Walk *self, const Link *link) {
    Byte path[4 * (PATH_CHARS + TAG_CHARS + CLASS_CHARS + 4)];
    size_t at = sizeof(path), chars = 0;
    Node *node = link->node;
    while (node != NULL && lexbor.type(node) == ELEMENT) {
        const Step *step = step_of(self, node);
        Span tag = step->tag, class = step->class;
        if (chars && chars + 1 + step->chars > PATH_CHARS)
            break;
        if (tag.size + 1 + class.size + 1 > at)  /* only if its bytes are no characters */
            return PyUnicode_DecodeUTF8("\xff", 1, NULL);
        if (chars) {
            path[--at] = ' ';
            chars++;
        }
        at -= class.size;
        if (class.size) {
            memcpy(path + at, class.at, class.size);
            path[--at] = '.';
        }
        at -= tag.size;
        if (tag.size)
            memcpy(path + at, tag.at, tag.size);
        chars += step->chars;
        if (link->kind == IFRAME)  /* it is not part of the page that is shown */
            break;
        node = lexbor.parent(node);
    }
    return PyUnicode_DecodeUTF8((const char *)path + at, (Py_ssize_t)(sizeof(path) - at), NULL);
}

static int by_address(const void *one, const void *other) {
    uintptr_t a = (uintptr_t)*(Node *const *)one, b = (uintptr_t)*(Node *const *)other;
    return (a > b) - (a < b);
}

static int is_hidden(const Link *link, Node **hiding, size_t count) {
    if (link->kind == IFRAME)
        return 0;
    Node *node = link->node;
    for (int around = 0; node != NULL && around < MOST_AROUND; around++) {
        if (bsearch(&node, hiding, count, sizeof(Node *), by_address) != NULL)
            return 1;
        node = lexbor.parent(node);
    }
    return 0;
}

static Link *link_at(Walk *self, PyObject *number) {
    Py_ssize_t index = PyLong_AsSsize_t(number);
    if (index == -1 && PyErr_Occurred())
        return NULL;
    if (index < 0 || (size_t)index >= self->link_count) {
        PyErr_SetString(PyExc_IndexError, "no such link");
        return NULL;
    }
    return &self->links[index];
}

/* Fill the columns of one link; rel is None if it has none. */
static int describe(Walk *self, const Link *link, int described, PyObject *columns[5]) {
    if (add_to(columns[0], anchor_of(self, link)) < 0)
        return -1;
    PyObject *rel = link->rel.size ? decoded(link->rel) : PyUnicode_New(0, 0);
    if (add_to(columns[1], rel) < 0)
        return -1;
    if (!described)
        return 0;
    if (add_to(columns[2], path_of(self, link)) < 0)
        return -1;
    if (add_to(columns[3], PyLong_FromSize_t(link->start)) < 0)
        return -1;
    return add_to(columns[4], PyLong_FromSize_t(link->end));
}

PyDoc_STRVAR(columns_doc, "columns(indexes, described): anchors, rels, paths, starts and ends.");
static PyObject *Walk_columns(Walk *self, PyObject *arguments) {
    PyObject *indexes, *columns[5] = {NULL};
    int described;
    if (!PyArg_ParseTuple(arguments, "O!p", &PyList_Type, &indexes, &described))
        return NULL;
    for (int i = 0; i < 5; i++)
        if ((columns[i] = PyList_New(0)) == NULL)
            goto failed;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(indexes); i++) {
        Link *link = link_at(self, PyList_GET_ITEM(indexes, i));
        if (link == NULL || describe(self, link, described, columns) < 0)
            goto failed;
    }
    return Py_BuildValue("(NNNNN)", columns[0], columns[1], columns[2], columns[3], columns[4]);
failed:
    for (int i = 0; i < 5; i++)
        Py_XDECREF(columns[i]);
    return NULL;
}

PyDoc_STRVAR(hidden_doc,
             "hidden(indexes, hiding): which of some links are inside an element that hides;\n"
             "`hiding` has a byte for each style.");
static PyObject *Walk_hidden(Walk *self, PyObject *arguments) {
    PyObject *indexes;
    const char *flags;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "O!y#", &PyList_Type, &indexes, &flags, &size))
        return NULL;
    if ((size_t)size != self->styled_count) {
        PyErr_SetString(PyExc_ValueError, "one byte for each style");
        return NULL;
    }
    Node *hiding[MOST_STYLED];
    size_t count = 0;
    for (size_t i = 0; i < self->styled_count; i++)
        if (flags[i])
            hiding[count++] = self->styled[i];
    qsort(hiding, count, sizeof(Node *), by_address);
    PyObject *found = PyList_New(0);
    for (Py_ssize_t i = 0; found != NULL && i < PyList_GET_SIZE(indexes); i++) {
        Link *link = link_at(self, PyList_GET_ITEM(indexes, i));
        if (link == NULL
            || (is_hidden(link, hiding, count) && add_to(found, PyLong_FromSsize_t(i)) < 0))
            Py_CLEAR(found);
    }
    return found;
}

PyDoc_STRVAR(labels_doc, "labels(index): the alts of images in a link, and its own attributes.");
static PyObject *Walk_labels(Walk *self, PyObject *number) {
    Link *link = link_at(self, number);
    if (link == NULL)
        return NULL;
    PyObject *alts = PyList_New(0);
    if (alts == NULL)
        return NULL;
    int left = MOST_INSIDE;
    Node *node = link->kind == IFRAME || lexbor.first_child(link->node) == NULL ? NULL : link->node;
    for (; node != NULL && left > 0; node = following(node, link->node)) {
        if (lexbor.type(node) == TEXT)
            continue;
        left--;
        Span alt;
        if (lexbor.type(node) == ELEMENT && kind_of(node) == IMG
            && find_attribute(node, "alt", &alt) && alt.size && add_to(alts, decoded(alt)) < 0) {
            Py_DECREF(alts);
            return NULL;
        }
    }
    PyObject *attributes = attributes_of(link->node);
    if (attributes == NULL) {
        Py_DECREF(alts);
        return NULL;
    }
    return Py_BuildValue("(NN)", alts, attributes);
}

/* ---- the object ---- */

PyDoc_STRVAR(hrefs_doc, "hrefs(): the targets of all links, as written.");
static PyObject *Walk_hrefs(Walk *self, PyObject *Py_UNUSED(none)) {
    PyObject *hrefs = PyList_New((Py_ssize_t)self->link_count);
    for (size_t i = 0; hrefs != NULL && i < self->link_count; i++) {
        Span href = self->links[i].href;
        PyObject *text = href.size ? decoded(href) : PyUnicode_New(0, 0);
        if (text == NULL)
            Py_CLEAR(hrefs);
        else
            PyList_SET_ITEM(hrefs, (Py_ssize_t)i, text);
    }
    return hrefs;
}

PyDoc_STRVAR(spoken_doc, "spoken(): for each link a byte, 1 if it has a text.");
static PyObject *Walk_spoken(Walk *self, PyObject *Py_UNUSED(none)) {
    PyObject *flags = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)self->link_count);
    for (size_t i = 0; flags != NULL && i < self->link_count; i++)
        PyBytes_AS_STRING(flags)[i] = (char)self->links[i].has_text;
    return flags;
}

PyDoc_STRVAR(words_doc, "words(): the text of the page; a UnicodeDecodeError if it is none.");
static PyObject *Walk_words(Walk *self, PyObject *Py_UNUSED(none)) {
    if (!self->text.size)
        return PyUnicode_New(0, 0);
    return PyUnicode_DecodeUTF8((const char *)self->text.at, (Py_ssize_t)self->text.size, NULL);
}

PyDoc_STRVAR(root_doc, "root(): the attributes of the page's root.");
static PyObject *Walk_root(Walk *self, PyObject *Py_UNUSED(none)) {
    return attributes_of(self->root);
}

static void Walk_dealloc(Walk *self) {
    PyMem_Free(self->text.at);
    PyMem_Free(self->scratch.at);
    PyMem_Free(self->links);
    PyMem_Free(self->open);
    PyMem_Free(self->styled);
    Py_XDECREF(self->regions);
    Py_XDECREF(self->head);
    Py_XDECREF(self->headings);
    Py_XDECREF(self->titles);
    Py_XDECREF(self->times);
    Py_XDECREF(self->scripts);
    Py_XDECREF(self->styles);
    Py_XDECREF(self->tree);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

#if PY_VERSION_HEX < 0x030C0000 /* the names of Python 3.12 and later */
#include <structmember.h>
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_READONLY READONLY
#endif
#define LIST(name, doc) {#name, Py_T_OBJECT_EX, offsetof(Walk, name), Py_READONLY, PyDoc_STR(doc)}
static PyMemberDef members[] = {
    LIST(regions, "where regions begin and end: pairs of a position and a mark"),
    LIST(head, "base, link and meta elements: pairs of a tag and its attributes"),
    LIST(headings, "texts of headings"),
    LIST(titles, "texts of titles, up to the first that is not blank"),
    LIST(times, "attributes of time elements"),
    LIST(scripts, "scripts with a type: pairs of type and text"),
    LIST(styles, "styles of elements; None for the attribute hidden, False for no style"),
    {NULL}};

static PyMethodDef methods[] = {
    {"columns", (PyCFunction)Walk_columns, METH_VARARGS, columns_doc},
    {"hidden", (PyCFunction)Walk_hidden, METH_VARARGS, hidden_doc},
    {"labels", (PyCFunction)Walk_labels, METH_O, labels_doc},
    {"hrefs", (PyCFunction)Walk_hrefs, METH_NOARGS, hrefs_doc},
    {"spoken", (PyCFunction)Walk_spoken, METH_NOARGS, spoken_doc},
    {"words", (PyCFunction)Walk_words, METH_NOARGS, words_doc},
    {"root", (PyCFunction)Walk_root, METH_NOARGS, root_doc},
    {NULL}};

static PyTypeObject WalkType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "foragers.parsing.html._walk.Walk",
    .tp_doc = PyDoc_STR("What a walk over a page found."),
    .tp_basicsize = sizeof(Walk),
    .tp_dealloc = (destructor)Walk_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_methods = methods,
    .tp_members = members,
};

PyDoc_STRVAR(walk_doc,
             "walk(tree, root, body, with_roles): what is on a page, given the addresses of its\n"
             "root and body; None if it is too unusual.");
static PyObject *walk(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *tree;
    Py_ssize_t root, body;
    int with_roles;
    if (!PyArg_ParseTuple(arguments, "Onnp", &tree, &root, &body, &with_roles))
        return NULL;
    if (!lexbor.ready || !root || !body) {
        PyErr_SetString(PyExc_RuntimeError, "call prepare first");
        return NULL;
    }
    Walk *self = PyObject_New(Walk, &WalkType);
    if (self == NULL)
        return NULL;
    memset((char *)self + offsetof(Walk, tree), 0, sizeof(Walk) - offsetof(Walk, tree));
    self->tree = Py_NewRef(tree);
    self->root = (Node *)root;
    self->body = (Node *)body;
    self->with_roles = with_roles;
    PyObject **lists[] = {&self->regions, &self->head,    &self->headings, &self->titles,
                          &self->times,   &self->scripts, &self->styles};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        if ((*lists[i] = PyList_New(0)) == NULL) {
            Py_DECREF(self);
            return NULL;
        }
    /* A page with frames may have a body that is no part of it. */
    int done = lexbor.parent(self->body) == self->root ? read_page(self) : LEFT_TO_PYTHON;
    if (done == GOES_ON)
        return (PyObject *)self;
    Py_DECREF(self);
    if (done == FAILED)
        return NULL;
    Py_RETURN_NONE;
}

/* ---- finding lexbor ---- */

PyDoc_STRVAR(prepare_doc,
             "prepare(library, kinds, node, text): look up lexbor's functions in the file it was\n"
             "loaded from; `kinds` are pairs of a tag number and a kind, `node` is the address of\n"
             "a text node and `text` its text. Returns whether all was found.");
static PyObject *prepare(PyObject *Py_UNUSED(module), PyObject *arguments) {
    const char *path, *expected;
    PyObject *kinds;
    Py_ssize_t node, size;
    if (!PyArg_ParseTuple(arguments, "sO!ny#", &path, &PyList_Type, &kinds, &node, &expected,
                          &size))
        return NULL;
    if (!find_lexbor(path, (Node *)node, expected, (size_t)size))
        Py_RETURN_FALSE;
    lexbor.ready = 0; /* until the kinds are known */
    memset(kind_of_tag, NONE, sizeof(kind_of_tag));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(kinds); i++) {
        Py_ssize_t tag;
        int kind;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(kinds, i), "ni", &tag, &kind))
            return NULL;
        if (tag < 0 || tag >= TAGS || kind < 0 || kind >= KINDS)
            Py_RETURN_FALSE;
        kind_of_tag[tag] = (Byte)kind;
    }
    lexbor.ready = 1;
    Py_RETURN_TRUE;
}

static PyMethodDef functions[] = {
    {"walk", walk, METH_VARARGS, walk_doc},
    {"prepare", prepare, METH_VARARGS, prepare_doc},
    {NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_walk",
    .m_doc = PyDoc_STR("One walk over the tree of a parsed page."),
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__walk(void) {
    if (PyType_Ready(&WalkType) < 0)
        return NULL;
    return PyModule_Create(&definition);
}
