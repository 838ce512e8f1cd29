"""Speed and memory, measured beside what people use today. What is promised is one table: `registry`."""
