/* SPDX-License-Identifier: Apache-2.0 */
/* ReadFile, WriteFile and MatchingFiles. A file is read whole into one string; it is written under
 * another name first, so that it is never there in part. */
#include "base/mem.h"
#include "io/folder.h"
#include "io/input.h"
#include "io/output.h"
#include "ops/io/common.h"

static bool want_scalar(const struct kctx *c, int k, const char *what, struct status *st)
{
    if (tensor_rank(kernel_in(c, k)) == 0)
        return true;
    char *shape = io_shape_text(&kernel_in(c, k)->shape);
    status_invalid(st, "%s tensor must be scalar, but had shape: %s", what, shape);
    mem_free(shape);
    return false;
}

/* --- ReadFile --- */

static bool read_run(struct kctx *c, struct status *st)
{
    struct input in;
    if (!want_scalar(c, 0, "Input filename", st))
        return false;
    struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    char *path = out ? io_path(c, 0, 0, st) : NULL;
    bool ok = path && input_open(&in, path, st);
    mem_free(path);
    if (!ok)
        return false;
    char *to = tstr_resize(tensor_str(out), (size_t)in.size);
    ok = to ? input_read(&in, 0, to, in.size, "the file", st)
            : status_exhausted(st, "%s: no memory for %lld bytes", in.name, (long long)in.size);
    input_close(&in);
    return ok;
}

static bool scalars_shape(struct infer_ctx *c, struct status *st)
{
    for (int i = 0; i < infer_num_inputs(c); i++)
        if (!io_want_rank(c, i, 0, st))
            return false;
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, infer_scalar(c));
    return true;
}

OP_DEF(read_file) = {
    .name = "ReadFile",
    .summary = "All bytes of a file.",
    .inputs = {"filename: string"},
    .outputs = {"contents: string"},
    .shape = scalars_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(read_file_cpu) = {
    .op = "ReadFile", .device = "CPU", .flags = KERNEL_BLOCKING, .run = read_run};

/* --- WriteFile --- */

static bool make_folders(const char *path, struct status *st)
{
    struct str folder = path_folder(path);
    char *text = mem_strndup(folder.p, folder.n);
    bool ok = folder_make(text, st);
    mem_free(text);
    return ok;
}

static bool write_run(struct kctx *c, struct status *st)
{
    if (!want_scalar(c, 0, "Input filename", st) || !want_scalar(c, 1, "Contents", st))
        return false;
    char *path = io_path(c, 0, 0, st);
    const struct tstr *contents = tensor_str(kernel_in(c, 1));
    bool ok = path && make_folders(path, st) &&
              output_file(path, tstr_data(contents), tstr_len(contents), st);
    mem_free(path);
    return ok;
}

OP_DEF(write_file) = {
    .name = "WriteFile",
    .summary = "Writes a string as a file, whose folders are made where they are missing.",
    .inputs = {"filename: string", "contents: string"},
    .flags = OP_STATEFUL,
    .shape = scalars_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(write_file_cpu) = {
    .op = "WriteFile", .device = "CPU", .flags = KERNEL_BLOCKING, .run = write_run};

/* --- MatchingFiles --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_matches(const struct kctx *c, int64_t i, struct path_list *all, struct status *st)
{
    struct path_list found = {0};
    char *pattern = io_path(c, 0, i, st);
    bool ok = pattern && path_glob(pattern, &found, st);
    for (int64_t k = 0; k < found.n; k++)
        path_list_add(all, found.v[k]);
    path_list_release(&found);
    mem_free(pattern);
    return ok;
}

static bool match_run(struct kctx *c, struct status *st)
{
    const struct tensor *patterns = kernel_in(c, 0);
    struct path_list all = {0};
    bool ok = true;
    if (tensor_rank(patterns) > 1) {
        char *shape = io_shape_text(&patterns->shape);
        status_invalid(st, "Input patterns tensor must be scalar or vector, but had shape: %s",
                       shape);
        mem_free(shape);
        return false;
    }
    for (int64_t i = 0; ok && i < patterns->num_elems; i++)
        ok = add_matches(c, i, &all, st);
    if (all.n > 0)
        qsort(all.v, (size_t)all.n, sizeof *all.v, by_text);
    struct shape shape = shape_1(all.n);
    struct tensor *out = ok ? kernel_out(c, 0, &shape, st) : NULL;
    for (int64_t i = 0; out && i < all.n; i++)
        if (!tstr_set(&tensor_str(out)[i], all.v[i], strlen(all.v[i]))) {
            status_exhausted(st, "no memory for names");
            out = NULL;
        }
    path_list_release(&all);
    return out != NULL;
}

static bool match_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank_max(c, infer_input(c, 0), 1, &s, st))
        return false;
    infer_set(c, 0, infer_vector(c, DIM_UNKNOWN));
    return true;
}

OP_DEF(matching_files) = {
    .name = "MatchingFiles",
    .summary = "The names of the files that match any of the patterns, sorted.",
    .description = "Patterns have *, ?, [a-z] and \\x in any part of a path.",
    .inputs = {"pattern: string"},
    .outputs = {"filenames: string"},
    .shape = match_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(matching_files_cpu) = {
    .op = "MatchingFiles", .device = "CPU", .flags = KERNEL_BLOCKING, .run = match_run};
