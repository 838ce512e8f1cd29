"""How the models that come with Evenhand are made: `make model`."""
