/* SPDX-License-Identifier: Apache-2.0 */
/* The leat command: finds the command, runs it, and says in one line what went wrong. */
#include <stdio.h>

#include "cli/cli.h"

static const struct command {
    const char *name, *what, *usage;
    bool (*run)(struct args args, struct status *st);
} commands[] = {
    {"demo", "train models on real data that comes with Leat", demo_usage, demo_main},
    {"run", "run a saved graph on .npy files or numbers", run_usage, run_main},
    {"inspect", "say what a file or folder holds", inspect_usage, inspect_main},
    {"convert", "freeze, strip or cut a graph; change its form", convert_usage, convert_main},
    {"serve", "be a task of a cluster", serve_usage, serve_main},
    {"cluster", "run a command on a local cluster; check a cluster", cluster_usage, cluster_main},
    {"bench", "measure this library on this machine", bench_usage, bench_main},
    {"info", "list the ops, kernels and devices", info_usage, info_main},
    {"task", NULL, task_usage, task_main}, /* what demo and bench start for themselves */
};

static void print_help(FILE *to)
{
    fputs("leat builds, differentiates and runs dataflow graphs of tensors.\n\n", to);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (commands[i].what)
            fprintf(to, "  leat %-7s %s\n", commands[i].name, commands[i].what);
    fputs("\n`leat COMMAND --help` tells more. To begin, try: leat demo\n", to);
}

static const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static const struct command *command_near(const char *name)
{
    const struct command *best = &commands[0];
    for (size_t i = 1; i < ARRAY_LEN(commands); i++) {
        if (commands[i].what &&
            str_distance(commands[i].name, name) < str_distance(best->name, name))
            best = &commands[i];
    }
    return best;
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int command_run(const struct command *c, int n, char **words)
{
    for (int i = 0; i < n && strcmp(words[i], "--") != 0; i++) {
        if (asks_help(words[i])) {
            fputs(c->usage, stdout);
            return 0;
        }
    }
    struct status st = {0};
    int code = 0;
    if (!c->run((struct args){words, n}, &st)) {
        fprintf(stderr, "leat %s: %s\n", c->name, status_message(&st));
        code = st.code == STATUS_INVALID_ARGUMENT ? 2 : 1;
    }
    status_clear(&st);
    if (fflush(stdout) != 0 && code == 0) {
        fprintf(stderr, "leat %s: the output cannot be written\n", c->name);
        code = 1;
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2 || asks_help(argv[1])) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "help") == 0) {
        const struct command *about = argc > 2 ? command_find(argv[2]) : NULL;
        if (about)
            fputs(about->usage, stdout);
        else
            print_help(stdout);
        return 0;
    }
    const struct command *c = command_find(argv[1]);
    if (!c) {
        fprintf(stderr,
                "leat: there is no command %s; did you mean `leat %s`? `leat --help` lists all\n",
                argv[1], command_near(argv[1])->name);
        return 2;
    }
    return command_run(c, argc - 2, argv + 2);
}
