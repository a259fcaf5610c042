"""Serve a GGUF file on loopback, like OpenAI's API, and print where: `python serve_model.py FILE`."""

from __future__ import annotations

import sys

import xllamacpp  # type: ignore[import-not-found]


def main(file: str) -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = file
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.n_predict = 200
    parameters.sampling.seed = 7
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
