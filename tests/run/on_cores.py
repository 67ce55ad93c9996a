"""Assembles runs, then asks for cores, prints how many: `python -m tests.run.on_cores NUMBER EXPERIMENT ...`."""

import sys
from pathlib import Path

import jax

import envs
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.run.assemble import assemble
from jaxgp.search import cores

if __name__ == "__main__":
    with Composer(Config, Path("conf"), "config") as composer:
        for name in sys.argv[2:]:
            assemble(composer.compose([f"experiment={name}"]), envs)
    cores.use(int(sys.argv[1]))
    print(jax.local_device_count())
