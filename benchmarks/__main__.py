"""`python -m benchmarks [NAME …]`: runs every benchmark, or the named ones, and prints their tables."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path


def main() -> None:
    """Runs the modules of this folder that have a `main` and do not need a GPU."""
    here = Path(__file__).parent
    names = [
        module.name
        for module in pkgutil.iter_modules([str(here)])
        if not module.name.startswith(("_", "gpu_")) and module.name != "table"
    ]
    wanted = sys.argv[1:] or names
    unknown = sorted(set(wanted).difference(names))
    if unknown:
        sys.exit(f"no benchmark named {', '.join(unknown)}; there are {', '.join(names)}")
    for name in wanted:
        module = importlib.import_module(f"benchmarks.{name}")
        if hasattr(module, "main"):
            module.main()


if __name__ == "__main__":
    main()
