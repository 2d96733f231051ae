"""What became visible, and the record of it: the gate, the published table and the ledger."""
