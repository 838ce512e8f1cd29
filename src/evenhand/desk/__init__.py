"""The desk: people who sign in, the HTTP API on the store, and webhooks, on the application of the scoring service.

`create_desk(store, settings)` in `app` makes the application; `permitted` in `authorisation` is what a route asks.
"""
