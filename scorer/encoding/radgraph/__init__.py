"""RadGraph: entities and relations of a report, by the DyGIE++ network."""

from __future__ import annotations

from scorer.encoding.radgraph.annotation import Entity, Graph, pack, unpack
from scorer.encoding.radgraph.encoder import RADGRAPH, RADGRAPH_XL, RadgraphEncoder

__all__ = ["RADGRAPH", "RADGRAPH_XL", "Entity", "Graph", "RadgraphEncoder", "pack", "unpack"]
