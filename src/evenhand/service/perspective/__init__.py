"""Perspective's Comment Analyzer API (v1alpha1), answered by the models that are served here.

A client that called Google's service changes the address and nothing else. `messages` are the bodies, `comment_text`
and `languages` read a comment, `attributes` say what can be asked, `analysis` turns a request into texts to score and
scores into a response, `google_errors` are the errors, `discovery` the description that generic clients read, and
`routes` put them on the application.
"""
