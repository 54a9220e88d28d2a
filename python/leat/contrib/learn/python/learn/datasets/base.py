# SPDX-License-Identifier: Apache-2.0
"""Data sets as tables: csv files in arrays."""
import collections
import csv
import os

import numpy as np

Dataset = collections.namedtuple('Dataset', ['data', 'target'])
Datasets = collections.namedtuple('Datasets', ['train', 'validation', 'test'])


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """A csv file whose first line says how many rows and columns there are."""
    with open(filename, newline='') as csv_file:
        rows = csv.reader(csv_file)
        header = next(rows)
        n_samples, n_features = int(header[0]), int(header[1])
        data = np.zeros((n_samples, n_features), dtype=features_dtype)
        target = np.zeros((n_samples,), dtype=target_dtype)
        for i, row in enumerate(rows):
            target[i] = np.asarray(row.pop(target_column), dtype=target_dtype)
            data[i] = np.asarray(row, dtype=features_dtype)
    return Dataset(data=data, target=target)


def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
    """A csv file of rows alone."""
    data, target = [], []
    with open(filename, newline='') as csv_file:
        for row in csv.reader(csv_file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


def shrink_csv(filename, ratio):
    """Every ratio-th row into a file of its own."""
    small = filename.replace('.', '_small.')
    with open(small, 'w', newline='') as out, open(filename, newline='') as csv_file:
        writer = csv.writer(out)
        for i, row in enumerate(csv.reader(csv_file)):
            if i % ratio == 0:
                writer.writerow(row)


def _needed(data_path, name, what):
    if data_path is None:
        raise ValueError('tf.contrib.learn.datasets.load_%s: give data_path=, the path of %s; no '
                         'data come with Leat' % (name, what))
    return data_path


def load_iris(data_path=None):
    """The iris data of a csv file with a header."""
    return load_csv_with_header(_needed(data_path, 'iris', 'iris.csv'), target_dtype=int,
                                features_dtype=float)


def load_boston(data_path=None):
    """The Boston house prices of a csv file with a header."""
    return load_csv_with_header(_needed(data_path, 'boston', 'boston_house_prices.csv'),
                                target_dtype=float, features_dtype=float)


def maybe_download(filename, work_directory, source_url):
    """The path of a file of a folder, or of a folder that $LEAT_DATA names. It is never
    downloaded: where it is missing the error says what to put where."""
    places = [str(work_directory)]
    for folder in os.environ.get('LEAT_DATA', '').split(os.pathsep):
        if folder:
            places += [folder, os.path.join(folder, 'mnist')]
    for place in places:
        path = os.path.join(place, filename)
        if os.path.exists(path):
            return path
    raise FileNotFoundError(
        'there is no %s. Leat downloads nothing: get it from %s and put it into the folder %s, or '
        'say in $LEAT_DATA which folder has it'
        % (os.path.join(str(work_directory), filename), source_url,
           os.path.abspath(str(work_directory))))
