"""Which names mean the same: what people said, and what everyone knows.

Spelling cannot tell that Postgres is PostgreSQL. A registered alias can: it joins two names, and all that was joined
to either, under one root. The names form a union-find built from the acts in their order, so that there are no cycles
and no half-way stops, and the same acts always give the same roots.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Self

from hymem.canonical import canonical_name

SEEDED_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "amazon_web_services": "aws",
        "apache_kafka": "kafka",
        "apache_spark": "spark",
        "cplusplus": "c_plus_plus",
        "cpp": "c_plus_plus",
        "csharp": "c_sharp",
        "elastic_search": "elasticsearch",
        "expressjs": "express_js",
        "fast_api": "fastapi",
        "fsharp": "f_sharp",
        "gcp": "google_cloud",
        "gh_actions": "github_actions",
        "git_hub": "github",
        "git_lab": "gitlab",
        "github_action": "github_actions",
        "golang": "go",
        "google_cloud_platform": "google_cloud",
        "hugging_face": "huggingface",
        "java_script": "javascript",
        "js": "javascript",
        "k8s": "kubernetes",
        "mac_os": "macos",
        "maria_db": "mariadb",
        "microsoft_azure": "azure",
        "mongo": "mongodb",
        "mongo_db": "mongodb",
        "mssql": "sql_server",
        "my_sql": "mysql",
        "neo_vim": "neovim",
        "nestjs": "nest_js",
        "nextjs": "next_js",
        "nodejs": "node_js",
        "nuxtjs": "nuxt_js",
        "nvim": "neovim",
        "open_ai": "openai",
        "os_x": "macos",
        "osx": "macos",
        "postgre_sql": "postgresql",
        "postgres": "postgresql",
        "power_shell": "powershell",
        "py_torch": "pytorch",
        "rabbit_mq": "rabbitmq",
        "react_js": "react",
        "reactjs": "react",
        "rust_lang": "rust",
        "sklearn": "scikit_learn",
        "tensor_flow": "tensorflow",
        "threejs": "three_js",
        "ts": "typescript",
        "type_script": "typescript",
        "visual_studio_code": "vscode",
        "vs_code": "vscode",
        "vue_js": "vue",
        "vuejs": "vue",
        "wasm": "webassembly",
    }
)
"""Other spellings of well-known names that mean nothing else; both sides are canonical, and no target is an alias."""


@dataclass(frozen=True)
class Aliases:
    """Every known alias with the root it stands for."""

    roots: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def replay(cls, acts: Iterable[tuple[str, str]], seeds: Mapping[str, str] = SEEDED_ALIASES) -> Self:
        """The aliases that follow from acts (alias, canonical), oldest first, in surface forms or keys.

        An act joins the alias's whole group to the canonical name's root; it changes nothing where the two are joined
        already, so that of two opposite acts the first decides. "x means x" takes back all that was said of x before; where
        nothing was, the seed of x does not apply. The seeds come last and yield to people: one whose
        alias a person gave another meaning does not apply. With alias("postgres", "our_db"), "postgresql" stays apart;
        with alias("postgresql", "postgres"), both are `postgres`.

        Raises `InputError` where a name has no canonical form.
        """
        named, denied = _in_force((canonical_name(alias), canonical_name(canonical)) for alias, canonical in acts)
        spoken_for = denied | {alias for alias, _ in named}
        parents: dict[str, str] = {}
        for alias, canonical in (*named, *(seed for seed in seeds.items() if seed[0] not in spoken_for)):
            group, root = _root(parents, alias), _root(parents, canonical)
            if group != root:
                parents[group] = root
        return cls({name: _root(parents, name) for name in parents})

    def resolve(self, name: str) -> str:
        """The root of a canonical name; the name itself where nothing is known of it."""
        return self.roots.get(name, name)

    def surface_forms(self, name: str) -> frozenset[str]:
        """Every canonical name that means the same as this one, with the root and the name itself."""
        root = self.resolve(name)
        return frozenset({root, *(alias for alias, target in self.roots.items() if target == root)})


def _in_force(acts: Iterable[tuple[str, str]]) -> tuple[list[tuple[str, str]], set[str]]:
    """The acts that were not taken back, in their order, and the aliases whose seed was."""
    held: list[tuple[str, str]] = []
    denied: set[str] = set()
    for alias, canonical in acts:
        if alias != canonical:
            held.append((alias, canonical))
            continue
        left = [act for act in held if act[0] != alias]
        if len(left) == len(held):
            denied.add(alias)
        held = left
    return held, denied


def _root(parents: dict[str, str], name: str) -> str:
    """The end of the chain from `name`; the chain is halved on the way."""
    while (parent := parents.get(name)) is not None:
        parents[name] = parents.get(parent, parent)
        name = parents[name]
    return name
