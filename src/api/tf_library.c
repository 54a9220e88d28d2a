/* SPDX-License-Identifier: Apache-2.0 */
/* Plug-ins: shared objects that register ops and kernels (ops.h, kernels.h) while they are loaded,
 * in constructors or in TF_InitKernel; and listeners to what graphs print.
 *
 * An object stays loaded for ever, since what it registered does. What it registered, or why it
 * failed, is kept by object, so that loading it again gives the same answer. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "api/api_tensor.h"
#include "api/plugin.h"
#include "api/registry_proto.h"
#include "base/log.h"
#include "base/mem.h"
#include "proto/leat_proto.h"

struct object { /* a loaded file */
    void *handle;
    struct pb_op_list *ops; /* in arena */
    struct arena arena;
    struct status failed;
    struct object *next;
};

struct TF_Library {
    TF_Buffer *ops;
};

/* One load at a time, whose initialisation may load others: hence recursive and no struct lock. The
 * initialisation runs under the dynamic linker's own lock of that kind anyway. */
static pthread_mutex_t loading = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct object *objects;                   /* guarded by loading */
static _Thread_local struct object *now_loading; /* who registers ops on this thread, or NULL */

void plugin_note_op(const char *name, const struct status *st)
{
    struct object *o = now_loading;
    if (!o)
        return;
    if (!status_ok(st))
        status_copy(&o->failed, st); /* the first one counts */
    const struct op *op = status_ok(st) ? op_find(name) : NULL;
    if (op)
        api_list_op(&o->arena, op, o->ops);
}

/* A plug-in finds our functions in what is loaded globally, unless it names us itself. */
static void become_global(void)
{
    Dl_info us;
    if (!dladdr((void *)(uintptr_t)become_global, &us) || !us.dli_fname)
        return;
    void *self = dlopen(us.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    if (self)
        dlclose(self); /* the flag stays */
    else
        (void)dlerror();
}

static bool fail_load(const char *file, struct status *st)
{
    const char *why = dlerror();
    status_not_found(st, "%s", why ? why : file);
    if (why && (strstr(why, "N10tensorflow") || strstr(why, "NK10tensorflow")))
        status_append(st, " (the file was built against TensorFlow's C++ classes, which Leat does "
                          "not have: write plug-ins against tensorflow/c/ops.h and kernels.h)");
    else if (why && strstr(why, "undefined symbol: TF"))
        status_append(st, " (Leat has no such function)");
    return false;
}

/* TF_InitKernel, if the object itself has one and not another that it needs. */
static void run_init(void *handle)
{
    Dl_info info;
    void *owner = NULL;
    void *symbol = dlsym(handle, "TF_InitKernel");
    if (!symbol || !dladdr1(symbol, &info, &owner, RTLD_DL_LINKMAP) || owner != handle)
        return;
    void (*init)(void);
    memcpy(&init, &symbol, sizeof init);
    init();
}

static struct object *find_object(const void *handle)
{
    struct object *o = objects;
    while (o && o->handle != handle)
        o = o->next;
    return o;
}

static void free_object(struct object *o)
{
    arena_release(&o->arena);
    status_clear(&o->failed);
    mem_free(o);
}

/* The object of the file, loaded now or before; loading is held. */
static struct object *load_object(const char *file, struct status *st)
{
    struct object *o = mem_new(struct object), *before = now_loading;
    o->ops = pb_op_list_new(&o->arena);
    now_loading = o;
    o->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    struct object *known = o->handle ? find_object(o->handle) : NULL;
    if (!o->handle)
        (void)fail_load(file, st);
    else if (!known)
        run_init(o->handle);
    now_loading = before;
    if (o->handle && !known) {
        o->next = objects;
        objects = o;
        return o;
    }
    if (known)
        dlclose(o->handle); /* counted twice */
    free_object(o);
    return known;
}

static TF_Library *load(const char *file, struct status *st)
{
    become_global();
    struct object *o = load_object(file, st);
    if (!o)
        return NULL;
    if (!status_ok(&o->failed)) {
        status_copy(st, &o->failed);
        return NULL;
    }
    TF_Buffer *ops = api_buffer_of(o->ops, st);
    if (!ops)
        return NULL;
    TF_Library *lib = mem_new(struct TF_Library);
    lib->ops = ops;
    return lib;
}

TF_Library *TF_LoadLibrary(const char *library_filename, TF_Status *status)
{
    struct status st = {0};
    TF_Library *lib = NULL;
    if (!library_filename || !library_filename[0]) {
        status_invalid(&st, "TF_LoadLibrary: no file is named");
    } else {
        pthread_mutex_lock(&loading);
        lib = load(library_filename, &st);
        pthread_mutex_unlock(&loading);
    }
    api_return(status, &st);
    return lib;
}

TF_Buffer TF_GetOpList(TF_Library *lib_handle)
{
    return lib_handle ? *lib_handle->ops : (TF_Buffer){0};
}

void TF_DeleteLibraryHandle(TF_Library *lib_handle)
{
    if (!lib_handle)
        return;
    TF_DeleteBuffer(lib_handle->ops);
    mem_free(lib_handle);
}

void TF_RegisterLogListener(void (*listener)(const char *))
{
    if (listener)
        log_add_listener(listener);
}
