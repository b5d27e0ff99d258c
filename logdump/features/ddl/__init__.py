"""DDL statements evaluated against parameter files, in the steps of Extract and of Replicat; nothing is executed."""
