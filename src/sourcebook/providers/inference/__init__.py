"""Running BERT-family models on the CPU: what embedders and rerankers share."""
