"""What the command line can be asked, one function a command; each imports only what it needs."""
