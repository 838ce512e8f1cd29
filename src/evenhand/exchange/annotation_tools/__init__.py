"""Files of annotation tools: read as annotated items, whatever the tool, and written as tasks for Label Studio."""

from evenhand.exchange.annotation_tools.formats import TOOLS, read_tool_files, write_tasks
from evenhand.exchange.annotation_tools.items import AnnotatedItem, ItemAnnotation, ItemPrediction, annotation_table

__all__ = [
    "TOOLS",
    "AnnotatedItem",
    "ItemAnnotation",
    "ItemPrediction",
    "annotation_table",
    "read_tool_files",
    "write_tasks",
]
