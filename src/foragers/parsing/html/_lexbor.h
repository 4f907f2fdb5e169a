/* The tree of a parsed page, as compiled modules read it.

   It belongs to selectolax, whose library lexbor was loaded with it.  It is read through lexbor's
   own accessor functions, which `find_lexbor` looks up in that library, so nothing depends on the
   layout of its structures but one offset, which is found in a text node that is given. */

#ifndef FORAGERS_LEXBOR_H
#define FORAGERS_LEXBOR_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void Node;
typedef void Attribute;
typedef unsigned char Byte;

enum { ELEMENT = 1, TEXT = 3 };

static struct {
    Node *(*next)(Node *);
    Node *(*parent)(Node *);
    Node *(*first_child)(Node *);
    uintptr_t (*tag_id)(Node *);
    unsigned (*type)(Node *);
    Attribute *(*first_attribute)(Node *);
    Attribute *(*next_attribute)(Attribute *);
    const Byte *(*attribute_name)(Attribute *, size_t *);
    const Byte *(*attribute_value)(Attribute *, size_t *);
    const Byte *(*tag_name)(Node *, size_t *);
    const Byte *(*string_data)(void *);
    size_t (*string_length)(void *);
    size_t text_offset;
    int ready;
} lexbor;

typedef struct {
    const Byte *at;
    size_t size;
} Span;

static int grow(void **array, size_t *room, size_t needed, size_t size) {
    if (needed <= *room)
        return 0;
    size_t wanted = *room ? *room : 64;
    while (wanted < needed) {
        if (wanted > SIZE_MAX / 2 / size) {
            PyErr_NoMemory();
            return -1;
        }
        wanted *= 2;
    }
    void *larger = PyMem_Realloc(*array, wanted * size);
    if (larger == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *array = larger;
    *room = wanted;
    return 0;
}

static PyObject *decoded(Span text) {
    return PyUnicode_DecodeUTF8((const char *)text.at, (Py_ssize_t)text.size, "replace");
}

static int add_to(PyObject *list, PyObject *item) {
    if (item == NULL)
        return -1;
    int failed = PyList_Append(list, item);
    Py_DECREF(item);
    return failed;
}

static Span text_of(Node *node) {
    void *string = (char *)node + lexbor.text_offset;
    Span text = {lexbor.string_data(string), lexbor.string_length(string)};
    if (text.at == NULL)
        text.size = 0;
    return text;
}

static inline int is_named(Span name, const char *wanted, size_t size) {
    return name.size == size && memcmp(name.at, wanted, size) == 0;
}
#define IS(name, literal) is_named(name, literal, sizeof(literal) - 1)

/* The name of an attribute, and its value, whose `at` is NULL if it has none. */
static Span read_attribute(Attribute *attribute, Span *value) {
    Span name = {NULL, 0};
    name.at = lexbor.attribute_name(attribute, &name.size);
    if (name.at == NULL)
        name.size = 0;
    value->size = 0;
    value->at = lexbor.attribute_value(attribute, &value->size);
    if (value->at == NULL)
        value->size = 0;
    return name;
}

static PyObject *attributes_of(Node *node) {
    PyObject *attributes = PyDict_New();
    if (attributes == NULL)
        return NULL;
    Attribute *attribute = lexbor.first_attribute(node);
    for (; attribute != NULL; attribute = lexbor.next_attribute(attribute)) {
        Span value, name = read_attribute(attribute, &value);
        PyObject *key = decoded(name);
        PyObject *text = value.at == NULL ? Py_NewRef(Py_None) : decoded(value);
        int failed = key == NULL || text == NULL || PyDict_SetItem(attributes, key, text) < 0;
        Py_XDECREF(key);
        Py_XDECREF(text);
        if (failed) {
            Py_DECREF(attributes);
            return NULL;
        }
    }
    return attributes;
}

static int find(void *library, const char *name, void **function) {
    *function = dlsym(library, name);
    return *function != NULL;
}

/* Find where a text node keeps its string: two words, an address and the given length. */
static size_t offset_of_text(Node *node, const char *expected, size_t size) {
    for (size_t offset = 0; offset <= 12 * sizeof(size_t); offset += sizeof(size_t)) {
        void *string = (char *)node + offset;
        size_t length;
        memcpy(&length, (char *)string + sizeof(void *), sizeof(length));
        const Byte *data;
        memcpy(&data, string, sizeof(data));
        if (length == size && data != NULL && lexbor.string_data(string) == data
            && lexbor.string_length(string) == length && memcmp(data, expected, size) == 0)
            return offset;
    }
    return 0;
}

/* Look up the functions in the file that lexbor was loaded from; `node` has the expected text. */
static int find_lexbor(const char *path, Node *node, const char *expected, size_t size) {
    lexbor.ready = 0;
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL)
        return 0;
    int found = find(library, "lxb_dom_node_next_noi", (void **)&lexbor.next)
        && find(library, "lxb_dom_node_parent_noi", (void **)&lexbor.parent)
        && find(library, "lxb_dom_node_first_child_noi", (void **)&lexbor.first_child)
        && find(library, "lxb_dom_node_tag_id_noi", (void **)&lexbor.tag_id)
        && find(library, "lxb_dom_node_type_noi", (void **)&lexbor.type)
        && find(library, "lxb_dom_element_first_attribute_noi", (void **)&lexbor.first_attribute)
        && find(library, "lxb_dom_element_next_attribute_noi", (void **)&lexbor.next_attribute)
        && find(library, "lxb_dom_attr_qualified_name", (void **)&lexbor.attribute_name)
        && find(library, "lxb_dom_attr_value_noi", (void **)&lexbor.attribute_value)
        && find(library, "lxb_dom_element_qualified_name", (void **)&lexbor.tag_name)
        && find(library, "lexbor_str_data_noi", (void **)&lexbor.string_data)
        && find(library, "lexbor_str_length_noi", (void **)&lexbor.string_length);
    /* The library stays loaded: selectolax is imported. */
    dlclose(library);
    if (!found || !node || lexbor.type(node) != TEXT)
        return 0;
    lexbor.text_offset = offset_of_text(node, expected, size);
    lexbor.ready = lexbor.text_offset != 0;
    return lexbor.ready;
}

#endif
