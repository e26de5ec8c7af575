"""How the reader is made: data, training, evaluation, export."""
