"""A first contract: inferred from what is delivered already, or taken over from a schema in another language.

Nothing here decides anything: what is inferred is a draft, each guess is marked for the people who answer for its meaning.
"""
