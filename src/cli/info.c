/* SPDX-License-Identifier: Apache-2.0 */
/* leat info: what the library has, for people and, with --tsv, for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "cli/cli.h"
#include "leat/info.h"
#include "leat/scope.h"

const char info_usage[] =
    "leat info ops [--tsv]      each op: group, types with a CPU kernel, gradient or why none\n"
    "leat info ops NAME...      all about these ops: inputs, outputs, attributes and defaults\n"
    "leat info kernels [--tsv]  each kernel: op, device, types, label, priority\n"
    "leat info devices [--tsv]  each device of this machine: name, type, bytes of memory\n"
    "--tsv prints a head line and columns with tabs between them.\n"
    "leat/leat_ops.h has each op's C function with the same documentation.\n";

/* The registered name with the fewest edits; case does not count. */
static const char *nearest_op(const char *name)
{
    const char *best = NULL;
    int best_distance = 0;
    struct leat_op_info op;
    for (int i = 0; leat_op_info(i, &op); i++) {
        int distance = strcasecmp(op.name, name) == 0 ? 0 : str_distance(op.name, name);
        if (!best || distance < best_distance) {
            best = op.name;
            best_distance = distance;
        }
    }
    return best;
}

static bool info_op(const char *name, struct status *st)
{
    char *doc = leat_op_doc(name);
    if (!doc) {
        const char *near = nearest_op(name);
        return status_not_found(st, "there is no op %s%s%s; `leat info ops` lists all", name,
                                near ? "; the nearest is " : "", near ? near : "");
    }
    fputs(doc, stdout);
    leat_free(doc);
    return true;
}

static bool info_ops(bool tsv, struct status *st)
{
    (void)st;
    struct leat_op_info op;
    if (tsv)
        printf("op\tgroup\tcpu_types\tgradient\n");
    for (int i = 0; leat_op_info(i, &op); i++) {
        if (tsv)
            printf("%s\t%s\t%s\t%s\n", op.name, op.group, op.cpu_types, op.gradient);
        else
            printf("%s (%s): %s\n    CPU: %s\n    gradient: %s\n", op.name, op.group, op.summary,
                   op.cpu_types, op.gradient);
    }
    if (!tsv)
        printf("%d ops\n", leat_num_ops());
    return true;
}

static bool info_kernels(bool tsv, struct status *st)
{
    (void)st;
    struct leat_kernel_info k;
    if (tsv)
        printf("op\tdevice\ttypes\tlabel\tpriority\n");
    for (int i = 0; leat_kernel_info(i, &k); i++) {
        if (tsv)
            printf("%s\t%s\t%s\t%s\t%d\n", k.op, k.device, k.types, k.label, k.priority);
        else
            printf("%s on %s%s%s%s%s\n", k.op, k.device, k.types[0] ? ", " : "", k.types,
                   k.label[0] ? ", label " : "", k.label);
    }
    if (!tsv)
        printf("%d kernels\n", leat_num_kernels());
    return true;
}

static void print_devices(const TF_DeviceList *list, bool tsv, TF_Status *s)
{
    if (tsv)
        printf("device\ttype\tmemory_bytes\n");
    for (int i = 0; i < TF_DeviceListCount(list); i++) {
        const char *name = TF_DeviceListName(list, i, s), *type = TF_DeviceListType(list, i, s);
        int64_t bytes = TF_DeviceListMemoryBytes(list, i, s);
        if (tsv)
            printf("%s\t%s\t%" PRId64 "\n", name, type, bytes);
        else
            printf("%s: %s, %" PRId64 " MiB\n", name, type, bytes >> 20);
    }
}

static bool info_devices(bool tsv, struct status *st)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *graph = TF_NewGraph();
    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_Session *session = TF_NewSession(graph, options, s);
    TF_DeviceList *list = session ? TF_SessionListDevices(session, s) : NULL;
    bool ok = cli_ok(s, st);
    if (list)
        print_devices(list, tsv, s);
    TF_DeleteDeviceList(list);
    if (session)
        TF_DeleteSession(session, s);
    TF_DeleteSessionOptions(options);
    TF_DeleteGraph(graph);
    TF_DeleteStatus(s);
    return ok;
}

/* Docs of the ops named. */
static bool info_named(struct args names, struct status *st)
{
    for (int i = 0; i < names.n; i++) {
        if (!info_op(names.words[i], st))
            return false;
    }
    return true;
}

bool info_main(struct args args, struct status *st)
{
    bool tsv = false;
    int n = 0;
    for (int i = 0; i < args.n; i++) {
        if (strcmp(args.words[i], "--tsv") == 0)
            tsv = true;
        else if (args.words[i][0] == '-')
            return args_unknown("info", args.words[i], st);
        else
            args.words[n++] = args.words[i];
    }
    if (n == 0)
        return status_invalid(st, "say what to list: ops, kernels or devices");
    bool ops = strcmp(args.words[0], "ops") == 0;
    if (ops && n > 1 && !tsv)
        return info_named((struct args){args.words + 1, n - 1}, st);
    if (n > 1)
        return args_unknown("info", args.words[1], st);
    if (ops)
        return info_ops(tsv, st);
    if (strcmp(args.words[0], "kernels") == 0)
        return info_kernels(tsv, st);
    if (strcmp(args.words[0], "devices") == 0)
        return info_devices(tsv, st);
    return status_invalid(st, "%s cannot be listed: ops, kernels or devices can", args.words[0]);
}
