"""The way to a server: addresses, certificates, proxies and logins, for client and suite.

Nothing here knows a contract.
"""
