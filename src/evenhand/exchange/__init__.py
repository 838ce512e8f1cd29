"""Other people's formats: the transparency reports of the Digital Services Act, and files of annotation tools.

`dsa` writes and checks the harmonised report and statements of reasons; `annotation_tools` reads what Label Studio,
Argilla, doccano and Prodigy export, and writes tasks for Label Studio.
"""
