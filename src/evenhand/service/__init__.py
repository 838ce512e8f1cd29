"""Scoring over HTTP: models behind a queue that scores requests together, an API, tokens, limits, logs and metrics.

`create_app(settings)` in `app` makes the application; other interfaces are routers that ask the same engine.
"""
