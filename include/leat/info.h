/* SPDX-License-Identifier: Apache-2.0 */
/* What the library holds: its ops and kernels, as texts to show or to parse.
 *
 * The lists are made at the first call, of what is registered then, and live as long as the
 * process; every text is owned by the library and never NULL. Any thread. */
#ifndef LEAT_INFO_H
#define LEAT_INFO_H

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* functions that are called like a struct */
#endif

#ifndef LEAT_EXPORT
#define LEAT_EXPORT __attribute__((visibility("default")))
#endif

struct leat_op_info {
    const char *name;    /* "MatMul" */
    const char *group;   /* the family it belongs to, "matrix"; "" for a plug-in's */
    const char *summary; /* one sentence */
    /* Types of its type attributes for which a CPU kernel exists: "T=float,double Tidx=int32";
     * "any" for an op without such attributes; "none: REASON" where there is no kernel. */
    const char *cpu_types;
    const char *gradient; /* "yes", or "none: REASON" */
};

struct leat_kernel_info {
    const char *op, *device; /* "MatMul", "CPU" */
    const char *types;       /* "T: {float, double}; Tidx: {int32}", "" for all */
    const char *label;       /* chosen by the attribute _kernel; mostly "" */
    int priority;            /* the highest of those that fit is taken */
};

/* How many ops there are; they are sorted by name. */
LEAT_EXPORT int leat_num_ops(void);
/* Fills *out with op `index`: 1, or 0 when there is none (*out is unchanged). */
LEAT_EXPORT int leat_op_info(int index, struct leat_op_info *out);
/* What there is to know of the op of this name, as lines to read: inputs, outputs, attributes with
 * their defaults, CPU types, gradient. NULL: there is no such op. The caller frees it with
 * leat_free (leat/scope.h). Any thread. */
LEAT_EXPORT char *leat_op_doc(const char *name);
/* The same for programs, one fact a line, in the order of the definition:
 *     in NAME: SPEC               "in values: N * T", "in ref: Ref(T)"
 *     out NAME: SPEC
 *     attr NAME: SPEC [= DEFAULT] "attr T: {float, double}", "attr N: int >= 1",
 *                                 "attr pad: {\"SAME\", \"VALID\"} = \"SAME\""
 *     stateful | aggregate | commutative | uninitialized (references may hold nothing yet)
 *     deprecated VERSION TEXT
 *     summary TEXT                always the last
 * Types have short names (float, half, int32, resource...), texts stand between " with C escapes
 * (octal for bytes that do not print), lists between [ and ], shapes are [2,-1] or <unknown>,
 * functions { name: "f" }, tensors { dtype: uint8 tensor_shape { dim { size: 2 } } int_val: 1
 * int_val: 2 } (float_val for floating types). Covers ops that were registered at run time as well.
 * NULL: there is no such op. The caller frees it with leat_free (leat/scope.h). Any thread. */
LEAT_EXPORT char *leat_op_spec(const char *name);

/* The same for kernels, sorted by op. */
LEAT_EXPORT int leat_num_kernels(void);
LEAT_EXPORT int leat_kernel_info(int index, struct leat_kernel_info *out);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
