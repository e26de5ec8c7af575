"""What `sourcebook doctor` looks at."""
