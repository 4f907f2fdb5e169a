/* The targets of the links of a page: those that are cached, and those whose resolution is plain;
   and which links are kept.

   Results are those of `links.Targets` in Python, to which all other links are left, and of
   `links.choose`. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#define LONGEST 512 /* longer links are not cached either */

enum { LEAF = 1, IN_NAME = 2, IN_PATH = 4, IN_HOST = 8, DIGIT = 16 };
static unsigned char kinds[256];

typedef struct {
    PyObject *of_host, *known; /* caches: by the text of the attribute */
    PyObject *here;            /* the page itself, or None */
    const char *folder, *home;
    Py_ssize_t folder_size, home_size, room, added;
} Base;

static void
make_kinds(void)
{
    for (int c = 0; c < 128; c++) {
        int letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                     c == '_' || c == '~';
        if (letter)
            kinds[c] = LEAF | IN_NAME | IN_PATH;
        else if (c == '.' || c == '-')
            kinds[c] = IN_NAME | IN_PATH;
        else if (c && strchr("!$&()*+,;=@:%/?", c))
            kinds[c] = IN_PATH;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
            kinds[c] |= IN_HOST;
        if (c >= '0' && c <= '9')
            kinds[c] |= DIGIT;
    }
}

/* Whether the standard leaves a path with its query unchanged. */
static int
is_plain(const char *path, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < size; i++) {
        if (!(kinds[(unsigned char)path[i]] & IN_PATH))
            return 0;
        if (path[i] == '/' && i + 1 < size &&
            (path[i + 1] == '/' || path[i + 1] == '.' || path[i + 1] == '%'))
            return 0;
    }
    return 1;
}

/* Whether a path begins with a name that can be no scheme and no dot segment. */
static int
is_leaf(const char *path, Py_ssize_t size)
{
    if (!size || !(kinds[(unsigned char)path[0]] & LEAF))
        return 0;
    Py_ssize_t end = 1;
    while (end < size && kinds[(unsigned char)path[end]] & IN_NAME)
        end++;
    return end == size || path[end] == '/' || path[end] == '?';
}

static int
begins(const char *text, Py_ssize_t size, const char *with, Py_ssize_t length)
{
    return size >= length && !memcmp(text, with, (size_t)length);
}

static int
is_of_host(const char *href, Py_ssize_t size)
{
    return begins(href, size, "/", 1) || begins(href, size, "http://", 7) ||
           begins(href, size, "https://", 8);
}

static int
is_kind(const char *at, const char *end, int kind)
{
    return at < end && kinds[(unsigned char)*at] & kind;
}

/* The end of a host's name, whose last label begins with a letter and none is punycode; or NULL. */
static const char *
after_name(const char *at, const char *end)
{
    for (;;) {
        const char *label = at;
        int underscores = 0;
        for (; is_kind(at, end, IN_HOST); at++)
            underscores |= *at == '_';
        if (at == label || begins(label, end - label, "xn--", 4))
            return NULL;
        if (at < end && *at == '.') {
            at++;
            continue;
        }
        return *label >= 'a' && *label <= 'z' && !underscores ? at : NULL;
    }
}

/* The end of four numbers below 256 without leading zeros, or NULL. */
static const char *
after_numbers(const char *at, const char *end)
{
    for (int octet = 0; octet < 4; octet++) {
        if (octet && (at >= end || *at++ != '.'))
            return NULL;
        const char *first = at;
        int number = 0;
        for (; is_kind(at, end, DIGIT) && at - first < 3; at++)
            number = 10 * number + *at - '0';
        if (at == first || number > 255 || (*first == '0' && at - first > 1))
            return NULL;
    }
    return at;
}

/* The end of a port that is not the default of a scheme, or of nothing; NULL for another. */
static const char *
after_port(const char *at, const char *end)
{
    if (at >= end || *at != ':')
        return at;
    const char *first = ++at;
    while (is_kind(at, end, DIGIT) && at - first < 6)
        at++;
    Py_ssize_t digits = at - first;
    if (digits < 1 || digits > 5 || *first == '0' || (digits == 5 && *first > '5'))
        return NULL;
    if (begins(first, end - first, "80/", 3) || begins(first, end - first, "443/", 4))
        return NULL;
    return at;
}

/* Whether a URL is one as the standard writes it: with a usual host, path and query. */
static int
is_whole(const char *url, Py_ssize_t size)
{
    const char *end = url + size, *at = url + (begins(url, size, "https://", 8) ? 8 : 7);
    if (url[0] == '/' || !is_of_host(url, size))
        return 0;
    const char *name = after_name(at, end);
    at = name ? name : after_numbers(at, end);
    at = at ? after_port(at, end) : NULL;
    if (at == NULL || at >= end || *at != '/')
        return 0;
    for (; at < end && *at != '?'; at++) {
        if (*at == '%' || !(*at == '\'' || is_kind(at, end, IN_PATH)))
            return 0;
        if (*at == '/' && at + 1 < end && (at[1] == '/' || at[1] == '.'))
            return 0;
    }
    for (; at < end; at++)
        if (!is_kind(at, end, IN_PATH))
            return 0;
    return 1;
}

/* The start of a URL and the rest of a link, joined. */
static PyObject *
joined(const char *start, Py_ssize_t length, const char *rest, Py_ssize_t size)
{
    PyObject *url = PyUnicode_New(length + size, 127);
    if (url != NULL) {
        memcpy(PyUnicode_1BYTE_DATA(url), start, (size_t)length);
        memcpy(PyUnicode_1BYTE_DATA(url) + length, rest, (size_t)size);
    }
    return url;
}

/* The URL of a link in ASCII without a fragment; None if it is not plain, NULL for an error. */
static PyObject *
resolved(const Base *base, PyObject *text, const char *href, Py_ssize_t size)
{
    if (href[0] == '/') {
        if (is_plain(href, size))
            return joined(base->home, base->home_size - 1, href, size);
    } else if (is_of_host(href, size)) {
        int is_home = begins(href, size, base->home, base->home_size);
        if (is_home ? is_plain(href + base->home_size - 1, size - base->home_size + 1)
                    : is_whole(href, size) && !begins(href, size, base->home, base->home_size - 1))
            return Py_NewRef(text);
    } else {
        Py_ssize_t length = base->folder_size;
        for (; begins(href, size, "../", 3); href += 3, size -= 3)
            if (length > base->home_size)
                while (base->folder[--length - 1] != '/')
                    ;
        if (is_leaf(href, size) && is_plain(href, size))
            return joined(base->folder, length, href, size);
    }
    return Py_NewRef(Py_None);
}

/* What a cache has for a link, borrowed; NULL if there is nothing, or for an error. */
static PyObject *
cached(PyObject *cache, PyObject *href)
{
    return PyDict_GetItemWithError(cache, href);
}

/* The target of a link without a fragment that is not cached as it stands. */
static PyObject *
found(Base *base, PyObject *href, PyObject *unknown)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(href);
    if (!size)
        return Py_NewRef(base->here);
    if (size > LONGEST || !PyUnicode_IS_ASCII(href))
        return Py_NewRef(unknown);
    const char *letters = (const char *)PyUnicode_1BYTE_DATA(href);
    if (begins(letters, size, "javascript:", 11) || begins(letters, size, "mailto:", 7))
        Py_RETURN_NONE;
    PyObject *cache = is_of_host(letters, size) ? base->of_host : base->known;
    PyObject *url = cached(cache, href);
    if (url != NULL || PyErr_Occurred())
        return Py_XNewRef(url);
    url = resolved(base, href, letters, size);
    if (url == Py_None) {
        Py_DECREF(url);
        return Py_NewRef(unknown);
    }
    if (url != NULL && base->added < base->room) {
        base->added++;
        if (PyDict_SetItem(cache, href, url) < 0)
            Py_CLEAR(url);
    }
    return url;
}

/* The target of a link: a URL, None, or `unknown` if it is left to Python. */
static PyObject *
target(Base *base, PyObject *href, PyObject *unknown)
{
    PyObject *url = cached(base->of_host, href);
    if (url == NULL && !PyErr_Occurred())
        url = cached(base->known, href);
    if (url != NULL || PyErr_Occurred())
        return Py_XNewRef(url);
    Py_ssize_t mark = PyUnicode_FindChar(href, '#', 0, PyUnicode_GET_LENGTH(href), 1);
    if (mark < -1)
        return NULL;
    if (mark == -1)
        return found(base, href, unknown);
    PyObject *cut = PyUnicode_Substring(href, 0, mark);
    if (cut == NULL)
        return NULL;
    url = cached(base->known, cut);
    if (url != NULL || PyErr_Occurred())
        url = Py_XNewRef(url);
    else
        url = found(base, cut, unknown);
    Py_DECREF(cut);
    return url;
}

/* Whether links of a directory can be joined to it: it lies below the home of its host. */
static int
is_usable(const Base *base)
{
    if (base->home_size < 9 || !begins(base->folder, base->folder_size, base->home, base->home_size))
        return 0;
    if (!is_of_host(base->home, base->home_size) || base->home[0] == '/')
        return 0;
    const char *host = strchr(base->home, ':') + 3;
    const char *slash = memchr(host, '/', (size_t)(base->home + base->home_size - host));
    return slash == base->home + base->home_size - 1 &&
           base->folder[base->folder_size - 1] == '/';
}

static PyObject *
targets(PyObject *self, PyObject *args)
{
    PyObject *hrefs, *unknown, *folder, *home, *urls = NULL;
    Base base = {.added = 0};
    if (!PyArg_ParseTuple(args, "O!O!O!UUOnU", &PyList_Type, &hrefs, &PyDict_Type, &base.of_host,
                          &PyDict_Type, &base.known, &folder, &home, &base.here, &base.room,
                          &unknown))
        return NULL;
    if (!PyUnicode_IS_ASCII(folder) || !PyUnicode_IS_ASCII(home))
        Py_RETURN_NONE;
    base.folder = (const char *)PyUnicode_1BYTE_DATA(folder);
    base.home = (const char *)PyUnicode_1BYTE_DATA(home);
    base.folder_size = PyUnicode_GET_LENGTH(folder);
    base.home_size = PyUnicode_GET_LENGTH(home);
    if (!is_usable(&base))
        Py_RETURN_NONE;
    Py_ssize_t number = PyList_GET_SIZE(hrefs);
    urls = PyList_New(number);
    for (Py_ssize_t i = 0; urls != NULL && i < number; i++) {
        PyObject *href = PyList_GET_ITEM(hrefs, i), *url = NULL;
        if (PyUnicode_CheckExact(href))
            url = target(&base, href, unknown);
        else
            PyErr_SetString(PyExc_TypeError, "links are texts");
        if (url == NULL)
            Py_CLEAR(urls);
        else
            PyList_SET_ITEM(urls, i, url);
    }
    return urls ? Py_BuildValue("(Nn)", urls, base.added) : NULL;
}

/* Put the index of one link for each target into a dictionary: the first one that has a text. */
static int
are_first(PyObject *first, PyObject *urls, const char *spoken)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(urls); i++) {
        PyObject *url = PyList_GET_ITEM(urls, i);
        PyObject *before = url == Py_None ? Py_None : PyDict_GetItemWithError(first, url);
        if (before == NULL && PyErr_Occurred())
            return 0;
        if (before == Py_None || (before != NULL && !spoken[i]))
            continue;
        if (before != NULL && spoken[PyLong_AsSsize_t(before)])
            continue;
        PyObject *index = PyLong_FromSsize_t(i);
        int is_set = index != NULL && PyDict_SetItem(first, url, index) == 0;
        Py_XDECREF(index);
        if (!is_set)
            return 0;
    }
    return 1;
}

/* The indexes in a dictionary, in order, but not those that are None. */
static PyObject *
indexes_in(PyObject *first)
{
    PyObject *indexes = PyList_New(0), *url, *index;
    for (Py_ssize_t place = 0; indexes != NULL && PyDict_Next(first, &place, &url, &index);)
        if (index != Py_None && PyList_Append(indexes, index))
            Py_CLEAR(indexes);
    if (indexes != NULL && PyList_Sort(indexes))
        Py_CLEAR(indexes);
    return indexes;
}

/* chosen(urls, itself, spoken): the links that are kept of a page, one for each target but the page
   itself, as their indexes and URLs.

   `spoken` has a byte for each link that says whether it has a text. */
static PyObject *
chosen(PyObject *self, PyObject *args)
{
    PyObject *urls, *itself, *spoken;
    if (!PyArg_ParseTuple(args, "O!OO!", &PyList_Type, &urls, &itself, &PyBytes_Type, &spoken))
        return NULL;
    if (PyBytes_GET_SIZE(spoken) != PyList_GET_SIZE(urls)) {
        PyErr_SetString(PyExc_ValueError, "a byte for each link is expected");
        return NULL;
    }
    PyObject *first = PyDict_New(), *indexes = NULL, *kept = NULL;
    if (first != NULL && PyDict_SetItem(first, itself, Py_None) == 0 &&
        are_first(first, urls, PyBytes_AS_STRING(spoken)))
        indexes = indexes_in(first);
    if (indexes != NULL)
        kept = PyList_New(PyList_GET_SIZE(indexes));
    for (Py_ssize_t i = 0; kept != NULL && i < PyList_GET_SIZE(indexes); i++) {
        Py_ssize_t index = PyLong_AsSsize_t(PyList_GET_ITEM(indexes, i));
        PyList_SET_ITEM(kept, i, Py_NewRef(PyList_GET_ITEM(urls, index)));
    }
    Py_XDECREF(first);
    if (kept == NULL) {
        Py_XDECREF(indexes);
        return NULL;
    }
    return Py_BuildValue("(NN)", indexes, kept);
}

static PyMethodDef methods[] = {
    {"chosen", chosen, METH_VARARGS, "Return the links that are kept, one for each target."},
    {"targets", targets, METH_VARARGS, "Return the targets of links, and how many were cached."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_targets", "The targets of links.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__targets(void)
{
    make_kinds();
    return PyModule_Create(&module);
}
