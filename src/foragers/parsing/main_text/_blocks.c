/* One walk over the tree of a parsed page that divides it into blocks, as `blocks` does.

   It does not recurse, changes nothing in the tree, and every list that it makes is bounded by the
   size of the page.  What a tag says, and what rare attributes say, it asks that module. */

#include "../html/_lexbor.h"

#define TAGS 1024
#define MOST_NAMES 200

enum { FAILED = -1, GOES_ON = 0, ENOUGH = 1 };
enum { OTHER, LINK, BREAK, RULE };

/* What a tag says by itself; `name` is NULL for one that was not asked about yet. */
typedef struct {
    PyObject *name;
    long flags;
    int is_block, is_described, is_noted, inlined;
} Tag;

typedef struct {
    PyObject *tag_of, *attributes;             /* functions of the module */
    PyObject *blocks, *tags, *links, *tokens;  /* what is found */
    PyObject *unknown, *named;                 /* what tags say by number; tokens by names */
    PyObject *runs;                            /* of the open block, NULL if none is open */
    long *flags, *owners, *parents, *stack;
    size_t flag_room, owner_room, parent_room, stack_room, depth;
    long number, block_owner, pre;
    long block_flags, inline_flags;
    Py_ssize_t chars, most_chars, most_blocks;
    int after_break;
    Tag tag[TAGS];
} Split;

static int read_tag(PyObject *said, Tag *tag) {
    static const struct {
        const char *name;
        int kind;
    } inlined[] = {{"a", LINK}, {"br", BREAK}, {"hr", RULE}};
    PyObject *name;
    if (!PyArg_ParseTuple(said, "Ulppp", &name, &tag->flags, &tag->is_block, &tag->is_described,
                          &tag->is_noted))
        return FAILED;
    tag->inlined = OTHER;
    for (size_t i = 0; i < sizeof(inlined) / sizeof(*inlined); i++)
        if (PyUnicode_CompareWithASCIIString(name, inlined[i].name) == 0)
            tag->inlined = inlined[i].kind;
    tag->name = Py_NewRef(name);
    return GOES_ON;
}

static PyObject *ask_tag(Split *self, Node *node) {
    Span name = {NULL, 0};
    name.at = lexbor.tag_name(node, &name.size);
    PyObject *text = name.at == NULL ? PyUnicode_New(0, 0) : decoded(name);
    PyObject *said = text == NULL ? NULL : PyObject_CallOneArg(self->tag_of, text);
    Py_XDECREF(text);
    return said;
}

/* Find what the tag of an element says; `room` is for tags that only this page has. */
static Tag *tag_of(Split *self, Node *node, Tag *room) {
    uintptr_t id = lexbor.tag_id(node);
    Tag *tag = id < TAGS ? &self->tag[id] : room;
    if (id < TAGS && tag->name != NULL)
        return tag;
    PyObject *key = PyLong_FromSize_t((size_t)id);
    if (key == NULL)
        return NULL;
    PyObject *said = PyDict_GetItemWithError(self->unknown, key);
    if (said == NULL && !PyErr_Occurred()) {
        said = ask_tag(self, node);
        if (said != NULL && PyDict_SetItem(self->unknown, key, said) < 0)
            Py_CLEAR(said);
        Py_XDECREF(said); /* the dictionary has it */
    }
    Py_DECREF(key);
    if (said == NULL || read_tag(said, tag) < 0)
        return NULL;
    if (tag == room)
        Py_DECREF(tag->name); /* the dictionary has it */
    return tag;
}

/* Add a run of text to the open block; takes over the reference. */
static int add_run(Split *self, PyObject *text, long inside) {
    if (text == NULL)
        return FAILED;
    return add_to(self->runs, Py_BuildValue("(Nl)", text, inside));
}

static int open_block(Split *self, long owner, long flags) {
    PyObject *runs = PyList_New(0);
    if (runs == NULL)
        return FAILED;
    self->block_owner = owner;
    self->block_flags = flags & ~self->inline_flags;
    self->runs = runs; /* the block has it */
    return add_to(self->blocks, Py_BuildValue("(llN)", owner, self->block_flags, runs));
}

static int is_space(PyObject *text) {
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t i = 0; i < size; i++)
        if (!Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, i)))
            return 0;
    return 1;
}

static int read_text(Split *self, Node *node, long above) {
    Span span = text_of(node);
    PyObject *text = decoded(span);
    if (text == NULL)
        return FAILED;
    if (is_space(text)) {
        if (self->runs != NULL)
            return add_run(self, text, -1);
        Py_DECREF(text);
        return GOES_ON;
    }
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    long owner = self->owners[above], inside = self->flags[above];
    if ((self->runs == NULL || self->block_owner != owner) && open_block(self, owner, inside) < 0) {
        Py_DECREF(text);
        return FAILED;
    }
    int is_inline = (inside & self->inline_flags) && above != owner;
    if (add_run(self, text, is_inline ? above : -1) < 0)
        return FAILED;
    self->after_break = 0;
    self->chars += size;
    int enough = self->chars > self->most_chars
        || PyList_GET_SIZE(self->blocks) > self->most_blocks;
    return enough ? ENOUGH : GOES_ON;
}

/* Return the class, the id and the itemprop of an element, with spaces between them. */
static PyObject *joined(const Span *parts, size_t count) {
    size_t size = 0, filled = 0;
    for (size_t i = 0; i < count; i++)
        size += parts[i].size + 1;
    Byte *text = PyMem_Malloc(size + 1);
    if (text == NULL)
        return PyErr_NoMemory();
    for (size_t i = 0; i < count; i++)
        if (parts[i].size) {
            if (filled)
                text[filled++] = ' ';
            memcpy(text + filled, parts[i].at, parts[i].size);
            filled += parts[i].size;
        }
    Span whole = {text, filled};
    PyObject *names = decoded(whole);
    PyMem_Free(text);
    return names;
}

static inline int is_lower(Py_UCS4 letter) {
    return letter >= 'a' && letter <= 'z';
}

static inline int is_upper(Py_UCS4 letter) {
    return letter >= 'A' && letter <= 'Z';
}

/* Return the end of the word that begins at a place, as in `tokens_of`; the place if none does. */
static Py_ssize_t end_of_word(const Py_UCS4 *text, Py_ssize_t at, Py_ssize_t size) {
    Py_ssize_t end = at;
    if (is_upper(text[at]) && !(at + 1 < size && is_lower(text[at + 1]))) {
        while (end < size && is_upper(text[end]))
            end++;
        /* The last letter begins the next word: XMLFile. */
        return end < size && is_lower(text[end]) ? end - 1 : end;
    }
    if (is_upper(text[at]))
        end++;
    while (end < size && is_lower(text[end]))
        end++;
    return end;
}

/* Return the words of the names of an element, in lower case and each once. */
static PyObject *tokens_of(PyObject *names) {
    Py_UCS4 text[MOST_NAMES];
    Py_ssize_t size = PyUnicode_GET_LENGTH(names);
    size = size < MOST_NAMES ? size : MOST_NAMES;
    for (Py_ssize_t i = 0; i < size; i++)
        text[i] = PyUnicode_READ_CHAR(names, i);
    PyObject *words = PyDict_New();
    for (Py_ssize_t at = 0; words != NULL && at < size;) {
        Py_ssize_t end = end_of_word(text, at, size);
        if (end == at) {
            at++;
            continue;
        }
        char word[MOST_NAMES];
        for (Py_ssize_t i = at; i < end; i++)
            word[i - at] = (char)(is_upper(text[i]) ? text[i] + 32 : text[i]);
        PyObject *one = PyUnicode_FromStringAndSize(word, end - at);
        if (one == NULL || PyDict_SetItem(words, one, Py_None) < 0)
            Py_CLEAR(words);
        Py_XDECREF(one);
        at = end;
    }
    PyObject *tokens = words == NULL ? NULL : PySequence_Tuple(words);
    Py_XDECREF(words);
    return tokens;
}

/* Note the words of the names of an element; elements with the same names share them. */
static int note_names(Split *self, PyObject *names) {
    if (names == NULL)
        return FAILED;
    PyObject *tokens = Py_XNewRef(PyDict_GetItemWithError(self->named, names));
    if (tokens == NULL && !PyErr_Occurred()) {
        tokens = tokens_of(names);
        if (tokens != NULL && PyDict_SetItem(self->named, names, tokens) < 0)
            Py_CLEAR(tokens);
    }
    PyObject *number = tokens == NULL ? NULL : PyLong_FromLong(self->number);
    int failed = number == NULL || PyDict_SetItem(self->tokens, number, tokens) < 0;
    Py_XDECREF(tokens);
    Py_XDECREF(number);
    Py_DECREF(names);
    return failed ? FAILED : GOES_ON;
}

/* Note the names of an element; return what its attributes say of it, or FAILED. */
static long describe(Split *self, Node *node, const Tag *tag) {
    Span parts[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}}, value;
    Attribute *attribute = lexbor.first_attribute(node);
    if (attribute == NULL)
        return 0;
    int is_read = PyUnicode_CompareWithASCIIString(tag->name, "pre") == 0
        || PyUnicode_CompareWithASCIIString(tag->name, "code") == 0;
    for (; attribute != NULL; attribute = lexbor.next_attribute(attribute)) {
        Span name = read_attribute(attribute, &value);
        if (IS(name, "class"))
            parts[0] = value;
        else if (IS(name, "id"))
            parts[1] = value;
        else if (IS(name, "itemprop")) {
            parts[2] = value;
            is_read = 1;
        } else if (IS(name, "role") || IS(name, "hidden") || IS(name, "style"))
            is_read = 1;
    }
    int has_names = parts[0].size || parts[1].size || parts[2].size;
    if (has_names && note_names(self, joined(parts, 3)) < 0)
        return FAILED;
    if (!is_read)
        return 0;
    PyObject *attributes = attributes_of(node);
    if (attributes == NULL)
        return FAILED;
    PyObject *said = PyObject_CallFunction(self->attributes, "NOl", attributes, tag->name,
                                           self->number);
    if (said == NULL)
        return FAILED;
    long flags = PyLong_AsLong(said);
    Py_DECREF(said);
    return flags < 0 ? FAILED : flags;
}

static int note_link(Split *self, Node *node) {
    Span href = {NULL, 0}, value;
    Attribute *attribute = lexbor.first_attribute(node);
    for (; attribute != NULL; attribute = lexbor.next_attribute(attribute))
        if (IS(read_attribute(attribute, &value), "href"))
            href = value;
    PyObject *number = PyLong_FromLong(self->number);
    PyObject *target = href.size ? decoded(href) : PyUnicode_New(0, 0);
    int failed = number == NULL || target == NULL
        || PyDict_SetItem(self->links, number, target) < 0;
    Py_XDECREF(number);
    Py_XDECREF(target);
    return failed ? FAILED : GOES_ON;
}

/* End a line; two line breaks end a block. */
static int break_line(Split *self) {
    if (self->runs == NULL)
        return GOES_ON;
    if (self->after_break && !(self->block_flags & self->pre)) {
        self->runs = NULL;
        self->after_break = 0;
        return GOES_ON;
    }
    self->after_break = 1;
    return add_run(self, PyUnicode_FromString("\n"), -1);
}

static int note_inline(Split *self, Node *node, const Tag *tag) {
    if (tag->inlined == LINK)
        return note_link(self, node);
    if (tag->inlined == BREAK)
        return break_line(self);
    if (tag->inlined == RULE)
        self->runs = NULL;
    return GOES_ON;
}

static int add_number(long **column, size_t *room, size_t at, long value) {
    if (grow((void **)column, room, at + 1, sizeof(long)) < 0)
        return FAILED;
    (*column)[at] = value;
    return GOES_ON;
}

/* Note an element; `mine` becomes its number, or that of the one around it. */
static int read_element(Split *self, Node *node, long above, long *mine) {
    Tag room, *tag = tag_of(self, node, &room);
    if (tag == NULL)
        return FAILED;
    *mine = above;
    if (!tag->is_noted && self->number)
        return GOES_ON;
    *mine = self->number;
    long said = tag->is_described ? describe(self, node, tag) : 0;
    if (said < 0)
        return FAILED;
    long flags = (self->number ? self->flags[above] : 0) | tag->flags | said;
    int owns = tag->is_block || !self->number;
    long owner = owns ? self->number : self->owners[above];
    size_t at = (size_t)self->number;
    if (PyList_Append(self->tags, tag->name) < 0
        || add_number(&self->parents, &self->parent_room, at, self->number ? above : -1) < 0
        || add_number(&self->flags, &self->flag_room, at, flags) < 0
        || add_number(&self->owners, &self->owner_room, at, owner) < 0)
        return FAILED;
    if (owns)
        self->runs = NULL;
    else if (note_inline(self, node, tag) < 0)
        return FAILED;
    self->number++;
    return GOES_ON;
}

static int read_page(Split *self, Node *root) {
    Node *node = root;
    while (1) {
        long above = self->depth ? self->stack[self->depth - 1] : 0, mine = above;
        unsigned type = lexbor.type(node);
        int done = GOES_ON;
        if (type == TEXT && self->number)
            done = read_text(self, node, above);
        else if (type == ELEMENT)
            done = read_element(self, node, above, &mine);
        if (done != GOES_ON)
            return done;
        Node *child = lexbor.first_child(node);
        if (child != NULL) {
            if (add_number(&self->stack, &self->stack_room, self->depth, mine) < 0)
                return FAILED;
            self->depth++;
            node = child;
            continue;
        }
        while (node != root && lexbor.next(node) == NULL) {
            node = lexbor.parent(node);
            self->depth--;
        }
        if (node == root)
            return GOES_ON;
        node = lexbor.next(node);
    }
}

static PyObject *column_of(const long *numbers, long count) {
    PyObject *column = PyList_New(count);
    for (long i = 0; column != NULL && i < count; i++) {
        PyObject *number = PyLong_FromLong(numbers[i]);
        if (number == NULL)
            Py_CLEAR(column);
        else
            PyList_SET_ITEM(column, i, number);
    }
    return column;
}

static void forget(Split *self) {
    for (size_t i = 0; i < TAGS; i++)
        Py_XDECREF(self->tag[i].name);
    Py_XDECREF(self->blocks);
    Py_XDECREF(self->tags);
    Py_XDECREF(self->links);
    Py_XDECREF(self->tokens);
    Py_XDECREF(self->unknown);
    Py_XDECREF(self->named);
    PyMem_Free(self->flags);
    PyMem_Free(self->owners);
    PyMem_Free(self->parents);
    PyMem_Free(self->stack);
    PyMem_Free(self);
}

PyDoc_STRVAR(split_doc,
             "split(tree, root, tag_of, attributes, inline_flags, pre, most_chars, most_blocks):\n"
             "blocks as (owner, flags, runs); tags, parents, flags and owners of elements; links\n"
             "and tokens by element.");
static PyObject *split(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *tree, *tag_function, *attributes;
    Py_ssize_t root, most_chars, most_blocks;
    long inline_flags, pre;
    if (!PyArg_ParseTuple(arguments, "OnOOllnn", &tree, &root, &tag_function, &attributes,
                          &inline_flags, &pre, &most_chars, &most_blocks))
        return NULL;
    if (!lexbor.ready || !root) {
        PyErr_SetString(PyExc_RuntimeError, "call prepare first");
        return NULL;
    }
    Split *self = PyMem_Calloc(1, sizeof(Split));
    if (self == NULL)
        return PyErr_NoMemory();
    self->tag_of = tag_function;
    self->attributes = attributes;
    self->inline_flags = inline_flags;
    self->pre = pre;
    self->most_chars = most_chars;
    self->most_blocks = most_blocks;
    self->blocks = PyList_New(0);
    self->tags = PyList_New(0);
    self->links = PyDict_New();
    self->tokens = PyDict_New();
    self->unknown = PyDict_New();
    self->named = PyDict_New();
    PyObject *found = NULL;
    if (self->blocks && self->tags && self->links && self->tokens && self->unknown && self->named
        && read_page(self, (Node *)root) != FAILED)
        found = Py_BuildValue("(OONNNOO)", self->blocks, self->tags,
                              column_of(self->parents, self->number),
                              column_of(self->flags, self->number),
                              column_of(self->owners, self->number), self->links, self->tokens);
    forget(self);
    return found;
}

PyDoc_STRVAR(prepare_doc,
             "prepare(library, node, text): look up lexbor's functions in the file it was loaded\n"
             "from; `node` is the address of a text node and `text` its text. Returns whether all\n"
             "was found.");
static PyObject *prepare(PyObject *Py_UNUSED(module), PyObject *arguments) {
    const char *path, *expected;
    Py_ssize_t node, size;
    if (!PyArg_ParseTuple(arguments, "sny#", &path, &node, &expected, &size))
        return NULL;
    return PyBool_FromLong(find_lexbor(path, (Node *)node, expected, (size_t)size));
}

static PyMethodDef functions[] = {
    {"split", split, METH_VARARGS, split_doc},
    {"prepare", prepare, METH_VARARGS, prepare_doc},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_blocks",
    .m_doc = PyDoc_STR("The blocks of a parsed page."),
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__blocks(void) {
    return PyModule_Create(&definition);
}
