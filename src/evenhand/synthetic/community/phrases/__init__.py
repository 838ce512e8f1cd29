"""What a community says, one module for each language. Every sentence was written for Evenhand."""
