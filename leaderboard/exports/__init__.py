"""What is exported (contents, columns), how a table is written (tables, formats, parquet), what its columns mean (dictionary)."""
