/* SPDX-License-Identifier: Apache-2.0 */
/* A server in a process of its own, one per process that replays: sessions go there over gRPC. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/files.h"
#include "common/wire.h"
#include "traces/trace.h"

/* ServerDef and what is in it; see the tables of messages. */
enum {
    SERVER_CLUSTER = 1,
    SERVER_JOB = 2,
    SERVER_CONFIG = 4,
    SERVER_PROTOCOL = 5,
    CLUSTER_JOB = 1,
    JOB_NAME = 1,
    JOB_TASKS = 2,
    TASK_ADDRESS = 2,
    CONFIG_DEVICES = 1,
    DEVICE_NAME = 1,
    DEVICE_COUNT_TAG = 2 << 3,
    ISOLATE_TAG = 15 << 3,
};

static struct bytes text(const char *s)
{
    return (struct bytes){(const uint8_t *)s, strlen(s)};
}

static void put_message(struct text *out, uint32_t number, struct text *message)
{
    wire_put_bytes(out, number, text_bytes(message));
    text_release(message);
}

/* One task, whose job has the name of devices of sessions in process, with as many devices as the
 * recordings ask for at most. */
static void server_def(struct text *out)
{
    struct text task = {0}, job = {0}, cluster = {0}, devices = {0}, config = {0};
    wire_put_bytes(&task, TASK_ADDRESS, text("localhost:0"));
    wire_put_bytes(&job, JOB_NAME, text("localhost"));
    put_message(&job, JOB_TASKS, &task);
    put_message(&cluster, CLUSTER_JOB, &job);
    put_message(out, SERVER_CLUSTER, &cluster);
    wire_put_bytes(out, SERVER_JOB, text("localhost"));
    wire_put_bytes(&devices, DEVICE_NAME, text("CPU"));
    wire_put_varint(&devices, DEVICE_COUNT_TAG);
    wire_put_varint(&devices, 3);
    put_message(&config, CONFIG_DEVICES, &devices);
    put_message(out, SERVER_CONFIG, &config);
    wire_put_bytes(out, SERVER_PROTOCOL, text("grpc"));
}

/* The server's process: says its target, or what is wrong, and waits for its end. */
static _Noreturn void serve(int out)
{
    struct text def = {0};
    TF_Status *status = TF_NewStatus();
    server_def(&def);
    TF_Server *server = TF_NewServer(def.p, def.n, status);
    if (TF_GetCode(status) == TF_OK)
        TF_ServerStart(server, status);
    if (TF_GetCode(status) == TF_OK)
        dprintf(out, "%s\n", TF_ServerTarget(server));
    else
        dprintf(out, "!%s\n", TF_Message(status));
    for (;;)
        pause();
}

const char *target_of_server(void)
{
    static char line[1024];
    int ends[2];
    if (line[0])
        return line;
    if (pipe(ends) != 0)
        abort();
    pid_t parent = getpid();
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        close(ends[0]);
        serve(ends[1]);
    }
    close(ends[1]);
    FILE *f = fdopen(ends[0], "r");
    if (!f || !fgets(line, sizeof line, f))
        snprintf(line, sizeof line, "!the server's process ended");
    if (f)
        fclose(f);
    line[strcspn(line, "\n")] = 0;
    return line;
}

void target_isolate(struct text *config)
{
    wire_put_varint(config, ISOLATE_TAG);
    wire_put_varint(config, 1);
}
