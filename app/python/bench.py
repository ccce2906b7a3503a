"""Times predictions of 1000 rows through the estimators: python3 bench.py FOLDER writes the models and the rows into a
folder, and go test ./app/capi -run none -bench Predict -models FOLDER times the same models in Go."""

import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import gram.sklearn as gs


def main(folder):
    r = np.random.default_rng(0)
    x = r.normal(size=(4000, 20))
    c = (x[:, 0] * x[:, 1] + x[:, 2] > 0.3).astype(int)
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2]
    rows = r.normal(size=(1000, 20))
    models = {
        "svc": gs.SVC().fit(x, c),
        "krr": gs.KernelRidge().fit(x, y),
        "gbdt": gs.GBDTRegressor(300).fit(x, y),
        "nystrom": gs.Classifier("nystrom", settings={"m": 500}).fit(x, c),
        "rff": gs.Classifier("rff", settings={"m": 500}).fit(x, c),
    }
    os.makedirs(folder, exist_ok=True)
    np.save(os.path.join(folder, "rows.npy"), rows)
    for name, m in models.items():
        m.model_.save(os.path.join(folder, name + ".gram"))
    for name, m in models.items():
        times, end = [], time.perf_counter() + 1
        while time.perf_counter() < end:
            start = time.perf_counter()
            m.predict(rows)
            times.append(1e6 * (time.perf_counter() - start))
        print("%-8s least %7.1f us, mean %7.1f us" % (name, min(times), np.mean(times)))


if __name__ == "__main__":
    main(sys.argv[1])
