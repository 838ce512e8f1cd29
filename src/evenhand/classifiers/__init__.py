"""Text to probability and uncertainty: one protocol, a shipped model, training methods, and adapters."""
