"""Where memory is kept: the one SQLite file and all the SQL, by functions that take a connection and return records."""
