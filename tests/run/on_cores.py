"""Casts a run, asks for cores, assembles it, prints how many: `python -m tests.run.on_cores NUMBER EXPERIMENT`."""

import sys
from pathlib import Path

import jax

import envs
from jaxgp.config.compose import Composer
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.run.assemble import assemble
from jaxgp.search import cores

if __name__ == "__main__":
    with Composer(Config, Path("conf"), "config") as composer:
        config = composer.compose([f"experiment={sys.argv[2]}"])
    cast_of(config, envs, config.algorithm.genotype)
    cores.use(int(sys.argv[1]))
    assemble(config, envs)
    print(jax.local_device_count())
