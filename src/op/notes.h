/* SPDX-License-Identifier: Apache-2.0 */
/* What a resource that outlives steps says of its changes, so that another process can keep a copy:
 * by result, as tensors.
 *
 * A resource takes part by a REPLICATED_DEF of its type, in a file of its own: how to tell all it
 * holds, how to make one from that, and how to apply a change. Where it changes, under its lock, it
 * logs notes of the change (changes_log), together with the op that did it. Nobody else need know
 * the type; a resource without a journal (no task notes its changes) logs nothing. */
#ifndef LEAT_OP_NOTES_H
#define LEAT_OP_NOTES_H

#include "op/resource.h"

enum { NOTE_MAKE = 0 }; /* kind of a snapshot's first: a new one, empty, in the place of the old */

struct note { /* zeroed: empty, of kind 0; a type numbers its own kinds from 1 */
    int kind;
    struct tensor *values; /* owned */
    int n, cap;
    bool failed; /* there was no memory for it */
};
void note_put(struct note *n, const struct tensor *value); /* shares it */
void note_put_ints(struct note *n, const int64_t *v, int64_t num);
void note_put_int(struct note *n, int64_t v);
void note_put_bytes(struct note *n, const void *p, size_t num);
void note_put_shape(struct note *n, const struct shape *s);
void note_release(struct note *n);

/* Values of a note that a peer sent, one after another. INVALID_ARGUMENT where the next is none, or
 * not of that form. */
struct note_reader {
    struct tensor *values; /* borrowed; may be taken out of */
    int n, at;
};
struct tensor *note_get(struct note_reader *r, struct status *st) MUST_CHECK;
const int64_t *note_get_list(struct note_reader *r, int64_t *num, struct status *st) MUST_CHECK;
MUST_CHECK bool note_get_ints(struct note_reader *r, int64_t *out, int64_t num, struct status *st);
/* Exactly so many bytes. */
MUST_CHECK bool note_get_bytes(struct note_reader *r, void *out, size_t num, struct status *st);
/* The caller clears it. */
MUST_CHECK bool note_get_shape(struct note_reader *r, struct shape *out, struct status *st);

typedef void (*note_say_fn)(void *arg, struct note *n); /* what n holds is taken */

struct replicated_def {
    const struct resource_type *type;
    /* Says all there is, the NOTE_MAKE first; under r's lock, so that no change comes between. */
    void (*tell)(struct resource *r, note_say_fn say, void *arg);
    /* From a NOTE_MAKE; NULL: it says nothing sensible. */
    struct resource *(*make)(const char *name, struct note_reader *in, struct status *st);
    /* Of another kind, to a copy that nobody waits for. What it says is a peer's word: checked. */
    bool (*apply)(struct resource *r, int kind, struct note_reader *in, struct status *st);
};
#define REPLICATED_DEF(id)                                                                         \
    extern const struct replicated_def leat_replicated_def_##id;                                   \
    const struct replicated_def leat_replicated_def_##id

extern const struct replicated_def
    *const leat_all_replicated_defs[]; /* NULL at the end; made by the build */
/* NULL: resources of this type are not replicated. */
const struct replicated_def *replicated_find(const char *type_name);

struct changes;  /* op/changes.h */
struct journal { /* its resource's; set before others see that, and freed with it */
    struct changes *owner;
    const struct replicated_def *def;
    char *container, *name;
    /* guarded by the owner */
    uint64_t stream; /* which of the owner's has all of the resource */
    bool gone;       /* the resource is in no map any more */
};
struct journal *journal_new(struct changes *owner, const struct replicated_def *def,
                            const char *container, const char *name);
void journal_free(struct journal *j); /* NULL is fine */

#endif
