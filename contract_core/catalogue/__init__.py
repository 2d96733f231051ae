"""The registry as a static site: pages that open from a folder, without a server, a network or a build of their own."""
