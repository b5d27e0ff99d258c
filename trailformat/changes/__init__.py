"""What several records are together: transactions, changes of rows, LOBs, fragments."""
