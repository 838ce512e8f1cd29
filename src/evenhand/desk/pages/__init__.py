"""The pages that people work at: server-rendered, usable by keyboard alone, without JavaScript and on a phone.

A page is a frozen dataclass that a pure function makes of the store and a person; a template shows it. `routes` ties
both to addresses. All words are in one catalogue (`words`), so that a translation is a file.
"""

from evenhand.desk.pages.routes import install_pages

__all__ = ["install_pages"]
