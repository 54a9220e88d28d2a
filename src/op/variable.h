/* SPDX-License-Identifier: Apache-2.0 */
/* A variable: a lock and a counted value. Reference variables (VariableV2) and resource variables
 * (VarHandleOp) are the same object.
 *
 * A read is a snapshot: it shares the buffer. A write is in place when the variable holds the only
 * reference, else it goes to a new buffer, so a snapshot never changes under its holder. A step
 * that looks rows up and then updates some leaves no snapshot behind: its update is in place. Where
 * sparse updates find the value shared twice running, as with steps that overlap, the variable
 * turns to copy-on-read: reads copy, and sparse writes are always in place. */
#ifndef LEAT_OP_VARIABLE_H
#define LEAT_OP_VARIABLE_H

#include "base/lock.h"
#include "op/resource.h"
#include "tensor/tensor.h"

struct kctx;
struct variable {
    struct resource base;
    struct lock lock;
    int dtype;
    bool copy_on_read;   /* guarded by lock; never goes back */
    int sparse_copies;   /* guarded by lock: made by sparse writes, one after another */
    struct tensor value; /* guarded by lock; dtype DT_INVALID: uninitialised */
    char *name;          /* for messages; owned */
    char *container;     /* where it is found under that name; owned. NULL: it is not found so */
    struct shape shape;  /* as declared; rank unknown: any. Set before the variable is shared */
    struct buffer edge;  /* what reference values hold; see variable_edge_ref */
};
extern const struct resource_type variable_type;

struct variable *variable_new(const char *name, int dtype);
/* The caller holds a reference of either kind. */
struct variable *variable_ref(struct variable *v);
static inline void variable_unref(struct variable *v)
{
    if (v)
        resource_unref(&v->base);
}
/* A reference in the form of a buffer, for values of reference type: buffer_ref and buffer_unref
 * count it, and the variable lives while either count does. */
struct buffer *variable_edge_ref(struct variable *v);
bool variable_initialized(struct variable *v);
/* A snapshot in *out. FAILED_PRECONDITION "Attempting to use uninitialized value NAME" when there
 * is none. */
MUST_CHECK bool variable_read(struct variable *v, struct tensor *out, struct status *st);
/* Takes *t as the new value; it may not be borrowed (kernel_in_keep gives one that is not). */
void variable_assign(struct variable *v, struct tensor *t);
/* Whether v may become a value of this shape, as Assign with validate_shape asks; else
 * INVALID_ARGUMENT. */
MUST_CHECK bool variable_accepts(struct variable *v, const struct shape *shape, struct status *st);
/* The variable behind input i, a handle, made where there is none: referenced for the caller. NULL:
 * no handle, or one of a variable of another type. */
struct variable *variable_of_handle(struct kctx *c, int i, int dtype, struct status *st) MUST_CHECK;
/* For updates: locks v and gives its value, made writable (sole, or copied; too many copies for
 * `sparse` make it copy-on-read). End with variable_write_end, also after changes failed. */
MUST_CHECK bool variable_write_begin(struct variable *v, bool sparse, struct tensor **value,
                                     struct status *st);
void variable_write_end(struct variable *v);
/* The same for several variables at once, locked in address order; duplicates are fine. n <= 8. */
MUST_CHECK bool variable_write_begin_all(struct variable *const *v, int n, bool sparse,
                                         struct tensor **values, struct status *st);
void variable_write_end_all(struct variable *const *v, int n);

#endif
