"""Units that span records: transactions, changes of rows, LOBs, fragments."""
