"""How a server is reached: addresses, certificates, proxies and logins; knows no contract, and client and suite use it."""
