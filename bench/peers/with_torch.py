# SPDX-License-Identifier: Apache-2.0
"""The cases in PyTorch: modules, autograd and torch.optim, numpy arrays in, the loss out each step.

Its users have several ways to run a model on a CPU: eagerly, with torch.compile, and images in
channels-last order. A training case tries those that apply, each for a moment, and keeps the
fastest; a way that fails here (torch.compile needs a C++ compiler) is passed over."""
import os
import sys
import time

os.environ.setdefault('TORCHINDUCTOR_COMPILE_THREADS', '1')

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import common
import python_cases

WAY_SECONDS = 1.5


def uniform(shape, limit=1.0):
    return torch.empty(shape).uniform_(-limit, limit)


def note(why):
    print('with_torch: %s' % why, file=sys.stderr, flush=True)


def fastest(ways):
    """Of {name: function that builds a run}: the run that takes least."""
    best, least = None, float('inf')
    for name, make in ways.items():
        try:
            call = make()
            for _ in range(3):
                call()
            runs, start = 0, time.perf_counter()
            while time.perf_counter() - start < WAY_SECONDS:
                call()
                runs += 1
            each = (time.perf_counter() - start) / runs
        except Exception as e:  # whatever a compiler of theirs raises
            note('%s left out: %s' % (name, str(e).split('\n')[0][:200]))
            continue
        note('%s %.4g ms' % (name, each * 1e3))
        if each < least:
            best, least = call, each
    return best


# ---- nodes, products, convolutions, chains

def node_chain():
    """A traced chain without fusion; its inputs are scalars, so nothing is folded away."""
    def chain(x, one):
        for _ in range(common.CHAIN_NODES):
            x = x + one
        return x
    x, one = torch.tensor(1.0), torch.tensor(1.0)
    traced = torch.jit.trace(chain, (x, one), check_trace=False)
    torch._C._jit_set_texpr_fuser_enabled(False)

    def call():
        with torch.inference_mode():
            traced(x, one)
    return call


def gemm(part):
    m, n, k, ta, tb = common.gemm_part(part)
    a, b = uniform([k, m] if ta else [m, k]), uniform([n, k] if tb else [k, n])
    a, b = a.T if ta else a, b.T if tb else b
    out = torch.empty([m, n])
    return lambda: torch.mm(a, b, out=out)


def conv(part):
    batch, size, cin, cout, f, which = common.conv_part(part)
    last = dict(memory_format=torch.channels_last)
    x, y = uniform([batch, cin, size, size]).to(**last), uniform([batch, cout, size, size]).to(**last)
    w = uniform([cout, cin, f, f]).to(**last)
    kind = dict(stride=1, padding=f // 2)
    if which == 'forward':
        return lambda: F.conv2d(x, w, **kind)
    if which == 'data':
        return lambda: nn.grad.conv2d_input(x.shape, w, y, **kind)
    return lambda: nn.grad.conv2d_weight(x, w.shape, y, **kind)


def ewise(part):
    x = uniform([common.ewise_part(part)])

    def chain(x):
        for op, c in common.ewise_constants():
            x = x + c if op == 'add' else x * c if op == 'mul' else torch.clamp(x, min=c)
        return x

    def in_place(x):
        y = torch.empty_like(x)
        first = True
        for op, c in common.ewise_constants():
            source = x if first else y
            first = False
            if op == 'max':
                torch.clamp(source, min=c, out=y)
            else:
                (torch.add if op == 'add' else torch.mul)(source, c, out=y)
        return y
    return fastest({'in place': lambda: lambda: in_place(x),
                    'compiled': lambda: (lambda f: lambda: f(x))(torch.compile(chain))})


# ---- training

class Classifier(nn.Module):
    """A model with its loss, so that a compiler sees both."""

    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x, y):
        return F.cross_entropy(self.body(x), y)


def sgd(rate, momentum=0.0):
    def make(parameters):
        try:
            return torch.optim.SGD(parameters, rate, momentum, fused=True)
        except (TypeError, RuntimeError):
            return torch.optim.SGD(parameters, rate, momentum)
    return make


def adam(rate):
    def make(parameters):
        try:
            return torch.optim.Adam(parameters, rate, fused=True)
        except (TypeError, RuntimeError):
            return torch.optim.Adam(parameters, rate)
    return make


def train_one(body, feeds, optimizer, prepare, images_last, compiled):
    torch.manual_seed(1)
    model = body()
    if images_last:
        model = model.to(memory_format=torch.channels_last)
    update = optimizer(list(model.parameters()))
    forward = torch.compile(model) if compiled else model
    turn = [0]

    def call():
        i = turn[0] % common.BATCHES
        turn[0] += 1
        batch = prepare([torch.from_numpy(f[i]) for f in feeds], images_last)
        update.zero_grad(set_to_none=True)
        loss = forward(*batch)
        loss.backward()
        update.step()
        return loss.item()
    return call


def training(body, feeds, optimizer, images=False, prepare=lambda batch, images_last: batch):
    """The fastest way; images: eagerly in both orders of channels, compiled in the one that its
    convolutions want. prepare turns a batch into what the model takes."""
    def way(images_last, compiled):
        return lambda: train_one(body, feeds, optimizer, prepare, images_last, compiled)
    ways = {'eager': way(False, False)}
    if images:
        ways['eager, channels last'] = way(True, False)
    ways['compiled'] = way(images, True)
    return fastest(ways)


def labels(batch, classes):
    return common.batches(np, [batch], classes).astype('int64')


def softmax():
    return training(lambda: Classifier(nn.Linear(784, 10)),
                    [common.batches(np, [100, 784]), labels(100, 10)], sgd(0.05))


def mlp(optimizer):
    def body():
        return Classifier(nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512),
                                        nn.ReLU(), nn.Linear(512, 10)))
    return training(body, [common.batches(np, [128, 784]), labels(128, 10)], optimizer)


def cnn():
    def body():
        return Classifier(nn.Sequential(
            nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(3136, 1024), nn.ReLU(), nn.Dropout(0.5), nn.Linear(1024, 10)))
    return training(body, [common.batches(np, [128, 784]), labels(128, 10)], adam(1e-4), images=True)


class Last(nn.Module):
    """An LSTM's last output."""

    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(28, 128, batch_first=True), nn.Linear(128, 10)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


def lstm():
    return training(lambda: Classifier(Last()),
                    [common.batches(np, [128, 28, 28]), labels(128, 10)], adam(1e-3))


class SkipGram(nn.Module):
    """Noise-contrastive estimation; negatives are drawn with replacement."""

    def __init__(self, words, width, negatives):
        super().__init__()
        self.words, self.negatives = words, negatives
        self.table = nn.Embedding(words, width, sparse=True)
        self.weights = nn.Embedding(words, width, sparse=True)
        self.biases = nn.Embedding(words, 1, sparse=True)
        with torch.no_grad():
            self.table.weight.uniform_(-1, 1)
            self.weights.weight.uniform_(-width ** -0.5, width ** -0.5)
            self.biases.weight.zero_()
        self.log_range = float(np.log(words + 1.0))

    def log_count(self, ids):
        p = torch.log((ids + 2.0) / (ids + 1.0)) / self.log_range
        return torch.log(self.negatives * p)

    def forward(self, x, y):
        drawn = (torch.exp(torch.rand(self.negatives) * self.log_range) - 1).long()
        drawn = drawn.clamp_(0, self.words - 1)
        h, ids = self.table(x), torch.cat([y, drawn])
        w, b = self.weights(ids), self.biases(ids).squeeze(1) - self.log_count(ids)
        n = x.shape[0]
        right = (h * w[:n]).sum(1) + b[:n]
        wrong = torch.addmm(b[n:], h, w[n:].T)
        return (F.softplus(-right) + F.softplus(wrong).sum(1)).mean()


def w2v():
    words, batch = 50000, 128

    def plain(rate):
        return lambda parameters: torch.optim.SGD(parameters, rate)
    return training(lambda: SkipGram(words, 128, 64), [labels(batch, words), labels(batch, words)],
                    plain(1.0))


class Sentences(nn.Module):
    """Filters over words; the convolution runs along the sentence, its channels are the
    embedding's columns."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20000, 128)
        self.convs = nn.ModuleList(nn.Conv1d(128, 128, f) for f in (3, 4, 5))
        self.out = nn.Linear(384, 2)

    def forward(self, x):
        words = self.table(x).transpose(1, 2)
        pooled = [F.relu(c(words)).amax(2) for c in self.convs]
        return self.out(F.dropout(torch.cat(pooled, 1), 0.5, self.training))


def textcnn():
    feeds = [common.batches(np, [64, 56], 20000).astype('int64'), labels(64, 2)]
    return training(lambda: Classifier(Sentences()), feeds, adam(1e-3))


class Block(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        stride = 1 if a == b else 2
        self.first, self.second = nn.Conv2d(a, b, 3, stride, 1, bias=False), nn.Conv2d(b, b, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(b), nn.BatchNorm2d(b)
        self.short = nn.Identity() if a == b else nn.Conv2d(a, b, 1, 2, bias=False)

    def forward(self, x):
        y = F.relu(self.norm1(self.first(x)))
        return F.relu(self.norm2(self.second(y)) + self.short(x))


def resnet20():
    def body():
        plan = [(16, 16)] * 3 + [(16, 32)] + [(32, 32)] * 2 + [(32, 64)] + [(64, 64)] * 2
        return Classifier(nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
            *[Block(a, b) for a, b in plan], nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)))

    def prepare(batch, images_last):
        x = batch[0].permute(0, 3, 1, 2)  # what comes is in channels-last order already
        return [x if images_last else x.contiguous(), batch[1]]
    return training(body, [common.batches(np, [128, 32, 32, 3]), labels(128, 10)], sgd(0.1, 0.9),
                    images=True, prepare=prepare)


MODELS = {
    'softmax': softmax, 'mlp_sgd': lambda: mlp(sgd(0.05)), 'mlp_adam': lambda: mlp(adam(0.001)),
    'cnn': cnn, 'lstm': lstm, 'w2v': w2v, 'textcnn': textcnn, 'resnet20': resnet20,
}
MICRO = {'gemm': gemm, 'conv': conv, 'ewise_chain': ewise}


def build(case, part, threads):
    torch.set_num_threads(threads)
    if case == 'py_import':
        return python_cases.importing('import torch')
    if case == 'py_mnist':
        return MODELS['softmax']()
    if case == 'node_tape':
        return node_chain()
    if case in MICRO:
        return MICRO[case](part)
    return MODELS[case]() if case in MODELS else None


if __name__ == '__main__':
    sys.exit(common.main(build))
