/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute values and the set of them that a node has.
 *
 * A value owns all it points to; sets are sorted by name. Getters fail with INVALID_ARGUMENT that
 * names the attr when it is absent or of another kind. */
#ifndef LEAT_OP_ATTR_H
#define LEAT_OP_ATTR_H

#include "base/base.h"
#include "base/status.h"
#include "base/str.h"
#include "tensor/tensor.h"

/* TF_AttrType's numbers; NONE: not set. */
enum attr_kind {
    ATTR_NONE = -1,
    ATTR_STRING = 0,
    ATTR_INT = 1,
    ATTR_FLOAT = 2,
    ATTR_BOOL = 3,
    ATTR_TYPE = 4,
    ATTR_SHAPE = 5,
    ATTR_TENSOR = 6,
    ATTR_PLACEHOLDER = 7,
    ATTR_FUNC = 8,
};

struct attr_func; /* a function's name and the attrs it is called with */

struct attr_value {
    int kind; /* enum attr_kind: of the items, when a list */
    bool is_list;
    int64_t n; /* items of a list */
    union {
        struct str s; /* STRING, PLACEHOLDER; bytes owned, NUL after them */
        int64_t i;
        float f;
        bool b;
        int type; /* enum dtype */
        struct shape shape;
        struct tensor tensor;
        struct attr_func *func;
        /* lists */
        struct str *ss;
        int64_t *is;
        float *fs;
        bool *bs;
        int *types;
        struct shape *shapes;
        struct tensor *tensors;
        struct attr_func **funcs;
    };
};

struct attr {
    char *name; /* owned */
    struct attr_value value;
};
struct attrs {
    struct attr *items; /* sorted by name */
    int64_t n, cap;
};
struct attr_func {
    char *name;
    struct attrs attrs;
    void *instance; /* atomic; the runtime's, of a kernel's own attrs: not copied or compared */
};

void attr_value_clear(struct attr_value *v);
struct attr_value attr_value_dup(const struct attr_value *v);
bool attr_value_equal(const struct attr_value *a, const struct attr_value *b);
/* Makers; what they are given is copied. */
struct attr_value attr_string(struct str s);
struct attr_value attr_int(int64_t i);
struct attr_value attr_float(float f);
struct attr_value attr_bool(bool b);
struct attr_value attr_type(int dtype);
struct attr_value attr_shape(const struct shape *s);
struct attr_value attr_tensor(const struct tensor *t);                    /* shares the buffer */
struct attr_value attr_func(const char *name, const struct attrs *attrs); /* attrs may be NULL */
/* items: as in the union's list of this kind. */
struct attr_value attr_list(int kind, const void *items, int64_t n);
/* For people: `{"a", 3}`. Appends. */
void attr_value_print(const struct attr_value *v, struct strbuf *out);

const struct attr_value *attrs_find(const struct attrs *a, const char *name); /* NULL: absent */
void attrs_set(struct attrs *a, const char *name, struct attr_value value);   /* takes value */
bool attrs_remove(struct attrs *a, const char *name);
struct attrs attrs_dup(const struct attrs *a);
void attrs_clear(struct attrs *a);

MUST_CHECK bool attrs_get_string(const struct attrs *a, const char *name, struct str *out,
                                 struct status *st);
MUST_CHECK bool attrs_get_int(const struct attrs *a, const char *name, int64_t *out,
                              struct status *st);
MUST_CHECK bool attrs_get_float(const struct attrs *a, const char *name, float *out,
                                struct status *st);
MUST_CHECK bool attrs_get_bool(const struct attrs *a, const char *name, bool *out,
                               struct status *st);
MUST_CHECK bool attrs_get_type(const struct attrs *a, const char *name, int *out,
                               struct status *st);
MUST_CHECK bool attrs_get_shape(const struct attrs *a, const char *name, const struct shape **out,
                                struct status *st);
MUST_CHECK bool attrs_get_tensor(const struct attrs *a, const char *name, const struct tensor **out,
                                 struct status *st);
MUST_CHECK bool attrs_get_func(const struct attrs *a, const char *name,
                               const struct attr_func **out, struct status *st);
/* Lists: borrowed arrays in value->is and so on. */
MUST_CHECK bool attrs_get_list(const struct attrs *a, const char *name, int kind,
                               const struct attr_value **out, struct status *st);
/* Short forms for attrs that the op's spec guarantees (the framework has checked the node): the
 * value, or the zero of its kind where it is absent. */
int64_t attrs_int(const struct attrs *a, const char *name);
float attrs_float(const struct attrs *a, const char *name);
bool attrs_bool(const struct attrs *a, const char *name);
int attrs_type(const struct attrs *a, const char *name);
struct str attrs_string(const struct attrs *a, const char *name);
/* An empty list if absent. */
const struct attr_value *attrs_list(const struct attrs *a, const char *name);

#endif
