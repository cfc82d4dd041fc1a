"""What a rehearsed job did after its restart, observed from outside, and the verdict on it."""
