"""No modules import each other in a circle, imports in functions and for types included."""

from graphlib import TopologicalSorter

import grimp


def test_modules_import_each_other_in_no_circle() -> None:
    graph = grimp.build_graph("vertex_jobs", cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    TopologicalSorter(imports).prepare()
