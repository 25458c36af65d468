"""Lives against models of a few lines: whatever is asked, in whatever order, by one actor or by two (hypothesis).

The models say in words of their own what the seeds say; they share no rule with the product. The application's life is
in `tests/db/test_application_machine.py`. `GONGGO_TEST_MODEL_EXAMPLES=N` makes runs long, and of new chance each time.
"""
