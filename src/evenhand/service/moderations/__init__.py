"""OpenAI's moderations (POST /v1/moderations), answered by the models that are served here.

Off until categories are mapped to classes. A category that is not mapped is null in the response, never false: nobody
has looked for it. `messages` translate, `openai_errors` are the errors, `routes` put them on the application.
"""
