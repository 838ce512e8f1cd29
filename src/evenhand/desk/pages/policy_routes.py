"""The addresses of the policy: what is in force, what another one would have done, and putting one in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from evenhand.desk.authorisation import form_fields, store_of
from evenhand.desk.pages.handling import error_words, say, show, signed_in
from evenhand.desk.pages.policies import activate_again, policies_page
from evenhand.desk.pages.policy_trials import USUAL_STRATEGIES, PolicyDraft, activate_draft, try_policy
from evenhand.desk.pages.words import PhraseError


async def policies(request: Request) -> Response:
    """The policy in force, and its history."""
    await signed_in(request, "see_policies")
    version = request.query_params.get("activated", "")
    message = say(request, "done.activated", version=version) if version.isdigit() else ""
    return await _policies(request, request.query_params, message=message)


async def _policies(request: Request, fields: Mapping[str, str], **more: Any) -> Response:
    """The page of the policies, with what a draft would do; one that cannot be read is said so."""
    store, kept = store_of(request), request.app.state.judged

    def looked_at() -> dict[str, Any]:
        view, history = policies_page(store), kept.history()
        about: dict[str, Any] = {"page": view, "trial": None, "draft": None, "strategies": ()}
        if not view.versions:
            return about
        with store.database.reading() as connection:
            policy = store.policy(connection)[1]
        draft, told = PolicyDraft.from_policy(policy, history), {}
        try:
            draft = PolicyDraft.from_values(fields, draft)
        except PhraseError as error:
            told = {"message": error_words(request, error), "problem": True, "status": 422}
        strategies = tuple(dict.fromkeys((policy.strategy, draft.strategy, *USUAL_STRATEGIES)))
        return {**about, "draft": draft, "trial": try_policy(policy, draft, history), "strategies": strategies} | told

    return show(request, "policies.html", **{**more, **await run_in_threadpool(looked_at)})


async def activate_new(request: Request) -> Response:
    """Put a draft in force, with a reason."""
    session = await signed_in(request, "activate")
    fields, kept = await form_fields(request), request.app.state.judged

    def activated() -> int:
        return activate_draft(store_of(request), session.person, fields, kept.history())

    try:
        version = await run_in_threadpool(activated)
    except PhraseError as error:
        return await _policies(request, fields, message=error_words(request, error), problem=True, status=422)
    return RedirectResponse(f"/policy?activated={version}", 303)


async def activate(request: Request) -> Response:
    """Put an earlier policy in force again, with a reason."""
    session = await signed_in(request, "activate")
    version = await run_in_threadpool(activate_again, store_of(request), session.person, await form_fields(request))
    return RedirectResponse(f"/policy?activated={version}", 303)
