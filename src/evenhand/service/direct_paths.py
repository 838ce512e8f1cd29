"""Requests for fixed paths, answered without the router, which would be a quarter of the work of a short request.

A path with parameters, a wrong method and an unknown path go through the router; errors are answered alike both ways.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from evenhand.errors import EvenhandError
from evenhand.service.problems import ErrorRenderers, problem_of


class DirectRoute(APIRoute):
    """A route whose handler takes the request as it is and returns the response: documented like any other.

    Nothing is parsed for the handler, and nothing is kept open for it; its errors are answered further out.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            response: Response = await self.endpoint(Request(scope, receive, send))
            await response(scope, receive, send)

        self.app = answer


class DirectPaths:
    """The innermost middleware: a request for the fixed path of a `DirectRoute` goes to its handler at once."""

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute], renderers: ErrorRenderers) -> None:
        self.app, self.renderers = app, renderers
        self.routes = {
            (method, route.path): route
            for route in routes
            if isinstance(route, DirectRoute) and not route.param_convertors
            for method in route.methods or ()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self.routes.get((scope.get("method", ""), scope.get("path", "")))
        if route is None:
            await self.app(scope, receive, send)
            return
        scope["route"] = route
        try:
            response: Response = await route.endpoint(Request(scope, receive, send))
        except (HTTPException, RequestValidationError, EvenhandError) as error:
            response = self.renderers.render(scope, problem_of(error))
        await response(scope, receive, send)


async def whole_body(request: Request) -> bytes:
    """The body, which the limits hand on as one message."""
    message = await request.receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    body: bytes = message["body"]
    return body
