/* SPDX-License-Identifier: Apache-2.0 */
/* leat serve: a task of a cluster, until it is told to end (SIGTERM, SIGINT) or, at a ps, until the
 * others have left. The signals are blocked in all threads and waited for by one. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "leat/cluster.h"

const char serve_usage[] =
    "leat serve --job JOB --task N --cluster \"ps=HOST:PORT,...;worker=HOST:PORT,...\" [options]\n"
    "leat serve                       (the task that TF_CONFIG, or Slurm's environment, says)\n"
    "\n"
    "Serves as a task of a cluster of parameter servers and workers. A ps ends by itself, with 0,\n"
    "when all other tasks have left; LEAT_PS_EXIT=never turns that off. SIGTERM ends any task.\n"
    "\n"
    "  --job JOB --task N       which task of the cluster this is\n"
    "  --cluster TEXT           who is in it\n"
    "  --slurm JOBS             how Slurm's tasks are dealt: \"ps=1;worker=*\"\n"
    "  --slurm-port N           port of the first task on each host (8888)\n"
    "  --bind ADDRESS[:PORT]    listen there, not at the cluster's address; LEAT_BIND\n"
    "  --tls-cert F --tls-key F --tls-ca F   files of PEM; LEAT_TLS_CERT, _KEY, _CA\n"
    "  --token-file F           what both ends must know; LEAT_TOKEN_FILE\n"
    "  --insecure               plain text beyond this machine is fine; LEAT_INSECURE=1\n"
    "  --protocol P             grpc; grpc+ucx: tensors by shared memory or UCX; LEAT_PROTOCOL\n"
    "  --standbys LIST          processes that stand by: \"/job:ps/task:0=HOST:PORT,...\", told "
    "to\n"
    "                           all tasks alike; LEAT_STANDBYS\n"
    "  --standby-of TASK        this is the one that stands by for /job:ps/task:0; "
    "LEAT_STANDBY_OF\n"
    "  --witness TASK           who decides which process serves (the chief); LEAT_WITNESS\n"
    "  --failure-deadline S     a task that is silent for so many seconds is lost (30)\n"
    "  --start-timeout S        a task that never came is waited for so many seconds (7200)\n";

static bool seconds(const char *text, int64_t *ms, struct status *st)
{
    double s;
    if (!str_to_double(str_of(text), &s) || !(s > 0) || s > 1e9)
        return status_invalid(st, "%s is no number of seconds", text);
    *ms = (int64_t)(s * 1000) > 0 ? (int64_t)(s * 1000) : 1;
    return true;
}

static bool number(const char *text, int *out, struct status *st)
{
    int64_t v;
    if (!str_to_i64(str_of(text), &v) || v < 0 || v > 1000000)
        return status_invalid(st, "%s is no number that fits here", text);
    *out = (int)v;
    return true;
}

/* Where the value of a word goes; NULL: it is no such word. */
static const char **text_of(struct leat_server_args *a, const char *word)
{
    const struct {
        const char *word;
        const char **to;
    } rows[] = {
        {"--job", &a->job},           {"--cluster", &a->cluster},
        {"--slurm", &a->slurm},       {"--bind", &a->bind},
        {"--tls-cert", &a->tls_cert}, {"--tls-key", &a->tls_key},
        {"--tls-ca", &a->tls_ca},     {"--token-file", &a->token_file},
        {"--standbys", &a->standbys}, {"--standby-of", &a->standby_of},
        {"--witness", &a->witness},   {"--protocol", &a->protocol},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(word, rows[i].word) == 0)
            return rows[i].to;
    }
    return NULL;
}

static bool read_word(struct args args, int *i, struct leat_server_args *a, struct status *st)
{
    const char *word = args.words[*i];
    if (strcmp(word, "--insecure") == 0) {
        a->insecure = 1;
        return true;
    }
    const char **text = text_of(a, word);
    bool known = text || strcmp(word, "--task") == 0 || strcmp(word, "--slurm-port") == 0 ||
                 strcmp(word, "--failure-deadline") == 0 || strcmp(word, "--start-timeout") == 0;
    const char *value = known ? args_value(args, i, st) : NULL;
    if (!known)
        return args_unknown("serve", word, st);
    if (!value)
        return false;
    if (text)
        *text = value;
    else if (strcmp(word, "--task") == 0)
        return number(value, &a->task, st);
    else if (strcmp(word, "--slurm-port") == 0)
        return number(value, &a->slurm_port, st);
    else
        return seconds(value,
                       strcmp(word, "--start-timeout") == 0 ? &a->start_timeout_ms
                                                            : &a->failure_deadline_ms,
                       st);
    return true;
}

static void *wait_for_signal(void *server)
{
    sigset_t set;
    int which;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigwait(&set, &which) == 0)
        TF_ServerStop(server, NULL);
    return NULL;
}

static bool serve(TF_Server *server, TF_Status *s, struct status *st)
{
    pthread_t thread;
    TF_ServerStart(server, s);
    if (!cli_ok(s, st))
        return false;
    printf("%s serves at %s\n", leat_server_name(server), TF_ServerTarget(server));
    fflush(stdout);
    if (pthread_create(&thread, NULL, wait_for_signal, server) != 0)
        return status_exhausted(st, "no thread can be started");
    TF_ServerJoin(server, s);
    pthread_kill(thread, SIGTERM); /* where it ended by itself; else it is over */
    pthread_join(thread, NULL);
    return cli_ok(s, st);
}

bool serve_main(struct args args, struct status *st)
{
    struct leat_server_args a = {.task = 0};
    sigset_t set;
    for (int i = 0; i < args.n; i++) {
        if (!read_word(args, &i, &a, st))
            return false;
    }
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    TF_Status *s = TF_NewStatus();
    TF_Server *server = leat_server_new(&a, s);
    bool ok = cli_ok(s, st) && serve(server, s, st);
    TF_DeleteServer(server);
    TF_DeleteStatus(s);
    return ok;
}
