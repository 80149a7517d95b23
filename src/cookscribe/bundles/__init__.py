"""Bundles: everything `cookscribe write` needs for one kind of film, in one folder."""
