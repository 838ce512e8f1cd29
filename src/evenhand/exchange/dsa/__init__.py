"""The Digital Services Act: the harmonised transparency report and statements of reasons."""
