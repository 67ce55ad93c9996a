"""Composing the options of many runs in one process, as `scripts/train.py` would compose them one by one."""

import copy
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

import hydra
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig

from jaxgp.config import typed as options
from jaxgp.config.cli import SCHEMA_NAME

Schema = TypeVar("Schema")


class Composer(Generic[Schema]):
    """Within this context, `compose` turns options as typed into the typed configuration.

    Args:
        schema: dataclass of the options.
        config_dir: the config tree.
        config_name: the primary config in it, without `.yaml`.
    """

    def __init__(self, schema: type[Schema], config_dir: Path, config_name: str) -> None:
        self._schema = schema
        self._name = config_name
        self._known: dict[tuple[str, ...], DictConfig] = {}
        ConfigStore.instance().store(name=SCHEMA_NAME, node=options.plain(schema))
        GlobalHydra.instance().clear()
        self._context = hydra.initialize_config_dir(str(config_dir.resolve()), version_base="1.3")

    def __enter__(self) -> "Composer[Schema]":
        self._context.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._context.__exit__(kind, error, tb)

    def compose(self, overrides: Sequence[str]) -> Schema:
        """Return the configuration with these options, `name=value` each.

        Raises:
            UsageError: an unknown option, or a value of the wrong type; what values mean is not checked.
        """
        opened = [options.opened(self._schema, override) for override in overrides]
        try:
            config = self._composed(opened)
        except options.COMPOSITION_ERRORS as error:
            raise options.composition_error(self._schema, error, overrides) from error
        return options.typed(self._schema, config)

    def _composed(self, overrides: Sequence[str]) -> DictConfig:
        """Read the files of a choice of groups once; names with dots are values, which Hydra sets after all files."""
        parsed = OverridesParser.create().parse_overrides(list(overrides))
        if any(one.is_sweep_override() for one in parsed):
            return hydra.compose(self._name, list(overrides))  # says what is wrong
        values = [one for one in parsed if "." in one.key_or_group]
        groups = tuple(str(one.input_line) for one in parsed if "." not in one.key_or_group)
        if groups not in self._known:
            self._known[groups] = hydra.compose(self._name, list(groups))
        config = copy.deepcopy(self._known[groups])
        ConfigLoaderImpl._apply_overrides_to_config(values, config)
        return config
