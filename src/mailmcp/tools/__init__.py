"""The tools, one folder for each: arguments, reply models, function."""
