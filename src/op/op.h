/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: op definitions parsed from their specs, found by name; and what follows from a
 * spec and a node's attrs: the types of its inputs and outputs, and whether the attrs are valid.
 *
 * Built-in definitions are parsed at first use; definitions of plug-ins and the signatures of
 * functions become struct op the same way. A struct op is immutable; thread-safe. */
#ifndef LEAT_OP_OP_H
#define LEAT_OP_OP_H

#include "op/attr.h"
#include "op/op_def.h"

struct op_arg {
    const char *name;
    int type;          /* fixed type, else DT_INVALID */
    int type_attr;     /* index in op->attrs of the type (or list(type)) attr, else -1 */
    int number_attr;   /* index of N in "N * T", else -1 */
    bool is_list_type; /* type_attr is a list(type) */
    bool is_ref;
};
struct op_attr {
    const char *name;
    int kind; /* enum attr_kind */
    bool is_list;
    bool has_min;
    int64_t min;
    dtype_set types;          /* allowed types; 0: any */
    const uint8_t *type_list; /* the same in the order declared, num_types of them */
    int num_types;
    const struct str *strings;       /* allowed strings */
    int num_strings;                 /* 0: any */
    struct attr_value default_value; /* kind NONE: required */
};
struct op {
    const struct op_def *def;
    const char *name;
    struct op_arg *inputs, *outputs;
    struct op_attr *attrs;
    int num_inputs, num_outputs, num_attrs; /* declared, not expanded */
    struct arena *arena;                    /* holds all of the above */
    const void *function; /* a graph function whose signature this is, else NULL */
};

const struct op *op_find(const char *name); /* NULL: no such op */
/* NOT_FOUND, with TensorFlow's words. */
const struct op *op_get(const char *name, struct status *st) MUST_CHECK;
/* All of them, by name. Calls fn for each until it returns false. */
void op_each(bool (*fn)(const struct op *op, void *arg), void *arg);
/* For plug-ins: def must live for ever. ALREADY_EXISTS when the name is taken. */
MUST_CHECK bool op_register(const struct op_def *def, struct status *st);
/* Parses a definition that the caller keeps and frees; INVALID_ARGUMENT says where it is wrong. */
struct op *op_parse(const struct op_def *def, struct status *st) MUST_CHECK;
void op_free(struct op *op);

const struct op_attr *op_attr_find(const struct op *op, const char *name);

/* Types of the expanded inputs (outputs) of a node with these attrs; reference types + DT_REF.
 * *types: mem_alloc'd array of *n, the caller's. */
MUST_CHECK bool op_input_types(const struct op *op, const struct attrs *attrs, int **types, int *n,
                               struct status *st);
MUST_CHECK bool op_output_types(const struct op *op, const struct attrs *attrs, int **types, int *n,
                                struct status *st);
/* How many expanded values argument `arg` (of inputs or outputs) has. */
MUST_CHECK bool op_arg_len(const struct op *op, const struct op_arg *arg, const struct attrs *attrs,
                           int64_t *n, struct status *st);
/* Puts in absent attrs that have defaults. */
void op_fill_defaults(const struct op *op, struct attrs *attrs);
/* Each declared attr is there, of its kind, in its range; attrs that are not declared must begin
 * with '_'. Messages as TensorFlow's ("NodeDef missing attr 'T' from Op<...>"...). */
MUST_CHECK bool op_check_attrs(const struct op *op, const struct attrs *attrs,
                               const char *node_name, struct status *st);
/* "Op<name=Add; signature=x:T, y:T -> z:T; attr=T:type,allowed=[DT_FLOAT...]>": TensorFlow's text.
 * Appends. */
void op_print(const struct op *op, struct strbuf *out);

#endif
