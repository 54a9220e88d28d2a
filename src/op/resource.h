/* SPDX-License-Identifier: Apache-2.0 */
/* Resources: counted objects that outlive a kernel call, found by (container, type, name) in one of
 * three scopes: the process, the container of the session or task, and the step.
 *
 * A map is thread-safe. A resource dies when its last reference goes; removal from the map (or the
 * end of the scope) drops the map's reference only. */
#ifndef LEAT_OP_RESOURCE_H
#define LEAT_OP_RESOURCE_H

#include "base/status.h"
#include "base/str.h"
#include "tensor/tensor.h"

struct resource;
struct resource_type {
    const char *name; /* TensorFlow's type name where handles show it: "N10tensorflow3VarE" */
    void (*release)(struct resource *);                      /* frees the object */
    void (*describe)(struct resource *, struct strbuf *out); /* for introspection; may be NULL */
};
struct journal;   /* op/notes.h */
struct resource { /* first member of each resource's struct */
    int refs;     /* atomic; starts at 1 */
    const struct resource_type *type;
    struct journal *journal; /* owned; NULL: nobody notes its changes */
};

void resource_init(struct resource *r, const struct resource_type *type);
void resource_ref(struct resource *r);
void resource_unref(struct resource *r); /* NULL is fine */

struct resource_map;
/* "localhost" for a session; "" (a step's map) stands for "__step". */
struct resource_map *resource_map_new(const char *default_container);
void resource_map_free(struct resource_map *m); /* drops its references; NULL is fine */
const char *resource_map_default(const struct resource_map *m); /* the default container's name */
/* The process's own scope; never freed. */
struct resource_map *resource_process_map(void);
/* container "" means the default. A found resource is referenced for the caller. */
struct resource *resource_find(struct resource_map *m, const char *container,
                               const struct resource_type *type, const char *name);
/* NOT_FOUND "Resource C/NAME/TYPE does not exist." */
struct resource *resource_get(struct resource_map *m, const char *container,
                              const struct resource_type *type, const char *name,
                              struct status *st) MUST_CHECK;
/* ALREADY_EXISTS when the name is taken; takes the caller's reference on success. */
MUST_CHECK bool resource_create(struct resource_map *m, const char *container, const char *name,
                                struct resource *r, struct status *st);
/* Finds, or makes with make(arg) under the map's lock (make takes no lock above RESOURCE_MAP).
 * Referenced for the caller. */
struct resource *resource_find_or_make(struct resource_map *m, const char *container,
                                       const struct resource_type *type, const char *name,
                                       struct resource *(*make)(void *arg, struct status *st),
                                       void *arg, struct status *st) MUST_CHECK;
MUST_CHECK bool resource_remove(struct resource_map *m, const char *container,
                                const struct resource_type *type, const char *name,
                                struct status *st);
/* By the type's name, as DestroyResourceOp has it. */
MUST_CHECK bool resource_remove_named(struct resource_map *m, const char *container,
                                      const char *type_name, const char *name, struct status *st);
/* Calls fn for each resource of the map, in no order, without a lock; what comes meanwhile may be
 * left out. Names are borrowed for the call. */
void resource_each(struct resource_map *m,
                   void (*fn)(void *arg, const char *container, const char *name,
                              struct resource *r),
                   void *arg);
/* Who is told, under the map's lock, what is put into the map and what is taken out of it. Set
 * before the map is used. */
struct resource_watch {
    void (*came)(void *arg, const char *container, const char *name, struct resource *r);
    void (*went)(void *arg, struct resource *r);
    void *arg;
};
void resource_map_watch(struct resource_map *m, const struct resource_watch *w);
void resource_clear_all(struct resource_map *m);
void resource_clear_container(struct resource_map *m, const char *container);

/* --- handles --- */
/* A RESOURCE scalar for (container, name, type) on this kernel's device. */
struct kctx;
MUST_CHECK bool resource_make_handle(struct kctx *c, const char *container, const char *name,
                                     const struct resource_type *type, struct tensor *out,
                                     struct status *st);
/* The map of the step, the process or the container scope that a handle with this container means:
 * the step's (process's) when the name is that map's default container. May be NULL. */
struct resource_map *resource_scope(const struct kctx *c, const char *container);
/* What input i, a RESOURCE scalar, stands for: referenced for the caller. INVALID_ARGUMENT for
 * another type, NOT_FOUND when it is gone ("Resource ... does not exist"). */
struct resource *resource_from_input(struct kctx *c, int i, const struct resource_type *type,
                                     struct status *st) MUST_CHECK;
/* The scope that names of this kernel's resources live in; attrs container and shared_name, else
 * the node's name: TensorFlow's ContainerInfo. Names are arena-free: borrowed from the kernel. */
void resource_names(const struct kctx *c, bool use_node_name, const char **container,
                    const char **name);

#endif
